"""The explanations of a URL and of the delay between requests to a domain.

python3 first_hour_explain_test.py PROGRAM
"""

import json
import sys
import unittest

from newcomer import Newcomer


class Explain(Newcomer):
    def explain(self, url):
        return self.orbweaver("explain", url).stdout

    def test_each_url_of_a_finished_crawl_says_what_became_of_it(self):
        site = self.site({
            "/robots.txt": (200, {"Content-Type": "text/plain"}, "User-agent: *\nDisallow: /private/\n"),
            "/": "<a href=/a>a</a><a href=/private/x>p</a><a href=/gone>g</a><a href=/big.png>b</a><a href=http://elsewhere.test/>e</a>",
            "/a": "<a href=/deep>d</a>", "/deep": "too deep",
        })
        self.crawl(site.url("/"), "--exclude", "*.png", "--depth", "1", "--out", "out")
        for path, says in (("/", "was fetched"), ("/a", "with status 200"), ("/private/x", "is forbidden by robots.txt, line 2: /private/"),
                           ("/gone", "is gone after 1 attempt: http_4xx, status 404"),
                           ("/big.png", "is left out: it matches --exclude '*.png'"),
                           ("/deep", "links deeper than max_depth=1 are left out"), ("/never", "no page that was read links to it")):
            self.assertIn(says, self.explain(site.url(path)), path)
        self.assertIn(f"linked from {site.url('/')}", self.explain(site.url("/gone")))
        self.assertIn("is left out: no seed is near enough to it (--scope domain)", self.explain("http://elsewhere.test/"))
        self.assertNotIn("/deep", site.paths())

    def test_the_rules_of_a_strategy_are_named_with_their_values(self):
        site = self.site({"/": "<a href=/a>a</a><a href=/b>b</a><a href=/no/c>c</a>", "/a": "a", "/b": "b"})
        self.crawl(site.url("/"), "--param", "deny_urls=*/no/*", "--param", "max_pages=2")
        self.assertIn("it matches '*/no/*' of the strategy's deny_urls", self.explain(site.url("/no/c")))
        missed, = {"/a", "/b"} - set(site.paths())
        self.assertIn("127.0.0.1 has had the strategy's max_pages=2", self.explain(site.url(missed)))

    def test_a_url_that_waits_says_how_many_go_before_it_and_when_its_turn_comes(self):
        site = self.site({"/": "".join(f"<a href=/{i}>x</a>" for i in range(20))})
        self.crawl(site.url("/"), "--delay", "3s", "--max-pages", "1", code=4)
        told = [json.loads(self.orbweaver("explain", site.url(f"/{i}"), "--json").stdout) for i in range(20)]
        queued = sorted((one["facts"]["queued"]["before"], one["soonest_ms"]) for one in told if one["answer"] == "queued")
        self.assertGreater(len(queued), 10, told)
        self.assertEqual(list(range(len(queued))), [before for before, _ in queued])
        self.assertGreater(queued[-1][1] - queued[0][1], 3_000 * (len(queued) - 2))
        self.assertLessEqual({one["answer"] for one in told}, {"queued", "fed", "with-spider"})
        self.assertRegex(self.explain(site.url("/19")), r"waits in the queue, band \d of 0 to 7: \d+ requests of 127.0.0.1 are fetched before it")

    def test_what_is_no_question_is_refused(self):
        self.assertIn("expected `orbweaver explain URL`", self.orbweaver("explain", code=2).stderr)
        self.assertIn("is no URL that is ever fetched: scheme", self.orbweaver("explain", "mailto:me@a.test", code=2).stderr)
        self.assertIn("is no URL that is ever fetched: too-long", self.orbweaver("explain", "http://a.test/" + "x" * 10_000, code=2).stderr)
        self.assertIn("unknown option --jsn", self.orbweaver("explain", "http://a.test/", "--jsn", code=2).stderr)


class Delays(Newcomer):
    def delay_of(self, robots, *options):
        """The output of `inspect` after a crawl of four pages, and the shortest time between two requests, in milliseconds."""
        links = "".join(f"<a href=/{i}>x</a>" for i in range(3))
        site = self.site({"/": links, "/0": "0", "/1": "1", "/2": "2", "/robots.txt": (200, {"Content-Type": "text/plain"}, robots)})
        self.crawl(site.url("/"), "--data", site.url("").split(":")[-1], *options)
        told = json.loads(self.orbweaver("inspect", "domain", "127.0.0.1", "--data", site.url("").split(":")[-1]).stdout)
        self.assertEqual(4, told["record"]["fetched"])
        return told["queue"]["delay_ms"], min(b - a for a, b in zip(site.times, site.times[1:])) * 1000

    def test_inspect_shows_the_delay_that_is_kept(self):
        for expected, robots, *options in ((50, "", "--delay", "50ms"), (200, "User-agent: *\nCrawl-delay: 0.2\n", "--delay", "50ms"),
                                           (80, "User-agent: *\nCrawl-delay: 0.05\n", "--delay", "80ms")):
            told, kept = self.delay_of(robots, *options)
            self.assertEqual(expected, told, options)
            self.assertGreater(kept, expected * 0.9, options)


if __name__ == "__main__":
    Newcomer.program = sys.argv.pop(1)
    unittest.main()
