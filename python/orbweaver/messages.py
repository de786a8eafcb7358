"""The messages between the workers, and conveniences of their use.

The contract is proto/README.md; the comments in proto/orbweaver/v1 say what each field means.
"""

from __future__ import annotations

from typing import Any, Iterable, Optional, Tuple, Union

from google.protobuf.message import DecodeError

from orbweaver.v1.scoring_log_pb2 import DomainUpdate, ScheduleAction, ScheduledRequest, ScheduleRequests, ScoringLogEntry
from orbweaver.v1.spider_feed_pb2 import Marker, Request, SpiderFeedEntry
from orbweaver.v1.spider_log_pb2 import (
    Deferred,
    DeferReason,
    DnsOutcome,
    DomainOrder,
    FailureCause,
    FetchFailed,
    HostFacts,
    HttpHeader,
    Link,
    LinkKind,
    LinkRel,
    LinksFound,
    PageFetched,
    Redirect,
    RobotsOutcome,
    Seed,
    Seeds,
    SourcePage,
    SpiderLogEntry,
    UrlOrder,
)
from orbweaver.v1.spider_log_pb2 import *  # noqa: F403  the values of its enums: FAILURE_CAUSE_DNS
from orbweaver.v1.stats_pb2 import WorkerStats

__all__ = [
    "ENTRY_OF_TOPIC", "SCHEMA", "DecodeError", "Deferred", "DeferReason", "DnsOutcome", "DomainOrder", "DomainUpdate",
    "Entry", "FailureCause", "FetchFailed", "HostFacts", "HttpHeader", "Link", "LinkKind", "LinkRel", "LinksFound",
    "Marker", "PageFetched", "Redirect", "Request", "RobotsOutcome", "ScheduleAction", "ScheduledRequest",
    "ScheduleRequests", "ScoringLogEntry", "Seed", "Seeds", "SourcePage", "SpiderFeedEntry", "SpiderLogEntry",
    "UrlOrder", "WorkerStats", "clamp", "decode", "event", "schema_refusal",
]

# The header `schema` of messages that have one; a message without it is of this schema too.
SCHEMA = b"orbweaver.v1"

Entry = Union[SpiderLogEntry, ScoringLogEntry, SpiderFeedEntry, WorkerStats]

# The class of each topic's values.
ENTRY_OF_TOPIC: "dict[str, type[Any]]" = {
    "spider-log": SpiderLogEntry,
    "scoring-log": ScoringLogEntry,
    "spider-feed": SpiderFeedEntry,
    "stats": WorkerStats,
}
_ONEOF_OF_CLASS = {SpiderLogEntry: "event", ScoringLogEntry: "entry", SpiderFeedEntry: "entry"}


def decode(topic: str, value: bytes) -> Any:
    """The entry in a record of `topic`, whose name may have a prefix. DecodeError when it is none."""
    for name, kind in ENTRY_OF_TOPIC.items():
        if topic.endswith(name):
            return kind.FromString(value)
    raise KeyError(f"decode a record of {topic!r}: no topic of Orbweaver, which has {', '.join(ENTRY_OF_TOPIC)}")


def event(entry: Any) -> Tuple[str, Any]:
    """Name and message of the one event of an entry: ("page_fetched", PageFetched). ("", None) when it has none."""
    name = entry.WhichOneof(_ONEOF_OF_CLASS[type(entry)])
    return (name, getattr(entry, name)) if name else ("", None)


def schema_refusal(headers: Optional[Iterable[Tuple[str, Any]]]) -> str:
    """Why a record with these headers is not ours; empty when it is."""
    for name, value in headers or ():
        if name == "schema" and value != SCHEMA:
            shown = value.decode("utf-8", "replace") if isinstance(value, bytes) else value
            return f"schema {shown!r}, expected {SCHEMA.decode()!r}"
    return ""


def clamp(text: str, most_bytes: int) -> str:
    """The longest beginning of `text` that has at most so many bytes in UTF-8; texts beyond a field's bound are refused."""
    if len(text) * 4 <= most_bytes:
        return text.encode("utf-8", "replace").decode() if not text.isprintable() else text
    return text.encode("utf-8", "replace")[:most_bytes].decode("utf-8", "ignore")
