"""A spider that knows nothing of a frontier: scrapy crawl pages -a seeds=FILE"""

import pathlib

import scrapy
from scrapy.http import HtmlResponse


class Pages(scrapy.Spider):
    name = "pages"

    def __init__(self, seeds, **more):
        super().__init__(**more)
        self.start_urls = pathlib.Path(seeds).read_text().split()

    def parse(self, response):
        if isinstance(response, HtmlResponse):
            yield {"url": response.url, "title": response.css("title::text").get()}
            yield from response.follow_all(xpath="//@href")
