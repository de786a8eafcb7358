"""`orbweaver crawl` as a process, on the synthetic web, without anybody at its terminal."""

import math
import os
import pathlib
import re
import signal
import subprocess
import time
import urllib.request

PATIENCE_S = 300


class CrawlProcess:
    """A crawl of all of `web`, in `folder`, which nobody else uses. To be closed."""

    def __init__(self, build, web, folder, *options):
        self.log, data = folder / "crawl.log", folder / "data"
        self._contact = data / "contact"
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                [build / "cli/orbweaver", "crawl", "--seeds", web.seeds, "--everything", "--data", data, "--user-agent", "bench",
                 "--proxy", f"http://127.0.0.1:{web.port}", f"--set=spider.fetch.authorities_file={web.authority}",
                 "--set=network.allow_private=true", *options],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        self.pid = self.process.pid
        self.await_that(lambda: self._contact.exists())

    def await_that(self, holds, every_s=0.02):
        deadline = time.monotonic() + PATIENCE_S
        while not holds():
            self.assert_runs(deadline)
            time.sleep(every_s)

    def assert_runs(self, deadline=math.inf):
        if self.process.poll() is not None or time.monotonic() > deadline:
            raise RuntimeError(f"the crawl ended with {self.process.returncode}: {self.log.read_text()[-1000:]}")

    def address(self):
        """Of its console, HOST:PORT."""
        return self._contact.read_text().split()[0]

    def text_at(self, path):
        return urllib.request.urlopen(f"http://{self.address()}{path}", timeout=PATIENCE_S).read().decode()

    def pages(self):
        return self.total("pages")

    def total(self, what):
        """Of a counter of the spider, whatever its labels are."""
        values = re.findall(rf"^orbweaver_spider_{what}_total(?:\{{[^}}]*\}})? (\S+)$", self.text_at("/metrics"), re.MULTILINE)
        return sum(map(float, values))

    def interrupt(self):
        """Ctrl-C; how long it takes to end, and what all of it used, as os.wait4 says."""
        began = time.monotonic()
        self.process.send_signal(signal.SIGINT)
        _, status, used = os.wait4(self.pid, 0)
        self.process.returncode = os.waitstatus_to_exitcode(status)
        return time.monotonic() - began, used

    def close(self):
        self.process.kill()
        self.process.wait()
