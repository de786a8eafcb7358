"""A Scrapy project on the frontier: Scrapy itself in this process, the spider's middle, and neither Kafka nor ports.

Past 400 lines, since all cases share one simulated frontier."""
import package_environment  # noqa: F401

import asyncio
import logging
import time
import unittest

import scrapy
from scrapy.crawler import CrawlerProcess
from scrapy.exceptions import CloseSpider, IgnoreRequest
from scrapy.linkextractors import LinkExtractor
from scrapy.settings import Settings
from scrapy.spiders import CrawlSpider, Rule

from orbweaver.messages import DeferReason, FailureCause, LinkKind, Request, SpiderFeedEntry, event
from orbweaver.scrapy import Addon, DelayMiddleware, Scheduler
from orbweaver.scrapy.page import cause_of_download
from orbweaver.scrapy.settings import frontier_of
from orbweaver.spider import SpiderError
from orbweaver.spider.core import SpiderCore
from orbweaver.urls import fingerprint, registered_domain

DELAY = 0.05


class Frontier:
    """With the surface of orbweaver.spider.Spider: gives the spider's requests, and keeps what it was told."""

    def __init__(self, options, spider):
        self.core = SpiderCore(options, self._sent, time.monotonic, time.time)
        self.spider = spider
        self.log = []  # entries, with those of links
        self.seeds = []
        self.failure = None
        self.closed = False
        self.core.assign(0, 0, "", False)
        for offset, url in enumerate(spider.feed):
            request = Request(url=url, domain=registered_domain(url), fingerprint=fingerprint(url), depth=3, etag=spider.etag,
                              delay_ms=spider.delay_ms)
            self.core.read(0, offset, SpiderFeedEntry(request=request).SerializeToString(), None)

    def _sent(self, entries, told):
        self.log.extend(entries)
        for _ in entries:
            told()

    def next(self, timeout):
        if self.failure:
            raise self.failure
        return self.core.start()

    def seed(self, url):
        if registered_domain(url) is None:
            raise ValueError("no URL")
        self.seeds.append(url)

    def close(self):
        self.core.leave([0])
        self.closed = True

    def outcomes(self):
        """By URL: the kind and the outcome."""
        return {event(one)[1].request.url: event(one) for one in self.log if event(one)[0] != "links_found"}

    def links(self):
        return [link for one in self.log if event(one)[0] == "links_found" for link in event(one)[1].links]

    def committed(self):
        return [one.offset for one in self.core.commits()]


class OnFrontier(Scheduler):
    most_own = 2

    def join(self, brokers, prefix, options):
        self._scrapy_spider.frontier = Frontier(options, self._scrapy_spider)
        return self._scrapy_spider.frontier


class OfCrawler:
    """A component that knows its crawler."""

    @classmethod
    def from_crawler(cls, crawler):
        component = cls()
        component.crawler = crawler
        return component


class Web(OfCrawler):
    """Behind the last of the downloader middlewares: answers as the spider's `web` says, a status, an exception or a body by URL."""

    async def process_request(self, request, spider=None):
        spider = self.crawler.spider
        spider.asked.append((time.monotonic(), request.method, request.url, request.headers.to_unicode_dict()))
        answer = spider.web.get(request.url, b"")
        if asyncio.iscoroutinefunction(answer):
            answer = await answer()
        if isinstance(answer, BaseException):
            raise answer
        spider.answered.append((time.monotonic(), request.url))
        if isinstance(answer, tuple):
            return scrapy.http.HtmlResponse(request.url, status=answer[0], headers=answer[1], request=request, body=b"")
        return scrapy.http.HtmlResponse(request.url, body=answer, request=request, encoding="utf-8")


class Project:
    """The base of the spiders below; each `judge` is a test."""

    custom_settings = {
        "ADDONS": {Addon: 100}, "SCHEDULER": OnFrontier, "ORBWEAVER_KAFKA": "nowhere:1", "ORBWEAVER_OPTIONS": {"delay": DELAY, "fetch_timeout": 20},
        "DOWNLOADER_MIDDLEWARES": {Web: 200_000}, "ORBWEAVER_IDLE_STOP": 0.2, "ROBOTSTXT_OBEY": False, "COOKIES_ENABLED": False,
        "TELNETCONSOLE_ENABLED": False, "REMOTE_CONTROL_ENABLED": False, "LOG_LEVEL": "CRITICAL"}
    feed = ["http://a.example/1"]
    etag = ""
    delay_ms = 0
    web = {}

    def __init__(self, *arguments, **more):
        super().__init__(*arguments, **more)
        self.asked, self.answered, self.notes, self.reason = [], [], [], None

    def closed(self, reason):
        self.reason = reason

    @classmethod
    def settings(cls, **more):
        return {**Project.custom_settings, **more}


CASES = []


def case(kind):
    kind.name = kind.__name__
    CASES.append(kind)
    return kind


@case
class LinksAndItems(Project, scrapy.Spider):
    """Links of a page go back with its outcome, in no way to the downloader; a start is a seed."""

    start_urls = ["http://a.example/", "http://b.example/"]
    etag = '"e"'
    web = {"http://a.example/1": b"<meta http-equiv=refresh content='0; url=/refreshed'><a href=/2>two</a>"}

    def parse(self, response):
        yield {"url": response.url}
        yield response.follow("/2", meta=response.meta)
        yield response.follow("/2")
        yield scrapy.Request("http://b.example/3", meta={"link_text": " to  b "})
        yield scrapy.Request("http://b.example/3", meta={"link_text": "again"})
        self.notes.append(response.meta["depth"])

    def judge(self, test):
        test.assertEqual(["http://a.example/", "http://b.example/"], self.frontier.seeds)
        test.assertEqual(["http://a.example/1"], [url for _, _, url, _ in self.asked])
        test.assertEqual('"e"', self.asked[0][3]["If-None-Match"])
        test.assertEqual([3], self.notes)
        (kind, page), = self.frontier.outcomes().values()
        test.assertEqual(("page_fetched", 200, "", 2, 1), (kind, page.status, page.final_url, page.links_inside, page.links_outside))
        test.assertEqual([("http://a.example/2", "", LinkKind.LINK_KIND_ANCHOR), ("http://a.example/refreshed", "", LinkKind.LINK_KIND_REFRESH),
                          ("http://b.example/3", "to b", LinkKind.LINK_KIND_ANCHOR)],
                         [(link.url, link.anchor, link.kind) for link in self.frontier.links()])
        test.assertEqual("orbweaver_idle", self.reason)
        test.assertTrue(self.frontier.closed)


class Slow(OfCrawler):
    """An item pipeline that takes its time."""

    async def process_item(self, item, spider=None):
        await asyncio.sleep(0.1)
        self.crawler.spider.note("pipeline")
        return item


@case
class DoneWhenAllIsDone(Project, scrapy.Spider):
    """No outcome before the callback has ended, and the pipelines have its items."""

    custom_settings = Project.settings(ITEM_PIPELINES={Slow: 1})

    def note(self, where):
        self.notes.append((where, len(self.frontier.log), self.frontier.committed()))

    async def parse(self, response):
        yield {"an": "item"}
        await asyncio.sleep(0.05)
        self.note("callback")
        yield response.follow("/late")

    def judge(self, test):
        test.assertEqual([("callback", 0, []), ("pipeline", 0, [])], self.notes)
        test.assertEqual(["http://a.example/late"], [link.url for link in self.frontier.links()])
        test.assertEqual([1], self.frontier.committed())


@case
class FollowUps(Project, scrapy.Spider):
    """Scrapy itself fetches, politely, requests that the frontier cannot repeat, and their links are the page's."""

    feed = ["http://a.example/1", "http://b.example/1"]

    def parse(self, response):
        if "b.example" in response.url:
            return
        yield scrapy.FormRequest(response.urljoin("/form"), formdata={"q": "x"}, callback=self.after)
        yield response.follow("/now", meta={"orbweaver_local": True}, callback=self.after)
        yield scrapy.Request("http://c.example/api", method="POST")

    def after(self, response):
        self.notes.append((response.url, len(self.frontier.outcomes())))
        yield scrapy.Request(response.url + "/link", meta=response.meta)

    def judge(self, test):
        asked = [(method, url) for _, method, url, _ in self.asked if "b.example" not in url]
        test.assertEqual([("GET", "http://a.example/1"), ("POST", "http://a.example/form"), ("GET", "http://a.example/now")], asked)
        test.assertNotIn("http://a.example/1", [url for url, count in self.notes if count > 1])
        test.assertEqual({"http://a.example/form/link", "http://a.example/now/link"}, {link.url for link in self.frontier.links()})
        kind, page = self.frontier.outcomes()["http://a.example/1"]
        test.assertEqual(("page_fetched", ""), (kind, page.final_url))
        test.assertEqual("a.example", registered_domain(self.asked[0][2]))
        ended = {url: at for at, url in self.answered}
        began = [(at, url) for at, _, url, _ in self.asked if "a.example" in url]
        for (_, before), (at, url) in zip(began, began[1:]):
            test.assertGreaterEqual(at - ended[before], DELAY, url)


class Elsewhere:
    """A downloader middleware of a project's that wants another request in place of the first."""

    def process_response(self, request, response, spider=None):
        if request.url.endswith("/1"):
            return request.replace(url=request.url.replace("stays.example/1", "stays.example/2").replace("goes.example/1", "away.example/2"))
        return response


@case
class AnotherRequest(Project, scrapy.Spider):
    """A middleware that asks anew has its page, with its delay; one that leads to another domain has a link."""

    custom_settings = Project.settings(DOWNLOADER_MIDDLEWARES={Web: 200_000, Elsewhere: 600})
    feed = ["http://stays.example/1", "http://goes.example/1"]

    def parse(self, response):
        self.notes.append(response.url)

    def judge(self, test):
        test.assertEqual(["http://stays.example/2"], self.notes)
        outcomes = self.frontier.outcomes()
        test.assertEqual(("page_fetched", 200, "http://stays.example/2"), (outcomes["http://stays.example/1"][0],
                         outcomes["http://stays.example/1"][1].status, outcomes["http://stays.example/1"][1].final_url))
        test.assertEqual(302, outcomes["http://goes.example/1"][1].status)
        test.assertEqual([("http://away.example/2", LinkKind.LINK_KIND_REDIRECT)], [(link.url, link.kind) for link in self.frontier.links()])
        times = [at for at, _, url, _ in self.asked if "stays" in url]
        test.assertEqual((2, 3), (len(times), len(self.asked)))
        test.assertGreaterEqual(times[1] - times[0], DELAY)


@case
class Starts(Project, scrapy.Spider):
    """Requests of the start that no frontier could repeat are fetched at once; their links are seeds."""

    feed = []

    async def start(self):
        yield scrapy.FormRequest("http://a.example/login", formdata={"user": "me"}, callback=self.in_)
        yield scrapy.Request("ftp://a.example/none")
        yield scrapy.Request("http://a.example/")

    def in_(self, response):
        yield response.follow("/inside")

    def judge(self, test):
        test.assertEqual(["http://a.example/", "http://a.example/inside"], sorted(self.frontier.seeds))
        test.assertEqual([("POST", "http://a.example/login")], [(method, url) for _, method, url, _ in self.asked])


class Forgetting(unittest.TestCase):
    def test_domains_that_nobody_waits_for_are_forgotten(self):
        now = [0.0]
        delays = DelayMiddleware(1.0, clock=lambda: now[0])
        for number in range(5000):
            delays.know(f"{number}.example", 2.0)
        self.assertEqual(5000, len(delays._domains), "their pages may be before robots.txt yet")
        now[0] = 1000.0
        for number in range(5000, 9000):
            delays.know(f"{number}.example", 2.0)
        self.assertEqual(4000, len(delays._domains))


@case
class TooMany(Project, scrapy.Spider):
    """A callback that asks for too much is bounded."""

    def parse(self, response):
        for number in range(10_001):
            yield response.follow(f"/{number}")
        for number in range(3):
            yield scrapy.Request(response.urljoin(f"/post{number}"), method="POST", callback=self.after)

    def after(self, response):
        pass

    def judge(self, test):
        kind, page = self.frontier.outcomes()["http://a.example/1"]
        test.assertEqual((10_000, True), (page.links_inside, page.links_truncated))
        test.assertEqual(3, len(self.asked))


@case
class Failures(Project, scrapy.Spider):
    """Each failure has its cause, and none stops the crawl."""

    feed = [f"http://{name}.example/" for name in ("missing", "moved", "refused", "ignored", "broken", "brokengenerator", "busy")]
    web = {"http://missing.example/": (404, {}), "http://moved.example/": (301, {"Location": "/elsewhere"}),
           "http://refused.example/": ConnectionRefusedError("no"), "http://ignored.example/": IgnoreRequest("not wanted"),
           "http://busy.example/": (503, {"Retry-After": "7"})}

    def parse(self, response):
        return self.generate(response) if "generator" in response.url else 1 / 0 if "broken" in response.url else []

    def generate(self, response):
        yield response.follow("/before")
        raise ValueError("on purpose")

    def judge(self, test):
        outcomes = {url[7:].partition(".")[0]: (kind, what) for url, (kind, what) in self.frontier.outcomes().items()}
        failed = {name: (what.cause, what.status) for name, (kind, what) in outcomes.items() if kind == "fetch_failed"}
        test.assertEqual({"missing": (FailureCause.FAILURE_CAUSE_HTTP_4XX, 404), "refused": (FailureCause.FAILURE_CAUSE_REFUSED, 0),
                          "ignored": (FailureCause.FAILURE_CAUSE_BAD_URL, 0), "broken": (FailureCause.FAILURE_CAUSE_UNSPECIFIED, 0),
                          "brokengenerator": (FailureCause.FAILURE_CAUSE_UNSPECIFIED, 0),
                          "busy": (FailureCause.FAILURE_CAUSE_HTTP_5XX, 503)}, failed)
        test.assertIn("ValueError: on purpose", outcomes["brokengenerator"][1].message)
        test.assertEqual(7000, outcomes["busy"][1].retry_after_ms)
        test.assertEqual(("page_fetched", 301), (outcomes["moved"][0], outcomes["moved"][1].status))
        test.assertEqual([("http://moved.example/elsewhere", LinkKind.LINK_KIND_REDIRECT)],
                         [(link.url, link.kind) for link in self.frontier.links()])
        test.assertEqual(len(self.feed), len(self.asked), "retried")


@case
class Robots(Project, scrapy.Spider):
    """Scrapy's robots.txt, also behind a redirect, and a delay between it and the page."""

    custom_settings = Project.settings(ROBOTSTXT_OBEY=True)
    feed = ["http://a.example/open", "http://b.example/closed"]
    delay_ms = int(2000 * DELAY)  # the frontier asks for more than the options
    web = {"http://b.example/robots.txt": (301, {"Location": "/rules"}), "http://b.example/rules": b"User-agent: *\nDisallow: /closed"}

    def parse(self, response):
        pass

    def judge(self, test):
        test.assertEqual("page_fetched", self.frontier.outcomes()["http://a.example/open"][0])
        test.assertEqual(FailureCause.FAILURE_CAUSE_ROBOTS, self.frontier.outcomes()["http://b.example/closed"][1].cause)
        for domain, urls in (("a.example", ["/robots.txt", "/open"]), ("b.example", ["/robots.txt", "/rules"])):
            times, paths = zip(*[(at, url[len("http://") + len(domain):]) for at, _, url, _ in self.asked if domain in url])
            test.assertEqual(urls, list(paths))
            test.assertGreaterEqual(times[1] - times[0], 2 * DELAY)


@case
class Offsite(Project, scrapy.Spider):
    """Scrapy's own filters hold for links."""

    custom_settings = Project.settings(DEPTH_LIMIT=4)
    allowed_domains = ["a.example"]

    def parse(self, response):
        yield response.follow("/in")
        yield response.follow("http://b.example/out")

    def judge(self, test):
        test.assertEqual(["http://a.example/in"], [link.url for link in self.frontier.links()])


@case
class TooDeep(Project, scrapy.Spider):
    custom_settings = Project.settings(DEPTH_LIMIT=3)

    def parse(self, response):
        yield response.follow("/deeper")

    def judge(self, test):
        test.assertEqual([], self.frontier.links())
        test.assertEqual("page_fetched", self.frontier.outcomes()["http://a.example/1"][0])


@case
class Rules(Project, CrawlSpider):
    """A CrawlSpider's pages come to the callback of the first rule that matches."""

    rules = [Rule(LinkExtractor(allow="/item/"), callback="item"), Rule(LinkExtractor(allow="/list/"), follow=True)]
    feed = ["http://a.example/item/1", "http://b.example/list/"]
    web = {"http://b.example/list/": b'<a href="/item/2">an <b>item</b></a> <a href="/list/2">next</a> <a href="/other">other</a>'}

    def item(self, response):
        self.notes.append(response.url)

    def judge(self, test):
        test.assertEqual(["http://a.example/item/1"], self.notes)
        test.assertEqual([("http://b.example/item/2", "an item"), ("http://b.example/list/2", "next")],
                         [(link.url, link.anchor) for link in self.frontier.links()])


@case
class Callbacks(Project, scrapy.Spider):
    feed = ["http://a.example/item"]

    def callback_for(self, url):
        return self.item if url.endswith("/item") else None

    def item(self, response):
        self.notes.append(response.url)

    def judge(self, test):
        test.assertEqual(self.feed, self.notes)


@case
class Closing(Project, scrapy.Spider):
    """A spider that closes itself hands back what it has not finished."""

    feed = ["http://a.example/1", "http://a.example/2"]

    def parse(self, response):
        yield response.follow("/found")
        raise CloseSpider("enough")

    def judge(self, test):
        test.assertEqual("enough", self.reason)
        test.assertEqual({url: ("deferred", DeferReason.DEFER_REASON_SHUTDOWN) for url in self.feed},
                         {url: (kind, what.reason) for url, (kind, what) in self.frontier.outcomes().items()})


@case
class FollowUpAtTheEnd(Project, scrapy.Spider):
    """A page whose follow-up is not fetched any more is not done."""

    def parse(self, response):
        yield scrapy.Request(response.urljoin("/post"), method="POST")
        self.crawler.engine.close_spider(self, "at once") if not hasattr(self.crawler.engine, "close_spider_async") else \
            asyncio.ensure_future(self.crawler.engine.close_spider_async(reason="at once"))
        yield {}

    async def never(self):
        return b""

    def judge(self, test):
        test.assertEqual("deferred", self.frontier.outcomes()["http://a.example/1"][0])


@case
class LacksTheMiddleware(Project, scrapy.Spider):
    """The scheduler alone says what it lacks."""

    custom_settings = Project.settings(ADDONS={})

    def judge(self, test):
        test.assertRegex(str(test.failures[type(self)]), 'DOWNLOADER_MIDDLEWARES lacks "orbweaver.scrapy.DelayMiddleware": 100000.*ADDONS')


@case
class GivesUp(Project, scrapy.Spider):
    """The frontier cannot go on: the spider closes, and says so."""

    custom_settings = Project.settings(ORBWEAVER_IDLE_STOP=0)

    def parse(self, response):
        asyncio.get_running_loop().call_later(0.2, self.give_up)

    def give_up(self):
        self.frontier.failure = SpiderError("retention was faster")
        self.frontier.core.on_change()

    def judge(self, test):
        test.assertEqual("orbweaver_failed", self.reason)
        test.assertEqual("page_fetched", self.frontier.outcomes()["http://a.example/1"][0])


class Crawls(unittest.TestCase):
    """A test for each case; all crawl at once, since a process has one event loop."""

    @classmethod
    def setUpClass(cls):
        process = CrawlerProcess({"LOG_ENABLED": False})
        cls.crawlers = {kind: process.create_crawler(kind) for kind in CASES}
        cls.failures = {}
        for kind, crawler in cls.crawlers.items():
            process.crawl(crawler).addErrback(lambda failure, kind=kind: cls.failures.update({kind: failure.value}))
        process.start(install_signal_handlers=False)


def _test_of(kind):
    def test(self):
        self.crawlers[kind].spider.judge(self)
    return test


for one in CASES:
    setattr(Crawls, f"test_{one.__name__}", _test_of(one))


class SettingsOfAProject(unittest.TestCase):
    def test_what_is_missing_is_named(self):
        with self.assertRaisesRegex(ValueError, "ORBWEAVER_KAFKA is not set"):
            frontier_of(Settings())
        with self.assertRaisesRegex(ValueError, "ORBWEAVER_OPTIONS.*dellay"):
            frontier_of(Settings({"ORBWEAVER_KAFKA": "k:1", "ORBWEAVER_OPTIONS": {"dellay": 1}}))
        with self.assertRaisesRegex(ValueError, "ORBWEAVER_OPTIONS: delay = -1"):
            frontier_of(Settings({"ORBWEAVER_KAFKA": "k:1", "ORBWEAVER_OPTIONS": {"delay": -1}}))

    def test_concurrency_is_scrapys_unless_it_is_named(self):
        self.assertEqual(5, frontier_of(Settings({"ORBWEAVER_KAFKA": "k:1", "CONCURRENT_REQUESTS": 5}))[2].concurrency)
        self.assertEqual(9, frontier_of(Settings({"ORBWEAVER_KAFKA": "k:1", "ORBWEAVER_OPTIONS": {"concurrency": 9}}))[2].concurrency)

    def test_the_addon_sets_all_and_leaves_what_a_project_says(self):
        settings = Settings({"ORBWEAVER_KAFKA": "k:1", "ROBOTSTXT_OBEY": False, "SPIDER_MIDDLEWARES": {"mine.Own": 7}})
        Addon().update_settings(settings)
        self.assertEqual(0, settings["SPIDER_MIDDLEWARES"]["orbweaver.scrapy.SpiderMiddleware"])
        self.assertEqual(100_000, settings["DOWNLOADER_MIDDLEWARES"]["orbweaver.scrapy.DelayMiddleware"])
        self.assertEqual("orbweaver.scrapy.Scheduler", settings["SCHEDULER"])
        self.assertFalse(settings.getbool("ROBOTSTXT_OBEY"))
        self.assertEqual(7, settings["SPIDER_MIDDLEWARES"]["mine.Own"])


class CausesOfFailures(unittest.TestCase):
    def test_they_are_those_of_scrapy_and_of_twisted(self):
        from twisted.internet import error
        from twisted.python.failure import Failure
        from twisted.web._newclient import ResponseFailed, ResponseNeverReceived
        for failure, cause in ((error.DNSLookupError("x"), "DNS_TEMPORARY"), (error.ConnectionRefusedError(), "REFUSED"),
                               (error.TCPTimedOutError(), "TIMEOUT_CONNECT"), (error.TimeoutError(), "TIMEOUT_TOTAL"),
                               (ResponseNeverReceived([Failure(error.ConnectionLost())]), "RESET"),
                               (ResponseFailed([Failure(error.TimeoutError())]), "TIMEOUT_TOTAL"),
                               (IgnoreRequest("Forbidden by robots.txt"), "ROBOTS"), (ValueError(), "UNSPECIFIED")):
            self.assertEqual(FailureCause.Value(f"FAILURE_CAUSE_{cause}"), cause_of_download(failure), failure)


if __name__ == "__main__":
    logging.getLogger("orbweaver.scrapy").setLevel(logging.CRITICAL)
    unittest.main()
