"""The arguments of a strategy's handlers, for type checkers and editors.

The objects themselves are the strategy worker's: views of its own memory, which live until the handler returns. These classes say what
they have, and nothing can be made of them:

    from orbweaver.events import Links

    def on_links(self, links: Links) -> None: ...
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Optional, Protocol, Union

if TYPE_CHECKING:
    from orbweaver.strategy import Cause, Dns, LinkKind, Robots, Status

__all__ = ["Domain", "Event", "EventView", "Failure", "Host", "Link", "LinkEvent", "LinkFilter", "LinkView", "Links", "Page", "Seeds"]


class Domain(Protocol):
    """The registered domain of an event. Its counts include the event itself."""

    @property
    def name(self) -> str: ...

    @property
    def fetched(self) -> int:
        """Pages."""

    @property
    def scheduled(self) -> int:
        """Requests."""

    @property
    def failed(self) -> int:
        """Fetches without a page."""

    @property
    def known_urls(self) -> int:
        """URLs of which a state is kept."""

    @property
    def crawl_delay_ms(self) -> Optional[int]:
        """As robots.txt asks; None: none known."""

    @property
    def data(self) -> bytes:
        """The bytes that the strategy keeps for the domain: event.keep_domain_data(); empty at first."""


class LinkView(Protocol):
    """A link or a seed, before its state is loaded."""

    @property
    def url(self) -> str:
        """In its canonical form."""

    @property
    def anchor(self) -> str:
        """The link's text."""

    @property
    def kind(self) -> LinkKind: ...

    @property
    def nofollow(self) -> bool: ...

    @property
    def ugc(self) -> bool: ...

    @property
    def sponsored(self) -> bool: ...

    @property
    def seed_score(self) -> Optional[float]:
        """With which the seed was added; None: none was named, or it is no seed."""

    @property
    def fingerprint_high(self) -> int: ...

    @property
    def fingerprint_low(self) -> int:
        """The lower 64 bits of the URL's fingerprint: for draw()."""


class Link(LinkView, Protocol):
    """A URL of an event: what is known of it, and what is to become of it."""

    @property
    def known(self) -> bool:
        """False: never heard of, or heard of and left alone."""

    @property
    def is_new(self) -> bool:
        """Never scheduled, as far as the states tell."""

    @property
    def status(self) -> Status: ...

    @property
    def depth(self) -> int:
        """Links from a seed, on the way on which it was found."""

    @property
    def fetches(self) -> int:
        """Successful ones."""

    @property
    def errors(self) -> int:
        """Since the last success or new start."""

    @property
    def http_status(self) -> int:
        """Of the last answer; 0: none."""

    @property
    def fetched_at_ms(self) -> int: ...

    @property
    def due_at_ms(self) -> int:
        """As set_due() left it."""

    @property
    def content_hash(self) -> int:
        """Of the last page."""

    @property
    def has_validators(self) -> bool:
        """The next fetch can ask whether the page has changed."""

    @property
    def data(self) -> bytes:
        """The strategy's eight bytes of this URL, zero at first."""

    def schedule(self, score: float, /, not_before_ms: int = 0) -> None:
        """Requests it; 1 is best, 0 worst. Of several calls the last counts."""

    def raise_score(self, score: float, /) -> None:
        """As schedule, unless it is QUEUED: then a request that still waits is moved up."""

    def drop(self) -> None:
        """Takes it out of the queue, if it still waits there."""

    def set_attempt(self, attempt: int, /) -> None:
        """Of the request: how often it was tried before. A failure's is counted by the host."""

    def set_meta(self, entries: Dict[str, str], /) -> None:
        """Values that travel with the request: at most 16, keys of 64 bytes, values of 512. Not called: the seed's, or those of the request
        that led to this page or failure."""

    def set_status(self, status: Union[Status, int], /) -> None:
        """Kept with the URL, whether it is scheduled or not."""

    def set_data(self, data: bytes, /) -> None:
        """At most eight bytes, kept with the URL."""

    def set_due(self, unix_ms: int, /) -> None:
        """Kept with the URL."""


class EventView(Protocol):
    @property
    def now_ms(self) -> int:
        """The only clock there is: the same again when the event is replayed."""

    @property
    def depth(self) -> int:
        """Of the page, of the failed URL, or of the page that the links stand on."""

    @property
    def score(self) -> float:
        """With which the page or the failed URL was scheduled."""

    @property
    def attempt(self) -> int:
        """How often the page or the failed URL had been tried before."""

    @property
    def domain(self) -> Domain: ...

    def meta(self, key: str, /) -> str:
        """Of the request that led to this event; empty without."""


class Event(EventView, Protocol):
    """The argument of every handler but filter, with decisions about its domain."""

    @property
    def scheduled(self) -> int:
        """How many requests this event has scheduled so far."""

    def request(self, url: str, score: float, *, depth: int = 0, not_before_ms: int = 0, even_if_known: bool = False) -> None:
        """A URL of this domain that is not one of the event's."""

    def keep_domain_data(self, data: bytes, /) -> None:
        """At most 64 KB: domain.data of later events."""

    def give_up_domain(self) -> None:
        """Empties the domain's queue."""

    def back_off(self) -> None:
        """Crawls the domain more slowly."""

    def block_until(self, unix_ms: int, /) -> None:
        """Fetches nothing of the domain before."""

    def warn(self, text: str, /) -> None:
        """A line for the worker's log."""


class LinkEvent(Event, Protocol):
    """A sequence of links."""

    def __len__(self) -> int: ...

    def __getitem__(self, index: int, /) -> Link: ...

    def __iter__(self) -> Iterator[Link]: ...

    def column(self, name: str, /) -> memoryview:
        """An element of each link, for numpy.asarray: is_new, status, kind, fetches, errors, fetched_at_ms, fingerprint_low or data."""

    def urls(self) -> List[str]: ...

    def anchors(self) -> List[str]: ...

    def schedule_new(self, scores: Any, most: int = ..., /) -> int:
        """Schedules what never was, in order, at one score or at those of an array of floats; NaN leaves a link alone. How many it did."""


class Seeds(LinkEvent, Protocol):
    """Seeds of one domain."""


class Links(LinkEvent, Protocol):
    """Links to one domain from one page, of this domain or another."""

    @property
    def source_url(self) -> str: ...

    @property
    def source_score(self) -> float:
        """With which the page was scheduled that they stand on."""

    @property
    def source_link_count(self) -> int:
        """All links of that page, to all domains."""

    @property
    def same_domain(self) -> bool:
        """The page is of this domain."""


class Page(Event, Protocol):
    """A page was fetched."""

    @property
    def link(self) -> Link:
        """The page's own URL: its state, with this fetch counted."""

    @property
    def final_url(self) -> str:
        """Empty where the content came from the URL itself."""

    @property
    def content_type(self) -> str: ...

    @property
    def title(self) -> str: ...

    @property
    def language(self) -> str: ...

    @property
    def robots_directives(self) -> str: ...

    @property
    def canonical_url(self) -> str: ...

    @property
    def body(self) -> bytes:
        """Empty unless spiders log bodies."""

    @property
    def body_bytes(self) -> int: ...

    @property
    def text_bytes(self) -> int: ...

    @property
    def content_hash(self) -> int: ...

    @property
    def http_status(self) -> int: ...

    @property
    def links_inside(self) -> int: ...

    @property
    def links_outside(self) -> int: ...

    @property
    def not_modified(self) -> bool:
        """304."""

    @property
    def changed(self) -> bool:
        """Its content differs from that of the last fetch; true for a first one."""


class Failure(Event, Protocol):
    """A URL could not be fetched."""

    @property
    def link(self) -> Link:
        """That URL."""

    @property
    def cause(self) -> Cause: ...

    @property
    def http_status(self) -> int: ...

    @property
    def retry_after_ms(self) -> Optional[int]:
        """The wait that the server asked for in Retry-After."""

    @property
    def transient(self) -> bool:
        """A later try may succeed."""


class Host(Event, Protocol):
    """A spider asked for a host's robots.txt."""

    @property
    def name(self) -> str: ...

    @property
    def sitemaps(self) -> List[str]:
        """URLs that robots.txt names."""

    @property
    def crawl_delay_ms(self) -> Optional[int]: ...

    @property
    def robots(self) -> Robots: ...

    @property
    def robots_status(self) -> int: ...

    @property
    def dns(self) -> Dns: ...


class LinkFilter(EventView, Protocol):
    """Links or seeds before any state is loaded: what is dropped here costs no read."""

    def __len__(self) -> int: ...

    def __getitem__(self, index: int, /) -> LinkView: ...

    def __iter__(self) -> Iterator[LinkView]: ...

    @property
    def is_seeds(self) -> bool: ...

    @property
    def link_depth(self) -> int:
        """Of the links themselves."""

    @property
    def same_domain(self) -> bool:
        """The page that they stand on is of this domain; False for seeds."""

    def drop(self, index: int, /) -> None:
        """The link of that index."""

    def drop_kind(self, kind: Union[LinkKind, int], /) -> None: ...

    def drop_all(self) -> None: ...
