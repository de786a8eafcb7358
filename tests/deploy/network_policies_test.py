"""The chart's NetworkPolicies: who gets where, and who does not."""

import ipaddress
import re
import unittest

import yaml

from helm import CHART, Release
from network_policies import End, may_talk
from options import ROOT

HERE = {"kubernetes.io/metadata.name": "crawl"}
KAFKA = End("10.1.0.1", {"app": "kafka"}, {"kubernetes.io/metadata.name": "data"})
HBASE = End("10.1.0.2", {"app": "hbase"}, {"kubernetes.io/metadata.name": "data"})
DNS = End("10.1.0.3", {"k8s-app": "kube-dns"}, {"kubernetes.io/metadata.name": "kube-system"})
PROMETHEUS = End("10.1.0.4", {"app": "prometheus"}, {"kubernetes.io/metadata.name": "monitoring"})
STRANGER = End("10.1.0.5", {"app": "shop"}, {"kubernetes.io/metadata.name": "default"})
API_SERVER = End("10.96.0.1")
METADATA = End("169.254.169.254")
WORLD = End("93.184.216.34")
WORLD_6 = End("2606:2800:220:1::1")
EVERYTHING_ON = {"console": {"enabled": True}, "pagesWorker": {"enabled": True}}
PEERS = {"networkPolicy": {"kafka": {"to": [{"namespaceSelector": {}, "podSelector": {"matchLabels": {"app": "kafka"}}}]},
                           "hbase": {"to": [{"ipBlock": {"cidr": "10.1.0.2/32"}}]}}}


def pods(release):
    """One of each component; labels as they are in the templates."""
    labels = [template["metadata"]["labels"] for template in release.templates()]
    return {one["app.kubernetes.io/component"]: End(f"10.244.0.{number}", one, HERE) for number, one in enumerate(labels, 1)}


class NetworkPolicies(unittest.TestCase):
    def expect(self, release, allowed, source, destination, port, protocol="TCP"):
        self.assertEqual(allowed, may_talk(release.all("NetworkPolicy"), HERE, source, destination, port, protocol),
                         f"{source} -> {destination} {port}")

    def setUp(self):
        self.release = Release({**EVERYTHING_ON, **PEERS})
        self.pods = pods(self.release)
        self.assertEqual({"spider", "strategy-worker", "db-worker", "pages-worker", "init", "console", "test"}, set(self.pods))

    def test_spiders_reach_the_world_and_kafka_and_nothing_else(self):
        spider = self.pods["spider"]
        for world in (WORLD, WORLD_6):
            for port in (80, 443, 8443):
                self.expect(self.release, True, spider, world, port)
        self.expect(self.release, True, spider, KAFKA, 9092)
        self.expect(self.release, True, spider, DNS, 53, "UDP")
        self.expect(self.release, True, spider, End("169.254.20.10"), 53, "UDP")
        for forbidden in (HBASE, STRANGER, API_SERVER, METADATA, End("127.0.0.1"), End("192.168.1.1"), End("172.31.0.1"), End("100.64.0.1"),
                          End("fd00::1"), End("fe80::1"), End("::1"), End("64:ff9b::a00:1"), End("2002:a00:1::1"), PROMETHEUS):
            for port in (80, 443, 9090):
                self.expect(self.release, False, spider, forbidden, port)
        for other in ("strategy-worker", "db-worker", "console"):
            for port in (80, 9600, 9620, 9630):
                self.expect(self.release, False, spider, self.pods[other], port)
        self.expect(self.release, False, spider, KAFKA, 22)
        self.expect(self.release, False, spider, DNS, 443)
        self.expect(self.release, False, spider, WORLD, 53, "UDP")

    def test_workers_reach_kafka_hbase_and_one_another_only(self):
        for name in ("strategy-worker", "db-worker", "pages-worker", "init", "console"):
            worker = self.pods[name]
            self.expect(self.release, True, worker, KAFKA, 9092)
            self.expect(self.release, True, worker, HBASE, 9090)
            self.expect(self.release, True, worker, DNS, 53, "UDP")
            self.expect(self.release, True, worker, DNS, 53, "TCP")
            for target, port in (("spider", 9610), ("strategy-worker", 9620), ("db-worker", 9630), ("pages-worker", 9630)):
                self.expect(self.release, True, worker, self.pods[target], port)
            for forbidden in (WORLD, WORLD_6, STRANGER, API_SERVER, METADATA):
                for port in (80, 443, 9092, 9090):
                    self.expect(self.release, False, worker, forbidden, port)
            self.expect(self.release, False, worker, KAFKA, 9093)
            self.expect(self.release, False, worker, HBASE, 2181)

    def test_admin_ports_are_for_the_release_and_prometheus(self):
        for name, port in (("spider", 9610), ("strategy-worker", 9620), ("db-worker", 9630), ("pages-worker", 9630)):
            self.expect(self.release, True, PROMETHEUS, self.pods[name], port)
            for forbidden in (STRANGER, WORLD, KAFKA, DNS):
                self.expect(self.release, False, forbidden, self.pods[name], port)
            self.expect(self.release, False, PROMETHEUS, self.pods[name], 22)
        for source in (PROMETHEUS, STRANGER, self.pods["db-worker"]):
            self.expect(self.release, False, source, self.pods["console"], 9600)

    def test_the_consoles_service_is_for_those_who_are_named(self):
        console = {"console": {"enabled": True, "service": True}, "secrets": {"environment": ["tokens"]}}
        release = Release({**console, "networkPolicy": {"console": [{"namespaceSelector": {"matchLabels": PROMETHEUS.namespace}}]}})
        self.expect(release, True, PROMETHEUS, pods(release)["console"], 9600)
        for forbidden in (STRANGER, WORLD, pods(release)["spider"], pods(release)["db-worker"]):
            self.expect(release, False, forbidden, pods(release)["console"], 9600)
        self.expect(Release(console), False, PROMETHEUS, pods(Release(console))["console"], 9600)

    def test_workers_reach_the_api_server_once_they_are_told_where_it_is(self):
        release = Release({**EVERYTHING_ON, "networkPolicy": {"apiServer": {"to": [{"ipBlock": {"cidr": "10.96.0.1/32"}}], "ports": [443]}}})
        for name, pod in pods(release).items():
            is_worker = "orbweaver/program" in pod.labels
            self.expect(release, is_worker, pod, API_SERVER, 443)
            self.expect(release, False, pod, API_SERVER, 6443)
            self.expect(release, False, pod, STRANGER, 443)

    def test_the_metrics_api_is_for_everybody_or_those_who_are_named_and_reaches_kafka_only(self):
        scaled = {"autoscaling": {"enabled": True}}
        named = {**scaled, "networkPolicy": {"autoscaler": [{"ipBlock": {"cidr": "10.96.0.1/32"}}]}}
        for values, allowed in ((scaled, True), (named, False)):
            release = Release({**EVERYTHING_ON, **values})
            mine = pods(release)
            self.expect(release, True, API_SERVER, mine["metrics-api"], 9650)
            self.expect(release, allowed, STRANGER, mine["metrics-api"], 9650)
            self.expect(release, False, STRANGER, mine["metrics-api"], 9610)
            self.expect(release, True, mine["metrics-api"], KAFKA, 9092)
            for forbidden, port in ((HBASE, 9090), (WORLD, 443), (mine["db-worker"], 9630), (API_SERVER, 443)):
                self.expect(release, False, mine["metrics-api"], forbidden, port)

    def test_another_release_is_a_stranger(self):
        other = pods(Release(EVERYTHING_ON, release="other-orbweaver"))
        self.expect(self.release, False, other["db-worker"], self.pods["db-worker"], 9630)
        self.expect(self.release, False, self.pods["db-worker"], other["db-worker"], 9630)

    def test_without_peers_kafka_and_hbase_may_be_anywhere_but_on_their_ports_only(self):
        release = Release({"config": {"kafka": {"brokers": "a.example:9093, b.example:9094,c.example"},
                                      "hbase": {"hosts": ["h.example:9095", "[fd00::2]:9096"]}}})
        mine = pods(release)
        for port in (9093, 9094, 9092):
            self.expect(release, True, mine["spider"], KAFKA, port)
        for port in (9095, 9096):
            self.expect(release, True, mine["db-worker"], HBASE, port)
            self.expect(release, False, mine["spider"], HBASE, port)
        for port in (80, 443, 9097):
            self.expect(release, False, mine["db-worker"], STRANGER, port)

    def test_ports_that_are_named_replace_those_of_the_addresses(self):
        release = Release({"networkPolicy": {"kafka": {"ports": [19092]}, "hbase": {"ports": [19090]}}})
        mine = pods(release)
        self.expect(release, True, mine["spider"], KAFKA, 19092)
        self.expect(release, False, mine["spider"], KAFKA, 9092)
        self.expect(release, True, mine["db-worker"], HBASE, 19090)
        self.expect(release, False, mine["db-worker"], HBASE, 9090)

    def test_networks_of_the_cluster_are_closed_to_spiders(self):
        node, node_6 = End("93.184.216.34"), End("2606:2800:220:1::1")
        release = Release({"networkPolicy": {"clusterNetworks": ["93.184.216.0/24", "2606:2800::/32", "fd00::/8"]}})
        for one in (node, node_6):
            self.expect(release, False, pods(release)["spider"], one, 443)
        self.expect(release, True, pods(release)["spider"], End("93.184.217.1"), 443)

    def test_networks_that_the_program_may_ask_are_open(self):
        corporate = End("10.9.0.1")
        release = Release({"config": {"network": {"allow_networks": ["10.9.0.0/16"]}}})
        self.expect(release, True, pods(release)["spider"], corporate, 443)
        self.expect(release, False, pods(release)["spider"], End("10.8.0.1"), 443)
        private = Release({"config": {"network": {"allow_private": True}}, "networkPolicy": {"clusterNetworks": ["10.96.0.0/12", "fd12::/16"]}})
        self.expect(private, True, pods(private)["spider"], corporate, 443)
        self.expect(private, False, pods(private)["spider"], API_SERVER, 443)
        self.expect(private, False, pods(private)["spider"], End("fd12::1"), 443)
        self.expect(private, True, pods(private)["spider"], End("fd13::1"), 443)

    def test_name_servers_that_are_named_are_open(self):
        release = Release({"config": {"network": {"dns_servers": ["9.9.9.9", "10.0.0.53:5353", "[2620:fe::fe]:54", "fd00::53"]}}})
        spider = pods(release)["spider"]
        for address, port in (("9.9.9.9", 53), ("10.0.0.53", 5353), ("2620:fe::fe", 54), ("fd00::53", 53)):
            for protocol in ("UDP", "TCP"):
                self.expect(release, True, spider, End(address), port, protocol)
            self.expect(release, False, spider, End(address), port + 1, "UDP")
        self.expect(release, False, spider, End("9.9.9.10"), 53, "UDP")

    def test_a_proxy_for_spiders_can_be_let_in(self):
        rule = {"to": [{"namespaceSelector": {}, "podSelector": {"matchLabels": {"app": "shop"}}}], "ports": [{"port": 3128, "protocol": "TCP"}]}
        release = Release({"networkPolicy": {"spiderEgress": [rule]}})
        self.expect(release, True, pods(release)["spider"], STRANGER, 3128)
        self.expect(release, False, pods(release)["db-worker"], STRANGER, 3128)

    def test_exceptions_lie_within_their_block(self):
        release = Release({"networkPolicy": {"clusterNetworks": ["93.184.216.0/24", "2606:2800::/32", "fd00::/8"]}})
        for rule in release.find("NetworkPolicy", "orbweaver-web")["spec"]["egress"]:
            for peer in rule["to"]:
                block = ipaddress.ip_network(peer["ipBlock"]["cidr"])
                for one in peer["ipBlock"]["except"]:
                    self.assertTrue(ipaddress.ip_network(one).subnet_of(block), one)

    def test_the_world_is_what_the_program_takes_for_public(self):
        world = yaml.safe_load((CHART / "files/not_public.yaml").read_text())
        source = (ROOT / "spider/fetch/address_policy.cc").read_text()
        v4 = re.findall(r"\{\{([0-9, ]+)\}, (\d+)\}", source.split("bool IsPublicV4")[1].split("bool IsPublicV6")[0])
        self.assertEqual({".".join((numbers.split(", ") + ["0"] * 3)[:4]) + f"/{bits}" for numbers, bits in v4}, set(world["v4"]["except"]))
        inner = source.split("bool IsPublicV6")[1].split("bool IsPublicAddress")[0]
        self.assertIn("return IsWithin(address, {{{0x20}, 3}}) &&", inner)
        self.assertEqual("2000::/3", world["v6"]["cidr"])
        v6 = re.findall(r"\{\{([0-9a-fx, ]+)\}, (\d+)\},", inner)
        prefixes = {str(ipaddress.ip_network((bytes(int(one, 16) for one in numbers.split(", ")).ljust(16, b"\0"), int(bits)))) for numbers, bits in v6}
        self.assertEqual(prefixes, set(world["v6"]["except"]))

    def test_switched_off_there_are_none(self):
        self.assertEqual([], Release({"networkPolicy": {"enabled": False}}).all("NetworkPolicy"))


class Evaluator(unittest.TestCase):
    """The evaluator itself, on policies whose meaning Kubernetes' documentation says."""

    def policy(self, **spec):
        return {"spec": {"podSelector": {}, "policyTypes": ["Ingress", "Egress"], **spec}}

    def setUp(self):
        self.a, self.b = End("10.0.0.1", {"app": "a"}, HERE), End("10.0.0.2", {"app": "b"}, HERE)

    def test_without_a_policy_all_may_talk(self):
        self.assertTrue(may_talk([], HERE, self.a, self.b, 1))

    def test_a_policy_without_rules_denies_all(self):
        self.assertFalse(may_talk([self.policy()], HERE, self.a, WORLD, 1))
        self.assertFalse(may_talk([self.policy()], HERE, WORLD, self.a, 1))

    def test_an_empty_rule_allows_all_and_policies_add_up(self):
        self.assertTrue(may_talk([self.policy(), self.policy(egress=[{}])], HERE, self.a, WORLD, 1))

    def test_a_connection_needs_both_ends(self):
        self.assertFalse(may_talk([self.policy(egress=[{}])], HERE, self.a, self.b, 1))
        self.assertTrue(may_talk([self.policy(egress=[{}], ingress=[{"from": [{"podSelector": {"matchLabels": {"app": "a"}}}]}])], HERE,
                                 self.a, self.b, 1))

    def test_a_pod_selector_alone_means_the_policys_namespace(self):
        there = End("10.0.0.3", {"app": "b"}, {"kubernetes.io/metadata.name": "there"})
        policy = self.policy(policyTypes=["Egress"], egress=[{"to": [{"podSelector": {"matchLabels": {"app": "b"}}}]}])
        self.assertTrue(may_talk([policy], HERE, self.a, self.b, 1))
        self.assertFalse(may_talk([policy], HERE, self.a, there, 1))

    def test_protocols_and_ranges_of_ports_count(self):
        policy = self.policy(policyTypes=["Egress"], egress=[{"ports": [{"port": 10, "endPort": 12}]}])
        self.assertEqual([False, True, True, False], [may_talk([policy], HERE, self.a, WORLD, port) for port in (9, 10, 12, 13)])
        self.assertFalse(may_talk([policy], HERE, self.a, WORLD, 10, "UDP"))

    def test_what_it_does_not_know_is_an_error(self):
        with self.assertRaises(ValueError):
            may_talk([self.policy(egress=[{"too": []}])], HERE, self.a, WORLD, 1)
        with self.assertRaises(ValueError):
            may_talk([self.policy(egress=[{"to": [{"podSelecter": {}}]}])], HERE, self.a, WORLD, 1)


if __name__ == "__main__":
    unittest.main()
