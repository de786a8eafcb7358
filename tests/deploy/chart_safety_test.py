"""deploy/helm/orbweaver: pods have no rights that they do not need, stop in good order, fit on their nodes, and are never stuck."""

import unittest

from chart_test import EVERYTHING, SIZES
from helm import Release


class Safety(unittest.TestCase):
    """Pod Security `restricted`, and promises of docs/deployment.md."""

    def test_every_pod_is_restricted(self):
        for values in ({}, EVERYTHING, {"strategyLibrary": {"file": "x.so", "claim": "x"}}, {"profile": "demo"}):
            for pod in Release(values).pods():
                self.assertFalse({"hostNetwork", "hostPID", "hostIPC"} & set(pod))
                self.assertFalse(pod["automountServiceAccountToken"])
                context = pod["securityContext"]
                self.assertTrue(context["runAsNonRoot"] and context["runAsUser"] > 0 and context["seccompProfile"] == {"type": "RuntimeDefault"})
                for volume in pod.get("volumes", []):
                    self.assertLessEqual(set(volume), {"name", "configMap", "secret", "emptyDir", "persistentVolumeClaim", "projected"})
                for container in pod["containers"] + pod.get("initContainers", []):
                    self.assertEqual({"allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True, "capabilities": {"drop": ["ALL"]}},
                                     container["securityContext"])
                    self.assertIn("memory", container["resources"]["limits"])
                    self.assertNotIn("cpu", container["resources"]["limits"])
                    self.assertFalse(any("hostPort" in port for port in container.get("ports", [])))

    def test_mounts_have_their_volumes(self):
        for values in ({}, EVERYTHING, {"strategyLibrary": {"file": "x.so", "claim": "x"}}, {"profile": "demo"}):
            release = Release(values)
            for one in release.resources:
                pod = one["spec"]["template"]["spec"] if "template" in one.get("spec", {}) else one.get("spec", {}) if one["kind"] == "Pod" else None
                if pod is None:
                    continue
                volumes = [volume["name"] for volume in pod.get("volumes", [])] + [
                    claim["metadata"]["name"] for claim in one["spec"].get("volumeClaimTemplates", [])]
                self.assertEqual(len(volumes), len(set(volumes)))
                mounted = {mount["name"] for container in pod["containers"] + pod.get("initContainers", []) for mount in container.get("volumeMounts", [])}
                self.assertEqual(set(volumes), mounted, one["metadata"]["name"])

    def test_a_drain_takes_one_worker_at_a_time_and_is_never_stuck(self):
        for size in SIZES:
            release = Release({"size": size})
            for component in release.components():
                budget = release.find("PodDisruptionBudget", f"orbweaver-{component}")["spec"]
                self.assertNotIn("minAvailable", budget)
                self.assertEqual(1, budget["maxUnavailable"])
                replicas = release.worker(component)["spec"]["replicas"]
                self.assertTrue(replicas == 1 or budget["maxUnavailable"] < replicas)

    def test_no_secret_is_written_down(self):
        self.assertEqual([], Release(EVERYTHING).all("Secret"))


if __name__ == "__main__":
    unittest.main()
