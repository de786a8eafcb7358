"""The author of a strategy, with docs/strategies.md alone: builds, tests, runs, breaks and mends one.

python3 people_strategist_test.py PROGRAM BUILD CXX
"""

import collections
import pathlib
import re
import sys
import unittest

from documentation_site import Walk
from newcomer import crashes_as_shipped
from person import Person

BUILD = CXX = ""
DOCS = (pathlib.Path(__file__).parents[2] / "docs" / "strategies.md").read_text()
TESTED = "if (page.language().empty()) return;"


def block(kind, words):
    """The block of code of that kind in the documentation that has these words."""
    return next(text for text in re.findall(rf"^```{kind}\n(.*?)^```", DOCS, re.S | re.M) if words in text)


class Strategist(Person):
    def setUp(self):
        super().setUp()
        # As the docs say it, but for the home of the person and the compiler.
        self.sdk = self.folder / "orbweaver-sdk"
        install = block("sh", "cmake --install").replace("build/release", BUILD).replace("~/orbweaver-sdk", str(self.sdk))
        self.types(install)
        self.source = block("cpp", "class OneLanguage")
        self.assertIn(TESTED, self.source)

    def compiles(self, source, name):
        """By the one command of the docs."""
        (self.folder / f"{name}.cc").write_text(source)
        command = next(line for line in block("sh", "-shared").splitlines() if "-shared" in line)
        command = command.replace("~/orbweaver-sdk", str(self.sdk)).replace("one_language", name).replace("-O2", "-O0")
        self.types(re.sub(r"^c\+\+", CXX, command))

    def site_in_two_languages(self):
        """Debian's policy says that it is in English, Git's documentation says nothing."""
        site = self.documentation()
        return site, Walk(site, site.url("/"))

    def test_a_project_of_ones_own_is_built_tested_and_run(self):
        (self.folder / "CMakeLists.txt").write_text(block("cmake", "find_package"))
        (self.folder / "one_language.cc").write_text(self.source)
        (self.folder / "one_language_test.cc").write_text(block("cpp", "TestDriver crawl"))
        commands = block("sh", "cmake --build build").replace("~/orbweaver-sdk", str(self.sdk)).replace("clang++-19", CXX).splitlines()
        site, walk = self.site_in_two_languages()
        for command in commands:
            command = command.replace("https://example.org/", site.url("/"))
            done = self.types(command + (" --delay 0 --out out --data one" if " crawl " in command else ""))
            if "ctest" in command:
                self.assertIn("100% tests passed, 0 tests failed out of 1", done.stdout)
            if "describe" in command:
                self.assertIn("patience: an integer from 1 to 1000; default 3\n", done.stdout)
        self.assert_fetched_once(site, walk.fetched)
        # Nobody speaks French here: the crawl leaves after as many pages as it has patience.
        done = self.types(f"orbweaver crawl {site.url('/debian-policy/policy.html/index.html')} --strategy ./build/one_language.so "
                          "--param language=fr --param patience=5 --delay 0 --out french --data french")
        english = [page for page in self.lines("pages", "french") if page["language"]]
        self.assertGreaterEqual(len(english), 5)
        self.assertLess(len(self.lines("pages", "french")), len(walk.pages) // 2)
        self.assertIn("patience 0: expected an integer from 1 to 1000",
                      self.types("orbweaver crawl --data french --param patience=0", 2).stderr.replace("=", " "))

    def test_one_that_throws_is_mended_and_given_its_events_again(self):
        site, walk = self.site_in_two_languages()
        # A page without a language has no first character.
        self.compiles(self.source.replace(TESTED, "std::string(page.language()).at(0);"), "mine")
        crawl = f"orbweaver crawl {site.url('/')} --strategy ./mine.so --delay 0 --out out --exclude '*.txt'"
        done = self.types(crawl, 1)
        self.assertRegex(done.stderr, rf"strategy 'one_language' failed in OnPage for {site.url('/')}\S*: basic_string")
        self.assertIn("--keep-going", done.stderr)
        done = self.types("orbweaver crawl --keep-going")
        silent = [page for page in self.lines("pages") if not page["language"]]
        self.assertGreater(len(silent), 100)
        self.assertRegex(done.stdout, rf"Dead letters: {len(silent)} events could not be processed")
        self.assertEqual(len(silent), len(self.types("orbweaver log dead-letter").stdout.splitlines()))
        self.compiles(self.source, "mine")
        self.assertIn(f"{len(silent)} events put back", self.types("orbweaver log requeue dead-letter").stdout)
        self.types("orbweaver crawl")
        self.assertIn('"status":"crawled"', self.types(f"orbweaver inspect url {silent[0]['url']}").stdout)
        # The events came again, not the fetches.
        counts = collections.Counter(site.asked())
        self.assertEqual({1}, {count for path, count in counts.items() if path != "/robots.txt"})
        self.assertEqual({url for url in walk.fetched if not url.endswith(".txt")},
                         {site.url(path) for path in counts if path != "/robots.txt"})

    def test_one_that_crashes_or_loops_is_named_and_another_goes_on(self):
        site, walk = self.site_in_two_languages()
        condition = 'page.link().url().find("git-commit.html") != std::string_view::npos'
        moods = {"crashing": f"if ({condition}) *static_cast<volatile int*>(nullptr) = 1;",
                 "looping": f"for (volatile int i = 0; {condition}; i = i + 1) {{}}"}
        event = f"in OnPage for {re.escape(site.url('/git-doc/git-commit.html'))}"
        for mood, words in moods.items():
            self.compiles(self.source.replace(TESTED, f"{words}\n    {TESTED}"), mood)
        crawl = f"orbweaver crawl {site.url('/git-doc/git.html')} --scope path --delay 0 --out out"
        self.environment = crashes_as_shipped(self.environment)
        for _ in range(2):  # the next start meets the same event
            done = self.types(f"{crawl} --strategy ./crashing.so", 139)
            self.assertRegex(done.stderr, rf"strategy 'one_language' crashed \(SIGSEGV\) {event}")
        done = self.types("orbweaver crawl --strategy ./looping.so --set strategy.time_limit=1s", 1)
        self.assertRegex(done.stderr, rf"strategy 'one_language' has been {event} for longer than strategy.time_limit \(1s\)")
        done = self.types("orbweaver crawl --strategy breadth_first")
        self.assertIn("Ended: nothing is left.", done.stdout)
        expected = {url for url in [*walk.pages, *walk.files] if "/git-doc/" in url}
        self.assertEqual(expected, set(self.pages_of()))

    def test_what_cannot_be_loaded_says_why(self):
        (self.folder / "empty.so").write_text("")
        self.compiles("int x;", "foreign")
        for name in "empty", "foreign", "missing":
            done = self.types(f"orbweaver crawl http://localhost/ --strategy ./{name}.so", 2)
            self.assertIn(f"{name}.so", done.stderr)
            self.assertFalse((self.folder / "crawl-data").exists())


if __name__ == "__main__":
    Person.program = pathlib.Path(sys.argv.pop(1)).resolve()
    BUILD, CXX = sys.argv.pop(1), sys.argv.pop(1)
    unittest.main()
