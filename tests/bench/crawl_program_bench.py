#!/usr/bin/env python3
"""`./run bench crawl`, second part: `orbweaver crawl` as people start it. Run by ./run bench.

  crawl_program_bench.py BUILD [--json] [--pages N] [--seconds N] [CASE...]

Webs of few large and of many small hosts, without delays: CPU, bytes written and wake-ups a page, and how long Ctrl-C takes. Then crawls
that mostly wait: three hundred domains with a second between two requests, and one whose domains all rest. The web of a million hosts is
crawled only when it is named, with 2,000,000 pages if `--pages` says nothing else, which takes long.
"""

import argparse
import pathlib
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path[:0] = [str(ROOT / "tests/e2e"), str(ROOT / "tests/bench")]
from crawl_process import CrawlProcess  # noqa: E402
from process_use import Use, peak_resident_mb  # noqa: E402
from report import Report  # noqa: E402
from synthetic_web import Web  # noqa: E402

WEBS = {f"program_{hosts}x{pages}": (hosts, pages) for hosts, pages in ((1000, 10_000), (100, 100_000), (100_000, 100))}
MILLION = "million_domains"
BLOCK = 512  # bytes, the unit of ru_oublock
HOSTS_OF_300_DOMAINS = 480
WARM_UP_S = 15  # until all domains are found and the rate is that of their delays


class Bench:
    def __init__(self, build, folder, report):
        self.build, self.folder, self.report = build, folder, report
        self.runs = 0

    def _crawl(self, hosts, pages, *options):
        self.runs += 1
        folder = self.folder / str(self.runs)
        folder.mkdir()
        web = Web(self.build / "tests/support/synthetic_web/orbweaver-synthetic-web", folder, "--hosts", str(hosts), "--pages", str(pages),
                  "--links", "60", log_requests=False)
        try:
            return web, CrawlProcess(self.build, web, folder, *options)
        except BaseException:
            web.close()
            raise

    def busy(self, name, pages):
        web, crawl = self._crawl(*WEBS[name], "--delay", "0")
        try:
            began = time.monotonic()
            # Each look is a scrape of all metrics, which is work of the crawl's too.
            crawl.await_that(lambda: crawl.pages() >= pages, every_s=0.5)
            fetched, robots, wall = crawl.pages(), crawl.total("robots_fetches"), time.monotonic() - began
            stop_s, used = crawl.interrupt()
        finally:
            crawl.close()
            web.close()
        cpu_s = used.ru_utime + used.ru_stime
        self.report.row(name, fetched / cpu_s, "pages/cpu_s", "CPU; robots.txt of each host and all of the stop counted", cpu_s, wall)
        self.report.row(f"{name}_robots", robots / fetched, "files/page", "robots.txt, once a host", cpu_s, wall)
        self.report.row(f"{name}_written", used.ru_oublock * BLOCK / 1000 / fetched, "KB/page", "to disk: logs, states, queue, compaction", cpu_s, wall)
        self.report.row(f"{name}_wake_ups", used.ru_nvcsw / fetched, "wake-ups a page", "threads that wait for each other and the web", cpu_s, wall)
        self.report.row(f"{name}_stop", stop_s, "s", "Ctrl-C: fetches under way, the last batches, fsyncs", cpu_s, wall)

    def million(self, pages):
        """A hundred million URLs to know, a million domains in the queue. Then Ctrl-C, and on with it."""
        options = ("--delay", "0")
        web, crawl = self._crawl(1_000_000, 100, *options)
        try:
            began = time.monotonic()
            self._await_pages(crawl, pages / 2)
            before, first = Use(crawl.pid), crawl.pages()
            self._await_pages(crawl, first + pages / 2)
            second, fetched = Use(crawl.pid).since(before), crawl.pages()
            wall, peak_mb = time.monotonic() - began, peak_resident_mb(crawl.pid)
            stop_s, _ = crawl.interrupt()
            began = time.monotonic()
            crawl = CrawlProcess(self.build, web, crawl.log.parent, *options)
            crawl.await_that(lambda: crawl.pages() > 0, every_s=0.1)
            resume_s, resumed_mb = time.monotonic() - began, peak_resident_mb(crawl.pid)
        finally:
            crawl.close()
            web.close()
        self.report.row(MILLION, (fetched - first) / second.cpu_s, "pages/cpu_s", f"of the second half of {fetched:,.0f} pages", second.cpu_s, wall)
        self.report.row(f"{MILLION}_written", second.written_kb / (fetched - first), "KB/page", "to disk, of the second half", second.cpu_s, wall)
        self.report.row(f"{MILLION}_peak", peak_mb, "MB", f"resident; {resumed_mb:.0f} MB until it goes on")
        self.report.row(f"{MILLION}_stop", stop_s, "s", "Ctrl-C")
        self.report.row(f"{MILLION}_resume", resume_s, "s", "from the start of the command to its first page")

    def _await_pages(self, crawl, pages):
        """As long as it takes."""
        while crawl.pages() < pages:
            crawl.assert_runs()
            time.sleep(1)

    def waiting(self, name, hosts, delay, seconds):
        web, crawl = self._crawl(hosts, 10_000, "--delay", delay)
        try:
            time.sleep(WARM_UP_S)
            began, pages, before = time.monotonic(), crawl.pages(), Use(crawl.pid)
            time.sleep(seconds)
            use, pages, wall = Use(crawl.pid).since(before), crawl.pages() - pages, time.monotonic() - began
        finally:
            crawl.close()
            web.close()
        self.report.row(name, 100 * use.cpu_s / wall, "% of a core", f"{pages / wall:.1f} pages/s", use.cpu_s, wall)
        self.report.row(f"{name}_wake_ups", use.wake_ups / wall, "wake-ups a second", "threads that look or wait", use.cpu_s, wall)
        if pages:
            self.report.row(f"{name}_page", 1000 * use.cpu_s / pages, "cpu_ms/page", "CPU", use.cpu_s, wall)


def main():
    parser = argparse.ArgumentParser(prog="./run bench crawl")
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--pages", type=int)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("cases", nargs="*", choices=[[], *WEBS, "polite_300", "idle", MILLION], metavar="CASE")
    options = parser.parse_args()
    build = options.build.resolve()
    with tempfile.TemporaryDirectory(prefix="orbweaver-crawl-bench-") as folder:
        bench = Bench(build, pathlib.Path(folder), Report(build, options.json, "crawl"))
        wanted = lambda name: not options.cases or name in options.cases
        try:
            for name in filter(wanted, WEBS):
                bench.busy(name, options.pages or 100_000)
            if wanted("polite_300"):
                bench.waiting("polite_300", HOSTS_OF_300_DOMAINS, "1s", options.seconds)
            if wanted("idle"):
                bench.waiting("idle", 8, "1h", options.seconds)
            if MILLION in options.cases:
                bench.million(options.pages or 2_000_000)
        except RuntimeError as failure:
            sys.exit(f"crawl: {failure}")


if __name__ == "__main__":
    main()
