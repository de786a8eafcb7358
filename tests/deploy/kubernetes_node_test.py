"""The Helm chart on a real node, installed, crawling, under fire and upgraded: python3 kubernetes_node_test.py BUILD"""

import json
import os
import re
import subprocess

import kubernetes_node
import node_world
from helm import HELM, merged
from node_world import COMPONENTS, NAMESPACE, SCALABLE, TWO_OF_EACH, NodeWorld, is_ready
from options import ROOT
from synthetic_web import FAULTS

setUpModule = node_world.start_node


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


class UnderFire(NodeWorld):
    SIZE = (30, 100)

    def begin(self, more=None):
        self.start("--faults", FAULTS)
        self.install(merged(SCALABLE, more or {}))
        self.seed()

    def test_pods_of_each_kind_are_killed_deleted_and_evicted(self):
        self.begin()
        steps = [(words, component) for words in (("--grace-period=0", "--force"), ()) for component in COMPONENTS]
        for words, component in self.in_the_course_of_it(steps):
            self.kubectl("delete", "pod", f"orbweaver-{component}-0", "--wait=false", *words)
            self.await_owners(" ".join(["delete", component, *words]), **{component: 1})
        self.kubectl("scale", "statefulset/orbweaver-db-worker", "--replicas=2")
        self.await_owners("a second db-worker", **{"db-worker": 2})
        self.await_that("both are ready", lambda: [is_ready(pod) for pod in self.pods("db-worker")] == [True, True])
        self.assertEqual([201, 429], [self.evict(f"orbweaver-db-worker-{number}") for number in (0, 1)])
        self.await_owners("evict one of two db-workers", **{"db-worker": 2})
        self.assert_complete()

    def evict(self, pod):
        """The answer's status: a disruption budget that is used up makes it 429."""
        status, _, _ = node_world.NODE.call("POST", f"/api/v1/namespaces/{NAMESPACE}/pods/{pod}/eviction",
                                 {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": pod, "namespace": NAMESPACE}})
        return status

    def test_everything_is_upgraded_and_the_broker_restarted(self):
        self.begin(TWO_OF_EACH)
        two = {component: 2 for component in COMPONENTS}
        self.await_owners("two of each", **two)
        self.await_progress(0.1)
        self.upgrade(merged(merged(SCALABLE, TWO_OF_EACH), {"image": {"tag": "0.1.1"}}))
        self.assertEqual({"localhost/orbweaver:0.1.1"}, self.images())
        self.await_owners("upgrade to 0.1.1", **two)
        self.await_progress(0.3)
        self.helm("rollback", "orbweaver", "--wait", "--wait-for-jobs", "--timeout", "15m")
        self.assertEqual({"localhost/orbweaver:0.1.0"}, self.images())
        self.await_owners("rollback", **two)
        self.await_progress(0.5)
        self.upgrade(merged(merged(SCALABLE, TWO_OF_EACH), {"config": {"strategy": {"name": "depth_first"}}}))
        self.await_owners("another strategy", **two)
        self.await_progress(0.7)
        self.services("kill", "kafka")
        self.services("restart", "kafka")
        self.await_owners("Kafka killed and started", **two)
        self.assert_complete()

    def images(self):
        return {container["image"] for pod in self.pods() for container in pod["spec"]["containers"]}


class Documentation(NodeWorld):
    """The walk through an installation in docs/deployment.md, typed."""

    def test_every_command_does_as_it_says(self):
        self.start("--faults", FAULTS)
        typed = self.folder / "typed"
        typed.mkdir()
        (typed / "deploy").symlink_to(ROOT / "deploy")
        (typed / "my.yaml").write_text(json.dumps(self.values()))
        (typed / "urls.txt").write_text(self.web.seeds.read_text())
        environment = {**node_world.NODE.client_environment(), "PATH": f"{HELM}:{kubernetes_node.PROGRAMS}:{os.environ['PATH']}"}
        self.addCleanup(node_world.NODE.kubectl, "delete", "namespace", "orbweaver")
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
    node_world.main()
