"""`orbweaver fetch`, `parse`, `robots` and `spider-check`, the real program: what they print, and their exit codes.

Run by CTest; by hand: python3 tests/e2e/spider_commands_test.py PATH_TO_ORBWEAVER CACHE
"""
import http.server
import json
import pathlib
import subprocess
import sys
import tempfile
import threading
import unittest

PROGRAM = None
PACKAGES = ""
TESTDATA = pathlib.Path(__file__).resolve().parents[2] / "spider/parse/testdata"
BASE = "https://news.example.co.uk/2024/harbour.html"


def run(*args, data=b""):
    return subprocess.run([PROGRAM, *args], input=data, capture_output=True, timeout=60)


class Site(http.server.BaseHTTPRequestHandler):
    """A few pages; every host of the tests leads here."""
    protocol_version = "HTTP/1.1"
    REDIRECTS = {"/old": "/", "/away": "http://elsewhere.test/", "/loop": "/loop", "/within": "http://sub.a.test/", "/inside": "http://10.0.0.1/"}

    def do_GET(self):
        target = self.REDIRECTS.get(self.path)
        body = b"<title>home</title>" if self.path == "/" else b""
        self.send_response(302 if target else 200 if self.path == "/" else 404)
        if target:
            self.send_header("Location", target)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass


class SpiderCheckCommand(unittest.TestCase):
    """Without Kafka: python/tests/spider_check_test.py has the check itself."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def check(self, *args, python=None, packages=""):
        """With a `python3` of that text, or none, alone on the PATH."""
        if python is not None:
            (self.folder / "python3").write_text(python)
            (self.folder / "python3").chmod(0o755)
        environment = {"PATH": str(self.folder), "PYTHONPATH": packages, "PYTHONDONTWRITEBYTECODE": "1"}
        done = subprocess.run([PROGRAM, "spider-check", *args], env=environment, capture_output=True, text=True, timeout=60)
        return done.returncode, done.stderr

    def test_packages_that_are_missing_are_named_with_the_command_that_installs_them(self):
        bare = f'#!/bin/sh\nexec {sys.executable} -S "$@"\n'
        code, told = self.check("--kafka", "127.0.0.1:1", "--", "true", python=bare)
        self.assertEqual(2, code)
        self.assertRegex(told, r"^orbweaver spider-check: No module named '[a-z_.]+'. It wants packages of ")
        project = (pathlib.Path(__file__).parents[2] / "python/pyproject.toml").read_text()
        wanted = [line for line in project.splitlines() if line.startswith(("dependencies =", "spider ="))]
        wanted = {one.replace(" ", "") for line in wanted for one in line.split('"')[1::2]}
        self.assertEqual(4, len(wanted))
        for text in (told, run("spider-check", "--help").stdout.decode()):
            self.assertEqual(wanted, set(text.partition("pip install ")[2].split("\n")[0].replace("'", "").split()), text)

    def test_no_python_is_told(self):
        code, told = self.check("--kafka", "127.0.0.1:1", "--", "true")
        self.assertEqual((2, "orbweaver spider-check: python3 cannot be started: No such file or directory. Install Python\n"), (code, told))

    def test_it_goes_on_in_python(self):
        own = f'#!/bin/sh\nexec {sys.executable} "$@"\n'
        code, told = self.check("--kafka", "127.0.0.1:1", "--", "true", python=own, packages=PACKAGES)
        self.assertEqual((2, "spider_check: make topics on 127.0.0.1:1: [Errno 111] Connection refused\n"), (code, told))
        code, told = self.check("--", "true", python=own, packages=PACKAGES)
        self.assertEqual(2, code)
        self.assertTrue(told.startswith("usage: orbweaver spider-check --kafka HOST:PORT"), told)


class FetchCommand(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Site)
        threading.Thread(target=cls.server.serve_forever, daemon=True).start()
        cls.here = ["--set", "network.hosts.*.test=127.0.0.1:%d" % cls.server.server_port]
        cls.allowed = cls.here + ["--set", "network.allow_networks=127.0.0.0/8"]

    @classmethod
    def tearDownClass(cls):
        cls.server.shutdown()
        cls.server.server_close()

    def fetch(self, *args):
        done = run("fetch", *args, "--json", *self.allowed)
        self.assertEqual(b"", done.stderr)
        return done.returncode, [json.loads(line) for line in done.stdout.decode("utf-8").splitlines()]

    def test_a_page_and_all_that_is_known_of_it(self):
        code, (page,) = self.fetch("http://a.test/", "--body")
        self.assertEqual((0, "answered", 200, "<title>home</title>", "127.0.0.1"),
                         (code, page["outcome"], page["status"], page["body"], page["address"]))
        self.assertIn({"name": "content-type", "value": "text/html"}, page["headers"])
        self.assertGreaterEqual(page["milliseconds"]["total"], page["milliseconds"]["first_byte"])

    def test_redirects_within_the_domain_are_followed_and_no_others(self):
        code, (followed, away, loop, inside) = self.fetch(*("http://a.test" + p for p in ("/old", "/away", "/loop", "/inside")))
        self.assertEqual(1, code)
        self.assertEqual((200, "http://a.test/"), (followed["status"], followed["url"]))
        self.assertEqual([{"status": 302, "url": "http://a.test/"}], followed["redirects"])
        self.assertEqual((302, "http://elsewhere.test/", "answered"), (away["status"], away["url"], away["outcome"]))
        self.assertEqual("redirect", loop["outcome"])
        self.assertEqual((302, "http://10.0.0.1/"), (inside["status"], inside["url"]))

    def test_exit_codes(self):
        self.assertEqual(0, run("fetch", "http://a.test/old", *self.allowed).returncode)
        self.assertEqual(1, run("fetch", "http://a.test/nothing", *self.allowed).returncode)
        for args in ([], ["--nonsense", "http://a.test/"], ["mailto:a@b.test"], ["http://a.test/", "--set", "network.ports=x"]):
            done = run("fetch", *args)
            self.assertEqual(2, done.returncode, args)
            self.assertTrue(done.stderr.startswith(b"orbweaver fetch: "), done.stderr)

    def test_this_machine_is_not_asked_unless_it_is_named_or_allowed(self):
        self.assertEqual(0, run("fetch", "http://a.test/", *self.here).returncode)
        done = run("fetch", "http://a.test/within", "--json", *self.here)
        self.assertEqual((1, "private_address"), (done.returncode, json.loads(done.stdout)["outcome"]))

    def test_without_json_it_is_for_people(self):
        done = run("fetch", "http://a.test/old", *self.allowed)
        self.assertIn("status    200", done.stdout.decode())
        self.assertIn("content-type: text/html", done.stdout.decode())


class ParseCommand(unittest.TestCase):
    def entries(self, *args, data=b""):
        done = run("parse", *args, "--json", data=data)
        self.assertEqual((0, b""), (done.returncode, done.stderr))
        return [json.loads(line) for line in done.stdout.decode("utf-8").splitlines()]

    def test_json_is_what_the_spider_logs(self):
        page, *found = self.entries(str(TESTDATA / "news.html"), "--base", BASE)
        self.assertEqual("page_fetched", page["event"])
        self.assertEqual(("example.co.uk", "html", "utf-8", "en-GB"),
                         (page["domain"], page["kind"], page["charset"], page["language"]))
        self.assertEqual("https://news.example.co.uk/2024/harbour-reopens", page["canonical_url"])
        self.assertEqual({"links_found"}, {entry["event"] for entry in found})
        links = [link for entry in found for link in entry["links"]]
        self.assertEqual(page["links_inside"] + page["links_outside"], len(links))
        self.assertEqual({page["links_inside"] + page["links_outside"]},
                         {entry["source"]["link_count"] for entry in found})
        self.assertIn({"url": "https://port.example.org/times", "anchor": "times", "rel": "nofollow", "kind": "anchor"},
                      links)

    def test_both_engines_print_the_same(self):
        for engine in ("scanner", "gumbo"):
            self.assertEqual(self.entries(str(TESTDATA / "news.html"), "--base", BASE),
                             self.entries(str(TESTDATA / "news.html"), "--base", BASE, "--engine", engine))

    def test_more_links_than_a_message_takes_are_split(self):
        body = b"".join(b"<a href=/%d></a>" % i for i in range(2500))
        page, *found = self.entries("-", "--base", BASE, data=body)
        self.assertEqual(2500, page["links_inside"])
        self.assertEqual([1000, 1000, 500], [len(entry["links"]) for entry in found])

    def test_headers_are_taken_into_account(self):
        page, = self.entries("-", "--base", BASE, "--content-type=text/html; charset=koi8-r", "--x-robots-tag", "noindex",
                             "--content-language", "ru", data=b"<title>\xd0\xd2\xc9\xd7\xc5\xd4</title>")
        self.assertEqual(("koi8-r", "привет", "noindex", "ru"),
                         (page["charset"], page["title"], page["robots_directives"], page["language"]))

    def test_without_json_it_is_for_people(self):
        done = run("parse", str(TESTDATA / "news.html"), "--base", BASE)
        self.assertEqual(0, done.returncode)
        self.assertIn("https://port.example.org/times [nofollow] times", done.stdout.decode())

    def test_wrong_use_is_told_from_a_file_that_cannot_be_read(self):
        for args in ([], ["-"], ["-", "--base", "no url"], ["-", "--base", BASE, "--engine", "x"], ["-", "--nonsense"],
                     ["-", "-", "--base", BASE], ["-", "--base"]):
            done = run("parse", *args)
            self.assertEqual(2, done.returncode, args)
            self.assertTrue(done.stderr.startswith(b"orbweaver parse: "), done.stderr)
        self.assertEqual(1, run("parse", "/nonexistent", "--base", BASE).returncode)


class RobotsCommand(unittest.TestCase):
    FILE = b"User-agent: *\nDisallow: /private\nAllow: /private/open$\n"

    def test_it_says_which_rule_decided(self):
        done = run("robots", "-", "Orbweaver/1.0", "http://a.com/private/x", "/private/open", "/b", data=self.FILE)
        self.assertEqual(1, done.returncode, done.stderr)
        self.assertEqual(["deny\thttp://a.com/private/x\tDisallow: /private (line 2)",
                          "allow\t/private/open\tAllow: /private/open$ (line 3)",
                          "allow\t/b\tno rule"], done.stdout.decode().splitlines())

    def test_exit_codes(self):
        self.assertEqual(0, run("robots", "-", "Orbweaver", "/b", "/robots.txt", data=self.FILE).returncode)
        self.assertEqual(1, run("robots", "-", "Orbweaver", "/b", "/private", data=self.FILE).returncode)
        for args in ([], ["-"], ["-", "Bot"], ["-", "no token", "/b"], ["-", "Bot", "ftp://a.com/"],
                     ["/nonexistent", "Bot", "/b"]):
            done = run("robots", *args, data=self.FILE)
            self.assertEqual((2, b""), (done.returncode, done.stdout), args)
            self.assertTrue(done.stderr.startswith(b"orbweaver robots: "), done.stderr)

    def test_the_file_may_be_a_file(self):
        with tempfile.NamedTemporaryFile() as file:
            file.write(self.FILE)
            file.flush()
            self.assertEqual(1, run("robots", file.name, "Orbweaver", "/private").returncode)


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    # The packages of deploy/deps/python.txt.
    PACKAGES = str(pathlib.Path(sys.argv.pop(1)) / "python-packages-1")
    unittest.main()
