"""Assets and sitemaps on small sites: python3 first_hour_assets_test.py PROGRAM

The sites keep what they were asked for; each test says exactly which requests there are."""

import gzip
import json
import pathlib
import sys
import unittest

from newcomer import Newcomer
from small_site import Site

PNG = 200, {"Content-Type": "image/png"}, b"\x89PNG\r\n\x1a\n not really"
PDF = 200, {"Content-Type": "application/pdf"}, b"%PDF-1.4 not really"


def of_type(media_type, body):
    return 200, {"Content-Type": media_type}, body


def css(text):
    return of_type("text/css", text)


def sitemap(*urls):
    return of_type("application/xml", "<urlset>" + "".join(f"<url><loc>{url}</loc></url>" for url in urls) + "</urlset>")


def index(*urls):
    return of_type("text/xml", "<sitemapindex>" + "".join(f"<sitemap><loc>{url}</loc></sitemap>" for url in urls) + "</sitemapindex>")


class Site2(Newcomer):
    def other_host(self, files):
        site = Site(files, "127.0.0.2")
        self.addCleanup(site.close)
        self.ports.append(str(site.port))
        return site

    def asked(self, site):
        """Without robots.txt; each path once, or it is listed again."""
        return sorted(path for path in site.paths() if path != "/robots.txt")

    def lines(self, kind, folder="out"):
        files = sorted((self.folder / folder).glob(f"{kind}-*.jsonl"))
        return [json.loads(line) for file in files for line in file.read_text().splitlines()]


class Assets(Site2):
    """A home page with one of each kind, and another host with more of them."""

    def setUp(self):
        super().setUp()
        self.cdn_files = {
            "/logo.png": PNG, "/big.png": PNG, "/late.png": PNG, "/never.png": PNG,
            "/frame.html": "<img src=/never.png><a href=/never>x</a>",
            "/object.html": "<img src=/never.png><a href=/never>x</a>",
            "/fonts/a.woff2": of_type("application/octet-stream", b"wOF2"),
            "/moved.png": (302, {"Location": "/late.png"}, ""),
            "/theme.css": css("@import 'theme/more.css'; /* url(/never.png) */ @font-face { src: url(fonts/a.woff2) }"),
            "/theme/more.css": css("body { background: url('../big.png'); content: 'url(/never.png)' } @namespace url(/never);"),
        }
        self.cdn = self.other_host(self.cdn_files)
        cdn = self.cdn.url
        self.files = {
            "/": f"""<title>home</title><link rel=stylesheet href=/style.css><link rel=icon href=/icon.ico><script src=/code.js></script>
                <img src=/a.png srcset='/a1.png 1x, /a2.png 2x' alt=A><img src={cdn('/logo.png')}><img src={cdn('/moved.png')}>
                <link rel=stylesheet href={cdn('/theme.css')}><iframe src={cdn('/frame.html')}></iframe>
                <object data={cdn('/object.html')}></object><object data=/inside.html></object>
                <style>h1 {{ background: url(/inline.png) }}</style><p style="background: url(&quot;/attribute.png&quot;)">x</p>
                <a href=/page>page</a> <a href=/paper.pdf>paper</a> <a href=/a.png>large</a> <a href={cdn('/never')}>cdn</a>""",
            "/page": "<img src=/a.png><img src=/gone.png><a href=/deep>deep</a>",
            "/deep": "<img src=/deep.png>",
            "/inside.html": "<a href=/from-inside>x</a>", "/from-inside": "x",
            "/style.css": css("a { background: url( 's\\70rite.png' ) }"), "/sprite.png": PNG,
            "/a.png": PNG, "/a1.png": PNG, "/a2.png": PNG, "/inline.png": PNG, "/attribute.png": PNG, "/deep.png": PNG, "/paper.pdf": PDF,
            "/icon.ico": of_type("image/x-icon", b"ico"), "/code.js": of_type("text/javascript", "'<a href=/never>'"),
        }
        self.home = self.site(self.files)
        self.pages = {"/", "/page", "/deep", "/inside.html", "/from-inside", "/paper.pdf"}
        self.assets = {"/style.css", "/sprite.png", "/a.png", "/a1.png", "/a2.png", "/inline.png", "/attribute.png", "/deep.png", "/icon.ico", "/code.js", "/gone.png"}
        self.cdn_assets = {"/logo.png", "/moved.png", "/late.png", "/theme.css", "/theme/more.css", "/fonts/a.woff2", "/big.png", "/object.html"}

    def test_what_pages_embed_is_fetched_once_wherever_it_lies_and_nothing_else_there(self):
        done = self.crawl(self.home.url("/"), "--assets", "--out", "out", "--text")
        self.assertEqual(sorted(self.pages | self.assets), self.asked(self.home))
        self.assertEqual(sorted(self.cdn_assets), self.asked(self.cdn))
        # Of the assets one is gone, and one is where another one leads to.
        self.assertIn("6 pages, 17 assets and 1 failure in ", done.stdout)
        self.assertIn("2 links left the seeds' domains", done.stdout)
        kinds = {line["url"]: line["kind"] for line in self.lines("pages")}
        self.assertEqual({self.home.url(path) for path in self.pages}, {url for url, kind in kinds.items() if kind == "page"})
        self.assertEqual("asset", kinds[self.cdn.url("/object.html")])
        self.assertEqual("asset", kinds[self.home.url("/code.js")])
        self.assertEqual([], [line["url"] for line in self.lines("texts") if kinds[line["url"]] == "asset" and "object.html" not in line["url"]])
        self.assertEqual([(self.home.url("/gone.png"), 404, self.home.url("/page"))],
                         [(line["url"], line["status"], line["referrer"]) for line in self.lines("failures")])
        self.assertIn("%PDF-1.4 not really", self.orbweaver("page", self.home.url("/paper.pdf"), "--body").stdout)

    def test_without_the_option_nothing_of_it_is_fetched(self):
        self.crawl(self.home.url("/"))
        # The targets of <a> links are fetched, but not read when they are no pages.
        self.assertEqual(["/", "/a.png", "/deep", "/page", "/paper.pdf"], self.asked(self.home))
        self.assertEqual([], self.asked(self.cdn))

    def test_depth_and_caps_are_about_pages(self):
        self.crawl(self.home.url("/"), "--assets", "--depth", "0")
        self.assertEqual(sorted({"/"} | self.assets - {"/deep.png", "/gone.png"} | {"/inside.html"}), self.asked(self.home))
        self.assertEqual(sorted(self.cdn_assets), self.asked(self.cdn))

    def test_a_cap_of_a_site_is_about_its_pages(self):
        self.crawl(self.home.url("/"), "--assets", "--max-pages-per-domain", "3")
        pages = set(self.asked(self.home)) & {"/", "/page", "/paper.pdf", "/deep", "/from-inside"}
        self.assertEqual(3, len(pages), pages)
        self.assertLessEqual(self.assets - {"/deep.png", "/gone.png"}, set(self.asked(self.home)))

    def test_patterns_robots_and_addresses_hold_for_assets(self):
        self.cdn_files["/robots.txt"] = of_type("text/plain", "User-agent: *\nDisallow: /fonts/\n")
        done = self.crawl(self.home.url("/"), "--assets", "--include", "/page", "--include", "re:[0-9]/$", "--exclude", "*.css", "--out", "out")
        self.assertEqual(sorted({"/", "/page", "/inside.html"} | self.assets - {"/style.css", "/sprite.png", "/deep.png"}), self.asked(self.home))
        self.assertEqual(["/late.png", "/logo.png", "/moved.png", "/object.html"], self.asked(self.cdn))
        self.assertIn("2 links matched an --exclude.", done.stdout)
        self.crawl(self.home.url("/"), "--assets", "--data", "again", "--out", "again-out")
        failures = {line["url"]: line["cause"] for line in self.lines("failures", "again-out")}
        self.assertEqual("robots", failures[self.cdn.url("/fonts/a.woff2")])

    def test_a_strategy_of_ones_own_or_any_other_changes_nothing(self):
        for strategy in "opic", "recrawl":
            with self.subTest(strategy):
                self.home.requests.clear()
                self.cdn.requests.clear()
                self.crawl(self.home.url("/"), "--assets", "--data", strategy, "--strategy", strategy, "--max-wait", "1s", code=None)
                self.assertEqual(sorted(self.pages | self.assets), self.asked(self.home))
                self.assertEqual(sorted(self.cdn_assets), self.asked(self.cdn))

    def test_it_is_kept_and_goes_on_where_it_stood(self):
        self.crawl(self.home.url("/"), "--assets", "--max-pages", "1", code=4)
        done = self.orbweaver("crawl")
        self.assertNotIn("Changed", done.stderr)
        self.assertEqual(sorted(self.pages | self.assets), self.asked(self.home))
        self.assertEqual(sorted(self.cdn_assets), self.asked(self.cdn))

    def test_an_asset_that_failed_is_asked_for_again_as_one(self):
        later = self.cdn_files.pop("/theme.css")
        self.crawl(self.home.url("/"), "--assets")
        self.assertNotIn("/big.png", self.asked(self.cdn))
        self.cdn_files["/theme.css"] = later
        self.orbweaver("requeue", "--state", "gone")
        done = self.orbweaver("crawl")
        self.assertIn("/big.png", self.asked(self.cdn))
        self.assertIn("0 pages, 4 assets and 1 failure", done.stdout)


class Sitemaps(Site2):
    """robots.txt names an index, which lists a sitemap and a compressed one; a page in them links elsewhere."""

    def setUp(self):
        super().setUp()
        self.files = {}
        self.home = self.site(self.files)
        url = self.home.url
        self.files |= {
            "/robots.txt": of_type("text/plain", f"User-agent: *\nDisallow: /private\nSitemap: {url('/index.xml')}\nSitemap: http://127.0.0.9/other.xml\n"),
            "/index.xml": index(url("/one.xml"), url("/two.xml.gz")),
            "/one.xml": sitemap(url("/1"), url("/private"), "http://127.0.0.9/"),
            "/two.xml.gz": of_type("application/octet-stream", gzip.compress(sitemap(url("/2"), url("/moved"))[2].encode())),
            "/": "<a href=/linked>x</a><a href=/1>x</a>",
            "/1": "<a href=/linked-too>x</a><img src=/1.png>", "/2": "2", "/linked": "x", "/linked-too": "x", "/1.png": PNG,
            "/moved": (301, {"Location": "/there"}, ""), "/there": "there",
        }
        self.maps = {"/index.xml", "/one.xml", "/two.xml.gz"}
        self.listed = {"/1", "/2", "/moved", "/there"}
        self.linked = {"/", "/1", "/linked", "/linked-too"}

    def test_only_reads_what_they_list_and_no_links(self):
        done = self.crawl(self.home.url("/"), "--sitemaps", "only", "--out", "out")
        self.assertEqual(sorted({"/"} | self.maps | self.listed), self.asked(self.home))
        self.assertIn("4 pages, 3 sitemaps and 1 failure in ", done.stdout)  # robots.txt forbids one
        self.assertIn("3 links stood on pages and in no sitemap (--sitemaps only).", done.stdout)
        self.assertIn("1 link left the seeds' domains", done.stdout)
        self.assertEqual(sorted(self.home.url(path) for path in self.maps),
                         sorted(line["url"] for line in self.lines("pages") if line["kind"] == "sitemap"))
        self.assertEqual({"/1": 1, "/2": 1, "/": 0, "/one.xml": 0},
                         {path: line["depth"] for line in self.lines("pages") for path in ("/", "/1", "/2", "/one.xml") if line["url"] == self.home.url(path)})

    def test_also_reads_them_beside_links(self):
        done = self.crawl(self.home.url("/"), "--sitemaps", "also")
        self.assertEqual(sorted(self.maps | self.listed | self.linked), self.asked(self.home))
        self.assertNotIn("--sitemaps", done.stdout)

    def test_no_reads_none_also_with_a_strategy_that_would(self):
        done = self.crawl(self.home.url("/"), "--sitemaps", "no", "--strategy", "discovery")
        self.assertEqual(sorted(self.linked), self.asked(self.home))
        self.assertIn("1 sitemap left out (--sitemaps no).", done.stdout)
        self.crawl(self.home.url("/"), "--data", "as-the-strategy", "--strategy", "discovery")
        self.assertLess(self.maps, set(self.asked(self.home)))

    def test_every_strategy_reads_them(self):
        for strategy in "depth_first", "discovery", "keyword":
            with self.subTest(strategy):
                self.home.requests.clear()
                terms = ["--param", "terms=x"] if strategy == "keyword" else []
                self.crawl(self.home.url("/"), "--sitemaps", "only", "--data", strategy, "--strategy", strategy, *terms, "--max-wait", "1s", code=None)
                # The strategy chooses from the URLs that sitemaps list.
                listed = set() if strategy == "keyword" else self.listed
                self.assertEqual(sorted({"/"} | self.maps | listed), self.asked(self.home))

    def test_with_assets_only_the_images_of_those_pages_come_too(self):
        self.crawl(self.home.url("/"), "--sitemaps", "only", "--assets")
        self.assertEqual(sorted({"/", "/1.png"} | self.maps | self.listed), self.asked(self.home))

    def test_where_robots_txt_names_none_the_usual_one_is_tried(self):
        self.files["/robots.txt"] = of_type("text/plain", "User-agent: *\nAllow: /\n")
        self.files["/sitemap.xml"] = sitemap(self.home.url("/2"))
        self.crawl(self.home.url("/"), "--sitemaps", "only")
        self.assertEqual(["/", "/2", "/sitemap.xml"], self.asked(self.home))
        del self.files["/sitemap.xml"]
        done = self.crawl(self.home.url("/"), "--sitemaps", "only", "--data", "without")
        self.assertIn(f"\n      {self.home.url('/sitemap.xml')}\n", done.stdout)

    def test_it_is_kept_shown_and_checked(self):
        said = self.crawl(self.home.url("/"), "--sitemaps", "only", "--assets", "--dry-run").stdout
        self.assertIn("sitemaps    only: the pages that they list, and no links from pages\n", said)
        self.assertIn("assets      what pages embed is fetched too, wherever it lies\n", said)
        self.crawl(self.home.url("/"), "--sitemaps", "only", "--max-pages", "1", code=4)
        self.orbweaver("crawl")
        self.assertEqual(sorted({"/"} | self.maps | self.listed), self.asked(self.home))
        said = self.orbweaver("crawl", "--sitemaps", "also", "--assets").stderr
        self.assertIn("Changed and kept: --sitemaps is also, was only; other parts of the web are crawled.", said)
        self.assertIn("Changed and kept: --assets is true, was false; those of pages that were fetched already are not.", said)
        self.assertIn("--sitemaps maybe: expected only, also, no or strategy", self.orbweaver("crawl", "--sitemaps", "maybe", code=2).stderr)


if __name__ == "__main__":
    Newcomer.program = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
