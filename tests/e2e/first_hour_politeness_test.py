"""One section of politeness for all who go by it; what was called otherwise is refused by its new name, and old crawls go on:

python3 first_hour_politeness_test.py PROGRAM
"""

import pathlib
import sys
import unittest

from newcomer import Newcomer

# As a crawl before the section was one has kept them.
KEPT_ONCE = """feed:
  min_delay: 300ms
spider:
  politeness:
    back_off_first: 1s
    delay: 300ms
"""


class Politeness(Newcomer):
    def test_old_names_are_refused_with_the_new_one(self):
        for old, new in (("feed.min_delay=2s", "politeness.delay"), ("feed.max_delay=2s", "politeness.max_crawl_delay"),
                         ("spider.politeness.per_domain=2", "politeness.per_domain"), ("feed.back_off_most=2s", "politeness.back_off_most"),
                         ("strategy_worker.max_retry_after=2s", "politeness.back_off_most")):
            refused = self.orbweaver("config", "check", f"--set={old}", code=2)
            self.assertIn(f"{old.partition('=')[0]}: unknown option. Did you mean {new}?", refused.stderr)
        (self.folder / "old.yaml").write_text(KEPT_ONCE)
        refused = self.orbweaver("config", "check", "--config", "old.yaml", code=2)
        self.assertIn("old.yaml:2: feed.min_delay: unknown option. Did you mean politeness.delay?", refused.stderr)

    def test_a_crawl_that_was_made_with_the_old_names_goes_on_as_it_was(self):
        site = self.site({"/": "<a href=/a>a</a><a href=/b>b</a>", "/a": "a", "/b": "b"})
        self.crawl(site.url("/"), "--data", "d", "--max-pages", "1", "--delay", "300ms", code=4)
        kept = self.folder / "d" / "crawl.yaml"
        now = kept.read_text()
        of_today = 'politeness:\n  delay: "300ms"  # --delay\n'
        self.assertIn(of_today, now)
        self.assertNotIn("spider:\n", now)
        kept.write_text(now.replace(of_today, KEPT_ONCE))
        self.assertIn("0.3 s between two requests", self.orbweaver("crawl", "--data", "d", "--dry-run").stdout)
        before = len(site.requests)
        told = self.orbweaver("crawl", "--data", "d")
        self.assertNotIn("Changed and kept", told.stderr)
        self.assertEqual({"/a", "/b"}, {path for path, _ in site.requests[before:]} - {"/robots.txt"})
        told = self.orbweaver("crawl", "--data", "d", "--delay", "10ms")
        self.assertIn("Changed and kept: --delay is 10ms, was 300ms; sites are asked more often", told.stderr)
        self.assertRegex(kept.read_text(), r'politeness:\n  back_off_first: "1s".*\n  delay: "10ms"')
        self.assertNotIn("min_delay", kept.read_text())


if __name__ == "__main__":
    Newcomer.program = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main()
