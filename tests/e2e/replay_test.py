"""A recorded crawl, replayed: python3 replay_test.py PROGRAM"""

import json
import pathlib
import shutil
import sys
import unittest

from newcomer import Newcomer


class Replay(Newcomer):
    def recorded(self, *options, pages=60):
        """A crawl of a site of that many pages, recorded to `rec`."""
        names = [f"/{i}" for i in range(pages)]
        links = {name: "".join(f"<a href=/{(i * k + 1) % pages}>x</a>" for k in range(2, 7)) for i, name in enumerate(names)}
        site = self.site({"/": "<a href=/0>x</a><a href=/gone>x</a>"} | links)
        self.crawl(site.url("/"), "--delay", "0", "--record", "rec", *options)
        return site

    def replay(self, *arguments, code=0):
        return json.loads(self.orbweaver("replay", "rec", "--verify", "--json", *arguments, code=code).stdout)

    def test_the_recorded_strategy_decides_as_it_did(self):
        self.recorded("--strategy", "breadth_first:max_pages=50", "--depth", "9")
        told = self.replay()
        self.assertEqual((0, None, True), (told["different"], told["first"], told["is_complete"]))
        self.assertGreater(told["equal_requests"], 40)
        self.assertIn("All decisions are equal.", self.orbweaver("replay", "rec", "--verify").stdout)
        # Without the web and without the crawl's folder.
        shutil.rmtree(self.folder / "crawl-data")
        self.assertEqual(told, self.replay())

    def test_a_change_is_shown_with_its_event_and_both_decisions(self):
        site = self.recorded()
        told = self.replay("--param", "deny_urls=*/25", code=1)
        self.assertEqual(1, told["different"])
        self.assertIn(f'"{site.url("/25")}"', told["first"]["recorded"])
        self.assertNotIn(site.url("/25"), told["first"]["replayed"])
        self.assertIn("links_found", told["first"]["event"])
        self.assertEqual("127.0.0.1", told["first"]["domain"]["domain"])
        self.assertIsNone(told["first"]["state"]["link"])  # it was new
        said = self.orbweaver("replay", "rec", "--verify", "--param", "deny_urls=*/25", code=1).stdout
        for word in ("1 are different", "event", "recorded", "replayed", "domain", "state"):
            self.assertIn(word, said)
        self.assertGreater(self.replay("--strategy", "depth_first", code=1)["different"], 10)
        # Parameters behind the name are the same.
        told = self.replay("--strategy", "breadth_first:retries=1,deny_urls=*/25,*/nothing", code=1)
        self.assertEqual((1, "breadth_first:retries=1,deny_urls=*/25,*/nothing"), (told["different"], told["strategy"]))

    def compare(self, *arguments, code=0):
        return json.loads(self.orbweaver("replay", "rec", "--json", *arguments, code=code).stdout)

    def test_equal_strategies_are_not_different(self):
        self.recorded()
        shutil.copy(pathlib.Path(self.program).resolve().parents[1] / "lib/orbweaver/strategies/breadth_first.so", self.folder / "mine.so")
        told = self.compare("--strategy", "breadth_first", "--strategy", "./mine.so", "--strategy", "breadth_first")
        self.assertEqual(["./mine.so", "breadth_first (2)"], [one["second"] for one in told["comparisons"]])
        for one in told["comparisons"]:
            self.assertEqual((0, None, []), (one["different"], one["first_difference"], one["examples"]))
            self.assertEqual([one["equal"]] * 2, one["requests"])
            self.assertGreater(one["equal"], 40)
        said = self.orbweaver("replay", "rec", "--strategy", "./mine.so").stdout
        self.assertIn("./mine.so against the recorded breadth_first", said)
        self.assertIn("No difference.", said)

    def test_differences_of_strategies_are_counted_and_shown_with_their_events(self):
        site = self.recorded()
        changed = "breadth_first:deny_urls=*/25,*/26"
        told = self.compare("--strategy", "breadth_first", "--strategy", changed)["comparisons"][0]
        self.assertEqual(("breadth_first", changed), (told["first"], told["second"]))
        self.assertEqual((2, 2, 0), (told["different"], told["only_first"], told["only_second"]))
        self.assertEqual({site.url("/25"), site.url("/26")}, {example["url"] for example in told["examples"]})
        first = told["first_difference"]
        self.assertEqual("only_first", first["kind"])
        self.assertIsNone(first["second"])
        self.assertIn("links_found http://", first["first"]["event"])
        self.assertEqual([f"127.0.0.1:{site.port}/N"], [row["name"] for row in told["patterns"]])
        # With the recorded decisions: the same.
        recorded = self.compare("--strategy", changed)["comparisons"][0]
        self.assertEqual((2, told["first_difference"]), (recorded["only_first"], recorded["first_difference"]))
        deep = self.compare("--strategy", "breadth_first", "--strategy", "depth_first")["comparisons"][0]
        self.assertGreater(deep["other_band"], 30)
        self.assertEqual(0, deep["only_first"])
        self.assertLessEqual(len(deep["examples"]), 20)
        said = self.orbweaver("replay", "rec", "--strategy", "breadth_first", "--strategy", changed, "--strategy", "depth_first").stdout
        for word in (f"{changed} against breadth_first", "depth_first against breadth_first", "only breadth_first", "in another band", "first difference", "By registered domain", "By URL pattern", "Examples", "links_found"):
            self.assertIn(word, said)

    def test_a_crawl_that_explores_says_what_it_drew_and_replays_the_same(self):
        site = self.recorded("--explore", "50%", "--depth", "9")
        told = self.replay()
        self.assertEqual((0, True), (told["different"], told["is_complete"]))
        # Drawn by lot is no decision of the strategy's: without it nothing is different to it.
        self.assertEqual(0, self.compare("--strategy", "breadth_first:max_depth=9", "--set", "strategy_worker.explore=0")["comparisons"][0]["different"])
        self.assertGreater(self.replay("--set", "strategy_worker.explore=0", code=1)["different"], 3)
        # It is kept with the folder.
        self.assertIn("explore     50% of each domain's pages", self.orbweaver("crawl", "--dry-run").stdout)
        self.crawl(site.url("/other"), "--add", "--delay", "0", code=3)
        self.assertEqual(0, self.replay()["different"])
        self.assertIn("expected a share", self.orbweaver("crawl", site.url("/"), "--data", "wrong", "--explore", "0.05", code=2).stderr)

    def test_a_crawl_that_went_on_replays_whole(self):
        site = self.recorded(pages=30)
        self.crawl(site.url("/other"), "--add", "--delay", "0", code=3)
        self.crawl(site.url("/1"), site.url("/third"), "--add", "--delay", "0", code=3)
        told = self.replay()
        self.assertEqual((0, True), (told["different"], told["is_complete"]))
        self.assertGreater(told["equal_requests"], 20)

    def test_a_retry_after_is_believed_as_far_as_it_was(self):
        site = self.site({"/": "<a href=/busy>x</a>", "/busy": (503, {"Retry-After": "4"}, "")})
        self.crawl(site.url("/"), "--record", "rec", "--set", "politeness.back_off_most=1s", "--strategy", "breadth_first:retries=1,retry_delay_s=1")
        self.assertEqual(0, self.replay()["different"])

    def test_a_strategy_may_be_a_file_beside_the_recording(self):
        self.recorded(pages=20)
        shutil.copy(pathlib.Path(self.program).resolve().parents[1] / "lib/orbweaver/strategies/breadth_first.so", self.folder / "mine.so")
        self.assertEqual(0, self.replay("--strategy", "mine.so")["different"])

    def test_what_cannot_be_replayed_is_said(self):
        self.assertIn("nothing", self.orbweaver("replay", "nothing", "--verify", code=1).stderr)
        self.recorded(pages=5)
        self.assertIn("expected --strategy, --verify or --crawl", self.orbweaver("replay", "rec", code=2).stderr)
        self.assertIn("--verfy", self.orbweaver("replay", "rec", "--verfy", code=2).stderr)
        self.assertIn("not clear whose", self.orbweaver("replay", "rec", "--strategy", "random", "--strategy", "opic", "--param", "retries=1", code=2).stderr)
        self.assertIn("one --strategy", self.orbweaver("replay", "rec", "--verify", "--strategy", "random", "--strategy", "opic", code=2).stderr)
        for wrong in ("random:retries", "random:max_page=5", "random:retries=many"):
            self.assertIn(wrong.split(":")[1].split("=")[0], self.orbweaver("replay", "rec", "--verify", "--strategy", wrong, code=2).stderr)
        self.assertIn("no_such", self.orbweaver("replay", "rec", "--verify", "--strategy", "no_such", code=2).stderr)
        for file in (self.folder / "rec").glob("scoring-log-*.parquet"):
            file.write_bytes(file.read_bytes()[:100])
        self.assertIn("scoring-log", self.orbweaver("replay", "rec", "--verify", code=1).stderr)


if __name__ == "__main__":
    Newcomer.program = sys.argv.pop(1)
    unittest.main()
