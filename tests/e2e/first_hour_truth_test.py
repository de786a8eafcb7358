"""When a strategy fails, when an option is wrong, when the disk is full: the program says what is so.

python3 first_hour_truth_test.py PROGRAM MOODY_STRATEGY
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

from small_site import Site
from synthetic_web import PATIENCE_S

PROGRAM = ""
MOODY = ""  # a strategy that throws, crashes or loops on pages whose URL says so


class Truth(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.ports = []

    def site(self, files):
        site = Site(files)
        self.addCleanup(site.close)
        self.ports.append(str(site.port))
        return site

    def orbweaver(self, *arguments, code=0, **more):
        """Runs the program in a folder of its own; its exit code must be `code`."""
        done = subprocess.run([PROGRAM, *map(str, arguments)], cwd=self.folder, capture_output=True, text=True, timeout=PATIENCE_S, **more)
        self.assertEqual(code, done.returncode, done.stdout + done.stderr)
        return done

    def crawl(self, *arguments, code=0, **more):
        """A crawl of sites on this machine and of nothing else."""
        return self.orbweaver("crawl", *arguments, "--delay", "10ms", "--set=network.allow_networks=127.0.0.0/8",
                              f"--set=network.ports={','.join(self.ports)}", code=code, **more)


class Strategies(Truth):
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
        done = self.crawl(site.url("/"), self.MOODY_SET, code=-11)
        self.assertRegex(done.stderr, rf"strategy 'moody' crashed \(SIGSEGV\) in OnPage for {site.url('/crash')}[01]\. Nothing is lost")

    def test_one_that_loops_is_named_with_its_event(self):
        site = self.site_with("loop")
        done = self.crawl(site.url("/"), self.MOODY_SET, "--set=strategy.time_limit=2s", code=1)
        self.assertRegex(done.stderr, rf"strategy 'moody' has been in OnPage for {site.url('/loop')}[01] for longer than strategy.time_limit \(2s\)")
        self.assertIn("Ended: a worker failed.", done.stdout)
        # The folder is whole, and goes on.
        self.crawl("--set=strategy.path=", "--strategy", "breadth_first")
        self.assertIn("/b", site.paths())


class Escapes(Truth):
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


if __name__ == "__main__":
    PROGRAM, MOODY = (str(pathlib.Path(sys.argv.pop(1)).resolve()) for _ in range(2))
    unittest.main()
