"""docker-compose.yml for real: python3 compose_test.py BUILD_DIR

One crawl of the synthetic web by the containers that users get, with a crash, a kill and one spider more on its way. Exit code 77 where no engine
can run.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import urllib.parse
import urllib.request

import images
from engine import Engine, NoEngine
from metric_names import dashboard_queries, metrics_asked_for
from project import ADMIN_PORTS, ROOT, Project

sys.path.insert(0, str(ROOT / "tests/e2e"))
from small_site import Site  # noqa: E402

SKIPPED = 77
PARTITIONS = 8
HOSTS, PAGES = 60, 40
VARIABLES = {
    "ORBWEAVER_PARTITIONS": str(PARTITIONS), "ORBWEAVER_REGIONS": "2", "ORBWEAVER_DELAY": "200ms",
    "DEMO_HOSTS": str(HOSTS), "DEMO_PAGES": str(PAGES), "PROMETHEUS_PORT": "0",
    "ORBWEAVER_ADMIN_TOKEN": "of this test",
}


class OneContainer(unittest.TestCase):
    """Orbweaver's image alone, as somebody uses it who wants one crawl."""

    @classmethod
    def setUpClass(cls):
        tag = f"test-alone-{os.getpid()}"
        cls.addClassCleanup(images.remove_all, ENGINE, tag)
        images.build_orbweaver(ENGINE, BUILD_DIR, tag)
        cls.image = f"orbweaver:{tag}"

    def setUp(self):
        folder = tempfile.TemporaryDirectory(dir="/var/tmp")
        self.addCleanup(folder.cleanup)
        self.out = pathlib.Path(folder.name) / "out"
        self.site = Site({"/": "<a href=/a>a</a>", "/a": "a"})
        self.addCleanup(self.site.close)

    def crawl(self, *options):
        return ENGINE.docker("run", "--rm", "--network", "host", "-v", f"{self.out}:/out", *options, self.image, "crawl", self.site.url("/"),
                             "--out", "/out", "--delay", "10ms", "--set", "network.allow_networks=127.0.0.0/8",
                             "--set", f"network.ports={self.site.port}")

    def owners(self):
        return {path.stat().st_uid for path in self.out.rglob("*")}

    def test_files_belong_to_the_owner_of_the_folder(self):
        self.out.mkdir()
        os.chown(self.out, 4321, 4321)
        self.crawl()
        self.assertEqual(["/robots.txt", "/", "/a"], self.site.paths())
        self.assertTrue(list(self.out.glob("*.warc.gz")))
        self.assertEqual({4321}, self.owners())
        # The crawl's own folder is there, too: the same command goes on, and finds nothing left.
        self.crawl()
        self.assertEqual(["/robots.txt", "/", "/a"], self.site.paths())

    def test_a_folder_that_docker_makes_is_written_to(self):
        self.crawl()
        self.assertTrue(list(self.out.glob("*.warc.gz")))
        self.assertEqual({0}, self.owners())

    def test_a_folder_of_somebody_else_is_named(self):
        self.out.mkdir(mode=0o755)
        with self.assertRaisesRegex(AssertionError, "write to /out as user 4321: Permission denied: /out belongs to user 0"):
            self.crawl("--user", "4321:4321")
        self.assertEqual([], self.site.paths())

    def test_nothing_has_rights_to_lose(self):
        for options, user in (([], "10001"), (["-v", f"{self.out}:/out"], "0"), (["--user", "77:77"], "77")):
            said = ENGINE.docker("run", "--rm", *options, self.image, "sh", "-c", "id -u; grep CapEff /proc/self/status")
            self.assertEqual([user, "CapEff:", "0" * 16], said.split())

    def test_what_it_is_asked_is_a_command_of_orbweaver_or_a_program(self):
        self.assertIn("usage: orbweaver COMMAND", ENGINE.docker("run", "--rm", self.image))
        self.assertIn("usage: orbweaver crawl", ENGINE.docker("run", "--rm", self.image, "help", "crawl"))
        listed = ENGINE.docker("run", "--rm", self.image, "strategy", "list")
        self.assertIn("breadth_first", listed)
        self.assertIn("\npython ", listed)
        self.assertIn("usage: orbweaver-spider", ENGINE.docker("run", "--rm", self.image, "orbweaver-spider", "--help"))


class WithoutPython(unittest.TestCase):
    """The variant of the image for those who want no interpreter in it."""

    @classmethod
    def setUpClass(cls):
        tag = f"test-without-python-{os.getpid()}"
        cls.addClassCleanup(images.remove_all, ENGINE, tag)
        images.build_orbweaver(ENGINE, BUILD_DIR, tag, PYTHON="")
        cls.image = f"orbweaver:{tag}"

    def test_it_says_that_strategies_in_python_are_not_in_it_and_what_to_do(self):
        done = subprocess.run([ENGINE.client, "run", "--rm", self.image, "strategy", "list"], env=ENGINE.environment, capture_output=True, text=True)
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertIn("breadth_first", done.stdout)
        self.assertNotIn("python", done.stdout)
        self.assertRegex(done.stderr, "strategies in Python are not in this installation.*built without `--build-arg PYTHON=`")

    def test_nothing_of_python_is_in_it(self):
        look = "find /usr /opt -name 'libpython*' -o -name strategy.py -o -name python.so"
        found = ENGINE.docker("run", "--rm", self.image, "sh", "-c", look)
        self.assertEqual("", found.strip())


class Compose(unittest.TestCase):
    """One cluster for all of these; their names put them in order, since each finds what the one before has left."""

    @classmethod
    def setUpClass(cls):
        tag = f"test-{os.getpid()}"
        cls.addClassCleanup(images.remove_all, ENGINE, tag)
        images.build_all(ENGINE, BUILD_DIR, tag)
        variables = {**VARIABLES, "ORBWEAVER_TAG": tag, "PROMETHEUS_IMAGE": images.build_prometheus(ENGINE, tag)}
        cls.project = Project(ENGINE, f"orbweaver-test-{os.getpid()}", variables, ROOT / "deploy/docker/demo.env")
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
        container, = self.project.containers("db-worker")
        # Process 1 is tini; the worker is its child.
        ENGINE.docker("exec", container, "sh", "-c", "kill -9 $(cat /proc/1/task/1/children)")
        self.project.wait("the engine starts it again", lambda: self.project.inspect(container)["RestartCount"] > 0)
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

    def test_08_what_was_crawled_is_what_is_reachable(self):
        self.project.wait("nothing is left to do", self.project.is_done)
        for service, metric in (("spider", "orbweaver_spider_dead_letters_total"), ("strategy-worker", "orbweaver_strategy_dead_letters_total"),
                                ("db-worker", "orbweaver_queue_poison_total")):
            self.assertEqual(0, self.project.total(service, metric))
        web, = self.project.containers("web")
        self.project.compose("stop", "web")
        # Docker may show what it wrote to standard error, before the report, behind it.
        report = json.loads([line for line in self.project.logs(web).splitlines() if line.startswith("{")][-1])
        self.assertTrue(report["check"]["equal"], report)

    def test_09_workers_stop_in_good_order(self):
        workers = {container: service for service in ADMIN_PORTS for container in self.project.containers(service)}
        self.assertEqual(5, len(workers))
        self.project.compose("stop", *ADMIN_PORTS)
        for container, service in workers.items():
            self.assertEqual(0, self.project.state(container)["ExitCode"], f"{service}:\n{self.project.logs(container)}")

    def test_10_down_leaves_nothing(self):
        self.project.compose("down", "--volumes")
        for kind in (["ps", "-aq"], ["volume", "ls", "-q"], ["network", "ls", "-q"]):
            self.assertEqual("", ENGINE.docker(*kind, "--filter", f"label=com.docker.compose.project={self.project.name}"))


if __name__ == "__main__":
    BUILD_DIR = os.path.abspath(sys.argv[1])
    try:
        with Engine() as ENGINE:
            done = unittest.main(argv=sys.argv[:1] + sys.argv[2:], verbosity=2, failfast=True, exit=False)
    except NoEngine as reason:
        print(f"skipped: {reason}")
        sys.exit(SKIPPED)
    sys.exit(0 if done.result.wasSuccessful() else 1)
