"""The JSON API of the console, of a crawl that runs and of a folder at rest, by its own description.

python3 console_test.py PROGRAM, by a Python that has jsonschema
"""

import json
import pathlib
import socket
import sys
import time
import unittest
import urllib.error
import urllib.parse
import urllib.request

import jsonschema

from console_crawl import ConsoleCrawl
from synthetic_web import PATIENCE_S

ROOT = pathlib.Path(__file__).resolve().parents[2]
DESCRIPTION = json.loads((ROOT / "cli/console/openapi.json").read_text())


class Console(ConsoleCrawl):
    def ask(self, base, path, method="GET", **more):
        request = urllib.request.Request(base + path, method=method, **more)
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE_S) as answer:
                return answer.status, json.loads(answer.read())
        except urllib.error.HTTPError as error:
            return error.code, json.loads(error.read())

    def described(self, base, path, code=200):
        """The answer, which is as the description says."""
        status, answer = self.ask(base, path)
        self.assertEqual(code, status, answer)
        operation = DESCRIPTION["paths"][path.split("?")[0]]["get"]
        content = operation["responses"].get(str(code)) or DESCRIPTION["components"]["responses"]["Error"]
        schema = content["content"]["application/json"]["schema"] | {"components": DESCRIPTION["components"]}
        jsonschema.Draft202012Validator(schema).validate(answer)
        return answer

    def every_question(self, base, kind):
        overview = self.described(base, "/api/v1/overview")
        self.assertEqual(kind, overview["subject"]["kind"])
        self.assertEqual(kind == "crawl", overview["run"] is not None)
        self.assertEqual([], overview["alerts"])
        page = self.described(base, "/api/v1/domains?sort=fetched&order=asc&contains=127&limit=10")
        self.assertEqual(["127.0.0.1"], [row["domain"] for row in page["domains"]])
        self.assertEqual([], self.described(base, "/api/v1/domains?phase=blocked")["domains"])
        domain = self.described(base, "/api/v1/domain?name=127.0.0.1")
        self.assertGreater(domain["record"]["known_urls"], 5)
        counted = domain["urls"].pop("counted")
        self.assertEqual((counted, counted), (domain["record"]["known_urls"], sum(domain["urls"].values())), domain)
        self.assertGreaterEqual(domain["urls"]["gone"], 1, domain)
        robots = domain["robots"]["files"][0]
        self.assertEqual((self.one.url("/")[7:-1], "rules", 200, "User-agent: *\nDisallow: /private\n", False, False),
                         (robots["host"], robots["outcome"], robots["status"], robots["text"], robots["text_is_cut"], domain["robots"]["has_more"]))
        self.assertGreater(robots["fetched_at_ms"], 0)
        self.assertIsNone(self.described(base, "/api/v1/domain?name=never.test")["record"])
        self.assertEqual([], self.described(base, "/api/v1/domain?name=never.test")["outcomes"])
        outcomes = self.described(base, "/api/v1/domain?name=127.0.0.1")["outcomes"]
        times = [outcome["time_ms"] for outcome in outcomes]
        self.assertEqual(sorted(times, reverse=True), times)
        self.assertTrue({(200, None), (404, "http_4xx")} >= {(outcome["status"], outcome["cause"]) for outcome in outcomes if outcome["status"]}, outcomes)
        # A crawl on this machine deletes from its logs what was dealt with, and keeps its last outcomes beside.
        self.assertIn((self.one.url("/gone"), 404), [(outcome["url"], outcome["status"]) for outcome in outcomes] + [(self.one.url("/gone"), 404)] * (len(outcomes) == 50))
        self.assertTrue(any(outcome["status"] == 200 and outcome["bytes"] > 0 for outcome in outcomes), outcomes)
        self.assertEqual({"letters": [], "next": None}, self.described(base, "/api/v1/dead-letters?limit=7"))
        answers = {}
        for path in ("/", "/private", "/gone", "/x.png", "/never", *(f"/{i}" for i in range(60)), *(f"/{i}" for i in range(60, 900, 12))):
            told = self.described(base, "/api/v1/url?" + urllib.parse.urlencode({"url": self.one.url(path)}))
            answers.setdefault(told["answer"], []).append(path)
        for answer, path in (("fetched", "/"), ("forbidden", "/private"), ("gone", "/gone"), ("left-out", "/x.png"), ("unknown", "/never")):
            self.assertIn(path, answers.get(answer, []), answers)
        # Those that wait are wherever the moment has them.
        self.assertTrue({"queued", "later", "fed", "with-spider", "on-its-way"} & set(answers), answers)
        for wrong in ("/api/v1/domains?sort=x", "/api/v1/url", "/api/v1/domain?name=%20"):
            self.described(base, wrong, 400)
        self.assertEqual(404, self.ask(base, "/api/v1/x")[0])
        self.assertEqual(405, self.ask(base, "/api/v1/overview", "POST")[0])
        self.assertEqual((200, DESCRIPTION), self.ask(base, "/api/v1/openapi.json"))
        # Last: a rate takes two samples, and the crawl goes on meanwhile.
        self.workers_and_curves(base, kind)

    def workers_and_curves(self, base, kind):
        """A folder at rest has no workers, and the curves that its crawl had."""
        deadline = time.monotonic() + PATIENCE_S
        while True:
            workers = self.described(base, "/api/v1/workers")["workers"]
            curves = {name: self.described(base, f"/api/v1/history?range={name}") for name in ("15m", "6h", "7d")}
            fine = curves["15m"]["series"]
            stages = self.described(base, "/api/v1/overview")["stages"]
            if kind == "folder" or workers and any(fine["pages_per_second"]) and None not in (stage["busy"] for stage in stages):
                break
            self.assertLess(time.monotonic(), deadline, curves)
            time.sleep(0.05)
        self.assertEqual(["spiders", "strategy workers", "db workers"], [stage["name"] for stage in stages])
        status = self.described(base, "/api/v1/overview")["status"]
        shares = [[partition["share"] for partition in group["partitions"]] for group in status["groups"]]
        if kind == "folder":
            self.assertEqual([None] * 4, shares[0])
        else:  # one domain, which is of one partition
            self.assertEqual([0, 0, 0, 1], sorted(shares[0]), status)
        for stage in stages:
            shares = [stage[state] for state in ("busy", "waits_for_input", "waits_for_output")]
            if kind == "folder":
                self.assertEqual([None] * 3, shares)
            else:
                self.assertAlmostEqual(1, sum(shares), delta=0.01, msg=stages)
                # One domain with a delay: all wait for requests that may be made.
                self.assertGreater(stage["waits_for_input"], 0.3, stages)
        self.assertEqual({"crawl": ["db-worker", "spider", "strategy-worker"], "folder": []}[kind], [worker["role"] for worker in workers])
        for worker in workers:
            self.assertEqual([0, 1, 2, 3], worker["partitions"])
            self.assertEqual(base, "http://" + worker["admin_address"])
        for name, step in (("15m", 5), ("6h", 120), ("7d", 1800)):
            times = curves[name]["times"]
            self.assertEqual([times[0] + i * step for i in range(len(times))], times)
            for curve in curves[name]["series"].values():
                self.assertEqual(len(times), len(curve))
        self.assertGreater(max(filter(None, fine["memory_bytes"])), 1 << 20)
        self.assertTrue(any(fine["pages_per_second"]), fine)
        for wrong in ("/api/v1/history?range=1h", "/api/v1/dead-letters?limit=x"):
            self.described(base, wrong, 400)

    def test_every_answer_of_the_api_is_as_its_description_says(self):
        jsonschema.Draft202012Validator.check_schema({"$defs": DESCRIPTION["components"]["schemas"]})
        process, base = self.begins_crawl()
        gone = "/api/v1/url?" + urllib.parse.urlencode({"url": self.one.url("/gone")})
        self.waits_until(lambda: self.ask(base, gone)[1]["answer"] == "gone")
        self.every_question(base, "crawl")
        self.assertRegex(self.orbweaver("console", "--data", "data").stdout, rf"^The crawl runs and has its console at {base}/#login=[0-9a-f]+\n$")
        self.ends(process, 4)
        process, base = self.begins_console()
        self.every_question(base, "folder")
        domain = self.described(base, "/api/v1/domain?name=127.0.0.1")
        self.assertEqual(domain, json.loads(self.orbweaver("inspect", "domain", "127.0.0.1", "--data", "data").stdout))
        # The last outcomes outlive a run; a damaged file of them counts as none.
        before = {(outcome["url"], outcome["time_ms"]) for outcome in domain["outcomes"]}
        kept = self.folder / "data" / "outcomes"
        whole = kept.read_bytes()
        kept.write_bytes(whole[:-1])
        domain = self.described(base, "/api/v1/domain?name=127.0.0.1")
        self.assertEqual([], domain["outcomes"])
        self.assertGreater(domain["outcomes_read_back_to_ms"], max(time for _, time in before))
        self.ends(process, 0)
        process, base = self.begins_crawl()
        self.ends(process, 4)
        self.assertNotEqual([], json.loads(self.orbweaver("inspect", "domain", "127.0.0.1", "--data", "data").stdout)["outcomes"])
        kept.write_bytes(whole)
        process, base = self.begins_crawl()

        def outcomes():
            return {(outcome["url"], outcome["time_ms"]) for outcome in self.described(base, "/api/v1/domain?name=127.0.0.1")["outcomes"]}
        self.assertTrue(before & outcomes())
        # A crawl whose domains rest looks at what was fetched once a second.
        self.waits_until(lambda: outcomes() - before, process)
        self.ends(process, 4)
        self.orbweaver("reset", "--data", "data", "--yes")
        self.assertFalse(kept.exists())

    def test_strangers_are_turned_away(self):
        process, base = self.begins_crawl()
        for path in ("/", "/api/v1/overview", "/console.js"):
            request = urllib.request.Request(base + path, headers={"Host": "rebound.example"})
            with self.assertRaises(urllib.error.HTTPError) as refused:
                urllib.request.urlopen(request, timeout=PATIENCE_S)
            self.assertEqual(421, refused.exception.code)
            refused.exception.close()
        taken = base.removeprefix("http://")
        self.assertIn("Address already in use. Choose another address by --console",
                      self.orbweaver("crawl", self.one.url("/"), "--data", "other", "--console", taken, code=1).stderr)
        self.ends(process, 4)
        for address in ("9600", "nowhere:1"):
            self.assertIn("expected IP:PORT", self.orbweaver("console", "--data", "data", "--listen", address, code=2).stderr)
        with socket.create_server(("127.0.0.1", 0)) as other:
            address = f"127.0.0.1:{other.getsockname()[1]}"
            self.assertIn("Choose another address by --listen", self.orbweaver("console", "--data", "data", "--listen", address, code=1).stderr)
        self.assertIn("unknown argument nonsense", self.orbweaver("console", "--data", "data", "nonsense", code=2).stderr)
        self.assertIn("no folder of `orbweaver crawl`", self.orbweaver("console", "--data", ".", code=2).stderr)


if __name__ == "__main__":
    Console.program = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main()
