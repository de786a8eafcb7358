"""A strategy in Python, from the first try to what goes wrong: python3 python_strategy_test.py PROGRAM [CLASS]"""

import json
import os
import pathlib
import signal
import sys
import unittest

from newcomer import Newcomer

EXAMPLES = pathlib.Path(__file__).parents[2] / "python" / "examples"
PAGES = 40


class OnSomePages(Newcomer):
    def pages(self):
        names = [f"/{i}" for i in range(PAGES)]
        links = {name: "".join(f"<a href=/{(i * k + 1) % PAGES}>x</a>" for k in range(2, 6)) for i, name in enumerate(names)}
        return self.site({"/": "<a href=/0>x</a><a href=/gone>x</a>"} | links)


class NewStrategy(OnSomePages):
    """Its tests run in the distribution's interpreter, which cannot load a sanitizer's library."""

    def test_a_new_one_has_a_test_that_passes_and_crawls(self):
        site = self.pages()
        told = self.orbweaver("strategy", "new", "short_first.py").stdout
        self.assertIn("short_first.py and short_first_test.py are there.", told)
        self.assertIn("Ran 2 tests", self.orbweaver("strategy", "test", "short_first_test.py", "-v").stderr)
        self.assertIn("length: an integer", self.orbweaver("strategy", "describe", "short_first.py").stdout)
        self.crawl(site.url("/"), "--strategy", "short_first.py:length=30,max_pages=9")
        self.assertIn("/0", site.paths())
        self.assertIn("is there already", self.orbweaver("strategy", "new", "short_first.py", code=1).stderr)
        self.assertIn("expected NAME.py", self.orbweaver("strategy", "new", "Short-First.py", code=1).stderr)
        text = (self.folder / "short_first.py").read_text()
        (self.folder / "short_first.py").write_text(text.replace("0.9 if", "0.1 if"))
        self.assertIn("FAILED (failures=1)", self.orbweaver("strategy", "test", "short_first_test.py", code=1).stderr)


class PythonStrategy(OnSomePages):
    def write(self, body, name="own.py"):
        (self.folder / name).write_text(f"from orbweaver.strategy import *\n\nclass Own(Strategy):\n{body}")

    def test_it_decides_byte_for_byte_as_the_same_strategy_in_cpp(self):
        site = self.pages()
        for strategy in ("breadth_first", "opic", "discovery"):
            self.crawl(site.url("/"), "--strategy", f"{strategy}:max_pages=30", "--data", strategy, "--record", f"{strategy}-rec")
            told = self.orbweaver("replay", f"{strategy}-rec", "--verify", "--json", "--strategy", f"{EXAMPLES}/{strategy}.py:max_pages=30")
            told = json.loads(told.stdout)
            self.assertEqual((0, None, True), (told["different"], told["first"], told["is_complete"]), told)
            self.assertGreater(told["equal_requests"], 10)

    def test_a_crawl_goes_on_with_it_and_the_program_describes_it(self):
        site = self.pages()
        self.write('    """Pages whose number is even"""\n'
                   '    most = Integer(5, 0, 100, "Pages in all")\n'
                   "    def on_links(self, links):\n"
                   "        for link in links:\n"
                   "            last = link.url.rsplit('/', 1)[1]\n"
                   "            if link.is_new and last.isdigit() and int(last) % 2 == 0 and links.domain.scheduled < self.most:\n"
                   "                link.schedule(0.5)\n")
        told = self.orbweaver("strategy", "describe", "own.py").stdout
        self.assertTrue(told.startswith("own: Pages whose number is even\nversion 1, "), told)
        self.assertIn("  most: an integer from 0 to 100; default 5\n      Pages in all\n", told)
        self.crawl(site.url("/"), "--strategy", "own.py:most=3", "--data", "data")
        first = set(site.paths()) - {"/robots.txt"}
        self.assertIn("/0", first)
        self.assertTrue(all(path == "/" or int(path[1:]) % 2 == 0 for path in first), first)
        # The folder knows its strategy, from any directory.
        self.orbweaver("requeue", "--data", "data")
        self.assertIn(f"module: {self.folder.resolve()}/own.py", (self.folder / "data" / "crawl.yaml").read_text().replace('"', ""))

    def test_what_cannot_be_loaded_is_told_before_anything_is_fetched(self):
        site = self.pages()
        self.write("    def on_link(self, links): pass\n")
        for argument, text in (("nowhere.py", f"no such file: {self.folder.resolve()}/nowhere.py"),
                               ("own.py", "no event calls the method on_link. Did you mean on_links?"),
                               ("python", "no module is named. Set strategy.params.module to a file")):
            done = self.crawl(site.url("/"), "--strategy", argument, code=2)
            self.assertIn(text, done.stderr)
        self.assertEqual([], site.paths())

    def test_an_exception_is_named_with_its_line_and_its_event(self):
        site = self.pages()
        self.write("    def on_page(self, page):\n        if page.link.url.endswith('/1'): {}['colour']\n"
                   "    def on_links(self, links):\n        links.schedule_new(0.5)\n")
        done = self.crawl(site.url("/"), "--strategy", "own.py", "--data", "data", code=1)
        self.assertIn(f"strategy 'own' failed in OnPage for {site.url('/1')}: KeyError: 'colour' (own.py:5 in on_page)", done.stderr)
        done = self.crawl("--data", "data", "--keep-going", code=None)
        letters = self.orbweaver("log", "dead-letter", "--data", "data").stdout
        self.assertIn("KeyError: 'colour' (own.py:5 in on_page)", letters)
        self.assertIn("/2", site.paths())

    def test_threads_and_processes_of_a_strategy_do_not_hang_the_end(self):
        site = self.pages()
        self.write("    def start(self, seed):\n"
                   "        import subprocess, sys, threading\n"
                   "        threading.Thread(target=self.forever).start()\n"
                   "        quiet = subprocess.DEVNULL\n"
                   "        sleeper = subprocess.Popen(['sleep', '600'], stdin=quiet, stdout=quiet, stderr=quiet)\n"
                   "        open('pid', 'w').write(str(sleeper.pid))\n"
                   "    def forever(self):\n        while True: pass\n"
                   "    def on_links(self, links):\n        links.schedule_new(0.5)\n")
        self.crawl(site.url("/"), "--strategy", "own.py")
        os.kill(int((self.folder / "pid").read_text()), signal.SIGKILL)
        self.assertIn("/2", site.paths())

    def test_it_is_tested_on_a_recording(self):
        site = self.pages()
        self.crawl(site.url("/"), "--strategy", f"{EXAMPLES}/breadth_first.py:max_pages=20", "--record", "rec")
        (self.folder / "mine.py").write_text((EXAMPLES / "breadth_first.py").read_text())
        same = self.orbweaver("strategy", "test", "mine.py", "--log", "rec", "--param", "max_pages=20").stdout
        self.assertIn("mine.py against the recorded breadth_first", same)
        self.assertIn("No difference.", same)
        told = self.orbweaver("strategy", "test", "mine.py", "--log", "rec", "--param", "max_pages=20", "--verify").stdout
        self.assertIn("equal", told)
        self.write("    def on_links(self, links):\n        {}['colour']\n")
        failed = self.orbweaver("strategy", "test", "own.py", "--log", "rec", code=1)
        self.assertIn("KeyError: 'colour' (own.py:5 in on_links)", failed.stderr)
        self.assertIn("--log wants the folder", self.orbweaver("strategy", "test", "own.py", "--log", code=2).stderr)
        self.assertIn("nowhere", self.orbweaver("strategy", "test", "own.py", "--log", "nowhere", code=1).stderr)

    def test_a_handler_that_never_ends_is_named(self):
        site = self.pages()
        self.write("    def on_page(self, page):\n        while True: pass\n")
        done = self.crawl(site.url("/"), "--strategy", "own.py", "--set=strategy.time_limit=1s", code=1)
        self.assertRegex(done.stderr, rf"strategy 'own' has been in OnPage for {site.url('/')} for longer than strategy.time_limit \(1s\)")


if __name__ == "__main__":
    Newcomer.program = sys.argv.pop(1)
    unittest.main()
