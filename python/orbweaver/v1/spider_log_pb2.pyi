from orbweaver.v1 import spider_feed_pb2 as _spider_feed_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DEFER_REASON_BACK_OFF: DeferReason
DEFER_REASON_POLITENESS: DeferReason
DEFER_REASON_SHUTDOWN: DeferReason
DEFER_REASON_UNSPECIFIED: DeferReason
DESCRIPTOR: _descriptor.FileDescriptor
DNS_OUTCOME_FAILED: DnsOutcome
DNS_OUTCOME_NO_SUCH_NAME: DnsOutcome
DNS_OUTCOME_RESOLVED: DnsOutcome
DNS_OUTCOME_UNSPECIFIED: DnsOutcome
FAILURE_CAUSE_BAD_URL: FailureCause
FAILURE_CAUSE_CONTENT_TYPE: FailureCause
FAILURE_CAUSE_DNS: FailureCause
FAILURE_CAUSE_DNS_TEMPORARY: FailureCause
FAILURE_CAUSE_ENCODING: FailureCause
FAILURE_CAUSE_HTTP_4XX: FailureCause
FAILURE_CAUSE_HTTP_5XX: FailureCause
FAILURE_CAUSE_HTTP_OTHER: FailureCause
FAILURE_CAUSE_PORT: FailureCause
FAILURE_CAUSE_PRIVATE_ADDRESS: FailureCause
FAILURE_CAUSE_PROTOCOL: FailureCause
FAILURE_CAUSE_PROXY: FailureCause
FAILURE_CAUSE_REDIRECT: FailureCause
FAILURE_CAUSE_REFUSED: FailureCause
FAILURE_CAUSE_RESET: FailureCause
FAILURE_CAUSE_ROBOTS: FailureCause
FAILURE_CAUSE_ROBOTS_UNREACHABLE: FailureCause
FAILURE_CAUSE_TIMEOUT_CONNECT: FailureCause
FAILURE_CAUSE_TIMEOUT_FIRST_BYTE: FailureCause
FAILURE_CAUSE_TIMEOUT_TLS: FailureCause
FAILURE_CAUSE_TIMEOUT_TOTAL: FailureCause
FAILURE_CAUSE_TLS: FailureCause
FAILURE_CAUSE_TLS_CERTIFICATE: FailureCause
FAILURE_CAUSE_TOO_LARGE: FailureCause
FAILURE_CAUSE_TOO_SLOW: FailureCause
FAILURE_CAUSE_UNREACHABLE: FailureCause
FAILURE_CAUSE_UNSPECIFIED: FailureCause
LINK_KIND_ANCHOR: LinkKind
LINK_KIND_CANONICAL: LinkKind
LINK_KIND_EMBED: LinkKind
LINK_KIND_FEED: LinkKind
LINK_KIND_FEED_ITEM: LinkKind
LINK_KIND_FRAME: LinkKind
LINK_KIND_REDIRECT: LinkKind
LINK_KIND_REFRESH: LinkKind
LINK_KIND_SITEMAP: LinkKind
LINK_KIND_SITEMAP_PAGE: LinkKind
LINK_REL_NOFOLLOW: LinkRel
LINK_REL_NONE: LinkRel
LINK_REL_SPONSORED: LinkRel
LINK_REL_UGC: LinkRel
ROBOTS_OUTCOME_ALLOW_ALL: RobotsOutcome
ROBOTS_OUTCOME_DISALLOW_ALL: RobotsOutcome
ROBOTS_OUTCOME_RULES: RobotsOutcome
ROBOTS_OUTCOME_UNSPECIFIED: RobotsOutcome

class Deferred(_message.Message):
    __slots__ = ["not_before_ms", "reason", "request"]
    NOT_BEFORE_MS_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    REQUEST_FIELD_NUMBER: _ClassVar[int]
    not_before_ms: int
    reason: DeferReason
    request: _spider_feed_pb2.Request
    def __init__(self, request: _Optional[_Union[_spider_feed_pb2.Request, _Mapping]] = ..., not_before_ms: _Optional[int] = ..., reason: _Optional[_Union[DeferReason, str]] = ...) -> None: ...

class DomainOrder(_message.Message):
    __slots__ = ["blocked_until_ms", "forget", "purge"]
    BLOCKED_UNTIL_MS_FIELD_NUMBER: _ClassVar[int]
    FORGET_FIELD_NUMBER: _ClassVar[int]
    PURGE_FIELD_NUMBER: _ClassVar[int]
    blocked_until_ms: int
    forget: bool
    purge: bool
    def __init__(self, blocked_until_ms: _Optional[int] = ..., purge: bool = ..., forget: bool = ...) -> None: ...

class FetchFailed(_message.Message):
    __slots__ = ["cause", "failed_at_ms", "final_url", "message", "request", "retry_after_ms", "status", "total_ms"]
    CAUSE_FIELD_NUMBER: _ClassVar[int]
    FAILED_AT_MS_FIELD_NUMBER: _ClassVar[int]
    FINAL_URL_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    REQUEST_FIELD_NUMBER: _ClassVar[int]
    RETRY_AFTER_MS_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    TOTAL_MS_FIELD_NUMBER: _ClassVar[int]
    cause: FailureCause
    failed_at_ms: int
    final_url: str
    message: str
    request: _spider_feed_pb2.Request
    retry_after_ms: int
    status: int
    total_ms: int
    def __init__(self, request: _Optional[_Union[_spider_feed_pb2.Request, _Mapping]] = ..., cause: _Optional[_Union[FailureCause, str]] = ..., status: _Optional[int] = ..., final_url: _Optional[str] = ..., retry_after_ms: _Optional[int] = ..., message: _Optional[str] = ..., failed_at_ms: _Optional[int] = ..., total_ms: _Optional[int] = ...) -> None: ...

class HostFacts(_message.Message):
    __slots__ = ["crawl_delay_ms", "dns", "host", "observed_at_ms", "retry_after_ms", "robots", "robots_status", "robots_txt", "robots_txt_bytes", "sitemaps"]
    CRAWL_DELAY_MS_FIELD_NUMBER: _ClassVar[int]
    DNS_FIELD_NUMBER: _ClassVar[int]
    HOST_FIELD_NUMBER: _ClassVar[int]
    OBSERVED_AT_MS_FIELD_NUMBER: _ClassVar[int]
    RETRY_AFTER_MS_FIELD_NUMBER: _ClassVar[int]
    ROBOTS_FIELD_NUMBER: _ClassVar[int]
    ROBOTS_STATUS_FIELD_NUMBER: _ClassVar[int]
    ROBOTS_TXT_BYTES_FIELD_NUMBER: _ClassVar[int]
    ROBOTS_TXT_FIELD_NUMBER: _ClassVar[int]
    SITEMAPS_FIELD_NUMBER: _ClassVar[int]
    crawl_delay_ms: int
    dns: DnsOutcome
    host: str
    observed_at_ms: int
    retry_after_ms: int
    robots: RobotsOutcome
    robots_status: int
    robots_txt: bytes
    robots_txt_bytes: int
    sitemaps: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, host: _Optional[str] = ..., observed_at_ms: _Optional[int] = ..., robots: _Optional[_Union[RobotsOutcome, str]] = ..., robots_status: _Optional[int] = ..., crawl_delay_ms: _Optional[int] = ..., sitemaps: _Optional[_Iterable[str]] = ..., retry_after_ms: _Optional[int] = ..., dns: _Optional[_Union[DnsOutcome, str]] = ..., robots_txt: _Optional[bytes] = ..., robots_txt_bytes: _Optional[int] = ...) -> None: ...

class HttpHeader(_message.Message):
    __slots__ = ["name", "value"]
    NAME_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    name: str
    value: bytes
    def __init__(self, name: _Optional[str] = ..., value: _Optional[bytes] = ...) -> None: ...

class Link(_message.Message):
    __slots__ = ["anchor", "kind", "rel", "url"]
    ANCHOR_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    REL_FIELD_NUMBER: _ClassVar[int]
    URL_FIELD_NUMBER: _ClassVar[int]
    anchor: str
    kind: LinkKind
    rel: int
    url: str
    def __init__(self, url: _Optional[str] = ..., anchor: _Optional[str] = ..., rel: _Optional[int] = ..., kind: _Optional[_Union[LinkKind, str]] = ...) -> None: ...

class LinksFound(_message.Message):
    __slots__ = ["links", "source"]
    LINKS_FIELD_NUMBER: _ClassVar[int]
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    links: _containers.RepeatedCompositeFieldContainer[Link]
    source: SourcePage
    def __init__(self, source: _Optional[_Union[SourcePage, _Mapping]] = ..., links: _Optional[_Iterable[_Union[Link, _Mapping]]] = ...) -> None: ...

class PageFetched(_message.Message):
    __slots__ = ["body", "body_bytes", "body_truncated", "canonical_url", "charset", "connect_ms", "content_hash", "content_type", "dns_ms", "etag", "fetched_at_ms", "final_url", "first_byte_ms", "headers", "language", "last_modified", "links_inside", "links_outside", "links_truncated", "not_modified", "received_bytes", "redirects", "remote_address", "request", "robots_directives", "status", "text_bytes", "title", "tls_error", "tls_ms", "total_ms"]
    BODY_BYTES_FIELD_NUMBER: _ClassVar[int]
    BODY_FIELD_NUMBER: _ClassVar[int]
    BODY_TRUNCATED_FIELD_NUMBER: _ClassVar[int]
    CANONICAL_URL_FIELD_NUMBER: _ClassVar[int]
    CHARSET_FIELD_NUMBER: _ClassVar[int]
    CONNECT_MS_FIELD_NUMBER: _ClassVar[int]
    CONTENT_HASH_FIELD_NUMBER: _ClassVar[int]
    CONTENT_TYPE_FIELD_NUMBER: _ClassVar[int]
    DNS_MS_FIELD_NUMBER: _ClassVar[int]
    ETAG_FIELD_NUMBER: _ClassVar[int]
    FETCHED_AT_MS_FIELD_NUMBER: _ClassVar[int]
    FINAL_URL_FIELD_NUMBER: _ClassVar[int]
    FIRST_BYTE_MS_FIELD_NUMBER: _ClassVar[int]
    HEADERS_FIELD_NUMBER: _ClassVar[int]
    LANGUAGE_FIELD_NUMBER: _ClassVar[int]
    LAST_MODIFIED_FIELD_NUMBER: _ClassVar[int]
    LINKS_INSIDE_FIELD_NUMBER: _ClassVar[int]
    LINKS_OUTSIDE_FIELD_NUMBER: _ClassVar[int]
    LINKS_TRUNCATED_FIELD_NUMBER: _ClassVar[int]
    NOT_MODIFIED_FIELD_NUMBER: _ClassVar[int]
    RECEIVED_BYTES_FIELD_NUMBER: _ClassVar[int]
    REDIRECTS_FIELD_NUMBER: _ClassVar[int]
    REMOTE_ADDRESS_FIELD_NUMBER: _ClassVar[int]
    REQUEST_FIELD_NUMBER: _ClassVar[int]
    ROBOTS_DIRECTIVES_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    TEXT_BYTES_FIELD_NUMBER: _ClassVar[int]
    TITLE_FIELD_NUMBER: _ClassVar[int]
    TLS_ERROR_FIELD_NUMBER: _ClassVar[int]
    TLS_MS_FIELD_NUMBER: _ClassVar[int]
    TOTAL_MS_FIELD_NUMBER: _ClassVar[int]
    body: bytes
    body_bytes: int
    body_truncated: bool
    canonical_url: str
    charset: str
    connect_ms: int
    content_hash: bytes
    content_type: str
    dns_ms: int
    etag: str
    fetched_at_ms: int
    final_url: str
    first_byte_ms: int
    headers: _containers.RepeatedCompositeFieldContainer[HttpHeader]
    language: str
    last_modified: str
    links_inside: int
    links_outside: int
    links_truncated: bool
    not_modified: bool
    received_bytes: int
    redirects: _containers.RepeatedCompositeFieldContainer[Redirect]
    remote_address: str
    request: _spider_feed_pb2.Request
    robots_directives: str
    status: int
    text_bytes: int
    title: str
    tls_error: str
    tls_ms: int
    total_ms: int
    def __init__(self, request: _Optional[_Union[_spider_feed_pb2.Request, _Mapping]] = ..., final_url: _Optional[str] = ..., redirects: _Optional[_Iterable[_Union[Redirect, _Mapping]]] = ..., status: _Optional[int] = ..., headers: _Optional[_Iterable[_Union[HttpHeader, _Mapping]]] = ..., fetched_at_ms: _Optional[int] = ..., dns_ms: _Optional[int] = ..., connect_ms: _Optional[int] = ..., tls_ms: _Optional[int] = ..., first_byte_ms: _Optional[int] = ..., total_ms: _Optional[int] = ..., received_bytes: _Optional[int] = ..., body_bytes: _Optional[int] = ..., content_hash: _Optional[bytes] = ..., content_type: _Optional[str] = ..., charset: _Optional[str] = ..., title: _Optional[str] = ..., language: _Optional[str] = ..., robots_directives: _Optional[str] = ..., canonical_url: _Optional[str] = ..., etag: _Optional[str] = ..., last_modified: _Optional[str] = ..., links_inside: _Optional[int] = ..., links_outside: _Optional[int] = ..., text_bytes: _Optional[int] = ..., body_truncated: bool = ..., links_truncated: bool = ..., not_modified: bool = ..., remote_address: _Optional[str] = ..., tls_error: _Optional[str] = ..., body: _Optional[bytes] = ...) -> None: ...

class Redirect(_message.Message):
    __slots__ = ["status", "url"]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    URL_FIELD_NUMBER: _ClassVar[int]
    status: int
    url: str
    def __init__(self, url: _Optional[str] = ..., status: _Optional[int] = ...) -> None: ...

class Seed(_message.Message):
    __slots__ = ["meta", "score", "url"]
    class MetaEntry(_message.Message):
        __slots__ = ["key", "value"]
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: bytes
        def __init__(self, key: _Optional[str] = ..., value: _Optional[bytes] = ...) -> None: ...
    META_FIELD_NUMBER: _ClassVar[int]
    SCORE_FIELD_NUMBER: _ClassVar[int]
    URL_FIELD_NUMBER: _ClassVar[int]
    meta: _containers.ScalarMap[str, bytes]
    score: float
    url: str
    def __init__(self, url: _Optional[str] = ..., score: _Optional[float] = ..., meta: _Optional[_Mapping[str, bytes]] = ...) -> None: ...

class Seeds(_message.Message):
    __slots__ = ["only_failed", "seeds"]
    ONLY_FAILED_FIELD_NUMBER: _ClassVar[int]
    SEEDS_FIELD_NUMBER: _ClassVar[int]
    only_failed: bool
    seeds: _containers.RepeatedCompositeFieldContainer[Seed]
    def __init__(self, seeds: _Optional[_Iterable[_Union[Seed, _Mapping]]] = ..., only_failed: bool = ...) -> None: ...

class SourcePage(_message.Message):
    __slots__ = ["depth", "fingerprint", "link_count", "meta", "score", "url"]
    class MetaEntry(_message.Message):
        __slots__ = ["key", "value"]
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: bytes
        def __init__(self, key: _Optional[str] = ..., value: _Optional[bytes] = ...) -> None: ...
    DEPTH_FIELD_NUMBER: _ClassVar[int]
    FINGERPRINT_FIELD_NUMBER: _ClassVar[int]
    LINK_COUNT_FIELD_NUMBER: _ClassVar[int]
    META_FIELD_NUMBER: _ClassVar[int]
    SCORE_FIELD_NUMBER: _ClassVar[int]
    URL_FIELD_NUMBER: _ClassVar[int]
    depth: int
    fingerprint: bytes
    link_count: int
    meta: _containers.ScalarMap[str, bytes]
    score: float
    url: str
    def __init__(self, url: _Optional[str] = ..., fingerprint: _Optional[bytes] = ..., depth: _Optional[int] = ..., score: _Optional[float] = ..., link_count: _Optional[int] = ..., meta: _Optional[_Mapping[str, bytes]] = ...) -> None: ...

class SpiderLogEntry(_message.Message):
    __slots__ = ["deferred", "domain", "domain_order", "fetch_failed", "host_facts", "links_found", "page_fetched", "seeds", "time_ms", "url_order"]
    DEFERRED_FIELD_NUMBER: _ClassVar[int]
    DOMAIN_FIELD_NUMBER: _ClassVar[int]
    DOMAIN_ORDER_FIELD_NUMBER: _ClassVar[int]
    FETCH_FAILED_FIELD_NUMBER: _ClassVar[int]
    HOST_FACTS_FIELD_NUMBER: _ClassVar[int]
    LINKS_FOUND_FIELD_NUMBER: _ClassVar[int]
    PAGE_FETCHED_FIELD_NUMBER: _ClassVar[int]
    SEEDS_FIELD_NUMBER: _ClassVar[int]
    TIME_MS_FIELD_NUMBER: _ClassVar[int]
    URL_ORDER_FIELD_NUMBER: _ClassVar[int]
    deferred: Deferred
    domain: str
    domain_order: DomainOrder
    fetch_failed: FetchFailed
    host_facts: HostFacts
    links_found: LinksFound
    page_fetched: PageFetched
    seeds: Seeds
    time_ms: int
    url_order: UrlOrder
    def __init__(self, domain: _Optional[str] = ..., seeds: _Optional[_Union[Seeds, _Mapping]] = ..., page_fetched: _Optional[_Union[PageFetched, _Mapping]] = ..., links_found: _Optional[_Union[LinksFound, _Mapping]] = ..., fetch_failed: _Optional[_Union[FetchFailed, _Mapping]] = ..., deferred: _Optional[_Union[Deferred, _Mapping]] = ..., host_facts: _Optional[_Union[HostFacts, _Mapping]] = ..., domain_order: _Optional[_Union[DomainOrder, _Mapping]] = ..., url_order: _Optional[_Union[UrlOrder, _Mapping]] = ..., time_ms: _Optional[int] = ...) -> None: ...

class UrlOrder(_message.Message):
    __slots__ = ["fetch_again", "meta", "not_before_ms", "referrer", "score", "url"]
    class MetaEntry(_message.Message):
        __slots__ = ["key", "value"]
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: bytes
        def __init__(self, key: _Optional[str] = ..., value: _Optional[bytes] = ...) -> None: ...
    FETCH_AGAIN_FIELD_NUMBER: _ClassVar[int]
    META_FIELD_NUMBER: _ClassVar[int]
    NOT_BEFORE_MS_FIELD_NUMBER: _ClassVar[int]
    REFERRER_FIELD_NUMBER: _ClassVar[int]
    SCORE_FIELD_NUMBER: _ClassVar[int]
    URL_FIELD_NUMBER: _ClassVar[int]
    fetch_again: bool
    meta: _containers.ScalarMap[str, bytes]
    not_before_ms: int
    referrer: str
    score: float
    url: str
    def __init__(self, url: _Optional[str] = ..., score: _Optional[float] = ..., fetch_again: bool = ..., not_before_ms: _Optional[int] = ..., meta: _Optional[_Mapping[str, bytes]] = ..., referrer: _Optional[str] = ...) -> None: ...

class LinkRel(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []

class LinkKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []

class FailureCause(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []

class DeferReason(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []

class RobotsOutcome(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []

class DnsOutcome(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []
