"""`./run cluster`: python3 cluster_tool_test.py"""

import json
import os
import pathlib
import re
import secrets
import signal
import subprocess
import tempfile
import time
import unittest
import urllib.request

TOOL = pathlib.Path(__file__).resolve().parents[2] / "deploy/local/cluster"
PATIENCE_S = 600


def runs(pid):
    """Whether the process lives: who has ended stands in /proc until its parent, here init, has looked."""
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except FileNotFoundError:
        return False


class ClusterTool(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.environment = {**os.environ, "ORBWEAVER_CLUSTER_DIR": folder.name}
        self.addCleanup(lambda: self.run_tool("down", code=None))

    def run_tool(self, *words, code=0):
        done = subprocess.run([TOOL, *words], env=self.environment, capture_output=True, text=True, timeout=PATIENCE_S)
        if code is not None:
            self.assertEqual(code, done.returncode, f"{words}: {done.stdout}{done.stderr}")
        return done.stdout

    def up(self, *words):
        """The workers that then run: their process ids by their names."""
        return dict(re.findall(r"^(\S+-\d+) +pid (\d+)", self.run_tool("up", *words), re.MULTILINE))

    def shown_in_the_console(self, members):
        config = re.search(r"--config (\S+)", self.run_tool("up"))[1]
        program = TOOL.parents[2] / "build/release/cli/orbweaver"
        with subprocess.Popen([program, "console", "--config", config, "--listen", "127.0.0.1:0"], stderr=subprocess.PIPE, text=True) as console:
            try:
                base = re.search(r"http://\S+", next(console.stderr))[0]

                def overview():
                    with urllib.request.urlopen(base + "api/v1/overview", timeout=PATIENCE_S) as answer:
                        return json.load(answer)

                self.assertEqual("cluster", overview()["subject"]["kind"])
                deadline = time.monotonic() + PATIENCE_S
                while members != (shown := {group["group"]: group["members"] for group in overview()["status"]["groups"]}):
                    self.assertLess(time.monotonic(), deadline, shown)
                    time.sleep(0.05)  # a group that settles wakes nobody
            finally:
                console.send_signal(signal.SIGINT)
        self.assertEqual(0, console.returncode)

    def test_workers_come_stay_and_go_as_they_are_asked_for(self):
        prefix = f"tool_{secrets.token_hex(4)}_"
        first = self.up("--set", f"kafka.prefix={prefix}", "--set", f"hbase.table_prefix={prefix}", "--set",
                        "topics.partitions=4", "--set", "hbase.regions=1")
        self.assertEqual({"db-worker-1", "strategy-worker-1", "spider-1"}, set(first))
        # Again: nothing changes.
        self.assertEqual(first, self.up())
        # One that died is started again, one more comes, and the others stay.
        os.kill(int(first["spider-1"]), signal.SIGKILL)
        while runs(first["spider-1"]):
            time.sleep(0.05)  # nobody is told when a stranger's child has gone
        second = self.up("--spiders", "2")
        self.assertEqual({*first, "spider-2"}, set(second))
        self.assertNotEqual(first["spider-1"], second["spider-1"])
        self.assertEqual(first["db-worker-1"], second["db-worker-1"])
        self.assertRegex(self.run_tool("up"), rf"\nspiders of your own: kafka.brokers \S+:\d+, kafka.prefix {prefix}\n")
        self.shown_in_the_console({"strategy-workers": 1, "db-workers": 1, "spiders": 2, "pages": 1})
        self.assertEqual({*first}, set(self.up("--spiders", "1")))
        self.assertIn("strategy-workers", self.run_tool("status"))
        self.assertIn("orbweaver-spider started", self.run_tool("logs", "spider-2", "--lines", "1000"))
        self.run_tool("down")
        self.run_tool("status", code=1)
        self.assertFalse(any(runs(pid) for pid in second.values()))

    def test_what_is_wrong_is_said_and_leaves_nothing_behind(self):
        self.run_tool("up", "--set", "no.such.option=1", code=1)
        self.run_tool("status", code=1)
        self.run_tool("logs", "spider-9", code=1)


if __name__ == "__main__":
    unittest.main(verbosity=2)
