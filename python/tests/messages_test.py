"""The classes are those of proto/, and read what stands in users' logs."""
import package_environment as environment

import pathlib
import subprocess
import tempfile
import unittest

from google.protobuf import text_format

from orbweaver import messages

GOLDEN = environment.ROOT / "common/model/golden"
KINDS = {"feed_": messages.SpiderFeedEntry, "sched": messages.ScoringLogEntry, "scori": messages.ScoringLogEntry, "worke": messages.WorkerStats}


class Messages(unittest.TestCase):
    def test_what_is_checked_in_is_what_protoc_makes_of_proto(self):
        sources = sorted((environment.ROOT / "proto/orbweaver/v1").glob("*.proto"))
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run(["protoc", f"-I{environment.ROOT / 'proto'}", f"--python_out={folder}", f"--pyi_out={folder}", *sources], check=True)
            made = sorted(pathlib.Path(folder).glob("orbweaver/v1/*"))
            self.assertEqual(2 * len(sources), len(made))
            for path in made:
                ours = environment.PACKAGE / path.relative_to(folder)
                self.assertEqual(path.read_text(), ours.read_text(), f"{ours}: make it anew, python/README.md says how")

    def test_the_golden_messages_are_read_and_written_alike(self):
        files = sorted(GOLDEN.glob("*.bin"))
        self.assertGreater(len(files), 10)
        for path in files:
            kind = KINDS.get(path.name[:5], messages.SpiderLogEntry)
            entry = kind.FromString(path.read_bytes())
            self.assertEqual(text_format.Parse(path.with_suffix(".txtpb").read_text(), kind()), entry, path)
            self.assertEqual(entry, kind.FromString(entry.SerializeToString()))

    def test_every_message_and_enum_has_its_short_name(self):
        from orbweaver.v1 import scoring_log_pb2, spider_feed_pb2, spider_log_pb2, stats_pb2
        for module in (scoring_log_pb2, spider_feed_pb2, spider_log_pb2, stats_pb2):
            for name in [*module.DESCRIPTOR.message_types_by_name, *module.DESCRIPTOR.enum_types_by_name]:
                self.assertIn(name, messages.__all__)
                self.assertIs(getattr(module, name), getattr(messages, name))

    def test_decode_goes_by_the_topic_and_event_by_the_oneof(self):
        entry = messages.decode("crawl1-spider-log", (GOLDEN / "page_fetched.bin").read_bytes())
        name, page = messages.event(entry)
        self.assertEqual("page_fetched", name)
        self.assertIs(messages.PageFetched, type(page))
        self.assertEqual("marker", messages.event(messages.decode("spider-feed", (GOLDEN / "feed_marker.bin").read_bytes()))[0])
        self.assertEqual(("", None), messages.event(messages.SpiderLogEntry(domain="a")))
        with self.assertRaisesRegex(KeyError, "no topic of Orbweaver"):
            messages.decode("cats", b"")
        with self.assertRaises(messages.DecodeError):
            messages.decode("stats", b"\xff nonsense")

    def test_another_schema_is_refused_by_name(self):
        self.assertEqual("", messages.schema_refusal(None))
        self.assertEqual("", messages.schema_refusal([("a", b"b"), ("schema", b"orbweaver.v1")]))
        self.assertEqual("schema 'orbweaver.v2', expected 'orbweaver.v1'", messages.schema_refusal([("schema", b"orbweaver.v2")]))

    def test_texts_are_clamped_between_characters(self):
        self.assertEqual("ab", messages.clamp("ab", 100))
        self.assertEqual("ab", messages.clamp("abc", 2))
        self.assertEqual("ü", messages.clamp("üü", 3))
        self.assertEqual("€", messages.clamp("€€", 5))
        # A lone surrogate, as a file name or a broken header has it, is no UTF-8.
        self.assertEqual("a?", messages.clamp("a\udcff", 100))


if __name__ == "__main__":
    unittest.main()
