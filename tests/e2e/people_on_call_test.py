"""Somebody on call looks after crawls of documentation, as docs/crawl.md and docs/operations.md say:

python3 people_on_call_test.py PROGRAM SYNTHETIC_WEB
"""

import collections
import json
import os
import pathlib
import re
import subprocess
import sys
import threading
import unittest
import urllib.request

from documentation_site import Answer, Walk
from person import Person
from small_disk import small_disk
from synthetic_web import PATIENCE_S, Web

WEB = ""
WINDOW = 40  # requests that a killed spider may have had in flight


class OnCall(Person):
    def admin_of(self, process):
        line = next(line for line in process.stderr if line.startswith("The admin server answers on "))
        return "http://" + line.split(" on ")[1].strip().rstrip(".")

    def page(self, url):
        with urllib.request.urlopen(url, timeout=PATIENCE_S) as answer:
            return answer.read().decode()

    def inspect(self, what, name):
        return json.loads(self.types(f"orbweaver inspect {what} {name}").stdout)

    def test_a_crawl_is_looked_at_killed_and_goes_on(self):
        site = self.documentation()
        walk = Walk(site, site.url("/"))
        process = self.begins(f"orbweaver crawl {site.url('/')} --delay 20ms --out out --set admin.port=0 --set spider.window={WINDOW}")
        admin = self.admin_of(process)
        self.waits_until(lambda: len(site.requests) > 40, process)
        self.assertEqual("ready", self.page(f"{admin}/readyz").strip())
        pages = re.search(r"^orbweaver_spider_pages_total(?:\{[^}]*\})? (\d+)$", self.page(f"{admin}/metrics"), re.M)
        self.assertGreater(int(pages[1]), 0)
        self.assertIn("crawl", json.loads(self.page(f"{admin}/status")))
        status = json.loads(self.types("orbweaver status --json --interval 100ms").stdout)
        self.assertEqual({"strategy-workers", "db-workers", "spiders"}, {group["group"] for group in status["groups"]})
        url = site.url("/git-doc/git.html")
        typed = url.removeprefix("http://")
        self.waits_until(lambda: (self.inspect("url", typed)["link"] or {}).get("status") == "crawled", process)
        self.assertEqual(1, self.inspect("url", url)["link"]["fetches"])
        self.assertGreater(self.inspect("domain", "localhost")["record"]["known_urls"], 100)
        watching = self.begins("orbweaver status --watch --interval 100ms")
        self.assertEqual(2, sum(1 for _, line in zip(range(2), (line for line in watching.stdout if line.startswith("queue: ")))))
        self.ends(watching)
        self.assertIn("--for TIME is missing", self.types("orbweaver block localhost", 2).stderr)
        self.assertIn("once the running crawl has read it", self.types("orbweaver block localhost --for 1h").stdout)
        self.waits_until(lambda: self.inspect("domain", "localhost")["queue"]["blocked"], process)
        self.types("orbweaver unblock localhost && orbweaver pause all && orbweaver resume all")

        process.kill()
        process.communicate()
        self.assertIn("spiders", self.types("orbweaver status --interval 100ms").stdout)
        self.types("orbweaver crawl --delay 0")
        counts = collections.Counter(site.url(path) for path in site.asked())
        counts.pop(site.url("/robots.txt"))
        self.assertEqual(set(walk.fetched), set(counts))
        self.assertLessEqual(counts.total() - len(counts), WINDOW)
        self.assertEqual({*walk.pages, *walk.files}, set(self.pages_of()))
        self.assertIsNone(self.inspect("url", url)["queued"])

    def test_a_site_that_goes_down_in_the_middle_is_waited_for(self):
        site = self.documentation()
        walk = Walk(site, site.url("/"))
        process = self.begins(f"orbweaver crawl {site.url('/')} --delay 1ms --out out --retries 8 --retry-delay 1s")
        # From the 61st request on the site says nothing any more: until it is down, a crawl could have fetched the rest.
        gone = threading.Event()

        def gate(_):
            if len(site.requests) > 60:
                gone.wait()
        site.gate = gate
        self.waits_until(lambda: len(site.requests) > 60, process)
        site.down()
        gone.set()
        told = next(line for line in process.stderr if "cannot be reached" in line)
        self.assertIn(f"localhost:{site.port} cannot be reached: ", told)
        site.up()
        out, errors = process.communicate(timeout=PATIENCE_S)
        self.assertEqual(0, process.returncode, out + errors)
        self.assertEqual({*walk.pages, *walk.files}, set(self.pages_of()))
        causes = {line["cause"] for line in self.lines("failures")}
        self.assertTrue(causes & {"refused", "reset"}, causes)

    def test_what_failed_is_tried_again_when_the_site_is_mended(self):
        site = self.documentation()
        walk = Walk(site, site.url("/debian/FAQ/index.en.html"), lambda url: "/debian/FAQ/" in url)
        site.gate = lambda asked: Answer(500, {}, b"") if re.search("/(choosing|kernel|support)", asked.path) else None
        crawl = f"orbweaver crawl {site.url('/debian/FAQ/index.en.html')} --scope path --delay 0 --out out --retries 0"
        done = self.types(crawl)
        self.assertRegex(done.stdout, r"http_5xx +3")
        site.gate = lambda asked: None
        self.assertIn("Nothing was to be done. `orbweaver requeue", self.types("orbweaver crawl").stdout)
        self.assertRegex(self.types("orbweaver requeue --cause http_5xx --dry-run").stdout, r"^3 failed URLs of 1 domain")
        self.types("orbweaver requeue --cause http_5xx && orbweaver crawl")
        self.assertEqual({*walk.pages, *walk.files}, set(self.pages_of()))
        # Forgotten, and begun anew: everything comes once more.
        self.types("orbweaver reset --yes && orbweaver crawl")
        self.assertEqual({2}, set(self.pages_of().values()))
        self.types(f"orbweaver forget localhost && {crawl}")
        self.assertEqual({3}, set(self.pages_of().values()))

    def test_a_domain_is_blocked_and_purged_while_others_go_on(self):
        web = Web(WEB, self.folder, "--hosts", "12", "--pages", "12", "--delay-ms", "4")
        self.addCleanup(web.close)
        crawl = f"orbweaver crawl --seeds {web.seeds} --everything --proxy http://127.0.0.1:{web.port} --set network.allow_private=true"
        self.types(f"{crawl} --delay 5ms --max-pages 5 --max-pages-per-domain 100000 --set feed.target_lag=4 --set feed.low_lag=1", 4)
        domains = collections.Counter()
        for seed in web.seeds.read_text().split():
            found = self.inspect("domain", seed)
            if found["queue"]:
                domains[found["domain"]] = sum(found["queue"]["waiting_by_band"])
        (blocked, waiting), (purged, _) = domains.most_common(2)
        self.assertGreater(waiting, 0)
        self.types(f"orbweaver block {blocked} --for 1h && orbweaver purge {purged}")
        # At this delay few requests leave before the orders are read.
        done = self.types("orbweaver crawl --max-wait 0 --delay 100ms", 4)
        self.assertIn("nothing is due for longer than --max-wait", done.stdout)
        self.assertTrue(self.inspect("domain", blocked)["queue"]["blocked"])
        self.assertRegex(done.stdout, r"In the queue: \d+ requests?, ")
        self.types(f"orbweaver unblock {blocked} && orbweaver crawl --delay 5ms --set feed.target_lag=4096 --set feed.low_lag=1024")
        self.assertEqual([0, 0, 0], [group["lag"] for group in json.loads(self.types("orbweaver status --json --interval 100ms").stdout)["groups"]])
        report = web.report()
        self.assertTrue(report["politeness"]["polite"], report)

    def test_the_disk_of_the_archive_is_full_and_then_it_is_not(self):
        site = self.documentation()
        walk = Walk(site, site.url("/"))
        disk, words = small_disk(self, self.folder)
        size = 40 if words else os.statvfs(disk).f_bavail * os.statvfs(disk).f_frsize >> 20
        crawl = f"orbweaver crawl {site.url('/')} --data data --out {disk}/out --delay 0"
        script = (f"{words and 'set -e; ' or ''}head -c {size - 1}M /dev/zero > {disk}/ballast || true; set +e; {crawl}; echo first: $?; rm {disk}/ballast; "
                  f"orbweaver crawl --data data; echo second: $?; cp -r {disk}/out kept")
        (self.folder / "script").write_text(script)
        command = [*words, f"{size}m", str(disk), "bash", "script"] if words else ["bash", "script"]
        done = subprocess.run(command, cwd=self.folder, env=self.environment, capture_output=True, text=True, timeout=PATIENCE_S)
        self.assertIn("first: 1\n", done.stdout, done.stdout + done.stderr)
        self.assertRegex(done.stderr, r"(?i)no space left on")
        self.assertIn("second: 0\n", done.stdout, done.stdout + done.stderr)
        self.assertEqual({*walk.pages, *walk.files}, set(self.pages_of("kept")))

    def test_the_configuration_is_checked_before_it_is_used(self):
        (self.folder / "crawl.yaml").write_text("spider:\n  fetch:\n    total_timout: 20s\npoliteness: {delay: 0}\n")
        self.assertIn("crawl.yaml:3: spider.fetch.total_timout: unknown option. Did you mean spider.fetch.total_timeout?",
                      self.types("orbweaver config check --config crawl.yaml", 2).stderr)
        self.types("sed -i s/timout/timeout/ crawl.yaml && orbweaver config check --config crawl.yaml")
        site = self.documentation()
        process = self.begins(f"orbweaver crawl {site.url('/apt-doc/guide.html/index.html')} --scope path --config crawl.yaml --delay 20s")
        feed = "orbweaver log dump spider-feed --json --type request --last 1"
        self.waits_until(lambda: self.folder.joinpath("crawl-data").exists() and '"url":' in self.types(feed, None).stdout, process)
        self.ends(process)
        self.types("orbweaver crawl --delay 0")
        self.assertIn("A crawl on this machine deletes what it has read", self.types("orbweaver log dump spider-feed").stderr)
        self.assertIn("No dead letters.", self.types("orbweaver log dead-letter").stderr)


if __name__ == "__main__":
    Person.program, WEB = (pathlib.Path(sys.argv.pop(1)).resolve() for _ in range(2))
    unittest.main()
