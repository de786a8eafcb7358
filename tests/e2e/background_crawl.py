"""A newcomer with a second terminal: a crawl goes on in the background and is looked at, or told something. The base of those tests."""

import signal
import subprocess

from newcomer import Newcomer
from small_site import Site
from synthetic_web import PATIENCE_S

PAGES = 3000


class BackgroundCrawl(Newcomer):
    def endless(self, address="127.0.0.1", more=None):
        """A site of more pages than any test fetches. `more` replaces pages or adds some."""
        files = {f"/{i}": "".join(f"<a href=/{3 * i + k}>x</a>" for k in (1, 2, 3) if 3 * i + k < PAGES) for i in range(PAGES)}
        site = Site(files | (more or {}), address)
        self.addCleanup(site.close)
        self.ports.append(str(site.port))
        return site

    def begins(self, *words, **more):
        """A command that goes on by itself."""
        process = subprocess.Popen([self.program, *words], cwd=self.folder, stdin=subprocess.DEVNULL,
                                   **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True} | more)
        self.addCleanup(lambda: (process.kill(), process.communicate()))
        return process

    def begins_crawl(self, *words, delay="20ms"):
        """A crawl in ./data that goes on for as long as a test needs."""
        return self.begins("crawl", *words, "--data", "data", "--delay", delay, "--user-agent", "me", "--set=network.allow_networks=127.0.0.0/8",
                           f"--set=network.ports={','.join(self.ports)}")

    def waits_for_more(self, site, process, more=20):
        already = len(site.requests)
        self.waits_until(lambda: len(site.requests) >= already + more, process)

    def ends(self, process, code=4):
        """By Ctrl-C; gives standard output and standard error."""
        process.send_signal(signal.SIGINT)
        out, errors = process.communicate(timeout=PATIENCE_S)
        self.assertEqual(code, process.returncode, (out or "") + (errors or ""))
        return out, errors
