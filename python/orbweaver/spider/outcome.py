"""Entries of the spider log: the one outcome of a request, and the links of its page, within the bounds of the messages."""

from __future__ import annotations

import email.utils
import time
from typing import Any, Dict, Iterable, List, Mapping, Optional, Tuple, Union
from urllib.parse import urljoin

from orbweaver import messages
from orbweaver.messages import DeferReason, FailureCause, Link, LinkKind, LinksFound, PageFetched, Request, SpiderLogEntry, clamp
from orbweaver.urls import fingerprint, registered_domain

__all__ = ["Headers", "Links", "answered", "deferred", "failed", "retry_after_of"]

Headers = Union[Mapping[str, str], Iterable[Tuple[str, str]]]
Links = Iterable[Union[str, Link]]

MOST_LINKS = 1000
_MOST_MESSAGE_BYTES = 900_000
MOST_URL_BYTES = 2048
_MOST_ANCHOR_BYTES = 256
_MOST_TIME_MS = 1 << 42
# Texts of PageFetched that are cut to their bound; a validator or URL is left out instead, since half of one is none.
_CUT = {"title": 1024, "content_type": 256, "charset": 64, "language": 35, "robots_directives": 512, "remote_address": 64, "tls_error": 512}
_LEFT_OUT = {"final_url": MOST_URL_BYTES, "canonical_url": MOST_URL_BYTES, "etag": 512, "last_modified": 128}
_REDIRECTS = (301, 302, 303, 307, 308)


def answered(request: Request, status: int, headers: Headers, body: bytes, links: Links, began_ms: int, now_ms: int,
             fields: Dict[str, Any]) -> List[SpiderLogEntry]:
    """The entries of any answer of HTTP: of a page, of a redirect that was not followed, of a failure."""
    named = {name.lower(): value for name, value in (headers.items() if isinstance(headers, Mapping) else headers)}
    if status in _REDIRECTS:
        target = _target_of(fields.get("final_url") or request.url, named.get("location"))
        if target is None:
            return failed(request, messages.FAILURE_CAUSE_REDIRECT, "a redirect to no URL", began_ms, now_ms, status=status)
        body, links = b"", [Link(url=target, kind=messages.LINK_KIND_REDIRECT)]
    elif not (200 <= status < 300 or status == 304):
        cause = {4: messages.FAILURE_CAUSE_HTTP_4XX, 5: messages.FAILURE_CAUSE_HTTP_5XX}.get(
            status // 100, messages.FAILURE_CAUSE_HTTP_OTHER)
        return failed(request, cause, "", began_ms, now_ms, status=status, retry_after=retry_after_of(named.get("retry-after"), now_ms))
    return _page(request, status, named, body, links, began_ms, now_ms, fields)


def _page(request: Request, status: int, headers: Dict[str, str], body: bytes, links: Links, began_ms: int, now_ms: int,
          fields: Dict[str, Any]) -> List[SpiderLogEntry]:
    entry = SpiderLogEntry(domain=request.domain, time_ms=now_ms)
    page = entry.page_fetched
    page.request.CopyFrom(request)  # whole, with fields that these classes do not know
    page.status = status
    page.fetched_at_ms = began_ms
    page.total_ms = _duration(now_ms - began_ms)
    page.received_bytes = page.body_bytes = len(body)
    if body:
        page.content_hash = fingerprint(body)
    page.not_modified = status == 304
    texts = {"content_type": headers.get("content-type", "").partition(";")[0].strip().lower(), "etag": headers.get("etag", ""),
             "last_modified": headers.get("last-modified", "")}
    if page.not_modified:
        texts["etag"] = texts["etag"] or request.etag
        texts["last_modified"] = texts["last_modified"] or request.last_modified
    _set(page, {**texts, **fields})
    if page.final_url == request.url:
        page.final_url = ""
    by_domain = _by_domain(links)
    for domain, some in by_domain.items():
        if domain == request.domain:
            page.links_inside = len(some)
        else:
            page.links_outside += len(some)
    return [entry, *_links_found(request, by_domain, page.links_inside + page.links_outside, now_ms)]


def _set(page: PageFetched, fields: Dict[str, Any]) -> None:
    for name, value in fields.items():
        if name in _CUT:
            value = clamp(value, _CUT[name])
        elif name in _LEFT_OUT:
            value = value if len(value.encode("utf-8", "replace")) <= _LEFT_OUT[name] else ""
            value = clamp(value, _LEFT_OUT[name])
        if isinstance(value, (list, tuple)):
            getattr(page, name).extend(value)
        else:
            setattr(page, name, value)


def _by_domain(links: Links) -> Dict[str, List[Link]]:
    """Links to anything but pages of the web are left out, and those whose URL is longer than a message takes."""
    found: Dict[str, List[Link]] = {}
    for one in links:
        link = Link(url=one) if isinstance(one, str) else one
        domain = registered_domain(link.url)
        if domain is None or len(link.url.encode("utf-8", "replace")) > MOST_URL_BYTES:
            continue
        if len(link.anchor) * 4 > _MOST_ANCHOR_BYTES:
            link.anchor = clamp(link.anchor, _MOST_ANCHOR_BYTES)
        found.setdefault(domain, []).append(link)
    return found


def _links_found(request: Request, by_domain: Dict[str, List[Link]], count: int, now_ms: int) -> List[SpiderLogEntry]:
    entries: List[SpiderLogEntry] = []
    for domain, links in by_domain.items():
        found: Optional[LinksFound] = None
        room = 0
        for link in links:
            size = link.ByteSize() + 8
            if found is None or len(found.links) == MOST_LINKS or size > room:
                entry = SpiderLogEntry(domain=domain, time_ms=now_ms)
                entries.append(entry)
                found = entry.links_found
                source = found.source
                source.url, source.fingerprint, source.depth = request.url, request.fingerprint, request.depth
                source.score, source.link_count = request.score, count
                for name, value in request.meta.items():
                    source.meta[name] = value
                room = _MOST_MESSAGE_BYTES - entry.ByteSize()
            found.links.append(link)
            room -= size
    return entries


def failed(request: Request, cause: FailureCause, message: str, began_ms: int, now_ms: int, status: int = 0,
           retry_after: Optional[float] = None, final_url: str = "") -> List[SpiderLogEntry]:
    entry = SpiderLogEntry(domain=request.domain, time_ms=now_ms)
    failure = entry.fetch_failed
    failure.request.CopyFrom(request)
    failure.cause = cause
    failure.status = status
    failure.message = clamp(message, 1024)
    failure.failed_at_ms = now_ms
    failure.total_ms = _duration(now_ms - began_ms)
    if retry_after is not None:
        failure.retry_after_ms = _duration(int(retry_after * 1000))
    if final_url != request.url and len(final_url.encode("utf-8", "replace")) <= MOST_URL_BYTES:
        failure.final_url = clamp(final_url, MOST_URL_BYTES)
    return [entry]


def deferred(request: Request, not_before_ms: int, reason: DeferReason, now_ms: int) -> List[SpiderLogEntry]:
    entry = SpiderLogEntry(domain=request.domain, time_ms=now_ms)
    entry.deferred.request.CopyFrom(request)
    entry.deferred.not_before_ms = _duration(not_before_ms)
    entry.deferred.reason = reason
    return [entry]


def retry_after_of(value: Optional[str], now_ms: Optional[int] = None) -> Optional[float]:
    """The seconds that a Retry-After asks for, which are a number or a date (RFC 9110, 10.2.3). None for what is neither."""
    text = (value or "").strip()
    if text.isascii() and text.isdigit():
        return float(text[:12])
    try:
        at = email.utils.parsedate_to_datetime(text).timestamp()
    except (TypeError, ValueError, IndexError, OverflowError):
        return None
    return max(0.0, at - (time.time() if now_ms is None else now_ms / 1000))


def _target_of(base: str, location: Optional[str]) -> Optional[str]:
    if not location:
        return None
    try:
        target = urljoin(base, location.strip())
    except ValueError:
        return None
    return target if registered_domain(target) and len(target.encode("utf-8", "replace")) <= MOST_URL_BYTES else None


def _duration(milliseconds: int) -> int:
    return min(max(milliseconds, 0), _MOST_TIME_MS)
