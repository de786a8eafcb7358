"""`orbweaver crawl` on the synthetic web: python3 crawl_command_test.py PROGRAM SYNTHETIC_WEB [CrawlCommand|LargeCrawl]"""
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import unittest

from patient import Patient
from synthetic_web import FAULTS, Web

PROGRAM = ""
WEB = ""
# So that faults that pass do so within seconds.
IMPATIENT = [f"--set={setting}" for setting in (
    "politeness.back_off_first=1s", "politeness.back_off_most=2s", "spider.robots.retry_min=1s", "spider.robots.retry_max=1s", "spider.fetch.first_byte_timeout=3s", "spider.fetch.slow_after=2s")]


class Crawls(Patient):
    """The base of the tests of both sizes."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def web(self, *options):
        web = Web(WEB, self.folder, *options)
        self.addCleanup(web.close)
        return web

    def arguments(self, web, *more):
        return [PROGRAM, "crawl", "--seeds", str(web.seeds), "--everything", "--data", str(self.folder / "data"), "--proxy",
                f"http://127.0.0.1:{web.port}", "--set=network.allow_private=true", "--param", "retry_delay_s=1",
                "--user-agent", "orbweaver/test (+mailto:test@example.com)", "--json", *more]

    def start(self, web, *more):
        """A crawl that writes its pages to `out`."""
        process = subprocess.Popen(self.arguments(web, "--out", str(self.folder / "out"), *more), stdout=subprocess.PIPE,
                                   stderr=subprocess.DEVNULL)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return process

    def wait_for_pages(self, process, more_than):
        """Until the crawl has written more than so many bytes about pages."""
        self.waits_until(lambda: self.written() > more_than, process, "the crawl writes no pages")

    def written(self):
        total = 0
        for file in (self.folder / "out").glob("pages-*"):
            try:
                total += file.stat().st_size
            except FileNotFoundError:  # renamed meanwhile
                pass
        return total

    def finish(self, web, *more, code=0):
        done = subprocess.run(self.arguments(web, *more), capture_output=True, text=True, timeout=self.patience_s)
        self.assertEqual(code, done.returncode, done.stderr)
        return json.loads(done.stdout)

    def crawl_with_kills(self, web, kills, window, bytes_between, *more):
        for _ in range(kills):
            process = self.start(web, f"--set=spider.window={window}", *more)
            self.wait_for_pages(process, self.written() + bytes_between)
            process.kill()
            self.assertEqual(-signal.SIGKILL, process.wait())
            web.client_died(told_ms=250)
        summary = self.finish(web, *more)
        self.assertTrue(summary["finished"], summary)
        report = web.report()
        self.assertTrue(report["politeness"]["polite"], report)
        self.assertTrue(report["check"]["equal"], report)
        self.assertLessEqual(report["check"]["repeated_pages"], kills * window)


class CrawlCommand(Crawls):
    def test_crawls_all_that_is_reachable_and_ends_by_itself(self):
        web = self.web("--hosts", "20", "--pages", "20", "--delay-ms", "4")
        out = self.folder / "out"
        summary = self.finish(web, "--delay", "5ms", "--out", str(out))
        self.assertEqual("nothing is left", summary["ended"])
        self.assertTrue(summary["finished"])
        self.assertEqual(400, summary["pages"])
        self.assertEqual({"200": 400}, summary["by_status"])
        report = web.report()
        self.assertTrue(report["politeness"]["polite"], report)
        self.assertTrue(report["check"]["equal"], report)
        self.assertEqual(0, report["check"]["repeated_pages"])
        pages, links = ([json.loads(line) for file in out.glob(f"{kind}-*.jsonl") for line in file.read_text().splitlines()]
                        for kind in ("pages", "links"))
        self.assertEqual(400, len({page["url"] for page in pages}))
        self.assertEqual({page["url"]: page["links_inside"] + page["links_outside"] for page in pages},
                         {page["url"]: len(page["links"]) for page in links})
        self.assertTrue(list(out.glob("*.warc.gz")))

    def test_killed_again_and_again_it_misses_nothing_and_stays_polite(self):
        web = self.web("--hosts", "40", "--pages", "30", "--delay-ms", "39", "--faults", FAULTS)
        self.crawl_with_kills(web, 3, 100, 20_000, "--delay", "40ms")

    def test_a_limit_ends_it_and_the_folder_goes_on(self):
        web = self.web("--hosts", "20", "--pages", "20")
        first = self.finish(web, "--delay", "5ms", "--max-pages", "100", code=4)
        self.assertEqual("--max-pages is reached", first["ended"])
        self.assertGreaterEqual(first["pages"], 100)
        self.assert_tells_what_is_left(first)
        again = self.finish(web, "--delay", "5ms")
        self.assertTrue(again["finished"])
        self.assertTrue(web.report()["check"]["equal"])

    def test_ctrl_c_drains_and_the_folder_goes_on(self):
        web = self.web("--hosts", "20", "--pages", "40")
        process = self.start(web, "--delay", "40ms")
        self.wait_for_pages(process, 0)
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=self.patience_s)
        self.assertEqual(4, process.returncode)
        summary = json.loads(out)
        self.assertEqual("it was stopped", summary["ended"])
        self.assert_tells_what_is_left(summary)
        self.assertTrue(self.finish(web, "--delay", "5ms")["finished"])
        check = web.report()["check"]
        self.assertTrue(check["equal"], check)
        self.assertEqual(0, check["repeated_pages"])

    def assert_tells_what_is_left(self, summary):
        """The end's count, and that of `status` afterwards."""
        done = subprocess.run([PROGRAM, "status", "--data", str(self.folder / "data"), "--json", "--interval", "100ms"], check=True,
                              capture_output=True, timeout=self.patience_s)
        status = json.loads(done.stdout)
        total = status["queue"]["total"]
        spiders = next(group for group in status["groups"] if group["group"] == "spiders")
        left = (total["waiting"], total["delayed"], spiders["lag"])
        self.assertEqual(left, (summary["queued"], summary["delayed"], summary["handed_out"]))
        self.assertGreater(sum(left), 0)

    def test_a_second_ctrl_c_ends_at_once(self):
        # Every page hangs, and is waited for longer than the test.
        web = self.web("--hosts", "20", "--pages", "2", "--faults", "hang", "--faulty-hosts", "1", "--faulty-pages", "1")
        patient = [f"--set={option}=10m" for option in ("spider.fetch.first_byte_timeout", "spider.fetch.total_timeout", "spider.drain_timeout")]
        process = subprocess.Popen(self.arguments(web, *patient), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        self.read_until(process, r"fetching [1-9]")
        process.send_signal(signal.SIGINT)
        self.read_until(process, "^draining")
        process.send_signal(signal.SIGINT)
        self.assertEqual(128 + signal.SIGINT, process.wait(self.patience_s))

    def read_until(self, process, pattern):
        for line in process.stderr:
            if re.search(pattern, line):
                return
        self.fail(f"it never said {pattern}")

    def test_what_is_due_much_later_is_not_waited_for_but_told(self):
        web = self.web("--hosts", "20", "--pages", "2", "--faults", "reset", "--faulty-hosts", "1", "--faulty-pages", "1")
        summary = self.finish(web, "--delay", "5ms", "--param", "retry_delay_s=14400", "--max-wait", "1h", code=3)
        self.assertEqual("nothing is due for longer than --max-wait", summary["ended"])
        self.assertFalse(summary["finished"])
        self.assertGreater(summary["delayed"], 0)
        # A request that is due in hours is looked at again at the start of its hour of the clock.
        self.assertGreater(summary["next_due_in_s"], 2 * 3600)
        self.assertLess(summary["next_due_in_s"], 4 * 3600)

    def test_a_second_crawl_on_the_folder_is_refused_by_name(self):
        web = self.web("--hosts", "20", "--pages", "40")
        process = self.start(web, "--delay", "1s")
        self.wait_for_pages(process, 0)
        second = subprocess.run(self.arguments(web), capture_output=True, text=True, timeout=self.patience_s)
        self.assertEqual(1, second.returncode)
        self.assertIn(str(process.pid), second.stderr)

    def refused(self, *arguments):
        done = subprocess.run([PROGRAM, "crawl", *arguments], capture_output=True, text=True, timeout=60, cwd=self.folder)
        self.assertEqual(2, done.returncode)
        self.assertEqual([], os.listdir(self.folder))
        return done.stderr

    def test_wrong_options_are_refused_before_anything_is_made(self):
        self.assertIn("no seed", self.refused())
        self.assertIn("--max-pages x", self.refused("http://a.test/", "--max-pages", "x"))
        self.assertIn("--duration 5", self.refused("http://a.test/", "--duration", "5"))
        self.assertIn("--max-wait x", self.refused("http://a.test/", "--max-wait", "x"))
        self.assertIn("--nonsense", self.refused("http://a.test/", "--nonsense"))
        self.assertIn("strategy 'nonsense'", self.refused("http://a.test/", "--strategy", "nonsense"))
        self.assertIn("--depth x: expected", self.refused("http://a.test/", "--depth", "x"))
        self.assertIn("seed 'ftp://a.test/'", self.refused("http://a.test/", "ftp://a.test/"))
        self.assertIn("No such file", self.refused("--seeds", "missing.txt"))

    def test_a_dry_run_says_what_would_be_done_and_makes_nothing(self):
        done = subprocess.run([PROGRAM, "crawl", "http://a.test/", "--dry-run", "--depth", "2", "--exclude", "b.test", "--exclude", "re:x{2,3}"],
                              capture_output=True, text=True, timeout=60, cwd=self.folder)
        self.assertEqual(0, done.returncode)
        self.assertIn("http://a.test/", done.stdout)
        for line in ("max_depth = 2", "exclude     host b.test and those below it", "the expression x{2,3} is found", "scope       domain"):
            self.assertIn(line, done.stdout)
        self.assertEqual([], os.listdir(self.folder))


class LargeCrawl(Crawls):
    patience_s = 1800

    def test_killed_among_all_faults_it_misses_nothing_and_stays_polite(self):
        # The server works on what hangs until it hears that nobody waits any more. On a busy machine that takes its time, so the delay is long.
        web = self.web("--hosts", "200", "--pages", "500", "--delay-ms", "80", "--slow-ms", "20", "--drip-ms", "40", "--faults", "all",
                       "--faulty-pages", "0.02", "--https-hosts", "0.1", "--crawl-delay-ms", "100", "--calendar-days", "100")
        self.crawl_with_kills(web, 5, 1000, 3_000_000, "--delay", "100ms", f"--set=spider.fetch.authorities_file={web.authority}",
                              "--set=spider.archive.warc=false", *IMPATIENT)


if __name__ == "__main__":
    PROGRAM, WEB = (os.path.abspath(path) for path in sys.argv[1:3])
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=2)
