"""Looks at the group's commits while a spider works."""

from __future__ import annotations

from typing import Dict, Optional

from orbweaver.spider.commit_metadata import read_metadata
from orbweaver.spider_check.cluster import Cluster
from orbweaver.spider_check.group_commits import GroupCommit
from orbweaver.spider_check.log_judge import LogJudge
from orbweaver.spider_check.rules import Verdict


class Watch:
    """One look after the other, from one thread."""

    def __init__(self, cluster: Cluster, judge: LogJudge, verdict: Verdict) -> None:
        self._cluster = cluster
        self._judge = judge
        self._verdict = verdict
        self.commits: Dict[int, GroupCommit] = {}

    def look(self) -> None:
        """Commits first, then the log: an outcome that a commit is about stands there already, or never did."""
        self.commits = self._cluster.commits()
        self._judge.read()
        for sent in self._cluster.sent:
            offset = self.commits[sent.partition].offset
            if sent.wanted and sent.offset < offset and self._judge.outcome(sent) is None:
                self._verdict.breach("acked", f"{sent.message.url} at {sent.partition}:{sent.offset} has no outcome in the log, and the commit is {offset}")
        for partition, commit in self.commits.items():
            if commit.offset >= 0:
                self._judge_metadata(partition, commit)

    def rests_until(self, partition: int, domain: str) -> Optional[float]:
        return read_metadata(self.commits[partition].metadata.rstrip(b"\0").decode("latin-1"))[1].get(domain)

    def _judge_metadata(self, partition: int, commit: GroupCommit) -> None:
        text = commit.metadata.decode("latin-1")
        if not text.endswith(" \0"):
            return self._verdict.breach("metadata", f"{text[:60]!r} at {partition}:{commit.offset}: a space and a zero byte do not end it")
        passed = [marker for marker in self._cluster.markers[partition] if marker < commit.offset]
        epoch = passed[-1] if passed else 0
        if text.split(" ")[0] != str(epoch):
            self._verdict.breach("metadata", f"{text[:60]!r} at {partition}:{commit.offset}: the epoch there is {epoch}")
        return None
