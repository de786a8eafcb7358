"""Crawl strategies in Python, which the strategy worker runs: one small class.

    from orbweaver.strategy import CrawlRules, Integer, Strategy

    class Shallow(Strategy):
        '''Everything within a few links of the seeds'''

        rules = CrawlRules()
        limit = Integer(2, 0, 100, "Links followed from a seed")

        def on_links(self, links):
            if links.depth < self.limit:
                for link in links:
                    self.rules.schedule_new(links, link, 0.5)

    orbweaver crawl https://example.org --strategy shallow.py:limit=1

Names and meanings are those of the C++ SDK (docs/strategies.md), in Python's spelling: OnLinks is on_links, link.IsNew() is
link.is_new. What a handler is given (events, links, domains) are views of the worker's own memory: they live until the handler
returns, and raise ReferenceError after it. Keep values, not views.

A strategy keeps nothing of single URLs in its attributes: there may be billions. Eight bytes a URL (link.set_data) and 64 KB a
domain (event.keep_domain_data) survive restarts, attributes do not.
"""

import enum
import re
import sys
from typing import TYPE_CHECKING, Any, Dict, Generic, List as ListOf, TypeVar, overload

from orbweaver.events import Domain, Event, Failure, Host, Link, LinkFilter, Links, Page, Seeds

_T = TypeVar("_T")


class Status(enum.IntEnum):
    NOT_CRAWLED = 0
    QUEUED = 1
    CRAWLED = 2
    ERROR = 3  # failed for now
    GONE = 4  # failed for good


class LinkKind(enum.IntEnum):
    ANCHOR = 0
    FRAME = 1
    EMBED = 2  # images, scripts and the like
    REDIRECT = 3  # to another registered domain
    REFRESH = 4
    CANONICAL = 5
    SITEMAP_PAGE = 6  # a page that a sitemap names
    SITEMAP = 7  # a sitemap that a sitemap names
    FEED_ITEM = 8
    FEED = 9


class Cause(enum.IntEnum):
    UNSPECIFIED = 0
    DNS = 1  # the name does not exist
    DNS_TEMPORARY = 2  # it could not be resolved now
    REFUSED = 3
    UNREACHABLE = 4
    RESET = 5
    TIMEOUT_CONNECT = 6
    TIMEOUT_TLS = 7
    TIMEOUT_FIRST_BYTE = 8
    TIMEOUT_TOTAL = 9
    TOO_SLOW = 10
    TLS = 11
    TLS_CERTIFICATE = 12
    PROTOCOL = 13
    ENCODING = 14
    TOO_LARGE = 15
    CONTENT_TYPE = 16
    REDIRECT = 17
    ROBOTS = 18  # robots.txt forbids it
    ROBOTS_UNREACHABLE = 19  # robots.txt cannot be had, which forbids everything for now
    PRIVATE_ADDRESS = 20
    PORT = 21
    BAD_URL = 22
    PROXY = 23
    HTTP_4XX = 24
    HTTP_5XX = 25
    HTTP_OTHER = 26


class Robots(enum.IntEnum):
    UNSPECIFIED = 0
    RULES = 1
    ALLOW_ALL = 2
    DISALLOW_ALL = 3


class Dns(enum.IntEnum):
    UNSPECIFIED = 0
    RESOLVED = 1
    NO_SUCH_NAME = 2
    FAILED = 3


# ---- parameters ----


class Parameter(Generic[_T]):
    """A class attribute that declares a parameter; the strategy's object has its value under the same name.

    The host holds what a user configured below strategy.params against type and bounds, before the strategy is made.
    """

    type = ""

    def __init__(self, default: Any, doc: str, low: float = 1, high: float = 0) -> None:
        self.default, self.doc, self.low, self.high = default, doc, low, high

    if TYPE_CHECKING:
        # The value, of an object. There is no such method: the host sets the object's attribute, which is found without a call.
        @overload
        def __get__(self, made: None, strategy: Any) -> "Parameter[_T]": ...
        @overload
        def __get__(self, made: object, strategy: Any) -> _T: ...
        def __get__(self, made: Any, strategy: Any) -> Any: ...

    def text(self) -> str:
        return str(self.default)

    def parse(self, text: str) -> _T:
        raise NotImplementedError


class Integer(Parameter[int]):
    type = "integer"

    def __init__(self, default: int, low: int, high: int, doc: str) -> None:
        super().__init__(default, doc, low, high)

    def parse(self, text: str) -> int:
        return int(text)


class Number(Parameter[float]):
    type = "number"

    def __init__(self, default: float, low: float, high: float, doc: str) -> None:
        super().__init__(default, doc, low, high)

    def parse(self, text: str) -> float:
        return float(text)


class Flag(Parameter[bool]):
    type = "bool"

    def __init__(self, default: bool, doc: str) -> None:
        super().__init__(default, doc)

    def text(self) -> str:
        return "true" if self.default else "false"

    def parse(self, text: str) -> bool:
        return text == "true"


class String(Parameter[str]):
    type = "text"

    def parse(self, text: str) -> str:
        return text


class List(Parameter[ListOf[str]]):
    """Texts, separated by commas."""

    type = "list"

    def parse(self, text: str) -> ListOf[str]:
        return _elements(text)


class Globs(Parameter["Patterns"]):
    """Patterns: `*` stands for any characters, none too; `?` for exactly one; a pattern must match the whole text."""

    type = "list"

    def parse(self, text: str) -> "Patterns":
        return Patterns(_elements(text))


def _elements(text: str) -> ListOf[str]:
    return [element for element in (part.strip(" \t\n") for part in text.split(",")) if element]


class Patterns:
    def __init__(self, globs: ListOf[str]) -> None:
        self._plain = frozenset(glob for glob in globs if not set(glob) & set("*?"))
        parts = ["".join({"*": ".*", "?": "."}.get(c) or re.escape(c) for c in glob) for glob in globs if glob not in self._plain]
        self._pattern = re.compile("|".join(f"(?:{part})" for part in parts), re.DOTALL) if parts else None

    def __bool__(self) -> bool:
        return bool(self._plain) or self._pattern is not None

    def match(self, text: str) -> bool:
        return text in self._plain or (self._pattern is not None and self._pattern.fullmatch(text) is not None)


class ParameterGroup:
    """Parameters that several strategies share, with what follows from them; a class attribute of a strategy."""

    @classmethod
    def parameters(cls) -> Dict[str, Parameter[Any]]:
        return {name: value for name, value in vars(cls).items() if isinstance(value, Parameter)}


# ---- rules ----


class Cap(enum.Enum):
    REQUESTS = "requests"
    URLS = "urls"


BANDS = 8


def band_score(band: int) -> float:
    """With which a link stands in the middle of one of the queue's eight bands, 0 the best."""
    return 1.0 - (min(band, BANDS - 1) + 0.5) / BANDS


_64_BITS = 0xFFFFFFFFFFFFFFFF


def mix(x: int) -> int:
    """The finaliser of SplitMix64."""
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9 & _64_BITS
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB & _64_BITS
    return x ^ (x >> 31)


def draw(seed: int, fingerprint: int) -> float:
    """Uniform in [0, 1), and the same again for the same numbers: strategies that decide at random draw so."""
    return (mix((seed & _64_BITS) ^ mix((fingerprint + 0x9E3779B97F4A7C15) & _64_BITS)) >> 40) / (1 << 24)


class CrawlRules(ParameterGroup):
    """The rules that nearly every strategy needs: URLs that are allowed, how deep and how many, tries after failures."""

    allow_domains = Globs("", "Only these registered domains: patterns such as example.com or *.org; none: all")
    deny_domains = Globs("", "Not these registered domains, whatever else allows them")
    allow_urls = Globs("", "Only URLs that match one of these patterns, such as */blog/*; none: all")
    deny_urls = Globs("", "No URL that matches one of these patterns")
    max_depth = Integer(-1, -1, 1_000_000, "Links followed from a seed: 0 fetches seeds only, -1 sets no limit")
    max_pages = Integer(0, 0, 1_000_000_000_000, "")
    retries = Integer(3, 0, 1000, "Further tries after failures that may pass; others are never tried again")
    retry_delay_s = Integer(60, 0, 2_592_000, "Seconds before the first of them; each further one waits twice as long")
    retry_max_delay_s = Integer(86_400, 0, 2_592_000, "Seconds that this waiting never exceeds")

    _MAX_PAGES = {
        Cap.REQUESTS: "Requests for a registered domain, tries after failures and sitemaps included; 0 sets no limit",
        Cap.URLS: "URLs of a registered domain; fetching one again is free. 0 sets no limit",
    }

    def __init__(self, max_pages: int = 0, cap: Cap = Cap.REQUESTS) -> None:
        self._cap, self._max_pages = cap, max_pages

    def parameters(self) -> Dict[str, Parameter[Any]]:  # type: ignore[override]
        own = dict(super().parameters())
        own["max_pages"] = Integer(self._max_pages, 0, 1_000_000_000_000, self._MAX_PAGES[self._cap])
        return own

    def filter(self, links: LinkFilter, past_budget: bool = False) -> None:
        """Drops what is not allowed; with a spent budget everything, and no state is read then.

        With `past_budget` links of such a domain pass: for strategies that still raise what is queued.
        """
        domain = links.domain
        if not (self.allows_domain(domain.name) and self.allows_depth(links.link_depth)) or (
            not past_budget and self.max_pages and self._used(domain) >= self.max_pages
        ):
            links.drop_all()
            return
        links.drop_kind(LinkKind.EMBED)
        if self.deny_urls or self.allow_urls:
            for i, link in enumerate(links):
                if not self.allows_url(link.url):
                    links.drop(i)

    def allows_domain(self, domain: str) -> bool:
        if self.deny_domains and self.deny_domains.match(domain):
            return False
        return not self.allow_domains or self.allow_domains.match(domain)

    def allows_url(self, url: str) -> bool:
        if self.deny_urls and self.deny_urls.match(url):
            return False
        return not self.allow_urls or self.allow_urls.match(url)

    def allows_depth(self, depth: int) -> bool:
        return self.max_depth < 0 or depth <= self.max_depth

    def budget(self, event: Event) -> int:
        """The number of URLs of the event's domain that may still be scheduled, after those that this event has scheduled."""
        if not self.max_pages:
            return sys.maxsize
        return max(0, self.max_pages - self._used(event.domain) - event.scheduled)

    def schedule_new(self, event: Event, link: Link, score: float) -> bool:
        """Schedules `link` if it never was and budget is left; whether it did. For links that passed filter."""
        if not link.is_new or (self.max_pages and not self.budget(event)):
            return False
        link.schedule(score)
        return True

    def schedule_seeds(self, seeds: Seeds, score: float) -> None:
        """Each at the score that came with it, or at `score`."""
        for seed in seeds:
            own = seed.seed_score
            self.schedule_new(seeds, seed, score if own is None else own)

    def retry(self, failure: Failure) -> bool:
        """After a transient failure, with tries and budget left: again, later, and not before the server wants it.

        Whether it did; otherwise the URL stays as the host leaves it, ERROR or GONE.
        """
        if not failure.transient or failure.attempt >= self.retries:
            return False
        if self._cap is Cap.REQUESTS and not self.budget(failure):
            return False
        failure.link.schedule(failure.score, failure.now_ms + self._delay_ms(failure))
        return True

    def _used(self, domain: Domain) -> int:
        return domain.scheduled if self._cap is Cap.REQUESTS else domain.known_urls

    def _delay_ms(self, failure: Failure) -> int:
        most = self.retry_max_delay_s * 1000
        wait = self.retry_delay_s * 1000 << min(failure.attempt, 62)
        asked = failure.retry_after_ms
        return min(max(wait, -1 if asked is None else asked), most)


# ---- the base class ----


class Strategy:
    """Made; parameters set; start; events, one at a time; close.

    A handler that raises has decided nothing: the event goes to the dead-letter topic with the exception's text.
    """

    # Lower-case words joined by underscores; by default the class's own name, spelled so.
    name = ""
    # Raised when the meaning of domain bytes changes.
    version = 1
    # Works on the bodies of pages: the host then says when spiders do not log them.
    needs_body = False

    def start(self, seed: int) -> None:
        """The parameters are set. Raise when they do not fit together: the worker does not start then."""

    def filter(self, links: LinkFilter) -> None:
        """Links or seeds, before their states are loaded: drop what is not wanted whatever its state."""

    def on_seeds(self, seeds: Seeds) -> None:
        for seed in seeds:
            if seed.is_new:
                seed.schedule(1.0 if seed.seed_score is None else seed.seed_score)

    def on_page(self, page: Page) -> None:
        """A page was fetched. Its status becomes CRAWLED unless the handler says otherwise."""

    def on_links(self, links: Links) -> None:
        """Links to one domain from one page, of this domain or another."""

    def on_failure(self, failure: Failure) -> None:
        """A URL could not be fetched. Its status becomes ERROR when the cause is transient, else GONE."""

    def on_host(self, host: Host) -> None:
        """A spider asked for a host's robots.txt, which it does before the host's first page."""

    def adopt(self, from_name: str, from_version: int, data: bytes) -> bytes:
        """Domain bytes of another strategy, or of another version of this one: returns what is to stand in their place."""
        return b""

    def finished(self) -> bool:
        """Whether the crawl has reached its aim; else it ends when nothing is queued."""
        return False

    def close(self) -> None:
        """The worker stops."""
