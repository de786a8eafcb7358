"""A call after some seconds, in Scrapy's thread: on its event loop, or on Twisted's reactor where that has none."""

from __future__ import annotations

import asyncio
from typing import Any, Callable


def call_later(seconds: float, function: Callable[[], None]) -> Any:
    """The result has cancel()."""
    try:
        return asyncio.get_running_loop().call_later(seconds, function)
    except RuntimeError:
        # Scrapy installs it, and it must not be imported before.
        from twisted.internet import reactor

        return reactor.callLater(seconds, function)  # type: ignore[arg-type,attr-defined,unused-ignore]
