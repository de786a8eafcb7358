"""`orbweaver crawl` on the synthetic web: python3 crawl_command_test.py PROGRAM SYNTHETIC_WEB"""
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from synthetic_web import FAULTS, PATIENCE_S, Web

PROGRAM = ""
WEB = ""

class CrawlCommand(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def web(self, *options):
        web = Web(WEB, self.folder, *options)
        self.addCleanup(web.close)
        return web

    def arguments(self, web, *more):
        return [PROGRAM, "crawl", "--seeds", str(web.seeds), "--data", str(self.folder / "data"), "--proxy",
                f"http://127.0.0.1:{web.port}", "--set=network.allow_private=true", "--param", "retry_delay_s=1",
                "--user-agent", "orbweaver/test (+mailto:test@example.com)", "--json", *more]

    def finish(self, web, *more):
        done = subprocess.run(self.arguments(web, *more), capture_output=True, text=True, timeout=PATIENCE_S)
        self.assertEqual(0, done.returncode, done.stderr)
        return json.loads(done.stdout)

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
        lines = [line for file in out.glob("*.jsonl") for line in file.read_text().splitlines()]
        self.assertEqual(400, len({json.loads(line)["url"] for line in lines}))
        self.assertTrue(list(out.glob("*.warc.gz")))

    def test_killed_again_and_again_it_misses_nothing_and_stays_polite(self):
        web = self.web("--hosts", "40", "--pages", "30", "--delay-ms", "9", "--faults", FAULTS)
        fetched = -1
        for _ in range(3):
            process = subprocess.Popen(self.arguments(web, "--delay", "10ms", "--out", str(self.folder / "out")),
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            # Killed at work: some time after it has written something new.
            deadline = time.monotonic() + PATIENCE_S
            while self.fetched() <= fetched + 50 and process.poll() is None and time.monotonic() < deadline:
                time.sleep(0.05)  # a folder that grows wakes nobody
            process.kill()
            process.wait()
            fetched = self.fetched()
        summary = self.finish(web, "--delay", "10ms")
        self.assertTrue(summary["finished"])
        report = web.report()
        self.assertTrue(report["politeness"]["polite"], report)
        self.assertTrue(report["check"]["equal"], report)

    def fetched(self):
        return sum(file.read_bytes().count(b"\n") for file in (self.folder / "out").glob("*.jsonl*"))

    def test_a_limit_ends_it_and_the_folder_goes_on(self):
        web = self.web("--hosts", "20", "--pages", "20")
        first = self.finish(web, "--delay", "5ms", "--max-pages", "100")
        self.assertEqual("--max-pages is reached", first["ended"])
        self.assertGreaterEqual(first["pages"], 100)
        again = self.finish(web, "--delay", "5ms")
        self.assertTrue(again["finished"])
        self.assertTrue(web.report()["check"]["equal"])

    def test_ctrl_c_drains_and_the_folder_goes_on(self):
        web = self.web("--hosts", "20", "--pages", "40")
        process = subprocess.Popen(self.arguments(web, "--delay", "20ms", "--out", str(self.folder / "out")),
                                   stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + PATIENCE_S
        while self.fetched() == 0 and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=PATIENCE_S)
        self.assertEqual(0, process.returncode)
        self.assertEqual("it was stopped", json.loads(out)["ended"])
        self.assertTrue(self.finish(web, "--delay", "5ms")["finished"])
        report = web.report()
        self.assertTrue(report["check"]["equal"], report)

    def test_a_second_crawl_on_the_folder_is_refused_by_name(self):
        web = self.web("--hosts", "20", "--pages", "40")
        process = subprocess.Popen(self.arguments(web, "--delay", "1s", "--out", str(self.folder / "out")),
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            deadline = time.monotonic() + PATIENCE_S
            while self.fetched() == 0 and time.monotonic() < deadline:
                time.sleep(0.05)
            second = subprocess.run(self.arguments(web), capture_output=True, text=True, timeout=PATIENCE_S)
            self.assertEqual(1, second.returncode)
            self.assertIn(str(process.pid), second.stderr)
        finally:
            process.kill()
            process.wait()

    def refused(self, *arguments):
        done = subprocess.run([PROGRAM, "crawl", *arguments], capture_output=True, text=True, timeout=60, cwd=self.folder)
        self.assertEqual(2, done.returncode)
        self.assertEqual([], os.listdir(self.folder))
        return done.stderr

    def test_wrong_options_are_refused_before_anything_is_made(self):
        self.assertIn("no seed", self.refused())
        self.assertIn("--max-pages x", self.refused("http://a.test/", "--max-pages", "x"))
        self.assertIn("--duration 5", self.refused("http://a.test/", "--duration", "5"))
        self.assertIn("--nonsense", self.refused("http://a.test/", "--nonsense"))

    def test_a_dry_run_says_what_would_be_done_and_makes_nothing(self):
        done = subprocess.run([PROGRAM, "crawl", "http://a.test/", "--dry-run", "--depth", "2", "--deny", "b.test", "--deny", "*/x/*"],
                              capture_output=True, text=True, timeout=60, cwd=self.folder)
        self.assertEqual(0, done.returncode)
        self.assertIn("http://a.test/", done.stdout)
        for line in ("max_depth = 2", "deny_domains = b.test", "deny_urls = */x/*"):
            self.assertIn(line, done.stdout)
        self.assertEqual([], os.listdir(self.folder))


if __name__ == "__main__":
    PROGRAM, WEB = (os.path.abspath(path) for path in sys.argv[1:3])
    unittest.main(argv=sys.argv[:1], verbosity=2)
