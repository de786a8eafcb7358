"""A recorded crawl, crawled anew in virtual time: python3 replay_crawl_test.py PROGRAM SYNTHETIC_WEB"""

import json
import math
import os
import re
import signal
import subprocess
import sys
import time
import unittest

from newcomer import Newcomer
from synthetic_web import FAULTS, PATIENCE_S, Web

PAGES = 60


class ReplayCrawl(Newcomer):
    def recorded(self, *options, code=0):
        """A crawl of a small site, recorded to `rec`."""
        links = {f"/{i}": "".join(f"<a href=/{(i * k + 1) % PAGES}>x</a>" for k in range(1, 6)) for i in range(PAGES)}
        site = self.site({"/robots.txt": (200, {"Content-Type": "text/plain"}, "User-agent: *\nDisallow: /private/\n"),
                          "/": "<a href=/0>x</a><a href=/gone>x</a><a href=/away>x</a><a href=/private/1>x</a><a href=/private/2>x</a>",
                          "/away": (302, {"Location": "/further"}, ""), "/further": (301, {"Location": "/there"}, ""),
                          "/there": "<a href=/1>x</a>"} | links)
        self.crawl(site.url("/"), "--record", "rec", *options, code=code)
        return site

    def replay(self, *arguments, code=0):
        return json.loads(self.orbweaver("replay", "rec", "--crawl", "--json", *arguments, code=code).stdout)

    def test_the_recorded_strategy_fetches_what_it_fetched(self):
        site = self.recorded()
        asked = len(site.requests)
        told = self.replay("--budget", "1000")
        self.assertEqual((PAGES + 3, True), (told["urls"], told["verdict"]))
        [crawl] = told["strategies"]
        self.assertEqual(("breadth_first", 1, 0, "nothing_left"), tuple(crawl[key] for key in ("strategy", "support", "unknown", "ended_by")))
        figures = crawl["figures"]
        # All pages and /, and where /away leads; /gone failed; what robots.txt forbids was not asked for.
        self.assertEqual((PAGES + 2, 1, 2, 1), tuple(figures[key] for key in ("pages", "failed", "forbidden", "robots_fetches")))
        unique = figures["unique_pages"]
        self.assertEqual((PAGES + 2, PAGES + 2, 1), (unique["low"], unique["high"], figures["domains"]))
        # 10 ms between two requests.
        self.assertGreaterEqual(figures["virtual_s"], 0.01 * (PAGES + 6))
        self.assertEqual(asked, len(site.requests))

    def test_a_web_with_faults_is_the_same_one(self):
        web = Web(WEB, self.folder, "--hosts", "24", "--pages", "20", "--faults", FAULTS, log_requests=False)
        self.addCleanup(web.close)
        impatient = [f"--set={option}" for option in ("politeness.back_off_first=1s", "politeness.back_off_most=1s", "spider.robots.retry_min=1s",
                                                      "spider.robots.retry_max=1s", "network.allow_private=true")]
        self.orbweaver("crawl", "--seeds", web.seeds, "--everything", "--record", "rec", "--proxy", f"http://127.0.0.1:{web.port}", "--delay", "5ms",
                       "--strategy", "breadth_first:retry_delay_s=1", *impatient)
        recorded = self.orbweaver("record", "stats", "rec").stdout
        pages = int(re.search(r"page_fetched +([\d,]+)", recorded)[1].replace(",", ""))
        told = self.replay("--strategy", "breadth_first", "--strategy", "opic", "--strategy", "depth_first", "--budget", "100000")
        for crawl in told["strategies"]:
            self.assertEqual((1, pages, "nothing_left"), (crawl["support"], crawl["figures"]["pages"], crawl["ended_by"]))
            self.assertGreater(crawl["figures"]["failed"], 0)
            self.assertGreater(crawl["figures"]["forbidden"], 0)

    def test_strategies_are_compared_within_a_budget(self):
        self.recorded()
        strategies = ("--strategy", "breadth_first", "--strategy", "depth_first:max_depth=2", "--strategy", "random")
        told = self.replay(*strategies, "--budget", "30", "--delay", "1s", "--spiders", "2")
        self.assertEqual(["breadth_first", "depth_first:max_depth=2", "random"], [crawl["strategy"] for crawl in told["strategies"]])
        for crawl in told["strategies"]:
            self.assertEqual(1, crawl["support"])
            self.assertLessEqual(crawl["fetches"], 30)
            self.assertGreaterEqual(crawl["figures"]["virtual_s"], crawl["fetches"])
        # Another process comes to the same, to the byte.
        self.assertEqual(told, self.replay(*strategies, "--budget", "30", "--delay", "1s", "--spiders", "2"))
        said = self.orbweaver("replay", "rec", "--crawl", *strategies, "--budget", "30").stdout
        for word in ("At most 30 fetches", "depth_first:max_depth=2", "100.0 %", "unique pages", "the budget"):
            self.assertIn(word, said)

    def test_too_little_recorded_gives_no_verdict(self):
        self.recorded("--strategy", "breadth_first:max_pages=12,deny_urls=*/there")
        told = self.replay("--strategy", "depth_first", "--budget", "40", code=3)
        [crawl] = told["strategies"]
        self.assertEqual((False, None), (told["verdict"], crawl["figures"]))
        self.assertLess(crawl["support"], 0.8)
        said = self.orbweaver("replay", "rec", "--crawl", "--strategy", "depth_first", "--budget", "40", code=3).stdout
        for word in ("no verdict", "127.0.0.1", "80.0 % are needed", "--force"):
            self.assertIn(word, said)
        self.assertNotIn(" to ", said.splitlines()[3])
        figures = self.replay("--strategy", "depth_first", "--budget", "40", "--force")["strategies"][0]["figures"]
        unique = figures["unique_pages"]
        self.assertLess(unique["low"], unique["high"])
        self.assertTrue(unique["low"] <= unique["estimate"] <= unique["high"], unique)
        said = self.orbweaver("replay", "rec", "--crawl", "--strategy", "depth_first", "--budget", "40", "--force").stdout
        self.assertIn(f"{math.floor(unique['low'])} to {math.ceil(unique['high'])}", said)

    def test_it_ends_with_its_time(self):
        self.recorded()
        [crawl] = self.replay("--delay", "1s", "--for", "20s")["strategies"]
        self.assertEqual(("time", 20), (crawl["ended_by"], crawl["figures"]["virtual_s"]))
        self.assertLessEqual(crawl["fetches"], 20)

    def test_a_crawl_of_many_partitions_may_have_as_many_spiders(self):
        self.recorded("--set", "topics.partitions=64")
        [crawl] = self.replay("--spiders", "30", "--budget", "1000")["strategies"]
        self.assertEqual((PAGES + 2, "nothing_left"), (crawl["figures"]["pages"], crawl["ended_by"]))
        self.assertIn("64 partitions", self.orbweaver("replay", "rec", "--crawl", "--spiders", "65", code=2).stderr)

    def test_ctrl_c_keeps_what_was_done(self):
        self.recorded()
        endless = "recrawl:first_interval_s=60,min_interval_s=60,max_interval_s=60"
        arguments = [self.program, "replay", "rec", "--crawl", "--json", "--strategy", endless, "--budget", "1000000000"]
        process = subprocess.Popen(arguments, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        # It crawls when it has used so much CPU time. It polls: that wakes nobody.
        ticks = 0
        while ticks < 0.3 * os.sysconf("SC_CLK_TCK"):
            self.assertIsNone(process.poll())
            time.sleep(0.02)
            with open(f"/proc/{process.pid}/stat") as stat:
                ticks = sum(map(int, stat.read().rsplit(")", 1)[1].split()[11:13]))
        process.send_signal(signal.SIGINT)
        out, errors = process.communicate(timeout=PATIENCE_S)
        self.assertEqual(4, process.returncode, errors)
        [crawl] = json.loads(out)["strategies"]
        self.assertEqual("stopped", crawl["ended_by"])
        self.assertGreater(crawl["fetches"], PAGES)

    def test_what_cannot_be_crawled_is_said(self):
        self.recorded()

        def told(*arguments, code=2):
            return self.orbweaver("replay", "rec", "--crawl", *arguments, code=code).stderr

        self.assertIn("above 0", told("--budget", "0"))
        self.assertIn("4 partitions", told("--spiders", "5"))
        self.assertIn("500/s", told("--speed", "fast"))
        self.assertIn("24h", told("--for", "ever"))
        self.assertIn("1s", told("--delay", "x"))
        self.assertIn("did you mean --budget", told("--budgt", "5"))
        self.assertIn("no_such", told("--strategy", "no_such"))
        self.assertIn("--verify and --crawl", told("--verify"))
        self.assertIn("--work", told("--work", "no/folder", code=1))
        for file in (self.folder / "rec").glob("spider-log-*.parquet"):
            file.write_bytes(file.read_bytes()[:-100])
        self.assertIn("spider-log", told(code=1))


if __name__ == "__main__":
    Newcomer.program = sys.argv.pop(1)
    WEB = sys.argv.pop(1)
    unittest.main()
