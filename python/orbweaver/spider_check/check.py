"""The script of a check: a feed that tempts a spider to break each rule, and the looks at what it does."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from typing import Callable, Dict, List

from orbweaver.partition import partition_of
from orbweaver.spider_check.cluster import PARTITIONS, Cluster, Sent
from orbweaver.spider_check.log_judge import LogJudge
from orbweaver.spider_check.rules import Verdict
from orbweaver.spider_check.watch import Watch
from orbweaver.spider_check.web import Page, Web

_LOOK_S = 0.1
_DELAY_MS = 400
_TAKE_OVER_DELAY_MS = 3000
_REST_S = 5
_LONG_REST_S = 600
_TOO_LONG_MS = 600_000
# Clocks and threads: so much sooner than it should is not yet a breach.
_TOLERANCE_S = 0.015
# Commits come every few seconds.
_REFUSED_S = 6.0
# In the first partitions; in the others fetches last, which hold back the commit by themselves.
_REFUSED_IN = 2
_MANY_LINKS = 1200


class SpiderDied(Exception):
    """It ended by itself."""


class Check:
    """Runs `command` as a process of its own, twice: killed, and then stopped in good order."""

    def __init__(self, cluster: Cluster, command: List[str], patience: float, say: Callable[[str], None]) -> None:
        self.verdict = Verdict()
        self._cluster = cluster
        self._command = command
        self._patience = patience
        self._say = say
        self._web = Web(self._on_visit)
        self._judge = LogJudge(cluster, self.verdict)
        self._watch = Watch(cluster, self._judge, self.verdict)
        self._delays: Dict[str, float] = {}
        self._fetched_from: set[int] = set()
        self._process: "subprocess.Popen[bytes] | None" = None
        self._launched = 0.0
        self._next_domain = 0
        self._may_end = False

    def run(self) -> Verdict:
        """SpiderDied when the command ends by itself."""
        try:
            self._first_life()
            self._second_life()
        finally:
            if self._process is not None and self._process.poll() is None:
                self._process.kill()
                self._process.wait()
            self._web.close()
        self._judge_delays()
        return self.verdict

    def _first_life(self) -> None:
        cluster = self._cluster
        for partition in range(PARTITIONS):
            cluster.marker(partition)
        domains = [self._domain(partition) for partition in range(PARTITIONS)]
        pages = [self._send(domain, f"/{number}", _DELAY_MS) for domain in domains for number in range(3)]
        # A replaced db worker goes on sending; the feed's last marker says that it was replaced.
        stale = []
        for partition in range(PARTITIONS):
            cluster.marker(partition)
            stale.append(self._send(self._domain(partition), "/stale", wanted=False))
            pages.append(self._send(self._domain(partition), "/current"))
        nonsense = [(0, cluster.nonsense(0, b"\xff nonsense", [])), (1, cluster.nonsense(1, b"", [("schema", b"orbweaver.v9")]))]
        linked = self._linked_page()
        self._say("a spider begins; pages, a replaced db worker, nonsense")
        self._launch()
        self._await("outcome", lambda: not self._judge.missing(), self._tell_missing)
        self._await("dead-letter", lambda: all((str(place[0]), str(place[1])) in self._judge.dead_letters for place in nonsense),
                    lambda: f"{sum((str(p), str(o)) not in self._judge.dead_letters for p, o in nonsense)} of {len(nonsense)} messages are not kept")
        for sent in stale:
            if self._web.visits(sent.message.domain) and any(one.path == "/stale" for one in self._web.visits(sent.message.domain)):
                self.verdict.breach("epoch", f"{sent.message.url} was fetched, which a replaced db worker sent")
        for sent in pages:
            self._one_outcome(sent)
        self._judge_links(linked)
        self._refusal()
        self._hand_back()
        self._killed_while_a_domain_rests()

    def _linked_page(self) -> Sent:
        domain, elsewhere = self._domain(0), self._domain(1)
        self._links = {elsewhere: [f"http://{elsewhere}/{number}" for number in range(_MANY_LINKS)], domain: [f"http://{domain}/own"]}
        body = "".join(f'<a href="{url}">x</a>\n' for urls in self._links.values() for url in urls)
        return self._send(domain, "/links", page=Page(body=f"<title>Links</title>{body}".encode()))

    def _judge_links(self, linked: Sent) -> None:
        page = linked.message.url
        self._await("links", lambda: all((page, domain) in self._judge.links for domain in self._links), lambda: f"{page} has no LinksFound for some domain")
        for domain, urls in self._links.items():
            found = self._judge.links.get((page, domain), [])
            if set(found) != set(urls):
                self.verdict.breach("links", f"{page}: {len(set(found) & set(urls))} of {len(urls)} links to {domain}, {len(set(found) - set(urls))} to elsewhere")

    def _refusal(self) -> None:
        """429 with a Retry-After: the rest is kept, and told."""
        domain = self._domain(2)
        first = self._send(domain, "/busy", page=Page(429, {"Retry-After": str(_REST_S)}))
        self._say("a site asks for rest")
        self._await("outcome", lambda: self._judge.outcome(first) is not None, self._tell_missing)
        second = self._send(domain, "/after")
        # Either it waits, or it goes back to the queue.
        self._await("rest", lambda: self._judge.outcome(second) is not None, lambda: f"{second.message.url} has no outcome after the rest")
        answered = [one for one in self._web.visits(domain) if one.path == "/busy"]
        after = [one for one in self._web.visits(domain) if one.path == "/after"]
        if answered and after and answered[0].ended is not None and after[0].began < answered[0].ended + _REST_S - _TOLERANCE_S:
            self.verdict.breach("rest", f"{domain} was asked {after[0].began - answered[0].ended:.2f} s after it had asked for {_REST_S} s of rest")
        outcome = self._judge.outcome(first)
        if outcome is not None:
            name, entry = outcome
            failed = entry.fetch_failed
            if name != "fetch_failed" or failed.status != 429 or failed.retry_after_ms != _REST_S * 1000:
                self.verdict.breach("rest", f"{first.message.url}: {name}, status {failed.status}, retry_after_ms {failed.retry_after_ms}; "
                                            f"expected fetch_failed, 429, {_REST_S * 1000}")

    def _hand_back(self) -> None:
        domain = self._domain(3)
        both = [self._send(domain, f"/{number}", _TOO_LONG_MS) for number in range(2)]
        self._say("a request that would wait ten minutes")
        self._await("hand-back", lambda: all(self._judge.outcome(sent) is not None for sent in both),
                    lambda: f"{domain} with a delay of {_TOO_LONG_MS // 1000} s: a request that would wait so long has no outcome")
        outcome = self._judge.outcome(both[1])
        if outcome is not None and outcome[0] == "deferred" and outcome[1].deferred.not_before_ms < time.time() * 1000:
            self.verdict.breach("hand-back", f"{both[1].message.url}: not before a time that is over")

    def _refused_outcomes(self) -> None:
        """The log takes no entries, with an error that does not pass. The spider may end; Watch says when a commit passes them."""
        self._say("the spider log refuses entries")
        self._may_end = True
        self._cluster.refuse_entries(True)
        sent = [self._send(self._domain(partition), "/unheard") for partition in range(_REFUSED_IN)]
        self._await("outcome", lambda: self._has_ended() or all(self._web.visits(each.message.domain) for each in sent),
                    lambda: "nothing is fetched while the log refuses the outcomes of others")
        until = time.monotonic() + _REFUSED_S
        while time.monotonic() < until:
            self._look()

    def _killed_while_a_domain_rests(self) -> None:
        busy = self._send(self._domain(0), "/busy", page=Page(503, {"Retry-After": str(_LONG_REST_S)}))
        self._busy = busy
        self._await("metadata", lambda: self._watch.rests_until(busy.partition, busy.message.domain) is not None,
                    lambda: f"{busy.message.domain} rests, and no commit says so")
        held = threading.Event()
        self._held = [self._send(self._domain(partition), "/held", page=Page(held=held)) for partition in range(_REFUSED_IN, PARTITIONS)]
        self._say("fetches that last")
        self._await("outcome", lambda: any(any(one.path == "/held" for one in self._web.visits(sent.message.domain)) for sent in self._held),
                    lambda: "the pages that are held are not asked for")
        self._refused_outcomes()
        assert self._process is not None
        self._process.kill()
        self._process.wait()
        held.set()
        self._cluster.refuse_entries(False)
        self._may_end = False

    def _second_life(self) -> None:
        self._say("the next start")
        late = self._send(self._domain(1), "/late", _TAKE_OVER_DELAY_MS)
        rested = self._send(self._busy.message.domain, "/rested")
        self._launch()
        self._await("acked", lambda: not self._judge.missing(), self._tell_missing)
        self._judge_take_over(late)
        if any(one.path == "/rested" for one in self._web.visits(rested.message.domain)):
            self.verdict.breach("rest", f"{rested.message.domain} was asked during a rest that stands in the commit that the spider began from")
        self._say("a stop in good order")
        held = threading.Event()
        last = [self._send(self._domain(partition), f"/{number}", page=Page(held=held if number == 0 else None))
                for partition in range(PARTITIONS) for number in range(2)]
        self._await("outcome", lambda: any(self._web.visits(sent.message.domain) for sent in last), lambda: "nothing is fetched any more")
        assert self._process is not None
        self._process.send_signal(signal.SIGTERM)
        threading.Timer(1.0, held.set).start()
        try:
            code = self._process.wait(self._patience)
            if code != 0:
                self.verdict.breach("drain", f"SIGTERM ended it with exit code {code}")
        except subprocess.TimeoutExpired:
            return self.verdict.breach("drain", f"SIGTERM has not ended it in {self._patience:.0f} s")
        self._look()
        for sent in last:
            visited = any(one.path in sent.message.url for one in self._web.visits(sent.message.domain))
            if visited and sent.offset >= self._watch.commits[sent.partition].offset:
                self.verdict.breach("drain", f"{sent.message.url} was fetched, and the next start fetches it again: it is at {sent.partition}:{sent.offset}, "
                                             f"the commit is {self._watch.commits[sent.partition].offset}")
            self._one_outcome(sent, rule="drain", needed=visited)
        return None

    def _judge_take_over(self, late: Sent) -> None:
        """Nobody but the spider knows when it was given its partitions; pages without a delay it fetches then."""
        visits = [one for one in self._web.visits() if one.began >= self._launched]
        first = min((one.began for one in visits), default=0.0)
        asked = [one.began for one in visits if one.domain == late.message.domain]
        if asked and min(asked) - first < _TAKE_OVER_DELAY_MS / 2000:
            self.verdict.breach("delay", f"{late.message.domain} was asked {min(asked) - first:.2f} s after the first page of a partition that another spider "
                                         f"had; its delay is {_TAKE_OVER_DELAY_MS / 1000:.0f} s")

    # Parts of the script.

    def _domain(self, partition: int) -> str:
        """Another one each time."""
        while True:
            self._next_domain += 1
            domain = f"127.77.{self._next_domain // 250}.{self._next_domain % 250 + 1}"
            if partition_of(domain, PARTITIONS) == partition:
                return domain

    def _send(self, domain: str, path: str, delay_ms: int = 0, page: "Page | None" = None, wanted: bool = True) -> Sent:
        url = self._web.page(domain, path, page)
        self._delays[domain] = max(delay_ms / 1000, self._delays.get(domain, 0.0))
        return self._cluster.request(url, domain, delay_ms, wanted)

    def _launch(self) -> None:
        environment = dict(os.environ, ORBWEAVER_KAFKA=self._cluster.brokers, ORBWEAVER_PREFIX=self._cluster.prefix)
        words = [word.replace("{brokers}", self._cluster.brokers).replace("{prefix}", self._cluster.prefix) for word in self._command]
        self._launched = time.monotonic()
        self._process = subprocess.Popen(words, env=environment)

    def _on_visit(self, domain: str) -> None:
        partition = partition_of(domain, PARTITIONS)
        if partition not in self._fetched_from:
            self._fetched_from.add(partition)
            if self._cluster.commits()[partition].offset < 0:
                self.verdict.breach("first-commit", f"partition {partition} has no commit, and {domain} is asked")

    def _look(self) -> None:
        self._watch.look()
        if self._has_ended() and not self._may_end:
            assert self._process is not None
            raise SpiderDied(f"the spider ended by itself with exit code {self._process.returncode}")
        time.sleep(_LOOK_S)

    def _has_ended(self) -> bool:
        return self._process is not None and self._process.poll() not in (None, 0, -signal.SIGKILL)

    def _await(self, rule: str, condition: Callable[[], bool], tell: Callable[[], str]) -> None:
        """A condition that does not come true in time is a breach of `rule`."""
        until = time.monotonic() + self._patience
        while True:
            self._look()
            if condition():
                return
            if time.monotonic() > until:
                return self.verdict.breach(rule, f"{tell()} ({self._patience:.0f} s)")

    def _tell_missing(self) -> str:
        missing = self._judge.missing()
        return f"{len(missing)} requests have no outcome: {', '.join(sent.message.url for sent in missing[:3])}"

    def _one_outcome(self, sent: Sent, rule: str = "outcome", needed: bool = False) -> None:
        count = len(self._judge.outcomes.get(sent.message.url, []))
        if count > 1 or needed and count != 1:
            self.verdict.breach(rule, f"{sent.message.url} has {count} outcomes")

    def _judge_delays(self) -> None:
        for domain, delay in self._delays.items():
            visits = sorted((one for one in self._web.visits(domain) if one.path != "/held"), key=lambda one: one.began)
            for before, after in zip(visits, visits[1:]):
                if before.ended is None or after.began < before.ended:
                    self.verdict.breach("delay", f"{domain} was asked for {after.path} while it still answered {before.path}")
                elif after.began - before.ended < delay - _TOLERANCE_S:
                    self.verdict.breach("delay", f"{domain} was asked {after.began - before.ended:.3f} s after an answer, its delay is {delay:.3f} s")
