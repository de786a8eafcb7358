"""Scrapy's scheduler on the frontier."""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from typing import Any, Callable, Deque, Dict, Optional, Set

from scrapy import Request, signals
from scrapy.core.scheduler import BaseScheduler
from scrapy.exceptions import CloseSpider, DontCloseSpider
from scrapy.spidermiddlewares.httperror import HttpError

from orbweaver.scrapy.call_later import call_later
from orbweaver.scrapy.delay import DelayMiddleware
from orbweaver.scrapy.middleware import SpiderMiddleware
from orbweaver.scrapy.page import FOLLOW_UP, LINK_OF, LOCAL, PAGE, Page
from orbweaver.scrapy.settings import COMPONENTS, SCHEDULER, frontier_of
from orbweaver.spider import FeedRequest, Spider, SpiderError, SpiderOptions
from orbweaver.urls import registered_domain

_LOG = logging.getLogger("orbweaver.scrapy")
_LOOK_S = 0.02


class Scheduler(BaseScheduler):
    """Gives Scrapy the pages whose turn has come, and sends what became of them, with their links, to the frontier.

    A GET that a callback yields is a link; one of the spider's start is a seed. Others, which no frontier could repeat, and those with
    meta={"orbweaver_local": True}, Scrapy fetches itself, and the page that they are for has its outcome after them.
    """

    # Requests that Scrapy fetches itself and that wait; further ones are dropped.
    most_own = 10_000

    def __init__(self, crawler: Any) -> None:
        self._brokers, self._prefix, self._options = frontier_of(crawler.settings)
        self._idle_stop: float = crawler.settings.getfloat("ORBWEAVER_IDLE_STOP")
        self._crawler = crawler
        self._pages: Dict[Page, None] = {}
        self._own: Deque[Request] = deque()  # those that Scrapy fetches itself
        self._warned: Set[str] = set()
        self._failed = False
        self._frontier_changed = threading.Event()
        self._last_busy = time.monotonic()

    @classmethod
    def from_crawler(cls, crawler: Any) -> "Scheduler":
        return cls(crawler)

    def join(self, brokers: str, prefix: str, options: SpiderOptions) -> Any:
        return Spider(brokers, prefix, options)

    def open(self, spider: Any) -> None:
        slot = getattr(self._crawler.engine, "_slot", None)
        if not hasattr(slot, "inprogress") or not hasattr(slot, "nextcall"):
            raise RuntimeError("open the scheduler of orbweaver: this version of Scrapy does not show which requests are in progress. "
                               "Versions 2.13 to 2.19 do")
        self._slot: Any = slot
        self._delays = self._component(self._crawler.get_downloader_middleware, DelayMiddleware)
        self._component(self._crawler.get_spider_middleware, SpiderMiddleware)
        self._scrapy_spider = spider
        self._crawler.signals.connect(self._idle, signal=signals.spider_idle)
        self._spider = self.join(self._brokers, self._prefix, self._options)
        # On another thread. A frontier that cannot go on says so too.
        self._spider.core.on_change = self._frontier_changed.set
        self._timer = call_later(_LOOK_S, self._look)

    @staticmethod
    def _component(get: Callable[[type], Any], kind: type) -> Any:
        found = get(kind)
        if found is None:
            setting, path, order = next(one for one in COMPONENTS if one[1].endswith(kind.__name__))
            raise ValueError(f'{setting} lacks "{path}": {order}, which {SCHEDULER} needs. '
                             'ADDONS = {"orbweaver.scrapy.Addon": 100} sets all that is needed')
        return found

    def close(self, reason: str) -> None:
        """Nothing is in progress any more. Pages without an outcome, and those that wait for their turn, go back to the queue."""
        self._timer.cancel()
        self._finish_pages()
        for page in self._pages:
            page.hand_back()
        self._pages.clear()
        self._spider.close()

    # From Scrapy.

    def has_pending_requests(self) -> bool:
        return bool(self._own)

    def enqueue_request(self, request: Any) -> bool:
        source = request.meta.pop(LINK_OF, None)
        if isinstance(source, Page):
            return self._found(source, request)
        page = request.meta.get(PAGE)
        if isinstance(page, Page):
            return self._go_on(page, request)
        return self._begin(None, request) if _is_local(request) else self._seed(request)

    def _found(self, page: Page, request: Any) -> bool:
        """The page's callback has yielded it."""
        domain = registered_domain(request.url)
        if domain is None:
            return False
        if not _is_local(request):
            self._warn_of_callback(request)
            page.add(request.url, str(request.meta.get("link_text") or ""))
            self._count("links")
            return True
        if domain != page.feed.domain:
            self._warn(domain, "%s is not fetched: only pages of %s are asked while %s is in hand; another spider may be asking %s",
                       request, page.feed.domain, page.feed.url, domain)
            return False
        request.meta[FOLLOW_UP] = True
        return self._begin(page, request)

    def _go_on(self, page: Page, request: Any) -> bool:
        """A downloader middleware wants another request for the page in place of its own: a redirect, a retry."""
        if registered_domain(request.url) == page.feed.domain:
            return self._begin(page, request)
        if FOLLOW_UP not in request.meta:
            page.redirected_to = request.url
        return True

    def _seed(self, request: Any) -> bool:
        try:
            self._spider.seed(request.url)
        except ValueError as failure:
            _LOG.warning("%s", failure)
            return False
        self._warn_of_callback(request)
        self._count("seeds")
        return True

    def _begin(self, page: Optional[Page], request: Any) -> bool:
        if len(self._own) >= self.most_own:
            self._warn("most_own", "%s is dropped, and others: %d requests wait that Scrapy is to fetch itself", request, len(self._own))
            return False
        request.meta.pop(LOCAL, None)
        if page is not None:
            request.meta[PAGE] = page
            page.waiting += 1
        self._own.append(request)
        return True

    # To Scrapy.

    def next_request(self) -> Optional[Request]:
        self._finish_pages()
        if self._own:
            request = self._own.popleft()
            page = request.meta.get(PAGE)
            if isinstance(page, Page):
                page.waiting -= 1
                page.requests.add(request)
            return request
        if self._failed:
            return None
        try:
            feed = self._spider.next(0)
        except SpiderError as failure:
            self._failed = True
            _LOG.error("%s. The spider closes; nothing is lost", failure)
            return None
        return None if feed is None else self._request_of(feed)

    def _request_of(self, feed: FeedRequest) -> Request:
        page = Page(feed)
        # Where a redirect leads goes back to the frontier as a link; and the frontier retries.
        meta = {PAGE: page, "depth": feed.depth, "dont_redirect": True, "dont_retry": True}
        callback = self._callback_of(feed.url, meta)
        request = Request(feed.url, callback=callback, errback=self._not_answered, headers=feed.conditions, meta=meta)
        page.url = request.url
        self._delays.know(feed.domain, feed.delay)
        page.requests.add(request)
        self._pages[page] = None
        self._count("pages")
        return request

    def _callback_of(self, url: str, meta: Dict[str, Any]) -> Optional[Callable[..., Any]]:
        """By the spider's callback_for(url), or by the first rule of a CrawlSpider that matches; None: its parse()."""
        spider = self._scrapy_spider
        if hasattr(spider, "callback_for"):
            return spider.callback_for(url)  # type: ignore[no-any-return]
        for index, rule in enumerate(getattr(spider, "_rules", ())):
            if rule.link_extractor.matches(url):
                meta["rule"] = index
                return spider._callback  # type: ignore[no-any-return]
        return None

    def _not_answered(self, failure: Any) -> None:
        """The errback of each page."""
        page = failure.request.meta[PAGE]
        if not failure.check(HttpError):  # its answer is known
            page.failure = failure.value
            _LOG.info("%s: %s: %s", page.feed.url, type(failure.value).__name__, failure.value)

    def _finish_pages(self) -> None:
        """A request is over when the engine has it no more: its callback has ended, and pipelines have its items."""
        if self._pages:
            self._last_busy = time.monotonic()
        in_progress = self._slot.inprogress
        for page in [one for one in self._pages if not one.waiting]:
            page.requests.intersection_update(in_progress)
            if not page.requests:
                del self._pages[page]
                page.finish()

    def _look(self) -> None:
        """Wakes the engine, which by itself looks every five seconds."""
        self._timer = call_later(_LOOK_S, self._look)
        self._finish_pages()
        if self._own or self._frontier_changed.is_set() or self._failed or self._is_idle_long() or self._spider.core.next_look() <= 0:
            self._frontier_changed.clear()
            self._slot.nextcall.schedule()

    def _idle(self) -> None:
        if self._failed:
            raise CloseSpider("orbweaver_failed")
        if self._is_idle_long():
            raise CloseSpider("orbweaver_idle")
        raise DontCloseSpider

    def _is_idle_long(self) -> bool:
        return 0 < self._idle_stop <= time.monotonic() - self._last_busy

    def _warn_of_callback(self, request: Any) -> None:
        spider, callback = self._scrapy_spider, request.callback
        if callback in (None, getattr(spider, "parse", None), getattr(spider, "_callback", None)) or hasattr(spider, "callback_for"):
            return
        name = getattr(callback, "__name__", "?")
        self._warn(f"callback {name}", "%s has the callback %s, which does not travel through the frontier: its page comes to parse(). "
                   "Give the spider a method callback_for(url) that returns the callback of a page", request, name)

    def _warn(self, once: str, text: str, *arguments: Any) -> None:
        if once not in self._warned and len(self._warned) < 1000:
            self._warned.add(once)
            _LOG.warning(text, *arguments)

    def _count(self, name: str) -> None:
        self._crawler.stats.inc_value(f"orbweaver/{name}")


def _is_local(request: Any) -> bool:
    """The frontier knows URLs, which are fetched by GET and without a body."""
    return request.method != "GET" or bool(request.body) or bool(request.meta.get(LOCAL))
