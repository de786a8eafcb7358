"""Says of each response and of each request that a callback yields which page of the frontier it belongs to."""

from __future__ import annotations

from typing import Any, AsyncIterator, Iterable, Iterator

from scrapy import Request

from orbweaver.scrapy.page import FOLLOW_UP, LINK_OF, PAGE, Page


class SpiderMiddleware:
    """Next to the engine, so that it sees each response first, and the output and failures that all other middlewares leave."""

    def process_spider_input(self, response: Any, spider: Any = None) -> None:
        page = response.meta.get(PAGE)
        if isinstance(page, Page) and FOLLOW_UP not in response.meta:
            page.response = response

    def process_spider_output(self, response: Any, result: Iterable[Any], spider: Any = None) -> Iterator[Any]:
        for one in result:
            yield self._marked(response, one)

    async def process_spider_output_async(self, response: Any, result: AsyncIterator[Any], spider: Any = None) -> AsyncIterator[Any]:
        async for one in result:
            yield self._marked(response, one)

    def process_spider_exception(self, response: Any, exception: BaseException, spider: Any = None) -> None:
        page = response.meta.get(PAGE)
        if isinstance(page, Page):
            page.error = exception

    def _marked(self, response: Any, one: Any) -> Any:
        if isinstance(one, Request):
            one.meta[LINK_OF] = response.meta.get(PAGE)
        return one
