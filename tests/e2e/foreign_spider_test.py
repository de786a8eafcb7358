"""Spiders in Python, on the package in python/, beside ours and instead of them: python3 foreign_spider_test.py BUILD [--hosts N --pages N]

ORBWEAVER_CACHE has the packages that they need (deploy/deps/python.txt, scrapy.txt).
"""

import os
import pathlib
import signal
import subprocess
import sys

from cluster_world import PATIENCE_S, ROOT, World, main
from synthetic_web import FAULTS

# Another one has packages of its own: an environment with another version of Scrapy.
PYTHON = os.environ.get("ORBWEAVER_TEST_PYTHON") or sys.executable
CACHE = pathlib.Path(os.environ.get("ORBWEAVER_CACHE") or pathlib.Path.home() / ".cache/orbweaver")
HERE = pathlib.Path(__file__).parent


class PythonSpider:
    """A process of python_spider.py, with the surface of a worker of ours."""

    def __init__(self, world, number, mode):
        self.name = f"python-spider-{number}"
        self.log = world.folder / f"{self.name}.log"
        self.command = [PYTHON, "-B", HERE / "python_spider.py", os.environ["ORBWEAVER_KAFKA"], world.prefix, str(world.web.port), mode]
        self.environment = dict(os.environ)
        if PYTHON == sys.executable:
            self.environment["PYTHONPATH"] = ":".join(map(str, (ROOT / "python", CACHE / "python-packages-1", CACHE / "scrapy-2.19.0")))
        else:
            self.environment["PYTHONPATH"] = str(ROOT / "python")
        self.process = None

    def launch(self):
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(self.command, env=self.environment, stdout=log, stderr=log)

    def ended(self):
        return self.process.poll() is not None

    def stop(self, number=signal.SIGTERM, patience_s=PATIENCE_S):
        if not self.ended():
            self.process.send_signal(number)
        return self.process.wait(patience_s)

    def tail(self):
        return self.log.read_text()[-3000:]


class ScrapySpider(PythonSpider):
    """A process of the project of scrapy_settings.py and scrapy_pages.py, which also names the seeds."""

    def __init__(self, world, number):
        super().__init__(world, number, "scrapy")
        self.command = [PYTHON, "-B", "-m", "scrapy", "crawl", "pages", "-a", f"seeds={world.web.seeds}"]
        self.environment["PYTHONPATH"] += f":{HERE}"
        self.environment.update(SCRAPY_SETTINGS_MODULE="scrapy_settings", ORBWEAVER_PREFIX=world.prefix, http_proxy=f"http://127.0.0.1:{world.web.port}")


class Foreign(World):
    def scrapy_spider(self, number):
        spider = ScrapySpider(self, number)
        spider.launch()
        self.running.append(spider)
        return spider

    def python_spider(self, number, mode="plain"):
        spider = PythonSpider(self, number, mode)
        spider.launch()
        self.running.append(spider)
        return spider

    def stop_all(self):
        """Python's in good order too: their exit code says so."""
        spiders = [one for one in self.running if isinstance(one, PythonSpider)]
        for spider in spiders:
            self.assertEqual(0, spider.stop(), spider.tail())
            self.running.remove(spider)
        super().stop_all()

    def partitions_of(self, spider):
        """How many partitions it was given last."""
        given = [line.rpartition("partitions ")[2].count(",") + 1 for line in spider.log.read_text().splitlines() if ": partitions [" in line]
        return given[-1] if given else 0

    def kill_five_times(self, spiders):
        for victim in self.in_the_course_of_it((spiders * 5)[:5]):
            self.kill(victim)
            victim.launch()

    def test_it_takes_its_share_of_the_crawl_which_completes(self):
        self.start("--robots-hosts", "0", counts=(1, 1, 1))
        spiders = [self.python_spider(1), self.python_spider(2, "asyncio")]
        self.await_that("all have joined", lambda: all(self.partitions_of(spider) in (1, 2, 3) for spider in spiders))
        self.seed()
        self.await_end()
        # Each has fetched; nothing was given twice, since nobody died.
        self.assert_complete(no_worker_died=True)

    def test_alone_and_killed_five_times_they_lose_nothing(self):
        # With few links to a page, a lost one is missed: of 37 pages in 100 the loss of their links leaves others unreachable, with 30 links of one.
        self.start("--links", "3", "--faults", FAULTS, "--robots-hosts", "0", counts=(1, 1, 0))
        spiders = [self.python_spider(1), self.python_spider(2, "asyncio")]
        self.seed()
        self.kill_five_times(spiders)
        self.assert_complete()

    def test_a_scrapy_project_alone_and_killed_five_times_loses_nothing(self):
        self.start("--links", "3", "--faults", FAULTS, "--robots-hosts", "0", counts=(1, 1, 0))
        spiders = [self.scrapy_spider(1), self.scrapy_spider(2)]
        self.kill_five_times(spiders)
        self.assert_complete()


if __name__ == "__main__":
    main()
