"""The chart's autoscalers, the API that they follow, and the right of workers to ask whether they come back, rendered.

That all of it works is kubernetes_scaling_test.py's to show.
"""

import base64
import re
import subprocess
import tempfile
import unittest

from chart_test import EVERYTHING, EXTERNAL_METRICS
from helm import Release, merged
from options import ROOT, WORKERS


class Scaling(unittest.TestCase):
    ON = {"autoscaling": {"enabled": True}}

    def test_replicas_are_chosen_by_one_side_only(self):
        scaled = Release(merged(EVERYTHING, {"pagesWorker": {"replicas": 2}}))
        self.assertEqual({"pages-worker"}, {component for component in scaled.components() if "replicas" in scaled.worker(component)["spec"]})
        fixed = Release()
        self.assertTrue(all("replicas" in fixed.worker(component)["spec"] for component in fixed.components()))
        self.assertEqual([], fixed.all("HorizontalPodAutoscaler") + fixed.all("APIService") + fixed.all("Secret"))

    def test_each_kind_follows_its_own_number_quickly_up_and_slowly_down(self):
        release = Release(self.ON)
        metrics = {}
        for one in release.all("HorizontalPodAutoscaler"):
            spec = one["spec"]
            self.assertEqual(one["metadata"]["name"], spec["scaleTargetRef"]["name"])
            release.find("StatefulSet", spec["scaleTargetRef"]["name"])
            metric, = spec["metrics"]
            self.assertEqual({"type": "AverageValue", "averageValue": "1"}, metric["external"]["target"])
            metrics[one["metadata"]["name"]] = metric["external"]["metric"]["name"]
            down, up = spec["behavior"]["scaleDown"], spec["behavior"]["scaleUp"]
            self.assertGreater(down["stabilizationWindowSeconds"], up["stabilizationWindowSeconds"])
            self.assertEqual([{"type": "Pods", "value": 1, "periodSeconds": 60}], down["policies"])
        self.assertEqual({f"orbweaver-{component}": f"orbweaver_wanted_{component.replace('-', '_')}s" for component in WORKERS}, metrics)

    def test_the_programs_metrics_are_those_that_are_asked_for(self):
        release = Release(self.ON)
        source = (ROOT / "cli/scaling/external_metrics.cc").read_text()
        names = {one["spec"]["metrics"][0]["external"]["metric"]["name"] for one in release.all("HorizontalPodAutoscaler")}
        self.assertEqual(names, set(re.findall(r'"(orbweaver_wanted_\w+)"', source)))
        keda = Release(merged(self.ON, {"autoscaling": {"keda": True}}))
        places = {one["spec"]["triggers"][0]["metadata"]["valueLocation"] for one in keda.all("ScaledObject")}
        self.assertEqual(places, set(re.findall(r'"orbweaver_wanted_\w+", "(\w+)"', source)))

    def test_kubernetes_knows_the_certificate_by_which_it_is_served(self):
        release = Release(self.ON)
        secret = release.find("Secret", "orbweaver-metrics-api")
        api = release.find("APIService", EXTERNAL_METRICS)["spec"]
        self.assertEqual(secret["data"]["tls.crt"], api["caBundle"])
        self.assertEqual("orbweaver-metrics-api", api["service"]["name"])
        with tempfile.NamedTemporaryFile() as file:
            file.write(base64.b64decode(secret["data"]["tls.crt"]))
            file.flush()
            shown = subprocess.run(["openssl", "x509", "-in", file.name, "-noout", "-ext", "subjectAltName"], capture_output=True, text=True, check=True)
        self.assertIn("DNS:orbweaver-metrics-api.crawl.svc", shown.stdout)
        own = Release(EVERYTHING).find("APIService", EXTERNAL_METRICS)["spec"]
        self.assertEqual(EVERYTHING["autoscaling"]["caBundle"], base64.b64decode(own["caBundle"]).decode())

    def test_ports_lead_to_it(self):
        release = Release(EVERYTHING)
        container, = release.find("Deployment", "orbweaver-metrics-api")["spec"]["template"]["spec"]["containers"]
        port, = container["ports"]
        self.assertEqual(f"0.0.0.0:{port['containerPort']}", container["args"][container["args"].index("--listen") + 1])
        service, = release.find("Service", "orbweaver-metrics-api")["spec"]["ports"]
        self.assertEqual((port["name"], release.find("APIService", EXTERNAL_METRICS)["spec"]["service"]["port"]), (service["targetPort"], service["port"]))

    def test_workers_may_ask_how_many_they_are_to_be_and_nothing_else(self):
        release = Release(EVERYTHING)
        role = release.find("Role", "orbweaver-worker")
        self.assertEqual([{"apiGroups": ["apps"], "resources": ["statefulsets/scale"], "verbs": ["get"],
                           "resourceNames": [f"orbweaver-{component}" for component in release.components()]}], role["rules"])
        binding = release.find("RoleBinding", "orbweaver-worker")
        self.assertEqual(("Role", "orbweaver-worker"), (binding["roleRef"]["kind"], binding["roleRef"]["name"]))
        self.assertEqual([{"kind": "ServiceAccount", "name": "orbweaver-worker", "namespace": "crawl"}], binding["subjects"])
        self.assertFalse(release.find("ServiceAccount", "orbweaver-worker")["automountServiceAccountToken"])
        self.assertEqual([], release.all("ClusterRole"))
        # Workers have it, and of their containers the worker itself.
        mount = {"name": "service-account", "mountPath": "/var/run/secrets/kubernetes.io/serviceaccount", "readOnly": True}
        for template in release.templates():
            is_worker = "orbweaver/program" in template["metadata"]["labels"]
            self.assertEqual("orbweaver-worker" if is_worker else None, template["spec"].get("serviceAccountName"))
            for kind in ("containers", "initContainers"):
                for container in template["spec"].get(kind, []):
                    self.assertEqual(is_worker and kind == "containers", mount in container.get("volumeMounts", []), container["name"])


if __name__ == "__main__":
    unittest.main()
