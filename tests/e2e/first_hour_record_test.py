"""Recordings of a crawl: made, read by others, damaged, imported: python3 first_hour_record_test.py PROGRAM CACHE"""

import json
import os
import pathlib
import re
import subprocess
import sys
import unittest

from newcomer import Newcomer
from small_disk import small_disk
from synthetic_web import PATIENCE_S

sys.path.insert(0, str(pathlib.Path(sys.argv.pop(2)) / "parquet-readers-26.0.1"))
import duckdb  # noqa: E402
import polars  # noqa: E402
import pyarrow.parquet  # noqa: E402

PAGES = 40
FILES = {
    "/": "".join(f"<a href=/{i}>page {i}</a>" for i in range(PAGES)) + "<a href=/gone rel=nofollow>g</a>",
} | {f"/{i}": f"<title>T\u00eftle {i}</title><a href=/>home</a><a href=/{7 * i % PAGES}></a>" for i in range(PAGES)}
RECORD = ["log_partition", "log_offset", "log_time", "raw_key", "raw_value", "raw_headers"]


class Record(Newcomer):
    def arguments(self, site, data, recording, *more):
        return ["crawl", site.url("/"), "--data", data, "--record", recording, "--delay", "10ms", *more,
                "--set=network.allow_networks=127.0.0.0/8", f"--set=network.ports={site.port}"]

    def files(self, recording, topic="spider-log"):
        return sorted((self.folder / recording).glob(f"{topic}-*.parquet"))

    def rows(self, recording, topic="spider-log"):
        found = []
        for file in self.files(recording, topic):
            found += pyarrow.parquet.ParquetFile(file, page_checksum_verification=True).read().to_pylist(maps_as_pydicts="strict")
        return found

    def records(self, recording, topic="spider-log"):
        """As the log had them."""
        return [[row[name] for name in RECORD] for row in self.rows(recording, topic)]

    def each_once(self, recording, topic="spider-log"):
        """Every offset of every partition from the first one on."""
        offsets = {}
        for row in self.rows(recording, topic):
            offsets.setdefault(row["log_partition"], []).append(row["log_offset"])
        for partition, found in offsets.items():
            self.assertEqual(list(range(len(found))), found, (topic, partition))

    def test_a_crawl_is_recorded_and_says_in_sql_what_it_saw(self):
        site = self.site(FILES)
        self.orbweaver(*self.arguments(site, "data", "rec"))
        rows = self.rows("rec")
        fetched = {row["url"]: row for row in rows if row["event"] == "page_fetched"}
        self.assertEqual({site.url(path) for path in FILES}, set(fetched))
        page = fetched[site.url("/3")]
        self.assertEqual((200, "T\u00eftle 3", "text/html", 1, "127.0.0.1", "127.0.0.1"),
                         tuple(page[name] for name in ("fetch_status", "title", "content_mime_type", "depth", "url_host_name",
                                                       "url_host_registered_domain")))
        self.assertEqual({"spider-log", "scoring-log"}, {file.name.rsplit("-", 3)[0] for file in self.files("rec", "*")})
        for topic in ("spider-log", "scoring-log"):
            self.each_once("rec", topic)
        pattern = str(self.folder / "rec" / "spider-log-*.parquet")
        links = duckdb.execute(f"""SELECT link.target, link.anchor, link.rel, link.kind FROM '{pattern}', unnest(links) AS _(link)
            WHERE url = '{site.url("/")}' ORDER BY log_offset""").fetchall()
        self.assertIn((site.url("/7"), "page 7", None, "anchor"), links)
        self.assertIn((site.url("/gone"), "g", "nofollow", "anchor"), links)
        self.assertEqual(PAGES + 1, len(links))
        # The strategy's answer to each page's links.
        scheduled = duckdb.execute(f"""SELECT count(DISTINCT request.url) FROM '{pattern.replace("spider", "scoring")}',
            unnest(requests) AS _(request)""").fetchone()
        self.assertEqual((PAGES + 2,), scheduled)
        self.assertEqual(sorted(row["log_offset"] for row in rows), sorted(polars.read_parquet(pattern)["log_offset"]))
        failed = [row for row in rows if row["event"] == "fetch_failed"]
        self.assertEqual([(site.url("/gone"), "http_4xx", 404)], [(row["url"], row["cause"], row["fetch_status"]) for row in failed])

    def test_its_numbers_and_its_manifest(self):
        site = self.site(FILES)
        self.orbweaver(*self.arguments(site, "data", "rec", "--strategy", "depth_first", "--depth", "3", "--exclude", "re:x{1,2}", "--exclude", "*.pdf"))
        checked = self.orbweaver("record", "check", "rec").stdout
        self.assertIn(": whole.", checked)
        told = self.orbweaver("record", "stats", "rec").stdout
        self.assertIn("strategy depth_first", told)
        stats = json.loads(self.orbweaver("record", "stats", "rec", "--json").stdout)["topics"]["spider-log"]
        self.assertEqual(PAGES + 1, stats["events"]["page_fetched"])
        self.assertEqual(len(self.rows("rec")), stats["records"])
        self.assertEqual(sum(len(row["links"] or []) for row in self.rows("rec")), stats["links"])
        # Decisions of another strategy behind these are told.
        other = self.orbweaver("crawl", "--data", "data", "--strategy", "breadth_first")
        self.assertIn("rec has decisions of depth_first 1, and gets those of breadth_first 1", other.stderr)
        manifest = json.loads((self.folder / "rec" / "manifest.json").read_text())
        self.assertEqual(("depth_first", {"max_depth": "3"}), (manifest["strategy"]["name"], {"max_depth": manifest["strategy"]["params"]["max_depth"]}))
        self.assertEqual(str(self.folder / "data"), manifest["source"].removeprefix("folder "))
        self.assertEqual("10ms", manifest["configuration"]["politeness.delay"])
        self.assertEqual("re:x{1\\,2},*.pdf", manifest["configuration"]["scope.exclude"])
        self.assertEqual({file.name for file in self.files("rec", "*")}, {file["name"] for file in manifest["files"]})

    def test_killed_again_and_again_it_has_each_record_once(self):
        site = self.site(FILES)
        for times in range(4):
            before = len(site.requests)
            self.is_killed_when(lambda: len(site.requests) - before >= 8, *self.arguments(site, "data", "rec"))
        # The folder remembers where it is recorded.
        self.orbweaver("crawl", "--data", "data")
        for topic in ("spider-log", "scoring-log"):
            self.each_once("rec", topic)
        self.assertIn(": whole.", self.orbweaver("record", "check", "rec").stdout)
        self.assertEqual({site.url(path) for path in FILES}, {row["url"] for row in self.rows("rec") if row["event"] == "page_fetched"})

    def test_a_full_disk_ends_the_crawl_and_nothing_is_lost(self):
        site = self.site(FILES)
        disk, words = small_disk(self, self.folder)
        if words is None:
            room = os.statvfs(disk)
            (disk / "full").write_bytes(bytes(max(0, room.f_bavail * room.f_frsize - (8 << 10))))
        else:
            words += ["8k", str(disk)]
        ended = subprocess.run([*(words or []), self.program, *self.arguments(site, "data", disk / "rec")], cwd=self.folder, capture_output=True,
                               text=True, timeout=PATIENCE_S)
        self.assertEqual(1, ended.returncode, ended.stdout + ended.stderr)
        self.assertIn("No space left on device. Check the disk.", ended.stderr)
        (disk / "full").unlink(missing_ok=True)
        self.orbweaver("crawl", "--data", "data")
        for topic in ("spider-log", "scoring-log"):
            self.each_once(disk / "rec", topic)
        fetched = {row["url"] for row in self.rows(disk / "rec") if row["event"] == "page_fetched"}
        self.assertEqual({site.url(path) for path in FILES}, fetched)
        self.assertIn(": whole.", self.orbweaver("record", "check", disk / "rec").stdout)

    def test_imported_and_recorded_again_its_records_are_the_same(self):
        site = self.site(FILES)
        self.orbweaver(*self.arguments(site, "data", "rec"))
        self.assertIn("imported", self.orbweaver("record", "import", "rec", "--data", "copy").stdout)
        again = self.orbweaver("record", "import", "rec", "--data", "copy").stdout
        self.assertIn("0 records imported", again)
        self.orbweaver("record", "--data", "copy", "--out", "rec2")
        for topic in ("spider-log", "scoring-log"):
            self.assertGreater(len(self.records("rec", topic)), 3)
            self.assertEqual(self.records("rec", topic), self.records("rec2", topic), topic)
        # Recorded once more there is nothing new.
        self.assertIn("0 records recorded", self.orbweaver("record", "--data", "copy", "--out", "rec2").stdout)

    def test_damage_is_named_and_left_out_when_asked(self):
        site = self.site(FILES)
        self.orbweaver(*self.arguments(site, "data", "rec"))
        victim = max(self.files("rec"), key=lambda file: file.stat().st_size)
        lost = pyarrow.parquet.ParquetFile(victim).metadata.num_rows
        damaged = bytearray(victim.read_bytes())
        damaged[len(damaged) // 2] ^= 1
        victim.write_bytes(damaged)
        checked = self.orbweaver("record", "check", "rec", code=1)
        self.assertIn(f"{victim.name}: its checksum is", checked.stdout)
        for command in (["stats", "rec"], ["import", "rec", "--data", "copy"]):
            refused = self.orbweaver("record", *command, code=1)
            self.assertIn(victim.name, refused.stderr)
        told = self.orbweaver("record", "stats", "rec", "--skip-damaged")
        self.assertIn(f"1 damaged file left out, with {lost} records", told.stderr)
        (self.folder / "rec" / "notes.txt").write_text("mine")
        self.assertIn("not a part of it: notes.txt", self.orbweaver("record", "check", "rec", code=1).stdout)
        (self.folder / "rec" / "manifest.json").write_text("{")
        self.assertIn("damaged", self.orbweaver("record", "check", "rec", code=1).stderr)

    def test_the_questions_of_the_documentation_have_answers(self):
        site = self.site(FILES)
        self.orbweaver(*self.arguments(site, "data", "rec"))
        page = (pathlib.Path(__file__).resolve().parents[2] / "docs" / "experiments.md").read_text()
        questions = re.findall(r"^```sql\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
        self.assertEqual(11, len(questions))
        for question in questions:
            with self.subTest(question):
                answers = duckdb.execute(question.replace("'rec/", f"'{self.folder / 'rec'}/")).fetchall()
                # This site links to no other, none of its pages is there twice, and nothing was drawn by lot.
                has_none = any(word in question for word in ("url_host_registered_domain", "HAVING", "orbweaver.explore"))
                self.assertEqual(0 if has_none else 1, min(1, len(answers)))

    def test_wrong_words_are_told(self):
        for words, told in ((["record"], "--out DIR is missing"), (["record", "--out", "x", "--sample", "5"], "such as 5%"),
                            (["record", "--out", "x", "--topics", "spiderlog"], "expected spider-log"), (["record", "--out", "x", "--every", "0s"], "expected a time"),
                            (["record", "chekc", "x"], "expected --out DIR, check DIR")):
            self.assertIn(told, self.orbweaver(*words, "--set=kafka.brokers=127.0.0.1:1", code=2).stderr, words)
        self.assertIn("makes a recording", self.orbweaver("record", "stats", "nowhere", code=1).stderr)


if __name__ == "__main__":
    Newcomer.program = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
