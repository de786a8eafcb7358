"""The Helm chart on a real node, with Kafka and HBase beside it: all that it can bring, and the documentation: python3 kubernetes_node_test.py BUILD"""

import http.client
import json
import os
import re
import subprocess
import urllib.error
import urllib.parse
import urllib.request

import kubernetes_node
import node_image
import node_world
from helm import merged
from node_world import COMPONENTS, NAMESPACE, NodeWorld, World, is_ready
from synthetic_web import FAULTS


def setUpModule():
    node_world.start_node(lambda folder: node_image.strategy(World.BUILD / "lib/orbweaver/strategies/depth_first.so", folder, WholeChart.LIBRARY))


class Chart(NodeWorld):
    def test_an_installation_with_tls_crawls_all_that_can_be_reached(self):
        self.start("--faults", FAULTS)
        self.make_certificate("admin-tls")
        self.install({"admin": {"tlsSecret": "admin-tls"}})
        # The kubelet asks by HTTPS, and `helm test` verifies the certificates. In the clear nobody is answered.
        self.assertEqual([True] * 3, [is_ready(pod) for pod in self.pods()])
        self.helm("test", "orbweaver")
        for component, (_, port, _) in COMPONENTS.items():
            address = self.pods(component)[0]["status"]["podIP"]
            with self.assertRaises((OSError, http.client.HTTPException)):
                urllib.request.urlopen(f"http://{address}:{port}/readyz", timeout=60)
        self.assertIn("seeds", self.seed())
        self.assert_complete(no_worker_died=True)
        self.assertEqual([0] * 3, [one["restartCount"] for pod in self.pods() for one in pod["status"]["containerStatuses"]])
        self.uninstall()

    def make_certificate(self, name):
        """A Secret as docs/deployment.md says that it is: for the names of the workers' pods."""
        names = ",".join(f"DNS:*.orbweaver-{component}.{NAMESPACE}.svc" for component in COMPONENTS)
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=orbweaver", "-addext",
                        f"subjectAltName={names}", "-keyout", self.folder / "tls.key", "-out", self.folder / "tls.crt"], check=True, capture_output=True)
        self.kubectl("create", "secret", "generic", name, *(f"--from-file={file}={self.folder}/{source}" for file, source in (
            ("tls.crt", "tls.crt"), ("tls.key", "tls.key"), ("ca.crt", "tls.crt"))))
        self.addCleanup(self.kubectl, "delete", f"secret/{name}")


class WholeChart(NodeWorld):
    """The chart's parts beside workers: a console, archives on volumes, strategies of one's own; all in one crawl."""

    TOKENS = {"ORBWEAVER_CONSOLE__READ_TOKEN": "readers-0123456789", "ORBWEAVER_ADMIN__TOKEN": "operators-0123456789"}
    LIBRARY = "libmine.so"

    def test_console_archives_and_strategies_of_ones_own_work_in_one_crawl(self):
        self.start("--faults", FAULTS)
        archive = self.make_volume()
        self.kubectl("create", "secret", "generic", "tokens", *(f"--from-literal={name}={value}" for name, value in self.TOKENS.items()))
        self.kubectl("create", "configmap", "mine", f"--from-file={self.LIBRARY}={self.BUILD}/lib/orbweaver/strategies/breadth_first.so")
        self.addCleanup(self.kubectl, "delete", "secret/tokens", "configmap/mine")
        own = {"console": {"enabled": True, "service": True, "orders": True}, "secrets": {"environment": ["tokens"]},
               "networkPolicy": {"console": [{"podSelector": {}}]},
               "spider": {"archive": {"enabled": True, "size": "1Gi", "storageClass": "archive"}}, "config": {"spider": {"archive": {"jsonl": True}}}}
        self.install(merged(own, {"strategyLibrary": {"file": self.LIBRARY, "configMap": "mine"}}))
        self.assertEqual({f"/opt/strategies/..data/{self.LIBRARY}"}, {re.sub(r"/\.\.20[^/]*", "/..data", path) for path in self.loaded_libraries()})
        self.seed()
        self.look_at_the_console_from_outside()
        # Another strategy, out of an image; and the console for those alone who may forward ports.
        self.upgrade(merged(own, {"strategyLibrary": {"file": self.LIBRARY, "image": node_image.STRATEGY}, "console": {"service": False, "orders": False}}))
        self.assertEqual({f"/opt/strategies/{self.LIBRARY}"}, self.loaded_libraries())
        self.look_at_the_console_through_a_forwarded_port()
        self.assert_complete(no_worker_died=True)
        # Not those that led to another domain: they are outcomes, and no pages.
        fetched = {message["detail"]["url"] for message in self.messages("spider-log", "--type", "page_fetched") if message["detail"]["status"] == 200}
        self.assertLess(100, len(fetched))
        self.uninstall()
        archived = [json.loads(line)["url"] for file in archive.glob("pages-*.jsonl") for line in file.read_text().splitlines()]
        self.assertEqual(fetched, set(archived))
        self.assertTrue(list(archive.glob("orbweaver-*.warc.gz")))

    def make_volume(self):
        """A folder of this node, as the volume that one spider will claim."""
        folder = self.folder / "archive"
        folder.mkdir()
        os.chown(folder, 10001, 10001)
        self.folder.chmod(0o755)
        volume = {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": "archive"},
                  "spec": {"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"], "persistentVolumeReclaimPolicy": "Retain",
                           "storageClassName": "archive", "hostPath": {"path": str(folder), "type": "Directory"}}}
        self.kubectl("create", "-f", "-", input=json.dumps(volume))
        self.addCleanup(self.kubectl, "delete", "--wait=false", "--ignore-not-found", "pvc/archive-orbweaver-spider-0", "pv/archive")
        return folder

    def loaded_libraries(self):
        """Those of the strategy worker's process that are of the volume for strategies."""
        maps = self.kubectl("exec", "orbweaver-strategy-worker-0", "-c", "strategy-worker", "--", "sh", "-c", "cat /proc/[0-9]*/maps")
        return set(re.findall(r" (/opt/strategies/\S+)$", maps, re.MULTILINE))

    def look_at_the_console_from_outside(self):
        service = json.loads(self.kubectl("get", "service", "orbweaver-console", "-o", "json"))["spec"]
        address = f"http://{service['clusterIP']}:{service['ports'][0]['port']}"
        self.assertEqual(401, ask(address, "/api/v1/workers")[0])
        reader, operator = self.TOKENS.values()
        self.await_that("the console knows all workers", lambda: {f"orbweaver-{one}-0.orbweaver-{one}.{NAMESPACE}.svc" for one in COMPONENTS} == {
            worker["admin_address"].rpartition(":")[0] for worker in ask(address, "/api/v1/workers", reader)[1].get("workers", [])})
        self.assertEqual(401, ask(address, "/api/v1/orders/block", reader, domain="nowhere.test")[0])
        status, said = ask(address, "/api/v1/orders/block", operator, domain="nowhere.test", **{"for": "1h"})
        self.assertEqual(200, status, said)
        given, = ask(address, "/api/v1/orders", reader)[1]["orders"]
        self.assertIn("nowhere.test", json.dumps(given))

    def look_at_the_console_through_a_forwarded_port(self):
        forwarding = subprocess.Popen([kubernetes_node.PROGRAMS / "kubectl", "--namespace", NAMESPACE, "port-forward", "deployment/orbweaver-console",
                                       ":9600"], env=node_world.NODE.client_environment(), stdout=subprocess.PIPE, text=True)
        self.addCleanup(forwarding.communicate)
        self.addCleanup(forwarding.kill)
        port = re.search(r"127\.0\.0\.1:(\d+) ->", forwarding.stdout.readline())[1]
        reader, _ = self.TOKENS.values()
        self.await_that("the console shows the crawl", lambda: ask(f"http://127.0.0.1:{port}", "/api/v1/overview", reader)[1].get("status"))
        page = urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=60).read().decode()
        self.assertIn("<title>", page)


def ask(address, path, token=None, **form):
    """Status and answer of the console."""
    request = urllib.request.Request(address + path, data=urllib.parse.urlencode(form).encode() if form else None,
                                     headers={"Host": "orbweaver-console"} if "127.0.0.1" not in address else {})
    if token:
        request.add_header("Authorization", f"Bearer {token}")
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, json.loads(answer.read())
    except urllib.error.HTTPError as error:
        with error:
            return error.code, json.loads(error.read())


class Documentation(NodeWorld):
    """The walk through an installation in docs/deployment.md, typed."""

    def test_every_command_does_as_it_says(self):
        self.start("--faults", FAULTS)
        typed = self.documented_folder()
        (typed / "my.yaml").write_text(json.dumps(self.values()))
        (typed / "urls.txt").write_text(self.web.seeds.read_text())
        commands = node_world.documented("From nothing to a crawl")
        self.assertLess(9, len(commands))
        for command in commands:
            self.type(command, typed)
        self.await_end()
        report = self.web.report()
        self.assertTrue(report["politeness"]["polite"] and report["check"]["equal"], report)


if __name__ == "__main__":
    node_world.main()
