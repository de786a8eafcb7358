"""A spider of one's own beside, or instead of, Orbweaver's. Needs the extra `spider`: pip install 'orbweaver[spider]'."""

from orbweaver.spider.aio import AsyncSpider
from orbweaver.spider.options import SpiderOptions
from orbweaver.spider.request import FeedRequest, cause_of
from orbweaver.spider.spider import Spider, SpiderError

__all__ = ["AsyncSpider", "FeedRequest", "Spider", "SpiderError", "SpiderOptions", "cause_of"]
