"""A spider for the conformance kit, good or broken on purpose: python3 checked_spider.py [FAULT]"""
import package_environment  # noqa: F401

import concurrent.futures
import html
import http.client
import os
import re
import signal
import sys
import time
import urllib.parse

import orbweaver.spider.core
import orbweaver.spider.spider
from orbweaver.spider import Spider, outcome
from orbweaver.spider.core import SpiderCore
from orbweaver.spider.turns import Turns

LINK = re.compile(rb'href="([^"]*)"')
OPTIONS = {"delay": 0, "session_timeout": 6, "commit_interval": 0.2}


def no_first_commit():
    OPTIONS["commit_interval"] = 3
    commit = Spider._commit_now
    assign = Spider._on_assign

    def late(self, consumer, partitions):
        Spider._commit_now = lambda self, offsets: None
        assign(self, consumer, partitions)
        Spider._commit_now = commit
        self._last_commit = time.monotonic()
    Spider._on_assign = late


def no_dead_letters():
    Spider._bury = lambda self, message, cause: self.core.skip(message.partition(), message.offset())


def no_epochs():
    read = SpiderCore._read

    def forgetful(self, partition, *message):
        if partition in self._partitions:
            self._partitions[partition].epoch = 0
        return read(self, partition, *message)
    SpiderCore._read = forgetful


def no_delay():
    ended = Turns.ended

    def hasty(self, name, now):
        if name in self._domains:
            self._domains[name].delay = 0
        ended(self, name, now)
    Turns.ended = hasty


def no_patience_after_a_take_over():
    Turns.others_asked = lambda self, name, delay, until, now: None


def no_rest():
    Turns.back_off = lambda self, name, retry_after, now: now


def no_committed_rest():
    write = orbweaver.spider.core.write_metadata
    orbweaver.spider.core.write_metadata = lambda epoch, rests, now: write(epoch, {}, now)


def no_rest_of_others():
    rest = orbweaver.spider.core.read_metadata
    orbweaver.spider.core.read_metadata = lambda metadata: (rest(metadata)[0], {})


def no_hand_back():
    OPTIONS["max_wait"] = 1e6


def two_outcomes():
    send = Spider._send
    Spider._send = lambda self, entries, told: send(self, [*entries, entries[0]], told)


def known_fields_only():
    send = Spider._send

    def forgetful(self, entries, told):
        for entry in entries:
            if entry.WhichOneof("event") == "page_fetched":
                entry.page_fetched.request.DiscardUnknownFields()
        send(self, entries, told)
    Spider._send = forgetful


def links_in_one():
    outcome.MOST_LINKS = 10 ** 6


def links_by_page():
    found = outcome._links_found
    outcome._links_found = lambda request, by_domain, count, now: found(request, {request.domain: [link for some in by_domain.values() for link in some]}, count, now)


def committed_when_read():
    begin = SpiderCore._begin

    def early(self, request, partition):
        begin(self, request, partition)
        partition.tracker.finish(request.offset)
    SpiderCore._begin = early
    SpiderCore._acknowledged = lambda self, request: setattr(self, "_unacknowledged", self._unacknowledged - 1)


def deaf_to_refusals():
    Spider._acked = lambda self, told, error, message: told()


def no_metadata():
    orbweaver.spider.core.write_metadata = orbweaver.spider.spider.write_metadata = lambda epoch, rests, now: ""


def epoch_of_the_last_read():
    commits = SpiderCore.commits

    def wrong(self, partitions=None):
        for one in self._partitions.values():
            one.committed_epoch = one.epoch + 1
            one.markers.clear()
        return commits(self, partitions)
    SpiderCore.commits = wrong


def no_drain():
    Spider.stop_on = lambda self: signal.signal(signal.SIGTERM, lambda *_: os._exit(0))


# Fault -> the rule that it breaks.
FAULTS = {
    no_first_commit: "first-commit", no_dead_letters: "dead-letter", no_epochs: "epoch", no_delay: "delay",
    no_patience_after_a_take_over: "delay", no_rest: "rest", no_committed_rest: "metadata", no_rest_of_others: "rest", no_hand_back: "hand-back",
    two_outcomes: "outcome", known_fields_only: "outcome", links_in_one: "links", links_by_page: "links", committed_when_read: "acked",
    deaf_to_refusals: "acked", no_metadata: "metadata", epoch_of_the_last_read: "metadata", no_drain: "drain",
}


def fetch(request):
    parts = urllib.parse.urlsplit(request.url)
    connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=30)
    try:
        connection.request("GET", parts.path)
        answer = connection.getresponse()
        status, headers, body = answer.status, answer.getheaders(), answer.read()
    except (OSError, http.client.HTTPException) as failure:
        request.failed(failure)
        return
    finally:
        connection.close()
    request.answered(status, headers, body, [urllib.parse.urljoin(request.url, html.unescape(found.decode())) for found in LINK.findall(body)])


if __name__ == "__main__":
    for fault in FAULTS:
        if fault.__name__ in sys.argv[1:]:
            fault()
    with concurrent.futures.ThreadPoolExecutor(30) as pool, Spider(os.environ["ORBWEAVER_KAFKA"], os.environ["ORBWEAVER_PREFIX"], **OPTIONS) as spider:
        spider.stop_on()
        for request in spider:
            pool.submit(fetch, request)
