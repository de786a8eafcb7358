"""docs/python.md as somebody reads it who has never seen this project: python3 python_docs_test.py PROGRAM CACHE

Files named before a block of Python are written, lines of shell are typed in order, and each says what the page shows of it. Numbers may
differ, and … stands for anything. Its sections that need a cluster are typed by python_cluster_docs_test.py.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

from docs_web import DocsWeb
from synthetic_web import PATIENCE_S

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/python.md"
PROGRAM = CACHE = pathlib.Path()
# Typed by python/tests/install_test.py.
INSTALLING = ("pip install ", "python3 -m venv ", ". venv/bin/activate")
# Folders of CACHE with what these lines install.
INSTALLED = ("python-packages-1", "parquet-readers-26.0.1")

PARTS = re.compile(r"^(?:`(?P<file>[\w/]+\.py)`:\n\n)?```(?P<kind>\w*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
# The headings of sections that need a cluster.
ON_A_CLUSTER = ("A spider of your own in ten minutes", "Scrapy: a project's spider on the frontier")


def sections():
    """The page's text by its headings of the second level; that before the first has none."""
    _, *rest = (text := PAGE.read_text()).split("\n## ")
    return {"": text.partition("\n## ")[0], **{heading: body for heading, _, body in (section.partition("\n") for section in rest)}}


def pattern_of(shown):
    """As a pattern: a number for each number, anything for each …"""
    text = re.sub(r"\d+(?:\\\.\d+)*", r"\\d+(?:\\.\\d+)*", re.escape(shown))
    return text.replace("…", "(?:.|\\n)*?")


class PythonDocs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        web = DocsWeb(self.folder)
        self.addCleanup(web.close)
        programs = self.folder / "bin"
        programs.mkdir()
        (programs / "orbweaver").symlink_to(PROGRAM)
        (programs / "python").symlink_to(sys.executable)
        self.environment = os.environ | web.environment() | {
            "PATH": f"{programs}:{os.environ['PATH']}",
            "PYTHONPATH": ":".join(map(str, (ROOT / "python", *(CACHE / name for name in INSTALLED)))),
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        self.here = self.folder / "here"
        self.here.mkdir()

    def type(self, line):
        done = subprocess.run(["bash", "-c", line], cwd=self.here, env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=PATIENCE_S)
        self.assertEqual(0, done.returncode, f"$ {line}\n{done.stdout}")
        return done.stdout

    def test_every_command_does_what_the_page_shows(self):
        printed, typed, shown = "", 0, 0
        here = "".join(text for heading, text in sections().items() if heading not in ON_A_CLUSTER)
        for part in PARTS.finditer(here):
            if part["kind"] == "python" and part["file"]:
                (self.here / part["file"]).write_text(part["text"])
            elif part["kind"] == "sh":
                lines = [line for line in part["text"].splitlines() if not line.startswith(INSTALLING)]
                printed = "".join(self.type(line) for line in lines)
                typed += len(lines)
            elif part["kind"] == "text":
                shown += 1
                self.assertRegex(printed, pattern_of(part["text"].rstrip("\n")))
        self.assertGreater(typed, 6)
        self.assertGreater(shown, 3)

    def test_every_place_that_the_page_names_is_there(self):
        text = PAGE.read_text()
        headings = {re.sub(r"[^\w\- ]", "", line.lstrip("# ")).lower().replace(" ", "-") for line in text.splitlines() if line.startswith("#")}
        for target in re.findall(r"\]\(([^)]+)\)", text):
            file, _, place = target.partition("#")
            if file:
                self.assertTrue((PAGE.parent / file).exists(), target)
            elif place not in headings:
                self.fail(f"no heading #{place}")


if __name__ == "__main__":
    PROGRAM, CACHE = (pathlib.Path(name).resolve() for name in sys.argv[1:3])
    unittest.main(argv=sys.argv[:1])
