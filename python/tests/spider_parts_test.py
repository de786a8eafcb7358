"""The parts of the spider that need no Kafka: offsets, commits' metadata, turns."""
import package_environment  # noqa: F401

import random
import unittest

from orbweaver.spider.commit_metadata import MOST_BYTES, can_be_written, read_metadata, write_metadata
from orbweaver.spider.offset_tracker import OffsetTracker
from orbweaver.spider.options import SpiderOptions
from orbweaver.spider.turns import Turns


class Offsets(unittest.TestCase):
    def test_nothing_is_committed_past_an_unfinished_request(self):
        tracker = OffsetTracker(5)
        for offset in (5, 6, 9):
            tracker.begin(offset)
        tracker.finish(6)
        tracker.finish(9)
        self.assertEqual(5, tracker.committable)
        tracker.finish(5)
        self.assertEqual(10, tracker.committable)

    def test_a_gap_counts_as_finished(self):
        tracker = OffsetTracker(5)
        tracker.begin(8)
        self.assertEqual(8, tracker.committable)

    def test_offsets_begin_in_order(self):
        tracker = OffsetTracker(5)
        tracker.begin(8)
        with self.assertRaises(ValueError):
            tracker.begin(8)

    def test_any_order_of_ends_commits_the_longest_finished_beginning(self):
        for seed in range(50):
            rng = random.Random(seed)
            tracker, offset, opened, finished = OffsetTracker(0), 0, [], set()
            for _ in range(200):
                if rng.random() < 0.5:
                    offset += rng.choice((1, 1, 1, 3))
                    tracker.begin(offset)
                    opened.append(offset)
                elif len(opened) > len(finished):
                    one = rng.choice([each for each in opened if each not in finished])
                    finished.add(one)
                    tracker.finish(one)
                left = [each for each in opened if each not in finished]
                self.assertEqual(min(left) if left else tracker.next, tracker.committable, seed)


class CommitMetadata(unittest.TestCase):
    def test_it_reads_what_it_writes_and_what_the_cpp_spider_writes(self):
        rests = {"a.example": 1100.2, "b.example": 1200.0, "over.example": 900.0}
        written = write_metadata(77, rests, now=1000.0)
        self.assertEqual("77 1200 b.example 1101 a.example ", written)
        self.assertEqual((77, {"b.example": 1200.0, "a.example": 1101.0}), read_metadata(written))
        self.assertNotIn("over.example", rests)

    def test_what_cannot_be_read_is_left_out(self):
        for nothing in (None, "", " ", "77", "77 5 a.example", "77 \x01"):
            self.assertEqual((0, {}), read_metadata(nothing), nothing)
        self.assertEqual((0, {"b": 5.0}), read_metadata("x y a 5 b 6 "))
        self.assertEqual((3, {"a": 9.0}), read_metadata("3 9 a 5 a "))
        self.assertEqual((0, {}), read_metadata("9" * 30 + " "))

    def test_where_not_all_fit_those_that_end_last_are_kept(self):
        rests = {f"domain-{number}.example": 10_000.0 + number for number in range(1000)}
        written = write_metadata(1, rests, now=0)
        self.assertLessEqual(len(written), MOST_BYTES)
        kept = read_metadata(written)[1]
        self.assertGreater(len(kept), 100)
        self.assertEqual(sorted(rests, key=lambda name: -rests[name])[:len(kept)], sorted(kept, key=lambda name: -rests[name]))

    def test_names_that_would_be_misread_are_not_written(self):
        self.assertEqual([True, False, False, False], [can_be_written(name) for name in ("a.example", "a b", "", "ä")])


class TurnsOfDomains(unittest.TestCase):
    def setUp(self):
        self.turns = Turns(SpiderOptions(delay=1.0, max_wait=10.0, back_off_first=60.0))

    def test_the_delay_passes_from_the_end_of_one_to_the_start_of_the_next(self):
        for name in "abc":
            self.assertIsNone(self.turns.add("x.example", 2.0, name, 100.0))
        self.assertEqual("a", self.turns.start(100.0))
        self.assertIsNone(self.turns.start(105.0), "two at once")
        self.turns.ended("x.example", 105.0)
        self.assertEqual(107.0, self.turns.next_look())
        self.assertIsNone(self.turns.start(106.9))
        self.assertEqual("b", self.turns.start(107.0))

    def test_the_longer_of_the_two_delays_counts(self):
        self.turns.add("x.example", 0.0, "a", 0.0)
        self.turns.add("x.example", 0.0, "b", 0.0)
        self.turns.start(0.0)
        self.turns.ended("x.example", 0.0)
        self.assertEqual(1.0, self.turns.next_look())

    def test_domains_do_not_wait_for_one_another(self):
        self.turns.add("x.example", 5.0, "a", 0.0)
        self.turns.add("y.example", 5.0, "b", 0.0)
        self.assertEqual({"a", "b"}, {self.turns.start(0.0), self.turns.start(0.0)})

    def test_a_request_that_would_start_too_late_is_not_taken(self):
        self.assertIsNone(self.turns.add("x.example", 6.0, "a", 0.0))
        self.assertIsNone(self.turns.add("x.example", 6.0, "b", 0.0))
        self.assertEqual(12.0, self.turns.add("x.example", 6.0, "c", 0.0))

    def test_requests_behind_a_slow_one_are_late_at_their_deadline(self):
        for name in "abc":
            self.turns.add("x.example", 1.0, name, 0.0)
        self.turns.start(0.0)
        self.assertEqual([], self.turns.names_of_late(9.0))
        self.assertEqual(["x.example"], self.turns.names_of_late(10.5))
        late = self.turns.take_late("x.example", 10.5)
        self.assertEqual([("b", 11.5), ("c", 12.5)], late)
        self.assertEqual([], self.turns.take_late("x.example", 10.5))

    def test_a_rest_makes_those_late_that_cannot_outwait_it(self):
        self.turns.add("x.example", 1.0, "a", 0.0)
        self.turns.rest("x.example", 30.0, 0.0)
        self.assertIsNone(self.turns.start(5.0))
        self.assertEqual("a", self.turns.take_late("x.example", 5.0)[0][0])
        self.turns.add("y.example", 1.0, "b", 0.0)
        self.turns.rest("y.example", 5.0, 0.0)
        self.assertEqual([], self.turns.take_late("y.example", 0.0))
        self.assertIsNone(self.turns.start(4.9))
        self.assertEqual("b", self.turns.start(5.0))

    def test_back_offs_double_are_never_shorter_than_asked_and_count_once_while_they_last(self):
        first = self.turns.back_off("x.example", None, 0.0)
        self.assertTrue(60.0 <= first < 66.1, first)
        self.assertEqual(first, self.turns.back_off("x.example", None, 30.0))
        second = self.turns.back_off("x.example", None, first + 1) - first - 1
        self.assertTrue(120.0 <= second < 132.1, second)
        later = first + second + 5000.0
        self.assertLess(self.turns.back_off("x.example", None, later) - later, 66.1, "forgiven")

    def test_retry_after_counts_as_asked_and_shortens_nothing(self):
        self.assertEqual(100.0, self.turns.back_off("x.example", 100.0, 0.0))
        self.assertEqual(100.0, self.turns.back_off("x.example", 5.0, 1.0))
        self.assertEqual(86400.0, self.turns.back_off("y.example", 1e12, 0.0))
        self.assertEqual(0.0, self.turns.back_off("z.example", -5.0, 0.0))

    def test_a_domain_that_another_spider_may_just_have_asked_waits_a_delay(self):
        self.turns.others_asked("x.example", 3.0, 100.0, 100.0)
        self.turns.add("x.example", 3.0, "a", 100.5)
        self.assertIsNone(self.turns.start(102.9))
        self.assertEqual("a", self.turns.start(103.0))

    def test_domains_with_nothing_to_wait_for_are_forgotten(self):
        for number in range(20_000):
            self.turns.add(f"{number}.example", 0.0, number, float(number))
            self.assertEqual(number, self.turns.start(float(number)))
            self.turns.ended(f"{number}.example", float(number))
        self.assertLess(len(self.turns._domains), 5000)
        self.assertLess(len(self.turns._looks), 5000)

    def test_options_that_make_no_sense_are_refused(self):
        for name, value in (("delay", -1), ("max_requests", 0), ("session_timeout", 0.0)):
            with self.assertRaisesRegex(ValueError, name):
                SpiderOptions(**{name: value})


if __name__ == "__main__":
    unittest.main()
