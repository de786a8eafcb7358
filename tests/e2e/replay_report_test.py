"""The report on counterfactual crawls, as its user asks for it: python3 replay_report_test.py PROGRAM"""

import csv
import json
import sys
import unittest

from newcomer import Newcomer

GOOD = "title like 'good%'"


class ReplayReport(Newcomer):
    def recorded(self, *options):
        """A crawl of a site of 30 pages worth nothing and, linked to behind them, 10 good ones."""
        names = [f"bad{i}" for i in range(30)] + [f"good{i}" for i in range(10)]
        pages = {f"/{name}": f"<title>{name}</title><a href=/>home</a>" for name in names}
        site = self.site({"/": "<title>home</title>" + "".join(f"<a href=/{name}>x</a>" for name in names)} | pages)
        self.crawl(site.url("/"), "--record", "rec", *options)
        return site

    def replay(self, *arguments, code=0):
        return self.orbweaver("replay", "rec", "--crawl", "--budget", "15", *arguments, code=code)

    def table(self, name, folder="report"):
        with open(self.folder / folder / (name + ".csv"), newline="") as lines:
            return list(csv.DictReader(lines))

    def test_a_report_says_which_strategy_gathers_more(self):
        site = self.recorded()
        asked = len(site.requests)
        strategies = ("--strategy", "breadth_first", "--strategy", "oracle")
        said = self.replay(*strategies, "--value", GOOD, "--out", "report").stdout
        self.assertIn("more value than breadth_first after 15 fetches, whatever the unknown pages are.", said)
        self.assertIn("Report: report/report.html", said)
        figures = {(row["strategy"], row["metric"]): row for row in self.table("figures")}
        # All good ones, and of breadth_first's fourteen after the home page few.
        self.assertEqual(("10", "10", "10"), tuple(figures["oracle", "value"][key] for key in ("low", "estimate", "high")))
        self.assertLess(float(figures["breadth_first", "value"]["high"]), 10)
        self.assertEqual(("15", "1"), tuple(figures["oracle", "value"][key] for key in ("fetches", "support")))
        page = (self.folder / "report" / "report.html").read_text()
        for text in ("more value than breadth_first", "the recording rec", "title like 'good%'"):
            self.assertIn(text, page)
        self.assertTrue((self.folder / "report" / "curves.parquet").read_bytes().startswith(b"PAR1"))
        self.assertEqual(asked, len(site.requests))
        # Another run comes to the same, to the byte, and takes the earlier one's place.
        self.replay(*strategies, "--value", GOOD, "--out", "report")
        self.assertEqual(page, (self.folder / "report" / "report.html").read_text())
        [verdict] = json.loads(self.replay(*strategies, "--value", GOOD, "--json").stdout)["verdicts"]
        self.assertEqual(("oracle", "breadth_first", True, "value", 15), tuple(verdict[key] for key in
                                                                            ("strategy", "against", "verdict", "metric", "fetches")))
        self.assertGreater(verdict["low"], 0)

    def test_scores_come_from_a_file_too(self):
        site = self.recorded()
        (self.folder / "scores.csv").write_text("url,score\n" + "".join(f"{site.url(f'/good{i}')},2.5\n" for i in range(10)))
        self.replay("--strategy", "oracle", "--value-file", "scores.csv", "--out", "report")
        [value] = [row for row in self.table("figures") if row["metric"] == "value"]
        self.assertEqual("25", value["estimate"])
        self.assertIn("second --strategy", (self.folder / "report" / "report.html").read_text())

    def test_unknown_pages_widen_the_bounds(self):
        self.recorded("--strategy", "breadth_first:deny_urls=*/bad1*")
        same = "breadth_first:deny_urls=*/bad1*"
        strategies = ("--strategy", same, "--strategy", "breadth_first:deny_urls=*/nothing")
        self.replay(*strategies, "--out", "report", "--force")
        figures = {row["strategy"]: row for row in self.table("figures") if row["metric"] == "unique_pages"}
        self.assertEqual("1", figures[same]["support"])
        other = figures["breadth_first:deny_urls=*/nothing"]
        self.assertLess(float(other["support"]), 1)
        self.assertLess(float(other["low"]), float(other["high"]))

    def test_bounds_tell_of_a_strategys_own_chance(self):
        self.recorded()
        worth = "(title like '%1%') + 3 * (title like '%2%') + 9 * (title like '%3%') + 27 * (title like 'good%')"
        self.replay("--strategy", "random", "--strategy", "breadth_first", "--value", worth, "--out", "report")
        figures = {row["strategy"]: row for row in self.table("figures") if row["metric"] == "value"}
        self.assertEqual({"1"}, {row["support"] for row in figures.values()})
        # Nothing is unknown, so that is all that may differ.
        self.assertLess(float(figures["random"]["low"]), float(figures["random"]["high"]))
        self.assertEqual(figures["breadth_first"]["low"], figures["breadth_first"]["high"])

    def test_mistakes_are_told_before_the_work(self):
        self.recorded()
        said = self.replay("--value", 'titel="x"', code=2).stderr
        self.assertIn("there is no column 'titel'. Did you mean title?\n  titel=\"x\"\n  ^\n", said)
        self.assertIn("two ways", self.replay("--value", "1", "--value-file", "x", code=2).stderr)
        self.assertIn("cannot be opened", self.replay("--value-file", "x.csv", code=2).stderr)
        self.assertIn("no part of a report", self.replay("--out", "rec", code=2).stderr)
        self.assertIn("from 1 to 10", self.replay("--draws", "11", code=2).stderr)
        self.assertIn("no parameters", self.replay("--strategy", "oracle:max_depth=3", code=2).stderr)
        self.assertIn("add --crawl", self.orbweaver("replay", "rec", "--strategy", "oracle", code=2).stderr)
        self.assertIn("worth anything", self.replay("--value", "depth>99").stdout)


if __name__ == "__main__":
    Newcomer.program = sys.argv.pop(1)
    unittest.main()
