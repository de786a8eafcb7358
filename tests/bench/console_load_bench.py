#!/usr/bin/env python3
"""`./run bench console`, second part: what its console costs a crawl. Run by ./run bench.

  console_load_bench.py BUILD [--json] [--rounds N] [--seconds N]

With nobody looking: of a crawl at full speed the CPU time of the console's own threads, and of what another thread does for it (a
domain's last outcomes, by the benchmark `outcomes`), as a share of the whole program's. Crawls with and without a console cannot tell
half a percent: their CPU time differs by ten from run to run. With fifty tabs: one crawl whose rate its sites' delay limits; in turns
nobody looks, and a client asks over six connections what fifty visible tabs ask; the ratio of the crawl's rates. Shares and ratios need
no yardstick. Fails where a figure is not the one that is wanted.
"""

import argparse
import heapq
import http.client
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path[:0] = [str(ROOT / "tests/e2e"), str(ROOT / "tests/bench")]
from crawl_process import PATIENCE_S, CrawlProcess  # noqa: E402
from process_use import cpu_s  # noqa: E402
from report import Report  # noqa: E402
from synthetic_web import Web  # noqa: E402

WARM_UP_S = 15  # until all domains are found and the rate is that of their delays
TABS = 50
CONNECTIONS = 6  # that a browser opens to one host
# As the page asks: path and interval (cli/console/page/*.js).
VIEWS = (("/api/v1/overview", 2), ("/api/v1/domains?sort=waiting&order=desc&contains=&phase=&offset=0&limit=50", 10), ("/api/v1/history?range=15m", 5),
         ("/api/v1/workers", 5), ("/api/v1/domain?name={domain}", 5))
CONSOLE_THREADS = {"sampler", "admin", "admin-calls", "admin-reads"}
KEEPS_EVERY_S = 30  # the last outcomes, into their file (cli/crawl/crawl_watch.cc)
MOST_IDLE_PERCENT = 0.5
LEAST_RATE_RATIO = 0.98


def console_cpu_s(pid):
    """Of the console's threads; the kernel counts nanoseconds."""
    used, found = 0, set()
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        try:
            name = (task / "comm").read_text().strip()
            if name in CONSOLE_THREADS:
                used += int((task / "schedstat").read_text().split()[0])
                found.add(name)
        except OSError:  # a thread that ended
            continue
    if found != CONSOLE_THREADS:
        sys.exit(f"console_load_bench: the console's threads are not there: {CONSOLE_THREADS - found}")
    return used / 1e9


class Tabs:
    """Asks what so many visible tabs ask, until it is closed."""

    def __init__(self, address, domain):
        self.answers, self.same, self.failures = 0, 0, 0
        self._host, self._over, self._lock = address, threading.Event(), threading.Lock()
        now = time.monotonic()
        tabs = [(*VIEWS[i % len(VIEWS)], i) for i in range(TABS)]
        # Tabs were not opened all at once.
        self._due = [(now + every * i / TABS, i, path.format(domain=domain), every, None) for path, every, i in tabs]
        heapq.heapify(self._due)
        self._threads = [threading.Thread(target=self._ask) for _ in range(CONNECTIONS)]
        for thread in self._threads:
            thread.start()

    def _ask(self):
        connection = http.client.HTTPConnection(self._host, timeout=PATIENCE_S)
        while not self._over.is_set():
            with self._lock:
                is_due = bool(self._due) and self._due[0][0] <= time.monotonic()
                tab = heapq.heappop(self._due) if is_due else None
            if tab is None:
                self._over.wait(0.01)
                continue
            _, i, path, every, tag = tab
            try:
                connection.request("GET", path, headers={"Accept-Encoding": "gzip"} | ({"If-None-Match": tag} if tag else {}))
                answer = connection.getresponse()
                answer.read()
                with self._lock:
                    self.answers += answer.status in (200, 304)
                    self.same += answer.status == 304
                    self.failures += answer.status not in (200, 304)
                tag = answer.headers["ETag"]
            except (OSError, http.client.HTTPException):
                with self._lock:
                    self.failures += 1
                connection.close()
            with self._lock:
                heapq.heappush(self._due, (time.monotonic() + every, i, path, every, tag))
        connection.close()

    def close(self):
        self._over.set()
        for thread in self._threads:
            thread.join()


class Bench:
    def __init__(self, build, folder, report):
        self.build, self.folder, self.row = build, folder, report.row
        self.runs, self.missed = 0, []

    def judge(self, case, value, is_met, wanted):
        if not is_met:
            self.missed.append(f"{case} is {value:.4g}, wanted {wanted}")
        return f"wanted {wanted}: {'met' if is_met else 'MISSED'}"

    def crawl(self, pages, *options):
        self.runs += 1
        folder = self.folder / str(self.runs)
        folder.mkdir()
        web = Web(self.build / "tests/support/synthetic_web/orbweaver-synthetic-web", folder, "--hosts", "200", "--pages", str(pages), log_requests=False)
        try:
            return web, CrawlProcess(self.build, web, folder, *options)
        except BaseException:
            web.close()
            raise

    def outcomes_cost(self):
        """CPU seconds to note an outcome, and to keep them all."""
        program = self.build / "tests/bench/orbweaver-bench"
        rows = [json.loads(line) for line in subprocess.run([program, "outcomes", "--json"], check=True, capture_output=True, text=True).stdout.splitlines()]
        values = {row["case"]: row["value"] for row in rows}
        return values["note"] / 1e6, values["keep"] / 1e3

    def nobody_looks(self, seconds):
        note_s, keep_s = self.outcomes_cost()
        web, crawl = self.crawl(100_000, "--delay", "0", "--max-pages", "100000000")
        try:
            time.sleep(WARM_UP_S)
            # Asking costs the console something, and stands outside of what is measured.
            pages = -crawl.pages()
            look = lambda: (cpu_s(crawl.pid), console_cpu_s(crawl.pid))
            before = look()
            time.sleep(seconds)
            crawl.assert_runs()
            whole, console = (now - then for now, then in zip(look(), before))
            pages += crawl.pages()
        finally:
            crawl.close()
            web.close()
        outcomes = pages * note_s + seconds / KEEPS_EVERY_S * keep_s
        percent = 100 * (console + outcomes) / whole
        self.row("nobody_threads", 100 * console / whole, "% of the crawl's CPU", f"{1000 * console:.1f} ms of {whole:.1f} CPU s, {pages:.0f} pages in {seconds} s", whole, seconds)
        self.row("nobody_outcomes", 100 * outcomes / whole, "% of the crawl's CPU", f"{1e6 * note_s:.2f} us a page, {1000 * keep_s:.1f} ms every {KEEPS_EVERY_S} s", whole, seconds)
        self.row("nobody_cost", percent, "% of the crawl's CPU", self.judge("nobody_cost", percent, percent <= MOST_IDLE_PERCENT, f"at most {MOST_IDLE_PERCENT}"),
                 whole, seconds)

    def tabs_look(self, rounds, seconds):
        web, crawl = self.crawl(10_000, "--delay", "1s", "--max-pages", "10000000")
        try:
            time.sleep(WARM_UP_S)
            began, cpu_before = time.monotonic(), cpu_s(crawl.pid)
            domain = json.loads(crawl.text_at("/api/v1/domains?limit=1"))["domains"][0]["domain"]

            def stretch(with_tabs):
                tabs = Tabs(crawl.address(), domain) if with_tabs else None
                look = lambda: (time.monotonic(), crawl.pages(), cpu_s(crawl.pid), console_cpu_s(crawl.pid))
                before = look()
                time.sleep(seconds)
                took, pages, used, sampled = (now - then for now, then in zip(look(), before))
                if tabs:
                    tabs.close()
                return pages / took, used / took, sampled / took, tabs

            rates, costs, quiet, sampling = [], [], [], []
            asked = same = failed = 0
            for turn in range(rounds):
                done = {with_tabs: stretch(with_tabs) for with_tabs in ((False, True) if turn % 2 else (True, False))}
                rates.append(done[True][0] / done[False][0])
                costs.append(100 * (done[True][1] - done[False][1]))
                quiet.append(done[False][0])
                sampling.append(100 * done[False][2])
                tabs = done[True][3]
                asked, same, failed = asked + tabs.answers, same + tabs.same, failed + tabs.failures
            spent = cpu_s(crawl.pid) - cpu_before, time.monotonic() - began
        finally:
            crawl.close()
            web.close()
        ratio = statistics.median(rates)
        self.row("nobody_core", statistics.median(sampling), "% of a core", "the console's threads, with nobody looking", *spent)
        self.row("tabs_rate_ratio", ratio, "pages/s with / without tabs",
                 f"{rounds} pairs of {seconds} s at {statistics.median(quiet):.0f} pages/s, {min(rates):.3f} to {max(rates):.3f}; "
                 + self.judge("tabs_rate_ratio", ratio, ratio >= LEAST_RATE_RATIO, f"at least {LEAST_RATE_RATIO}"), *spent)
        self.row("tabs_cost", statistics.median(costs), "% of a core", f"{TABS} tabs: {asked / rounds / seconds:.1f} requests/s, {100 * same / max(1, asked):.0f} % of them 304, {failed} failed",
                 *spent)


def main():
    parser = argparse.ArgumentParser(prog="./run bench console")
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=int, default=60)
    arguments = parser.parse_args()
    build = arguments.build.resolve()
    with tempfile.TemporaryDirectory(prefix="orbweaver-console-bench-") as folder:
        bench = Bench(build, pathlib.Path(folder), Report(build, arguments.json, "console"))
        try:
            bench.nobody_looks(arguments.seconds)
            bench.tabs_look(arguments.rounds, arguments.seconds)
        except RuntimeError as failure:
            sys.exit(f"console_load_bench: {failure}")
    if bench.missed:
        sys.exit("console_load_bench: " + "; ".join(bench.missed))


if __name__ == "__main__":
    main()
