"""The Python package's figures: python_bench.py BUILD [--json] [--requests N]

`spider_loop` needs Kafka (ORBWEAVER_KAFKA). Rows are those of bench.cc, with their ratio to the yardstick right before and after.
"""

import argparse
import os
import pathlib
import secrets
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "python/tests"), str(ROOT / "tests/bench")]
import package_environment  # noqa: E402, F401

import confluent_kafka  # noqa: E402
from confluent_kafka.admin import AdminClient, NewTopic  # noqa: E402
from report import Report  # noqa: E402

from orbweaver.messages import Request, SpiderFeedEntry  # noqa: E402
from orbweaver.recording import Recording  # noqa: E402
from orbweaver.spider import Spider  # noqa: E402
from orbweaver.spider_check.group_commits import GroupCommits  # noqa: E402

PARTITIONS = 8
LEAST_CPU_S = 3


def spider_loop(report, count):
    """Requests through the iterator to the commit, each answered at once, without links."""
    brokers, prefix = os.environ["ORBWEAVER_KAFKA"], f"python_bench_{secrets.token_hex(4)}_"
    admin = AdminClient({"bootstrap.servers": brokers})
    topics = [prefix + name for name in ("spider-feed", "spider-log", "dead-letter")]
    for future in admin.create_topics([NewTopic(topic, PARTITIONS) for topic in topics]).values():
        future.result(30)
    producer = confluent_kafka.Producer({"bootstrap.servers": brokers, "partitioner": "murmur2_random", "queue.buffering.max.messages": count + 1})
    for number in range(count):
        domain = f"site{number % 5000}.example"
        request = Request(url=f"http://{domain}/section/page-{number}.html", domain=domain, fingerprint=number.to_bytes(16, "big"), depth=3,
                          score=0.5, band=2, seq=number, meta={"kind": b"article"})
        producer.produce(topics[0], SpiderFeedEntry(request=request).SerializeToString(), key=domain)
    producer.flush(120)
    try:
        with Spider(brokers, prefix, delay=0, commit_interval=0.5) as spider:
            done, cpu, wall = 0, time.process_time(), time.monotonic()
            for request in spider:
                request.answered(200, {"Content-Type": "text/html"}, b"<title>A page</title>")
                done += 1
                if done == count:
                    break
        cpu, wall = time.process_time() - cpu, time.monotonic() - wall
        with GroupCommits(brokers, f"{prefix}spiders") as group:
            committed = sum(one.offset for one in group.read(topics[0], range(PARTITIONS)).values())
        if committed != count:
            raise RuntimeError(f"{committed} of {count} requests were committed")
        report.row("spider_loop", count / cpu, "requests/cpu_s", "CPU: Python", cpu, wall)
    finally:
        for future in admin.delete_topics(topics).values():
            future.result(30)


def recordings(report, build):
    """A recording of the demo's web, read again and again; MB are those of the raw log."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, ROOT / "deploy/local/demo.py", "--programs", build, "--hosts", "100", "--record", f"{folder}/rec"],
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        recording = Recording(f"{folder}/rec")
        raw_mb = sum(file.raw_bytes for file in recording.files("spider-log")) / 1e6
        recording.table("spider-log")  # what is loaded once is not counted
        for name, read in (("recording_table", lambda: recording.table("spider-log")),
                           ("recording_records", lambda: sum(1 for _ in recording.records("spider-log")))):
            times, cpu, wall = 0, time.process_time(), time.monotonic()
            while time.process_time() - cpu < LEAST_CPU_S:
                read()
                times += 1
            cpu, wall = time.process_time() - cpu, time.monotonic() - wall
            report.row(name, times * raw_mb / cpu, "MB/cpu_s", "CPU: Parquet" if name == "recording_table" else "CPU: Python", cpu, wall)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--requests", type=int, default=50_000)
    options = parser.parse_args()
    report = Report(options.build.resolve(), options.json, "python")
    recordings(report, options.build.resolve())
    spider_loop(report, options.requests)


if __name__ == "__main__":
    main()
