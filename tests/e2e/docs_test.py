"""Every command of a page of the documentation, as it stands there: python3 docs_test.py PROGRAM ROOT CACHE PAGE…

A block marked `sh` is typed line by line into a shell: in a folder of its own where it begins with a crawl, else
in that of the page's first block. The web is that of docs_web.py.
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

PROGRAM = ROOT = CACHE = pathlib.Path()
PAGES = []

# Commands that a test of their own runs.
ELSEWHERE = {
    "./run demo": "demo",
    "./run test": "the gate",
    "./run setup": "the gate",
    "./run bench": "a benchmark",
    "./run cluster": "cluster_tool",
    "./run install": "installed",
    "man orbweaver": "installed",
    "./run package": "package",
    "docker-compose ": "compose",
    "docker ": "compose",
    "cp deploy/docker/demo.env": "compose",
}
# A limit of the run was reached: exit code 4.
GOOD = (0, 4)


def blocks(page):
    """The shell blocks of a page, each a list of commands; a command has its here-document."""
    for block in re.findall(r"^```sh\n(.*?)^```", page, re.MULTILINE | re.DOTALL):
        lines = iter(block.replace("\\\n", "").splitlines())
        typed = []
        for line in lines:
            if not line.strip() or line.lstrip().startswith("#"):
                continue
            if here := re.search(r"<<'(\w+)'", line):
                for more in lines:
                    line += "\n" + more
                    if more == here[1]:
                        break
            typed.append(line)
        yield typed


class Docs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "bin").mkdir()
        (self.folder / "bin" / "orbweaver").symlink_to(PROGRAM)
        web = DocsWeb(self.folder)
        self.addCleanup(web.close)
        self.environment = os.environ | web.environment() | {
            "PATH": f"{self.folder / 'bin'}:{os.environ['PATH']}",
            # DuckDB and polars, which a reader installs with pip.
            "PYTHONPATH": str(CACHE / "parquet-readers-26.0.1"),
        }

    def new_folder(self):
        here = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
        run = here / "run"
        run.write_text('#!/bin/sh\ncase $1 in\n  crawl) exec orbweaver "$@" ;;\n  orbweaver) shift; exec orbweaver "$@" ;;\nesac\n'
                       'echo "./run $1: no test knows it" >&2\nexit 99\n')
        run.chmod(0o755)
        for name, text in {
            "urls.txt": "https://example.org/\nhttps://example.org/a\nhttps://www.example.com/\n",
            "cookies.txt": "# Netscape HTTP Cookie File\nwiki.example.org\tFALSE\t/\tTRUE\t4102444800\tsession\t1\n",
        }.items():
            (here / name).write_text(text)
        return here

    def type(self, line, here):
        done = subprocess.run(["bash", "-c", line], cwd=here, env=self.environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=PATIENCE_S)
        self.assertIn(done.returncode, GOOD, done.stdout + done.stderr)

    def test_every_command_runs(self):
        for page in PAGES:
            first, ran = None, 0
            for block in blocks((ROOT / page).read_text()):
                crawls = re.match(r"(orbweaver|\./run) crawl ", block[0])
                here = self.new_folder() if crawls or first is None else first
                first = first or here
                for line in block:
                    if line.startswith(tuple(ELSEWHERE)):
                        continue
                    ran += 1
                    with self.subTest(page=page, line=line):
                        self.type(line, here)
            self.assertGreater(ran, 0, page)


if __name__ == "__main__":
    PROGRAM, ROOT, CACHE = (pathlib.Path(name).resolve() for name in sys.argv[1:4])
    PAGES = sys.argv[4:]
    unittest.main(argv=sys.argv[:1])
