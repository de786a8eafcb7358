"""Where each request is, from the feed to the commit past it. Knows no Kafka and reads no clock but those it is given."""

from __future__ import annotations

import functools
import math
import threading
from collections import deque
from dataclasses import dataclass, field
from typing import Callable, Deque, Dict, Iterable, List, Optional, Tuple

from orbweaver import messages
from orbweaver.messages import DecodeError, DeferReason, SpiderFeedEntry, SpiderLogEntry, schema_refusal
from orbweaver.spider import outcome
from orbweaver.spider.commit_metadata import can_be_written, read_metadata, write_metadata
from orbweaver.spider.offset_tracker import OffsetTracker
from orbweaver.spider.options import SpiderOptions
from orbweaver.spider.request import FeedRequest
from orbweaver.spider.turns import Turns

# A larger one, of a newer schema with much in it, could not be copied into its outcome.
_MOST_ENTRY_BYTES = 48 << 10


@dataclass
class Commit:
    """The offset behind all that is finished, and what travels with it."""

    partition: int
    offset: int
    metadata: str


@dataclass
class _Partition:
    assignment: int
    tracker: OffsetTracker
    epoch: int  # of the last marker that was read
    committed: int
    committed_epoch: int  # at `committed`
    rests: Dict[str, float]
    # When another spider may still have asked its domains; None: nobody had it.
    others_until: Optional[float]
    markers: Deque[int] = field(default_factory=deque)  # read, and not committed past
    rests_to_commit: bool = False
    leaving: bool = False


# Appends entries to the spider log; told() is called once for each when it is acknowledged, on any thread.
Send = Callable[[List[SpiderLogEntry], Callable[[], None]], None]


class SpiderCore:
    """Requests wait for their turn, are in hand, have an outcome that is not acknowledged yet, or are finished.

    Every public method takes the lock; `changed` is notified when a request may have its turn, or is finished.
    """

    def __init__(self, options: SpiderOptions, send: Send, clock: Callable[[], float], wall: Callable[[], float]) -> None:
        self.options = options
        self._send = send
        self._clock = clock
        self._wall = wall
        self.changed = threading.Condition()
        # Called without the lock where `changed` is notified, for those who cannot wait for it.
        self.on_change: Callable[[], None] = lambda: None
        self._turns: Turns[FeedRequest] = Turns(options)
        self._partitions: Dict[int, _Partition] = {}
        self._next_assignment = 0
        self._waiting: Dict[FeedRequest, None] = {}
        self._in_hand: Dict[FeedRequest, None] = {}
        self._outbox: Deque[Tuple[FeedRequest, List[SpiderLogEntry]]] = deque()
        self._unacknowledged = 0  # requests
        self.old_epochs = 0
        self.handed_back = 0

    def now_ms(self) -> int:
        return int(self._wall() * 1000)

    # Partitions.

    def assign(self, partition: int, position: int, metadata: str, had_commit: bool) -> None:
        epoch, rests = read_metadata(metadata)
        with self.changed:
            self._next_assignment += 1
            self._partitions[partition] = _Partition(self._next_assignment, OffsetTracker(position), epoch, position, epoch, rests,
                                                     self._clock() if had_commit else None)

    def leave(self, partitions: Iterable[int], in_hand_too: bool = False) -> None:
        """Hands back what waits; with `in_hand_too` also that, whose later outcomes are not used."""
        with self.changed:
            leaving = {number for number in partitions if number in self._partitions}
            for number in leaving:
                self._partitions[number].leaving = True
            for request in self._take_waiting(leaving):
                self._hand_back(request, self._clock(), messages.DEFER_REASON_SHUTDOWN)
            if in_hand_too:
                for request in [one for one in self._in_hand if one.partition in leaving]:
                    # Its connection may be busy until then, and the site would be asked twice at once.
                    self._hand_back(request, self._clock() + self.options.fetch_timeout, messages.DEFER_REASON_SHUTDOWN)
        self._flush()

    def gone(self, partitions: Iterable[int]) -> None:
        """They are another spider's, with what is left of their requests."""
        with self.changed:
            numbers = set(partitions)
            self._take_waiting(numbers)
            for request in [one for one in self._in_hand if one.partition in numbers]:
                del self._in_hand[request]
                self._turns.ended(request.domain, self._clock())
            for number in numbers:
                self._partitions.pop(number, None)
            self.changed.notify_all()

    def _take_waiting(self, numbers: "set[int]") -> List[FeedRequest]:
        taken = [one for one in self._waiting if one.partition in numbers]
        for request in taken:
            del self._waiting[request]
        for name in {request.domain for request in taken}:
            self._turns.drop(name, lambda one: one.partition in numbers)
        return taken

    def partitions(self) -> List[int]:
        with self.changed:
            return list(self._partitions)

    # From the feed.

    def room(self) -> int:
        """How many messages may be read now; 0 until there is room for several."""
        with self.changed:
            uncommitted = sum(max(0, one.tracker.next - one.committed) for one in self._partitions.values())
            room = min(self.options.max_requests - self.held(), self.options.window - uncommitted)
            return 0 if room <= min(self.options.max_requests, self.options.window) // 8 else room

    def held(self) -> int:
        with self.changed:
            return len(self._waiting) + len(self._in_hand) + self._unacknowledged

    def read(self, partition: int, offset: int, value: bytes, headers: Optional[Iterable[Tuple[str, object]]]) -> Optional[str]:
        """A message of the feed, in the order of its partition. A text when it cannot be read: why. The caller keeps it elsewhere,
        and then calls skip()."""
        with self.changed:
            refused = self._read(partition, offset, value, headers)
        self._flush()
        return refused

    def _read(self, partition: int, offset: int, value: bytes, headers: Optional[Iterable[Tuple[str, object]]]) -> Optional[str]:
        known = self._partitions.get(partition)
        if known is None or offset < known.tracker.next:
            return None
        known.tracker.begin(offset)
        cause = schema_refusal(headers)
        if not cause and len(value) > _MOST_ENTRY_BYTES:
            cause = f"read feed entry: {len(value)} bytes, at most {_MOST_ENTRY_BYTES} are expected"
        entry = SpiderFeedEntry()
        if not cause:
            try:
                entry.ParseFromString(value)
                cause = _refusal(entry)
            except DecodeError as failure:
                cause = f"read feed entry: {failure}"
        if cause:
            return cause
        if entry.WhichOneof("entry") == "marker":
            known.epoch = offset
            known.markers.append(offset)
            known.tracker.finish(offset)
        elif entry.epoch < known.epoch:
            self.old_epochs += 1
            known.tracker.finish(offset)
        else:
            self._begin(FeedRequest(self, partition, known.assignment, offset, entry.request), known)
        return None

    def _begin(self, request: FeedRequest, partition: _Partition) -> None:
        now, name, delay = self._clock(), request.domain, request.message.delay_ms / 1000
        if partition.others_until is not None:
            self._turns.others_asked(name, delay, partition.others_until, now)
        rests = partition.rests.get(name)
        if rests is not None:
            self._turns.rest(name, now + max(0.0, rests - self._wall()), now)
        self._waiting[request] = None
        at = self._turns.add(name, delay, request, now)
        if partition.leaving:
            at = at or now
        if at is None:
            self.changed.notify()
        else:
            self._hand_back(request, at, self._reason(name))

    def skip(self, partition: int, offset: int) -> None:
        """The message that could not be read is kept elsewhere."""
        with self.changed:
            known = self._partitions.get(partition)
            if known is not None and offset < known.tracker.next:
                known.tracker.finish(offset)

    # In hand.

    def start(self) -> Optional[FeedRequest]:
        """A request whose turn has come, which is in hand from now on."""
        with self.changed:
            if self.options.concurrency and len(self._in_hand) >= self.options.concurrency:
                return None
            now = self._clock()
            request = self._turns.start(now)
            if request is None:
                return None
            del self._waiting[request]
            self._in_hand[request] = None
            request.began_ms = self.now_ms()
            request.deadline = now + self.options.fetch_timeout
            return request

    def next_look(self) -> float:
        """In how many seconds start() may have something, if nothing else happens before; not above 0: now."""
        with self.changed:
            look = self._turns.next_look()
            if look is None or self.options.concurrency and len(self._in_hand) >= self.options.concurrency:
                return math.inf
            return look - self._clock()

    def wait(self, most: float) -> None:
        """Until a request may have its turn, at most so many seconds."""
        with self.changed:
            most = min(most, self.next_look())
            if most > 0:
                self.changed.wait(most)

    def look(self) -> None:
        """Hands back what has waited or has been in hand too long; to be called every second or so."""
        with self.changed:
            now = self._clock()
            for name in self._turns.names_of_late(now):
                self._hand_back_late(name, now)
            for request in [one for one in self._in_hand if one.deadline < now]:
                self._hand_back(request, now + request.delay, messages.DEFER_REASON_UNSPECIFIED)
        self._flush()

    def _hand_back_late(self, name: str, now: float) -> None:
        for request, at in self._turns.take_late(name, now):
            self._hand_back(request, at, self._reason(name))

    def _reason(self, name: str) -> DeferReason:
        is_resting = self._turns.rests_until(name) > self._clock()
        return messages.DEFER_REASON_BACK_OFF if is_resting else messages.DEFER_REASON_POLITENESS

    def _hand_back(self, request: FeedRequest, at: float, reason: DeferReason) -> None:
        """With the lock held: the outcome of a request that waits, or that was in hand."""
        now_ms = self.now_ms()
        not_before_ms = now_ms + max(0, int((at - self._clock()) * 1000) + 1)
        self.handed_back += 1
        self._waiting.pop(request, None)
        if self._in_hand.pop(request, request) is None:
            self._turns.ended(request.domain, self._clock())
        self._append(request, outcome.deferred(request.message, not_before_ms, reason, now_ms))

    def finish(self, request: FeedRequest, entries: List[SpiderLogEntry], too_busy: bool = False, retry_after: Optional[float] = None) -> bool:
        """The request in hand has this outcome. False when it is not in hand."""
        with self.changed:
            if request not in self._in_hand:
                return False
            del self._in_hand[request]
            now = self._clock()
            self._turns.ended(request.domain, now)
            self._append(request, entries)
            if too_busy:
                self._rest(request, self._turns.back_off(request.domain, retry_after, now), now)
            self.changed.notify()
        self.on_change()
        self._flush()
        return True

    def _rest(self, request: FeedRequest, until: float, now: float) -> None:
        partition = self._partitions.get(request.partition)
        if partition is not None and until > now and can_be_written(request.domain):
            wall = self._wall() + until - now
            if wall > partition.rests.get(request.domain, 0.0):
                partition.rests[request.domain] = wall
                partition.rests_to_commit = True
        self._hand_back_late(request.domain, now)

    def _append(self, request: FeedRequest, entries: List[SpiderLogEntry]) -> None:
        request._pending = len(entries)
        self._unacknowledged += 1
        self._outbox.append((request, entries))

    def _flush(self) -> None:
        """Without the lock: sending may wait for acknowledgements, which take it."""
        while self._outbox:
            try:
                request, entries = self._outbox.popleft()
            except IndexError:  # another thread was faster
                return
            self._send(entries, functools.partial(self._acknowledged, request))

    def _acknowledged(self, request: FeedRequest) -> None:
        with self.changed:
            request._pending -= 1
            if request._pending > 0:
                return
            self._unacknowledged -= 1
            known = self._partitions.get(request.partition)
            if known is not None and known.assignment == request.assignment:
                known.tracker.finish(request.offset)

    def is_drained(self, partitions: Iterable[int]) -> bool:
        """Nothing of theirs waits or is in hand, and every outcome is acknowledged."""
        with self.changed:
            numbers = set(partitions)
            return not self._unacknowledged and not any(one.partition in numbers for held in (self._waiting, self._in_hand) for one in held)

    # Commits.

    def rests_to_commit(self) -> bool:
        with self.changed:
            return any(one.rests_to_commit for one in self._partitions.values())

    def commits(self, partitions: Optional[Iterable[int]] = None) -> List[Commit]:
        """Of the partitions for which there is something to commit."""
        with self.changed:
            due = []
            for number in self._partitions if partitions is None else partitions:
                one = self._partitions.get(number)
                if one is None:
                    continue
                offset = max(one.tracker.committable, one.committed)
                if offset == one.committed and not one.rests_to_commit:
                    continue
                # The epoch that holds at the offset, and not at the last message that was read: what stands between is read again.
                while one.markers and one.markers[0] < offset:
                    one.committed_epoch = one.markers.popleft()
                one.rests_to_commit = False
                due.append(Commit(number, offset, write_metadata(one.committed_epoch, one.rests, self._wall())))
            return due

    def committed(self, commits: Iterable[Commit]) -> None:
        with self.changed:
            for commit in commits:
                known = self._partitions.get(commit.partition)
                if known is not None:
                    known.committed = max(known.committed, commit.offset)

    def not_committed(self, commits: Iterable[Commit]) -> None:
        with self.changed:
            for commit in commits:
                known = self._partitions.get(commit.partition)
                if known is not None:
                    known.rests_to_commit = True


def _refusal(entry: SpiderFeedEntry) -> str:
    which = entry.WhichOneof("entry")
    if which is None:
        return "read feed entry: no entry that this spider knows"
    if which == "request":
        for name in ("url", "domain"):
            if not getattr(entry.request, name):
                return f"read feed entry: a request without {name}"
    return ""
