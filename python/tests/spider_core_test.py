"""The spider's middle without Kafka: requests from the feed to the commit, on a clock of the test's."""
import package_environment  # noqa: F401

import http.client
import socket
import ssl
import unittest

from orbweaver.messages import (Deferred, DeferReason, FailureCause, Link, LinkKind, LinkRel, Request, SpiderFeedEntry, event)
from orbweaver.spider import outcome
from orbweaver.spider.core import SpiderCore
from orbweaver.spider.options import SpiderOptions
from orbweaver.spider.request import cause_of
from orbweaver.urls import fingerprint, registered_domain

WALL = 1_800_000_000.0


class Case(unittest.TestCase):
    def core(self, **options):
        self.now = 100.0
        self.sent = []  # (entries, told)
        return SpiderCore(SpiderOptions(**{"delay": 1.0, **options}), lambda entries, told: self.sent.append((entries, told)),
                          lambda: self.now, lambda: WALL + self.now - 100.0)

    def acknowledge(self):
        for entries, told in self.sent:
            for _ in entries:
                told()
        self.sent.clear()

    def outcomes(self):
        return [event(entries[0]) for entries, _ in self.sent]

    @staticmethod
    def request(url="http://a.example/1", delay_ms=0, epoch=0, **more):
        request = Request(url=url, domain=registered_domain(url), fingerprint=fingerprint(url), delay_ms=delay_ms, **more)
        return SpiderFeedEntry(epoch=epoch, request=request).SerializeToString()

    @staticmethod
    def marker():
        entry = SpiderFeedEntry()
        entry.marker.owner = "db"
        return entry.SerializeToString()


class FromFeedToCommit(Case):
    def setUp(self):
        self.spider = self.core()
        self.spider.assign(0, 10, "", False)

    def read(self, *values, first=10, partition=0):
        for offset, value in enumerate(values, first):
            self.assertIsNone(self.spider.read(partition, offset, value, None))

    def commit(self):
        commits = self.spider.commits()
        self.spider.committed(commits)
        return [(one.partition, one.offset, one.metadata) for one in commits]

    def test_nothing_is_committed_before_its_outcome_is_acknowledged(self):
        self.read(self.request())
        request = self.spider.start()
        self.assertEqual([], self.commit())
        self.assertTrue(request.answered(200, {}, b"page", ["http://b.example/", "http://a.example/2"]))
        self.assertEqual([], self.commit())
        (entries, told), = self.sent
        self.assertEqual(3, len(entries))
        told()
        told()
        self.assertEqual([], self.commit(), "an entry is missing")
        told()
        self.assertEqual([(0, 11, "0 ")], self.commit())
        self.assertEqual([], self.commit(), "nothing new")

    def test_a_request_has_one_outcome_and_only_while_it_is_in_hand(self):
        self.read(self.request())
        request = self.spider.start()
        self.assertTrue(request.failed(FailureCause.FAILURE_CAUSE_DNS))
        self.assertFalse(request.answered(200))
        self.assertEqual(1, len(self.sent))

    def test_requests_of_replaced_db_workers_are_passed_over(self):
        self.read(self.request("http://a.example/1"), self.marker(), self.request("http://b.example/2", epoch=10),
                  self.request("http://c.example/3", epoch=11))
        found = [self.spider.start(), self.spider.start(), self.spider.start()]
        self.assertEqual({"http://a.example/1", "http://c.example/3"}, {one.url for one in found if one})

    def test_a_commit_says_which_epoch_holds_at_its_offset(self):
        self.read(self.request("http://a.example/1"), self.marker(), self.request("http://b.example/2", epoch=11), self.marker())
        first = self.spider.start()
        second = self.spider.start()
        second.answered(200)
        self.acknowledge()
        self.assertEqual([], self.commit())
        first.answered(200)
        self.acknowledge()
        self.assertEqual([(0, 14, "13 ")], self.commit())

    def test_an_epoch_behind_the_commit_is_not_said(self):
        self.read(self.request("http://a.example/1"), self.request("http://b.example/1"), self.marker())
        self.spider.start().answered(200)
        self.acknowledge()
        self.assertEqual([(0, 11, "0 ")], self.commit())

    def test_the_epoch_of_the_commit_before_holds(self):
        self.spider.assign(0, 10, "9 ", True)
        self.read(self.request(epoch=8), self.request("http://b.example/1", epoch=9))
        self.now = 200.0
        self.assertEqual("http://b.example/1", self.spider.start().url)
        self.assertIsNone(self.spider.start())

    def test_what_cannot_be_read_is_told_and_committed_past_when_it_is_kept(self):
        for value, headers, cause in ((b"\xff nonsense", None, "read feed entry"), (self.request(), [("schema", b"orbweaver.v2")], "orbweaver.v2"),
                                      (b"", None, "no entry"), (SpiderFeedEntry(request=Request(url="http://a.example/")).SerializeToString(),
                                                                None, "without domain"), (b"\0" * 50_000, None, "bytes")):
            self.spider.assign(0, 10, "", False)
            self.assertIn(cause, self.spider.read(0, 10, value, headers))
            self.assertEqual([], self.commit())
            self.spider.skip(0, 10)
            self.assertEqual([(0, 11, "0 ")], self.commit())

    def test_a_partition_that_had_a_spider_waits_a_delay(self):
        self.spider.assign(1, 0, "0 ", True)
        self.read(self.request(delay_ms=3000), partition=1, first=0)
        self.assertIsNone(self.spider.start())
        self.now = 103.0
        self.assertIsNotNone(self.spider.start())

    def test_a_rest_is_committed_and_kept_by_the_next(self):
        self.read(self.request("http://a.example/1"), self.request("http://a.example/2"))
        self.spider.start().answered(429, [("Retry-After", "50")])
        name, failed = self.outcomes()[0]
        self.assertEqual(("fetch_failed", 429, 50_000), (name, failed.status, failed.retry_after_ms))
        self.assertTrue(self.spider.rests_to_commit())
        # The other one cannot wait for so long.
        name, deferred = self.outcomes()[1]
        self.assertEqual(("deferred", DeferReason.DEFER_REASON_BACK_OFF), (name, deferred.reason))
        self.assertGreaterEqual(deferred.not_before_ms, (WALL + 50) * 1000)
        metadata = f"0 {int(WALL) + 50} a.example "
        self.assertEqual([(0, 10, metadata)], self.commit())
        self.acknowledge()
        self.assertEqual([(0, 12, metadata)], self.commit())

        successor = self.core()
        successor.assign(0, 12, metadata, True)
        self.assertIsNone(successor.read(0, 12, self.request("http://a.example/3"), None))
        self.assertEqual(DeferReason.DEFER_REASON_BACK_OFF, self.outcomes()[0][1].reason)
        self.now = 149.0
        self.assertIsNone(successor.read(0, 13, self.request("http://a.example/4"), None))
        self.assertIsNone(successor.start())
        self.now = 150.1
        self.assertEqual("http://a.example/4", successor.start().url)

    def test_a_rest_that_could_not_be_committed_is_committed_again(self):
        self.read(self.request())
        self.spider.start().answered(503, [("Retry-After", "50")])
        self.spider.not_committed(self.spider.commits())
        self.assertEqual(1, len(self.commit()))

    def test_partitions_that_leave_hand_back_and_wait_for_those_in_hand(self):
        self.read(self.request("http://a.example/1"), self.request("http://a.example/2"), self.request("http://b.example/1"))
        self.spider.assign(1, 0, "", False)
        self.read(self.request("http://z.example/"), partition=1, first=0)
        in_hand = self.spider.start()
        self.spider.leave([0])
        self.assertEqual(["deferred", "deferred"], [name for name, _ in self.outcomes()])
        self.assertTrue(all(one.reason == DeferReason.DEFER_REASON_SHUTDOWN for _, one in self.outcomes()))
        self.assertEqual("http://z.example/", self.spider.start().url)
        self.assertIsNone(self.spider.start())
        self.acknowledge()
        self.assertFalse(self.spider.is_drained([0]))
        self.assertTrue(in_hand.answered(200))
        self.assertFalse(self.spider.is_drained([0]), "its outcome is not acknowledged")
        self.acknowledge()
        self.assertTrue(self.spider.is_drained([0]))
        self.assertEqual([(0, 13, "0 ")], self.commit())
        self.spider.gone([0])
        self.assertEqual([1], self.spider.partitions())

    def test_one_that_is_still_in_hand_at_the_end_is_handed_back_for_as_long_as_its_fetch_may_take(self):
        self.read(self.request())
        request = self.spider.start()
        self.spider.leave([0], in_hand_too=True)
        self.assertGreaterEqual(self.outcomes()[0][1].not_before_ms, (WALL + self.spider.options.fetch_timeout) * 1000)
        self.assertFalse(request.answered(200))

    def test_outcomes_of_partitions_that_are_gone_are_not_written(self):
        self.read(self.request("http://a.example/1"), self.request("http://a.example/2"))
        request = self.spider.start()
        self.spider.gone([0])
        self.assertFalse(request.answered(200))
        self.assertEqual([], self.sent)
        self.now = 200.0
        self.assertIsNone(self.spider.start())
        # It comes back: the same offsets are requests of another assignment.
        self.spider.assign(0, 10, "", False)
        self.read(self.request("http://c.example/1"))
        self.assertEqual("http://c.example/1", self.spider.start().url)

    def test_a_late_acknowledgement_finishes_nothing_of_another_assignment(self):
        self.read(self.request())
        self.spider.start().answered(200)
        self.spider.gone([0])
        self.spider.assign(0, 10, "", False)
        self.read(self.request())
        self.acknowledge()
        self.assertEqual([], self.commit())

    def test_a_request_that_nobody_ends_is_handed_back_in_time(self):
        self.read(self.request())
        request = self.spider.start()
        self.now += self.spider.options.fetch_timeout + 1
        self.spider.look()
        self.assertEqual("deferred", self.outcomes()[0][0])
        self.assertFalse(request.answered(200))

    def test_what_waits_too_long_behind_a_slow_one_is_handed_back(self):
        self.read(self.request("http://a.example/1"), self.request("http://a.example/2"))
        self.spider.start()
        self.now += self.spider.options.max_wait + 1
        self.spider.look()
        self.assertEqual([DeferReason.DEFER_REASON_POLITENESS], [one.reason for _, one in self.outcomes()])

    def test_room_is_bounded_by_requests_and_by_the_window(self):
        spider = self.spider = self.core(max_requests=100, window=150)
        spider.assign(0, 0, "", False)
        self.assertEqual(100, spider.room())
        self.read(*(self.request(f"http://d{number}.example/") for number in range(90)), first=0)
        self.assertEqual(0, spider.room(), "too little for a batch")
        held = [spider.start() for _ in range(90)]
        for request in held[1:]:
            request.answered(200)
        self.acknowledge()
        self.assertEqual(60, spider.room(), "the window, of which 90 are uncommitted")
        held[0].answered(200)
        self.acknowledge()
        self.commit()
        self.assertEqual(100, spider.room())

    def test_no_more_are_in_hand_than_wanted(self):
        spider = self.spider = self.core(concurrency=2)
        spider.assign(0, 0, "", False)
        self.read(*(self.request(f"http://d{number}.example/") for number in range(3)), first=0)
        first, _ = spider.start(), spider.start()
        self.assertIsNone(spider.start())
        first.hand_back(5.0)
        self.assertIsNotNone(spider.start())
        self.assertEqual(int((WALL + 5) * 1000), self.outcomes()[0][1].not_before_ms)


class Outcomes(Case):
    REQUEST = Request(url="http://a.example/1", domain="a.example", fingerprint=b"f" * 16, depth=3, score=0.5, etag="old",
                      meta={"k": b"\xff"})

    def answered(self, status, headers=(), body=b"", links=(), **fields):
        return outcome.answered(self.REQUEST, status, headers, body, links, 1000, 1500, fields)

    def test_a_page_and_its_links(self):
        links = ["http://a.example/2", Link(url="http://www.b.example/", anchor="b", rel=LinkRel.LINK_REL_NOFOLLOW), "mailto:a@b.example",
                 "http://b.example/" + "x" * 2048, "http://c.b.example/"]
        entries = self.answered(200, {"Content-Type": "Text/HTML; charset=x", "ETag": "new"}, b"body", links, title="T", language="en")
        page = entries[0].page_fetched
        self.assertEqual(self.REQUEST, page.request)
        self.assertEqual(("text/html", "new", "T", "en", 4, fingerprint(b"body"), 1000, 500, 1, 2, 200),
                         (page.content_type, page.etag, page.title, page.language, page.body_bytes, page.content_hash, page.fetched_at_ms,
                          page.total_ms, page.links_inside, page.links_outside, page.status))
        self.assertEqual(["a.example", "a.example", "b.example"], [entry.domain for entry in entries])
        found = entries[2].links_found
        self.assertEqual(["http://www.b.example/", "http://c.b.example/"], [link.url for link in found.links])
        self.assertEqual((3, 0.5, 3, b"f" * 16, {"k": b"\xff"}), (found.source.depth, found.source.score, found.source.link_count,
                                                                 found.source.fingerprint, dict(found.source.meta)))
        self.assertTrue(all(entry.time_ms == 1500 for entry in entries))

    def test_unknown_fields_of_the_request_come_back(self):
        raw = self.REQUEST.SerializeToString() + b"\xaa\x3f\x03new"  # field 1013
        request = Request.FromString(raw)
        entry, = outcome.failed(request, FailureCause.FAILURE_CAUSE_DNS, "", 0, 0)
        self.assertIn(b"\xaa\x3f\x03new", entry.SerializeToString())

    def test_long_lists_of_links_are_split_by_number_and_by_bytes(self):
        counts = [len(entry.links_found.links) for entry in self.answered(200, links=[f"http://b.example/{n}" for n in range(2500)])[1:]]
        self.assertEqual([1000, 1000, 500], counts)
        entries = self.answered(200, links=[f"http://b.example/{n}/{'x' * 1900}" for n in range(900)])[1:]
        self.assertEqual(900, sum(len(entry.links_found.links) for entry in entries))
        self.assertLess(max(entry.ByteSize() for entry in entries), 900_000)

    def test_a_redirect_is_a_link(self):
        entries = self.answered(302, [("Location", "/there")], b"body", ["http://c.example/"])
        self.assertEqual((302, 0, 1), (entries[0].page_fetched.status, entries[0].page_fetched.body_bytes, entries[0].page_fetched.links_inside))
        link, = entries[1].links_found.links
        self.assertEqual(("http://a.example/there", LinkKind.LINK_KIND_REDIRECT), (link.url, link.kind))
        for headers in ((), [("Location", "mailto:a@b")], [("Location", "http://[")]):
            self.assertEqual(FailureCause.FAILURE_CAUSE_REDIRECT, self.answered(301, headers)[0].fetch_failed.cause)

    def test_failures_by_status(self):
        for status, cause in ((404, FailureCause.FAILURE_CAUSE_HTTP_4XX), (503, FailureCause.FAILURE_CAUSE_HTTP_5XX), (199, FailureCause.FAILURE_CAUSE_HTTP_OTHER),
                              (999, FailureCause.FAILURE_CAUSE_HTTP_OTHER), (306, FailureCause.FAILURE_CAUSE_HTTP_OTHER)):
            failed = self.answered(status)[0].fetch_failed
            self.assertEqual((cause, status), (failed.cause, failed.status))
            self.assertFalse(failed.HasField("retry_after_ms"))

    def test_a_page_that_has_not_changed_keeps_its_validators(self):
        page = self.answered(304)[0].page_fetched
        self.assertEqual((True, "old"), (page.not_modified, page.etag))

    def test_texts_keep_to_the_bounds_of_the_messages(self):
        page = self.answered(200, {"ETag": "e" * 600, "Content-Type": "x" * 300}, title="ü" * 2000, canonical_url="http://a.example/" + "x" * 3000,
                             final_url=self.REQUEST.url)[0].page_fetched
        self.assertEqual((0, 256, 1024, "", ""), (len(page.etag), len(page.content_type), len(page.title.encode()), page.canonical_url, page.final_url))
        self.assertEqual(1024, len(outcome.failed(self.REQUEST, FailureCause.FAILURE_CAUSE_DNS, "m" * 5000, 0, 0)[0].fetch_failed.message))

    def test_retry_after_is_seconds_or_a_date(self):
        self.assertEqual(120.0, outcome.retry_after_of(" 120 "))
        self.assertEqual(60.0, outcome.retry_after_of("Thu, 01 Jan 1970 00:01:01 GMT", 1000))
        self.assertEqual(0.0, outcome.retry_after_of("Thu, 01 Jan 1970 00:00:00 GMT", 1000))
        for nothing in (None, "", "soon", "-5", "1.5", "٣"):
            self.assertIsNone(outcome.retry_after_of(nothing), nothing)

    def test_deferred_is_not_before_a_time(self):
        entry, = outcome.deferred(self.REQUEST, 7, DeferReason.DEFER_REASON_BACK_OFF, 5)
        self.assertEqual(Deferred(request=self.REQUEST, not_before_ms=7, reason=DeferReason.DEFER_REASON_BACK_OFF), entry.deferred)


class Causes(unittest.TestCase):
    def test_exceptions_are_causes_whatever_wraps_them(self):
        wrapped = RuntimeError("of a library")
        wrapped.__cause__ = ConnectionRefusedError()
        class ReadTimeout(Exception):
            pass
        for failure, cause in ((socket.gaierror(socket.EAI_NONAME, ""), FailureCause.FAILURE_CAUSE_DNS),
                               (socket.gaierror(socket.EAI_AGAIN, ""), FailureCause.FAILURE_CAUSE_DNS_TEMPORARY),
                               (wrapped, FailureCause.FAILURE_CAUSE_REFUSED), (RuntimeError(ConnectionResetError()), FailureCause.FAILURE_CAUSE_RESET),
                               (TimeoutError(), FailureCause.FAILURE_CAUSE_TIMEOUT_TOTAL), (ReadTimeout(), FailureCause.FAILURE_CAUSE_TIMEOUT_TOTAL),
                               (ssl.SSLCertVerificationError(), FailureCause.FAILURE_CAUSE_TLS_CERTIFICATE), (ssl.SSLError(), FailureCause.FAILURE_CAUSE_TLS),
                               (http.client.BadStatusLine("x"), FailureCause.FAILURE_CAUSE_PROTOCOL), (OSError(), FailureCause.FAILURE_CAUSE_UNREACHABLE),
                               (ValueError(), FailureCause.FAILURE_CAUSE_UNSPECIFIED)):
            self.assertEqual(cause, cause_of(failure), repr(failure))


if __name__ == "__main__":
    unittest.main()
