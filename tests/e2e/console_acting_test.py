"""Orders by the console's API: shown, done and seen in the crawl; and everybody who may not give them is refused.

python3 console_acting_test.py PROGRAM, by a Python that has jsonschema
"""

import http.client
import json
import os
import pathlib
import pty
import re
import shutil
import ssl
import subprocess
import sys
import unittest
import urllib.parse

import jsonschema

from background_crawl import PAGES, BackgroundCrawl
from synthetic_web import PATIENCE_S

ROOT = pathlib.Path(__file__).resolve().parents[2]
DESCRIPTION = json.loads((ROOT / "cli/console/openapi.json").read_text())
READ, ADMIN = "read-token-of-this-test", "admin-token-of-this-test"


class Acting(BackgroundCrawl):
    def endless(self, address="127.0.0.1"):
        return super().endless(address, {"/0": "".join(f"<a href=/{k}>x</a>" for k in (1, 2, 3)) + "<a href=/gone>g</a>"})

    def begins_crawl(self, *words):
        """Its process, its console's address and its token."""
        process = super().begins_crawl(*words, "--retries", "0")
        contact = self.folder / "data" / "contact"
        self.waits_until(contact.exists, process)
        address, token = contact.read_text().split()[:2]
        return process, address, token

    def ask(self, address, method, path, form=None, tls=None, **headers):
        """Status, headers and decoded body."""
        kind = http.client.HTTPSConnection if tls else http.client.HTTPConnection
        connection = kind(address, timeout=PATIENCE_S, **({"context": tls} if tls else {}))
        try:
            body = urllib.parse.urlencode(form) if form is not None else None
            connection.request(method, path, body, {name.replace("_", "-"): value for name, value in headers.items()})
            answer = connection.getresponse()
            text = answer.read().decode()
            return answer.status, answer.headers, json.loads(text) if answer.headers["Content-Type"] == "application/json" else text
        finally:
            connection.close()

    def order(self, address, token, name, code=200, preview=False, **form):
        path = f"/api/v1/orders/{name}"
        status, _, answer = self.ask(address, "POST", path + ("?preview=1" if preview else ""), form, Authorization=f"Bearer {token}")
        self.assertEqual(code, status, answer)
        if code == 200:
            self.fits(answer, "OrderEffect")
            self.assertEqual((name, preview), (answer["order"], answer["preview"]))
        return answer

    def fits(self, answer, schema):
        jsonschema.Draft202012Validator({"$ref": f"#/components/schemas/{schema}", "components": DESCRIPTION["components"]}).validate(answer)

    def logged_in(self, address, token, **headers):
        status, got, answer = self.ask(address, "POST", "/api/v1/login", {"token": token}, **headers)
        self.assertEqual(200, status, answer)
        self.fits(answer, "Session")
        return {"Cookie": got["Set-Cookie"].split(";")[0], "X_CSRF": answer["csrf"]}, got["Set-Cookie"]

    def journal(self, address, **headers):
        status, _, answer = self.ask(address, "GET", "/api/v1/orders", **headers)
        self.assertEqual(200, status, answer)
        self.fits(answer, "Journal")
        return answer["orders"]

    def test_an_order_is_shown_and_then_done_and_seen_in_the_crawl(self):
        one, two = self.endless(), self.endless("127.0.0.2")
        process, address, token = self.begins_crawl(one.url("/0"), two.url("/0"))
        self.waits_for_more(one, process)
        waiting = lambda name="purge": self.order(address, token, name, preview=True, domain="127.0.0.1")["touches"]
        self.waits_until(lambda: waiting()["waiting"] > 0, process)
        shown = self.order(address, token, "block", preview=True, domain="127.0.0.1", **{"for": "1h"})
        self.assertRegex(shown["says"], r"^holds back [\d,]+ requests? of 127\.0\.0\.1 until 20")
        # A preview is none: it goes on.
        self.waits_for_more(one, process)
        self.assertEqual([], self.journal(address))
        done = self.order(address, token, "block", domain="127.0.0.1", **{"for": "1h"})
        self.assertRegex(done["says"], r"^order written: 127\.0\.0\.1 is blocked until .*, once the running crawl has read it$")
        blocked = lambda: self.ask(address, "GET", "/api/v1/domain?name=127.0.0.1")[2]["queue"]["blocked"]
        self.waits_until(blocked, process)
        # The feed's rest is still fetched.
        while (asked := len(one.requests)) < PAGES / 2:
            self.waits_for_more(two, process)
            if asked == len(one.requests):
                break
        self.waits_for_more(two, process)
        self.assertEqual(asked, len(one.requests))
        self.assertRegex(self.order(address, token, "unblock", preview=True, domain="127.0.0.1")["says"], "^ends the block of 127")
        self.order(address, token, "unblock", domain="127.0.0.1")
        self.waits_for_more(one, process)
        self.waits_until(lambda: waiting("forget")["failed"] == 1, process)
        self.assertGreater(waiting("forget")["known_urls"], 20)
        self.assertEqual({"failed": 1, "domains": 1}, self.order(address, token, "requeue-failed", preview=True, domain="127.0.0.1")["touches"])
        self.order(address, token, "purge", domain="127.0.0.1")
        self.waits_until(lambda: waiting() == {"waiting": 0, "delayed": 0}, process)

        self.assertEqual(4, self.order(address, token, "pause", preview=True)["touches"]["partitions"])
        self.assertEqual("all 4 partitions are paused", self.order(address, token, "pause")["says"])
        status = lambda: self.ask(address, "GET", "/status")[2]
        self.waits_until(lambda: all(partition["paused"] for partition in status()["queue"]["partitions"]), process)
        self.assertEqual("partition 0 is resumed", self.order(address, token, "resume", partition="0")["says"])
        self.order(address, token, "resume")
        self.waits_for_more(two, process)
        self.assertEqual({"seeds": 2, "domains": 1}, self.order(address, token, "add-seeds", preview=True, urls=f"{one.url('/2998')}\n{one.url('/2999')}")["touches"])
        self.order(address, token, "add-seeds", urls=f"{one.url('/2998')}\n{one.url('/2999')}")
        self.waits_until(lambda: {"/2998", "/2999"} <= set(one.paths()), process)
        self.order(address, token, "add-seeds", 400, urls="mailto:x")
        self.assertEqual({"letters": 0, "put_back_before": 0, "others": 0}, self.order(address, token, "requeue-dead-letters", preview=True)["touches"])
        self.order(address, token, "drain", 404, worker="x")

        # An order of the command line stands beside them.
        self.orbweaver("purge", "127.0.0.2", "--data", "data")
        self.assertRegex(self.orbweaver("purge", "127.0.0.2", "--data", "data", "--dry-run").stdout, r"^It drops [\d,]+ requests? of 127\.0\.0\.2 that wait\. Nothing was done\.\n$")
        kept = self.journal(address)
        self.assertEqual(["purge", "add-seeds", "add-seeds", "resume", "resume", "pause", "purge", "unblock", "block"], [entry["order"] for entry in kept])
        self.assertEqual([True, False, True], [entry["done"] for entry in kept[:3]])
        self.assertEqual(({"domain": "127.0.0.1", "for": "1h"}, "admin", "127.0.0.1", done["says"]),
                         tuple(kept[-1][name] for name in ("parameters", "by", "from", "says")))
        self.assertRegex(kept[0]["by"], "^user .")
        self.ends(process, 4)
        for file in ("orders.jsonl", "crawl.yaml"):
            self.assertNotIn(token, (self.folder / "data" / file).read_text())

    def test_a_url_is_fetched_again(self):
        site = self.endless()
        process, address, token = self.begins_crawl(site.url("/0"))
        self.waits_for_more(site, process)
        shown = self.order(address, token, "reschedule", preview=True, url=site.url("/0"))
        self.assertRegex(shown["says"], rf"^fetches {site.url('/0')} again in its domain's turn; it was fetched at 20")
        self.assertEqual({"urls": 1, "requests_before_it": 0}, shown["touches"])
        self.assertEqual(1, site.paths().count("/0"))
        self.order(address, token, "reschedule", url=site.url("/0"))
        self.waits_until(lambda: site.paths().count("/0") == 2, process)
        is_fetched = lambda: self.ask(address, "GET", "/api/v1/url?" + urllib.parse.urlencode({"url": site.url("/0")}))[2]["facts"]["link"]["fetches"] == 2
        self.waits_until(is_fetched, process)
        self.assertIn("does not wait", self.order(address, token, "raise", 400, url=site.url("/0"))["error"])
        self.assertIn("never heard of", self.order(address, token, "reschedule", 400, url=site.url("/never"))["error"])
        self.assertIn("score '7'", self.order(address, token, "raise", 400, url=site.url("/0"), score="7")["error"])
        self.assertEqual([("reschedule", False), ("raise", False), ("reschedule", True)], [(entry["order"], entry["done"]) for entry in self.journal(address)])
        self.ends(process, 4)

    def test_a_browser_gets_in_by_a_link_once_and_acts_from_its_own_pages_only(self):
        site = self.endless()
        process, address, token = self.begins_crawl(site.url("/0"))
        purge = lambda form={"domain": "127.0.0.1"}, **headers: self.ask(address, "POST", "/api/v1/orders/purge?preview=1", form, **headers)[0]
        session = self.ask(address, "GET", "/api/v1/session")[2]
        self.fits(session, "Session")
        self.assertEqual((True, False, False, None), tuple(session[name] for name in ("may_read", "may_act", "needs_login", "csrf")))
        self.assertNotIn("drain", [order["name"] for order in session["orders"]])
        self.assertEqual(401, purge())
        told = self.orbweaver("console", "--data", "data").stdout
        self.assertRegex(told, rf"^The crawl runs and has its console at http://{address}/#login=[0-9a-f]{{32}}\n$")
        code = told.split("=")[1].strip()
        browser, cookie = self.logged_in(address, code, Origin=f"http://{address}", Sec_Fetch_Site="same-origin")
        self.assertRegex(cookie, rf"^orbweaver-{address.split(':')[1]}=[0-9a-f]{{32}}; Path=/; HttpOnly; SameSite=Strict$")
        self.assertEqual(200, purge(**browser))
        self.assertEqual(200, purge(**browser, Origin=f"http://{address}", Sec_Fetch_Site="same-origin"))
        self.assertTrue(self.ask(address, "GET", "/api/v1/session", Cookie=browser["Cookie"])[2]["may_act"])
        # The link was good once.
        self.assertEqual(401, self.ask(address, "POST", "/api/v1/login", {"token": code})[0])
        # Another page knows no csrf, and says where it comes from.
        self.assertEqual(403, purge(Cookie=browser["Cookie"]))
        self.assertEqual(403, purge(Cookie=browser["Cookie"], X_CSRF="0" * 32))
        self.assertEqual(403, purge(**browser, Origin="http://127.0.0.1:1"))
        self.assertEqual(403, purge(**browser, Sec_Fetch_Site="same-site"))
        self.assertEqual(421, purge(**browser, Host="rebound.example"))
        self.assertEqual(401, purge(X_CSRF=browser["X_CSRF"]))
        self.assertEqual(200, self.ask(address, "POST", "/api/v1/logout", {}, **browser)[0])
        self.assertEqual(401, purge(**browser))
        _, errors = self.ends(process, 4)
        self.assertNotIn(token, errors)
        self.assertNotIn(code, errors)

    def test_who_guesses_is_held_back_and_a_link_still_works(self):
        site = self.endless()
        process, address, token = self.begins_crawl(site.url("/0"))
        link = self.orbweaver("console", "--data", "data").stdout
        for _ in range(5):
            self.assertEqual(401, self.ask(address, "POST", "/api/v1/login", {"token": "guess"})[0])
        status, headers, _ = self.ask(address, "POST", "/api/v1/login", {"token": token})
        self.assertEqual((429, "60"), (status, headers["Retry-After"]))
        self.order(address, token, "purge", 429, preview=True, domain="127.0.0.1")
        self.assertEqual(429, self.ask(address, "POST", "/actions/purge", {"domain": "127.0.0.1"}, Authorization=f"Bearer {token}")[0])
        # Reading is free, and the crawl's user gets in.
        self.assertEqual(200, self.ask(address, "GET", "/api/v1/overview")[0])
        browser, _ = self.logged_in(address, link.split("=")[1].strip())
        self.assertEqual(200, self.ask(address, "POST", "/api/v1/orders/purge", {"domain": "127.0.0.1"}, **browser)[0])
        self.assertEqual("login link", self.journal(address)[0]["by"])
        self.ends(process, 4)

    def begins_console(self, *words):
        """`orbweaver console` at a terminal: the process, its address and the code of its login link, if it gave one."""
        leader, follower = pty.openpty()
        process = self.begins("console", "--data", "data", "--listen", "127.0.0.1:0", *words, stderr=follower)
        os.close(follower)
        self.addCleanup(os.close, leader)
        told = ""
        wants = 1 if "--read-only" in words else 2
        while told.count("\n") < wants:
            told += os.read(leader, 1000).decode()
        found = re.search(r"The console of data is at https?://(\S+)/ until Ctrl-C", told)
        code = re.search(r"#login=([0-9a-f]+)", told)
        return process, found[1], code and code[1]

    def a_crawl_that_rests(self):
        site = self.endless()
        process, _, _ = self.begins_crawl(site.url("/0"))
        self.waits_for_more(site, process)
        self.ends(process, 4)
        return site

    def test_a_crawl_that_rests_takes_orders_too(self):
        site = self.a_crawl_that_rests()
        process, address, code = self.begins_console()
        browser, _ = self.logged_in(address, code)
        give = lambda name, preview="", **form: self.ask(address, "POST", f"/api/v1/orders/{name}{preview}", form, **browser)[::2]
        shown = give("purge", "?preview=1", domain="127.0.0.1")[1]
        self.assertGreater(shown["touches"]["waiting"], 0)
        # The browser keeps this page open all the while, and the folder is free between two orders.
        done = give("purge", domain="127.0.0.1")[1]
        self.assertEqual(shown["touches"], done["touches"])
        self.assertEqual("order written: 127.0.0.1 has no requests in the queue, and its URLs may be scheduled again, once its crawl goes on", done["says"])
        self.assertEqual(404, give("pause")[0])
        self.assertEqual(200, give("add-seeds", urls=site.url("/2999"))[0])
        self.orbweaver("block", "127.0.0.1", "--for", "1s", "--data", "data")
        (self.folder / "more.txt").write_text(site.url("/2998"))
        self.orbweaver("seeds", "add", "more.txt", "--data", "data")
        self.assertIn("1 failed URL will be tried again: ", self.orbweaver("requeue", "--cause", "http_4xx", "--data", "data").stdout)
        kept = self.journal(address)
        self.assertEqual([("requeue-failed", {"cause": "http_4xx"}), ("add-seeds", {"file": "more.txt"}), ("block", {"domain": "127.0.0.1"}),
                          ("add-seeds", {"urls": site.url("/2999")}), ("purge", {"domain": "127.0.0.1"})], [(entry["order"], entry["parameters"]) for entry in kept])
        self.assertEqual(["user"] * 3 + ["login"] * 2, [entry["by"].split()[0] for entry in kept])
        # Once the crawl runs again, it takes its orders itself.
        crawl, _, _ = self.begins_crawl()
        status, refused = give("purge", domain="127.0.0.1")
        self.assertEqual(503, status)
        self.assertIn("takes orders itself. Its console is at http://127.0.0.1:", refused["error"])
        self.waits_until(lambda: "/2999" in site.paths(), crawl)
        self.ends(crawl, 4)
        self.ends(process, 0)

    def test_a_read_only_console_takes_no_orders(self):
        self.a_crawl_that_rests()
        process, address, code = self.begins_console("--read-only", f"--set=admin.token={ADMIN}")
        self.assertIsNone(code)
        self.assertTrue(self.ask(address, "GET", "/api/v1/session")[2]["read_only"])
        self.assertIn("read-only", self.order(address, ADMIN, "purge", 403, domain="127.0.0.1")["error"])
        browser, _ = self.logged_in(address, ADMIN)
        self.assertEqual(403, self.ask(address, "POST", "/api/v1/orders/purge", {"domain": "127.0.0.1"}, **browser)[0])
        self.ends(process, 0)

    def test_where_other_machines_reach_it_both_tokens_are_needed(self):
        self.a_crawl_that_rests()
        for words, says in (((), "console.read_token is not set"), ((f"--set=console.read_token={READ}",), "admin.token is not set"),
                            ((f"--set=console.read_token={READ}", "--set=admin.token=short"), "admin.token has fewer than 16 characters"),
                            ((f"--set=console.read_token={READ}", f"--set=admin.token={READ}"), "are the same")):
            for command in (["console", "--listen"], ["crawl", "--console"]):
                self.assertIn(says, self.orbweaver(*command, "0.0.0.0:0", "--data", "data", *words, code=2).stderr)
        process, address, _ = self.begins_console("--listen=0.0.0.0:0", f"--set=console.read_token={READ}", f"--set=admin.token={ADMIN}")
        address = address.replace("0.0.0.0", "127.0.0.1")
        for path, code in (("/", 200), ("/healthz", 200), ("/api/v1/session", 200), ("/api/v1/overview", 401), ("/api/v1/orders", 401), ("/status", 401), ("/x", 404)):
            self.assertEqual(code, self.ask(address, "GET", path)[0], path)
        self.assertTrue(self.ask(address, "GET", "/api/v1/session")[2]["needs_login"])
        self.assertEqual(200, self.ask(address, "GET", "/api/v1/overview", Authorization=f"Bearer {READ}")[0])
        self.order(address, READ, "purge", 401, domain="127.0.0.1")
        self.order(address, ADMIN, "purge", preview=True, domain="127.0.0.1")
        reader, _ = self.logged_in(address, READ)
        self.assertEqual(200, self.ask(address, "GET", "/api/v1/overview", **reader)[0])
        self.assertEqual(403, self.ask(address, "POST", "/api/v1/orders/purge", {"domain": "127.0.0.1"}, **reader)[0])
        self.ends(process, 0)

    def test_tls(self):
        self.a_crawl_that_rests()
        for name in ("one", "two"):
            subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "1", "-subj", "/CN=test",
                            "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", f"{name}.key", "-out", f"{name}.pem"], cwd=self.folder, check=True, capture_output=True)
        refuse = lambda *words: self.orbweaver("console", "--data", "data", "--listen", "127.0.0.1:0", *words, code=None)
        self.assertIn("TLS needs both files", refuse("--tls-cert", "one.pem").stderr)
        self.assertIn("read the certificate none.pem: No such file", refuse("--tls-cert", "none.pem", "--tls-key", "one.key").stderr)
        self.assertIn("two.key: it is not the key of the certificate one.pem", refuse("--tls-cert", "one.pem", "--tls-key", "two.key").stderr)
        process, address, code = self.begins_console("--tls-cert", "one.pem", "--tls-key", "one.key")
        trusts = ssl.create_default_context(cafile=self.folder / "one.pem")
        status, headers, _ = self.ask(address, "POST", "/api/v1/login", {"token": code}, tls=trusts, Origin=f"https://{address}")
        self.assertEqual(200, status)
        self.assertRegex(headers["Set-Cookie"], r"^__Host-orbweaver-\d+=.*; HttpOnly; SameSite=Strict; Secure$")
        self.assertEqual(200, self.ask(address, "GET", "/", tls=trusts)[0])
        with self.assertRaises((http.client.HTTPException, OSError)):
            self.ask(address, "GET", "/")
        # It is renewed while the console runs; what cannot be used is passed over.
        shown = lambda: ssl.get_server_certificate(tuple(address.split(":")))
        former, renewed = ((self.folder / f"{name}.pem").read_text() for name in ("one", "two"))
        self.assertEqual(former, shown())
        (self.folder / "one.pem").write_text(renewed)
        self.assertEqual(former, shown())
        shutil.copy(self.folder / "two.key", self.folder / "one.key")
        self.assertEqual(renewed, shown())
        self.assertEqual(200, self.ask(address, "GET", "/healthz", tls=ssl.create_default_context(cafile=self.folder / "two.pem"))[0])
        self.ends(process, 0)
        # The commands of the same machine find a crawl with TLS too.
        crawl, address, _ = self.begins_crawl("--set=console.tls_cert=one.pem", "--set=console.tls_key=one.key")
        self.assertIn(f"at https://{address}/#login=", self.orbweaver("console", "--data", "data").stdout)
        self.assertIn("once the running crawl has read it", self.orbweaver("purge", "127.0.0.1", "--data", "data").stdout)
        self.ends(crawl, 4)


if __name__ == "__main__":
    Acting.program = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main()
