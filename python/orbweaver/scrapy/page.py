"""A request of the frontier while Scrapy has it."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Set, Tuple

from scrapy.exceptions import CloseSpider, IgnoreRequest
from scrapy.http import TextResponse
from scrapy.utils.response import get_meta_refresh

from orbweaver import messages
from orbweaver.messages import FailureCause, Link
from orbweaver.spider.request import FeedRequest, cause_of

# Keys of a Scrapy request's meta.
PAGE = "orbweaver"  # the Page that the request is for
FOLLOW_UP = "orbweaver_follow_up"  # of the page's callback, and not the page itself
LINK_OF = "orbweaver_link_of"  # the Page whose callback has yielded the request
LOCAL = "orbweaver_local"  # set by a project: fetched by Scrapy itself, now

# By the names of Scrapy's exceptions, and of Twisted's before Scrapy 2.15; the first that is among those of the class or its bases.
_CAUSES = {
    "CannotResolveHostError": messages.FAILURE_CAUSE_DNS_TEMPORARY,
    "DNSLookupError": messages.FAILURE_CAUSE_DNS_TEMPORARY,
    "DownloadConnectionRefusedError": messages.FAILURE_CAUSE_REFUSED,
    "ConnectionRefusedError": messages.FAILURE_CAUSE_REFUSED,
    "NoRouteError": messages.FAILURE_CAUSE_UNREACHABLE,
    "TCPTimedOutError": messages.FAILURE_CAUSE_TIMEOUT_CONNECT,
    "DownloadTimeoutError": messages.FAILURE_CAUSE_TIMEOUT_TOTAL,
    "TimeoutError": messages.FAILURE_CAUSE_TIMEOUT_TOTAL,
    "TunnelError": messages.FAILURE_CAUSE_PROXY,
    "DownloadCancelledError": messages.FAILURE_CAUSE_TOO_LARGE,
    "CancelledError": messages.FAILURE_CAUSE_TOO_LARGE,
    "UnsupportedURLSchemeError": messages.FAILURE_CAUSE_BAD_URL,
    "ResponseDataLossError": messages.FAILURE_CAUSE_PROTOCOL,
    "PotentialDataLoss": messages.FAILURE_CAUSE_PROTOCOL,
    "ParseError": messages.FAILURE_CAUSE_PROTOCOL,
    "CertificateError": messages.FAILURE_CAUSE_TLS_CERTIFICATE,
    "VerificationError": messages.FAILURE_CAUSE_TLS_CERTIFICATE,
    "ConnectionLost": messages.FAILURE_CAUSE_RESET,
    "ConnectionDone": messages.FAILURE_CAUSE_RESET,
    "ResponseNeverReceived": messages.FAILURE_CAUSE_RESET,
    "ResponseFailed": messages.FAILURE_CAUSE_RESET,
    "DownloadFailedError": messages.FAILURE_CAUSE_RESET,
}


_MOST_LINKS = 10_000


class Page:
    """Collects the answer and the links, and writes the one outcome when Scrapy is through with it: when the callback has ended, the
    pipelines have its items, and requests that Scrapy itself makes for it are over."""

    def __init__(self, feed: FeedRequest) -> None:
        self.feed = feed
        self.url = feed.url  # as Scrapy writes it
        # Requests that the engine has, and how many wait for it.
        self.requests: Set[Any] = set()
        self.waiting = 0
        self.response: Any = None
        self.redirected_to: Optional[str] = None
        # Why there is no answer that the callback could take; and why the callback did not come to its end.
        self.failure: Optional[BaseException] = None
        self.error: Optional[BaseException] = None
        self.links: Dict[str, Link] = {}
        self.links_truncated = False

    def add(self, url: str, anchor: str, kind: int = messages.LINK_KIND_ANCHOR) -> None:
        if len(self.links) >= _MOST_LINKS:
            self.links_truncated = True
        elif url not in self.links:
            self.links[url] = Link(url=url, anchor=" ".join(anchor.split()), kind=kind)  # type: ignore[arg-type]

    def hand_back(self) -> None:
        self.feed.hand_back(reason=messages.DEFER_REASON_SHUTDOWN)

    def finish(self) -> None:
        """Nothing more comes of it."""
        if isinstance(self.error, CloseSpider):
            self.hand_back()
        elif self.error is not None:
            self.feed.failed(messages.FAILURE_CAUSE_UNSPECIFIED, f"the callback failed: {type(self.error).__name__}: {self.error}")
        elif self.failure is not None:
            self.feed.failed(cause_of_download(self.failure), f"{type(self.failure).__name__}: {self.failure}")
        elif self.redirected_to is not None:
            self.feed.answered(302, [("location", self.redirected_to)])
        elif self.response is not None:
            self._answered()
        else:
            self.feed.failed(messages.FAILURE_CAUSE_UNSPECIFIED, "a middleware dropped the request")

    def _answered(self) -> None:
        response = self.response
        target = _refresh_of(response)
        if target:
            self.add(target, "", messages.LINK_KIND_REFRESH)
        final_url = "" if response.url == self.url else response.url
        self.feed.answered(response.status, _headers_of(response), response.body, self.links.values(), final_url=final_url,
                           links_truncated=self.links_truncated)


def _refresh_of(response: Any) -> Optional[str]:
    """Where <meta http-equiv=refresh> leads."""
    try:
        return get_meta_refresh(response)[1] if isinstance(response, TextResponse) else None
    except ValueError:
        return None


def _headers_of(response: Any) -> List[Tuple[str, str]]:
    return [(name.decode("latin-1"), value.decode("latin-1")) for name, values in response.headers.items() for value in values]


def cause_of_download(failure: BaseException) -> FailureCause:
    """Of what Scrapy's downloader and its middlewares raise."""
    if isinstance(failure, IgnoreRequest):
        # Nobody of this project wants it, now or later.
        return messages.FAILURE_CAUSE_ROBOTS if "robots.txt" in str(failure) else messages.FAILURE_CAUSE_BAD_URL
    # Twisted wraps the reasons why the connection of a request has ended.
    reasons = [getattr(one, "value", one) for one in getattr(failure, "reasons", None) or ()]
    for one in [*reasons, failure.__cause__, failure]:
        if one is None:
            continue
        names = [kind.__name__ for kind in type(one).__mro__]
        if "SSL" in type(one).__module__ or any("tls" in name.lower() for name in names):
            return messages.FAILURE_CAUSE_TLS
        for name in names:
            if name in _CAUSES:
                return _CAUSES[name]
    return cause_of(failure)
