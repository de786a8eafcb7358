"""Registered domains and fingerprints of URLs. Needs the extra `spider`: pip install 'orbweaver[spider]'."""

from __future__ import annotations

import functools
import ipaddress
import re
from typing import Any, Optional
from urllib.parse import urlsplit

__all__ = ["fingerprint", "registered_domain"]

_PLAIN = re.compile(r"[a-z0-9_.-]+\Z")


def fingerprint(data: "str | bytes") -> bytes:
    """XXH3-128 of a canonical URL or of a body: 16 bytes, big endian."""
    import xxhash

    digest: bytes = xxhash.xxh3_128_digest(data.encode() if isinstance(data, str) else data)
    return digest


def registered_domain(url: str) -> Optional[str]:
    """The key of a URL's messages, in canonical form: public suffix plus one label; an address, a single label or a
    public suffix is its own. None for what is no http(s) URL."""
    try:
        parts = urlsplit(url)
        host = parts.hostname
    except ValueError:
        return None
    return _domain_of_host(host) if host and parts.scheme in ("http", "https") else None


@functools.lru_cache(maxsize=65536)
def _domain_of_host(host: str) -> Optional[str]:
    if ":" in host:
        try:
            return f"[{ipaddress.IPv6Address(host).compressed}]"
        except ValueError:
            return None
    if not _PLAIN.match(host):
        try:
            host = host.encode("idna").decode()
        except UnicodeError:
            return None
    host = host.lower()
    host = host[:-1] if host.endswith(".") else host
    if not host or not _PLAIN.match(host) or ".." in host or len(host) > 253:
        return None
    if host.rpartition(".")[2].isdigit():
        try:
            return str(ipaddress.IPv4Address(host))
        except ValueError:
            return None
    return _suffixes().privatesuffix(host) or host


@functools.lru_cache(maxsize=1)
def _suffixes() -> Any:
    from publicsuffixlist import PublicSuffixList  # type: ignore[import-untyped,unused-ignore]

    return PublicSuffixList()
