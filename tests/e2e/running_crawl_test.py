"""A crawl that runs is asked and told from another terminal.

python3 running_crawl_test.py PROGRAM
"""

import http.client
import json
import pathlib
import stat
import sys
import time
import unittest
import urllib.error
import urllib.request

from background_crawl import PAGES, BackgroundCrawl
from synthetic_web import PATIENCE_S


class RunningCrawl(BackgroundCrawl):
    def tell(self, *arguments, **more):
        return self.orbweaver(*arguments, "--data", "data", **more)

    def contact(self):
        return (self.folder / "data" / "contact").read_text().split()

    def test_a_domain_is_blocked_and_let_go_while_another_is_crawled(self):
        one, two = self.endless(), self.endless("127.0.0.2")
        process = self.begins_crawl(one.url("/0"), two.url("/0"))
        self.waits_for_more(one, process)
        told = self.tell("block", "127.0.0.1", "--for", "1h").stdout
        self.assertRegex(told, r"^order written: 127\.0\.0\.1 is blocked until .*, once the running crawl has read it$")
        blocked = lambda: json.loads(self.tell("inspect", "domain", "127.0.0.1").stdout)["queue"]["blocked"]
        self.waits_until(blocked, process)
        # The feed's rest is still fetched.
        while (asked := len(one.requests)) < PAGES / 2:
            self.waits_for_more(two, process)
            if asked == len(one.requests):
                break
        self.assertLess(asked, PAGES / 2)
        self.waits_for_more(two, process)
        self.assertEqual(asked, len(one.requests))
        self.tell("unblock", "127.0.0.1")
        self.waits_for_more(one, process)
        self.tell("purge", "127.0.0.1")
        waiting = lambda: sum(json.loads(self.tell("inspect", "domain", "127.0.0.1").stdout)["queue"]["waiting_by_band"])
        self.waits_until(lambda: waiting() == 0, process)
        out, _ = self.ends(process)
        self.assertNotIn("dead letters", out)
        self.tell("forget", "127.0.0.2")
        kept = [json.loads(line) for line in (self.folder / "data" / "orders.jsonl").read_text().splitlines()]
        self.assertEqual([("block", True), ("unblock", True), ("purge", True), ("forget", True)], [(order["action"], order["done"]) for order in kept])
        self.assertIn("domain=127.0.0.1&until_ms=", kept[0]["parameters"])
        self.assertIn("order written: 127.0.0.2 is as if it had never been seen", kept[3]["answer"])

    def test_a_url_is_fetched_again_and_another_is_raised(self):
        site = self.endless()
        process = self.begins_crawl(site.url("/0"), "--record", "rec")
        self.waits_for_more(site, process, 150)
        told = self.tell("reschedule", site.url("/0")).stdout
        self.assertEqual(f"order written: {site.url('/0')} is fetched again in its domain's turn, once the running crawl has read it\n", told)
        self.waits_until(lambda: site.paths().count("/0") == 2, process)
        # Breadth first, its links would be fetched after some hundreds of others.
        far = 3 * max(int(path[1:]) for path in site.paths() if path[1:].isdigit()) - 60
        explained = lambda path: json.loads(self.tell("explain", site.url(path), "--json").stdout)
        self.waits_until(lambda: explained(f"/{far}")["answer"] == "queued", process)
        shown = self.tell("raise", site.url(f"/{far}"), "--dry-run").stdout
        self.assertRegex(shown, rf"^It raises {site.url(f'/{far}')} from band [1-7] to band 0 of 0 to 7\. Nothing was done\.\n$")
        self.assertIn("where no request is put off", self.tell("reschedule", site.url(f"/{far}"), "--in", "2h", code=1).stderr)
        self.assertEqual(f"order written: {site.url(f'/{far}')} goes to band 0, once the running crawl has read it\n", self.tell("raise", site.url(f"/{far}")).stdout)
        self.waits_until(lambda: f"/{far}" in site.paths(), process)
        self.assertNotIn(f"/{far - 1}", site.paths(), "it was its turn")
        for words, wrong in (("raise", "/0"), "does not wait: it was fetched at"), (("reschedule", "/never"), "`orbweaver seeds add` gives it to the crawl"):
            self.assertIn(wrong, self.tell(words[0], site.url(words[1]), code=1).stderr)
        for words in (("raise",), ("raise", "mailto:x"), ("raise", site.url("/0"), "--in", "2h"), ("raise", site.url("/0"), "--score", "2"), ("reschedule", site.url("/0"), "--in", "soon")):
            self.assertIn("`orbweaver", self.tell(*words, code=2).stderr)
        self.ends(process)
        self.assertEqual(f"order written: {site.url('/1')} is fetched again in its domain's turn, once its crawl goes on\n", self.tell("reschedule", site.url("/1")).stdout)
        kept = [json.loads(line) for line in (self.folder / "data" / "orders.jsonl").read_text().splitlines()]
        self.assertEqual([("reschedule", True), ("reschedule", False), ("raise", True), ("raise", False), ("reschedule", False), ("reschedule", True)], [(order["action"], order["done"]) for order in kept])
        self.assertEqual([True], [order["detail"]["fetch_again"] for order in map(json.loads, self.tell("log", "dump", "spider-log", "--type", "url_order", "--json").stdout.splitlines())][-1:])
        process = self.begins_crawl("--record", "rec")
        self.waits_until(lambda: site.paths().count("/1") == 2, process)
        self.ends(process)
        # The orders are in the recording, and a replay comes to the same requests.
        self.orbweaver("replay", "rec", "--verify")
        self.assertEqual(1, site.paths().count(f"/{far}"))

    def test_the_queue_pauses_and_goes_on(self):
        site = self.endless()
        process = self.begins_crawl(site.url("/0"))
        self.waits_for_more(site, process)
        self.assertEqual([f"partition {i} is paused" for i in range(4)], self.tell("pause", "all").stdout.splitlines())
        address, _ = self.contact()
        status = lambda: json.load(urllib.request.urlopen(f"http://{address}/status", timeout=PATIENCE_S))
        self.waits_until(lambda: status()["crawl"]["held"] == 0, process)
        self.assertIn("expected `all`, or a number from 0 to 3", self.tell("pause", "4", code=2).stderr)
        self.assertEqual("partition 2 is resumed\n", self.tell("resume", "2").stdout)
        self.tell("resume", "all")
        self.waits_for_more(site, process)
        self.ends(process)
        self.assertIn("no crawl runs in data", self.tell("pause", "all", code=1).stderr)

    def test_seeds_are_added_to_a_crawl_that_runs_and_to_one_that_rests(self):
        one, two = self.endless(), self.endless("127.0.0.2")
        file = self.folder / "more.txt"
        file.write_text(f"# more\n{two.url('/0')}\nno url::\n{two.url('/2999')}\n{two.url('/1.png')}\n")
        process = self.begins_crawl(one.url("/0"), "--exclude", "*.png")
        self.waits_for_more(one, process)
        told = self.tell("seeds", "add", file, code=1)
        self.assertEqual("2 seeds added, 2 lines refused\n", told.stdout)
        self.assertIn(f"{file}:3: parse: no url::\n", told.stderr)
        self.assertIn(f"{file}:5: left out, it matches --exclude '*.png': ", told.stderr)
        self.waits_until(lambda: {"/0", "/2999"} <= set(two.paths()), process)
        self.ends(process)
        file.write_text(one.url("/2998"))
        told = self.tell("seeds", "add", file).stdout
        self.assertEqual("1 seed added, 0 lines refused\nTo crawl them: orbweaver crawl --data data\n", told)
        # The folder knows them: neither are they another crawl's, nor does a reset lose them.
        self.assertEqual([two.url("/0"), two.url("/2999"), one.url("/2998")], (self.folder / "data" / "seed-urls").read_text().split()[1:])
        process = self.begins_crawl("--seeds", str(file))
        self.waits_until(lambda: "/2998" in one.paths(), process)
        self.ends(process)

    def test_only_this_user_may_tell_it_anything(self):
        site = self.endless()
        process = self.begins_crawl(site.url("/0"))
        self.waits_for_more(site, process)
        file = self.folder / "data" / "contact"
        self.assertEqual(0o600, stat.S_IMODE(file.stat().st_mode))
        address, token = self.contact()
        self.assertTrue(address.startswith("127.0.0.1:"))

        def answer(path, **headers):
            request = urllib.request.Request(f"http://{address}{path}", data=b"domain=127.0.0.1" if "actions" in path else None, headers=headers)
            try:
                return urllib.request.urlopen(request, timeout=PATIENCE_S).status
            except urllib.error.HTTPError as error:
                return error.code

        self.assertEqual(200, answer("/metrics"))
        self.assertEqual(200, answer("/healthz"))
        self.assertEqual(421, answer("/status", Host="rebound.example"))
        self.assertEqual(401, answer("/actions/purge"))
        self.assertFalse((self.folder / "data" / "orders.jsonl").exists(), "strangers do not fill the journal")
        self.assertEqual(401, answer("/actions/purge", Authorization="Bearer " + "0" * len(token)))
        self.assertEqual(421, answer("/actions/purge", Authorization=f"Bearer {token}", Host="rebound.example"))
        # A proxy's form of the target, and parameters in both places, are kept as they were carried out.
        connection = http.client.HTTPConnection(address, timeout=PATIENCE_S)
        until = int(time.time() * 1000) + 60_000
        connection.request("POST", f"http://{address}/actions/block?domain=127.0.0.2", f"until_ms={until}", {"Authorization": f"Bearer {token}"})
        self.assertEqual(200, connection.getresponse().status)
        connection.close()
        kept = json.loads((self.folder / "data" / "orders.jsonl").read_text())
        self.assertEqual(("block", f"domain=127.0.0.2&until_ms={until}"), (kept["action"], kept["parameters"]))
        self.assertNotIn(token, urllib.request.urlopen(f"http://{address}/config", timeout=PATIENCE_S).read().decode())
        self.assertNotIn(token, (self.folder / "data" / "crawl.yaml").read_text())
        self.ends(process)
        self.assertFalse(file.exists())

    def test_what_a_killed_crawl_left_behind_misleads_nobody(self):
        site = self.endless()
        process = self.begins_crawl(site.url("/0"))
        self.waits_for_more(site, process)
        process.kill()
        process.communicate()
        self.contact()
        self.assertIn("no crawl of data answers", self.tell("pause", "all", code=1).stderr)
        self.assertIn(", once its crawl goes on", self.tell("block", "127.0.0.1", "--for", "1s").stdout)

    def test_it_answers_where_it_is_told_to_or_not_at_all(self):
        site = self.endless()
        process = self.begins_crawl(site.url("/0"), "--no-console")
        self.waits_for_more(site, process)
        self.assertFalse((self.folder / "data" / "contact").exists())
        self.assertRegex(self.tell("purge", "127.0.0.1", code=1).stderr, rf"in use by process {process.pid} .*no crawl of data says where it can be asked")
        self.ends(process)
        process = self.begins_crawl("--console", "[::1]:0")
        self.waits_for_more(site, process)
        self.assertRegex(self.contact()[0], r"^\[::1\]:\d+$")
        self.tell("purge", "127.0.0.1")
        _, errors = self.ends(process)
        self.assertIn(f"The admin server answers on [::1]:", errors)
        for address, says in (("0.0.0.0:0", "other machines reach this address"), ("9600", "expected IP:PORT"), ("127.0.0.1:x", "expected IP:PORT")):
            self.assertIn(says, self.orbweaver("crawl", "--data", "data", "--console", address, code=2).stderr)


if __name__ == "__main__":
    RunningCrawl.program = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main()
