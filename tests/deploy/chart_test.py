"""deploy/helm/orbweaver: what it renders, by Helm's own programs, held against Kubernetes' schemas and against what our programs say."""

import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

import jsonschema
import yaml

from helm import CHART, COMPONENTS, Release, bytes_of, cores_of, environment, helm, merged
from options import ROOT, WORKERS, effective, effective_in_file, program, seconds

SCHEMAS = pathlib.Path(os.environ["KUBERNETES_SCHEMAS"])
SIZES = ("small", "medium", "large")
# Everything that can be switched on at once.
EVERYTHING = {
    "image": {"pullSecrets": ["registry"]},
    "secrets": {"environment": ["orbweaver-env", "more"], "files": ["kafka-tls", "hbase.tls"]},
    "spider": {"archive": {"enabled": True, "storageClass": "fast"}, "nodeSelector": {"kind": "crawl"},
               "tolerations": [{"key": "crawl", "operator": "Exists", "effect": "NoSchedule"}]},
    "pagesWorker": {"enabled": True},
    "admin": {"tlsSecret": "admin-tls"},
    "strategyLibrary": {"file": "libmine.so#deep", "image": "registry.example.com/mine:1"},
    "autoscaling": {"enabled": True, "tlsSecret": "metrics-tls", "caBundle": "-----BEGIN CERTIFICATE-----\nAA=="},
    "console": {"enabled": True, "service": True, "orders": True, "tlsSecret": "console-tls", "journalClaim": "orders"},
    "networkPolicy": {"clusterNetworks": ["34.0.0.0/8"], "console": [{"podSelector": {"matchLabels": {"app": "ingress"}}}],
                      "kafka": {"to": [{"podSelector": {"matchLabels": {"app": "kafka"}}}]}},
    "monitoring": {"podMonitor": True, "alerts": True, "dashboard": True, "labels": {"release": "prometheus"}},
}
OPERATORS_KINDS = ("PodMonitor", "PrometheusRule", "ScaledObject")
# Its name is what it serves, and a cluster has one.
EXTERNAL_METRICS = "v1beta1.external.metrics.k8s.io"


class Definitions(jsonschema.RefResolver):
    """Looks a definition up by its name. The library's own way goes through all of them each time, which takes half a minute in all."""

    def __init__(self, definitions):
        super().__init__("", definitions)
        self._definitions = definitions["$defs"]

    def resolve(self, ref):
        return ref, self._definitions[ref.rpartition("/")[2]]


class Schemas:
    """Of one version of Kubernetes."""

    def __init__(self, version):
        self._folder = SCHEMAS / version
        self._definitions = Definitions(json.loads((self._folder / "_definitions.json").read_text()))

    def validate(self, resource):
        group, _, version = resource["apiVersion"].rpartition("/")
        name = "-".join([resource["kind"].lower(), *([group.split(".")[0]] if group else []), version])
        schema = json.loads((self._folder / f"{name}.json").read_text())
        jsonschema.Draft7Validator(schema, resolver=self._definitions).validate(resource)


class Rendering(unittest.TestCase):
    def test_helm_has_nothing_to_say_against_it(self):
        for one in ("helm", "helm3"):
            helm("lint", "--strict", CHART, program=one)
            helm("lint", "--strict", CHART, values=EVERYTHING, program=one)

    def test_helm_3_and_4_render_the_same(self):
        for values in ({}, EVERYTHING, {"profile": "demo"}):
            self.assertEqual(Release(values, program="helm3").resources, Release(values).resources)

    def test_every_resource_is_valid_in_three_versions_of_kubernetes(self):
        versions = sorted(one.name for one in SCHEMAS.iterdir())
        self.assertEqual(["1.28", "1.32", "1.37"], versions)
        self.assertIn(f">={versions[0]}.0-0", (CHART / "Chart.yaml").read_text())
        for version in versions:
            schemas = Schemas(version)
            for values in ({}, EVERYTHING, {"strategyLibrary": {"file": "x.so", "configMap": "x"}}, {"strategyLibrary": {"file": "x.so", "claim": "x"}},
                           {"profile": "demo"}):
                for resource in Release(values).resources:
                    if resource["kind"] == "APIService":
                        self.assertEqual(EXTERNAL_METRICS, resource["metadata"]["name"])
                    if resource["kind"] not in OPERATORS_KINDS:
                        schemas.validate(resource)

    def test_the_schemas_find_mistakes(self):
        resource = json.loads(json.dumps(Release().worker("spider")))
        resource["spec"]["template"]["spec"]["containers"][0]["livenessProb"] = {}
        with self.assertRaises(jsonschema.ValidationError):
            Schemas("1.32").validate(resource)

    def test_names_are_those_of_the_release(self):
        everything = merged(EVERYTHING, {"profile": "demo"})
        for release, name in (("orbweaver", "orbweaver"), ("my-orbweaver", "my-orbweaver"), ("news", "news-orbweaver"), ("x" * 53, "x" * 40)):
            names = [one["metadata"]["name"] for one in Release(everything, release=release).resources if one["metadata"]["name"] != EXTERNAL_METRICS]
            self.assertTrue(all(one == name or one.startswith(f"{name}-") for one in names), names)
            self.assertTrue(all(len(one) <= 63 - len("-12345") for one in names), names)
            self.assertEqual(len(names) + 1, len({(one["kind"], one["metadata"]["name"]) for one in Release(everything, release=release).resources}))

    def test_the_version_is_the_projects(self):
        chart = yaml.safe_load((CHART / "Chart.yaml").read_text())
        version = re.search(r"project\([^)]*VERSION (\d+\.\d+\.\d+)", (ROOT / "CMakeLists.txt").read_text())[1]
        self.assertEqual((version, version), (chart["version"], chart["appVersion"]))

    def test_labels_have_their_pods_and_no_others(self):
        release = Release(EVERYTHING)
        self.assertEqual(list(COMPONENTS.values()), release.components())
        for component in release.components():
            labels = release.worker(component)["spec"]["template"]["metadata"]["labels"]
            selector = release.worker(component)["spec"]["selector"]["matchLabels"]
            self.assertEqual({"name": "orbweaver", "instance": "orbweaver", "component": component},
                             {name.removeprefix("app.kubernetes.io/"): value for name, value in selector.items()})
            # No version among them: a newer chart alone replaces no pod.
            self.assertEqual({**selector, "orbweaver/program": component.replace("pages", "db")}, labels)
            self.assertEqual(selector, release.find("Service", f"orbweaver-{component}")["spec"]["selector"])
            self.assertEqual(selector, release.find("PodDisruptionBudget", f"orbweaver-{component}")["spec"]["selector"]["matchLabels"])
            self.assertEqual(f"orbweaver-{component}", release.worker(component)["spec"]["serviceName"])
            for constraint in release.worker(component)["spec"]["template"]["spec"]["topologySpreadConstraints"]:
                self.assertEqual(selector, constraint["labelSelector"]["matchLabels"])

    def test_the_notes_lead_on(self):
        def notes(values):
            # `helm template` prints no notes: a copy of the chart that prints them as a ConfigMap would be another chart.
            return helm("install", "orbweaver", CHART, "--namespace", "crawl", "--dry-run=client", values=values).split("NOTES:")[1]
        text = notes({})
        for part in ("kubectl -n crawl get pods", "orbweaver seeds add - --config /etc/orbweaver/orbweaver.yaml", "names nobody yet", "helm -n crawl test orbweaver"):
            self.assertIn(part, text)
        self.assertNotIn("console", text)
        served = {"console": {"enabled": True, "service": True}, "secrets": {"environment": ["tokens"]}}
        self.assertIn("networkPolicy.console names nobody", notes(served))
        self.assertNotIn("networkPolicy.console", notes(merged(served, {"networkPolicy": {"console": [{"podSelector": {}}]}})))
        self.assertIn("port-forward deployment/orbweaver-console 9600", notes({"console": {"enabled": True}}))
        self.assertNotIn("names nobody", notes({"config": {"spider": {"fetch": {"user_agent": "us/1 (+https://us.test)"}}}}))
        self.assertIn("networkPolicy.enabled is false", notes({"networkPolicy": {"enabled": False}}))


class Options(unittest.TestCase):
    """The programs read it."""

    def options(self, release, component):
        return effective_in_file(release.configuration(), {**environment(release.container(component)), "ORBWEAVER_WORKER__NAME": "x-0"})

    def test_every_command_is_one_of_ours_and_reads_the_file(self):
        release = Release(EVERYTHING)
        for container in release.containers():
            if container["name"] == "strategies" or container["args"][0] == "/usr/bin/curl":
                continue
            words = container["args"]
            self.assertIn(words[0], ("orbweaver", *(f"orbweaver-{worker}" for worker in WORKERS)))
            self.assertEqual("/etc/orbweaver/orbweaver.yaml", words[words.index("--config") + 1])
            self.assertIn({"name": "config", "mountPath": "/etc/orbweaver", "readOnly": True}, container["volumeMounts"])
            if words[0] == "orbweaver":
                said = subprocess.run([program("orbweaver"), words[1], "--help"], capture_output=True, text=True, timeout=60, check=True).stdout
                for option in (word for word in words[2:] if word.startswith("--")):
                    self.assertIn(option, said)

    def test_any_option_of_the_program_can_be_set(self):
        """All of them, at their defaults; as the program reads them from a file that nobody rendered."""
        schema = json.loads(subprocess.run([program("orbweaver"), "config", "schema"], capture_output=True, text=True, timeout=60, check=True).stdout)
        names = []

        def defaults(of, path):
            if "default" in of:
                names.append(".".join(path))
                return of["default"]
            return {name: defaults(below, [*path, name]) for name, below in of["properties"].items()}
        config = defaults(schema, [])
        self.assertLess(150, len(names))
        for section, name in (("admin", "listen"), ("admin", "port"), ("admin", "advertise"), ("admin", "token"), ("admin", "tls_cert"), ("admin", "tls_key"),
                              ("admin", "tls_ca"), ("worker", "name"), ("worker", "on_stop"), ("strategy", "path")):
            del config[section][name]
        del config["spider"]["archive"]["folder"], config["console"]
        config["spider"]["fetch"]["headers"] = {"Accept": "text/html", "X-Team": "crawl: \"we\" 'are' {{ here }}"}
        config["log"]["levels"] = {"bus": "debug"}
        config["kafka"]["properties"] = {"security.protocol": "SASL_SSL", "linger.ms": "5"}
        config["strategy"]["params"] = {"max_pages": 12345678901, "weight": 0.25, "deep": True}
        config["feed"]["max_backlog"] = 1099511627776
        rendered = effective_in_file(Release({"config": config}).configuration(), {})
        self.assertEqual(effective_in_file(yaml.safe_dump(config), {}), rendered)
        self.assertEqual(1099511627776, rendered["feed.max_backlog"])

    def test_a_misspelt_option_ends_the_init_job_at_once(self):
        release = Release({"config": {"spider": {"thraeds": 2}}})
        spec = release.init()["spec"]
        rule, = spec["podFailurePolicy"]["rules"]
        container, = spec["template"]["spec"]["containers"]
        self.assertEqual(("FailJob", container["name"], "In"), (rule["action"], rule["onExitCodes"]["containerName"], rule["onExitCodes"]["operator"]))
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "orbweaver.yaml"
            file.write_text(release.configuration())
            done = subprocess.run([program("orbweaver"), *(str(file) if word.startswith("/etc/") else word for word in container["args"][1:])],
                                  capture_output=True, text=True, timeout=60)
        self.assertEqual([done.returncode], rule["onExitCodes"]["values"])
        self.assertIn("thraeds", done.stderr)

    def test_the_example_of_the_documentation_is_taken(self):
        page = (ROOT / "docs/deployment.md").read_text().split("## Kubernetes")[1].split("## Mesos")[0]
        values = yaml.safe_load(re.search(r"```yaml\n(.*?)```", page, re.S)[1])
        options = self.options(Release(values), "spider")
        self.assertEqual(values["config"]["kafka"]["brokers"], options["kafka.brokers"])
        self.assertEqual(values["config"]["spider"]["fetch"]["user_agent"], options["spider.fetch.user_agent"])
        for name in re.findall(r"`(secrets|spider|networkPolicy|monitoring|console|strategyLibrary|pagesWorker)((?:\.[a-zA-Z]+)+)`", page):
            below = yaml.safe_load((CHART / "values.yaml").read_text())[name[0]]
            for part in name[1].strip(".").split("."):
                self.assertIn(part, below, name)
                below = below[part]
        for name in re.findall(r"ORBWEAVER_[A-Z_]+", page):
            effective([], {name: "x"})

    def test_defaults_are_those_of_the_files_in_the_image(self):
        """deploy/config/ and the chart say the same, but for what depends on the size, names and addresses."""
        for worker in WORKERS:
            values = self.options(Release({"size": "large"}), worker)
            expected = effective(["--config", f"/etc/orbweaver/{worker}.yaml"], {})
            common = effective(["--config", "/etc/orbweaver/cluster.yaml"], {})
            differ = {name for name in values if values[name] != expected.get(name) and values[name] != common.get(name)}
            sized = {"strategy_worker.cache_bytes", "db_worker.index_bytes", "spider.threads", "spider.max_fetches", "spider.max_requests"}
            told_elsewhere = {"strategy.params.max_pages", "spider.fetch.user_agent"}
            self.assertLessEqual(differ, sized | told_elsewhere | {"admin.advertise", "worker.name", "worker.on_stop"}, worker)
        spider = self.options(Release({"size": "large"}), "spider")
        expected = effective(["--config", "/etc/orbweaver/spider.yaml"], {})
        for name in ("spider.threads", "spider.max_fetches", "spider.max_requests", "spider.fetch.user_agent"):
            self.assertEqual(expected[name], spider[name])
        self.assertEqual(effective(["--config", "/etc/orbweaver/strategy-worker.yaml"], {})["strategy.params.max_pages"],
                         self.options(Release(), "strategy-worker")["strategy.params.max_pages"])

    def test_probes_ports_and_names_are_those_of_the_configuration(self):
        for release, scheme in ((Release({"pagesWorker": {"enabled": True}}), "http"), (Release(EVERYTHING), "https")):
            self.check_probes_ports_and_names(release, scheme)

    def check_probes_ports_and_names(self, release, scheme):
        for component in release.components():
            template = release.worker(component)["spec"]["template"]
            container = release.container(component)
            values = self.options(release, component)
            port = values["admin.port"]
            self.assertEqual("0.0.0.0", values["admin.listen"])
            self.assertEqual([{"name": "admin", "containerPort": port}], container["ports"])
            self.assertEqual(str(port), template["metadata"]["annotations"]["prometheus.io/port"])
            self.assertEqual([{"name": "admin", "port": port}], release.find("Service", f"orbweaver-{component}")["spec"]["ports"])
            probes = [container[name]["httpGet"] for name in ("startupProbe", "livenessProbe", "readinessProbe")]
            self.assertEqual(["/healthz", "/healthz", "/readyz"], [probe["path"] for probe in probes])
            self.assertEqual({"admin"}, {probe["port"] for probe in probes})
            self.assertEqual({scheme.upper()}, {probe["scheme"] for probe in probes})
            self.assertEqual(scheme == "https", "prometheus.io/scheme" in template["metadata"]["annotations"])
            self.assertEqual(scheme == "https", values["admin.tls_cert"] == "/etc/orbweaver-admin-tls/tls.crt")
            # Kubernetes replaces $(…) by variables that stand before; a pod of a headless Service is POD.SERVICE.
            names = [one["name"] for one in container["env"]]
            self.assertEqual({"name": "ORBWEAVER_WORKER__NAME", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}, container["env"][0])
            self.assertLess(names.index("ORBWEAVER_WORKER__NAME"), names.index("ORBWEAVER_ADMIN__ADVERTISE"))
            self.assertEqual(f"$(ORBWEAVER_WORKER__NAME).orbweaver-{component}.crawl.svc", values["admin.advertise"])
        asked = {word for pod in release.all("Pod") for container in pod["spec"]["containers"] for word in container["args"] if "://" in word}
        self.assertEqual({f"{scheme}://orbweaver-{component}-0.orbweaver-{component}.crawl.svc:{self.options(release, component)['admin.port']}/readyz"
                          for component in release.components()}, asked)

    def test_the_console_is_told_what_it_knows(self):
        for values in ({"console": {"enabled": True}}, EVERYTHING, merged(EVERYTHING, {"config": {"admin": {"hosts": ["crawl.example.com"]}}})):
            release = Release(values)
            container, = release.find("Deployment", "orbweaver-console")["spec"]["template"]["spec"]["containers"]
            options = effective_in_file(release.configuration(), environment(container))
            service = values["console"].get("service", False)
            self.assertEqual(not service, options["console.read_only"])
            self.assertEqual("/var/lib/orbweaver/orders.jsonl", options["console.journal"])
            self.assertEqual("/etc/orbweaver-tls/tls.crt" if service else "", options["console.tls_cert"])
            self.assertEqual("config" in values, "crawl.example.com" in options["admin.hosts"])
            self.assertEqual(service, "orbweaver-console.crawl.svc" in options["admin.hosts"])

    def test_a_pods_grace_is_longer_than_its_drain(self):
        for deadline in (None, "1500ms", "30s", "2m", "1h", "1d"):
            release = Release({"config": {"stop": {"deadline": deadline}}} if deadline else {})
            for component in release.components():
                values = self.options(release, component)
                grace = release.worker(component)["spec"]["template"]["spec"]["terminationGracePeriodSeconds"]
                self.assertLess(seconds(values["spider.drain_timeout"]), grace)
                self.assertTrue(seconds(values["stop.deadline"]) + 10 < grace < seconds(values["stop.deadline"]) + 20, (deadline, grace))

    def test_the_memory_that_is_configured_fits(self):
        for size in SIZES:
            release = Release({"size": size})
            for component, options in {"strategy-worker": ["strategy_worker.cache_bytes"],
                                       "db-worker": ["db_worker.index_bytes", "db_worker.chunk_cache_bytes"]}.items():
                values = self.options(release, component)
                limit = bytes_of(release.container(component)["resources"]["limits"]["memory"])
                self.assertLess(sum(bytes_of(values[option]) for option in options) + bytes_of("512MiB"), limit, (size, component))
            for component in release.components():
                resources = release.container(component)["resources"]
                self.assertLess(bytes_of(resources["requests"]["memory"]), bytes_of(resources["limits"]["memory"]))

    def test_small_fits_two_cores_with_room_for_servers_beside_it(self):
        release = Release({"size": "small", "console": {"enabled": True}})
        pods = [one for kind in ("StatefulSet", "Deployment", "Job") for one in release.all(kind)]
        cores = sum(one["spec"].get("replicas", 1) * sum(cores_of(container["resources"]["requests"]["cpu"])
                                                        for container in one["spec"]["template"]["spec"]["containers"]) for one in pods)
        self.assertLess(cores, 1.25)

    def test_sizes_are_those_of_the_table_in_the_documentation(self):
        rows = {}
        for line in (ROOT / "docs/deployment.md").read_text().splitlines():
            cells = [cell.strip() for cell in line.strip("|").split("|")]
            if len(cells) == 8 and cells[1].strip("`") in SIZES:
                rows[cells[1].strip("`")] = cells
        self.assertEqual(list(SIZES), list(rows))
        for size, cells in rows.items():
            release = Release({"size": size})
            values = {component: self.options(release, component) for component in release.components()}
            replicas = {component: release.worker(component)["spec"]["replicas"] for component in release.components()}
            self.assertEqual(f"{replicas['spider']} × {values['spider']['spider.threads']}", cells[3], size)
            for cell, component, option in ((cells[4], "strategy-worker", "strategy_worker.cache_bytes"), (cells[5], "db-worker", "db_worker.index_bytes")):
                self.assertEqual(f"{replicas[component]}, {values[component][option]}", re.sub(r" ([MG]iB)", r"\1", cell), size)


class Monitoring(unittest.TestCase):
    def test_prometheus_finds_every_worker_under_the_job_of_the_alerts(self):
        release = Release(EVERYTHING)
        monitor = release.find("PodMonitor", "orbweaver")["spec"]
        endpoint, = monitor["podMetricsEndpoints"]
        found = {}
        for template in release.templates():
            labels = template["metadata"]["labels"]
            expressions = monitor["selector"]["matchExpressions"]
            self.assertEqual(["Exists"], [one["operator"] for one in expressions])
            if monitor["selector"]["matchLabels"].items() <= labels.items() and all(one["key"] in labels for one in expressions):
                ports = [port["name"] for container in template["spec"]["containers"] for port in container["ports"]]
                self.assertEqual([endpoint["port"]], ports)
                found[labels["app.kubernetes.io/component"]] = labels[monitor["jobLabel"]]
        self.assertEqual({**{worker: worker for worker in WORKERS}, "pages-worker": "db-worker"}, found)
        self.assertEqual("/metrics", endpoint["path"])

    def test_alerts_and_dashboard_are_those_of_everybody_else(self):
        release = Release(EVERYTHING)
        self.assertEqual(yaml.safe_load((ROOT / "deploy/prometheus/alerts.yml").read_text()), release.find("PrometheusRule", "orbweaver")["spec"])
        self.assertEqual(json.loads((ROOT / "deploy/grafana/dashboards/orbweaver.json").read_text()),
                         json.loads(release.find("ConfigMap", "orbweaver-dashboard")["data"]["orbweaver.json"]))


if __name__ == "__main__":
    unittest.main()
