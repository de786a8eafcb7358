"""`orbweaver crawl --out-format parquet`, and its files read by others: python3 first_hour_parquet_test.py PROGRAM CACHE"""

import datetime
import json
import pathlib
import sys
import unittest

from newcomer import Newcomer

sys.path.insert(0, str(pathlib.Path(sys.argv.pop(2)) / "parquet-readers-26.0.1"))
import duckdb  # noqa: E402
import polars  # noqa: E402
import pyarrow.parquet  # noqa: E402

KINDS = ["pages", "links", "failures", "texts"]
# Of a crawl's own.
VARYING = {"fetched_at", "failed_at", "first_byte_ms", "total_ms"}


TEXT = "Crawlers that keep a text for a corpus want what people read, and not what stands on each page of a site around it. "
FILES = {
    "/": "".join(f"<a href=/{i}>page {i}</a>" for i in range(40)) + "<a href=/gone>g</a><a href=/moved rel=nofollow>m</a>",
    "/moved": (301, {"Location": "/0"}, ""),
    "/long": f"<title>long</title><p>{TEXT * 400}",
} | {f"/{i}": f"<title>T\u00eftle {i}</title><p>{TEXT}{i}<a href=/>home</a><a href=/{7 * i % 40}></a>" + ("<a href=/long>l</a>" if i == 3 else "")
     for i in range(40)}


class Parquet(Newcomer):
    def rows(self, kind, out):
        """Of all Parquet files of that kind, as lists of dicts; without what differs from crawl to crawl."""
        found = []
        for file in sorted((self.folder / out).glob(f"{kind}-*.parquet")):
            found += pyarrow.parquet.ParquetFile(file, page_checksum_verification=True).read().to_pylist(maps_as_pydicts="strict")
        return found

    def same_for_all(self, rows):
        """By URL, and without what differs from one crawl to the next."""
        return sorted((json.dumps({key: value for key, value in row.items() if key not in VARYING}, sort_keys=True) for row in rows))

    def lines(self, kind, out):
        """The lines of JSON as rows: what is not there is None."""
        found = [json.loads(line) for file in (self.folder / out).glob(f"{kind}-*.jsonl") for line in file.read_text().splitlines()]
        optional = {"final_url": None} | ({"retry_after_ms": None} if kind == "failures" else {}) | ({"markdown": None} if kind == "texts" else {})
        return [optional | line for line in found]

    def arguments(self, site, out):
        return ["crawl", site.url("/"), "--data", f"{out}-data", "--out", out, "--text", "--delay", "10ms",
                "--set=network.allow_networks=127.0.0.0/8", f"--set=network.ports={site.port}"]

    def test_the_rows_are_those_of_the_lines_of_json(self):
        site = self.site(FILES)
        self.orbweaver(*self.arguments(site, "jsonl"))
        self.orbweaver(*self.arguments(site, "parquet"), "--out-format", "parquet")
        for kind in KINDS:
            with self.subTest(kind):
                expected = self.same_for_all(self.lines(kind, "jsonl"))
                self.assertGreater(len(expected), 0)
                self.assertEqual(expected, self.same_for_all(self.rows(kind, "parquet")))
        self.assertEqual([], [name for name in (self.folder / "parquet").iterdir() if "json" in name.name or ".open" in name.name])
        page = self.rows("pages", "parquet")[0]
        self.assertLess(abs(datetime.datetime.now(datetime.timezone.utc) - page["fetched_at"]), datetime.timedelta(hours=1))
        self.assertIn("content-type", page["headers"])

    def test_duckdb_and_polars_read_them_too(self):
        site = self.site(FILES)
        self.orbweaver(*self.arguments(site, "out"), "--out-format", "parquet")
        out = self.folder / "out"
        for kind in KINDS:
            pattern = str(out / f"{kind}-*.parquet")
            expected = sorted(row["url"] for row in self.rows(kind, "out"))
            self.assertEqual(expected, sorted(polars.read_parquet(pattern)["url"]), kind)
            self.assertEqual(expected, sorted(url for url, in duckdb.execute("SELECT url FROM read_parquet(?)", [pattern]).fetchall()), kind)
        # One query gives the pages that link to broken URLs, and the words of the links.
        broken = duckdb.execute(f"""
            SELECT failed.url, page.url, link.anchor FROM '{out}/failures-*.parquet' failed,
            '{out}/links-*.parquet' page, unnest(page.links) AS _(link)
            WHERE failed.status IN (404, 410) AND link.url = failed.url""").fetchall()
        self.assertEqual([(site.url("/gone"), site.url("/"), "g")], broken)

    def test_a_crawl_that_is_killed_and_goes_on_has_the_rows_of_one_that_was_not(self):
        site = self.site(FILES)
        self.orbweaver(*self.arguments(site, "whole"), "--out-format", "parquet")
        expected = {kind: self.same_for_all(self.rows(kind, "whole")) for kind in KINDS}
        for times in range(3):
            before = len(site.requests)
            self.is_killed_when(lambda: len(site.requests) - before >= 10, *self.arguments(site, "killed"), "--out-format", "parquet")
            # Pages that were fetched are on the disk, though no file is finished.
            self.assertGreater(len(list((self.folder / "killed").glob("pages-*.parquet.lines.open"))), 0, times)
        self.orbweaver("crawl", "--data", "killed-data")
        self.assertEqual([], list((self.folder / "killed").glob("*.open")))
        for kind in KINDS:
            with self.subTest(kind):
                # A page whose outcome the log did not have yet is fetched, and kept, again.
                self.assertEqual(sorted(set(expected[kind])), sorted(set(self.same_for_all(self.rows(kind, "killed")))))

    def test_files_that_are_large_enough_are_finished_while_the_crawl_runs(self):
        site = self.site({"/": "".join(f"<a href=/{i}>{i}</a>" for i in range(60))} | {f"/{i}": f"<p>{TEXT * 500}{i}" for i in range(60)})
        self.orbweaver(*self.arguments(site, "out"), "--out-format", "parquet", "--set", "spider.archive.max_file_bytes=1MiB")
        self.assertGreater(len(list((self.folder / "out").glob("texts-*.parquet"))), 2)
        self.assertEqual(60, len({row["url"] for row in self.rows("texts", "out")} - {site.url("/")}))

    def test_the_folder_keeps_the_format(self):
        site = self.site(FILES)
        self.orbweaver(*self.arguments(site, "out"), "--out-format", "parquet", "--max-pages", "3", code=4)
        self.orbweaver("crawl", "--data", "out-data")
        self.assertEqual([], list((self.folder / "out").glob("*.jsonl*")))
        self.assertEqual(43, len(self.rows("pages", "out")))


if __name__ == "__main__":
    Newcomer.program = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
