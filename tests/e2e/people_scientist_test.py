"""A data scientist makes a corpus and a graph of documentation, as docs/crawl.md and docs/check.md say:

python3 people_scientist_test.py PROGRAM
"""

import base64
import collections
import glob
import gzip
import hashlib
import html.parser
import json
import os
import pathlib
import re
import sys
import unittest
import urllib.parse

from documentation_site import Answer, Walk
from first_hour_outputs_test import unpacked
from person import Person
from small_proxies import HttpProxy

DOCS = (pathlib.Path(__file__).parents[2] / "docs" / "crawl.md").read_text()
CACHE = pathlib.Path(os.environ.get("ORBWEAVER_CACHE", pathlib.Path.home() / ".cache" / "orbweaver"))
sys.path.insert(0, str(CACHE / "parquet-readers-26.0.1"))


def words(text):
    return re.findall(r"\w+", text)


class Body(html.parser.HTMLParser):
    """A page's language and the words of its body, by Python's parser."""

    def __init__(self, page):
        super().__init__()
        self.language, self.words, self.hidden = "", [], 0
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag == "html":
            self.language = attributes.get("lang") or ""
        self.hidden += tag in ("script", "style", "title")

    def handle_endtag(self, tag):
        self.hidden -= tag in ("script", "style", "title")

    def handle_data(self, text):
        if not self.hidden:
            self.words += words(text)


class Scientist(Person):
    def setUp(self):
        super().setUp()
        original = self.documentation().answer("/git-doc/giteveryday.html").body
        self.site = self.documentation({"/copy.html": Answer(200, {"Content-Type": "text/html"}, original)})
        self.site.more["/"] += "<a href=/copy.html>a copy</a>"
        self.walk = Walk(self.site, self.site.url("/"))

    def body_of(self, url):
        return self.site.answer(urllib.parse.urlsplit(url).path).body

    def compressed_lines(self, kind, out="corpus"):
        files = sorted(glob.glob(f"{kind}-*.jsonl.zst", root_dir=self.folder / out))
        return [json.loads(line) for file in files for line in unpacked((self.folder / out / file).read_bytes()).splitlines()]

    def test_a_corpus_is_complete_and_has_what_people_read(self):
        self.types(f"orbweaver crawl {self.site.url('/')} --delay 0 --out corpus --text --markdown --out-format jsonl.zst --exclude '*.txt'")
        pages = {page.get("final_url") or page["url"]: page for page in self.compressed_lines("pages")}
        texts = {text.get("final_url") or text["url"]: text for text in self.compressed_lines("texts")}
        self.assertEqual(set(self.walk.pages), set(pages))
        kept = total = 0
        for url, page in pages.items():
            body = Body(self.body_of(url).decode("utf-8", "replace"))
            self.assertEqual(body.language, page["language"], url)
            text = next(text for text in texts.values() if text["url"] == page["url"])
            read = collections.Counter(words(text["text"]))
            # No word that the page does not have; some stand on the border of two elements.
            self.assertLessEqual(sum((read - collections.Counter(body.words)).values()), len(body.words) // 50 + 3, url)
            kept += min(read.total(), len(body.words))
            total += len(body.words)
        # The rest is navigation and tables of contents.
        self.assertGreater(kept / total, 0.94)
        heading = next(text["markdown"] for text in texts.values() if text["url"] == self.site.url("/git-doc/git-add.html"))
        self.assertIn("\n## SYNOPSIS\n\n```\n", heading)
        self.assertIn(f"]({self.site.url('/git-doc/git-commit.html')})", heading)
        # The same content has the same digest, whatever its URL is.
        by_digest = collections.defaultdict(set)
        for url, page in pages.items():
            self.assertEqual("sha1:" + base64.b32encode(hashlib.sha1(self.body_of(url)).digest()).decode(), page["digest"])
            by_digest[page["digest"]].add(url)
        self.assertIn({self.site.url("/copy.html"), self.site.url("/git-doc/giteveryday.html")}, by_digest.values())

    def test_the_graph_of_links_is_that_of_the_pages(self):
        self.types(f"orbweaver crawl {self.site.url('/')} --delay 0 --out corpus --set spider.archive.warc=false")
        graph = {page.get("final_url") or page["url"]: {link["url"] for link in page["links"]} for page in self.lines("links", "corpus")}
        expected = {url: set(links) for url, links in self.walk.pages.items()} | {url: set() for url in self.walk.files}
        self.assertEqual(set(expected), set(graph))
        for url, links in expected.items():
            self.assertEqual(links, graph[url], url)
        in_degrees = collections.Counter(target for links in graph.values() for target in links)
        self.assertEqual(collections.Counter(target for links in expected.values() for target in links), in_degrees)
        self.assertEqual([], list((self.folder / "corpus").glob("*.warc.gz")))

    def test_tables_are_asked_by_queries(self):
        self.types(f"orbweaver crawl {self.site.url('/')} --delay 0 --out tables --out-format parquet --set spider.archive.warc=false")
        import duckdb

        asked = duckdb.sql(f"""
            SELECT link.url, count(DISTINCT page.url) FROM '{self.folder}/tables/links-*.parquet' page, unnest(page.links) AS _(link)
            GROUP BY link.url""").fetchall()
        links = {url: set(found) for url, found in self.walk.pages.items()}
        self.assertEqual(collections.Counter(target for found in links.values() for target in found), collections.Counter(dict(asked)))
        # The recipe of the docs names each broken link and all pages that have it.
        recipe = re.search(r"print\(duckdb\.sql\(\"\"\"(.*?)\"\"\"\)\)", DOCS, re.S)[1].replace("'tables/", f"'{self.folder}/tables/")
        broken = {(url, page) for url, pages in self.walk.broken.items() for page in pages}
        self.assertEqual(broken, {(url, page) for url, page, _ in duckdb.sql(recipe).fetchall()})
        sizes = dict(duckdb.sql(f"SELECT coalesce(final_url, url), body_bytes FROM '{self.folder}/tables/pages-*.parquet'").fetchall())
        self.assertEqual({url: len(self.body_of(url)) for url in [*self.walk.pages, *self.walk.files]}, sizes)

    def test_an_index_leads_to_each_page_and_page_and_parse_show_it(self):
        start = self.site.url("/debian-policy/policy.html/index.html")
        self.types(f"orbweaver crawl {start} --scope path --delay 0 --out archive && sort -m archive/*.cdxj > index.cdxj")
        walk = Walk(self.site, start, lambda url: "/debian-policy/policy.html/" in url)
        found = {}
        for line in (self.folder / "index.cdxj").read_text().splitlines():
            fields = json.loads(line.split(" ", 2)[2])
            begin = int(fields["offset"])
            record = (self.folder / "archive" / fields["filename"]).read_bytes()[begin : begin + int(fields["length"])]
            if fields["status"] == "200":
                found[fields["url"]] = gzip.decompress(record).split(b"\r\n\r\n", 2)[2].removesuffix(b"\r\n\r\n")
        self.assertEqual({url: self.body_of(url) for url in [*walk.pages, *walk.files]}, found)
        url = self.site.url("/debian-policy/policy.html/ch-source.html")
        self.types(f"orbweaver page {url.removeprefix('http://')} --body > page.html")
        self.assertEqual(self.body_of(url), (self.folder / "page.html").read_bytes())
        parsed = [json.loads(line) for line in self.types(f"orbweaver parse page.html --base {url} --json").stdout.splitlines()]
        links = {link["url"] for line in parsed for link in line.get("links", [])}
        self.assertEqual(set(self.walk.pages[url]), links, parsed)

    def test_a_list_of_ones_own_machine_is_checked_once_it_is_allowed(self):
        address = f"localhost:{self.site.port}"
        (self.folder / "urls.txt").write_text("".join(f"{address}{path}\n" for path in ("/git-doc/git.html", "/git-doc/git-p4.html")))
        done = self.types("orbweaver check urls.txt", 3)
        self.assertRegex(done.stdout, r"private_address +2  not asked: with --restart --set network\.allow_hosts=HOST:PORT")
        self.assertEqual([], self.site.requests)
        self.types(f"orbweaver check urls.txt --restart --set network.allow_hosts={address} --per-host 0,0 --per-domain 0,0")
        results = [json.loads(line) for line in (self.folder / "urls.txt.checked.jsonl").read_text().splitlines()]
        self.assertEqual({(1, "alive"), (2, "dead")}, {(line["line"], line["verdict"]) for line in results})

    def test_links_that_lead_elsewhere_are_checked(self):
        self.types(f"orbweaver crawl {self.site.url('/')} --delay 0 --out corpus --set spider.archive.warc=false")
        outside = sorted({link["url"] for page in self.lines("links", "corpus") for link in page["links"] if not link["url"].startswith(self.site.url("/"))})
        self.assertEqual(sorted(self.walk.outside), outside)
        # The web of these links: of plain http, every third is gone, every fifth has moved.
        urls = [url for url in outside if url.startswith("http:") and "localhost" not in url and urllib.parse.urlsplit(url).port is None]
        self.assertGreater(len(urls), 20)
        (self.folder / "external.txt").write_text("\n".join(urls))
        paths = {}
        for i, url in enumerate(urls):
            parts = urllib.parse.urlsplit(url)
            status = 404 if i % 3 == 0 else 301 if i % 5 == 0 else 200
            paths[parts.netloc, parts._replace(scheme="", netloc="", fragment="").geturl()] = status
        web = self.documentation()
        web.gate = lambda asked: Answer(status := paths.get((asked.headers["Host"], asked.path), 200), {"Location": "/moved"} if status == 301 else {}, b"")
        proxy = HttpProxy({netloc: web.port for netloc, _ in paths})
        self.addCleanup(proxy.close)
        self.types(f"orbweaver check external.txt --set network.proxy={proxy.url()} --per-host 0,0 --per-domain 0,0 --per-address 0,0")
        results = {line["url"]: line for line in map(json.loads, (self.folder / "external.txt.checked.jsonl").read_text().splitlines())}
        self.assertEqual(set(urls), set(results))
        for i, url in enumerate(urls):
            verdict = "dead" if i % 3 == 0 else "alive"
            self.assertEqual((verdict, 0 if i % 3 == 0 or i % 5 else 1), (results[url]["verdict"], len(results[url]["redirects"])), results[url])


if __name__ == "__main__":
    Person.program = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
