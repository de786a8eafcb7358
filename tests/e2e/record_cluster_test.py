"""Recordings of a cluster's logs, on real Kafka: python3 record_cluster_test.py PROGRAM CACHE

A crawl's recording is imported into new topics while these are recorded by a process that is killed again and again.
"""

import os
import pathlib
import secrets
import signal
import subprocess
import sys
import unittest

from newcomer import Newcomer
from synthetic_web import PATIENCE_S

sys.path.insert(0, str(pathlib.Path(sys.argv.pop(2)) / "parquet-readers-26.0.1"))
import pyarrow.parquet  # noqa: E402

TOPICS = ("spider-log", "scoring-log")
PAGES = 60


class RecordCluster(Newcomer):
    def setUp(self):
        super().setUp()
        prefix = f"e2e_{secrets.token_hex(4)}_"
        self.cluster = [f"--set=kafka.brokers={os.environ['ORBWEAVER_KAFKA']}", f"--set=kafka.prefix={prefix}",
                        f"--set=hbase.hosts={os.environ['ORBWEAVER_THRIFT']}", f"--set=hbase.table_prefix={prefix}", "--set=topics.partitions=4"]

    def records(self, recording, topic):
        """Of all partitions, in the order of the log, and each offset once."""
        found = []
        offsets = {}
        for file in sorted((self.folder / recording).glob(f"{topic}-*.parquet")):
            for row in pyarrow.parquet.read_table(file, columns=["log_partition", "log_offset", "raw_key", "raw_value", "raw_headers"]).to_pylist():
                offsets.setdefault(row["log_partition"], []).append(row["log_offset"])
                found.append((row["log_partition"], row["raw_key"], row["raw_value"], row["raw_headers"]))
        for partition, numbers in offsets.items():
            self.assertEqual(list(range(len(numbers))), numbers, (recording, topic, partition))
        return found

    def record(self, *more):
        return subprocess.Popen([self.program, "record", "--out", "copy", "--every", "100ms", *self.cluster, *more], cwd=self.folder, stdout=subprocess.DEVNULL,
                                stderr=subprocess.PIPE, text=True)

    def test_killed_again_and_again_it_has_what_was_imported_once(self):
        files = {"/": "".join(f"<a href=/{i}>{i}</a>" for i in range(PAGES))}
        files |= {f"/{i}": f"<a href=/>home</a><a href=/{7 * i % PAGES}></a>" for i in range(PAGES)}
        site = self.site(files)
        self.crawl(site.url("/"), "--data", "data", "--record", "rec")
        self.orbweaver("init", *self.cluster)
        for times in range(3):
            following = self.record("--follow")
            self.addCleanup(following.kill)
            if times == 0:
                self.assertIn("imported", self.orbweaver("record", "import", "rec", *self.cluster).stdout)
            self.waits_until(lambda: list(self.folder.glob("copy/*.parquet*")))
            following.send_signal(signal.SIGKILL)
            following.communicate()
        # A follower that is asked to end ends well, and whatever it has left the next one takes.
        following = self.record("--follow")
        self.addCleanup(following.kill)
        while "Following" not in (line := following.stderr.readline()):
            self.assertNotEqual("", line)
        following.send_signal(signal.SIGINT)
        _, told = following.communicate(timeout=PATIENCE_S)
        self.assertEqual(0, following.returncode, told)
        self.orbweaver("record", "--out", "copy", *self.cluster)
        for topic in TOPICS:
            self.assertGreater(len(self.records("rec", topic)), 5)
            self.assertEqual(self.records("rec", topic), self.records("copy", topic), topic)
        self.assertIn(": whole.", self.orbweaver("record", "check", "copy").stdout)
        # The cluster's recording replays on one machine.
        replayed = self.orbweaver("replay", "copy", "--verify", "--strategy", "breadth_first", "--set=scope.kind=domain")
        self.assertIn("All decisions are equal.", replayed.stdout)
        # Topics that have something else are left alone.
        self.crawl(site.url("/"), "--data", "other-data", "--record", "other")
        self.assertIn("another record", self.orbweaver("record", "import", "other", *self.cluster, code=1).stderr)


if __name__ == "__main__":
    Newcomer.program = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
