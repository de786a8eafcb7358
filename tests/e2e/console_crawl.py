"""A crawl of a site on this machine with its console, and the console of a folder at rest. The base of the console's tests."""

import os
import pathlib

from background_crawl import BackgroundCrawl

LONG = "/" + "very-long-name-" * 60 + "?שלום=עולם"


def resident_bytes(process):
    pages = int(pathlib.Path(f"/proc/{process.pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


class ConsoleCrawl(BackgroundCrawl):
    def setUp(self):
        super().setUp()
        self.one = self.endless(more={
            "/robots.txt": (200, {"Content-Type": "text/plain"}, "User-agent: *\nDisallow: /private\n"),
            "/": f"<a href=/1>1</a><a href=/private>p</a><a href=/gone>g</a><a href=/x.png>i</a><a href='{LONG}'>l</a>"})

    def begins_crawl(self, *options):
        """A crawl that goes on for as long as a test needs, and the address of its console."""
        process = super().begins_crawl(self.one.url("/"), "--exclude", "*.png", "--retries", "0", *options, delay="100ms")
        self.waits_for_more(self.one, process, 8)
        return process, "http://" + (self.folder / "data" / "contact").read_text().split()[0]

    def begins_console(self, *options):
        process = self.begins("console", "--data", "data", "--listen", "127.0.0.1:0", *options)
        line = next(line for line in process.stderr if line.startswith("The console of "))
        self.assertIn("The console of data is at http://127.0.0.1:", line)
        return process, line.split()[6].rstrip("/")
