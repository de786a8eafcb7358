"""The console of a crawl that runs and of a folder at rest: its JSON API by its own description, its page in a browser.

python3 console_test.py PROGRAM, by a Python that has jsonschema
"""

import json
import pathlib
import signal
import subprocess
import sys
import time
import unittest
import urllib.error
import urllib.parse
import urllib.request

import jsonschema

from newcomer import Newcomer
from small_site import Site
from synthetic_web import PATIENCE_S

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "lab" / "report"))
from browser import Browser  # noqa: E402

DESCRIPTION = json.loads((ROOT / "cli/console/openapi.json").read_text())
PAGES = 3000
LONG = "/" + "very-long-name-" * 60 + "?שלום=עולם"

# Elements that are cut off or reach past the window, but for what a table's own box scrolls.
CLIPPED = """[...document.querySelectorAll("body, body *")].filter(e => !e.closest(".scroll") && !e.matches("option, #search label") &&
    e.clientWidth > 0 && (e.scrollWidth > e.clientWidth && !e.matches("select, input") || e.getBoundingClientRect().right > innerWidth + 0.5)
).map(e => e.tagName + " " + e.className + " " + e.textContent.slice(0, 40))"""
# The least contrast of a text with what is behind it, by WCAG 2, and where it is.
CONTRAST = """(() => {
    const rgb = text => text.match(/[\\d.]+/g).map(Number);
    const light = ([r, g, b]) => [r, g, b].map(v => v / 255).map(v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
        .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
    const behind = e => { for (; e; e = e.parentElement) { const c = rgb(getComputedStyle(e).backgroundColor); if (c.length < 4 || c[3] > 0) return c; }
                          return [255, 255, 255]; };
    return [...document.querySelectorAll("body *")].filter(e => [...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim()) && e.checkVisibility())
        .filter(e => !e.matches("noscript, option")).map(e => {
            const [less, more] = [light(rgb(getComputedStyle(e).color)), light(behind(e))].sort((a, b) => a - b);
            return [(more + 0.05) / (less + 0.05), e.tagName + " " + e.className + " " + e.textContent.slice(0, 40)];
        }).reduce((least, one) => one[0] < least[0] ? one : least, [99, ""]);
})()"""
NAMELESS = """[...document.querySelectorAll("input, select, button, a")].filter(e => !(e.labels?.length || e.textContent.trim() || e.ariaLabel)).map(e => e.outerHTML)"""
TEXT = "(document.getElementById('view')?.innerText ?? '')"


class Window(Browser):
    def go(self, url):
        self.call("Page.navigate", url=url)

    def waits_for(self, condition, what=""):
        deadline = time.monotonic() + PATIENCE_S
        while not self.evaluate(condition):
            if time.monotonic() > deadline:
                raise AssertionError(f"{condition} {what}: {self.evaluate(TEXT)} {self.errors}")
            time.sleep(0.01)

    def waits_for_text(self, text):
        self.waits_for(f"{TEXT}.includes({json.dumps(text)})")

    def types(self, text):
        self.call("Input.insertText", text=text)

    def strikes(self, key, code, virtual, text):
        event = {"key": key, "code": code, "windowsVirtualKeyCode": virtual}
        self.call("Input.dispatchKeyEvent", type="keyDown", text=text, **event)
        self.call("Input.dispatchKeyEvent", type="keyUp", **event)


class Console(Newcomer):
    def setUp(self):
        super().setUp()
        files = {f"/{i}": "".join(f"<a href=/{3 * i + k}>x</a>" for k in (1, 2, 3) if 3 * i + k < PAGES) for i in range(PAGES)}
        files["/robots.txt"] = (200, {"Content-Type": "text/plain"}, "User-agent: *\nDisallow: /private\n")
        files["/"] = f"<a href=/1>1</a><a href=/private>p</a><a href=/gone>g</a><a href=/x.png>i</a><a href='{LONG}'>l</a>"
        self.one = Site(files)
        self.addCleanup(self.one.close)
        self.ports.append(str(self.one.port))

    def begins(self, *words):
        process = subprocess.Popen(
            [self.program, *words], cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(lambda: (process.kill(), process.communicate()))
        return process

    def begins_crawl(self, *options):
        """A crawl that goes on for as long as a test needs, and the address of its console."""
        process = self.begins("crawl", self.one.url("/"), "--data", "data", "--delay", "100ms", "--user-agent", "me", "--exclude", "*.png", "--retries", "0",
                              "--set=network.allow_networks=127.0.0.0/8", f"--set=network.ports={','.join(self.ports)}", *options)
        deadline = time.monotonic() + PATIENCE_S
        already = len(self.one.requests)
        while len(self.one.requests) < already + 8:
            self.assertLess(time.monotonic(), deadline)
            self.assertIsNone(process.poll(), "it ended by itself")
            time.sleep(0.005)
        return process, "http://" + (self.folder / "data" / "contact").read_text().split()[0]

    def begins_console(self, *options):
        process = self.begins("console", "--data", "data", "--listen", "127.0.0.1:0", *options)
        line = next(line for line in process.stderr if line.startswith("The console of "))
        self.assertIn("The console of data is at http://127.0.0.1:", line)
        return process, line.split()[6].rstrip("/")

    def ends(self, process, code):
        process.send_signal(signal.SIGINT)
        out, errors = process.communicate(timeout=PATIENCE_S)
        self.assertEqual(code, process.returncode, out + errors)
        return out

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
        page = self.described(base, "/api/v1/domains?sort=fetched&order=asc&contains=127&limit=10")
        self.assertEqual(["127.0.0.1"], [row["domain"] for row in page["domains"]])
        self.assertEqual([], self.described(base, "/api/v1/domains?phase=blocked")["domains"])
        self.assertGreater(self.described(base, "/api/v1/domain?name=127.0.0.1")["record"]["known_urls"], 5)
        self.assertIsNone(self.described(base, "/api/v1/domain?name=never.test")["record"])
        self.assertEqual([], self.described(base, "/api/v1/domain?name=never.test")["outcomes"])
        outcomes = self.described(base, "/api/v1/domain?name=127.0.0.1")["outcomes"]
        times = [outcome["time_ms"] for outcome in outcomes]
        self.assertEqual(sorted(times, reverse=True), times)
        self.assertTrue({(200, None), (404, "http_4xx")} >= {(outcome["status"], outcome["cause"]) for outcome in outcomes if outcome["status"]}, outcomes)
        # A crawl on this machine deletes from its logs what was dealt with.
        if kind == "crawl":
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
            if kind == "folder" or workers and any(fine["pages_per_second"]):
                break
            self.assertLess(time.monotonic(), deadline, curves)
            time.sleep(0.05)
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
        deadline = time.monotonic() + PATIENCE_S
        while self.ask(base, "/api/v1/url?" + urllib.parse.urlencode({"url": self.one.url("/gone")}))[1]["answer"] != "gone":
            self.assertLess(time.monotonic(), deadline)
        self.every_question(base, "crawl")
        self.assertEqual(f"The crawl runs and has its console at {base}/\n", self.orbweaver("console", "--data", "data").stdout)
        self.ends(process, 4)
        process, base = self.begins_console()
        self.every_question(base, "folder")
        self.ends(process, 0)

    def test_strangers_are_turned_away(self):
        process, base = self.begins_crawl()
        for path in ("/", "/api/v1/overview", "/console.js"):
            request = urllib.request.Request(base + path, headers={"Host": "rebound.example"})
            with self.assertRaises(urllib.error.HTTPError) as refused:
                urllib.request.urlopen(request, timeout=PATIENCE_S)
            self.assertEqual(421, refused.exception.code)
            refused.exception.close()
        self.ends(process, 4)
        for address in ("0.0.0.0:0", "9600", "nowhere:1"):
            self.assertIn("IP:PORT of this machine alone", self.orbweaver("console", "--data", "data", "--listen", address, code=2).stderr)
        self.assertIn("unknown argument nonsense", self.orbweaver("console", "--data", "data", "nonsense", code=2).stderr)
        self.assertIn("no folder of `orbweaver crawl`", self.orbweaver("console", "--data", ".", code=2).stderr)
        # Where others may read it, there is no console: it asks for no token.
        process, base = self.begins_crawl("--console", "0.0.0.0:0", "--set=admin.token=secret")
        with self.assertRaises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(base + "/api/v1/overview", timeout=PATIENCE_S)
        self.assertEqual(404, refused.exception.code)
        refused.exception.close()
        self.ends(process, 4)

    def test_each_view_is_whole_at_each_width_and_in_each_theme(self):
        process, base = self.begins_crawl()
        views = (("#/", "How the crawl stands"), ("#/domains", "127.0.0.1"), ("#/domain/127.0.0.1", "What is known"), ("#/domain/never.test", "Nothing is known"),
                 ("#/url/" + urllib.parse.quote(self.one.url(LONG), safe=""), "very-long-name"),
                 ("#/url/mailto:x", "is no URL that is ever fetched"), ("#/domains?contains=nobody", "No domain matches"), ("#/url/%", "is no URL"))
        for dark in (False, True):
            with Window(dark=dark) as window:
                window.go(base + "/")
                for hash_, text in views:
                    window.evaluate(f"location.hash = {json.dumps(hash_)}")
                    window.waits_for_text(text)
                    for width in (1280, 390):
                        window.resize(width, 900)
                        with self.subTest(view=hash_[:40], width=width, dark=dark):
                            self.assertEqual([], window.evaluate(CLIPPED))
                            least, where = window.evaluate(CONTRAST)
                            self.assertGreaterEqual(least, 4.5, where)
                            self.assertEqual([], window.evaluate(NAMELESS))
                # Wrong questions are shown by Chromium as failed loads.
                self.assertEqual([], [error for error in window.errors if "status of 400" not in str(error)])
                self.assertEqual([], [url for url in window.requests if not url.startswith(base + "/")])
        self.ends(process, 4)

    def test_a_question_is_typed_and_a_table_is_sorted_by_keyboard(self):
        process, base = self.begins_crawl()
        with Window() as window:
            window.go(base + "/")
            window.waits_for_text("How the crawl stands")
            window.waits_for("document.getElementById('subject').textContent === 'data'")
            window.strikes("/", "Slash", 191, "/")
            window.types(self.one.url("/"))
            window.strikes("Enter", "Enter", 13, "\r")
            window.waits_for_text("It was fetched")
            window.evaluate("location.hash = '#/domains'")
            window.waits_for_text("127.0.0.1")
            window.evaluate("[...document.querySelectorAll('th button')].find(b => b.textContent === 'Fetched').focus()")
            window.strikes("Enter", "Enter", 13, "\r")
            window.waits_for("document.querySelector('[aria-sort=descending]')?.textContent === 'Fetched ▼'")
            self.assertIn("sort=fetched", window.evaluate("location.hash"))
            # The table is drawn anew, and the focus stays where it was.
            window.evaluate("document.querySelector('td a').focus(); window.before = document.activeElement; document.dispatchEvent(new Event('visibilitychange'))")
            window.waits_for("document.querySelector('td a') !== window.before")
            self.assertTrue(window.evaluate("document.activeElement === document.querySelector('td a')"))
            self.ends(process, 4)
            window.waits_for("!document.getElementById('trouble').hidden && document.getElementById('trouble').textContent.includes('the crawl has ended')")


if __name__ == "__main__":
    Console.program = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main()
