"""`orbweaver parse` and `orbweaver robots`, the real program: what they print, and their exit codes.

Run by CTest; by hand: python3 tests/e2e/spider_commands_test.py PATH_TO_ORBWEAVER
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAM = None
TESTDATA = pathlib.Path(__file__).resolve().parents[2] / "spider/parse/testdata"
BASE = "https://news.example.co.uk/2024/harbour.html"


def run(*args, data=b""):
    return subprocess.run([PROGRAM, *args], input=data, capture_output=True, timeout=60)


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
        for engine in ("lexbor", "gumbo"):
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
    unittest.main()
