"""When a request may start so that no site has a reason to complain, and which are handed back because that would be too late.

A registered domain has one request in hand at a time, and its delay passes from the end of one to the start of the next.
"""

from __future__ import annotations

import heapq
import zlib
from collections import deque
from typing import Callable, Deque, Dict, Generic, List, Optional, Tuple, TypeVar

from orbweaver.spider.options import SpiderOptions

Turn = TypeVar("Turn")
_FORGIVEN_AFTER_S = 1800.0
_JITTER = 0.1
_FORGET_AT = 4096


class _Domain(Generic[Turn]):
    __slots__ = ("back_offs", "backed_off_until", "delay", "name", "ready_at", "rest_until", "running", "waiting")

    def __init__(self, name: str) -> None:
        self.name = name
        self.waiting: Deque[Tuple[float, Turn]] = deque()  # with the time at which it is too late
        self.running = False
        self.delay = 0.0
        self.ready_at = 0.0  # by its delay alone
        self.rest_until = 0.0
        self.backed_off_until = 0.0
        self.back_offs = 0

    def may_start_at(self) -> float:
        return max(self.ready_at, self.rest_until)


class Turns(Generic[Turn]):
    """Times are arguments, of a clock that never goes back. Not thread-safe."""

    def __init__(self, options: SpiderOptions) -> None:
        self._options = options
        self._domains: Dict[str, _Domain[Turn]] = {}
        self._looks: List[Tuple[float, int, _Domain[Turn]]] = []  # a heap; an entry may be of a domain that has changed since
        self._next_look = 0
        self._forget_at = _FORGET_AT

    def add(self, name: str, delay: float, turn: Turn, now: float) -> Optional[float]:
        """The request waits for its turn: None. Or that would come too late: when it might have come, and nothing has changed."""
        domain = self._domain(name, now)
        domain.delay = max(delay, self._options.delay)
        at = self._start_of(domain, len(domain.waiting), now)
        if at > now + self._options.max_wait:
            return at
        domain.waiting.append((now + self._options.max_wait, turn))
        if len(domain.waiting) == 1 and not domain.running:
            self._look(domain, domain.may_start_at())
        return None

    def others_asked(self, name: str, delay: float, until: float, now: float) -> None:
        """Until then another spider may have asked the domain."""
        domain = self._domain(name, now)
        domain.ready_at = max(domain.ready_at, until + max(delay, self._options.delay))

    def start(self, now: float) -> Optional[Turn]:
        """The next request whose turn has come. Its domain is in hand until ended()."""
        while self._looks and self._looks[0][0] <= now:
            domain = heapq.heappop(self._looks)[2]
            if domain.running or not domain.waiting:
                continue
            at = domain.may_start_at()
            if at > now:
                self._look(domain, at)
                continue
            domain.running = True
            return domain.waiting.popleft()[1]
        return None

    def next_look(self) -> Optional[float]:
        """When start() may have something, if nothing else happens before."""
        return self._looks[0][0] if self._looks else None

    def ended(self, name: str, now: float) -> None:
        domain = self._domains.get(name)
        if domain is None:
            return
        domain.running = False
        domain.ready_at = now + domain.delay
        if domain.waiting:
            self._look(domain, domain.may_start_at())

    def rest(self, name: str, until: float, now: float) -> None:
        """The domain has asked to be left alone until then; a rest is never shortened."""
        domain = self._domain(name, now)
        domain.rest_until = max(domain.rest_until, until)

    def back_off(self, name: str, retry_after: Optional[float], now: float) -> float:
        """The domain has answered 429 or 503. Until when it rests."""
        options, domain = self._options, self._domain(name, now)
        if retry_after is not None:
            self.rest(name, now + min(max(retry_after, 0.0), options.back_off_most), now)
        elif now >= domain.backed_off_until:
            if now >= domain.rest_until + _FORGIVEN_AFTER_S:
                domain.back_offs = 0
            wait = min(options.back_off_first * 2.0 ** min(domain.back_offs, 60), options.back_off_most)
            # Drawn from the name, so that domains which failed together do not come back together.
            wait *= 1 + _JITTER * (zlib.crc32(f"{name} {domain.back_offs}".encode()) & 0xFFFF) / 0x10000
            domain.back_offs += 1
            domain.backed_off_until = now + wait
            self.rest(name, domain.backed_off_until, now)
        return domain.rest_until

    def rests_until(self, name: str) -> float:
        domain = self._domains.get(name)
        return domain.rest_until if domain else 0.0

    def take_late(self, name: str, now: float) -> List[Tuple[Turn, float]]:
        """Requests of the domain that cannot start in time any more, and when each might: it would have to wait too long."""
        domain = self._domains.get(name)
        if domain is None:
            return []
        late: List[Tuple[Turn, float]] = []
        kept: Deque[Tuple[float, Turn]] = deque()
        for deadline, turn in domain.waiting:
            at = self._start_of(domain, len(kept), now)
            if at > deadline:
                late.append((turn, self._start_of(domain, len(kept) + len(late), now)))
            else:
                kept.append((deadline, turn))
        domain.waiting = kept
        return late

    def drop(self, name: str, is_gone: Callable[[Turn], bool]) -> None:
        """Requests that wait no more."""
        domain = self._domains.get(name)
        if domain is not None:
            domain.waiting = deque(one for one in domain.waiting if not is_gone(one[1]))

    def names_of_late(self, now: float) -> List[str]:
        """Domains in which a request has waited longer than it may."""
        return [domain.name for domain in self._domains.values() if domain.waiting and domain.waiting[0][0] < now]

    def _start_of(self, domain: _Domain[Turn], position: int, now: float) -> float:
        """At best."""
        return max(now + domain.delay if domain.running else now, domain.may_start_at()) + position * domain.delay

    def _look(self, domain: _Domain[Turn], at: float) -> None:
        self._next_look += 1
        heapq.heappush(self._looks, (at, self._next_look, domain))

    def _domain(self, name: str, now: float) -> _Domain[Turn]:
        domain = self._domains.get(name)
        if domain is None:
            if len(self._domains) >= self._forget_at:
                self._forget(now)
            domain = self._domains[name] = _Domain(name)
        return domain

    def _forget(self, now: float) -> None:
        """A domain with nothing to wait for behaves as one that was never seen."""
        for name, domain in list(self._domains.items()):
            after = _FORGIVEN_AFTER_S if domain.back_offs else 0.0
            if not domain.waiting and not domain.running and domain.ready_at <= now and domain.rest_until + after <= now:
                del self._domains[name]
        self._forget_at = max(_FORGET_AT, 2 * len(self._domains))
