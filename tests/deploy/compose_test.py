"""docker-compose.yml for real: python3 compose_test.py BUILD_DIR

One crawl of the synthetic web by the containers that users get, with a crash, a kill and one spider more on its way. Exit code 77 where no engine
can run.
"""

import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest
import urllib.parse
import urllib.request

import images
from engine import run_on_an_engine
from metric_names import dashboard_queries, metrics_asked_for
from project import ADMIN_PORTS, ROOT, Project

PARTITIONS = 8
HOSTS, PAGES = 60, 40
VARIABLES = {
    "ORBWEAVER_PARTITIONS": str(PARTITIONS), "ORBWEAVER_REGIONS": "2", "ORBWEAVER_DELAY": "200ms",
    "DEMO_HOSTS": str(HOSTS), "DEMO_PAGES": str(PAGES), "PROMETHEUS_PORT": "0",
    "ORBWEAVER_ADMIN_TOKEN": "of this test",
}
DEPLOYMENT = (ROOT / "docs/deployment.md").read_text()
WITHOUT_PAGES = "http://h0.site0.test/seeds"
# Of seeds only those with an ending; all else as the built-in strategy, byte for byte, so that the crawl goes on as it would have.
STRATEGY = """from breadth_first import BreadthFirst
from chosen import ENDING


class Own(BreadthFirst):
    def on_seeds(self, seeds):
        for seed in seeds:
            if seed.url.endswith(ENDING):
                self.rules.schedule_new(seeds, seed, 0.25)
"""


class Compose(unittest.TestCase):
    """One cluster for all of these; their names put them in order, since each finds what the one before has left."""

    @classmethod
    def setUpClass(cls):
        # A user's copy, since files in it are edited.
        folder = tempfile.TemporaryDirectory(dir="/var/tmp")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        cls.config = cls.folder / "deploy/config"
        shutil.copy(ROOT / "docker-compose.yml", cls.folder)
        for mounted in ("deploy/config", "deploy/prometheus"):
            shutil.copytree(ROOT / mounted, cls.folder / mounted)
        tag = f"test-{os.getpid()}"
        cls.addClassCleanup(images.remove_all, ENGINE, tag)
        images.build_all(ENGINE, BUILD_DIR, tag)
        variables = {**VARIABLES, "ORBWEAVER_TAG": tag, "PROMETHEUS_IMAGE": images.build_prometheus(ENGINE, tag)}
        cls.project = Project(ENGINE, f"orbweaver-test-{os.getpid()}", variables, ROOT / "deploy/docker/demo.env", cls.folder)
        cls.addClassCleanup(cls.project.compose, "down", "--volumes")
        cls.up(spiders=2)

    @classmethod
    def up(cls, spiders):
        try:
            cls.project.compose("up", "-d", "--no-build", "--no-recreate", "--scale", f"spider={spiders}")
        except AssertionError as error:
            raise AssertionError(f"{error}\n{cls.project.describe()}") from None

    def wait_until_healthy(self, **replicas):
        for service, number in replicas.items():
            service = service.replace("_", "-")
            self.project.wait(f"{number} {service} healthy", lambda service=service, number=number: self.project.healthy(service) == number)

    def wait_for_owners(self, service, metric, replicas):
        """Every partition is owned once, and no replica goes without."""
        def owned():
            shares = [replica.get(metric, 0) for replica in self.project.metrics(service)]
            return len(shares) == replicas and sum(shares) == PARTITIONS and min(shares) > 0
        self.project.wait(f"{replicas} {service} share {PARTITIONS} partitions", owned)

    def crash(self, service):
        """Its worker is killed, and the engine starts it again."""
        container, = self.project.containers(service)
        starts = self.project.inspect(container)["RestartCount"]
        # Process 1 is tini; the worker is its child.
        ENGINE.docker("exec", container, "sh", "-c", "kill -9 $(cat /proc/1/task/1/children)")

        def started_again():
            # It is `restarting` until then.
            self.assertNotEqual("exited", self.project.state(container)["Status"], f"the engine does not start {service} again")
            return self.project.inspect(container)["RestartCount"] > starts
        self.project.wait("the engine starts it again", started_again)

    def configure(self, strategy):
        """Puts the lines into the file as a user does, and has them checked before any worker meets them."""
        file = self.config / "strategy-worker.yaml"
        before = (ROOT / "deploy/config/strategy-worker.yaml").read_text()
        after = before
        for line, instead in strategy.items():
            self.assertIn(line, before)
            after = after.replace(line, instead)
        file.write_text(after)
        self.project.compose("run", "--rm", "-T", "orbweaver", "config", "check", "--config", "/etc/orbweaver/strategy-worker.yaml")
        self.project.compose("restart", "strategy-worker")

    def assert_strategy(self, name):
        """By the worker's own words, once it has loaded one."""
        container, = self.project.containers("strategy-worker", everything=True)
        starts = self.project.inspect(container)["RestartCount"]
        found = []

        def loaded():
            self.assertEqual(starts, self.project.inspect(container)["RestartCount"], f"it ends by itself:\n{self.project.logs(container)}")
            status = json.loads(self.project.get(container, "strategy-worker", "/status") or "{}")
            found.extend([status["strategy"]["name"]] if "strategy" in status else [])
            return found
        self.project.wait("the strategy worker has a strategy", loaded)
        self.assertEqual(name, found[0], "the strategy worker has not loaded what the folder on the host says")

    def scheduled_of_seeds(self, title, last):
        """Adds four seeds, of which `last` is fetched at some time: those that were scheduled by then, with their scores.

        The seeds of a domain are decided on in their order.
        """
        seeds = {f"{WITHOUT_PAGES}/{title}/{number}/{ending}": f"{number}/{ending}" for number in (1, 2) for ending in ("left", "right")}
        file = self.folder / "urls.txt"
        file.write_text("".join(f"{seed}\n" for seed in seeds))
        with open(file) as lines:
            self.project.compose("run", "--rm", "-T", "orbweaver", "seeds", "add", "-", stdin=lines)

        def fetched():
            link = self.project.ask("inspect", "url", f"{WITHOUT_PAGES}/{title}/{last}")[0]["link"]
            return link is not None and link["http_status"] == 404
        self.project.wait(f"the seed {title}/{last} is fetched", fetched)
        messages = self.project.ask("log", "dump", "scoring-log", "--domain", WITHOUT_PAGES, "--type", "schedule", "--json")
        requests = [request for message in messages for request in message["detail"]["requests"]]
        return {seeds[request["url"]]: request["score"] for request in requests if request["url"] in seeds}

    def test_01_everything_becomes_healthy(self):
        self.wait_until_healthy(kafka=1, hbase=1, strategy_worker=1, db_worker=1, spider=2, web=1)
        for service in ("init", "seeds"):
            container, = self.project.containers(service, everything=True)
            self.project.wait(f"{service} ends", lambda container=container: self.project.state(container)["Status"] == "exited")
            self.assertEqual(0, self.project.state(container)["ExitCode"], self.project.logs(container))

    def test_02_containers_have_no_rights_to_lose(self):
        for service in ("kafka", "hbase", "web", *ADMIN_PORTS):
            container = self.project.containers(service)[0]
            found = self.project.inspect(container)
            self.assertEqual("10001:10001", found["Config"]["User"], service)
            self.assertEqual(["ALL"], found["HostConfig"]["CapDrop"], service)
            touch = subprocess.run([ENGINE.client, "exec", container, "touch", "/opt/file"], env=ENGINE.environment, stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT, text=True)
            self.assertIn("Read-only file system", touch.stdout, service)

    def test_03_a_worker_that_crashed_is_started_again(self):
        self.project.wait("pages are fetched", lambda: self.project.total("spider", "orbweaver_spider_pages_total") > 100)
        self.crash("db-worker")
        self.wait_until_healthy(db_worker=1)
        self.wait_for_owners("db-worker", "orbweaver_queue_partitions", 1)

    def test_04_a_spider_that_was_killed_is_replaced_under_its_name(self):
        container = self.project.containers("spider")[1]
        name = self.project.option(container, "spider", "worker.name")
        self.assertEqual(self.project.inspect(container)["Name"].lstrip("/"), name)
        ENGINE.docker("rm", "--force", container)
        self.up(spiders=2)
        self.wait_until_healthy(spider=2)
        names = [self.project.option(one, "spider", "worker.name") for one in self.project.containers("spider")]
        self.assertIn(name, names)
        self.assertEqual(2, len(set(names)))
        self.wait_for_owners("spider", "orbweaver_spider_partitions", 2)

    def test_05_one_spider_more_takes_a_share(self):
        self.up(spiders=3)
        self.wait_until_healthy(spider=3)
        self.wait_for_owners("spider", "orbweaver_spider_partitions", 3)

    def test_06_commands_in_a_container_of_their_own_reach_the_workers(self):
        paused = "orbweaver_feed_partitions_paused"
        for command, expected in (("pause", PARTITIONS), ("resume", 0)):
            self.project.compose("run", "--rm", "-T", "orbweaver", command, "all")
            self.project.wait(f"{command} has its effect", lambda expected=expected: self.project.total("db-worker", paused) == expected)

    def test_07_prometheus_finds_the_workers_and_what_alerts_and_dashboard_ask_for(self):
        self.project.compose("--profile", "metrics", "up", "-d", "--no-deps", "prometheus")
        container, = self.project.containers("prometheus")
        address = ENGINE.docker("port", container, "9090").splitlines()[0]

        def ask(query):
            with urllib.request.urlopen(f"http://{address}/api/v1/query?" + urllib.parse.urlencode({"query": query}), timeout=60) as answer:
                return json.load(answer)["data"]["result"]

        def workers():
            try:
                return {one["metric"]["job"]: int(one["value"][1]) for one in ask("sum by (job) (up)")}
            except OSError:  # not up yet
                return {}
        self.project.wait("every worker is scraped", lambda: workers() == {"spider": 3, "strategy-worker": 1, "db-worker": 1})
        self.assertLess(10, len(metrics_asked_for()))
        for name in sorted(metrics_asked_for()):
            self.assertTrue(ask(name), f"{name} is asked for and no worker has it")
        for query in dashboard_queries():
            ask(query)  # one that is wrong is refused
        self.project.compose("--profile", "metrics", "rm", "--stop", "--force", "prometheus")

    def test_08_a_strategy_in_python_from_the_mounted_folder_decides(self):
        shutil.copy(ROOT / "python/examples/breadth_first.py", self.config)
        (self.config / "chosen.py").write_text('ENDING = "left"\n')
        (self.config / "own.py").write_text(STRATEGY)
        self.configure({"  name: breadth_first\n": "  name: python\n", "  params:\n": "  params:\n    module: /etc/orbweaver/own.py\n"})
        self.assert_strategy("own")
        self.assertEqual({"1/left": 0.25, "2/left": 0.25}, self.scheduled_of_seeds("python", last="2/left"))

    def test_09_a_signal_reloads_it_and_a_crash_ends_nothing(self):
        (self.config / "chosen.py").write_text('ENDING = "right"\n')
        self.assertIn("docker-compose exec strategy-worker sh -c 'kill -HUP 1'", DEPLOYMENT)
        self.project.compose("exec", "-T", "strategy-worker", "sh", "-c", "kill -HUP 1")

        def reloaded():
            done, refused = [self.project.total("strategy-worker", f'orbweaver_strategy_reloads_total{{result="{result}"}}')
                             for result in ("done", "refused")]
            self.assertLess(refused, 1, self.project.describe())
            return done == 1
        self.project.wait("the strategy is reloaded", reloaded)
        self.assertEqual({"1/right": 0.25, "2/right": 0.25}, self.scheduled_of_seeds("reloaded", last="2/right"))
        # Docker takes a container for stopped on purpose to which a client has sent a signal, whichever that was.
        self.crash("strategy-worker")
        self.assert_strategy("own")

    def test_10_the_strategy_of_before_goes_on_with_the_crawl(self):
        self.configure({})
        self.assert_strategy("breadth_first")
        self.assertEqual(dict.fromkeys(["1/left", "1/right", "2/left", "2/right"], 0.9375), self.scheduled_of_seeds("again", last="2/right"))

    def test_11_what_was_crawled_is_what_is_reachable(self):
        self.project.wait("nothing is left to do", self.project.is_done)
        for service, metric in (("spider", "orbweaver_spider_dead_letters_total"), ("strategy-worker", "orbweaver_strategy_dead_letters_total"),
                                ("db-worker", "orbweaver_queue_poison_total")):
            self.assertEqual(0, self.project.total(service, metric))
        web, = self.project.containers("web")
        self.project.compose("stop", "web")
        # Docker may show what it wrote to standard error, before the report, behind it.
        report = json.loads([line for line in self.project.logs(web).splitlines() if line.startswith("{")][-1])
        self.assertTrue(report["check"]["equal"], report)

    def test_12_workers_stop_in_good_order(self):
        workers = {container: service for service in ADMIN_PORTS for container in self.project.containers(service)}
        self.assertEqual(5, len(workers))
        self.project.compose("stop", *ADMIN_PORTS)
        for container, service in workers.items():
            self.assertEqual(0, self.project.state(container)["ExitCode"], f"{service}:\n{self.project.logs(container)}")

    def test_13_down_leaves_nothing(self):
        self.project.compose("down", "--volumes")
        for kind in (["ps", "-aq"], ["volume", "ls", "-q"], ["network", "ls", "-q"]):
            self.assertEqual("", ENGINE.docker(*kind, "--filter", f"label=com.docker.compose.project={self.project.name}"))


if __name__ == "__main__":
    run_on_an_engine(globals())
