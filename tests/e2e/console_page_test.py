"""The console's page in a browser, on a crawl that runs.

python3 console_page_test.py PROGRAM AXE, where AXE is the file axe.min.js
"""

import json
import pathlib
import sys
import unittest
import urllib.parse

from console_crawl import LONG, ConsoleCrawl
from console_window import BARE_NUMBERS, MOMENTS, TEXT, Window

FOCUSED = "[document.activeElement.tagName, document.activeElement.textContent || document.activeElement.id].join(' ')"
HIDE = """Object.defineProperty(document, "hidden", {configurable: true, get: () => %s}); document.dispatchEvent(new Event("visibilitychange"))"""


class ConsolePage(ConsoleCrawl):
    def views(self):
        """Of each the address behind #, and a text that stands in it."""
        url = lambda path: "#/url/" + urllib.parse.quote(self.one.url(path), safe="")
        return (("#/", "How the crawl stands"), ("#/domains", "127.0.0.1"), ("#/domain/127.0.0.1", "Last fetches"), ("#/curves", "Pages a second"),
                ("#/curves?range=7d", "Pages a second"), ("#/workers", "strategy-worker"), ("#/dead-letters", "There are none"), ("#/orders", "Given so far"), ("#/login", "Token"),
                ("#/domain/never.test", "Nothing is known"), (url(LONG), "very-long-name"), (url("/" + "unbroken" * 80), "never heard of"),
                ("#/url/mailto:" + urllib.parse.quote("שלום עולם " * 30), "is no URL that is ever fetched"), ("#/domains?contains=nobody", "No domain matches"), ("#/url/%", "is no URL"))

    AT_REST = (("#/", "How the crawl stands"), ("#/curves", "Curves"), ("#/domains", "127.0.0.1"), ("#/domain/127.0.0.1", "What is known"),
               ("#/workers", "No worker has told of itself yet"), ("#/dead-letters", "There are none"), ("#/orders", "None."))

    def test_each_view_is_whole_and_for_everybody_at_each_width_and_in_each_theme(self):
        process, base = self.begins_crawl()
        for dark in (False, True):
            with Window(dark=dark) as window:
                window.go(base + "/")
                for hash_, text in self.views():
                    window.evaluate(f"location.hash = {json.dumps(hash_)}")
                    window.waits_for_text(text)
                    for width in (1280, 390):
                        window.resize(width, 900)
                        with self.subTest(view=hash_[:40], width=width, dark=dark):
                            self.assertEqual([], window.clipped())
                            for told, absolute, machine in window.evaluate(MOMENTS):
                                self.assertRegex(told, r"^(now|in [\d.,]+ (ms|s|min|h|d)|[\d.,]+ (ms|s|min|h|d) ago)$")
                                self.assertRegex(absolute, r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$")
                                self.assertEqual(absolute[:19], machine[:19].replace("T", " "))
                            self.assertEqual([], window.evaluate(BARE_NUMBERS))
                            window.evaluate("document.documentElement.dir = 'rtl'")
                            self.assertEqual([], window.clipped())
                            window.evaluate("document.documentElement.dir = ''")
                            if dark == (width < 600):  # each theme and each width once: it takes its time
                                self.assertEqual([], window.serious_findings())
                # Wrong questions are shown by Chromium as failed loads.
                self.assertEqual([], [error for error in window.errors if "status of 400" not in str(error)])
                self.assertEqual([], [url for url in window.requests if not url.startswith(base + "/")])
        self.ends(process, 4)

    def test_every_view_is_walked_through_by_the_key_tab_and_the_focus_is_seen(self):
        process, base = self.begins_crawl()
        with Window() as window:
            window.go(base + "/")
            self.logs_in(window, base)
            for hash_, text in self.views():
                window.evaluate(HIDE % "false" + f"; location.hash = {json.dumps(hash_)}")
                window.waits_for_text("Logged in" if hash_ == "#/login" else text)
                window.evaluate(HIDE % "true")  # it is not drawn anew meanwhile
                with self.subTest(view=hash_[:40]):
                    self.assertEqual([], window.unreachable())
        self.ends(process, 4)

    def test_numbers_have_separators_and_units(self):
        process, base = self.begins_crawl()
        with Window() as window:
            window.go(base + "/")
            window.waits_for_text("How the crawl stands")
            written = window.evaluate("import(document.querySelector('script[type=module]').src.replace('console.js', 'format.js')).then(({count, short, rate, percent, bytes, span}) =>"
                                      "[count(1234567), short(1234567), rate(1234.56), percent(.123), bytes(1234567), bytes(999), span(.0123), span(59), span(90), span(5400), span(1e6)])")
            self.assertEqual(["1,234,567", "1.2M", "1,234.6/s", "12 %", "1.2 MB", "999 B", "12 ms", "59 s", "1.5 min", "1.5 h", "11.6 d"], written)
        self.ends(process, 4)

    def test_a_question_is_typed_and_a_table_is_sorted_by_keyboard(self):
        process, base = self.begins_crawl()
        with Window() as window:
            window.go(base + "/")
            window.waits_for_text("How the crawl stands")
            window.waits_for("document.getElementById('subject').textContent === 'data'")
            window.strikes("/")
            self.assertEqual("INPUT query", window.evaluate(FOCUSED))
            window.strikes("Escape")
            self.assertTrue(window.evaluate("document.activeElement === document.getElementById('view')"))
            # From the top, in the order in which one reads.
            window.evaluate("document.activeElement.blur(); getSelection().removeAllRanges(); document.querySelector('.brand a').focus()")
            order = []
            while not order or "query" not in order[-1]:
                order.append(window.evaluate(FOCUSED))
                window.strikes("Tab")
                self.assertLess(len(order), 20, order)
            self.assertEqual(["A Orbweaver", "A Overview", "A Curves", "A Domains", "A Workers", "A Dead letters", "A Orders", "A Log in", "INPUT query"], order)
            for asked, text in (("crawl", "All workers"), ("127.0.0.1", "Last fetches"), (self.one.url("/"), "It was fetched")):
                window.strikes("/")
                window.evaluate("document.getElementById('query').select()")
                window.types(asked)
                window.strikes("Enter")
                window.waits_for_text(text)
                window.strikes("Escape")
            window.evaluate("location.hash = '#/domains'")
            window.waits_for_text("127.0.0.1")
            window.evaluate("[...document.querySelectorAll('th button')].find(b => b.textContent === 'Fetched').focus()")
            window.strikes("Enter")
            window.waits_for("document.querySelector('[aria-sort=descending]')?.textContent === 'Fetched ▼'")
            self.assertIn("sort=fetched", window.evaluate("location.hash"))
            # The table is drawn anew, and the focus stays where it was.
            window.evaluate("document.querySelector('td a').focus(); window.before = document.activeElement; document.dispatchEvent(new Event('visibilitychange'))")
            window.waits_for("document.querySelector('td a') !== window.before")
            self.assertTrue(window.evaluate("document.activeElement === document.querySelector('td a')"))
            self.ends(process, 4)
            window.waits_for("!document.getElementById('trouble').hidden && document.getElementById('trouble').textContent.includes('the crawl has ended')")

    def test_a_folder_at_rest_is_shown_and_what_is_missing_is_said(self):
        process, _ = self.begins_crawl()
        self.ends(process, 4)
        process, base = self.begins_console()
        with Window(width=390) as window:
            window.go(base + "/")
            for hash_, text in (*self.AT_REST, ("#/nonsense/x", "This address leads nowhere: #/nonsense/x."), ("#/domain", "No such view")):
                window.evaluate(f"location.hash = {json.dumps(hash_)}")
                window.waits_for_text(text)
                self.assertEqual([], window.clipped(), hash_)
                self.assertEqual([], window.serious_findings(), hash_)
            window.evaluate("location.hash = '#/domain/127.0.0.1'")
            window.waits_for_text("Last fetches")
            window.waits_for("document.querySelectorAll('tbody tr').length >= 8")
            self.assertEqual([], window.errors)
        self.ends(process, 0)

    def test_an_alert_says_what_to_do_and_a_stage_how_it_spends_its_time(self):
        process, base = self.begins_crawl()
        with Window() as window:
            window.go(base + "/#/workers")
            window.waits_for_text("strategy-worker")
            # None can be had at once from a crawl that is well: one is put into the answer, and so is a hot partition.
            alert = {"name": "TooFarBehind", "severity": "critical", "since_ms": 1, "says": "שלום " + "unbroken" * 60, "advice": "start more of them"}
            stages = [{"name": "spiders", "busy": 0.82, "waits_for_input": 0.178, "waits_for_output": 0.002},
                      {"name": "strategy workers", "busy": None, "waits_for_input": None, "waits_for_output": None}]
            window.evaluate(f"const real = window.fetch; window.fetch = async (...all) => {{ const answer = await (await real(...all)).json();"
                            f"if (answer.status) {{ answer.status.hot_partitions = ['partition 2 has 60 % of what the strategy workers read, 2.4 times the mean'];"
                            f"Object.assign(answer.status.groups[0].partitions[2], {{share: 0.6, is_hot: true}}); }}"
                            f"return Response.json({{...answer, alerts: [{json.dumps(alert)}], stages: {json.dumps(stages)}}}); }}; location.hash = '#/'")
            for text in ("Partition 2 has 60 % of what the strategy workers read, 2.4 times the mean.", " 60 % hot", "Critical: ", "Start more of them.", "TooFarBehind, ", "busy 82 %, waits for input 18 %"):
                window.waits_for_text(text)
            for width in (1280, 390):
                window.resize(width, 900)
                self.assertEqual([], window.clipped())
            self.assertEqual([], window.serious_findings())
            self.assertEqual(1, window.evaluate("document.querySelectorAll('.bar').length"))
            self.assertEqual(1, window.evaluate("document.querySelectorAll('tbody .hot').length"))
        self.ends(process, 4)

    def test_a_domain_tells_its_urls_by_their_state_and_shows_robots_txt_as_it_was_fetched(self):
        process, base = self.begins_crawl()
        with Window(width=390) as window:
            window.go(base + "/#/domain/127.0.0.1")
            window.waits_for_text("By their state")
            window.waits_for(f"/\\d fetched · [\\d,]+ scheduled.* failed for good/.test({TEXT})")
            window.waits_for_text("status 200: its rules hold")
            window.evaluate("document.querySelector('summary').click()")
            window.waits_for("document.querySelector('details pre').innerText === 'User-agent: *\\nDisallow: /private\\n'")
            # It stays open while the view is drawn anew.
            window.evaluate("window.before = document.querySelector('details'); document.dispatchEvent(new Event('visibilitychange'))")
            window.waits_for("document.querySelector('details') !== window.before")
            self.assertTrue(window.evaluate("document.querySelector('details').open"))
            self.assertEqual([], window.clipped())
            self.assertEqual([], window.serious_findings())
        self.ends(process, 4)

    def test_a_curve_tells_its_values_at_the_arrow_keys_and_waits_for_who_reads_it(self):
        process, base = self.begins_crawl()
        with Window() as window:
            window.go(base + "/#/curves")
            window.waits_for("document.querySelector('.plot path.s0')?.getAttribute('d').includes('L')")  # two looks, five seconds apart
            window.evaluate("window.plot = document.querySelector('.plot'); window.plot.querySelector('svg').focus()")
            window.strikes("ArrowLeft")
            self.assertRegex(window.evaluate("window.plot.querySelector('figcaption').textContent"), r"^Pages a second \d{4}-\d\d-\d\d \d\d:\d\d UTC$")
            self.assertRegex(window.evaluate("window.plot.querySelector('.legend').textContent"), r"^fetched [\d.,]+/sfailed [\d.,]+/s$")
            window.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
            window.evaluate("new Promise(then => { new MutationObserver(() => then()).observe("
                            "document.getElementById('footer'), {childList: true}); })")
            self.assertTrue(window.evaluate("window.plot.isConnected"))
            window.strikes("Escape")
            self.assertEqual("Pages a second ", window.evaluate("window.plot.querySelector('figcaption').textContent"))
        self.ends(process, 4)

    def logs_in(self, window, base):
        """By the link that a terminal shows."""
        told = self.orbweaver("console", "--data", "data").stdout
        link = next(word for word in told.split() if "#login=" in word)
        window.go(link)
        window.waits_for("document.getElementById('login')?.textContent === 'Log out'")
        self.assertEqual("#/", window.evaluate("location.hash"))
        return link

    def test_a_url_is_fetched_again_from_its_own_view(self):
        process, base = self.begins_crawl()
        with Window() as window:
            window.go(base + "/")
            self.logs_in(window, base)
            self.waits_until(lambda: "/" in self.one.paths())
            window.evaluate(f"location.hash = '#/url/' + encodeURIComponent('{self.one.url('/')}')")
            window.waits_for_text("Fetch again…")
            window.evaluate("[...document.querySelectorAll('button')].find(b => b.textContent === 'Fetch again…').focus()")
            window.strikes("Enter")
            # The URL is filled in, so what the order does is shown at once.
            window.waits_for("document.activeElement.className === 'act'")
            self.assertIn("It fetches", window.evaluate("document.querySelector('dialog .told').innerText"))
            self.assertEqual([], window.clipped())
            self.assertEqual([], window.serious_findings())
            window.strikes("Enter")
            window.waits_for("document.querySelector('dialog .told').innerText.includes('Done: ')")
            self.waits_until(lambda: self.one.paths().count("/") == 2)

    def test_a_domain_is_blocked_and_let_go_by_keyboard_and_the_journal_says_so(self):
        process, base = self.begins_crawl()
        with Window() as window:
            window.go(base + "/#/orders")
            window.waits_for_text("You may look, and give no orders.")
            link = self.logs_in(window, base)
            for width, order in ((1280, "Block"), (390, "Unblock")):
                window.resize(width, 900)
                window.evaluate("location.hash = '#/domain/127.0.0.1'")
                window.waits_for_text(order + "…")
                window.evaluate(f"[...document.querySelectorAll('button')].find(b => b.textContent === '{order}…').focus()")
                window.strikes("Enter")
                if order == "Block":
                    window.waits_for("document.activeElement.name === 'for'")
                    window.strikes("Enter")
                # The counts come before the deed, and the button for it has the focus.
                window.waits_for("document.activeElement.className === 'act'")
                self.assertRegex(window.evaluate("document.querySelector('.touches').innerText"), r"[\d,]+ waiting")
                self.assertEqual([], window.clipped())
                self.assertEqual([], window.serious_findings())
                window.strikes("Enter")
                window.waits_for(f"document.querySelector('dialog .told').innerText.includes('Done: ')")
                self.assertIn("127.0.0.1", window.evaluate("document.querySelector('dialog .told').innerText"))
                window.strikes("Escape")
                window.waits_for("document.querySelector('dialog') === null")
                self.assertEqual(order + "…", window.evaluate("document.activeElement.textContent"))
                # The crawl does as the page says.
                blocked = lambda: json.loads(self.orbweaver("inspect", "domain", "127.0.0.1", "--data", "data").stdout)["queue"]["blocked"]
                self.waits_until(lambda: blocked() == (order == "Block"))
            window.evaluate("location.hash = '#/orders'")
            window.waits_for_text("login link")
            self.assertEqual(["unblock", "block"], window.evaluate("[...document.querySelectorAll('td:nth-child(2)')].map(cell => cell.textContent)"))
            self.assertEqual([], window.serious_findings())
            # A wrong order says what is wrong, and does nothing.
            window.evaluate("[...document.querySelectorAll('button')].find(b => b.textContent === 'Block…').click(); document.querySelector('dialog [name=domain]').value = '%'; "
                            "document.querySelector('dialog form').requestSubmit()")
            window.waits_for("document.querySelector('dialog .wrong') !== null")
            self.assertTrue(window.evaluate("document.querySelector('dialog .act').hidden"))
            window.strikes("Escape")
            window.evaluate("location.hash = '#/login'")
            window.waits_for_text("Log out")
            window.evaluate("[...document.querySelectorAll('main button')].find(b => b.textContent === 'Log out').click()")
            window.waits_for("document.getElementById('login').textContent === 'Log in'")
            window.evaluate("location.hash = '#/orders'")
            window.waits_for_text("You may look, and give no orders.")
            # The link was good once.
            window.go("about:blank")
            window.go(link)
            window.waits_for_text("its login link was used already")
            self.assertNotIn("login=", window.evaluate("location.href"))
        self.ends(process, 4)

    def test_who_has_to_log_in_is_asked_for_the_token(self):
        token = "a-token-that-lets-look"
        process, base = self.begins_crawl(f"--set=console.read_token={token}")
        with Window() as window:
            window.go(base + "/#/domains")
            window.waits_for_text("Token")
            self.assertEqual([], window.serious_findings())
            for typed, text in (("wrong", "This is no token of this console"), (token, "How the crawl stands")):
                window.evaluate("document.querySelector('[name=token]').focus(); document.activeElement.select()")
                window.types(typed)
                window.strikes("Enter")
                window.waits_for_text(text)
            window.waits_for("document.getElementById('subject').textContent === 'data'")
            window.evaluate("location.hash = '#/orders'")
            window.waits_for_text("You may look, and give no orders.")
        self.ends(process, 4)

    def test_a_tab_that_nobody_looks_at_asks_nothing_and_then_goes_on(self):
        process, base = self.begins_crawl()
        with Window() as window:
            window.go(base + "/")
            window.waits_for_text("How the crawl stands")
            window.evaluate("window.asked = 0; const real = window.fetch; window.fetch = (...all) => { ++window.asked; return real(...all); }; 0")
            window.waits_for("window.asked >= 1")  # it asks again and again
            window.evaluate(HIDE % "true" + "; window.asked = 0")
            # Longer than between two questions of this view.
            window.evaluate("new Promise(then => setTimeout(then, 2500))")
            self.assertEqual(0, window.evaluate("window.asked"))
            window.evaluate(HIDE % "false")
            window.waits_for("window.asked >= 2")
        self.ends(process, 4)

    def test_a_view_is_one_request_and_an_answer_that_stays_the_same_is_not_sent_again(self):
        process, _ = self.begins_crawl()
        self.ends(process, 4)
        process, base = self.begins_console()
        with Window() as window:
            window.go(base + "/")
            window.waits_for("document.getElementById('subject')?.textContent === 'data'")
            window.evaluate("""window.answers = []; const real = window.fetch;
                window.fetch = async (...all) => { const answer = await real(...all); window.answers.push([all[0], answer.status]); return answer; }; 0""")
            for hash_, text in (*self.AT_REST, ("#/url/%", "is no URL")):
                # The first time, and once more when the tab is looked at again.
                window.evaluate("location.hash = '#/nonsense'")
                window.waits_for_text("leads nowhere")
                window.evaluate(f"window.answers = []; location.hash = {json.dumps(hash_)}")
                window.waits_for_text(text)
                window.evaluate("window.footer = document.getElementById('footer').firstElementChild; document.dispatchEvent(new Event('visibilitychange'))")
                window.waits_for("window.answers.length >= 2 && document.getElementById('footer').firstElementChild !== window.footer")
                (first, status), (again, status_again), *more = window.evaluate("window.answers")
                self.assertEqual((first, []), (again, more), hash_)
                if hash_ in ("#/curves", "#/workers", "#/dead-letters"):
                    self.assertEqual((200, 304), (status, status_again), hash_)
                self.assertIn(text, window.evaluate("document.getElementById('view').innerText"))
                self.assertTrue(window.evaluate("document.getElementById('trouble').hidden"))
        self.ends(process, 0)

    def test_a_page_goes_on_after_the_network_was_away_and_after_the_machine_slept(self):
        process, base = self.begins_crawl()
        with Window() as window:
            window.go(base + "/#/domains")  # a view that asks every ten seconds
            window.waits_for_text("127.0.0.1")
            window.waits_for("document.getElementById('subject')?.textContent === 'data'")
            offline = lambda is_offline: window.call("Network.emulateNetworkConditions", offline=is_offline, latency=0, downloadThroughput=-1, uploadThroughput=-1)
            offline(True)
            window.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
            window.waits_for("!document.getElementById('trouble').hidden")
            # When it is back it asks at once, and not when it would have asked.
            window.evaluate("window.asked = 0; const real = window.fetch; window.fetch = (...all) => { ++window.asked; return real(...all); }; "
                            "const wait = window.setTimeout; window.setTimeout = (then, ms) => wait(then, ms >= 1000 ? 1e8 : ms); 0")
            offline(False)
            window.waits_for("window.asked === 1")
            # So does a page that was frozen.
            window.evaluate("document.dispatchEvent(new Event('resume'))")
            window.waits_for("window.asked === 2 && document.getElementById('trouble').hidden")
        self.ends(process, 4)


if __name__ == "__main__":
    Window.axe = pathlib.Path(sys.argv.pop(2)).read_text()
    ConsolePage.program = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main()
