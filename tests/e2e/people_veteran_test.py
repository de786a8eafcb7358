"""A veteran of wget and Scrapy crawls documentation, as docs/crawl.md says: python3 people_veteran_test.py PROGRAM"""

import json
import pathlib
import re
import sys
import unittest
import urllib.parse
from os import environ

from documentation_site import Answer, Walk, embeds_of, links_of
from person import Person
from small_proxies import HttpProxy

ROBOTS = Answer(200, {"Content-Type": "text/plain"}, b"User-agent: *\nDisallow: /debian-policy/\n")


def archived(folder):
    """The body of each answer with status 200 in the archive, by URL, as warcio reads it."""
    cache = pathlib.Path(environ.get("ORBWEAVER_CACHE", pathlib.Path.home() / ".cache" / "orbweaver"))
    sys.path.insert(0, str(cache / "warcio-1.7.5"))
    from warcio.archiveiterator import ArchiveIterator

    bodies = {}
    for file in sorted(folder.glob("*.warc.gz")):
        with open(file, "rb") as stream:
            for record in ArchiveIterator(stream):
                if record.rec_type == "response" and record.http_headers.get_statuscode() == "200":
                    bodies[record.rec_headers.get_header("WARC-Target-URI")] = record.content_stream().read()
    return bodies


class Veteran(Person):
    def test_a_part_of_a_site_is_fetched_once_and_whole_and_its_broken_links_are_found(self):
        site = self.documentation()
        walk = Walk(site, site.url("/git-doc/git.html"), lambda url: url.startswith(site.url("/git-doc/")))
        self.assertGreater(len(walk.pages), 100)
        done = self.types(f"orbweaver crawl localhost:{site.port}/git-doc/git.html --scope path --delay 0 --out docs")
        self.assert_fetched_once(site, walk.fetched)
        self.assertEqual(dict.fromkeys([*walk.pages, *walk.files], 1), dict(self.pages_of("docs")))
        self.assertRegex(done.stdout, rf"(?m)^{len(walk.pages) + len(walk.files)} pages and {len(walk.broken)} failures? in ")
        # Each broken link with a page that has it, and nothing else.
        broken = {line["url"]: line["referrer"] for line in self.lines("failures", "docs") if line["status"] in (404, 410)}
        self.assertEqual(set(walk.broken), set(broken))
        self.assertGreater(len(broken), 0)
        for url, referrer in broken.items():
            self.assertIn(referrer, walk.broken[url])
        # The archive has what the site has, byte for byte.
        bodies = archived(self.folder / "docs")
        for url in [*walk.pages, *walk.files]:
            self.assertEqual(site.answer(url.removeprefix(site.url(""))).body, bodies[url], url)

    def test_the_whole_of_it_in_pieces_and_by_ctrl_c(self):
        site = self.documentation()
        walk = Walk(site, site.url("/"))
        self.types(f"orbweaver crawl {site.url('/')} --delay 0 --out out --max-pages 30", code=4)
        # Twenty more are asked for, and then it is told to stop.
        running = self.begins("orbweaver crawl --delay 30ms")
        known = len(site.requests)
        self.waits_until(lambda: len(site.requests) > known + 20, running)
        code, out, _ = self.ends(running)
        self.assertEqual(4, code, out)
        self.assertIn("Ended: it was stopped.", out)
        # The line that it prints goes on, as it stands there.
        line = re.search(r"^To go on: (orbweaver .*)$", out, re.M)[1]
        loop = f"while true; do {line} --delay 0 --max-pages 100; code=$?; [ $code = 4 ] || exit $code; done"
        self.assertIn("Ended: nothing is left.", self.types(loop).stdout)
        self.assert_fetched_once(site, walk.fetched)
        self.assertEqual(dict.fromkeys([*walk.pages, *walk.files], 1), dict(self.pages_of()))
        # Once more: there is nothing to do, and nobody is asked.
        known = len(site.requests)
        self.assertIn("0 pages and 0 failures", self.types(line).stdout)
        self.assertEqual(known, len(site.requests))

    def test_patterns_take_away_and_a_list_is_a_list(self):
        site = self.documentation()
        wanted = lambda url: re.search(r"/git-doc/(git\.html|git-(?!archi)[a-c][^/]*)$", url)
        walk = Walk(site, site.url("/git-doc/git.html"), wanted)
        done = self.types(f"orbweaver crawl {site.url('/git-doc/git.html')} --include '/git-doc/git-*' --include /git-doc/git.html "
                          "--include re:nothing --exclude 're:/git-doc/git-[d-z]' --exclude '*-archi*' --delay 0 --out some")
        self.assert_fetched_once(site, walk.fetched)
        self.assertIn("links matched an --exclude.", done.stdout)
        del site.requests[:]
        listed = ["/git-doc/git-add.html", "/git-doc/git-am.html", "/debian/FAQ/choosing.en.html"]
        (self.folder / "urls.txt").write_text("".join(f"{site.url(path)}\n" for path in listed))
        self.types(f"orbweaver crawl --seeds urls.txt --depth 0 --delay 0 --set network.allow_hosts=localhost:{site.port}")
        self.assert_fetched_once(site, map(site.url, listed))

    def test_a_login_by_cookie_and_by_header_and_a_robots_txt_of_ones_own(self):
        site = self.documentation({"/robots.txt": ROBOTS})

        def gate(request):
            if request.path.startswith("/apt-doc/") and "session=42" not in request.headers.get("Cookie", ""):
                return Answer(403, {}, b"")
            if request.path.startswith("/debian/") and request.headers.get("Authorization") != "Bearer TOKEN":
                return Answer(401, {"WWW-Authenticate": "Bearer"}, b"")
            return None

        site.gate = gate
        done = self.types(f"orbweaver crawl {site.url('/')} --exclude /git-doc/ --delay 0 --out out --max-failures 100")
        self.assertRegex(done.stdout, r"http_4xx +2  after 401 and 403 a login may be missing: --cookies, --header; then `requeue`")
        self.assertEqual({"robots", "http_4xx"}, {line["cause"] for line in self.lines("failures")})
        self.assertNotIn("/debian-policy", "".join(site.asked()))
        (self.folder / "cookies.txt").write_text("# Netscape HTTP Cookie File\nlocalhost\tFALSE\t/\tFALSE\t4102444800\tsession\t42\n")
        login = f"--cookies cookies.txt --header localhost:{site.port} 'Authorization: Bearer TOKEN' --ignore-robots localhost"
        done = self.types(f"orbweaver requeue && orbweaver crawl {login}")
        self.assertIn("WARNING: robots.txt is not obeyed on localhost", done.stderr)
        self.assertNotIn("TOKEN", done.stdout + done.stderr)
        walk = Walk(site, site.url("/"), lambda url: "/git-doc/" not in url)
        self.assertEqual(dict.fromkeys([*walk.pages, *walk.files], 1), dict(self.pages_of()))
        self.assertNotIn(b"TOKEN", b"".join(archived(self.folder / "out").values()))

    def test_by_a_proxy_and_what_a_script_sees_when_it_is_gone(self):
        site = self.documentation()
        proxy = HttpProxy({"docs.example.org": site.port})
        self.addCleanup(proxy.close)
        crawl = "orbweaver crawl http://docs.example.org/debian-policy/policy.html/index.html --scope path --delay 0 --out out --max-wait 1s"
        walk = Walk(site, site.url("/debian-policy/policy.html/index.html"), lambda url: "/debian-policy/policy.html/" in url)
        self.types(f"{crawl} --proxy {proxy.url()}")
        self.assert_fetched_once(site, walk.fetched)
        self.assertEqual({"docs.example.org"}, set(proxy.asked))
        script = f"{crawl} --data other --proxy http://127.0.0.1:1; case $? in 0) echo all;; 3) echo nothing;; 4) echo later;; *) echo broken;; esac"
        done = self.types(script)
        self.assertTrue(done.stdout.endswith("nothing\n"), done.stdout)
        self.assertIn("See --proxy", done.stdout + done.stderr)

    def test_a_copy_to_read_offline_leads_from_file_to_file_and_back_to_what_was_served(self):
        site = self.documentation()
        walk = Walk(site, site.url("/"), lambda url: "/git-doc/" not in url)
        self.types(f"orbweaver crawl {site.url('/')} --exclude /git-doc/ --out copy --mirror --convert-links --assets --delay 0")
        embedded = {url for page in walk.pages for url in embeds_of(page, site.answer(page.removeprefix(site.url(""))).body.decode())}
        there = {url for url in embedded if site.answer(url.removeprefix(site.url(""))).status == 200}
        self.assertGreater(len(there), 8)
        self.assertEqual({1}, {site.asked().count(url.removeprefix(site.url(""))) for url in [*walk.fetched, *embedded]})
        files = {line["url"]: line["file"] for line in map(json.loads, (self.folder / "copy/.mirror/files.jsonl").read_text().splitlines()) if "file" in line}
        self.assertLessEqual({*walk.pages, *walk.files, *there}, set(files))
        known = {*walk.pages, *walk.files, *there}
        for url in walk.pages:
            file = self.folder / "copy" / files[url]
            text = file.read_text()
            here = file.as_uri()
            for link in [*links_of(here, text, ("file",)), *embeds_of(here, text)]:
                parts = urllib.parse.urlsplit(link)
                if parts.scheme == "file" and not link.startswith("file:///usr/share/"):  # some pages lead there themselves
                    self.assertTrue(pathlib.Path(urllib.parse.unquote(parts.path)).is_file(), f"{url}: {link}")
                self.assertNotIn(link, known, f"{url} leads out of the copy")
        self.types("orbweaver mirror --set spider.archive.convert_links=false")
        for url in known:
            self.assertEqual(site.answer(url.removeprefix(site.url(""))).body, (self.folder / "copy" / files[url]).read_bytes(), url)

    def test_exit_codes_are_for_scripts(self):
        site = self.documentation({"/robots.txt": Answer(200, {"Content-Type": "text/plain"}, b"User-agent: mybot\nDisallow: /\n")})
        for code, line in (
            (3, f"orbweaver crawl {site.url('/')} --delay 0 --data forbidden"),
            (0, f"orbweaver crawl {site.url('/debian/FAQ/index.en.html')} --scope path --delay 0 --data faq --ignore-robots localhost"),
            (4, f"orbweaver crawl {site.url('/')} --delay 0 --data part --ignore-robots localhost --max-pages 3 --rate 100/s"),
            (5, f"orbweaver crawl {site.url('/git-doc/git.html')} --delay 0 --data broken --ignore-robots localhost --max-failures 0"),
            (2, f"orbweaver crawl {site.url('/')} --delay never"),
            (2, "orbweaver crawl"),
        ):
            with self.subTest(line):
                self.types(line, code)
        self.assertIn("status    200\n", self.types(f"orbweaver fetch localhost:{site.port}/git-doc/git.html").stdout)
        self.assertEqual("nothing_fetched", json.loads(self.types(f"orbweaver crawl {site.url('/none')} --delay 0 --data none --json", 3).stdout)["outcome"])


if __name__ == "__main__":
    Person.program = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
