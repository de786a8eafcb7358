"""`orbweaver status`, `inspect` and `log` on the folder of a crawl: python3 frontier_commands_test.py PROGRAM SYNTHETIC_WEB"""

import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import unittest

from patient import Patient
from synthetic_web import PATIENCE_S, Web

PROGRAM = ""
WEB = ""


class FrontierCommands(Patient):
    look_again_s = 0.1  # a look starts the program

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.data = self.folder / "data"

    def crawl(self, *options):
        self.web = Web(WEB, self.folder, "--hosts", "20", "--pages", "20")
        self.addCleanup(self.web.close)
        process = subprocess.Popen(
            [PROGRAM, "crawl", "--seeds", str(self.web.seeds), "--everything", "--data", str(self.data), "--proxy",
             f"http://127.0.0.1:{self.web.port}", "--set=network.allow_private=true", "--user-agent",
             "orbweaver/test (+mailto:test@example.com)", "--json", *options],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(lambda: (process.kill(), process.wait()))
        return process

    def run_on_folder(self, *words, code=0):
        done = subprocess.run([PROGRAM, *words, "--data", str(self.data)], capture_output=True, text=True,
                              timeout=PATIENCE_S)
        self.assertEqual(code, done.returncode, done.stderr)
        return done.stdout if code == 0 else done.stderr

    def status(self):
        return json.loads(self.run_on_folder("status", "--json", "--interval", "100ms"))

    def dump(self, topic, *filters):
        return [json.loads(line) for line in self.run_on_folder("log", "dump", topic, "--json", *filters).splitlines()]

    def group(self, status, name):
        return next(group for group in status["groups"] if group["group"] == name)

    def test_they_look_at_a_crawl_that_is_running(self):
        # So slow that it is at work for as long as it is looked at.
        crawl = self.crawl("--delay", "20s")
        self.waits_until(lambda: self.data.exists() and self.web.requests() > 5)
        found = []

        def is_found_again():
            # The crawl deletes from its log what has been read, so it may be gone at the second look.
            feed = self.dump("spider-feed", "--type", "request")
            if not feed:
                return False
            newest = feed[-1]
            found[:] = self.dump("spider-feed", "--partition", str(newest["partition"]), "--from", str(newest["offset"]),
                                 "--to", str(newest["offset"] + 1), "--url", newest["detail"]["url"])
            return found == [newest]

        self.waits_until(is_found_again)
        first = found[0]
        url = first["detail"]["url"]
        self.waits_until(lambda: json.loads(self.run_on_folder("inspect", "url", url))["link"] is not None)
        domain = json.loads(self.run_on_folder("inspect", "domain", url))
        self.assertEqual(first["key"], domain["domain"])
        self.assertEqual(first["partition"], domain["partition"])
        self.assertGreater(domain["record"]["scheduled"], 0)
        self.waits_until(lambda: self.status()["queue"]["total"]["domains"] > 0)
        self.assertIsNone(crawl.poll(), "it ended before it was looked at")
        self.assertIn("spiders", self.run_on_folder("status", "--interval", "100ms"))

    def test_of_a_finished_crawl_nothing_is_left(self):
        self.assertEqual(0, self.crawl("--delay", "1ms").wait(PATIENCE_S))
        status = self.status()
        self.assertEqual([0, 0, 0], [group["lag"] for group in status["groups"]])
        self.assertEqual(0, status["queue"]["total"]["waiting"] + status["queue"]["total"]["delayed"])
        self.assertEqual(0, status["dead_letters"])
        self.assertEqual("", self.run_on_folder("log", "dead-letter"))
        seed = self.web.seeds.read_text().split()[0]
        link = json.loads(self.run_on_folder("inspect", "url", seed))
        self.assertEqual("crawled", link["link"]["status"])
        self.assertIsNone(link["queued"])
        out = self.folder / "out"
        self.run_on_folder("log", "export", "spider-feed", str(out))
        records = [json.loads(line) for file in out.iterdir() for line in file.read_text().splitlines()]
        self.assertEqual(len(self.dump("spider-feed")), len(records))
        # And it goes on as if nobody had looked.
        self.assertEqual(0, self.crawl("--delay", "1ms").wait(PATIENCE_S))

    def test_an_order_is_carried_out_when_the_crawl_goes_on(self):
        crawl = self.crawl("--delay", "3s", "--no-console")
        self.waits_until(lambda: self.data.exists() and self.web.requests() > 5)
        seeds = self.web.seeds.read_text().split()
        self.assertIn("in use by process", self.run_on_folder("purge", seeds[0], code=1))
        crawl.send_signal(signal.SIGTERM)
        crawl.wait(PATIENCE_S)
        waiting = (json.loads(self.run_on_folder("inspect", "domain", seed)) for seed in seeds)
        purged = next(found["domain"] for found in waiting if found["queue"] and sum(found["queue"]["waiting_by_band"]) > 0)
        scheduled = self.dump("scoring-log", "--domain", purged)
        urls = {request["url"] for message in scheduled if message["type"] == "schedule" for request in message["detail"]["requests"]}
        self.assertIn(f"order written: {purged} ", self.run_on_folder("purge", f"www.{purged}"))
        self.assertEqual([purged], [message["key"] for message in self.dump("spider-log", "--type", "domain_order")])
        self.run_on_folder("unblock", purged)
        self.assertEqual(0, self.crawl("--delay", "1ms").wait(PATIENCE_S))
        left = {url: json.loads(self.run_on_folder("inspect", "url", url))["link"] for url in urls}
        self.assertEqual([], [url for url, link in left.items() if link["status"] == "queued"], "queued for ever")
        self.assertEqual("", self.run_on_folder("log", "dead-letter"))

    def test_wrong_options_are_refused_by_name(self):
        self.assertEqual(0, self.crawl("--delay", "1ms").wait(PATIENCE_S))
        for words, named in ((("status", "--domains", "x"), "--domains x"), (("status", "nonsense"), "nonsense"),
                             (("log", "dump"), "log dump TOPIC"), (("log", "dump", "x", "--since", "y"), "--since y"),
                             (("inspect", "url"), "inspect url URL"), (("inspect", "domain", "http://"), "http://")):
            self.assertIn(named, self.run_on_folder(*words, code=2), words)

    def test_a_folder_without_a_crawl_is_named_and_not_made(self):
        self.assertIn(str(self.data), self.run_on_folder("status", code=2))
        self.assertIn(str(self.data), self.run_on_folder("purge", "a.test", code=2))
        self.assertFalse(self.data.exists())


if __name__ == "__main__":
    PROGRAM, WEB = (os.path.abspath(path) for path in sys.argv[1:3])
    unittest.main(argv=sys.argv[:1], verbosity=2)
