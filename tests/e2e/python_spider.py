"""A spider on the Python package, which the tests of the cluster start and kill: python3 python_spider.py BROKERS PREFIX PROXY_PORT plain|asyncio

It ends in good order on SIGTERM, and says on standard output when it has joined.
"""

import asyncio
import concurrent.futures
import gzip
import html
import http.client
import logging
import os
import re
import sys
import time
import urllib.parse

from orbweaver.spider import AsyncSpider, Spider

LINK = re.compile(rb'href="([^"]*)"')
THREADS = 8
AGENT = {"User-Agent": "orbweaver-python/1.0 (+mailto:test@example.com)"}
BROKERS, PREFIX, PORT, MODE = sys.argv[1:5]
OPTIONS = {"delay": 0, "session_timeout": 6, "commit_interval": 0.2, "concurrency": THREADS, "back_off_first": 1, "fetch_timeout": 60}
if "ORBWEAVER_SERVICES_CA" in os.environ:
    OPTIONS["kafka"] = {"security.protocol": "SASL_SSL", "ssl.ca.location": os.environ["ORBWEAVER_SERVICES_CA"], "sasl.mechanism": "SCRAM-SHA-512",
                        "sasl.username": os.environ["ORBWEAVER_KAFKA_USER"], "sasl.password": os.environ["ORBWEAVER_KAFKA_PASSWORD"]}
robots = set()  # hosts whose robots.txt was asked for


def get(url, headers):
    connection = http.client.HTTPConnection("127.0.0.1", int(PORT), timeout=5)
    try:
        connection.request("GET", url, headers={**AGENT, **headers, "Host": urllib.parse.urlsplit(url).netloc})
        answer = connection.getresponse()
        body = answer.read()
        return answer.status, answer.getheaders(), gzip.decompress(body) if answer.getheader("Content-Encoding") == "gzip" else body
    finally:
        connection.close()


def fetch(request):
    host = urllib.parse.urlsplit(request.url).netloc
    try:
        if host not in robots:
            robots.add(host)
            try:
                get(f"http://{host}/robots.txt", {})
            finally:
                time.sleep(request.delay)
        status, headers, body = get(request.url, request.conditions)
    except (OSError, http.client.HTTPException) as failure:
        request.failed(failure)
        return
    links = [urllib.parse.urljoin(request.url, html.unescape(found.decode("utf-8", "replace"))) for found in LINK.findall(body)]
    request.answered(status, headers, body, links)


def plain():
    with concurrent.futures.ThreadPoolExecutor(THREADS) as pool, Spider(BROKERS, PREFIX, **OPTIONS) as spider:
        spider.stop_on()
        for request in spider:
            pool.submit(fetch, request)


async def in_an_event_loop():
    async with AsyncSpider(BROKERS, PREFIX, **OPTIONS) as spider:
        spider.stop_on()
        async for request in spider:
            asyncio.get_running_loop().run_in_executor(None, fetch, request)


logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
if MODE == "plain":
    plain()
else:
    asyncio.run(in_an_event_loop())
