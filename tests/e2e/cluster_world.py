"""A crawl of the synthetic web by a whole cluster: real Kafka and HBase, workers as processes, and what must hold at the end.

The scenarios are in cluster_test.py and foreign_spider_test.py.
"""

import collections
import json
import os
import pathlib
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "deploy" / "local"))
from synthetic_web import Web  # noqa: E402
from workers import PROGRAMS, Workers, secured  # noqa: E402

PARTITIONS = 8
TOPICS = ("spider-log", "scoring-log", "spider-feed")
# How long anything may take on a busy machine; a crawl ends long before.
PATIENCE_S = 1500
LOOK_AGAIN_S = 0.3
DELAY_MS = 20


class World(unittest.TestCase):
    """Two spiders, two strategy workers and two db workers on eight partitions, on topics and tables of their own."""

    BUILD = None  # the build tree; set by the program
    SIZE = (40, 40)  # hosts, and pages of each

    def start(self, *web_options, counts=(2, 2, 2), settings=None):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="orbweaver-e2e-"))
        self.addCleanup(self.leave)
        hosts, pages = self.SIZE
        self.web = Web(self.BUILD / "tests/support/synthetic_web/orbweaver-synthetic-web", self.folder,
                       "--hosts", str(hosts), "--pages", str(pages), "--delay-ms", str(DELAY_MS - 1), *web_options)
        self.addCleanup(self.web.close)
        prefix = f"e2e_{secrets.token_hex(4)}_"
        self.workers = Workers(self.folder / "cluster", self.BUILD)
        self.workers.configure({
            "kafka.brokers": os.environ["ORBWEAVER_KAFKA"], "kafka.prefix": prefix,
            "hbase.hosts": [os.environ["ORBWEAVER_THRIFT"]], "hbase.table_prefix": prefix, "hbase.regions": 1,
            **secured(os.environ),
            "topics.partitions": PARTITIONS,
            "network.proxy": f"http://127.0.0.1:{self.web.port}", "network.allow_private": True,
            "politeness.delay": f"{DELAY_MS}ms", "feed.interval": "50ms",
            "spider.fetch.user_agent": "orbweaver/test (+mailto:test@example.com)",
            "strategy.params": {"retry_delay_s": 1},
            "db_worker.checkpoint_interval": "500ms",
            # A busy machine must not take a worker for dead.
            "worker.session_timeout": "60s",
            "console.journal": str(self.folder / "orders.jsonl"),
            "admin.token": "e2e", **(settings or {})})
        self.prefix = prefix
        self.run_command("init")
        self.running = []
        self.addCleanup(lambda: [worker.stop(signal.SIGKILL) for worker in self.running])
        for role, count in zip(PROGRAMS, counts):
            for number in range(1, count + 1):
                self.join(role, number)
        for worker in self.running:
            worker.await_ready()

    def leave(self):
        # The workers' logs say why a test failed: they stay when it did.
        outcome = self._outcome
        failed = any(error for _, error in getattr(outcome, "errors", [])) or \
            any(test is self for test, _ in [*outcome.result.failures, *outcome.result.errors])
        if failed:
            print(f"the logs are in {self.folder}", file=sys.stderr)
        else:
            shutil.rmtree(self.folder)

    def run_command(self, *words):
        """Runs an `orbweaver` command on this cluster; its output."""
        done = self.workers.command(*words, capture_output=True)
        self.assertEqual(0, done.returncode, f"{words}: {done.stderr}")
        return done.stdout

    def seed(self):
        self.run_command("seeds", "add", str(self.web.seeds))

    def join(self, role, number):
        worker = self.workers.worker(role, number)
        worker.launch()
        self.running.append(worker)
        return worker

    def kill(self, worker):
        self.assertFalse(worker.ended(), f"{worker.name} has ended by itself:\n{worker.tail()}")
        worker.stop(signal.SIGKILL)

    def await_that(self, what, condition):
        deadline = time.monotonic() + PATIENCE_S
        while not condition():
            for worker in self.running:
                self.assertFalse(worker.ended(), f"{worker.name} has ended by itself:\n{worker.tail()}")
            self.assertLess(time.monotonic(), deadline, f"it never came to this: {what}")
            time.sleep(LOOK_AGAIN_S)

    def await_progress(self, share):
        """Waits until so much of the web was asked for."""
        hosts, pages = self.SIZE
        self.await_that(f"{share:.0%} of the web is fetched",
                        lambda: self.web.requests() >= share * 0.8 * hosts * pages)

    def in_the_course_of_it(self, workers):
        """Gives them one after the other, each when a further share of the web is fetched, and the last before its end."""
        for index, worker in enumerate(workers):
            self.await_progress((index + 1) / (len(workers) + 2))
            yield worker

    def services(self, *words):
        subprocess.run([os.environ["ORBWEAVER_SERVICES"], *words], check=True, stdout=subprocess.DEVNULL)

    def status(self):
        done = self.workers.command("status", "--json", "--interval", "500ms", capture_output=True)
        # While Kafka or HBase is away there is nothing to see.
        return json.loads(done.stdout) if done.returncode == 0 else None

    def await_end(self):
        """Waits until all is read and nothing waits, and nothing has changed between two looks."""
        last = [None]

        def is_quiet():
            status = self.status()
            if status is None:
                return False
            queue = status["queue"]["total"]
            ends = [[partition["end"] for partition in group["partitions"]] for group in status["groups"]]
            lag = sum(group["lag"] for group in status["groups"])
            is_still = lag == 0 and queue["waiting"] == 0 and queue["delayed"] == 0 and ends == last[0]
            last[0] = ends
            return is_still

        self.await_that("nothing is left to do", is_quiet)

    def stop_all(self):
        self.workers.stop(self.running)
        self.running.clear()

    def messages(self, topic, *filters):
        command = [self.workers.build / "cli/orbweaver", "log", "dump", topic, "--json", *filters,
                   f"--config={self.workers.config}"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            for line in process.stdout:
                yield json.loads(line)
            self.assertEqual(0, process.wait(), f"log dump {topic}")

    def valid(self, topic):
        """The entries that readers count by the rules of the crash protocol: not those of replaced owners."""
        epochs = collections.defaultdict(lambda: -1)
        for message in self.messages(topic):
            if message["type"] == "unreadable":
                continue
            if message["type"] == "marker":
                epochs[message["partition"]] = message["offset"]
            elif message["detail"]["epoch"] >= epochs[message["partition"]]:
                yield message

    def assert_scheduled_once(self, no_worker_died):
        """Each URL was scheduled once, and again only for an outcome that asks for it; each time it left the queue once.

        A request in flight when its spider died has two outcomes, and both may ask for it.
        """
        scheduled = collections.Counter()
        seen = set()
        for message in self.valid("scoring-log"):
            detail = message["detail"]
            # A new owner sends again what may have been sent already; readers tell by the source event.
            source = (message["key"], detail["source_offset"], detail["part"])
            if source not in seen:
                seen.add(source)
                scheduled.update(request["url"] for request in detail["requests"])
        sent = collections.Counter()
        names = collections.Counter()
        for message in self.valid("spider-feed"):
            detail = message["detail"]
            sent[detail["url"]] += 1
            names[(message["key"], detail["band"], detail["seq"], detail["index"])] += 1
        self.assertEqual([], [name for name, count in names.items() if count > 1], "left the queue twice")
        self.assertEqual(scheduled, sent)
        again = collections.Counter()
        outcomes = collections.Counter()
        for kind in ("page_fetched", "fetch_failed", "deferred"):
            for message in self.messages("spider-log", "--type", kind):
                detail = message["detail"]
                outcomes[(message["key"], detail["band"], detail["seq"], detail["index"])] += 1
                if kind != "page_fetched":
                    again[detail["url"]] += 1
        self.assertEqual({}, {url: count for url, count in scheduled.items() if count > 1 + again[url]},
                         "scheduled more often than its outcomes ask for")
        self.assertEqual(set(names), set(outcomes), "requests without an outcome, or the other way round")
        if no_worker_died:
            self.assertEqual([], [name for name, count in outcomes.items() if count > 1], "fetched twice")

    def dead_letters(self):
        return [message["detail"] for message in self.messages("dead-letter")]

    def assert_complete(self, dead_letters=0, no_worker_died=False):
        """The crawl reached every reachable URL and no other, politely, and scheduled each once."""
        self.await_end()
        if dead_letters == 0:
            self.assertEqual([], self.dead_letters())
        self.assert_scheduled_once(no_worker_died)
        self.stop_all()
        report = self.web.report()
        self.assertTrue(report["politeness"]["polite"], report)
        self.assertTrue(report["check"]["equal"], report)


def main():
    """BUILD [--hosts N --pages N] [TEST…]"""
    arguments = sys.argv[1:]
    World.BUILD = pathlib.Path(arguments.pop(0)).resolve()
    size = list(World.SIZE)
    for index, option in enumerate(("--hosts", "--pages")):
        if option in arguments:
            at = arguments.index(option)
            size[index] = int(arguments[at + 1])
            del arguments[at:at + 2]
    World.SIZE = tuple(size)
    for name in ("ORBWEAVER_KAFKA", "ORBWEAVER_THRIFT", "ORBWEAVER_SERVICES"):
        if name not in os.environ:
            sys.exit(f"{name} is not set: `./run services up` starts the services, `deploy/local/services env` prints it")
    unittest.main(argv=[sys.argv[0], *arguments], verbosity=2)
