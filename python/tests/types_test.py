"""The package's types hold, and tell a strategy's author what is wrong. With mypy of deploy/deps/mypy.txt."""
import package_environment as environment

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

MYPY = environment.CACHE / "mypy-2.4.1"

STRATEGY = '''
from orbweaver.events import Failure, LinkFilter, Links, Page, Seeds
from orbweaver.strategy import CrawlRules, Flag, Globs, Integer, List, Number, Strategy, String


class Shallow(Strategy):
    rules = CrawlRules(max_pages=3)
    limit = Integer(2, 0, 100, "")
    share = Number(0.5, 0, 1, "")
    words = List("", "")
    patterns = Globs("", "")
    quick = Flag(True, "")
    title = String("", "")

    def filter(self, links: LinkFilter) -> None:
        self.rules.filter(links)

    def on_links(self, links: Links) -> None:
        reveal_type((self.limit, self.share, self.words, self.patterns, self.quick, self.title, self.rules.retries))
        for link in links:
            if links.depth < self.limit and self.patterns.match(link.url):
                self.rules.schedule_new(links, link, self.share)
            reveal_type((link.status, links.domain.crawl_delay_ms))
            link.schedul(0.5)
        links[0].schedule("soon")

    def on_page(self, page: Seeds) -> None:
        pass

    def on_failure(self, failure: Failure) -> None:
        self.rules.retry(failure.link)
'''
TOLD = [
    (19, 'Revealed type is "tuple[int, float, list[str], orbweaver.strategy.Patterns, bool, str, int]"'),
    (23, 'Revealed type is "tuple[orbweaver.strategy.Status, int | None]"'),
    (24, '"Link" has no attribute "schedul"; maybe "schedule"?'),
    (25, 'Argument 1 to "schedule" of "Link" has incompatible type "str"; expected "float"'),
    (27, 'Argument 1 of "on_page" is incompatible with supertype "orbweaver.strategy.Strategy"; supertype defines the argument type as "Page"'),
    (31, 'Argument 1 to "retry" of "CrawlRules" has incompatible type "Link"; expected "Failure"'),
]


class Types(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)  # with the cache of what mypy has read

    def mypy(self, *words, config=environment.PACKAGE / "pyproject.toml"):
        command = [sys.executable, "-B", "-m", "mypy", f"--config-file={config}", "--cache-dir", self.folder / "cache"]
        paths = [str(MYPY), *environment.PATHS]
        return subprocess.run([*command, *words], cwd=self.folder, env=dict(os.environ, PYTHONPATH=os.pathsep.join(paths), MYPYPATH=paths[1]),
                              capture_output=True, text=True)

    def test_the_package_holds_them_strictly(self):
        done = self.mypy("-p", "orbweaver")
        self.assertEqual(0, done.returncode, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"no issues found in [4-9]\d source files")

    def test_a_strategy_of_ones_own_is_checked(self):
        (self.folder / "shallow.py").write_text(STRATEGY)
        done = self.mypy("shallow.py")
        found = re.findall(r"^shallow\.py:(\d+): (?:error|note): (.*?)(?:  \[[a-z-]+\])?$", done.stdout, re.MULTILINE)
        notes = ("This violates", "See https")
        self.assertEqual(TOLD, [(int(line), text) for line, text in found if not text.startswith(notes)], done.stdout + done.stderr)

    def test_a_strategy_without_annotations_is_no_error(self):
        examples = sorted((environment.PACKAGE / "examples").glob("*.py"))
        self.assertGreater(len(examples), 2)
        done = self.mypy("--check-untyped-defs", *examples, config="")
        self.assertEqual(0, done.returncode, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
