"""The sections of docs/python.md on spiders, as a Scrapy user types them who has never seen this project: python3 python_cluster_docs_test.py

pip installs into bare virtual environments and asks its index. Kafka and HBase are this test's own, so that `./run cluster down` stops
them. `./run` is here without set-up and build. Spiders see a web on this machine alone, by the proxies of their environment: the sites
that the page names. Numbers may differ from the page's, and … stands for anything.
"""

import collections
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from docs_web import DocsWeb
from patient import Patient
from python_docs_test import ON_A_CLUSTER, PARTS, ROOT, pattern_of, sections

PATIENCE_S = 900
SPIDER, SCRAPY = ON_A_CLUSTER
SITES = ("quotes.toscrape.com", "books.toscrape.com")
FILES = {path: ("text/html", text) for path, text in {
    "/": '<title>All</title><a href="/page/2/">next</a> <a href="/one">one</a> <a href="https://www.example.com/">elsewhere</a>',
    "/page/2/": '<title>More</title><a href="/">back</a> <a href="/two">two</a>',
    "/one": '<title>One</title><a href="/gone">gone</a>',
    "/two": "<title>Two</title>",
}.items()}
# The paths that a site is asked for.
PATHS = [*FILES, "/gone"]
RUN = f"""#!/bin/sh
command=$1
shift
case $command in
  cluster | services) exec {ROOT}/deploy/local/$command "$@" ;;
  orbweaver) exec {ROOT}/build/release/cli/orbweaver "$@" ;;
esac
exit 2
"""
SPIDERS = ("python my_spider.py", "scrapy crawl")


class ClusterDocs(Patient):
    patience_s = PATIENCE_S
    look_again_s = 0.1

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.web = DocsWeb(self.folder, SITES, FILES)
        self.addCleanup(self.web.close)
        self.here = self.checkout = self.folder / "checkout"
        self.here.mkdir()
        (self.here / "python").symlink_to(ROOT / "python")
        (self.here / "run").write_text(RUN)
        (self.here / "run").chmod(0o755)
        subprocess.run([sys.executable, "-m", "venv", self.here / "venv"], check=True)
        others = ("PYTHONPATH", "VIRTUAL_ENV", "ORBWEAVER_KAFKA", "ORBWEAVER_THRIFT", "ORBWEAVER_SERVICES")
        self.of_pip = {name: value for name, value in os.environ.items() if name not in others} | {
            "PATH": f"{self.here}/venv/bin:{os.environ['PATH']}",
            "ORBWEAVER_SERVICES_DIR": str(self.folder / "services"),
            "ORBWEAVER_CLUSTER_DIR": str(self.folder / "cluster"),
        }
        # The fence: whatever a spider asks for, it asks this machine. The cluster runs in this environment too.
        proxy = f"http://127.0.0.1:{self.web.server.server_address[1]}"
        self.environment = self.of_pip | {"http_proxy": proxy, "https_proxy": proxy, "no_proxy": "",
                                          "REQUESTS_CA_BUNDLE": str(self.web.authorities)}
        self.spider = None
        self.spider_out = self.folder / "spider.out"
        self.printed = ""
        self.configuration = self.brokers = ""
        self.began = time.monotonic()
        self.addCleanup(self.leave)

    def leave(self):
        if self.spider is not None and self.spider.poll() is None:
            self.spider.kill()
            self.spider.wait()
        self.here = self.checkout
        self.types("./run cluster down", code=None)
        self.types("./run services wipe")

    def as_here(self, text):
        """The page's stand-ins replaced by what `up` has printed."""
        return text.replace("CONFIGURATION", self.configuration).replace("127.0.0.1:9092", self.brokers) if self.brokers else text

    def types(self, line, code=0):
        environment = self.of_pip if line.startswith("pip ") else self.environment
        done = subprocess.run(["bash", "-c", line], cwd=self.here, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=PATIENCE_S)
        if code is not None:
            self.assertEqual(code, done.returncode, f"$ {line}\n{done.stdout}")
        return done.stdout

    def begins(self, line):
        self.assertTrue(all(self.environment[name].startswith("http://127.0.0.1:") for name in ("http_proxy", "https_proxy")))
        with open(self.spider_out, "wb") as out:
            self.spider = subprocess.Popen(["bash", "-c", f"exec {line}"], cwd=self.here, env=self.environment, stdin=subprocess.DEVNULL,
                                           stdout=out, stderr=subprocess.STDOUT)

    def type_block(self, lines):
        self.printed = ""
        for line in map(self.as_here, lines):
            if line.startswith("cd "):
                self.here = self.here / line[3:]
            elif line.startswith(SPIDERS):
                self.begins(line)
            else:
                if line == "./run cluster down":
                    self.end_the_spider()
                self.printed += self.types(line)
        if "--config" in self.printed and not self.brokers:
            self.configuration = re.search(r"--config (\S+)", self.printed)[1]
            self.brokers = re.search(r"kafka.brokers (\S+), kafka.prefix \(none\)", self.printed)[1]

    def sees(self, shown, lines):
        """Waits for it: a spider prints by and by, and a look while it runs is repeated."""
        runs_in_it = any(line.startswith(SPIDERS) for line in lines)

        def is_shown():
            if self.spider is not None and not runs_in_it:
                self.type_block(lines)
            text = self.printed + (self.spider_out.read_text() if runs_in_it else "")
            return re.search(pattern_of(shown), text) is not None

        if self.spider is None:
            self.assertRegex(self.printed, pattern_of(shown))
        else:
            self.waits_until(is_shown, self.spider, f"{shown}\nbut:\n{self.printed}{self.spider_out.read_text()}")

    def writes(self, name, text):
        file = self.here / name
        if file.name == "settings.py":  # the page says what to replace and what to remove
            kept = [line for line in file.read_text().splitlines(True) if not line.startswith(("DOWNLOAD_DELAY", "CONCURRENT_REQUESTS_PER_DOMAIN"))]
            self.assertEqual(1, kept.count("ADDONS = {}\n"))
            text = "".join(text if line == "ADDONS = {}\n" else line for line in kept)
        file.write_text(text)

    def follow(self, heading):
        """Types the section as far as it is numbered."""
        lines = []
        for part in PARTS.finditer(sections()[heading].partition("\n### ")[0]):
            if part["kind"] == "python":
                self.writes(part["file"], self.as_here(part["text"]))
            elif part["kind"] == "sh":
                lines = part["text"].splitlines()
                self.type_block(lines)
            elif part["kind"] == "text":
                self.sees(part["text"].rstrip("\n"), lines)

    def end_the_spider(self):
        """When it has fetched all. The site was asked for each page once, by the page's agent."""
        self.waits_until(lambda: {f"{self.site}{path}" for path in PATHS} <= {url for url, _ in self.web.asked}, self.spider)
        # The frontier has the last outcome, and nothing more comes of it.
        self.waits_until(lambda: "queue: 0 waiting, 0 delayed" in self.types_in_the_checkout("./run cluster status"), self.spider)
        print(f"{self.site}: {time.monotonic() - self.began:.0f} s from nothing to all pages", file=sys.stderr)
        self.spider.send_signal(signal.SIGINT)
        self.assertEqual(0, self.spider.wait(PATIENCE_S), self.spider_out.read_text())
        asked = [(url, agent) for url, agent in self.web.asked if not url.endswith("/robots.txt")]
        self.assertEqual({f"{self.site}{path}": 1 for path in PATHS}, dict(collections.Counter(url for url, _ in asked)))
        self.assertEqual({self.agent}, {agent for _, agent in asked})

    def types_in_the_checkout(self, line):
        here, self.here = self.here, self.checkout
        try:
            return self.types(line)
        finally:
            self.here = here

    def test_a_spider_of_ones_own(self):
        self.site, self.agent = "quotes.toscrape.com", "my-spider/1.0 (+mailto:me@example.com)"
        self.follow(SPIDER)
        self.assertNotIn("Traceback", self.spider_out.read_text())
        self.assertIn("no worker runs", self.types("./run cluster status", code=1))

    def test_a_scrapy_project(self):
        self.site, self.agent = "books.toscrape.com", "my-project/1.0 (+mailto:me@example.com)"
        self.follow(SCRAPY)
        self.end_the_spider()
        items = [json.loads(line) for line in (self.here / "books.jsonl").read_text().splitlines()]
        self.assertEqual({"https://books.toscrape.com" + path for path in FILES}, {item["url"] for item in items})
        self.assertNotIn("Traceback", self.spider_out.read_text())


if __name__ == "__main__":
    unittest.main(verbosity=2)
