"""The files that `orbweaver crawl --out` writes, and what people do with them: python3 first_hour_outputs_test.py PROGRAM"""

import ctypes
import gzip
import json
import pathlib
import re
import subprocess
import sys
import unittest

from newcomer import Newcomer


class Buffer(ctypes.Structure):
    _fields_ = [("bytes", ctypes.c_void_p), ("size", ctypes.c_size_t), ("at", ctypes.c_size_t)]


def unpacked(packed):
    """A file unpacked by zstd's own library."""
    zstd = ctypes.CDLL("libzstd.so.1")
    zstd.ZSTD_createDStream.restype = ctypes.c_void_p
    zstd.ZSTD_decompressStream.restype = ctypes.c_size_t
    stream = ctypes.c_void_p(zstd.ZSTD_createDStream())
    source, room = ctypes.create_string_buffer(packed, len(packed)), ctypes.create_string_buffer(1 << 17)
    read, text, left = Buffer(ctypes.addressof(source), len(packed), 0), b"", 0
    while read.at < read.size:
        written = Buffer(ctypes.addressof(room), len(room), 0)
        left = zstd.ZSTD_decompressStream(stream, ctypes.byref(written), ctypes.byref(read))
        assert not zstd.ZSTD_isError(ctypes.c_size_t(left))
        text += room.raw[: written.at]
    assert left == 0, "the last frame is not whole"
    return text


class Outputs(Newcomer):
    def lines(self, kind, out="out"):
        """The lines of JSON of all files of that kind."""
        files = sorted((self.folder / out).glob(f"{kind}-*.jsonl"))
        return [json.loads(line) for file in files for line in file.read_text().splitlines()]


    def recipe(self, files):
        """The output of the program that docs/crawl.md has for these files."""
        text = (pathlib.Path(__file__).parents[2] / "docs/crawl.md").read_text()
        program = next(p for p in re.findall(r"^python3 - <<'END'\n(.*?)^END$", text, re.S | re.M) if files in p)
        return subprocess.run([sys.executable, "-c", program], cwd=self.folder, capture_output=True, text=True, check=True).stdout


class BrokenLinks(Outputs):
    FILES = {
        "/": "<a href=/list>l</a><a href=/moved>m</a>",
        "/list": "<a href=/gone>g</a><a href=/error>e</a><a href=/forbidden>f</a>",
        "/moved": (301, {"Location": "/list/"}, ""),
        "/error": (501, {}, "no"),
        "/robots.txt": "User-agent: *\nDisallow: /forbidden\n",
    }

    def test_each_broken_link_is_known_with_its_cause_and_the_page_that_has_it(self):
        site = self.site(self.FILES)
        self.crawl(site.url("/"), "--out", "out")
        failures = {line["url"]: line for line in self.lines("failures")}
        broken = {url: (line["cause"], line["status"], line["referrer"]) for url, line in failures.items()}
        self.assertEqual({
            site.url("/gone"): ("http_4xx", 404, site.url("/list")),
            site.url("/error"): ("http_5xx", 501, site.url("/list")),
            site.url("/forbidden"): ("robots", 0, site.url("/list")),
            site.url("/moved"): ("http_4xx", 404, site.url("/")),
        }, broken)
        self.assertEqual(site.url("/list/"), failures[site.url("/moved")]["final_url"])
        self.assertEqual({1}, {line["attempt"] for line in failures.values()})
        self.assertTrue(all(line["failed_at"].startswith("20") for line in failures.values()))
        # Every page that has the link is one query away.
        linking = [page["url"] for page in self.lines("links") for link in page["links"] if link["url"] == site.url("/gone")]
        self.assertEqual([site.url("/list")], linking)

    def test_the_recipe_of_the_docs_prints_them(self):
        site = self.site(self.FILES)
        self.crawl(site.url("/"), "--out", "out")
        self.assertEqual([f"{site.url('/gone')} on {site.url('/list')}", f"{site.url('/moved')} on {site.url('/')}"],
                         sorted(self.recipe("out/failures-").splitlines()))

    def test_a_run_that_goes_on_knows_it_too(self):
        site = self.site(self.FILES)
        self.crawl(site.url("/"), "--out", "out", "--max-pages", "1", "--delay", "300ms", code=4)
        self.orbweaver("crawl", "--delay", "10ms")
        self.assertIn((site.url("/gone"), site.url("/list")), [(line["url"], line["referrer"]) for line in self.lines("failures")])

    def test_pages_say_where_they_were_linked_and_what_the_server_said(self):
        site = self.site({"/": "<a href=/a>a</a>", "/a": (200, {"X-Version": "7", "ETag": '"e"'}, "a")})
        self.crawl(site.url("/"), "--out", "out", "--keep-header", "X-Version")
        first, second = self.lines("pages")
        self.assertEqual(("", 0, site.url("/"), 1), (first["referrer"], first["depth"], second["referrer"], second["depth"]))
        self.assertEqual(("7", '"e"', "text/html"), tuple(second["headers"][name] for name in ("x-version", "etag", "content-type")))
        self.assertRegex(second["digest"], r"^sha1:[A-Z2-7]{32}$")
        self.assertGreaterEqual(second["total_ms"], second["first_byte_ms"])


class Formats(Outputs):
    def test_lines_may_be_compressed(self):
        site = self.site({"/": "<a href=/gone>g</a>"})
        self.crawl(site.url("/"), "--out", "out", "--out-format", "jsonl.zst")
        for kind in "pages", "links", "failures":
            file = next((self.folder / "out").glob(f"{kind}-*.jsonl.zst"))
            self.assertEqual(1, len([json.loads(line) for line in unpacked(file.read_bytes()).splitlines()]), kind)
        self.assertEqual([], list((self.folder / "out").glob("*.jsonl")))

    def test_another_format_is_refused(self):
        done = self.crawl("http://127.0.0.1:1/", "--out", "out", "--out-format", "csv", code=2)
        self.assertIn("jsonl, jsonl.zst, parquet", done.stderr)


class Texts(Outputs):
    LONG = "Crawlers that keep a text for a corpus want what people read, and not what stands on each page of a site around it. " * 2

    def test_a_page_as_people_read_it_and_as_markdown(self):
        page = f"<title>T</title><nav><a href=/>home</a></nav><main><h1>K\u00f6pfe</h1><p>{self.LONG}<p>See <a href=/b>b</a>.</main><footer>c</footer>"
        site = self.site({"/": (200, {"Content-Type": "text/html; charset=iso-8859-1"}, page.encode("latin-1")),
                          "/b": (200, {"Content-Type": "text/plain"}, "plain"), "/c": "<p>"})
        self.crawl(site.url("/"), "--out", "out", "--text", "--markdown")
        first, second = self.lines("texts")
        self.assertEqual(f"K\u00f6pfe\n\n{self.LONG.strip()}\n\nSee b.", first["text"])
        self.assertEqual(f"# K\u00f6pfe\n\n{self.LONG.strip()}\n\nSee [b]({site.url('/b')}).", first["markdown"])
        self.assertEqual(("T", False), (first["title"], first["text_truncated"]))
        self.assertEqual("plain", second["text"])
        digests = {page["url"]: page["digest"] for page in self.lines("pages")}
        self.assertEqual(digests, {first["url"]: first["digest"], second["url"]: second["digest"]})

    def test_the_recipe_of_the_docs_prints_a_corpus(self):
        site = self.site({"/": f"<title>T</title><p>{self.LONG}"})
        (self.folder / "urls.txt").write_text(site.url("/"))
        self.crawl("--seeds", "urls.txt", "--out", "corpus", "--text", "--set", "spider.archive.warc=false")
        self.assertEqual(f"T\n\n{self.LONG.strip()}\n\n\n", self.recipe("corpus/texts-"))

    def test_there_is_none_unless_asked_for(self):
        site = self.site({"/": "text"})
        self.crawl(site.url("/"), "--out", "out")
        self.assertEqual([], list((self.folder / "out").glob("texts-*")))

    def test_files_need_a_folder(self):
        for option in ("--text",), ("--markdown",), ("--archive-errors",), ("--operator", "x"), ("--keep-header", "x"), ("--out-format", "jsonl.zst"):
            with self.subTest(option):
                done = self.crawl("http://127.0.0.1:1/", *option, code=2)
                self.assertIn(f"{option[0]} needs --out DIR", done.stderr)
                self.assertFalse((self.folder / "crawl-data").exists())


class Archives(Outputs):
    FILES = {"/": "<a href=/gone>g</a>", "/gone": (404, {}, "<p>an error page")}

    def records(self):
        """Of each answer in the archive, by URL: what its line in the index leads to, unpacked."""
        found = {}
        for index in (self.folder / "out").glob("*.cdxj"):
            lines = index.read_text().splitlines()
            self.assertEqual(sorted(lines), lines)
            for line in lines:
                fields = json.loads(line.split(" ", 2)[2])
                begin, size = int(fields["offset"]), int(fields["length"])
                record = gzip.decompress((self.folder / "out" / fields["filename"]).read_bytes()[begin : begin + size])
                found[fields["url"]] = record.decode()
        return found

    def test_an_index_leads_to_each_answer_and_the_file_says_who_crawled(self):
        site = self.site(self.FILES)
        self.crawl(site.url("/"), "--out", "out", "--operator", "A. Nyone", "--user-agent", "mybot/1 (+https://example.org/)")
        records = self.records()
        self.assertEqual({site.url("/robots.txt"), site.url("/"), site.url("/gone")}, set(records))
        for url, record in records.items():
            self.assertIn(f"\r\nWARC-Target-URI: {url}\r\n", record)
        self.assertNotIn("an error page", records[site.url("/gone")])
        warc = gzip.decompress(next((self.folder / "out").glob("*.warc.gz")).read_bytes()).decode()
        self.assertIn("\r\noperator: A. Nyone\r\nhttp-header-user-agent: mybot/1 (+https://example.org/)\r\n", warc)

    def test_error_pages_are_archived_where_they_are_asked_for(self):
        site = self.site(self.FILES)
        self.crawl(site.url("/"), "--out", "out", "--archive-errors")
        self.assertTrue(self.records()[site.url("/gone")].endswith("\r\n\r\n<p>an error page\r\n\r\n"))
        self.assertEqual([404], [line["status"] for line in self.lines("failures")])

    def test_a_page_is_shown_as_the_archive_has_it(self):
        site = self.site(self.FILES)
        self.crawl(site.url("/"), "--out", "out")
        shown = json.loads(self.orbweaver("page", site.url("/")).stdout)
        self.assertEqual((site.url("/"), "200", "text/html", False), (shown["url"], shown["status"], shown["content_type"], shown["revisit"]))
        self.assertEqual(self.FILES["/"], self.orbweaver("page", site.url("/"), "--body").stdout)
        self.assertEqual("404", json.loads(self.orbweaver("page", site.url("/gone")).stdout)["status"])
        self.assertIn("nothing is kept", self.orbweaver("page", site.url("/other"), code=1).stderr)
        self.assertIn("cluster", self.orbweaver("page", site.url("/"), "--same", code=2).stderr)

    def test_a_crawl_without_files_has_no_pages_to_show(self):
        site = self.site(self.FILES)
        self.crawl(site.url("/"))
        self.assertIn("--out", self.orbweaver("page", site.url("/"), code=2).stderr)

    def test_a_crawl_that_was_killed_leaves_whole_files_for_the_next_run_to_finish(self):
        site = self.site({"/": "".join(f"<a href=/{i}>x</a>" for i in range(40))} | {f"/{i}": f"page {i}" for i in range(40)})
        arguments = ["crawl", site.url("/"), "--data", "data", "--out", "out", "--text", "--delay", "20ms",
                     "--set=network.allow_networks=127.0.0.0/8", f"--set=network.ports={site.port}"]
        self.is_killed_when(lambda: len(site.requests) >= 15, *arguments)
        self.orbweaver("crawl", "--data", "data")
        self.assertEqual([], list((self.folder / "out").glob("*.open")))
        urls = {site.url("/")} | {site.url(f"/{i}") for i in range(40)}
        self.assertEqual(urls, {line["url"] for line in self.lines("pages")})
        self.assertEqual(urls, {line["url"] for line in self.lines("texts")} | {site.url("/")})
        self.assertEqual(urls | {site.url("/robots.txt")}, set(self.records()))


if __name__ == "__main__":
    Newcomer.program = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
