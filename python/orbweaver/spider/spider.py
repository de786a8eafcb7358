"""A spider on Kafka: joins the spiders' group, gives requests in their turn, and keeps the rules of proto/README.md."""

from __future__ import annotations

import functools
import logging
import signal
import threading
import time
from typing import Any, Callable, Dict, Iterable, List, Optional, Tuple, Type

import confluent_kafka
from confluent_kafka import KafkaError, KafkaException, TopicPartition

from orbweaver.messages import HostFacts, SpiderLogEntry
from orbweaver.spider import outcome
from orbweaver.spider.commit_metadata import write_metadata
from orbweaver.spider.core import Commit, SpiderCore
from orbweaver.spider.options import SpiderOptions
from orbweaver.spider.request import FeedRequest
from orbweaver.urls import registered_domain

__all__ = ["Spider", "SpiderError"]

_LOG = logging.getLogger("orbweaver.spider")
_MOST_MESSAGES = 500
_LOOK_S = 0.02  # while requests are held
_WAIT_S = 0.2
_LATE_LOOK_S = 0.5
_RESTS_S = 0.05
_LAST_ACKS_S = 5.0
_MOST_CAUSE_BYTES = 1024
# The partitions are another's already, or about to be: the rebalance says so next.
_NOT_OURS = {KafkaError.ILLEGAL_GENERATION, KafkaError.UNKNOWN_MEMBER_ID, KafkaError.REBALANCE_IN_PROGRESS, KafkaError._ASSIGNMENT_LOST,
             KafkaError.FENCED_INSTANCE_ID, KafkaError._STATE}


class SpiderError(Exception):
    """The spider cannot go on. Nothing is lost: requests without a committed outcome go to another spider, or to the next start."""


class Spider:
    """
        with Spider("localhost:9092") as spider:
            for request in spider:
                answer = requests.get(request.url, timeout=30, allow_redirects=False)
                request.answered(answer.status_code, answer.headers, answer.content, links_of(answer))

    A thread of its own talks to Kafka from construction to close(). Several threads may iterate, each over iter(spider), and any
    may give outcomes. The end of iteration is stop(); close(), or the end of `with`, waits for requests in hand, hands back the others
    and leaves the group.
    """

    def __init__(self, brokers: str, prefix: str = "", options: Optional[SpiderOptions] = None, **more: Any) -> None:
        """`prefix` is the cluster's `kafka.prefix`. Options are those of SpiderOptions, as an object or by name."""
        if options is None:
            options = SpiderOptions(**more)
        elif more:
            raise TypeError(f"Spider: both `options` and {', '.join(more)}")
        self.options = options
        self._feed, self._log, self._dead_letters = (prefix + topic for topic in ("spider-feed", "spider-log", "dead-letter"))
        self._failure: Optional[BaseException] = None
        self._stopping = False
        self._drain_s = options.drain_timeout
        self._is_open = True
        self.core = SpiderCore(options, self._send, time.monotonic, time.time)
        self._was_let_in = False
        common = {"bootstrap.servers": brokers, "logger": _LOG, "error_cb": self._on_error, **options.kafka}
        self._producer = confluent_kafka.Producer({
            **common, "enable.idempotence": True, "partitioner": "murmur2_random", "compression.type": "lz4", "linger.ms": 5,
            # No entry is given up while the next is sent: the partition's log has a beginning of what was sent.
            "message.timeout.ms": 0})
        self._consumer = confluent_kafka.Consumer({
            **common, "group.id": f"{prefix}spiders", "enable.auto.commit": False, "enable.auto.offset.store": False,
            "auto.offset.reset": "error", "partition.assignment.strategy": "range", "session.timeout.ms": int(options.session_timeout * 1000),
            "max.poll.interval.ms": int(max(300.0, options.session_timeout, 3 * options.drain_timeout) * 1000)})
        self._commits = 0
        self._paused = False
        self._last_commit = self._last_look = 0.0
        self._thread = threading.Thread(target=self._run, name="orbweaver-spider", daemon=True)
        self._thread.start()

    def __enter__(self) -> "Spider":
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], failure: Any, trace: Any) -> None:
        # A request whose loop has failed gets no outcome: nothing is waited for.
        self.close(0.0 if kind is not None else None)

    def __iter__(self) -> "Spider":
        return self

    def __next__(self) -> FeedRequest:
        request = self.next()
        if request is None:
            raise StopIteration
        return request

    def next(self, timeout: Optional[float] = None) -> Optional[FeedRequest]:
        """Waits for a request whose turn has come. None after stop(), or when the time is over. SpiderError when the spider cannot
        go on."""
        until = None if timeout is None else time.monotonic() + timeout
        while not self._stopping:
            self._raise()
            with self.core.changed:
                request = self.core.start()
                if request is not None:
                    return request
                left = _WAIT_S if until is None else until - time.monotonic()
                if left <= 0:
                    return None
                self.core.wait(min(left, _WAIT_S))
        self._raise()
        return None

    def stop(self) -> None:
        """Iterators end. May be called by a signal handler, and again."""
        self._stopping = True

    def stop_on(self, *signals: int) -> None:
        """stop() with each of these signals, SIGTERM and SIGINT where none are named. From the main thread only."""
        for number in signals or (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: self.stop())

    def close(self, drain_timeout: Optional[float] = None) -> None:
        """Waits for outcomes of requests in hand, hands back the others, commits and leaves the group. SpiderError when that did not
        succeed, or the spider had failed before."""
        if drain_timeout is not None:
            self._drain_s = drain_timeout
        self.stop()
        self._thread.join()
        if self._is_open:
            self._is_open = False
            self._raise()

    def tell(self, domain: str, facts: HostFacts) -> None:
        """Facts about a host, as what its robots.txt asks for: Crawl-delay, sitemaps."""
        entry = SpiderLogEntry(domain=domain, time_ms=self.core.now_ms())
        entry.host_facts.CopyFrom(facts)
        self._send([entry], lambda: None)

    def seed(self, url: str) -> None:
        """A URL to start from. The frontier knows it already where it was named before."""
        domain = registered_domain(url)
        if domain is None or len(url.encode("utf-8", "replace")) > outcome.MOST_URL_BYTES:
            raise ValueError(f"seed {url[:200]!r}: expected a URL of http or https of at most {outcome.MOST_URL_BYTES} bytes")
        entry = SpiderLogEntry(domain=domain, time_ms=self.core.now_ms())
        entry.seeds.seeds.add(url=url)
        self._send([entry], lambda: None)

    def _raise(self) -> None:
        if self._failure is not None:
            if isinstance(self._failure, SpiderError):
                raise self._failure
            raise SpiderError(f"spider: {self._failure}") from self._failure

    # Sending, on any thread.

    def _send(self, entries: List[SpiderLogEntry], told: Callable[[], None]) -> None:
        for entry in entries:
            self._produce(self._log, entry.domain.encode(), entry.SerializeToString(), told)

    def _produce(self, topic: str, key: Optional[bytes], value: Optional[bytes], told: Callable[[], None], **more: Any) -> None:
        acked = functools.partial(self._acked, told)
        while True:
            try:
                return self._producer.produce(topic, value, key=key, on_delivery=acked, **more)
            except BufferError:  # the queue of librdkafka is full
                self._producer.poll(_LOOK_S)
                self._raise()
            except KafkaException as failure:
                self._fail(SpiderError(f"append to {topic}: {failure}"))
                return None

    def _acked(self, told: Callable[[], None], error: Any, message: Any) -> None:
        if error is None:
            told()
        else:
            self._fail(SpiderError(f"append to {message.topic()}: {error}"))

    def _fail(self, failure: BaseException) -> None:
        if self._failure is None:
            self._failure = failure
        with self.core.changed:
            self.core.changed.notify_all()
        self.core.on_change()

    # The thread.

    def _run(self) -> None:
        try:
            self._consumer.subscribe([self._feed], on_assign=self._on_assign, on_revoke=self._on_revoke, on_lost=self._on_lost)
            while not self._stopping and self._failure is None:
                self._step()
            if self._failure is None:
                self._drain(self.core.partitions(), self._drain_s)
                self._commit(self.core.commits(), is_last=True)
        except BaseException as failure:  # the caller's thread raises it
            self._fail(failure)
        finally:
            self._leave()

    def _leave(self) -> None:
        try:
            self._consumer.close()  # calls _on_revoke, which finds nothing left to do
        except BaseException as failure:
            self._fail(failure)
        # Of requests that are another's by now, and facts.
        left = self._producer.flush(_LAST_ACKS_S)
        if left and self._failure is None:
            self._fail(SpiderError(f"append to {self._log}: {left} entries were not acknowledged in {_LAST_ACKS_S:.0f} s. Their requests are fetched again"))
        with self.core.changed:
            self.core.changed.notify_all()
        self.core.on_change()

    def _step(self) -> None:
        room = self.core.room()
        self._pause(room == 0)
        is_idle = self.core.held() == 0
        # One that is waited for, then those that are there: a batch alone would be waited for until it is full.
        first = self._consumer.poll(_WAIT_S if is_idle else _LOOK_S)
        messages = [] if first is None else [first, *self._consumer.consume(min(room, _MOST_MESSAGES), 0)]
        for message in messages:
            self._read(message)
        self._producer.poll(0)
        if messages:
            self.core.on_change()
        now = time.monotonic()
        if now - self._last_look >= _LATE_LOOK_S:
            self._last_look = now
            self.core.look()
        wait = _RESTS_S if self.core.rests_to_commit() else self.options.commit_interval
        if now - self._last_commit >= wait:
            self._last_commit = now
            self._commit(self.core.commits())

    def _read(self, message: Any) -> None:
        error = message.error()
        if error is not None:
            if error.code() == KafkaError._AUTO_OFFSET_RESET:
                raise SpiderError(f"read {self._feed}: {error.str()}. Retention was faster; skip_lost=True goes on behind the gap")
            if error.fatal() or not (error.retriable() or error.code() in (KafkaError._ALL_BROKERS_DOWN, KafkaError._TRANSPORT,
                                                                         KafkaError._RESOLVE, KafkaError.UNKNOWN_TOPIC_OR_PART)):
                raise SpiderError(f"read {self._feed}: {error.str()}")
            _LOG.warning("read %s: %s. Tried again", self._feed, error.str())
            return
        cause = self.core.read(message.partition(), message.offset(), message.value() or b"", message.headers())
        if cause:
            self._bury(message, cause)

    def _bury(self, message: Any, cause: str) -> None:
        """Keeps what cannot be read in the topic of dead letters, with its origin."""
        _LOG.warning("%s %d:%d: %s", self._feed, message.partition(), message.offset(), cause)
        headers: List[Tuple[str, Any]] = [
            ("topic", self._feed), ("partition", str(message.partition())), ("offset", str(message.offset())),
            ("cause", cause[:_MOST_CAUSE_BYTES]), *(message.headers() or [])]
        told = functools.partial(self.core.skip, message.partition(), message.offset())
        self._produce(self._dead_letters, message.key(), message.value(), told, partition=0, headers=headers)

    def _pause(self, paused: bool) -> None:
        if paused == self._paused:
            return
        self._paused = paused
        assigned = self._consumer.assignment()
        if assigned:
            (self._consumer.pause if paused else self._consumer.resume)(assigned)

    def _commit(self, commits: List[Commit], is_last: bool = False) -> None:
        if not commits:
            return
        try:
            self._commit_now([TopicPartition(self._feed, one.partition, one.offset, metadata=one.metadata) for one in commits])
        except KafkaException as failure:
            error = failure.args[0]
            self.core.not_committed(commits)
            if error.fatal() or is_last and error.code() not in _NOT_OURS:
                raise SpiderError(f"commit {self._feed}: {error.str()}. Requests since the last commit are fetched again") from failure
            _LOG.warning("commit %s: %s. Requests that finished since the last commit may be fetched again", self._feed, error.str())
            return
        self.core.committed(commits)

    def _commit_now(self, offsets: List[Any]) -> None:
        for done in self._consumer.commit(offsets=offsets, asynchronous=False):
            if done.error is not None:
                raise KafkaException(done.error)

    # Called inside poll() and close().

    def _on_error(self, error: Any) -> None:
        """Ends a spider that Kafka refuses from the start. Of one that it has let in before, librdkafka tries again."""
        is_refusal = error.code() == KafkaError._AUTHENTICATION or "certificate verify failed" in error.str()
        if is_refusal and not self._was_let_in:
            self._fail(SpiderError(f"reach Kafka: {error.str()}. See the options `kafka`: sasl.username, sasl.password, ssl.ca.location"))

    def _on_assign(self, consumer: Any, partitions: List[Any]) -> None:
        self._was_let_in = True
        if not partitions:
            consumer.assign([])
            return
        timeout = self.options.bus_timeout
        fresh = []
        commits: Dict[int, Any] = {}
        for one in consumer.committed(partitions, timeout):
            if one.error is not None:
                raise KafkaException(one.error)
            low, high = consumer.get_watermark_offsets(TopicPartition(self._feed, one.partition), timeout)
            is_cut = 0 <= one.offset < low
            if is_cut and not self.options.skip_lost:
                raise SpiderError(f"read {self._feed} {one.partition}: retention has deleted offsets {one.offset} to {low - 1}, which no spider "
                                  "has read. Nobody will fetch their URLs; skip_lost=True goes on behind the gap")
            if one.offset > high:
                raise SpiderError(f"read {self._feed} {one.partition}: it ends at {high}, and the commit says {one.offset}. It was made anew")
            metadata = _metadata_of(one)
            position = max(one.offset, low) if one.offset >= 0 else low
            if one.offset != position:
                # The one who comes after a crash takes a partition with a commit for one whose domains were being asked a moment ago.
                fresh.append(TopicPartition(self._feed, one.partition, position, metadata=metadata or write_metadata(0, {}, 0.0)))
            commits[one.partition] = (position, metadata, one.offset >= 0)
        if fresh:
            self._commit_now(fresh)
        for number, (position, metadata, had_commit) in commits.items():
            self.core.assign(number, position, metadata, had_commit)
        consumer.assign([TopicPartition(self._feed, number, position) for number, (position, _, _) in commits.items()])
        self._paused = False
        _LOG.info("%s: partitions %s", self._feed, sorted(commits))

    def _on_revoke(self, consumer: Any, partitions: List[Any]) -> None:
        numbers = [one.partition for one in partitions]
        if self._failure is None:
            self._drain(numbers, self._drain_s)
            self._commit(self.core.commits(numbers))
        self.core.gone(numbers)
        consumer.unassign()
        self.core.on_change()

    def _on_lost(self, consumer: Any, partitions: List[Any]) -> None:
        _LOG.warning("%s: partitions %s are lost; what was in hand is fetched again", self._feed, [one.partition for one in partitions])
        self.core.gone(one.partition for one in partitions)
        consumer.unassign()
        self.core.on_change()

    def _drain(self, numbers: Iterable[int], timeout: float) -> None:
        """Hands back what waits, waits for what is in hand and for the log's acknowledgements, then hands back that too."""
        numbers = list(numbers)
        self.core.leave(numbers)
        for in_hand_too, most in ((False, timeout), (True, _LAST_ACKS_S)):
            if in_hand_too:
                self.core.leave(numbers, in_hand_too=True)
            until = time.monotonic() + most
            while not self.core.is_drained(numbers) and time.monotonic() < until and self._failure is None:
                self._producer.poll(_LOOK_S)


def _metadata_of(committed: Any) -> str:
    """Empty where there is none, or what stands behind it in memory is no text."""
    try:
        return committed.metadata or ""
    except UnicodeDecodeError:
        return ""
