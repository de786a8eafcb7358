"""profile: demo on a real node, with all that may happen to a cluster in the course of one crawl: python3 kubernetes_demo_test.py BUILD

Kafka, HBase and the web are pods as well. Commands are still run beside the pods, as on an operator's machine that the cluster's names lead from.
"""

import functools
import json
import pathlib
import subprocess
import tempfile

import enclosure
import node_image
import node_world
from helm import CHART, merged
from kubernetes_node import ADDRESS, DOMAIN, NAME
from node_world import COMPONENTS, NAMESPACE, SCALABLE, TAGS, TWO_OF_EACH, NodeWorld, Workers, is_ready
from synthetic_web import FAULTS
from thrift_put import put

KAFKA, HBASE = "orbweaver-kafka:9092", "orbweaver-hbase:9090"
TWO = {component: 2 for component in COMPONENTS}
# The store's record of the topics (common/protocol/topic_record.cc), whose first byte is the store's format: epoch 1, eight partitions.
RECORD = b"\0\0topics", b"record"
FORMAT_1 = bytes([1]) + (1).to_bytes(8) + (8).to_bytes(4)


def setUpModule():
    node_world.start_bare_node(*(functools.partial(node_image.service, name, tags=TAGS) for name in ("kafka", "hbase")))
    # Names of the cluster lead on from here as from a pod.
    resolver = enclosure.folder() / "resolver"
    resolver.write_text(f"nameserver {ADDRESS}\nsearch {NAMESPACE}.svc.{DOMAIN} orbweaver.svc.{DOMAIN}\n")
    subprocess.run(["mount", "--bind", resolver, "/etc/resolv.conf"], check=True)


class DemoWeb:
    """The demo's web, looked at through its pod."""

    def __init__(self, world):
        self._world = world

    def requests(self):
        """How many were answered, as far as its log is written; the node has the pod's volume."""
        files = list(pathlib.Path(tempfile.gettempdir()).glob("orbweaver-kubernetes-*/kubelet/pods/*/volumes/kubernetes.io~empty-dir/tmp/requests.log"))
        return sum(file.read_bytes().count(b"\n") for file in files)

    def report(self):
        """Ends it, as the chart's notes say; the container that follows knows nothing of the crawl."""
        self._world.kubectl("exec", "orbweaver-web-0", "-c", "web", "--", "sh", "-c", "kill -TERM 1")
        self._world.await_that("the web is started again", lambda: self._world.restarts("orbweaver-web-0") == 1)
        return json.loads(self._world.kubectl("logs", "orbweaver-web-0", "-c", "web", "--previous").splitlines()[-1])


class DemoWorld(NodeWorld):
    def start(self, *web_options):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.web = DemoWeb(self)
        self.demo = {"hosts": self.SIZE[0], "pages": self.SIZE[1],
                     "options": [f"--delay-ms={1000 * self.DELAY_S - 1}", "--links=30", "--sitemap-hosts=0", "--log=/tmp/requests.log", *web_options]}
        self.config = {"politeness": {"delay": f"{self.DELAY_S}s"}, "strategy": {"params": {"retry_delay_s": 1}}}
        self.workers = Workers(self.folder / "cluster", self.BUILD)
        self.workers.configure({"kafka": {"brokers": KAFKA}, "hbase": {"hosts": [HBASE]}})
        self.running = []
        self.addCleanup(self.uninstall)

    def values(self, more=None):
        return merged({"image": {"repository": "localhost/orbweaver"}, "profile": "demo", "demo": self.demo, "config": self.config}, more or {})

    def seed(self):
        """As the chart's notes say."""
        seeds = self.kubectl("exec", "orbweaver-web-0", "-c", "web", "--", "cat", "/tmp/seeds.txt")
        return self.kubectl("exec", "-i", "statefulset/orbweaver-db-worker", "-c", "db-worker", "--", "orbweaver", "seeds", "add", "-", "--config",
                            node_world.CONFIGURATION, input=seeds)

    def restarts(self, pod):
        status, = self.pod(pod)["status"]["containerStatuses"]
        return status["restartCount"]

    def pod(self, name):
        return json.loads(self.kubectl("get", "pod", name, "-o", "json"))

    def restart(self, component):
        """Kills the server of a pod; its volumes stay, and it is ready again afterwards."""
        name = f"orbweaver-{component}-0"
        before = self.restarts(name)
        status = self.pod(name)["status"]
        container = status["containerStatuses"][0]["containerID"].removeprefix("containerd://")
        node_world.NODE.kill_container(container)
        self.await_that(f"{component} was started again", lambda: self.restarts(name) == before + 1 and is_ready(self.pod(name)))

    def images(self):
        return {container["image"] for pod in self.pods() for container in pod["spec"]["containers"]}

    def identities(self):
        return {pod["metadata"]["uid"] for pod in self.pods()}


class UnderFire(DemoWorld):
    SIZE = (300, 12)
    # The crawl is to last until all has happened.
    DELAY_S = 6

    def test_three_hundred_hosts_are_crawled_whatever_happens_to_the_cluster(self):
        self.start(f"--faults={FAULTS}")
        self.install(merged(SCALABLE, {}))
        self.seed()
        self.kill_and_delete_pods()
        self.scale()
        self.drain()
        self.upgrade_and_back()
        self.refuse_a_version_that_does_not_read_the_store()
        self.swap_the_strategy()
        for component in ("kafka", "hbase"):
            self.restart(component)
            self.await_owners(f"{component} killed and started", **TWO)
        self.assert_complete()

    def kill_and_delete_pods(self):
        for words in (("--grace-period=0", "--force"), ()):
            for component in COMPONENTS:
                self.kubectl("delete", "pod", f"orbweaver-{component}-0", "--wait=false", *words)
                self.await_owners(" ".join(["delete", component, *words]), **{component: 1})

    def scale(self):
        for count in (3, 2):
            self.kubectl("scale", f"--replicas={count}", *(f"statefulset/orbweaver-{component}" for component in COMPONENTS))
            self.await_owners(f"{count} of each", **{component: count for component in COMPONENTS})

    def drain(self):
        """Of each kind one pod goes, and the other not before the first is there again."""
        before = self.identities()
        labels = f"app.kubernetes.io/component in ({','.join(COMPONENTS)})"
        draining = subprocess.Popen([node_world.kubernetes_node.PROGRAMS / "kubectl", "drain", NAME, f"--pod-selector={labels}", "--delete-emptydir-data",
                                     "--timeout=15m"], env=node_world.NODE.client_environment(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

        def state():
            """For each component how many pods of before are left, and how many are ready."""
            pods = {component: [pod for pod in self.pods(component) if "deletionTimestamp" not in pod["metadata"]] for component in COMPONENTS}
            return {component: (sum(pod["metadata"]["uid"] in before for pod in of_it), sum(map(is_ready, of_it))) for component, of_it in pods.items()}
        # On the only node there is no room for those that went, as long as it takes none.
        self.await_that("one of each kind is gone, and its successor waits", lambda: state() == {component: (1, 1) for component in COMPONENTS})
        self.kubectl("uncordon", NAME)
        least = dict.fromkeys(COMPONENTS, 1)

        def is_over():
            for component, (_, ready) in state().items():
                least[component] = min(least[component], ready)
            return draining.poll() is not None
        self.await_that("the node is drained", is_over)
        said = draining.communicate()[0]
        self.assertEqual(0, draining.returncode, said)
        self.assertEqual(dict.fromkeys(COMPONENTS, 1), least)
        self.kubectl("uncordon", NAME)
        self.assertFalse(before & self.identities())
        self.await_owners("drain", **TWO)

    def more(self, above=None):
        return merged(merged(SCALABLE, TWO_OF_EACH), above or {})

    def upgrade_and_back(self):
        """In the order of the documentation: one kind first, then all; and back."""
        self.upgrade(self.more({"dbWorker": {"tag": TAGS[1]}}))
        self.assertEqual({f"localhost/orbweaver:{tag}" for tag in TAGS}, self.images())
        self.await_owners(f"db workers at {TAGS[1]}", **TWO)
        self.upgrade(self.more({"image": {"tag": TAGS[1]}}))
        self.assertEqual({f"localhost/orbweaver:{TAGS[1]}"}, self.images())
        self.await_owners(f"all at {TAGS[1]}", **TWO)
        self.helm("rollback", "orbweaver", "--wait", "--wait-for-jobs", "--timeout", "15m")
        self.assertEqual({f"localhost/orbweaver:{tag}" for tag in TAGS}, self.images())
        self.upgrade(self.more())
        self.assertEqual({f"localhost/orbweaver:{TAGS[0]}"}, self.images())
        self.await_owners(f"back at {TAGS[0]}", **TWO)

    def refuse_a_version_that_does_not_read_the_store(self):
        """Helm's upgrade ends before a pod is touched; a pod that is started all the same says why it does not work, and the others go on."""
        before, images = self.identities(), self.images()
        put_record(2, bytes([2]) + FORMAT_1[1:])
        refused = self.helm_quietly("upgrade", "orbweaver", CHART, "--wait", "--timeout", "15m", values=self.values(self.more({"image": {"tag": TAGS[1]}})))
        self.assertNotEqual(0, refused.returncode)
        self.assertIn("before-upgrade", refused.stderr)
        said = self.kubectl("logs", "job/orbweaver-before-upgrade")
        self.assertIn("check the store: its format is 2, this version reads format 1. Use the version of Orbweaver that wrote it", said)
        self.assertEqual((before, images), (self.identities(), self.images()))
        # A pod that is started all the same.
        self.kubectl("delete", "pod", "orbweaver-db-worker-1", "--wait=false")
        self.await_that("the new db worker is refused", lambda: "its format is 2" in node_world.NODE.kubectl(
            "--namespace", NAMESPACE, "logs", "orbweaver-db-worker-1", "-c", "after-init").stdout)
        requests = self.web.requests()
        self.await_that("the others go on", lambda: self.web.requests() > requests)
        self.assertEqual(1, len(before - self.identities()))
        put_record(3, FORMAT_1)
        self.upgrade(self.more())
        self.await_owners("a store of the right format again", **TWO)

    def swap_the_strategy(self):
        self.upgrade(self.more({"config": {"strategy": {"name": "depth_first"}}}))
        self.await_owners("another strategy", **TWO)


class Documentation(DemoWorld):
    """The three commands that lead to a crawl in docs/deployment.md, typed; and those that say how it was."""

    def test_three_commands_lead_to_a_crawl(self):
        self.start()
        install, seed, look, *how_it_was = node_world.documented("Trying it out")
        folder = self.documented_folder()
        self.type(install, folder)
        self.assertIn("100 seeds added, 0 lines refused", self.type(seed, folder))
        self.assertIn("spider-feed", self.type(look, folder))
        self.await_end()
        said = [self.type(command, folder) for command in how_it_was]
        report = json.loads(said[-1].splitlines()[-1])
        self.assertTrue(report["politeness"]["polite"] and report["check"]["equal"], report)


def put_record(version, value):
    host, port = HBASE.split(":")
    put(host, int(port), "partitions", *RECORD, value, version)


if __name__ == "__main__":
    node_world.main()
