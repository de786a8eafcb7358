#!/usr/bin/env python3
"""./run demo: a crawl of the synthetic web, and whether it was complete and polite.

Two programs are run: the web, which also keeps books of every request, and `orbweaver crawl`. Both end with this one, whatever ends it.
Exit code: 0 all was crawled, politely; 1 it was not, or a program failed; 130 stopped by Ctrl-C.
"""
import argparse
import contextlib
import ctypes
import json
import pathlib
import signal
import subprocess
import sys
import tempfile

PATIENCE_S = 60
PR_SET_PDEATHSIG = 1
DELAY_MS = 250

# So that faults which pass do so within the minute: on the real web the defaults are right.
IMPATIENT = {
    "politeness.back_off_first": "1s",
    "politeness.back_off_most": "2s",
    "spider.robots.retry_min": "1s",
    "spider.robots.retry_max": "1s",
    "spider.fetch.first_byte_timeout": "3s",
    "spider.fetch.slow_after": "2s",
    "strategy.params.retry_delay_s": "1",
}


def end_with_parent():
    """In a child, before its program: it ends when this process does, even by kill -9."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


def start(arguments, **more):
    # In a session of its own: a terminal's Ctrl-C comes here, and is passed on to the crawl alone.
    return subprocess.Popen([str(argument) for argument in arguments], start_new_session=True, preexec_fn=end_with_parent, **more)


class Web:
    """The synthetic web, from its readiness to what it says at its end."""

    def __init__(self, program, folder, hosts, pages):
        self.authority = folder / "authority.pem"
        self.most_pages = 1000 * (pages + 100)  # of a domain, retries counted: far above what it has
        self.seeds = folder / "seeds.txt"
        # One strategy is shown, which follows links: pages that only a sitemap names are not counted as reachable.
        options = ["--hosts", hosts, "--pages", pages, "--faults", "all", "--https-hosts", 0.1, "--calendar-days", 40, "--crawl-delay-ms", 400,
                   "--no-sitemaps", "--seeds", 10]
        with open(self.seeds, "wb") as seeds:
            subprocess.run([str(part) for part in (program, *options, "--print-seeds")], check=True, stdout=seeds)
        log = folder / "web.log"
        with open(log, "wb") as errors:
            self.process = start([program, *options, "--check", "--delay-ms", DELAY_MS, "--ca", self.authority], stdout=subprocess.PIPE,
                                 stderr=errors, text=True)
        ready = self.process.stdout.readline()
        if not ready:
            raise ChildProcessError(f"the synthetic web did not start: {log.read_text().strip()}")
        self.port = json.loads(ready)["port"]

    def report(self):
        self.process.terminate()
        out, _ = self.process.communicate(timeout=PATIENCE_S)
        return json.loads(out.splitlines()[-1])

    def close(self):
        self.process.kill()
        self.process.wait()


def crawl(program, web, folder, files, record):
    """Runs the crawl to its end; its exit code, and whether somebody stopped it."""
    arguments = [program, "crawl", "--seeds", web.seeds, "--everything", "--max-pages-per-domain", web.most_pages, "--data", folder / "crawl-data", "--proxy", f"http://127.0.0.1:{web.port}",
                 "--delay", f"{DELAY_MS}ms", "--user-agent", "orbweaver/demo (+mailto:you@example.com)",
                 f"--set=spider.fetch.authorities_file={web.authority}", "--set=network.allow_private=true"]
    arguments += [f"--set={name}={value}" for name, value in IMPATIENT.items()]
    if files is not None:
        arguments += ["--out", files]
    if record is not None:
        arguments += ["--record", record, "--explore", "5%"]
    process, stopped = None, False

    def pass_on(number=signal.SIGINT, _=None):
        nonlocal stopped
        stopped = True
        if process is not None:
            with contextlib.suppress(ProcessLookupError):
                process.send_signal(number)

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, pass_on)
    process = start(arguments)
    if stopped:  # before there was somebody to tell
        pass_on()
    return process.wait(), stopped


def verdict(report):
    """Prints what the web saw; whether all was crawled, politely."""
    check, politeness = report["check"], report["politeness"]
    breaches = {name: breach for name, breach in politeness["breaches"].items() if breach["count"]}
    expected = sum(check[part] if part == "crawled" else check[part]["count"] for part in ("crawled", "missing", "unfinished"))
    print("The crawl as the web saw it")
    print(f"  to be crawled      {expected:>9,} URLs: all that a polite crawler can reach from the seeds")
    print(f"  crawled            {check['crawled']:>9,}")
    for part, text in (("missing", "never asked for"), ("unfinished", "given up while they failed for a moment only"),
                       ("forbidden", "crawled against robots.txt"), ("unreachable", "crawled although nothing leads there")):
        print(f"  {part:<18} {check[part]['count']:>9,}   {text}")
    print(f"  requests           {politeness['requests']:>9,}   to {politeness['domains']:,} domains")
    least = politeness["least_domain_interval_ms"]
    if least is not None:
        print(f"  shortest pause     {least:>9.1f} ms between two requests to a domain; {DELAY_MS} ms were to be kept")
    print(f"  impolite           {sum(breach['count'] for breach in breaches.values()):>9,}   too soon, two at once, not as robots.txt or Retry-After ask")
    for examples in [finding["examples"] for finding in check.values() if isinstance(finding, dict)] + [b["examples"] for b in breaches.values()]:
        for example in examples:
            print(f"      {example}")
    good = check["equal"] and politeness["polite"]
    print("\n" + ("The crawl fetched exactly what could be reached, and politely." if good else "The crawl did not fetch what it should have fetched."))
    return good


def main():
    parser = argparse.ArgumentParser(prog="./run demo", description="Crawls a web of a thousand hosts, half of them with a fault, without any "
                                     "network, and compares what was crawled with what could be reached. About a minute.")
    parser.add_argument("--hosts", type=int, default=1000, help="of the web (%(default)s)")
    parser.add_argument("--pages", type=int, default=20, help="of each host (%(default)s)")
    parser.add_argument("--keep", type=pathlib.Path, metavar="DIR", help="keep the crawl's folder and its pages there, in place of deleting them")
    parser.add_argument("--record", type=pathlib.Path, metavar="DIR", help="record the crawl there, with a twentieth of it drawn by lot: docs/experiments.md")
    parser.add_argument("--programs", type=pathlib.Path, required=True, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.keep is not None and arguments.keep.exists():
        parser.error(f"--keep {arguments.keep}: it exists. Name a folder that is to be made")
    if arguments.record is not None and arguments.record.exists():
        parser.error(f"--record {arguments.record}: it exists. Name a folder that is to be made")

    with contextlib.ExitStack() as stack:
        folder = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="orbweaver-demo-")))
        print(f"A web of {arguments.hosts:,} hosts is made: servers that hang, fail, redirect in circles or ask for patience, and every kind of robots.txt.",
              flush=True)
        web = Web(arguments.programs / "tests/support/synthetic_web/orbweaver-synthetic-web", folder, arguments.hosts, arguments.pages)
        stack.callback(web.close)
        print(f"orbweaver crawls it, a request to a domain each {DELAY_MS} ms at most. Ctrl-C ends it.\n", flush=True)
        kept = arguments.keep
        if kept is not None:
            kept.mkdir(parents=True)
        code, stopped = crawl(arguments.programs / "cli/orbweaver", web, kept or folder, kept and kept / "pages", arguments.record)
        if stopped:
            print("Stopped before its end: there is nothing to compare.")
            return 130
        if code != 0:
            return 1
        good = verdict(web.report())
        if kept is not None:
            print(f"The crawl's folder is {kept / 'crawl-data'}, its pages are in {kept / 'pages'}.")
            print(f"To look at it in a browser: ./run orbweaver console --data {kept / 'crawl-data'}")
        else:
            print("Its console was at the address beside its time while it ran. To look at it afterwards: ./run demo --keep DIR")
        if arguments.record is not None:
            print(f"The crawl is recorded in {arguments.record}. What would another strategy have found? docs/experiments.md")
        return 0 if good else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
    except (OSError, subprocess.SubprocessError) as error:
        sys.exit(f"./run demo: {error}")
