"""A newcomer's first hour with `orbweaver crawl`, on sites of this machine: python3 first_hour_test.py PROGRAM"""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

from small_site import Site
from synthetic_web import PATIENCE_S

PROGRAM = ""


class FirstHour(unittest.TestCase):
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

    def orbweaver(self, *arguments, code=0):
        """Runs the program in a folder of its own and gives what it did; its exit code must be `code`."""
        done = subprocess.run([PROGRAM, *map(str, arguments)], cwd=self.folder, capture_output=True, text=True, timeout=PATIENCE_S)
        self.assertEqual(code, done.returncode, done.stdout + done.stderr)
        return done

    def crawl(self, *arguments, code=0):
        """A crawl of sites on this machine and of nothing else."""
        return self.orbweaver("crawl", *arguments, "--delay", "10ms", "--set=network.allow_networks=127.0.0.0/8",
                              f"--set=network.ports={','.join(self.ports)}", code=code)


class Identity(FirstHour):
    FILES = {
        "/robots.txt": "User-agent: mybot\nDisallow: /\n\nUser-agent: *\nDisallow:\n",
        "/": "<a href=/a>a</a>",
        "/a": "a",
    }

    def crawl_as(self, agent, *arguments, code=0):
        site = self.site(self.FILES)
        done = self.crawl(site.url("/"), "--user-agent", agent, "--json", *arguments, code=code)
        return done, site.paths()

    def test_robots_txt_is_obeyed_under_the_name_that_is_shown(self):
        for agent in "mybot (+https://example.org/bot)", "Mozilla/5.0 (compatible; MyBot/1.0)":
            with self.subTest(agent):
                done, paths = self.crawl_as(agent, "--data", agent[:5], code=3)
                self.assertEqual(["/robots.txt"], paths, done.stdout)
                self.assertEqual(["robots"], list(json.loads(done.stdout)["failures"]))

    def test_another_name_is_not_bound_by_it(self):
        _, paths = self.crawl_as("otherbot (+https://example.org/bot)")
        self.assertEqual(["/robots.txt", "/", "/a"], paths)

    def test_a_token_that_the_agent_does_not_show_is_refused(self):
        done, paths = self.crawl_as("mybot", "--set=spider.robots.product_token=otherbot", code=2)
        self.assertIn("does not stand in the user agent 'mybot'", done.stderr)
        self.assertEqual([], paths)
        self.assertFalse((self.folder / "crawl-data").exists())
        self.orbweaver("config", "check", "--set=spider.fetch.user_agent=mybot", "--set=spider.robots.product_token=otherbot", code=2)

    def test_a_second_agent_among_the_headers_is_refused(self):
        done, _ = self.crawl_as("mybot", "--set=spider.fetch.headers.user-agent=curl", code=2)
        self.assertIn("spider.fetch.user_agent", done.stderr)


class ExitCodes(FirstHour):
    def test_0_when_pages_came_and_nothing_is_left_and_when_nothing_is_to_be_done(self):
        site = self.site({"/": "<a href=/gone>x</a>"})
        done = self.crawl(site.url("/"))
        self.assertIn("Ended: nothing is left.", done.stdout)
        self.assertIn("http_4xx", done.stdout)
        self.crawl()

    def test_3_when_not_one_page_could_be_fetched(self):
        site = self.site({})
        done = self.crawl(site.url("/"), code=3)
        self.assertTrue(done.stdout.startswith(f"No page could be fetched: {site.url('/')}, http_4xx. Ended: "), done.stdout)
        self.assertEqual("nothing_fetched", json.loads(self.crawl(site.url("/"), "--data", "other", "--json", code=3).stdout)["outcome"])

    def test_4_when_a_limit_ended_it(self):
        site = self.site({"/": "<a href=/a>a</a>", "/a": "<a href=/b>b</a>", "/b": "b"})
        done = self.crawl(site.url("/"), "--max-pages", "1", "--delay", "200ms", code=4)
        self.assertIn("Ended: --max-pages is reached.", done.stdout)
        self.crawl()
        self.assertEqual({"/robots.txt", "/", "/a", "/b"}, set(site.paths()))

    def test_5_when_too_much_failed(self):
        site = self.site({"/": "".join(f"<a href=/gone{i}>x</a>" for i in range(5))})
        done = self.crawl(site.url("/"), "--max-failures", "2", code=5)
        self.assertIn("--max-failures is exceeded", done.stdout)
        self.assertIn("--max-failures x", self.crawl(site.url("/"), "--max-failures", "x", code=2).stderr)


if __name__ == "__main__":
    PROGRAM = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
