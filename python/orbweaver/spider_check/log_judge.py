"""Judges what a spider wrote, against what it was given."""

from __future__ import annotations

from typing import Dict, List, Set, Tuple

from orbweaver.messages import DecodeError, SpiderLogEntry
from orbweaver.partition import partition_of
from orbweaver.spider_check.cluster import PARTITIONS, Cluster, Logged, Sent
from orbweaver.spider_check.rules import Verdict

_OUTCOMES = ("page_fetched", "fetch_failed", "deferred")
_MOST_LINKS = 1000


class LogJudge:
    """Reads the logs as they grow. Not thread-safe."""

    def __init__(self, cluster: Cluster, verdict: Verdict) -> None:
        self._cluster = cluster
        self._verdict = verdict
        # Outcomes of each request, by its URL: name and message.
        self.outcomes: Dict[str, List[Tuple[str, SpiderLogEntry]]] = {}
        # Links of each page to each domain, by the page's URL.
        self.links: Dict[Tuple[str, str], List[str]] = {}
        # Places of what was kept.
        self.dead_letters: Set[Tuple[str, str]] = set()

    def read(self) -> None:
        for topic, record in self._cluster.new_records():
            if topic == "dead-letter":
                self.dead_letters.add((record.headers.get("partition", b"").decode(), record.headers.get("offset", b"").decode()))
            else:
                self._judge(record)

    def outcome(self, sent: Sent) -> "Tuple[str, SpiderLogEntry] | None":
        found = self.outcomes.get(sent.message.url)
        return found[0] if found else None

    def missing(self) -> List[Sent]:
        return [sent for sent in self._cluster.sent if sent.wanted and sent.message.url not in self.outcomes]

    def _judge(self, record: Logged) -> None:
        try:
            entry = SpiderLogEntry.FromString(record.value)
        except DecodeError:
            return self._verdict.breach("outcome", "an entry of the spider log that cannot be decoded")
        name = entry.WhichOneof("event") or "nothing"
        if name not in (*_OUTCOMES, "links_found"):
            return None
        rule = "links" if name == "links_found" else "outcome"
        if record.key != entry.domain.encode():
            self._verdict.breach(rule, f"{name}: the key is {record.key!r}, the domain {entry.domain!r}")
        elif record.partition != partition_of(entry.domain, PARTITIONS):
            self._verdict.breach(rule, f"{name} of {entry.domain}: in partition {record.partition}; murmur2 of the key says "
                                       f"{partition_of(entry.domain, PARTITIONS)}")
        if entry.time_ms <= 0:
            self._verdict.breach(rule, f"{name} of {entry.domain}: no time_ms")
        if name == "links_found":
            return self._judge_links(entry)
        request = getattr(entry, name).request
        self.outcomes.setdefault(request.url, []).append((name, entry))
        given = [sent for sent in self._cluster.sent if sent.message.url == request.url]
        if not given:
            self._verdict.breach("outcome", f"{name} of {request.url!r}, which the feed does not have")
        elif not given[0].wanted:
            self._verdict.breach("epoch", f"{name} of {request.url}, which a replaced db worker sent")
        elif request.SerializeToString(deterministic=True) != given[0].message.SerializeToString(deterministic=True):
            same = all(getattr(request, field.name) == getattr(given[0].message, field.name) for field in request.DESCRIPTOR.fields)
            self._verdict.breach("outcome", f"{name} of {request.url}: the request is not as it stood in the feed"
                                 + (": a field that these classes do not know is gone" if same else ""))
        return None

    def _judge_links(self, entry: SpiderLogEntry) -> None:
        found = entry.links_found
        page = found.source.url
        self.links.setdefault((page, entry.domain), []).extend(link.url for link in found.links)
        if len(found.links) > _MOST_LINKS:
            self._verdict.breach("links", f"{len(found.links)} links of {page} in one entry, at most {_MOST_LINKS} are read")
        given = [sent.message for sent in self._cluster.sent if sent.message.url == page]
        if not given:
            self._verdict.breach("links", f"links of {page!r}, which the feed does not have")
        elif (found.source.depth, found.source.fingerprint, found.source.score, dict(found.source.meta)) != (
                given[0].depth, given[0].fingerprint, given[0].score, dict(given[0].meta)):
            self._verdict.breach("links", f"links of {page}: the source is not as the request says")
