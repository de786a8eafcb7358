"""A crawl of a site on this machine with its console, and the console of a folder at rest. The base of the console's tests."""

import signal
import subprocess
import time

from newcomer import Newcomer
from small_site import Site
from synthetic_web import PATIENCE_S

PAGES = 3000
LONG = "/" + "very-long-name-" * 60 + "?שלום=עולם"


class ConsoleCrawl(Newcomer):
    def setUp(self):
        super().setUp()
        files = {f"/{i}": "".join(f"<a href=/{3 * i + k}>x</a>" for k in (1, 2, 3) if 3 * i + k < PAGES) for i in range(PAGES)}
        files["/robots.txt"] = (200, {"Content-Type": "text/plain"}, "User-agent: *\nDisallow: /private\n")
        files["/"] = f"<a href=/1>1</a><a href=/private>p</a><a href=/gone>g</a><a href=/x.png>i</a><a href='{LONG}'>l</a>"
        self.one = Site(files)
        self.addCleanup(self.one.close)
        self.ports.append(str(self.one.port))

    def begins(self, *words):
        process = subprocess.Popen(
            [self.program, *words], cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(lambda: (process.kill(), process.communicate()))
        return process

    def begins_crawl(self, *options):
        """A crawl that goes on for as long as a test needs, and the address of its console."""
        process = self.begins("crawl", self.one.url("/"), "--data", "data", "--delay", "100ms", "--user-agent", "me", "--exclude", "*.png", "--retries", "0",
                              "--set=network.allow_networks=127.0.0.0/8", f"--set=network.ports={','.join(self.ports)}", *options)
        deadline = time.monotonic() + PATIENCE_S
        already = len(self.one.requests)
        while len(self.one.requests) < already + 8:
            self.assertLess(time.monotonic(), deadline)
            self.assertIsNone(process.poll(), "it ended by itself")
            time.sleep(0.005)
        return process, "http://" + (self.folder / "data" / "contact").read_text().split()[0]

    def begins_console(self, *options):
        process = self.begins("console", "--data", "data", "--listen", "127.0.0.1:0", *options)
        line = next(line for line in process.stderr if line.startswith("The console of "))
        self.assertIn("The console of data is at http://127.0.0.1:", line)
        return process, line.split()[6].rstrip("/")

    def waits_until(self, condition):
        deadline = time.monotonic() + PATIENCE_S
        while not condition():
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.05)

    def ends(self, process, code):
        process.send_signal(signal.SIGINT)
        out, errors = process.communicate(timeout=PATIENCE_S)
        self.assertEqual(code, process.returncode, out + errors)
        return out
