"""The Helm chart on a real node: python3 kubernetes_node_test.py BUILD

Pods of this tree's programs, Kafka and HBase and the synthetic web beside them on the node, and a crawl. Exit code 77 where no node can run.
"""

import json
import os
import pathlib
import re
import secrets
import subprocess
import sys
import tempfile
import time
import unittest

import enclosure
import kubernetes_node
import node_image
from helm import CHART, HELM, merged
from kubernetes_node import ADDRESS, Node
from options import ROOT

sys.path.insert(0, str(ROOT / "tests/e2e"))
from cluster_world import PARTITIONS, World  # noqa: E402
from synthetic_web import FAULTS, Web  # noqa: E402
from workers import Workers  # noqa: E402

SKIPPED = 77
NAMESPACE = "crawl"
COMPONENTS = ("spider", "strategy-worker", "db-worker")
SERVICES = {"ORBWEAVER_SERVICES_DIR": str(pathlib.Path(enclosure.folder() or "/") / "services"), "ORBWEAVER_SERVICES_ADDRESS": ADDRESS}
CONFIGURATION = "/etc/orbweaver/orbweaver.yaml"


NODE = None


def setUpModule():
    """One node for all tests, with Kafka and HBase beside the pods."""
    global NODE
    services = subprocess.Popen([ROOT / "deploy/local/services", "up"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                                env={**os.environ, **SERVICES})
    began, folder = time.monotonic(), pathlib.Path(tempfile.mkdtemp())
    images = [node_image.pause(folder), node_image.orbweaver(World.BUILD, folder, ["0.1.0", "0.1.1"])]
    NODE = unittest.enterModuleContext(Node(images))
    print(f"the node is ready after {time.monotonic() - began:.1f} s", flush=True)
    # Pods that are not restricted are refused.
    labels = {"pod-security.kubernetes.io/enforce": "restricted"}
    status, said, _ = NODE.call("POST", "/api/v1/namespaces", {"metadata": {"name": NAMESPACE, "labels": labels}})
    assert status == 201, said
    _, said = services.communicate()
    assert services.returncode == 0, said


class NodeWorld(World):
    """A cluster of pods in place of World's processes; its commands are run beside them."""

    SIZE = (30, 20)
    DELAY_S = 1

    def start(self, *web_options):
        """Makes a web and the configuration of its crawl; nothing is installed yet."""
        self.folder = pathlib.Path(tempfile.mkdtemp())
        hosts, pages = self.SIZE
        self.web = Web(self.BUILD / "tests/support/synthetic_web/orbweaver-synthetic-web", self.folder, "--hosts", str(hosts), "--pages", str(pages),
                       "--delay-ms", str(1000 * self.DELAY_S - 1), "--listen", "0.0.0.0", "--allow-remote", *web_options)
        self.addCleanup(self.web.close)
        prefix = f"node_{secrets.token_hex(4)}_"
        # Of these the commands on the node need some too.
        shared = {"kafka": {"brokers": f"{ADDRESS}:9092", "prefix": prefix},
                  "hbase": {"hosts": [f"{ADDRESS}:9090"], "table_prefix": prefix, "regions": 1},
                  "topics": {"partitions": PARTITIONS, "replication": 1}}
        self.config = merged(shared, {
            "network": {"proxy": f"http://{ADDRESS}:{self.web.port}", "allow_private": True},
            "politeness": {"delay": f"{self.DELAY_S}s"},
            "spider": {"fetch": {"user_agent": "orbweaver/test (+mailto:test@example.com)"}},
            "strategy": {"params": {"retry_delay_s": 1}}})
        self.workers = Workers(self.folder / "cluster", self.BUILD)
        self.workers.configure(shared)
        self.running = []
        self.addCleanup(self.uninstall)

    def values(self, more=None):
        return merged({"image": {"repository": "localhost/orbweaver"}, "config": self.config}, more or {})

    def helm_quietly(self, *words, values=None):
        return subprocess.run([HELM / "helm", *words, "--namespace", NAMESPACE, *(["--values", "-"] if values is not None else [])], text=True,
                              input=json.dumps(values) if values is not None else "", capture_output=True,
                              env={**NODE.client_environment(), "HELM_CACHE_HOME": str(self.folder)})

    def helm(self, *words, values=None):
        done = self.helm_quietly(*words, values=values)
        self.assertEqual(0, done.returncode, f"{done.stdout}{done.stderr}\n{self.describe()}")
        return done.stdout

    def kubectl(self, *words, **options):
        done = NODE.kubectl("--namespace", NAMESPACE, *words, **options)
        self.assertEqual(0, done.returncode, f"{words}: {done.stderr}\n{self.describe()}")
        return done.stdout

    def install(self, more=None):
        self.helm("install", "orbweaver", CHART, "--wait", "--wait-for-jobs", "--timeout", "15m", values=self.values(more))

    def uninstall(self):
        self.helm_quietly("uninstall", "orbweaver", "--ignore-not-found")
        self.await_that("all pods are gone", lambda: self.pods() == [])

    def seed(self):
        """As docs/deployment.md says."""
        return self.kubectl("exec", "-i", "statefulset/orbweaver-db-worker", "-c", "db-worker", "--", "orbweaver", "seeds", "add", "-", "--config",
                            CONFIGURATION, input=self.web.seeds.read_text())

    def pods(self, component=None):
        """The workers' pods, or those of one component."""
        label = f"app.kubernetes.io/component={component}" if component else f"app.kubernetes.io/component in ({','.join(COMPONENTS)})"
        return json.loads(self.kubectl("get", "pods", "-o", "json", "-l", label))["items"]

    def await_that(self, what, condition):
        try:
            super().await_that(what, condition)
        except AssertionError as error:
            raise AssertionError(f"{error}\n{self.describe()}") from None

    def describe(self):
        """All pods, what happened to them, and the last that each said."""
        words = [["get", "pods", "-o", "wide"], ["get", "events", "--sort-by=.lastTimestamp"],
                 ["logs", "-l", "app.kubernetes.io/name=orbweaver", "--all-containers", "--prefix", "--tail=15", "--max-log-requests=20"]]
        said = [NODE.kubectl("--namespace", NAMESPACE, *one) for one in words]
        return "\n".join((one.stdout + one.stderr)[-6000:] for one in said)


def is_ready(pod):
    return any(one["type"] == "Ready" and one["status"] == "True" for one in pod["status"].get("conditions", []))


class Chart(NodeWorld):
    def test_an_installation_crawls_all_that_can_be_reached(self):
        self.start("--faults", FAULTS)
        self.install()
        self.assertEqual([True] * 3, [is_ready(pod) for pod in self.pods()])
        self.helm("test", "orbweaver")
        self.assertIn("seeds", self.seed())
        self.assert_complete(no_worker_died=True)
        self.assertEqual([0] * 3, [one["restartCount"] for pod in self.pods() for one in pod["status"]["containerStatuses"]])
        self.uninstall()


class Documentation(NodeWorld):
    """The walk through an installation in docs/deployment.md, typed."""

    def test_every_command_does_as_it_says(self):
        self.start("--faults", FAULTS)
        typed = self.folder / "typed"
        typed.mkdir()
        (typed / "deploy").symlink_to(ROOT / "deploy")
        (typed / "my.yaml").write_text(json.dumps(self.values()))
        (typed / "urls.txt").write_text(self.web.seeds.read_text())
        environment = {**NODE.client_environment(), "PATH": f"{HELM}:{kubernetes_node.PROGRAMS}:{os.environ['PATH']}"}
        self.addCleanup(NODE.kubectl, "delete", "namespace", "orbweaver")
        commands = walk()
        self.assertLess(9, len(commands))
        for command in commands:
            done = subprocess.run(["bash", "-c", command], cwd=typed, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            print(f"$ {command}\n{done.stdout}", flush=True)
            self.assertEqual(0, done.returncode, command)
        self.await_end()
        report = self.web.report()
        self.assertTrue(report["politeness"]["polite"] and report["check"]["equal"], report)


def walk():
    """The commands behind `$ ` of the section, lines that go on joined."""
    text = (ROOT / "docs/deployment.md").read_text()
    section = text.split("### From nothing to a crawl\n")[1].split("\n## ")[0]
    return re.findall(r"^\$ (.*)$", section.replace("\\\n", ""), re.MULTILINE)


if __name__ == "__main__":
    if enclosure.folder() is None:
        missing = enclosure.obstacle() or ", ".join(kubernetes_node.missing())
        if missing:
            print(f"skipped: {missing}. `./run test kubernetes` as root brings what can be had")
            sys.exit(SKIPPED)
        sys.exit(enclosure.this_program_again())
    enclosure.settle(ADDRESS)
    World.BUILD = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main(verbosity=2)
