"""The frontier's politeness for everything that a Scrapy process asks of a site."""

from __future__ import annotations

import time
from collections import deque
from typing import Any, Callable, Deque, Dict, Optional, Tuple

from scrapy.utils.defer import maybe_deferred_to_future
from twisted.internet.defer import Deferred

from orbweaver.scrapy.call_later import call_later
from orbweaver.scrapy.settings import frontier_of
from orbweaver.urls import registered_domain

_FORGET_AT = 4096
# A page that the scheduler has given stands before robots.txt, and others, for less.
_KEPT_S = 600.0


class _Domain:
    __slots__ = ("delay", "ended_at", "known_at", "running", "waiting")

    def __init__(self, delay: float) -> None:
        self.delay = delay  # as the domain's last page of the frontier asks for
        self.running: Any = None  # the request that the downloader has
        self.ended_at = self.known_at = float("-inf")
        self.waiting: Deque[Tuple[Any, "Deferred[None]"]] = deque()


class DelayMiddleware:
    """One request to a registered domain at a time, and a delay after its end. Pages of the frontier come in their turn and wait for
    nothing here, except behind others: for robots.txt, for a page's follow-ups, of a media pipeline."""

    def __init__(self, delay: float, later: Callable[[float, Callable[[], None]], Any] = call_later,
                 clock: Callable[[], float] = time.monotonic) -> None:
        self._delay = delay
        self._later = later
        self._clock = clock
        self._domains: Dict[str, _Domain] = {}
        self._forget_at = _FORGET_AT

    @classmethod
    def from_crawler(cls, crawler: Any) -> "DelayMiddleware":
        return cls(frontier_of(crawler.settings)[2].delay)

    def know(self, name: str, delay: float) -> None:
        """The frontier asks for this delay: between robots.txt and the page already."""
        domain = self._domain(name)
        domain.delay = delay
        domain.known_at = self._clock()

    async def process_request(self, request: Any, spider: Any = None) -> None:
        name = registered_domain(request.url)
        if name is None:
            return
        domain = self._domain(name)
        turn: "Deferred[None]" = Deferred()
        domain.waiting.append((request, turn))
        self._start(domain)
        await maybe_deferred_to_future(turn)

    def process_response(self, request: Any, response: Any, spider: Any = None) -> Any:
        self._ended(request)
        return response

    def process_exception(self, request: Any, exception: BaseException, spider: Any = None) -> None:
        self._ended(request)

    def _ended(self, request: Any) -> None:
        domain = self._domains.get(registered_domain(request.url) or "")
        if domain is not None and domain.running is request:
            domain.running = None
            domain.ended_at = self._clock()
            self._start(domain)

    def _start(self, domain: _Domain) -> None:
        if domain.running is not None or not domain.waiting:
            return
        left = domain.ended_at + domain.delay - self._clock()
        if left > 0:
            self._later(left, lambda: self._start(domain))
            return
        domain.running, turn = domain.waiting.popleft()
        turn.callback(None)

    def _domain(self, name: str) -> _Domain:
        domain: Optional[_Domain] = self._domains.get(name)
        if domain is None:
            if len(self._domains) >= self._forget_at:
                now = self._clock()
                self._domains = {one: kept for one, kept in self._domains.items() if kept.running is not None or kept.waiting or
                                 max(kept.ended_at + kept.delay, kept.known_at + _KEPT_S) > now}
                self._forget_at = max(_FORGET_AT, 2 * len(self._domains))
            domain = self._domains[name] = _Domain(self._delay)
        return domain
