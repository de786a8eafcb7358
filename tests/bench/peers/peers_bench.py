#!/usr/bin/env python3
"""`./run bench peers`: other crawlers and this one over the same pages. Run by ./run bench.

  peers_bench.py BUILD [--json] [--seconds N] [--rounds N] [PEER...]

Each crawls the same synthetic web, whose server is the proxy of all of them: loopback only. They take turns, each for the same time
from its first page on. Pages are counted by the server's log, CPU time by the kernel; both after a first quarter of that time, which leaves
start-up and most of just-in-time compilation out.
"""

import argparse
import os
import pathlib
import signal
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
HERE = pathlib.Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path[:0] = [str(ROOT / "tests/e2e"), str(ROOT / "tests/bench")]
from peer_programs import PEERS, PeerMissing  # noqa: E402
from process_use import cpu_s  # noqa: E402
from report import Report  # noqa: E402
from synthetic_web import Web  # noqa: E402

AT_ONCE = 64  # fetches
PATIENCE_S = 600
US = "orbweaver"


class ServedPages:
    """How many answers the web's log tells of, those for robots.txt left out."""

    def __init__(self, log):
        self._log, self._count = open(log, "rb"), 0

    def count(self):
        for line in self._log:
            self._count += b"/robots.txt" not in line
        return self._count


def family_cpu_s(pid):
    """Of a process and its children that run."""
    children = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return cpu_s(pid) + sum(map(family_cpu_s, map(int, children)))


class Run:
    """One crawler's crawl of the web, begun anew; pages per CPU second of the last three quarters of its time."""

    def __init__(self, build, peer, seconds, folder):
        self.web = Web(build / "tests/support/synthetic_web/orbweaver-synthetic-web", folder, "--hosts", "1000", "--pages", "10000",
                       "--links", "60", "--hosts-file", str(folder / "hosts"))
        self.web.hosts_file = folder / "hosts"
        self.log = folder / "crawler.log"
        try:
            with open(self.log, "wb") as log:
                self.process = subprocess.Popen(PEERS[peer].command(build, self.web, folder, AT_ONCE), cwd=folder, stdin=subprocess.DEVNULL,
                                                stdout=log, stderr=log, start_new_session=True, env=PEERS[peer].environment())
        except BaseException:
            self.web.close()
            raise
        try:
            served = ServedPages(self.web.requests_file)
            self._await(lambda: served.count() > 0)
            began = time.monotonic()
            self._await(lambda: time.monotonic() > began + seconds / 4)
            first, before = served.count(), family_cpu_s(self.process.pid)
            self._await(lambda: time.monotonic() > began + seconds)
            self.pages, self.cpu_s = served.count(), family_cpu_s(self.process.pid) - before
            self.rate = (self.pages - first) / self.cpu_s
        finally:
            self._end()

    def _await(self, holds):
        deadline = time.monotonic() + PATIENCE_S
        while not holds():
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"exit code {self.process.returncode}: {self.log.read_text()[-2000:]}")
            time.sleep(0.01)

    def _end(self):
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self.web.close()


def main():
    parser = argparse.ArgumentParser(prog="./run bench peers")
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--seconds", type=int, default=30, help="of each crawler and round, from its first page on")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("peers", nargs="*", metavar="PEER", help=", ".join(PEERS))
    options = parser.parse_intermixed_args()
    if unknown := set(options.peers) - set(PEERS):
        parser.error(f"there is no peer {min(unknown)}")
    build = options.build.resolve()
    report = Report(build, options.json, "peers")
    runs, missing = {}, {}
    wanted = [US, *(peer for peer in options.peers or PEERS if peer != US)]
    with tempfile.TemporaryDirectory(prefix="orbweaver-peers-") as scratch:
        for round_number in range(options.rounds):
            for peer in wanted:
                if peer in missing:
                    continue
                folder = pathlib.Path(scratch) / f"{round_number}-{peer}"
                folder.mkdir()
                try:
                    runs.setdefault(peer, []).append(Run(build, peer, options.seconds, folder))
                except (PeerMissing, RuntimeError) as failure:
                    missing[peer] = str(failure)
    for peer in wanted:
        if peer in missing:
            print(f"peers: {PEERS[peer].title} did not run: {missing[peer]}", file=sys.stderr)
            continue
        cpu = sum(run.cpu_s for run in runs[peer])
        report.row(peer, statistics.median(run.rate for run in runs[peer]), "pages/cpu_s",
                   f"{PEERS[peer].title}; {sum(run.pages for run in runs[peer]):,} pages", cpu)
        if peer == US or US in missing:
            continue
        ratios = [ours.rate / theirs.rate for ours, theirs in zip(runs[US], runs[peer])]
        report.row(f"{US}_to_{peer}", statistics.median(ratios), "times the pages", f"{min(ratios):.1f} to {max(ratios):.1f} in pairs")
    sys.exit(1 if US in missing else 0)


if __name__ == "__main__":
    main()
