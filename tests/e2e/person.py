"""A person at a shell with the documentation open: sites of real documentation, lines typed as a person types them.

The base of the people_*_test.py.
"""

import collections
import glob
import json
import os
import pathlib
import shlex
import signal
import subprocess
import tempfile

from documentation_site import DocumentationSite
from patient import Patient
from synthetic_web import PATIENCE_S

AGENT = "mybot/1.0 (+https://example.org/bot)"


class Person(Patient):
    program = ""  # set by the test that is run

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        path = f"{pathlib.Path(self.program).parent}:{os.environ['PATH']}"
        # The agent is theirs in each command; it would only make the lines longer.
        self.environment = os.environ | {"PATH": path, "ORBWEAVER_SPIDER__FETCH__USER_AGENT": AGENT}

    def documentation(self, more=None, **options):
        site = DocumentationSite(more, host="localhost", **options)
        self.addCleanup(site.close)
        return site

    def types(self, line, code=0):
        """Runs a line in a shell and gives what it did; its exit code must be `code`, None: any."""
        done = subprocess.run(["bash", "-c", line], cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, timeout=PATIENCE_S)
        if done.returncode < 0:  # bash became the program
            done.returncode = 128 - done.returncode
        self.assertNotIn("\x1b", done.stdout + done.stderr)
        self.assertIn(done.returncode, range(256) if code is None else [code], f"$ {line}\n{done.stdout}{done.stderr}")
        return done

    def begins(self, line):
        """A command that goes on by itself while the person does something else."""
        process = subprocess.Popen(shlex.split(line), cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(lambda: (process.kill(), process.communicate()))
        return process

    def ends(self, process, with_signal=signal.SIGINT):
        """Sends the signal and gives (exit code, standard output, standard error)."""
        process.send_signal(with_signal)
        out, errors = process.communicate(timeout=PATIENCE_S)
        return process.returncode, out, errors

    def lines(self, kind, out="out"):
        """The lines of JSON of all files of that kind, of its pages, say."""
        files = sorted(glob.glob(f"{kind}-*.jsonl", root_dir=self.folder / out))
        return [json.loads(line) for file in files for line in (self.folder / out / file).read_text().splitlines()]

    def pages_of(self, out="out"):
        """Where each page of the files came from in the end."""
        return collections.Counter(page.get("final_url") or page["url"] for page in self.lines("pages", out))

    def assert_fetched_once(self, site, urls, asked=None):
        """The site was asked for each of these URLs exactly once, and for nothing else but robots.txt."""
        counts = collections.Counter(site.url(path) for path in (site.asked() if asked is None else asked))
        counts.pop(site.url("/robots.txt"), None)
        self.assertEqual({url: 1 for url in urls}, dict(counts))
