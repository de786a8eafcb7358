"""The chart, given to a real API server by Helm: installed, upgraded, rolled back, taken away."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import time
import unittest

import yaml

from chart_test import EVERYTHING
from helm import CHART, HELM, Release, merged
from kubernetes_api import PATIENCE_S, PROGRAM, ApiServer

NAMESPACE = "crawl"
# Resources of operators that are not there, and an API that nobody would serve.
WITHOUT_OPERATORS = merged(EVERYTHING, {"monitoring": {"podMonitor": False, "alerts": False, "dashboard": True}, "autoscaling": {"enabled": False}})
KEDA = pathlib.Path(os.environ["KEDA_RESOURCES"])


class KubernetesApi(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = cls.enterClassContext(ApiServer())
        # Pods that are not restricted are refused, resources that would make such pods are warned of.
        labels = {f"pod-security.kubernetes.io/{mode}": "restricted" for mode in ("enforce", "warn", "audit")}
        status, said, _ = cls.server.call("POST", "/api/v1/namespaces", {"metadata": {"name": NAMESPACE, "labels": labels}})
        assert status == 201, said

    def helm_done(self, *arguments, values=None, program="helm"):
        return subprocess.run([HELM / program, *arguments, "--namespace", NAMESPACE, *(["--values", "-"] if values is not None else [])], text=True,
                              input=json.dumps(values) if values is not None else "", capture_output=True, timeout=300,
                              env={"PATH": os.environ["PATH"], "HOME": "/nonexistent", "KUBECONFIG": str(self.server.kubeconfig),
                                   "HELM_CACHE_HOME": str(self.server.kubeconfig.parent)})

    def helm(self, *arguments, **options):
        """Its output; no warning came with it."""
        done = self.helm_done(*arguments, **options)
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertNotIn("arning", done.stderr)
        return done.stdout

    def names(self, path):
        status, said, _ = self.server.call("GET", path.replace("NAMESPACE", f"namespaces/{NAMESPACE}"))
        self.assertEqual(200, status, said)
        return sorted(one["metadata"]["name"] for one in said["items"])

    def jobs(self):
        return self.names("/apis/batch/v1/NAMESPACE/jobs")

    def life(self, program):
        """Install, upgrade to another image and configuration, back, away: the Job, which cannot change, is each time another one."""
        install = [] if program == "helm3" else ["--server-side=true"]
        self.helm("install", "orbweaver", CHART, *install, values=WITHOUT_OPERATORS, program=program)
        first = self.jobs()
        self.assertEqual(["orbweaver-console"], self.names("/apis/apps/v1/NAMESPACE/deployments"))
        self.assertEqual([f"orbweaver-{one}" for one in ("db-worker", "pages-worker", "spider", "strategy-worker")],
                         self.names("/apis/apps/v1/NAMESPACE/statefulsets"))
        self.assertEqual(5, len(self.names("/apis/networking.k8s.io/v1/NAMESPACE/networkpolicies")))
        self.assertEqual(4, len(self.names("/apis/policy/v1/NAMESPACE/poddisruptionbudgets")))
        # No controller is here that would run the Job before an upgrade.
        self.helm("upgrade", "orbweaver", CHART, "--no-hooks", values=merged(WITHOUT_OPERATORS, {"image": {"tag": "0.1.1"}, "config": {"log": {"level": "debug"}}}),
                  program=program)
        second = self.jobs()
        self.helm("upgrade", "orbweaver", CHART, "--no-hooks", values=merged(WITHOUT_OPERATORS, {"spider": {"replicas": 4}}), program=program)
        third = self.jobs()
        self.helm("rollback", "orbweaver", "1", "--no-hooks", program=program)
        fourth = self.jobs()
        for number, jobs in enumerate((first, second, third, fourth), 1):
            self.assertEqual([f"orbweaver-init-{1 if number == 4 else number}"], [name.rpartition("-")[0] for name in jobs])
        self.helm("uninstall", "orbweaver", program=program)
        self.assertEqual([], self.names("/apis/apps/v1/NAMESPACE/statefulsets"))

    def test_helm_4_installs_upgrades_rolls_back_and_takes_away(self):
        self.life("helm")

    def test_helm_3_installs_upgrades_rolls_back_and_takes_away(self):
        self.life("helm3")

    def test_scaled_objects_are_what_keda_takes(self):
        definition = yaml.safe_load((KEDA / "keda.sh_scaledobjects.yaml").read_text())
        place = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
        status, said, _ = self.server.call("POST", place, definition)
        self.assertEqual(201, status, said)
        deadline = time.monotonic() + PATIENCE_S
        while self.server.call("GET", f"/apis/keda.sh/v1alpha1/namespaces/{NAMESPACE}/scaledobjects")[0] != 200:
            self.assertLess(time.monotonic(), deadline, "the definition is never served")
        release = Release({"autoscaling": {"enabled": True, "keda": True}})
        self.assertEqual(3, len(release.all("ScaledObject")))
        for one in release.all("ScaledObject"):
            for wrong, expected in (({}, 201), ({"maxReplicas": 3}, 400), ({"maxReplicaCount": "three"}, 422)):
                body = {**one, "spec": {**one["spec"], **wrong}}
                path = f"/apis/keda.sh/v1alpha1/namespaces/{NAMESPACE}/scaledobjects?dryRun=All&fieldValidation=Strict"
                status, said, _ = self.server.call("POST", path, body)
                self.assertEqual(expected, status, said)
        self.assertEqual(200, self.server.call("DELETE", f"{place}/{definition['metadata']['name']}")[0])

    def test_an_upgrade_keeps_the_certificate_that_an_installation_made(self):
        values = {"autoscaling": {"enabled": True}}
        self.addCleanup(self.helm_done, "uninstall", "scaled")
        self.helm("install", "scaled", CHART, values=values)

        def shown():
            secret = self.server.call("GET", f"/api/v1/namespaces/{NAMESPACE}/secrets/scaled-orbweaver-metrics-api")[1]
            api = self.server.call("GET", "/apis/apiregistration.k8s.io/v1/apiservices/v1beta1.external.metrics.k8s.io")[1]
            return secret["data"]["tls.key"], secret["data"]["tls.crt"], api["spec"]["caBundle"]
        first = shown()
        self.assertEqual(first[1], first[2])
        # Nobody serves that API here, and Helm warns of it; and no controller is here that would run the Job before an upgrade.
        done = self.helm_done("upgrade", "scaled", CHART, "--no-hooks", values=merged(values, {"config": {"log": {"level": "debug"}}}))
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertEqual(first, shown())

    def test_every_pod_is_admitted_where_only_restricted_ones_are(self):
        for values in ({}, WITHOUT_OPERATORS, {"strategyLibrary": {"file": "x.so", "claim": "x"}}, {"profile": "demo"}):
            for number, template in enumerate(Release(values).templates()):
                spec = {**template["spec"], "volumes": [*template["spec"].get("volumes", []), {"name": "archive", "emptyDir": {}}]}
                pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": f"pod-{number}", "labels": template["metadata"]["labels"]},
                       "spec": {"restartPolicy": "Always", **spec}}
                status, said, warnings = self.server.call("POST", f"/api/v1/namespaces/{NAMESPACE}/pods?dryRun=All&fieldValidation=Strict", pod)
                self.assertEqual((201, []), (status, warnings), said)

    def test_a_pod_with_more_rights_is_refused(self):
        template = next(Release({}).templates())
        template["spec"]["containers"][0]["securityContext"]["allowPrivilegeEscalation"] = True
        status, said, _ = self.server.call("POST", f"/api/v1/namespaces/{NAMESPACE}/pods?dryRun=All",
                                           {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "pod"}, "spec": template["spec"]})
        self.assertEqual(403, status)
        self.assertIn("PodSecurity", said["message"])

    def test_exceptions_of_network_policies_are_within_their_blocks(self):
        """The schema cannot say this, the server does."""
        values = {"networkPolicy": {"clusterNetworks": ["34.0.0.0/8", "2600::/16", "fd00::/8"]}, "config": {"network": {
            "allow_networks": ["10.1.0.0/16"], "dns_servers": ["9.9.9.9", "[2620:fe::fe]:54"]}}}
        for policy in Release(values).all("NetworkPolicy"):
            status, said, warnings = self.server.call(
                "POST", f"/apis/networking.k8s.io/v1/namespaces/{NAMESPACE}/networkpolicies?dryRun=All&fieldValidation=Strict", policy)
            self.assertEqual((201, []), (status, warnings), said)


if __name__ == "__main__":
    if not PROGRAM.exists() or not shutil.which("etcd"):
        print(f"no {PROGRAM}, or no etcd: `./run test kubernetes` as root brings both")
        sys.exit(77)
    unittest.main()
