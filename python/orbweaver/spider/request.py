"""A request in hand: the page to fetch, and the ways to say what became of it."""

from __future__ import annotations

import socket
import ssl
from typing import TYPE_CHECKING, Any, Dict, Optional, Union

from orbweaver import messages
from orbweaver.messages import DeferReason, FailureCause, Request
from orbweaver.spider import outcome

if TYPE_CHECKING:
    from orbweaver.spider.core import SpiderCore

_TOO_BUSY = (429, 503)


class FeedRequest:
    """Comes from the spider's iterator when its turn has come, and wants exactly one of answered(), failed() and hand_back().

    These say True; or False when the request is not this spider's any more, or has an outcome already: nothing is written then.
    Any thread may call them.
    """

    __slots__ = ("_core", "_partition", "_pending", "assignment", "began_ms", "deadline", "message", "offset")

    def __init__(self, core: "SpiderCore", partition: int, assignment: int, offset: int, message: Request) -> None:
        self._core = core
        self._partition = partition
        self._pending = 0  # entries that the spider log has not acknowledged
        self.assignment = assignment
        self.offset = offset
        self.began_ms = 0
        self.deadline = 0.0
        # As it stands in the feed.
        self.message = message

    @property
    def url(self) -> str:
        return self.message.url

    @property
    def domain(self) -> str:
        return self.message.domain

    @property
    def depth(self) -> int:
        return self.message.depth

    @property
    def delay(self) -> float:
        """Seconds to leave between two requests to this domain, should this one need several: robots.txt, a redirect that is
        followed. Between requests of the feed the iterator keeps it."""
        return max(self.message.delay_ms / 1000, self._core.options.delay)

    @property
    def partition(self) -> int:
        return self._partition

    @property
    def conditions(self) -> Dict[str, str]:
        """The headers that ask whether the page has changed since its last fetch; empty for a first one."""
        headers = {"If-None-Match": self.message.etag, "If-Modified-Since": self.message.last_modified}
        return {name: value for name, value in headers.items() if value}

    def answered(self, status: int, headers: outcome.Headers = (), body: bytes = b"", links: outcome.Links = (), **fields: Any) -> bool:
        """An answer of HTTP came, of any status. A page's `links` are absolute URLs, or messages.Link. `fields` are others of
        messages.PageFetched: title, language, charset, canonical_url, final_url, redirects. A redirect that was not followed needs
        nothing but its headers: where it leads goes back to the frontier. 429 and 503 make the domain rest, as long as Retry-After
        asks."""
        now_ms = self._core.now_ms()
        headers = list(headers.items()) if hasattr(headers, "items") else list(headers)
        entries = outcome.answered(self.message, status, headers, body, links, self.began_ms, now_ms, fields)
        retry_after: Optional[float] = None
        if status in _TOO_BUSY:
            asked = [value for name, value in headers if name.lower() == "retry-after"]
            retry_after = outcome.retry_after_of(asked[0] if asked else None, now_ms)
        return self._core.finish(self, entries, status in _TOO_BUSY, retry_after)

    def failed(self, cause: Union[FailureCause, BaseException], message: str = "") -> bool:
        """No answer came, or none that is of use. The cause is one of messages.FailureCause; one of an exception is found out."""
        if isinstance(cause, BaseException):
            message = message or f"{type(cause).__name__}: {cause}"
            cause = cause_of(cause)
        return self._core.finish(self, outcome.failed(self.message, cause, message, self.began_ms, self._core.now_ms()))

    def hand_back(self, seconds: float = 0.0, reason: DeferReason = messages.DEFER_REASON_UNSPECIFIED) -> bool:
        """It was not tried, and goes back to the queue for at least so long."""
        now_ms = self._core.now_ms()
        return self._core.finish(self, outcome.deferred(self.message, now_ms + int(seconds * 1000), reason, now_ms))

    def __repr__(self) -> str:
        return f"<FeedRequest {self.url} at {self._partition}:{self.offset}>"


def cause_of(failure: BaseException) -> FailureCause:
    """By the exceptions of the standard library, which those of requests, httpx and aiohttp come from or were caused by."""
    seen = set()
    one: Optional[BaseException] = failure
    while one is not None and id(one) not in seen:
        seen.add(id(one))
        if isinstance(one, socket.gaierror):
            never = (socket.EAI_NONAME, getattr(socket, "EAI_NODATA", socket.EAI_NONAME))
            return messages.FAILURE_CAUSE_DNS if one.errno in never else messages.FAILURE_CAUSE_DNS_TEMPORARY
        if isinstance(one, ssl.SSLCertVerificationError):
            return messages.FAILURE_CAUSE_TLS_CERTIFICATE
        if isinstance(one, ssl.SSLError):
            return messages.FAILURE_CAUSE_TLS
        if isinstance(one, ConnectionRefusedError):
            return messages.FAILURE_CAUSE_REFUSED
        if isinstance(one, (ConnectionResetError, BrokenPipeError, ConnectionAbortedError)):
            return messages.FAILURE_CAUSE_RESET
        if isinstance(one, (TimeoutError, socket.timeout)):
            return messages.FAILURE_CAUSE_TIMEOUT_TOTAL
        one = one.__cause__ or one.__context__ or next((part for part in one.args if isinstance(part, BaseException)), None)
    names = [kind.__name__.lower() for kind in type(failure).__mro__]
    if any("timeout" in name for name in names):
        return messages.FAILURE_CAUSE_TIMEOUT_TOTAL
    if any("protocol" in name or "httpexception" in name for name in names):
        return messages.FAILURE_CAUSE_PROTOCOL
    if isinstance(failure, OSError):
        return messages.FAILURE_CAUSE_UNREACHABLE
    return messages.FAILURE_CAUSE_UNSPECIFIED
