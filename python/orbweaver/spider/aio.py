"""The spider for asyncio."""

from __future__ import annotations

import asyncio
from typing import Any, Optional, Type

from orbweaver.messages import HostFacts
from orbweaver.spider.options import SpiderOptions
from orbweaver.spider.request import FeedRequest
from orbweaver.spider.spider import Spider

_WAIT_S = 0.2


class AsyncSpider:
    """
        async with AsyncSpider("localhost:9092", concurrency=100) as spider:
            async for request in spider:
                asyncio.create_task(fetch(request))

    As Spider, which does the work on its own thread. Made and used within one event loop.
    """

    def __init__(self, brokers: str, prefix: str = "", options: Optional[SpiderOptions] = None, **more: Any) -> None:
        self._arguments = (brokers, prefix, options)
        self._more = more
        self._spider: Optional[Spider] = None

    async def __aenter__(self) -> "AsyncSpider":
        loop = asyncio.get_running_loop()
        self._changed = asyncio.Event()

        def wake() -> None:
            if not loop.is_closed():
                loop.call_soon_threadsafe(self._changed.set)

        self._spider = Spider(*self._arguments, **self._more)
        self._spider.core.on_change = wake
        return self

    async def __aexit__(self, kind: Optional[Type[BaseException]], failure: Any, trace: Any) -> None:
        await self.close(0.0 if kind is not None else None)

    def __aiter__(self) -> "AsyncSpider":
        return self

    async def __anext__(self) -> FeedRequest:
        request = await self.next()
        if request is None:
            raise StopAsyncIteration
        return request

    async def next(self) -> Optional[FeedRequest]:
        """A request whose turn has come; None after stop()."""
        spider = self.spider
        while True:
            self._changed.clear()
            if (request := spider.next(0)) is not None:
                return request
            if spider._stopping:
                return None
            look = spider.core.next_look()
            try:
                await asyncio.wait_for(self._changed.wait(), min(_WAIT_S, max(0.001, look)))
            except asyncio.TimeoutError:
                pass

    def stop(self) -> None:
        self.spider.stop()

    def stop_on(self, *signals: int) -> None:
        self.spider.stop_on(*signals)

    def tell(self, domain: str, facts: HostFacts) -> None:
        self.spider.tell(domain, facts)

    async def close(self, drain_timeout: Optional[float] = None) -> None:
        await asyncio.get_running_loop().run_in_executor(None, self.spider.close, drain_timeout)

    @property
    def spider(self) -> Spider:
        if self._spider is None:
            raise RuntimeError("AsyncSpider: `async with` begins it")
        return self._spider
