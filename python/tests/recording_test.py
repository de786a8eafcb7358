"""Recordings that the program makes, read in Python: recording_test.py ORBWEAVER"""
import package_environment as environment

import collections
import json
import os
import shutil
import sys
import tempfile
import unittest

sys.path.insert(0, str(environment.ROOT / "tests/e2e"))
from newcomer import Newcomer  # noqa: E402

from orbweaver.messages import SpiderLogEntry, event  # noqa: E402
from orbweaver.recording import DamagedRecording, Recording  # noqa: E402

PAGES = 20
FILES = {"/": "".join(f"<a href=/{i}>page {i}</a>" for i in range(PAGES)) + "".join(
    f"<a href=http://site{i}.example/>elsewhere</a>" for i in range(20)) + "<a href=/gone>g</a>"} | {
    f"/{i}": f"<title>Page {i}</title><a href=/>home</a>" for i in range(PAGES)}


class Recordings(Newcomer):
    made = None  # by the first test; the others damage a copy

    def setUp(self):
        super().setUp()
        if Recordings.made is None:
            Recordings.made = tempfile.TemporaryDirectory()
            unittest.addModuleCleanup(Recordings.made.cleanup)
            site = self.site(FILES)
            Recordings.pages = {site.url(path) for path in FILES}
            self.crawl(site.url("/"), "--data", f"{self.made.name}/data", "--record", f"{self.made.name}/rec")
        shutil.copytree(self.made.name, self.folder, dirs_exist_ok=True)
        self.recording = Recording(self.folder / "rec")

    def manifest(self, change):
        path = self.folder / "rec/manifest.json"
        manifest = json.loads(path.read_text())
        change(manifest)
        path.write_text(json.dumps(manifest))

    def test_records_are_those_of_the_log(self):
        self.assertEqual(["scoring-log", "spider-log"], self.recording.topics)
        stats = json.loads(self.orbweaver("record", "stats", "rec", "--json").stdout)["topics"]
        for topic in self.recording.topics:
            kinds = collections.Counter(event(record.entry)[0] for record in self.recording.records(topic))
            self.assertEqual(stats[topic]["events"], dict(kinds))
        # A folder's log keeps what it still needs.
        dumped = [json.loads(line) for line in self.orbweaver("log", "dump", "spider-log", "--json", "--data", "data").stdout.splitlines()]
        read = {(one.partition, one.offset): (one.key.decode(), event(one.entry)[0]) for one in self.recording.records("spider-log")}
        for one in dumped:
            self.assertEqual((one["key"], one["type"]), read[one["partition"], one["offset"]])
        order = [(record.partition, record.offset) for record in self.recording.records("spider-log")]
        self.assertEqual(sorted(order), order)
        record = next(self.recording.records("spider-log"))
        self.assertIs(SpiderLogEntry, type(record.entry))
        self.assertGreater(record.time_ms, 1_600_000_000_000)

    def test_tables_have_the_columns_that_were_asked_for(self):
        table = self.recording.table("spider-log", columns=["event", "url", "fetch_status"])
        self.assertEqual(["event", "url", "fetch_status"], table.column_names)
        pages = {row["url"] for row in table.to_pylist() if row["event"] == "page_fetched"}
        self.assertEqual(self.pages, pages)
        batches = list(self.recording.batches("spider-log", ["event"], rows=7))
        self.assertGreater(len(batches), 3)
        self.assertEqual(table.num_rows, sum(batch.num_rows for batch in batches))
        self.assertIn("raw_value", self.recording.table("spider-log").column_names)

    def test_files_come_in_the_order_of_the_log_whatever_the_manifest_has(self):
        self.manifest(lambda manifest: manifest["files"].reverse())
        for topic in self.recording.topics:
            names = [file.path.name for file in Recording(self.folder / "rec").files(topic)]
            self.assertEqual(sorted(names), names)
            self.assertGreater(len(names), 2)

    def test_a_topic_that_is_not_there_is_told_with_those_that_are(self):
        with self.assertRaisesRegex(KeyError, "nothing of 'cats'; it has scoring-log, spider-log"):
            self.recording.table("cats")

    def test_a_damaged_file_is_told(self):
        self.recording.check()
        file = self.recording.files("spider-log")[0]
        whole = file.path.read_bytes()
        for damaged in (whole[:-1], whole[:50] + bytes([whole[50] ^ 1]) + whole[51:], b""):
            file.path.write_bytes(damaged)
            with self.assertRaisesRegex(DamagedRecording, "the manifest says"):
                self.recording.check()
        with self.assertRaisesRegex(DamagedRecording, file.path.name):
            self.recording.table("spider-log")
        with self.assertRaisesRegex(DamagedRecording, file.path.name):
            list(self.recording.records("spider-log"))
        os.remove(file.path)
        with self.assertRaisesRegex(DamagedRecording, "No such file"):
            self.recording.check()
        with self.assertRaises(DamagedRecording):
            self.recording.table("spider-log")

    def test_a_file_with_other_records_than_the_manifest_says_is_told(self):
        self.manifest(lambda manifest: manifest["files"][0].update(records=3))
        recording = Recording(self.folder / "rec")
        topic = recording.manifest["files"][0]["topic"]
        with self.assertRaisesRegex(DamagedRecording, "records, the manifest says 3"):
            recording.table(topic)
        with self.assertRaisesRegex(DamagedRecording, "records, the manifest says 3"):
            list(recording.batches(topic))

    def test_what_is_no_recording_is_refused_with_its_reason(self):
        with self.assertRaisesRegex(DamagedRecording, "no manifest.json in it.*--record` makes one"):
            Recording(self.folder)
        for change, reason in ((lambda one: one.update(version=2), "version 2, this package reads 1"),
                               (lambda one: one.update(format="cats"), "of something else"),
                               (lambda one: one["files"][0].pop("topic"), "topic")):
            before = (self.folder / "rec/manifest.json").read_text()
            self.manifest(change)
            with self.assertRaisesRegex(DamagedRecording, reason):
                Recording(self.folder / "rec")
            (self.folder / "rec/manifest.json").write_text(before)
        self.manifest(lambda one: one["files"][0].update(name="../secret.parquet"))
        with self.assertRaisesRegex(DamagedRecording, "not a file in it"):
            Recording(self.folder / "rec")
        (self.folder / "rec/manifest.json").write_text("{")
        with self.assertRaises(DamagedRecording):
            Recording(self.folder / "rec")


if __name__ == "__main__":
    Newcomer.program = sys.argv.pop(1)
    unittest.main()
