"""When a strategy fails, when an option is wrong, when the disk is full: the program says what is so.

python3 first_hour_truth_test.py PROGRAM MOODY_STRATEGY
"""

import json
import os
import pathlib
import random
import subprocess
import sys
import unittest
import urllib.request

from newcomer import Newcomer, crashes_as_shipped
from small_disk import small_disk
from synthetic_web import PATIENCE_S

MOODY = ""  # a strategy that throws, crashes or loops on pages whose URL says so


class Strategies(Newcomer):
    MOODY_SET = property(lambda self: f"--set=strategy.path={MOODY}")

    def site_with(self, mood):
        links = "<a href=/a>a</a>" + "".join(f"<a href=/{mood}{i}>x</a>" for i in range(2))
        return self.site({"/": links, "/a": "a", f"/{mood}0": "<a href=/b>b</a>", f"/{mood}1": "x", "/b": "b"})

    def test_one_that_throws_stops_the_crawl_with_its_message_and_the_event(self):
        site = self.site_with("throw")
        for _ in range(2):  # going on meets the same event
            done = self.crawl(site.url("/"), self.MOODY_SET, code=1)
            self.assertRegex(done.stderr, rf"strategy 'moody' failed in OnPage for {site.url('/throw')}[01]: out of \S*cheese")
            self.assertIn("--keep-going", done.stderr)
            self.assertIn("Ended: a worker failed.", done.stdout)

    def test_with_keep_going_its_events_are_dead_letters_that_can_be_put_back(self):
        site = self.site_with("throw")
        done = self.crawl(site.url("/"), self.MOODY_SET, "--keep-going", "--data", "my crawl")
        self.assertIn("Dead letters: 2 events could not be processed", done.stdout)
        self.assertIn(f"failed in OnPage for {site.url('/throw0')}: out of", done.stdout)
        self.assertNotIn("\x1b", done.stdout + done.stderr)
        self.assertIn("orbweaver log requeue dead-letter --data 'my crawl'", done.stdout)
        self.assertEqual(2, len(self.orbweaver("log", "dead-letter", "--data", "my crawl").stdout.splitlines()))

        put_back = self.orbweaver("log", "requeue", "dead-letter", "--data", "my crawl")
        self.assertIn("2 events put back", put_back.stdout)
        again = self.orbweaver("log", "requeue", "dead-letter", "--data", "my crawl")
        self.assertIn("0 events put back", again.stdout)
        self.assertIn("2 were put back before", again.stdout)

        done = self.crawl("--data", "my crawl", "--param", "calm=true", "--json")
        self.assertEqual(0, json.loads(done.stdout)["dead_letters"])
        state = self.orbweaver("inspect", "url", site.url("/throw0"), "--data", "my crawl").stdout
        self.assertRegex(state, r"(?i)crawled")
        self.assertEqual(1, site.paths().count("/throw0"))  # the event came again, not the fetch

    def test_one_that_crashes_is_named_with_its_event(self):
        site = self.site_with("crash")
        done = self.crawl(site.url("/"), self.MOODY_SET, code=-11, env=crashes_as_shipped(os.environ))
        self.assertRegex(done.stderr, rf"strategy 'moody' crashed \(SIGSEGV\) in OnPage for {site.url('/crash')}[01]\. Nothing is lost")

    def test_one_that_loops_is_named_with_its_event(self):
        site = self.site_with("loop")
        done = self.crawl(site.url("/"), self.MOODY_SET, "--set=strategy.time_limit=2s", code=1)
        self.assertRegex(done.stderr, rf"strategy 'moody' has been in OnPage for {site.url('/loop')}[01] for longer than strategy.time_limit \(2s\)")
        self.assertIn("Ended: a worker failed.", done.stdout)
        # The folder is whole, and goes on.
        self.crawl("--set=strategy.path=", "--strategy", "breadth_first")
        self.assertIn("/b", site.paths())


class Escapes(Newcomer):
    EVIL = "\x1b[31m\x07\u009b2J"

    def assert_harmless(self, done):
        for byte in "\x1b", "\x07", "\u009b":
            self.assertNotIn(byte, done.stdout + done.stderr)
        self.assertIn("[31m", done.stdout + done.stderr)

    def test_of_seeds_files_and_folders_are_shown_as_text(self):
        self.assert_harmless(self.orbweaver("crawl", self.EVIL, code=2))
        self.assert_harmless(self.orbweaver("crawl", "--seeds", self.EVIL, code=2))
        self.assert_harmless(self.orbweaver("status", "--data", self.EVIL, code=2))
        self.assert_harmless(self.orbweaver("fetch", self.EVIL, code=2))
        self.assert_harmless(self.orbweaver(self.EVIL, code=2))
        self.assert_harmless(self.orbweaver("strategy", "describe", self.EVIL, code=1))
        (self.folder / self.EVIL).write_text("no url\n")
        self.assert_harmless(self.orbweaver("crawl", "--seeds", self.EVIL, code=1))

    def test_of_servers_are_shown_as_text(self):
        page = f"<title>{self.EVIL}</title>"
        site = self.site({"/": (200, {"Content-Type": "text/html; charset=utf-8"}, page)})
        (self.folder / "page.html").write_text(page)
        self.assert_harmless(self.orbweaver("parse", "page.html", "--base", "http://a.test/"))
        options = "--set=network.allow_networks=127.0.0.0/8", f"--set=network.ports={site.port}"
        done = self.orbweaver("fetch", site.url("/"), "--body", *options)
        self.assertIn(self.EVIL, done.stdout, "a program gets the content as it is")


class Settings(Newcomer):
    BAD = (
        "strategy.name=nonsense", "strategy.path=/nowhere.so", "strategy.params.max_depth=-5", "strategy.params.max_deth=5",
        "network.proxy=nonsense", "network.allow_networks=300.0.0.0/8", "network.dns_servers=nonsense", "url.suffix_list=/nowhere",
        "spider.robots.product_token=otherbot", "spider.fetch.headers.user-agent=curl", "spider.threads=0", "spider.archive.text=true",
        "db_worker.roles=enqueue", "feed.low_lag=99999999", "topics.partitions=3", "strategy.time_limit=soon", "no.such=option",
    )

    def test_what_a_crawl_refuses_config_check_refuses_with_the_same_words(self):
        for bad in self.BAD:
            with self.subTest(bad):
                check = self.orbweaver("config", "check", f"--set={bad}", code=2)
                crawl = self.orbweaver("crawl", "http://127.0.0.1:1/", f"--set={bad}", code=2)
                # But for a default in it that is another one for a crawl.
                self.assertIn(check.stderr.strip().rstrip(".0123456789"), crawl.stderr)
                self.assertFalse((self.folder / "crawl-data").exists())
        self.orbweaver("config", "check")

    def test_options_are_named_as_they_were_given(self):
        expected = "expected an integer from -1 to "
        for words, message in (
            (("--depth", "-5"), f"--depth -5: {expected}"),
            (("--param", "max_depth=x"), f"--param max_depth=x: {expected}"),
            (("--max-pages-per-domain", "many"), "--max-pages-per-domain many: expected an integer from "),
            (("--threads", "0"), "--threads 0: expected an integer from 1 to "),
            (("--delay", "fast"), "--delay fast: expected "),
            (("--set", "strategy.params.max_depth=-5"), f"--set: strategy.params.max_depth: {expected}"),
            (("--param", "max_deth=1"), "--param max_deth: strategy 'breadth_first': parameter 'max_deth' is unknown. Did you mean 'max_depth'?"),
        ):
            with self.subTest(words):
                self.assertIn(f"orbweaver crawl: {message}", self.orbweaver("crawl", "http://127.0.0.1:1/", *words, code=2).stderr)
        (self.folder / "my.yaml").write_text("strategy:\n  params:\n    max_depth: -5\n")
        done = self.orbweaver("crawl", "http://127.0.0.1:1/", "--config", "my.yaml", code=2)
        self.assertIn(f"my.yaml:3: strategy.params.max_depth: {expected}", done.stderr)
        variable = "ORBWEAVER_STRATEGY__PARAMS__MAX_DEPTH"
        done = self.orbweaver("crawl", "http://127.0.0.1:1/", code=2, env=os.environ | {variable: "-5"})
        self.assertIn(f"{variable}: strategy.params.max_depth: {expected}", done.stderr)

    def test_with_admin_port_a_crawl_has_the_pages_of_a_worker(self):
        site = self.site({"/": "<a href=/a>a</a>", "/a": "a"})
        words = [self.program, "crawl", site.url("/"), "--delay", "1h", "--set=network.allow_networks=127.0.0.0/8",
                 f"--set=network.ports={site.port}", "--set=admin.port=0"]
        with subprocess.Popen(words, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            try:
                line = next(line for line in process.stderr if line.startswith("The admin server answers on "))
                address = line.removeprefix("The admin server answers on ").strip().rstrip(".")

                def read(page):
                    with urllib.request.urlopen(f"http://{address}/{page}", timeout=PATIENCE_S) as answer:
                        return answer.read().decode()

                # The server is there before the workers are.
                self.waits_until(lambda: "orbweaver_strategy_" in read("metrics") and "crawl" in json.loads(read("status")))
                pages = {page: read(page) for page in ("healthz", "status", "metrics", "config")}
            finally:
                process.terminate()
                process.communicate(timeout=PATIENCE_S)
        self.assertIn("orbweaver_strategy_", pages["metrics"])
        self.assertIn("fetching", json.loads(pages["status"])["crawl"])
        self.assertEqual(0, json.loads(pages["config"])["admin.port"]["value"])


class FullDisk(Newcomer):
    """A disk that is really full: a small one of its own, or the small /dev/shm that containers have."""

    PAGES = 40
    TEXT = "".join(f"<a href=/{i}>{i}</a>" for i in range(PAGES))

    def test_it_is_said_and_the_crawl_goes_on_where_it_stood(self):
        # The pages' log does not fit, and cannot be packed.
        pages = {f"/{i}": random.Random(i).randbytes(50_000).hex() for i in range(self.PAGES)}
        site = self.site({"/": self.TEXT} | pages)
        disk, words = small_disk(self, self.folder)
        # One shell has the disk for both runs: first with a file that takes the room, then without.
        crawl = [self.program, "crawl", site.url("/"), "--data", str(disk / "crawl"), "--delay", "1ms",
                 "--set=network.allow_networks=127.0.0.0/8", f"--set=network.ports={site.port}", "--set=spider.publish.log_body=true"]
        script = ('cd "$1"; shift; dd if=/dev/zero of=ballast bs=1M count="$BALLAST" 2>&1 || true; df . >&2; "$@"; first=$?; echo "first: $first"; '
                  'rm ballast; "$@"; echo "second: $?"')
        command = ["sh", "-c", script, "sh", str(disk), *crawl]
        size = 96
        if words is None:
            room = os.statvfs(disk)
            size = room.f_bavail * room.f_frsize >> 20
        else:
            command = [*words, f"{size}m", str(disk), *command]
        done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, env=os.environ | {"BALLAST": str(size - 1)})
        self.assertIn("first: 1\n", done.stdout, done.stdout + done.stderr)
        self.assertIn("no space left on", done.stderr.lower(), done.stdout)
        self.assertIn("second: 0\n", done.stdout, done.stdout + done.stderr)
        self.assertEqual(set(pages) | {"/", "/robots.txt"}, set(site.paths()))


if __name__ == "__main__":
    Newcomer.program, MOODY = (str(pathlib.Path(sys.argv.pop(1)).resolve()) for _ in range(2))
    unittest.main()
