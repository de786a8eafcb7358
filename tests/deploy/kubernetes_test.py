"""deploy/kubernetes/, as far as it can be judged without a cluster: against the schemas of Kubernetes, and against what the programs say."""

import json
import os
import pathlib
import re
import unittest

import jsonschema
import yaml

from options import ROOT, WORKERS, effective, seconds

FOLDER = ROOT / "deploy/kubernetes"
SCHEMAS = pathlib.Path(os.environ["KUBERNETES_SCHEMAS"])


def resources():
    """Of every file, in the order in which they stand."""
    for file in sorted(FOLDER.glob("*.yaml")):
        if file.name != "kustomization.yaml":
            yield from yaml.safe_load_all(file.read_text())


def find(kind, name):
    found, = [one for one in resources() if one["kind"] == kind and one["metadata"]["name"] == name]
    return found


def validate(resource):
    group, _, version = resource["apiVersion"].rpartition("/")
    name = "-".join([resource["kind"].lower(), *([group.split(".")[0]] if group else []), version])
    schema = json.loads((SCHEMAS / f"{name}.json").read_text())
    # By the name under which the schemas refer to it; nothing is fetched.
    definitions = {"https://kubernetes.io/api/_definitions.json": json.loads((SCHEMAS / "_definitions.json").read_text())}
    resolver = jsonschema.RefResolver.from_schema(schema, store=definitions)
    jsonschema.Draft7Validator(schema, resolver=resolver).validate(resource)


class Kubernetes(unittest.TestCase):
    def test_every_resource_is_valid_and_has_no_unknown_field(self):
        count = 0
        for resource in resources():
            validate(resource)
            count += 1
        self.assertEqual(2 + 1 + 3 * len(WORKERS), count)

    def test_the_schemas_find_mistakes(self):
        resource = find("StatefulSet", "spider")
        resource["spec"]["template"]["spec"]["containers"][0]["livenessProb"] = {}
        with self.assertRaises(jsonschema.ValidationError):
            validate(resource)

    def test_the_kustomization_names_every_file_and_the_image(self):
        kustomization = yaml.safe_load((FOLDER / "kustomization.yaml").read_text())
        self.assertEqual({file.name for file in FOLDER.glob("*.yaml")} - {"kustomization.yaml"}, set(kustomization["resources"]))
        images = {container["image"] for pod in self.pods() for container in pod["containers"] + pod.get("initContainers", [])}
        self.assertEqual(images, {image["name"] for image in kustomization["images"]})

    def pods(self):
        return [one["spec"]["template"]["spec"] for one in resources() if one["kind"] in ("StatefulSet", "Job")]

    def test_every_command_and_option_is_one_of_ours(self):
        variables = find("ConfigMap", "orbweaver")["data"]
        for pod in self.pods():
            for container in pod["containers"] + pod.get("initContainers", []):
                effective(container["args"], variables)
        for name in re.findall(r"ORBWEAVER_[A-Z_]+", (FOLDER / "README.md").read_text()):
            effective([], {name: "x"})

    def test_probes_ports_and_times_are_those_of_the_configuration(self):
        variables = find("ConfigMap", "orbweaver")["data"]
        for worker in WORKERS:
            template = find("StatefulSet", worker)["spec"]["template"]
            container, = template["spec"]["containers"]
            values = effective(container["args"], variables)
            self.assertEqual(f"orbweaver-{worker}", container["args"][0])
            self.assertEqual([{"name": "admin", "containerPort": values["admin.port"]}], container["ports"])
            self.assertEqual(str(values["admin.port"]), template["metadata"]["annotations"]["prometheus.io/port"])
            self.assertEqual([{"name": "admin", "port": values["admin.port"]}], find("Service", worker)["spec"]["ports"])
            probes = {name: container[name]["httpGet"] for name in ("startupProbe", "livenessProbe", "readinessProbe")}
            self.assertEqual(["/healthz", "/healthz", "/readyz"], [probe["path"] for probe in probes.values()])
            self.assertEqual({"admin"}, {probe["port"] for probe in probes.values()})
            self.assertLess(seconds(values["stop.deadline"]), template["spec"]["terminationGracePeriodSeconds"])

    def test_selectors_find_their_pods_and_no_others(self):
        for worker in WORKERS:
            labels = find("StatefulSet", worker)["spec"]["template"]["metadata"]["labels"]
            self.assertEqual(worker, labels["app.kubernetes.io/component"])
            self.assertEqual(labels, find("StatefulSet", worker)["spec"]["selector"]["matchLabels"])
            self.assertEqual(labels, find("Service", worker)["spec"]["selector"])
            self.assertEqual(labels, find("PodDisruptionBudget", worker)["spec"]["selector"]["matchLabels"])
            self.assertEqual(worker, find("StatefulSet", worker)["spec"]["serviceName"])

    def test_a_workers_name_is_its_pods_and_leads_to_it(self):
        for worker in WORKERS:
            container, = find("StatefulSet", worker)["spec"]["template"]["spec"]["containers"]
            name, address = container["env"]
            self.assertEqual({"name": "ORBWEAVER_WORKER__NAME", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}, name)
            # Kubernetes replaces $(…) by variables that stand before; a pod of a headless Service is POD.SERVICE.
            self.assertEqual({"name": "ORBWEAVER_ADMIN__ADVERTISE", "value": f"$(ORBWEAVER_WORKER__NAME).{worker}"}, address)
            effective(container["args"], {name["name"]: f"{worker}-0", address["name"]: f"{worker}-0.{worker}"})

    def test_the_memory_that_is_configured_fits(self):
        units = {"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}

        def size(text):
            number, unit = re.fullmatch(r"(\d+)(Ki|Mi|Gi)B?", text).groups()
            return int(number) * units[unit + "B"]
        for worker, options in {"strategy-worker": ["strategy_worker.cache_bytes"],
                                "db-worker": ["db_worker.index_bytes", "db_worker.chunk_cache_bytes"]}.items():
            container, = find("StatefulSet", worker)["spec"]["template"]["spec"]["containers"]
            values = effective(container["args"], {})
            self.assertLess(sum(size(values[option]) for option in options) + size("512MiB"), size(container["resources"]["limits"]["memory"]))

    def test_nothing_runs_with_rights_that_it_does_not_need(self):
        for pod in self.pods():
            self.assertTrue(pod["securityContext"]["runAsNonRoot"])
            for container in pod["containers"] + pod.get("initContainers", []):
                self.assertEqual({"allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True, "capabilities": {"drop": ["ALL"]}},
                                 container["securityContext"])


if __name__ == "__main__":
    unittest.main()
