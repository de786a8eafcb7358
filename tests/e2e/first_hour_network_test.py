"""The crawler's name, its way out, its rate and its limits, by the options of `orbweaver crawl`: python3 first_hour_network_test.py PROGRAM"""

import gzip
import json
import pathlib
import ssl
import subprocess
import sys
import threading
import unittest

from newcomer import Newcomer
from small_proxies import HttpProxy, SocksProxy
from synthetic_web import PATIENCE_S


class Network(Newcomer):
    def go(self, *arguments, code=0, agent="mybot (+https://example.org/bot)"):
        """A crawl as a user types it, but for the delay. Its sites and proxies are on this machine."""
        return self.orbweaver("crawl", *arguments, "--user-agent", agent, "--delay", "10ms", code=code)

    def kept(self, data="crawl-data"):
        file, = self.folder.glob(f"{data}/**/crawl.yaml")
        return file

    def sent(self, site, name):
        """The values of a header by path; None where it was not sent."""
        return {path: headers.get(name) for path, headers in site.requests}


class OwnMachine(Network):
    def test_localhost_and_any_port_work_when_they_are_named(self):
        site = self.site({"/": "<a href=/a>a</a>", "/a": "a"})
        done = self.go(f"http://localhost:{site.port}/")
        self.assertEqual(["/robots.txt", "/", "/a"], site.paths(), done.stdout)
        # And the folder goes on so.
        self.orbweaver("crawl")

    def test_a_loopback_address_works_when_it_is_named(self):
        site = self.site({"/": "hello"})
        self.go(site.url("/"))
        self.assertIn("/", site.paths())

    def test_a_link_leads_to_no_other_port_of_this_machine(self):
        other = self.site({"/": "secrets"})
        site = self.site({"/": f"<a href=http://localhost:{other.port}/>x</a><a href=http://127.0.0.1:{other.port}/>y</a>"})
        done = self.go(f"http://localhost:{site.port}/", "--max-wait", "1s", "--duration", "20s", code=None)
        self.assertEqual(["/robots.txt", "/"], site.paths())
        self.assertEqual([], other.paths(), done.stdout)

    def test_names_of_the_hosts_file_are_known(self):
        site = self.site({"/": "hello"})
        hosts = self.folder / "hosts"
        hosts.write_text("127.0.0.1 wiki.corp\n")
        self.go(f"http://wiki.corp:{site.port}/", f"--set=network.hosts_file={hosts}")
        self.assertEqual([f"wiki.corp:{site.port}"] * 2, [headers["Host"] for _, headers in site.requests])

    def test_fetch_and_other_commands_take_localhost_too(self):
        site = self.site({"/": "hello"})
        done = self.orbweaver("fetch", f"http://localhost:{site.port}/")
        self.assertIn("status    200", done.stdout)


class Secrets(Network):
    def two_sites(self):
        other = self.site({"/": "other", "/from": "other"})
        mine = self.site({"/": f"<a href=/away>x</a><a href=/inside>y</a><a href=http://localhost:{other.port}/from>z</a>",
                          "/away": (302, {"Location": f"http://localhost:{other.port}/"}, ""),
                          "/inside": (302, {"Location": "/end"}, ""), "/end": "end"})
        return mine, other

    def crawl_both(self, mine, other, *arguments):
        return self.go(mine.url("/"), f"http://localhost:{other.port}/from", *arguments)

    def assert_hidden(self, done, *secrets, out=None):
        """Neither said nor written anywhere but to the file of the options, which is for its owner alone."""
        self.assertEqual(0o600, self.kept().stat().st_mode & 0o777)
        shown = done.stdout + done.stderr
        shown += self.orbweaver("config", "show", "--config", self.kept()).stdout
        for file in (self.folder / out).rglob("*") if out else ():
            data = file.read_bytes()
            shown += (gzip.decompress(data) if file.suffix == ".gz" else data).decode("utf-8", "replace")
        for secret in secrets:
            self.assertNotIn(secret, shown)

    def test_a_header_goes_to_its_host_and_to_no_other(self):
        mine, other = self.two_sites()
        done = self.crawl_both(mine, other, "--header", f"127.0.0.1:{mine.port}", "Authorization: Bearer hush", "--out", "out")
        self.assertEqual({"Bearer hush"}, set(self.sent(mine, "Authorization").values()))
        self.assertIn("/end", mine.paths())
        self.assertIn("/", other.paths())
        self.assertEqual({None}, set(self.sent(other, "Authorization").values()))
        self.assert_hidden(done, "hush", out="out")
        # It is kept, and a change of it is said without the value.
        done = self.orbweaver("crawl", "--header", f"127.0.0.1:{mine.port}", "Authorization: Bearer quiet", "--dry-run")
        self.assertIn("Changed and kept: ", done.stderr)
        self.assert_hidden(done, "hush", "quiet")

    def test_a_header_without_its_host_is_refused_and_not_repeated(self):
        for arguments in (("--header", "Authorization: Bearer hush", "http://localhost/"), ("--header", "Authorization: hush"),
                          ("--header=Authorization: hush",), ("--header", "*", "Authorization: hush", "http://localhost/"),
                          ("--header", "localhost", "Host: hush", "http://localhost/")):
            with self.subTest(arguments):
                done = self.orbweaver("crawl", *arguments, code=2)
                self.assertIn("--header", done.stderr)
                self.assertNotIn("hush", done.stderr)
        self.assertEqual([], list(self.folder.iterdir()))

    def test_cookies_of_a_file_go_where_they_belong(self):
        mine, other = self.two_sites()
        (self.folder / "cookies.txt").write_text(
            "# Netscape HTTP Cookie File\n\n#HttpOnly_127.0.0.1\tFALSE\t/\tFALSE\t0\tsession\thush\n"
            "127.0.0.1\tFALSE\t/end\tFALSE\t4102444800\tdeep\t1\n127.0.0.1\tFALSE\t/\tTRUE\t0\tsecure\t1\n"
            "127.0.0.1\tFALSE\t/\tFALSE\t1000000000\told\t1\nexample.org\tTRUE\t/\tFALSE\t0\tforeign\t1\n")
        done = self.crawl_both(mine, other, "--cookies", "cookies.txt", "--out", "out")
        sent = self.sent(mine, "Cookie")
        self.assertEqual("session=hush", sent["/"])
        self.assertEqual("deep=1; session=hush", sent["/end"])
        self.assertEqual({None}, set(self.sent(other, "Cookie").values()))
        self.assertRegex(done.stderr, r"Cookies: 5 from .*/cookies\.txt; expired and not sent: 1\.")
        self.assert_hidden(done, "hush", out="out")

    def test_what_is_no_file_of_cookies_is_refused(self):
        (self.folder / "cookies.json").write_text('{"session": "hush"}')
        done = self.go("http://localhost/", "--cookies", "cookies.json", code=2)
        self.assertIn("--cookies 'cookies.json': line 1 is no cookie", done.stderr)
        self.assertNotIn("hush", done.stderr)
        self.assertIn("--cookies 'nowhere': No such file", self.go("http://localhost/", "--cookies", "nowhere", code=2).stderr)
        self.assertFalse((self.folder / "crawl-data").exists())

    def test_from_is_sent_to_all(self):
        site = self.site({"/": "hello"})
        self.go(site.url("/"), "--from", "me@example.org")
        self.assertEqual({"me@example.org"}, set(self.sent(site, "From").values()))
        self.assertIn("--from 'me'", self.go(site.url("/"), "--from", "me", code=2).stderr)


class Proxies(Network):
    FILES = {"/": "<a href=/a>a</a>", "/a": "a"}

    def tls_site(self):
        site = self.site(self.FILES)
        key, certificate = self.folder / "key.pem", self.folder / "certificate.pem"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=safe.test", "-addext",
                        "subjectAltName=DNS:safe.test", "-keyout", key, "-out", certificate], check=True, capture_output=True)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        site.server.socket = context.wrap_socket(site.server.socket, server_side=True)
        return site, certificate

    def proxy(self, kind, sites, login=None):
        proxy = kind(sites, login)
        self.addCleanup(proxy.close)
        return proxy

    def test_both_kinds_lead_to_http_and_https_with_user_and_password(self):
        for kind in HttpProxy, SocksProxy:
            with self.subTest(kind.scheme):
                plain = self.site(self.FILES)
                safe, certificate = self.tls_site()
                proxy = self.proxy(kind, {"plain.test": plain.port, "safe.test": safe.port}, ("me", "hu:sh@1"))
                data = f"data-{kind.scheme}"
                done = self.go("http://plain.test/", "https://safe.test/", "--data", data, "--out", f"{data}-out", "--proxy",
                               proxy.url("me:hu:sh%401"), f"--set=spider.fetch.authorities_file={certificate}")
                for site in plain, safe:
                    self.assertEqual(["/", "/a", "/robots.txt"], sorted(site.paths()), done.stdout)
                    self.assertEqual({None}, set(self.sent(site, "Proxy-Authorization").values()))
                self.assertEqual({"plain.test", "safe.test"}, set(proxy.asked), "the proxy is told names")
                self.assertEqual(0, proxy.refused)
                for words in ("crawl", "--data", data, "--dry-run"), ("config", "show", "--config", self.kept(data)):
                    said = self.orbweaver(*words)
                    self.assertIn(f"{kind.scheme}://********@127.0.0.1", said.stdout)
                    self.assertNotIn("hu:sh", said.stdout + said.stderr + done.stdout + done.stderr)
                for file in self.folder.glob(f"{data}-out/*.gz"):
                    self.assertNotIn(b"Basic ", gzip.decompress(file.read_bytes()))

    def test_a_wrong_password_is_the_proxys_failure(self):
        for kind in HttpProxy, SocksProxy:
            with self.subTest(kind.scheme):
                site = self.site(self.FILES)
                proxy = self.proxy(kind, {"plain.test": site.port}, ("me", "right"))
                done = self.go("http://plain.test/", "--data", kind.scheme, "--proxy", proxy.url("me:wrong"), "--duration", "3s",
                               "--json", code=None)
                self.assertNotEqual(0, done.returncode)
                self.assertGreater(proxy.refused, 0)
                self.assertIn("paused: ", done.stderr)
                self.assertEqual([], site.paths())
                self.assertNotIn("wrong", done.stdout + done.stderr)

    def test_what_is_no_proxy_is_refused_by_the_name_of_the_option(self):
        done = self.go("http://localhost/", "--proxy", "ftp://me:hush@localhost:1", code=2)
        self.assertIn("--proxy 'ftp://********@localhost:1'", done.stderr)
        self.assertNotIn("hush", done.stderr)


class Robots(Network):
    FILES = {"/robots.txt": "User-agent: *\nDisallow: /\n", "/": "<a href=/a>a</a>", "/a": "a"}

    def test_it_is_ignored_on_the_named_host_only_and_loudly(self):
        mine, other = self.site(self.FILES), self.site(self.FILES)
        done = self.go(f"http://localhost:{mine.port}/", other.url("/"), "--ignore-robots", "localhost", "--max-pages", "9")
        self.assertEqual(["/robots.txt", "/", "/a"], mine.paths())
        self.assertEqual(["/robots.txt"], other.paths())
        self.assertIn("WARNING: robots.txt is not obeyed on localhost", done.stderr)
        self.assertIn("robots.txt was not obeyed on localhost", done.stdout)
        data = self.kept().parent
        done = self.orbweaver("crawl", "--data", data, "--json")
        self.assertIn("WARNING: robots.txt is not obeyed on localhost", done.stderr)
        self.assertEqual(["localhost"], json.loads(done.stdout)["robots_ignored_on"])
        done = self.orbweaver("crawl", "--data", data, "--ignore-robots", "127.0.0.1", "--dry-run")
        self.assertIn("Changed and kept: --ignore-robots is 127.0.0.1, was localhost; robots.txt is not obeyed there.", done.stderr)

    def test_no_pattern_of_hosts_can_be_named(self):
        self.assertIn("--ignore-robots '*'", self.go("http://localhost/", "--ignore-robots", "*", code=2).stderr)


class Limits(Network):
    def test_a_page_is_read_up_to_max_size(self):
        site = self.site({"/": "<a href=/a>a</a>" + " " * 5000 + "<a href=/b>b</a>", "/a": "a", "/b": "b"})
        self.go(site.url("/"), "--max-size", "2KiB")
        self.assertEqual(["/robots.txt", "/", "/a"], site.paths())

    def test_a_site_that_hangs_is_given_up_after_timeout(self):
        over = threading.Event()
        self.addCleanup(over.set)
        site = self.site({})
        site.server.RequestHandlerClass.do_GET = lambda handler: over.wait(PATIENCE_S) and None
        done = self.go(site.url("/"), "--timeout", "200ms", "--max-wait", "1ms", "--json", code=3)
        self.assertRegex(done.stdout, "timeout|robots_unreachable")

    def test_so_many_requests_to_a_host_run_at_once(self):
        for most in 1, 3:
            with self.subTest(most):
                site = self.site({"/": "".join(f"<a href=/{i}>x</a>" for i in range(12))} | {f"/{i}": "x" for i in range(12)})
                running, seen, changed = [0], [0], threading.Condition()
                answer = site.server.RequestHandlerClass.do_GET

                def count(handler):
                    with changed:
                        running[0] += 1
                        seen[0] = max(seen[0], running[0])
                        changed.notify_all()
                        if handler.path not in ("/", "/robots.txt"):
                            # Until as many are here as may be, or it is clear that no more come.
                            changed.wait_for(lambda: seen[0] >= most, timeout=5 if most > 1 else 0)
                    answer(handler)
                    with changed:
                        running[0] -= 1

                site.server.RequestHandlerClass.do_GET = count
                self.orbweaver("crawl", site.url("/"), "--data", f"data{most}", "--delay", "0s", "--per-host", most)
                self.assertEqual(14, len(site.requests))
                self.assertEqual(most, seen[0])

    def test_wrong_values_are_refused_by_the_name_that_was_written(self):
        for option, value in (("--rate", "fast"), ("--rate", "0/s"), ("--rate", "5/day"), ("--per-host", "0"), ("--per-host", "x"),
                              ("--timeout", "5"), ("--timeout", "2h"), ("--max-size", "10"), ("--max-size", "2GiB")):
            with self.subTest(option + " " + value):
                self.assertIn(f"{option} {value}: expected ", self.go("http://localhost/", option, value, code=2).stderr)
        self.assertEqual([], list(self.folder.iterdir()))

    def test_a_higher_rate_is_kept_and_said_to_be_ruder(self):
        site = self.site({"/": "hello"})
        self.go(site.url("/"), "--data", "d", "--rate", "600/min")
        done = self.orbweaver("crawl", "--data", "d", "--rate", "20/s", "--per-host", "2", "--dry-run")
        self.assertIn("Changed and kept: --rate is 20, was 10; sites are asked more often.", done.stderr)
        self.assertIn("Changed and kept: --per-host is 2, was 1; sites are asked more often.", done.stderr)


if __name__ == "__main__":
    Newcomer.program = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
