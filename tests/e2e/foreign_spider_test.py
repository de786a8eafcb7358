"""A spider in another language beside ours: python3 foreign_spider_test.py BUILD [--hosts N --pages N]

It knows nothing of Orbweaver but proto/: the generated classes, the names of topics and group, and the rules of proto/README.md.
"""

import html
import http.client
import importlib
import ipaddress
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

import confluent_kafka
from cluster_world import ROOT, World, main

SCHEMA = [("schema", b"orbweaver.v1")]  # of messages that name none, too
LINK = re.compile(rb'href="([^"]*)"')
MOST_LINKS = 1000


def generated_classes(folder):
    """The modules that protoc generates from proto/."""
    sources = sorted((ROOT / "proto/orbweaver/v1").glob("*.proto"))
    subprocess.run(["protoc", f"-I{ROOT / 'proto'}", f"--python_out={folder}", *sources], check=True)
    sys.path.insert(0, folder)
    return (importlib.import_module("orbweaver.v1.spider_feed_pb2"), importlib.import_module("orbweaver.v1.spider_log_pb2"))


def registered_domain(url):
    """As the synthetic web's names have it: an address, or the last two labels."""
    host = urllib.parse.urlsplit(url).hostname.encode("idna").decode()
    try:
        ipaddress.ip_address(host)
        return host
    except ValueError:
        return ".".join(host.split(".")[-2:])


class ForeignSpider(threading.Thread):
    """Fetches one page after the other, and commits each when the log has what came of it."""

    def __init__(self, brokers, prefix, proxy, classes):
        super().__init__()
        self.feed, self.log = classes
        self.prefix = prefix
        self.proxy = proxy
        self.consumer = confluent_kafka.Consumer({
            "bootstrap.servers": brokers, "group.id": f"{prefix}spiders", "enable.auto.commit": False,
            "auto.offset.reset": "earliest", "partition.assignment.strategy": "range", "session.timeout.ms": 60000})
        self.producer = confluent_kafka.Producer({
            "bootstrap.servers": brokers, "enable.idempotence": True, "partitioner": "murmur2_random"})
        self.epochs = {}
        self.robots = set()  # hosts whose robots.txt was asked for
        self.next_turn = {}  # of a domain
        self.fetched = 0
        self.failure = None
        self.has_joined = threading.Event()
        self.stop = threading.Event()

    def on_assign(self, consumer, partitions):
        fresh = [partition for partition in consumer.committed(partitions, 30) if partition.offset < 0]
        for partition in fresh:
            partition.offset, _ = consumer.get_watermark_offsets(partition, 30)
        if fresh:
            consumer.commit(offsets=fresh, asynchronous=False)
        self.has_joined.set()

    def run(self):
        try:
            self.consumer.subscribe([f"{self.prefix}spider-feed"], on_assign=self.on_assign)
            while not self.stop.is_set():
                message = self.consumer.poll(0.2)
                if message is not None:
                    self.take(message)
        except Exception as failure:  # the test's thread shows it
            self.failure = failure
        finally:
            self.consumer.close()

    def take(self, message):
        if message.error():
            raise RuntimeError(message.error())
        assert dict(message.headers() or SCHEMA)["schema"] == b"orbweaver.v1"
        entry = self.feed.SpiderFeedEntry.FromString(message.value())
        if entry.WhichOneof("entry") == "marker":
            self.epochs[message.partition()] = message.offset()
        elif entry.epoch >= self.epochs.get(message.partition(), -1):
            self.crawl(entry.request)
        self.consumer.commit(message=message, asynchronous=False)

    def crawl(self, request):
        began = time.time()
        status, headers, body = self.get(request)
        page = self.log.SpiderLogEntry(domain=request.domain, time_ms=int(time.time() * 1000))
        fetched = page.page_fetched
        fetched.request.CopyFrom(request)  # whole, with what these classes do not know
        fetched.final_url = request.url
        fetched.status = status
        fetched.fetched_at_ms = int(began * 1000)
        fetched.total_ms = int((time.time() - began) * 1000)
        fetched.received_bytes = fetched.body_bytes = len(body)
        fetched.content_type = headers.get("Content-Type", "")
        by_domain = {}
        for found in LINK.findall(body):
            url = urllib.parse.urljoin(request.url, html.unescape(found.decode()))
            if url.startswith(("http://", "https://")):
                by_domain.setdefault(registered_domain(url), []).append(url)
        entries = [page]
        for domain, urls in by_domain.items():
            for begin in range(0, len(urls), MOST_LINKS):
                entry = self.log.SpiderLogEntry(domain=domain, time_ms=page.time_ms)
                source = entry.links_found.source
                source.url, source.fingerprint, source.depth = request.url, request.fingerprint, request.depth
                source.score, source.link_count = request.score, sum(map(len, by_domain.values()))
                for url in urls[begin:begin + MOST_LINKS]:
                    entry.links_found.links.add(url=url)
                entries.append(entry)
        failures = []
        for entry in entries:
            self.producer.produce(f"{self.prefix}spider-log", entry.SerializeToString(), key=entry.domain, headers=SCHEMA,
                                  on_delivery=lambda error, _: failures.append(error) if error else None)
        if self.producer.flush(60) or failures:
            raise RuntimeError(f"not in the log: {failures}")
        self.fetched += 1

    def get(self, request):
        host = urllib.parse.urlsplit(request.url).netloc
        if host not in self.robots:
            self.robots.add(host)
            self.get_politely(f"http://{host}/robots.txt", request)
        return self.get_politely(request.url, request)

    def get_politely(self, url, request):
        time.sleep(max(0, self.next_turn.get(request.domain, 0) - time.monotonic()))
        connection = http.client.HTTPConnection(*self.proxy, timeout=60)
        try:
            connection.request("GET", url, headers={"Host": urllib.parse.urlsplit(url).netloc,
                                                    "User-Agent": "orbweaver-foreign/1.0 (+mailto:test@example.com)"})
            answer = connection.getresponse()
            return answer.status, dict(answer.getheaders()), answer.read()
        finally:
            connection.close()
            self.next_turn[request.domain] = time.monotonic() + request.delay_ms / 1000


class Foreign(World):
    def test_it_takes_its_share_of_the_crawl_which_completes(self):
        self.start("--robots-hosts", "0", counts=(1, 1, 1))
        with tempfile.TemporaryDirectory() as folder:
            spider = ForeignSpider(os.environ["ORBWEAVER_KAFKA"], self.prefix, ("127.0.0.1", self.web.port),
                                   generated_classes(folder))
        spider.start()
        self.addCleanup(spider.join)
        self.addCleanup(spider.stop.set)
        self.assertTrue(spider.has_joined.wait(120))
        self.seed()
        self.await_end()
        self.assertIsNone(spider.failure)
        self.assertGreater(spider.fetched, 0)
        self.assert_complete()


if __name__ == "__main__":
    main()
