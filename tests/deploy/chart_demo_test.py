"""profile: demo: its parts fit together, and reach whom they must and nobody else."""

import unittest

from helm import CHART, Release, environment, helm, merged
from network_policies import may_talk
from network_policies_test import DNS, HERE, KAFKA, PROMETHEUS, STRANGER, WORLD, pods
from options import ROOT, effective_in_file

PARTS = {"kafka": 9092, "hbase": 9090, "web": 8080}


class Demo(unittest.TestCase):
    def setUp(self):
        self.release = Release({"profile": "demo"}, release="trial")
        self.name = "trial-orbweaver"

    def part(self, component):
        return self.release.find("StatefulSet", f"{self.name}-{component}")["spec"]

    def container(self, component):
        found, = self.part(component)["template"]["spec"]["containers"]
        return found

    def test_the_workers_are_told_where_its_services_are(self):
        options = effective_in_file(self.release.find("ConfigMap", self.name)["data"]["orbweaver.yaml"], {})
        for option, component in (("kafka.brokers", "kafka"), ("hbase.hosts", "hbase"), ("network.proxy", "web")):
            port = PARTS[component]
            self.assertIn(f"{self.name}-{component}:{port}", str(options[option]))
            self.assertEqual([port], [one["containerPort"] for one in self.container(component)["ports"]])
            service = self.release.find("Service", f"{self.name}-{component}")["spec"]
            self.assertEqual([port], [one["port"] for one in service["ports"]])
            self.assertEqual(self.part(component)["template"]["metadata"]["labels"], service["selector"])
        self.assertEqual((1, True), (options["topics.replication"], options["network.allow_private"]))
        # The name by which Kafka tells others to come, as the image is told it.
        self.assertEqual(f"{self.name}-kafka", environment(self.container("kafka"))["ADVERTISED_HOST"])
        self.assertIn("${env:ADVERTISED_HOST}:9092", (ROOT / "deploy/docker/service/kafka/for_containers").read_text())

    def test_seeds_are_of_the_web_that_is_served(self):
        seeds, = self.part("web")["template"]["spec"]["initContainers"]
        self.assertEqual(self.container("web")["args"], seeds["args"][3:])
        self.assertEqual(["sh", "-c", 'exec "$0" "$@" --print-seeds > /tmp/seeds.txt'], seeds["args"][:3])

    def test_what_an_upgrade_would_lose_is_left_alone_by_it(self):
        for component in PARTS:
            self.assertEqual({"type": "OnDelete"}, self.part(component)["updateStrategy"])

    def test_images_are_those_of_the_services(self):
        release = Release({"profile": "demo", "image": {"repository": "r.test/o", "tag": "7"}})
        found = {component: release.container(component)["image"] for component in PARTS}
        self.assertEqual({"kafka": "r.test/o-kafka:7", "hbase": "r.test/o-hbase:7", "web": "r.test/o:7"}, found)

    def test_spiders_reach_the_demos_web_and_kafka_alone(self):
        mine = pods(self.release)
        policies = self.release.all("NetworkPolicy")

        def expect(allowed, source, destination, port):
            self.assertEqual(allowed, may_talk(policies, HERE, source, destination, port), f"{source} -> {destination} {port}")
        for source in ("spider", "strategy-worker", "db-worker", "init"):
            expect(True, mine[source], mine["kafka"], 9092)
            expect(source != "spider", mine[source], mine["hbase"], 9090)
            expect(source == "spider", mine[source], mine["web"], 8080)
            for forbidden in (WORLD, STRANGER, KAFKA):
                for port in (80, 8080, 9092):
                    expect(False, mine[source], forbidden, port)
        for component, port in PARTS.items():
            for stranger in (STRANGER, WORLD, PROMETHEUS):
                expect(False, stranger, mine[component], port)
            for beyond in (WORLD, STRANGER, mine["db-worker"]):
                expect(False, mine[component], beyond, 9630)
        self.assertTrue(may_talk(policies, HERE, mine["kafka"], DNS, 53, "UDP"))
        # By those of the demo's pods alone, whatever spiders may reach.
        theirs = [one for one in policies if one["spec"]["policyTypes"] == ["Ingress"]]
        self.assertFalse(may_talk(theirs, HERE, mine["spider"], mine["hbase"], 9090))
        self.assertFalse(may_talk(theirs, HERE, mine["db-worker"], mine["web"], 8080))
        self.assertTrue(may_talk(theirs, HERE, mine["db-worker"], mine["hbase"], 9090))

    def test_without_policies_there_are_none(self):
        self.assertEqual([], Release({"profile": "demo", "networkPolicy": {"enabled": False}}).all("NetworkPolicy"))

    def test_the_notes_say_what_to_type(self):
        text = helm("install", "orbweaver", CHART, "--namespace", "crawl", "--dry-run=client", values={"profile": "demo"}).split("NOTES:")[1]
        for part in ("  kubectl -n crawl exec orbweaver-web-0 -c web -- cat /tmp/seeds.txt | kubectl -n crawl exec -i statefulset/orbweaver-db-worker",
                     "\n  kubectl -n crawl exec -i statefulset/orbweaver-db-worker -c db-worker -- orbweaver status", "100 made-up hosts of 100 pages",
                     "logs orbweaver-web-0 -c web --previous"):
            self.assertIn(part, text)
        # Advice for a crawl of the real web.
        for part in ("Say who you are", "networkPolicy.kafka.to"):
            self.assertNotIn(part, text)

    def test_nothing_of_it_is_there_without_it(self):
        plain = Release(merged({"demo": {"hosts": 5}}, {}), release="trial")
        names = {one["metadata"]["name"] for one in plain.resources}
        self.assertFalse({f"{self.name}-{part}" for part in ("kafka", "hbase")} & names)
        self.assertNotIn("synthetic", plain.text)


if __name__ == "__main__":
    unittest.main()
