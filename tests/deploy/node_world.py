"""A crawl by the Helm chart's pods on a real node; NodeWorld is the base of the tests of it.

Pods of this tree's programs, Kafka and HBase and the synthetic web beside them on the node. A test file of it ends with `main()`, and is run
as `python3 FILE BUILD`; exit code 77 where no node can run.
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
import urllib.request

import enclosure
import kubernetes_node
import node_image
from helm import CHART, HELM, merged
from kubernetes_node import ADDRESS, Node
from options import ROOT

sys.path.insert(0, str(ROOT / "tests/e2e"))
from cluster_world import PARTITIONS, World  # noqa: E402
from synthetic_web import Web  # noqa: E402
from workers import Workers  # noqa: E402

SKIPPED = 77
NAMESPACE = "crawl"
# Component -> its name in values, its port, the metric of the partitions that it owns.
COMPONENTS = {
    "spider": ("spider", 9610, "orbweaver_spider_partitions"),
    "strategy-worker": ("strategyWorker", 9620, "orbweaver_strategy_partitions"),
    "db-worker": ("dbWorker", 9630, "orbweaver_queue_partitions"),
}
# So that three of each have room on two cores.
SCALABLE = {name: {"resources": {"requests": {"cpu": "50m", "memory": "128Mi"}, "limits": {"memory": "2Gi"}}} for name, _, _ in COMPONENTS.values()}
TWO_OF_EACH = {name: {"replicas": 2} for name, _, _ in COMPONENTS.values()}
SERVICES = {"ORBWEAVER_SERVICES_DIR": str(pathlib.Path(enclosure.folder() or "/") / "services"), "ORBWEAVER_SERVICES_ADDRESS": ADDRESS}
CONFIGURATION = "/etc/orbweaver/orbweaver.yaml"
# Of one image: an upgrade is to another name of it.
TAGS = ("0.1.0", "0.1.1")

NODE = None  # start_node makes it


def start_node(*makers):
    """One node for all tests of a file, with Kafka and HBase beside the pods: for setUpModule."""
    services = subprocess.Popen([ROOT / "deploy/local/services", "up"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                                env={**os.environ, **SERVICES})
    start_bare_node(*makers)
    _, said = services.communicate()
    assert services.returncode == 0, said


def start_bare_node(*makers):
    """The same with nothing beside the pods. Of `makers` each makes a further image in the folder that it is given."""
    global NODE
    began, folder = time.monotonic(), pathlib.Path(tempfile.mkdtemp())
    images = [node_image.pause(folder), node_image.orbweaver(World.BUILD, folder, TAGS), *(make(folder) for make in makers)]
    NODE = unittest.enterModuleContext(Node(images))
    print(f"the node is ready after {time.monotonic() - began:.1f} s", flush=True)
    # Pods that are not restricted are refused.
    labels = {"pod-security.kubernetes.io/enforce": "restricted"}
    status, said, _ = NODE.call("POST", "/api/v1/namespaces", {"metadata": {"name": NAMESPACE, "labels": labels}})
    assert status == 201, said


class NodeWorld(World):
    """A cluster of pods in place of World's processes; its commands are run beside them."""

    SIZE = (30, 20)
    DELAY_S = 1

    def setUp(self):
        began = time.monotonic()
        self.addCleanup(lambda: print(f"  {time.monotonic() - began:.0f} s in all", flush=True))

    def start(self, *web_options):
        """Makes a web and the configuration of its crawl; nothing is installed yet."""
        self.folder = pathlib.Path(tempfile.mkdtemp())
        hosts, pages = self.SIZE
        self.web = Web(self.BUILD / "tests/support/synthetic_web/orbweaver-synthetic-web", self.folder, "--hosts", str(hosts), "--pages", str(pages),
                       "--delay-ms", str(round(1000 * self.DELAY_S) - 1), "--listen", "0.0.0.0", "--allow-remote", *web_options)
        self.addCleanup(self.web.close)
        prefix = f"node_{secrets.token_hex(4)}_"
        # Of these the commands on the node need some too.
        shared = {"kafka": {"brokers": f"{ADDRESS}:9092", "prefix": prefix},
                  "hbase": {"hosts": [f"{ADDRESS}:9090"], "table_prefix": prefix, "regions": 1},
                  "topics": {"partitions": PARTITIONS, "replication": 1}}
        self.config = merged(shared, {
            "network": {"proxy": f"http://{ADDRESS}:{self.web.port}", "allow_private": True},
            "politeness": {"delay": f"{round(1000 * self.DELAY_S)}ms"},
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

    def follow(self, pod):
        """A process that prints the pod's log to its end."""
        process = subprocess.Popen([kubernetes_node.PROGRAMS / "kubectl", "--namespace", NAMESPACE, "logs", "--follow", pod], text=True,
                                   env=NODE.client_environment(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.addCleanup(process.kill)
        return process

    def services(self, *words):
        subprocess.run([ROOT / "deploy/local/services", *words], check=True, stdout=subprocess.DEVNULL, env={**os.environ, **SERVICES})

    def install(self, more=None):
        self.helm("install", "orbweaver", CHART, "--wait", "--wait-for-jobs", "--timeout", "15m", values=self.values(more))

    def uninstall(self):
        self.helm_quietly("uninstall", "orbweaver", "--ignore-not-found")
        self.await_that("all pods are gone", lambda: self.pods() == [])

    def upgrade(self, more=None):
        self.helm("upgrade", "orbweaver", CHART, "--wait", "--wait-for-jobs", "--timeout", "15m", values=self.values(more))

    def seed(self):
        """As docs/deployment.md says."""
        return self.kubectl("exec", "-i", "statefulset/orbweaver-db-worker", "-c", "db-worker", "--", "orbweaver", "seeds", "add", "-", "--config",
                            CONFIGURATION, input=self.web.seeds.read_text())

    def pods(self, component=None):
        """The workers' pods, or those of one component."""
        label = f"app.kubernetes.io/component={component}" if component else f"app.kubernetes.io/component in ({','.join(COMPONENTS)})"
        return json.loads(self.kubectl("get", "pods", "-o", "json", "-l", label))["items"]

    def shares(self, component):
        """Of each pod that is not on its way out, how many partitions it owns; None while it does not answer."""
        _, port, metric = COMPONENTS[component]
        shares = []
        for pod in self.pods(component):
            if "deletionTimestamp" in pod["metadata"]:
                continue
            try:
                with urllib.request.urlopen(f"http://{pod['status'].get('podIP', 'none')}:{port}/metrics", timeout=5) as answer:
                    found = re.search(rf"^{metric} (\d+)", answer.read().decode(), re.MULTILINE)
                shares.append(int(found[1]) if found else None)
            except OSError:
                shares.append(None)
        return shares

    def await_owners(self, what, **replicas):
        """Waits until all partitions of each component are owned by so many pods, none without; prints how long that took."""
        began = time.monotonic()

        def owned():
            for component, count in replicas.items():
                shares = self.shares(component.replace("_", "-"))
                if len(shares) != count or None in shares or sum(shares) != PARTITIONS or 0 in shares:
                    return False
            return True

        self.await_that(f"{what}: {replicas} share {PARTITIONS} partitions", owned)
        print(f"  {what}: all partitions owned again after {time.monotonic() - began:.1f} s, {self.web.requests():,} requests so far", flush=True)

    def await_that(self, what, condition):
        try:
            super().await_that(what, condition)
        except AssertionError as error:
            raise AssertionError(f"{error}\n{self.describe()}") from None

    def documented_folder(self):
        """Where commands of docs/deployment.md are typed; the namespace that they make goes with the test."""
        folder = self.folder / "typed"
        folder.mkdir()
        (folder / "deploy").symlink_to(ROOT / "deploy")
        self.addCleanup(NODE.kubectl, "delete", "namespace", "orbweaver")
        return folder

    def type(self, command, folder):
        environment = {**NODE.client_environment(), "PATH": f"{HELM}:{kubernetes_node.PROGRAMS}:{os.environ['PATH']}"}
        done = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        print(f"$ {command}\n{done.stdout}", flush=True)
        self.assertEqual(0, done.returncode, command)
        return done.stdout

    def describe(self):
        """All pods, what happened to them, and the last that each said."""
        words = [["get", "pods", "-o", "wide"], ["get", "events", "--sort-by=.lastTimestamp"],
                 ["logs", "-l", "app.kubernetes.io/name=orbweaver", "--all-containers", "--prefix", "--tail=15", "--max-log-requests=20"]]
        said = [NODE.kubectl("--namespace", NAMESPACE, *one) for one in words]
        return "\n".join((one.stdout + one.stderr)[-6000:] for one in said)


def documented(heading):
    """The commands behind `$ ` of that section of docs/deployment.md, lines that go on joined."""
    text = (ROOT / "docs/deployment.md").read_text()
    section = re.split(r"\n##+ ", text.split(f"### {heading}\n")[1])[0]
    return re.findall(r"^\$ (.*)$", section.replace("\\\n", ""), re.MULTILINE)


def is_ready(pod):
    return any(one["type"] == "Ready" and one["status"] == "True" for one in pod["status"].get("conditions", []))


def main():
    """Runs the tests of the file that calls it, in an enclosure of their own."""
    if enclosure.folder() is None:
        missing = enclosure.obstacle() or ", ".join(kubernetes_node.missing())
        if missing:
            print(f"skipped: {missing}. `./run test kubernetes` as root brings what can be had")
            sys.exit(SKIPPED)
        sys.exit(enclosure.this_program_again())
    enclosure.settle(ADDRESS)
    World.BUILD = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main(verbosity=2)
