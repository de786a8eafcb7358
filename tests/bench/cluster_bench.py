#!/usr/bin/env python3
"""`./run bench cluster`: the whole loop on this machine, Kafka, HBase and the crawled web beside it.

  cluster_bench.py BUILD [--json] [--hosts N] [--pages N] [--seconds N] [--soak MINUTES]

One worker of each kind crawls the synthetic web without delays: first for `--seconds`, measured; then each worker is killed with
-9 and started again, and the time is taken until its group reads on. With --soak it crawls on for so long, and memory is looked at.
Run by ./run bench, which starts the services.
"""

import argparse
import json
import os
import pathlib
import re
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path[:0] = [str(ROOT / "deploy/local"), str(ROOT / "tests/e2e")]
from instance import Instance  # noqa: E402
from process_use import Use, resident_mb  # noqa: E402
from report import Report  # noqa: E402
from synthetic_web import Web  # noqa: E402
from workers import PROGRAMS, Workers  # noqa: E402

PARTITIONS = 8
TARGET_LAG = 512
PATIENCE_S = 300
SAMPLE_S = 1.0
# Full before a soak looks at memory: of larger ones it would see them fill for hours.
SMALL_CACHES = {"strategy_worker.cache_bytes": "48MiB", "db_worker.chunk_cache_bytes": "16MiB"}
STEADY = 0.05  # of the messages that come may stay unread: the lag comes and goes with batches
LATENCY_SAMPLE = 300  # feed entries of each partition
GROUPS = {"db-worker": "db-workers", "strategy-worker": "strategy-workers", "spider": "spiders"}
PAGES = re.compile(r"^orbweaver_spider_pages_total(?:\{[^}]*\})? (\S+)$", re.MULTILINE)


class Loop:
    """One worker of each kind, the web, and the processes whose CPU is counted. To be closed, however far it came."""

    def __init__(self):
        self.web, self.running = None, {}

    def start(self, build, folder, hosts, pages, settings):
        self.web = Web(build / "tests/support/synthetic_web/orbweaver-synthetic-web", folder, "--hosts", str(hosts),
                       "--pages", str(pages), "--links", "60", log_requests=False)
        prefix = f"bench_{secrets.token_hex(4)}_"
        self.workers = Workers(folder / "cluster", build)
        self.workers.configure(settings | {
            "kafka.brokers": os.environ["ORBWEAVER_KAFKA"], "kafka.prefix": prefix,
            "hbase.hosts": [os.environ["ORBWEAVER_THRIFT"]], "hbase.table_prefix": prefix,
            "topics.partitions": PARTITIONS,
            "network.proxy": f"http://127.0.0.1:{self.web.port}", "network.allow_private": True,
            "politeness.delay": "0s",
            # So that within seconds pages are fetched no faster than their links are decided; with the defaults, some 400,000 requests
            # in the feed and in the unread log come first.
            "feed.max_backlog": 2000, "feed.low_lag": TARGET_LAG // 2, "feed.target_lag": TARGET_LAG,
            "spider.fetch.user_agent": "orbweaver/bench (+mailto:bench@example.com)",
            "db_worker.roles": ["enqueue", "dequeue"], "admin.token": "bench"})
        self.command("init")
        self.running = {role: self.workers.worker(role, 1) for role in PROGRAMS}
        for worker in self.running.values():
            worker.launch()
        for worker in self.running.values():
            worker.await_ready()
        self.command("seeds", "add", str(self.web.seeds))
        services = Instance(pathlib.Path(os.environ["ORBWEAVER_SERVICES_DIR"])).services
        self.pids = {**{role: worker.pid() for role, worker in self.running.items()},
                     **{name: service.pid() for name, service in services.items()}, "web": self.web.process.pid}

    def close(self):
        for worker in self.running.values():
            worker.stop(signal.SIGKILL)
        if self.web:
            self.web.close()

    def command(self, *words):
        done = self.workers.command(*words, capture_output=True)
        if done.returncode != 0:
            raise RuntimeError(f"{words}: {done.stderr}")
        return done.stdout

    def pages(self):
        answer = self.running["spider"].get("/metrics")
        return sum(float(value) for value in PAGES.findall(answer[1])) if answer else 0.0

    def status(self):
        return json.loads(self.command("status", "--json", "--interval", "100ms", "--domains", "1"))

    def committed(self, role):
        """How far the group of a role has read, all partitions together."""
        group = next(group for group in self.status()["groups"] if group["group"] == GROUPS[role])
        return sum(partition["committed"] for partition in group["partitions"])

    def await_more(self, what, look, than):
        deadline = time.monotonic() + PATIENCE_S
        while (found := look()) <= than:
            if time.monotonic() > deadline:
                raise RuntimeError(f"{what}: {found} after {PATIENCE_S} s")
            time.sleep(0.1)
        return found


class Groups:
    """Where the three groups stand at one moment."""

    def __init__(self, loop):
        groups = loop.status()["groups"]
        self.lag = {group["group"]: group["lag"] for group in groups}
        self.end = {group["group"]: sum(partition["end"] for partition in group["partitions"]) for group in groups}

    def fallen_behind(self, earlier):
        """Of each group that did not keep up since `earlier`, what it left unread and what came."""
        for group, lag in self.lag.items():
            grown, came = lag - earlier.lag[group], self.end[group] - earlier.end[group]
            if grown > STEADY * came and lag > PARTITIONS * TARGET_LAG:  # so many the spiders' group has when all is well
                yield f"the lag of {group} grew by {grown} messages while {came} came"


def measure(loop, report, seconds):
    """Says which groups fell behind in the second half: then so many pages a second would not last."""
    # Until all are warm: HBase's and Kafka's code is compiled by then.
    loop.await_more("warm up", loop.pages, 5000)
    began, pages, before = time.monotonic(), loop.pages(), {name: Use(pid) for name, pid in loop.pids.items()}
    lags, half_way = [], None
    while time.monotonic() - began < seconds:
        time.sleep(SAMPLE_S)
        answer = loop.running["db-worker"].get("/metrics")
        found = re.search(r"^orbweaver_feed_lag(?:\{[^}]*\})? (\S+)$", answer[1], re.MULTILINE) if answer else None
        if found:
            lags.append(float(found.group(1)))
        if half_way is None and time.monotonic() - began >= seconds / 2:
            half_way = Groups(loop)
    wall = time.monotonic() - began
    pages = loop.pages() - pages
    at_end = Groups(loop)
    used = {name: Use(pid).since(before[name]) for name, pid in loop.pids.items()}
    total = sum(use.cpu_s for use in used.values())
    report.row("cluster_loop", pages / wall, "pages/s", f"{total / wall:.2f} CPUs used by all, the web included", total, wall)
    for name, use in used.items():
        report.row(f"cpu_{name}", 1000 * use.cpu_s / pages, "CPU s/1000 pages", "of this process", use.cpu_s, wall)
    ours = sum(used[name].cpu_s for name in PROGRAMS)
    report.row("cpu_all_workers", 1000 * ours / pages, "CPU s/1000 pages", "spider, strategy worker and db worker", ours, wall)
    for name, use in used.items():
        report.row(f"written_{name}", use.written_kb / pages, "KB/page", "to disk, by this process", use.cpu_s, wall)
        report.row(f"wake_ups_{name}", use.wake_ups / wall, "wake-ups a second", "of this process's threads", use.cpu_s, wall)
    for group, lag in at_end.lag.items():
        report.row(f"lag_{group}", lag, "messages", f"at the end; {half_way.lag[group]} half-way")
    if lags:
        report.row("feed_lag_median", sorted(lags)[len(lags) // 2], "requests", "what db workers keep in the feed (feed.target_lag)")
    report_latency(loop, report)
    return list(at_end.fallen_behind(half_way))


def report_lag(loop, report, when):
    for group, lag in Groups(loop).lag.items():
        report.row(f"lag_{group}", lag, "messages", when)


def report_latency(loop, report):
    """From the moment that a request stands in the feed to the answer's."""
    def dump(topic, kind, last):
        lines = loop.command("log", "dump", topic, "--json", "--type", kind, "--last", str(last)).splitlines()
        return [json.loads(line) for line in lines]

    sent = {message["detail"]["url"]: message["time_ms"] for message in dump("spider-feed", "request", 20 * LATENCY_SAMPLE)}
    waits = sorted(message["detail"]["fetched_at_ms"] - sent[message["detail"]["url"]]
                   for message in dump("spider-log", "page_fetched", 20 * LATENCY_SAMPLE)
                   if message["detail"]["url"] in sent)
    if waits:
        report.row("feed_latency_median", waits[len(waits) // 2], "ms", "from feed to fetch; grows with feed.target_lag")
        report.row("feed_latency_p99", waits[len(waits) * 99 // 100], "ms", f"of {len(waits)} requests")


def recover(loop, report):
    for role, worker in loop.running.items():
        before = loop.committed(role)
        began = time.monotonic()
        worker.stop(signal.SIGKILL)
        worker.launch()
        worker.await_ready()
        ready = time.monotonic() - began
        loop.await_more(f"{role} reads on", lambda role=role: loop.committed(role), before)
        report.row(f"recover_{role}", time.monotonic() - began, "s", f"from kill -9 to its next commit; ready after {ready:.1f} s")
        loop.pids[role] = worker.pid()


def soak(loop, report, minutes):
    began, pages = time.monotonic(), loop.pages()
    end = began + 60 * minutes
    samples = []
    while time.monotonic() < end:
        samples.append({role: resident_mb(loop.pids[role]) for role in PROGRAMS})
        time.sleep(5)
    report.row("soak", (loop.pages() - pages) / (time.monotonic() - began), "pages/s", f"over {minutes} minutes")
    report_lag(loop, report, "at the end of the soak")
    for role in PROGRAMS:
        of = [sample[role] for sample in samples]
        report.row(f"memory_{role}", of[-1], "MB", f"{of[len(of) // 4]:.0f} MB after a quarter of {minutes} minutes, most {max(of):.0f} MB")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--hosts", type=int, default=1000)
    parser.add_argument("--pages", type=int, default=10000)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--soak", type=float, default=0, metavar="MINUTES")
    options = parser.parse_args()
    report = Report(options.build.resolve(), options.json, "cluster")
    folder = pathlib.Path(tempfile.mkdtemp(prefix="orbweaver-bench-"))
    loop = Loop()
    try:
        loop.start(options.build.resolve(), folder, options.hosts, options.pages, SMALL_CACHES if options.soak else {})
        behind = measure(loop, report, options.seconds)
        if options.soak:
            soak(loop, report, options.soak)
        recover(loop, report)
    except (RuntimeError, subprocess.SubprocessError, OSError) as failure:
        print(f"cluster: {failure}. The logs are in {folder}", file=sys.stderr)
        return 1
    finally:
        loop.close()
    shutil.rmtree(folder)
    for group in behind:
        print(f"cluster: not a steady rate: in the second half {group}", file=sys.stderr)
    return 1 if behind else 0


if __name__ == "__main__":
    sys.exit(main())
