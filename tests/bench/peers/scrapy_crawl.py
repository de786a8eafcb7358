"""Crawls with Scrapy as its documentation shows: queues in memory, robots.txt obeyed, every link followed.

  scrapy_crawl.py PROXY SEEDS_FILE FETCHES_AT_ONCE
"""

import pathlib
import sys

import scrapy
from scrapy.crawler import CrawlerProcess


class Everything(scrapy.Spider):
    name = "everything"

    def __init__(self, proxy, seeds):
        super().__init__()
        self.meta = {"proxy": proxy}
        self.seeds = seeds

    async def start(self):
        for seed in self.seeds:
            yield scrapy.Request(seed, meta=dict(self.meta))

    def parse(self, response):
        for link in response.css("a::attr(href)").getall():
            yield response.follow(link, meta=dict(self.meta))


def main():
    proxy, seeds, at_once = sys.argv[1], pathlib.Path(sys.argv[2]).read_text().split(), int(sys.argv[3])
    process = CrawlerProcess({
        "USER_AGENT": "bench",
        "ROBOTSTXT_OBEY": True,
        "CONCURRENT_REQUESTS": at_once,
        "CONCURRENT_REQUESTS_PER_DOMAIN": at_once,
        "DOWNLOAD_DELAY": 0,
        "AUTOTHROTTLE_ENABLED": False,
        "RETRY_ENABLED": False,
        "COOKIES_ENABLED": False,
        "TELNETCONSOLE_ENABLED": False,
        "LOG_LEVEL": "WARNING",
    })
    process.crawl(Everything, proxy=proxy, seeds=seeds)
    process.start()


if __name__ == "__main__":
    main()
