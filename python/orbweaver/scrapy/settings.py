"""The settings of a Scrapy project that are about the frontier."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Tuple

from orbweaver.spider.options import SpiderOptions

SCHEDULER = "orbweaver.scrapy.Scheduler"
# Setting, path and order. The spider middleware stands next to the engine: it sees what all others leave. The delay stands next to the
# downloader, behind all others: each request to a site comes through it, those for robots.txt and of media pipelines too, and each that
# has come through ends in an answer or an exception.
COMPONENTS = (("SPIDER_MIDDLEWARES", "orbweaver.scrapy.SpiderMiddleware", 0),
              ("DOWNLOADER_MIDDLEWARES", "orbweaver.scrapy.DelayMiddleware", 100_000))


def frontier_of(settings: Any) -> Tuple[str, str, SpiderOptions]:
    """The brokers, the prefix and the options. ValueError says which setting is missing or wrong."""
    brokers = settings.get("ORBWEAVER_KAFKA")
    if not brokers:
        raise ValueError('ORBWEAVER_KAFKA is not set. It is the cluster\'s `kafka.brokers`, for example "localhost:9092"')
    given = settings.getdict("ORBWEAVER_OPTIONS")
    try:
        options = SpiderOptions(**given)
    except (TypeError, ValueError) as failure:
        raise ValueError(f"ORBWEAVER_OPTIONS: {failure}. Options are those of orbweaver.spider.SpiderOptions") from failure
    if not options.concurrency:
        options = replace(options, concurrency=settings.getint("CONCURRENT_REQUESTS"))
    return brokers, settings.get("ORBWEAVER_PREFIX") or "", options
