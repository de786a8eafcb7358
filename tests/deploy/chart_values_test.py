"""Every value of the chart does what values.yaml says, and what is wrong is refused by its name."""

import base64
import json
import unittest

import yaml

from helm import CHART, COMPONENTS, Refused, Release, environment, merged, nested

VALUES = yaml.safe_load((CHART / "values.yaml").read_text())
PEER = {"podSelector": {"matchLabels": {"app": "x"}}}


def leaves(values, path=""):
    """Paths of all that can be set, but below `config`, which is the program's."""
    for name, value in values.items():
        if path + name == "config":
            continue
        if isinstance(value, dict) and value:
            yield from leaves(value, f"{path}{name}.")
        else:
            yield path + name


def template(release, component):
    return release.worker(component)["spec"]["template"]["spec"]


def init_container(release, component, name):
    return [one for one in template(release, component)["initContainers"] if one["name"] == name]


def policy(release, name):
    return release.find("NetworkPolicy", f"orbweaver-{name}")["spec"]


def of_worker(values_name):
    """The same for each kind of worker: path -> (value, what else must be set, what then is true)."""
    component = COMPONENTS[values_name]
    on = {"pagesWorker": {"enabled": True}}
    return {
        f"{values_name}.tag": ("7", on, lambda r: [one["image"].rpartition(":")[2] for one in [
            r.container(component), *init_container(r, component, "after-init"), r.container("spider" if component != "spider" else "db-worker")]]
            == ["7", "7", "0.1.0"]),
        f"{values_name}.replicas": (5, on, lambda r: r.worker(component)["spec"]["replicas"] == 5),
        f"{values_name}.resources": ({"requests": {"cpu": 3}}, on, lambda r: r.container(component)["resources"] == {"requests": {"cpu": 3}}),
        f"{values_name}.nodeSelector": ({"a": "b"}, on, lambda r: template(r, component).get("nodeSelector") == {"a": "b"}),
        f"{values_name}.tolerations": ([{"key": "a", "operator": "Exists"}], on,
                                       lambda r: template(r, component).get("tolerations") == [{"key": "a", "operator": "Exists"}]),
    }


def library(**where):
    return {"strategyLibrary": {"file": "libx.so", **where}}


def of_bounds(kind):
    component = COMPONENTS[kind]
    on = {"autoscaling": {"enabled": True}}

    def spec(release):
        return release.find("HorizontalPodAutoscaler", f"orbweaver-{component}")["spec"]
    return {f"autoscaling.{kind}.min": (2, on, lambda r: spec(r)["minReplicas"] == 2),
            f"autoscaling.{kind}.max": (7, on, lambda r: spec(r)["maxReplicas"] == 7)}


def metrics_api(release):
    return release.find("Deployment", "orbweaver-metrics-api")["spec"]["template"]["spec"]


SCALED = {"autoscaling": {"enabled": True}}
TOKENS = {"secrets": {"environment": ["tokens"]}}


def console(release):
    found, = release.find("Deployment", "orbweaver-console")["spec"]["template"]["spec"]["containers"]
    return found


def admin_speaks_tls(release):
    """Workers show the certificate, and all who ask them know its authority."""
    folder = "/etc/orbweaver-admin-tls"
    mount, volume = {"name": "admin-tls", "mountPath": folder, "readOnly": True}, {"name": "admin-tls", "secret": {"secretName": "t", "defaultMode": 0o440}}
    shown = {f"ORBWEAVER_ADMIN__TLS_{kind}": f"{folder}/tls.{file}" for kind, file in (("CERT", "crt"), ("KEY", "key"))}
    trusted = {"ORBWEAVER_ADMIN__TLS_CA": f"{folder}/ca.crt"}
    test, = release.all("Pod")
    return all([
        *({**shown, **trusted}.items() <= environment(release.container(one)).items() for one in release.components()),
        trusted.items() <= environment(console(release)).items(),
        *(mount in one.get("volumeMounts", []) for one in release.containers()),
        *(volume in one.get("volumes", []) for one in release.pods()),
        *(one["args"][one["args"].index("--cacert") + 1] == f"{folder}/ca.crt" if "--cacert" in one["args"] else False for one in test["spec"]["containers"]),
        release.all("PodMonitor")[0]["spec"]["podMetricsEndpoints"][0].get("scheme") == "https"])


DEMO = {"profile": "demo"}
ALL_MONITORING = {"monitoring": {"podMonitor": True, "alerts": True, "dashboard": True}}
# Path -> (value, what else must be set, what is then true and was not without it).
SWITCHES = {
    "image.repository": ("a/b", {}, lambda r: all(one["image"] == "a/b:0.1.0" for one in r.containers())),
    "image.tag": ("9", {}, lambda r: all(one["image"].endswith(":9") for one in r.containers())),
    "image.pullPolicy": ("Always", {}, lambda r: all(one["imagePullPolicy"] == "Always" for one in r.containers())),
    "image.pullSecrets": (["a"], {}, lambda r: all(pod.get("imagePullSecrets") == [{"name": "a"}] for pod in r.pods())),
    "profile": ("demo", {}, lambda r: [one["metadata"]["name"] for one in r.all("StatefulSet") if one["spec"].get("updateStrategy")]
                == ["orbweaver-kafka", "orbweaver-hbase", "orbweaver-web"]),
    "demo.hosts": (7, DEMO, lambda r: {"--hosts=7", "--seeds=7"} <= set(r.container("web")["args"])),
    "demo.pages": (7, DEMO, lambda r: "--pages=7" in r.container("web")["args"]),
    "demo.options": (["--faults=all"], DEMO, lambda r: "--faults=all" in r.container("web")["args"]
                     and "--faults=all" in init_container(r, "web", "seeds")[0]["args"]),
    "size": ("medium", {}, lambda r: r.worker("spider")["spec"]["replicas"] == 3 and "cache_bytes: 2GiB" in r.configuration()),
    "secrets.environment": (["a", "b"], {}, lambda r: all(
        one.get("envFrom") == [{"secretRef": {"name": "a"}}, {"secretRef": {"name": "b"}}] for one in r.containers())),
    "secrets.files": (["a.b"], {}, lambda r: all(
        {"name": "secret-a-b", "mountPath": "/etc/orbweaver-secrets/a.b", "readOnly": True} in one["volumeMounts"]
        for one in [r.container("spider"), *init_container(r, "db-worker", "after-init"), r.init()["spec"]["template"]["spec"]["containers"][0]])
        and {"name": "secret-a-b", "secret": {"secretName": "a.b", "defaultMode": 0o440}} in template(r, "spider")["volumes"]),
    **of_worker("spider"), **of_worker("strategyWorker"), **of_worker("dbWorker"), **of_worker("pagesWorker"),
    "spider.archive.enabled": (True, {}, lambda r: r.worker("spider")["spec"].get("volumeClaimTemplates")
                               and environment(r.container("spider"))["ORBWEAVER_SPIDER__ARCHIVE__FOLDER"] == "/var/lib/orbweaver"
                               and {"name": "archive", "mountPath": "/var/lib/orbweaver"} in r.container("spider")["volumeMounts"]
                               and "volumeClaimTemplates" not in r.worker("db-worker")["spec"]),
    "spider.archive.size": ("5Gi", {"spider": {"archive": {"enabled": True}}}, lambda r: r.worker("spider")["spec"]["volumeClaimTemplates"][0][
        "spec"]["resources"]["requests"]["storage"] == "5Gi"),
    "spider.archive.storageClass": ("fast", {"spider": {"archive": {"enabled": True}}}, lambda r: r.worker("spider")["spec"][
        "volumeClaimTemplates"][0]["spec"].get("storageClassName") == "fast"),
    "pagesWorker.enabled": (True, {}, lambda r: "pages-worker" in r.components()
                            and r.container("pages-worker")["args"][0] == "orbweaver-db-worker"
                            and environment(r.container("pages-worker"))["ORBWEAVER_DB_WORKER__ROLES"] == "pages"
                            and environment(r.container("db-worker"))["ORBWEAVER_DB_WORKER__ROLES"] == "enqueue,dequeue"),
    "strategyLibrary.file": ("libx.so#deep", {"strategyLibrary": {"configMap": "c"}},
                             lambda r: environment(r.container("strategy-worker"))["ORBWEAVER_STRATEGY__PATH"] == "/opt/strategies/libx.so#deep"
                             and "ORBWEAVER_STRATEGY__PATH" not in environment(r.container("spider"))),
    "strategyLibrary.configMap": ("c", library(), lambda r: {"name": "strategies", "configMap": {"name": "c"}}
                                  in template(r, "strategy-worker")["volumes"] and not init_container(r, "strategy-worker", "strategies")),
    "strategyLibrary.claim": ("c", library(), lambda r: {"name": "strategies", "persistentVolumeClaim": {"claimName": "c", "readOnly": True}}
                              in template(r, "strategy-worker")["volumes"]),
    "strategyLibrary.image": ("i:1", library(), lambda r: [one["image"] for one in init_container(r, "strategy-worker", "strategies")] == ["i:1"]
                              and {"name": "strategies", "emptyDir": {}} in template(r, "strategy-worker")["volumes"]),
    "autoscaling.enabled": (True, {}, lambda r: len(r.all("HorizontalPodAutoscaler")) == 3 and "replicas" not in r.worker("spider")["spec"]),
    **of_bounds("spider"), **of_bounds("strategyWorker"), **of_bounds("dbWorker"),
    "autoscaling.scaleDownAfterSeconds": (60, SCALED, lambda r: {60} == {
        one["spec"]["behavior"]["scaleDown"]["stabilizationWindowSeconds"] for one in r.all("HorizontalPodAutoscaler")}),
    "autoscaling.keda": (True, SCALED, lambda r: len(r.all("ScaledObject")) == 3 and not r.all("HorizontalPodAutoscaler") + r.all("APIService")),
    "autoscaling.tlsSecret": ("t", merged(SCALED, {"autoscaling": {"caBundle": "-----BEGIN CERTIFICATE-----"}}), lambda r: not r.all("Secret")
                              and {"name": "tls", "secret": {"secretName": "t", "defaultMode": 0o440}} in metrics_api(r)["volumes"]),
    "autoscaling.caBundle": ("-----BEGIN CERTIFICATE-----\nB", merged(SCALED, {"autoscaling": {"tlsSecret": "t", "caBundle": "-----BEGIN CERTIFICATE-----"}}),
                             lambda r: base64.b64decode(r.all("APIService")[0]["spec"]["caBundle"]).endswith(b"\nB")),
    "autoscaling.resources": ({"requests": {"cpu": "2"}}, SCALED, lambda r: metrics_api(r)["containers"][0]["resources"] == {"requests": {"cpu": "2"}}),
    "handOver.enabled": (False, {}, lambda r: not r.all("ServiceAccount") + r.all("Role") + r.all("RoleBinding")
                         and "serviceAccountName" not in template(r, "spider")
                         and "ORBWEAVER_WORKER__ON_STOP" not in environment(r.container("spider"))),
    "init.enabled": (False, {}, lambda r: not r.all("Job")),
    "admin.tlsSecret": ("t", {"console": {"enabled": True}, **ALL_MONITORING}, admin_speaks_tls),
    "console.enabled": (True, {}, lambda r: [one["metadata"]["name"] for one in r.all("Deployment")] == ["orbweaver-console"]),
    "console.service": (True, {"console": {"enabled": True}, **TOKENS}, lambda r: console(r)["args"][-1] == "0.0.0.0:9600"
                        and r.find("Service", "orbweaver-console")["spec"]["ports"][0]["port"] == 9600
                        and console(r)["livenessProbe"]["httpGet"] == {"path": "/healthz", "port": "console", "scheme": "HTTP"}
                        and environment(console(r))["ORBWEAVER_ADMIN__HOSTS"] == "orbweaver-console,orbweaver-console.crawl,orbweaver-console.crawl.svc"),
    "console.tlsSecret": ("t", {"console": {"enabled": True, "service": True}, **TOKENS}, lambda r:
                          environment(console(r)).get("ORBWEAVER_CONSOLE__TLS_CERT") == "/etc/orbweaver-tls/tls.crt"
                          and environment(console(r))["ORBWEAVER_CONSOLE__TLS_KEY"] == "/etc/orbweaver-tls/tls.key"
                          and {"name": "tls", "mountPath": "/etc/orbweaver-tls", "readOnly": True} in console(r)["volumeMounts"]
                          and console(r)["readinessProbe"]["httpGet"]["scheme"] == "HTTPS"),
    "console.orders": (True, {"console": {"enabled": True}, **TOKENS}, lambda r: environment(console(r))["ORBWEAVER_CONSOLE__READ_ONLY"] == "false"),
    "console.journalClaim": ("j", {"console": {"enabled": True}}, lambda r: {"name": "journal", "persistentVolumeClaim": {"claimName": "j"}}
                             in r.find("Deployment", "orbweaver-console")["spec"]["template"]["spec"]["volumes"]),
    "console.resources": ({"requests": {"cpu": "2"}}, {"console": {"enabled": True}}, lambda r: r.find("Deployment", "orbweaver-console")["spec"][
        "template"]["spec"]["containers"][0]["resources"] == {"requests": {"cpu": "2"}}),
    "networkPolicy.enabled": (False, {}, lambda r: not r.all("NetworkPolicy")),
    "networkPolicy.kafka.to": ([PEER], {}, lambda r: policy(r, "all")["egress"][1].get("to") == [PEER]),
    "networkPolicy.kafka.ports": ([7], {}, lambda r: policy(r, "all")["egress"][1]["ports"] == [{"port": 7, "protocol": "TCP"}]),
    "networkPolicy.hbase.to": ([PEER], {}, lambda r: policy(r, "store")["egress"][0].get("to") == [PEER]),
    "networkPolicy.hbase.ports": ([7], {}, lambda r: policy(r, "store")["egress"][0]["ports"] == [{"port": 7, "protocol": "TCP"}]),
    "networkPolicy.dns.to": ([PEER], {}, lambda r: policy(r, "all")["egress"][0]["to"] == [PEER]),
    "networkPolicy.apiServer.to": ([PEER], {}, lambda r: [one["spec"]["egress"] for one in r.all("NetworkPolicy")
                                                          if one["metadata"]["name"] == "orbweaver-hand-over"]
                                   == [[{"to": [PEER], "ports": [{"port": port, "protocol": "TCP"} for port in (443, 6443)]}]]),
    "networkPolicy.apiServer.ports": ([7], {"networkPolicy": {"apiServer": {"to": [PEER]}}},
                                      lambda r: policy(r, "hand-over")["egress"][0]["ports"] == [{"port": 7, "protocol": "TCP"}]),
    "networkPolicy.autoscaler": ([PEER], SCALED, lambda r: policy(r, "metrics-api")["ingress"]
                                 == [{"from": [PEER], "ports": [{"port": 9650, "protocol": "TCP"}]}]),
    "networkPolicy.prometheus": ([PEER], {}, lambda r: PEER in policy(r, "admin")["ingress"][0]["from"]),
    "networkPolicy.console": ([PEER], {"console": {"enabled": True, "service": True}, **TOKENS},
                              lambda r: [one["spec"]["ingress"] for one in r.all("NetworkPolicy") if one["metadata"]["name"] == "orbweaver-console"]
                              == [[{"from": [PEER], "ports": [{"port": 9600, "protocol": "TCP"}]}]]),
    "networkPolicy.clusterNetworks": (["8.0.0.0/8"], {}, lambda r: "8.0.0.0/8" in policy(r, "web")["egress"][0]["to"][0]["ipBlock"]["except"]),
    "networkPolicy.spiderEgress": ([{"to": [PEER]}], {}, lambda r: {"to": [PEER]} in policy(r, "web")["egress"]),
    "monitoring.podMonitor": (True, {}, lambda r: len(r.all("PodMonitor")) == 1),
    "monitoring.alerts": (True, {}, lambda r: len(r.all("PrometheusRule")) == 1),
    "monitoring.dashboard": (True, {}, lambda r: [one["metadata"]["labels"].get("grafana_dashboard") for one in r.all("ConfigMap")
                                                  if one["metadata"]["name"] == "orbweaver-dashboard"] == ["1"]),
    "monitoring.labels": ({"release": "p"}, ALL_MONITORING, lambda r: [
        one["metadata"]["labels"].get("release") for one in r.resources if one["metadata"]["labels"]["app.kubernetes.io/component"] == "monitoring"]
        == ["p"] * 3),
}
# Values -> what the refusal names.
WRONG = [
    ({"sise": "small"}, "sise"),
    ({"size": "huge"}, "size"),
    ({"profile": "dmeo"}, "profile"),
    ({"demo": {"hosts": 0}}, "hosts"),
    ({"demo": {"sites": 3}}, "sites"),
    ({"demo": {"options": ["faults"]}}, "options"),
    ({"profile": "demo", "spider": {"replicas": 9}}, "spider.replicas: 9, but config.topics.partitions is 8"),
    ({"image": {"repo": "x"}}, "repo"),
    ({"image": {"repository": ""}}, "repository"),
    ({"image": {"tag": "a b"}}, "tag"),
    ({"image": {"pullPolicy": "Sometimes"}}, "pullPolicy"),
    ({"config": {"log": "debug"}}, "log"),
    ({"config": None}, "config"),
    ({"spider": {"replicas": "three"}}, "replicas"),
    ({"spider": {"replicas": -1}}, "replicas"),
    ({"spider": {"replica": 3}}, "replica"),
    ({"spider": {"resources": {"request": {}}}}, "request"),
    ({"spider": {"resources": {"requests": {"memory": "much"}}}}, "memory"),
    ({"spider": {"archive": {"size": "100 GB"}}}, "size"),
    ({"spider": {"archive": {"folder": "/x"}}}, "folder"),
    ({"spider": {"tolerations": [{"effects": "NoSchedule"}]}}, "effects"),
    ({"strategyWorker": {"archive": {}}}, "archive"),
    ({"secrets": {"environment": ["Not_A_Name"]}}, "environment"),
    ({"secrets": {"token": "x"}}, "token"),
    ({"networkPolicy": {"clusterNetworks": ["10.0.0.0"]}}, "clusterNetworks"),
    ({"networkPolicy": {"kafka": {"ports": [0]}}}, "ports"),
    ({"networkPolicy": {"prometheus": [{"podSelecter": {}}]}}, "podSelecter"),
    ({"networkPolicy": {"spiderEgress": [{"form": []}]}}, "form"),
    ({"monitoring": {"labels": {"a": 1}}}, "labels"),
    ({"console": {"enabled": "yes"}}, "enabled"),
    ({"strategyLibrary": {"file": "../x.so", "image": "i"}}, "file"),
    ({"config": {"admin": {"port": 1}}}, "config.admin.port: the chart sets it"),
    ({"config": {"admin": {"listen": "::"}}}, "config.admin.listen: the chart sets it"),
    ({"config": {"admin": {"advertise": "x"}}}, "config.admin.advertise: the chart sets it"),
    ({"config": {"admin": {"token": "x"}}}, "config.admin.token: secrets do not belong into values"),
    ({"config": {"worker": {"name": "x"}}}, "config.worker.name: pods have their own"),
    ({"config": {"worker": {"on_stop": "stay"}}}, "config.worker.on_stop: handOver.enabled sets it"),
    ({"handOver": {"enabled": "yes"}}, "enabled"),
    ({"autoscaling": {"spider": {"min": 0, "max": 4}}}, "min"),
    ({"autoscaling": {"spider": {"min": 1, "max": 4, "most": 4}}}, "most"),
    ({"autoscaling": {"caBundle": "/a/file"}}, "caBundle"),
    ({"autoscaling": {"pagesWorker": {"min": 1, "max": 4}}}, "pagesWorker"),
    (merged(SCALED, {"config": {"topics": {"partitions": 2}}}), "autoscaling.spider.max: 4, but config.topics.partitions is 2"),
    (merged(SCALED, {"autoscaling": {"dbWorker": {"min": 5, "max": 4}}}), "autoscaling.dbWorker: min is 5, and max is 4"),
    (merged(SCALED, {"strategyWorker": {"replicas": 2}}), "strategyWorker.replicas: autoscaling.enabled chooses them"),
    (merged(SCALED, {"autoscaling": {"tlsSecret": "t"}}), "autoscaling.tlsSecret: autoscaling.caBundle is missing"),
    ({"networkPolicy": {"apiServer": {"form": []}}}, "form"),
    ({"config": {"spider": {"archive": {"folder": "/x"}}}}, "config.spider.archive.folder: spider.archive.enabled sets it"),
    ({"config": {"strategy": {"path": "/x.so"}}}, "config.strategy.path: strategyLibrary.file sets it"),
    ({"config": {"kafka": {"properties": {"sasl.password": "x"}}}}, "sasl.password: secrets do not belong into values"),
    ({"config": {"kafka": {"properties": {"ssl.key.password": "x"}}}}, "ORBWEAVER_KAFKA__PROPERTIES__SSL__KEY__PASSWORD"),
    ({"config": {"admin": {"tls_cert": "/x"}}}, "config.admin.tls_cert: admin.tlsSecret sets it"),
    ({"config": {"admin": {"tls_key": "/x"}}}, "config.admin.tls_key: admin.tlsSecret sets it"),
    ({"config": {"admin": {"tls_ca": "/x"}}}, "config.admin.tls_ca: admin.tlsSecret sets it"),
    ({"config": {"hbase": {"hosts": "hbase:9090"}}}, "config.hbase.hosts: hbase:9090 is no list"),
    ({"config": {"network": {"allow_networks": "10.0.0.0/8"}}}, "config.network.allow_networks: 10.0.0.0/8 is no list"),
    ({"config": {"network": {"dns_servers": "9.9.9.9"}}}, "config.network.dns_servers: 9.9.9.9 is no list"),
    ({"config": {"kafka": {"brokers": ["a:1", "b:2"]}}}, "config.kafka.brokers: [a:1 b:2] is no text"),
    ({"config": {"stop": {"deadline": "soon"}}}, "config.stop.deadline: \"soon\" is not a duration"),
    ({"pagesWorker": {"enabled": True}, "config": {"db_worker": {"roles": ["pages"]}}}, "config.db_worker.roles: pagesWorker.enabled sets the roles"),
    ({"config": {"topics": {"partitions": 4}}, "spider": {"replicas": 5}}, "spider.replicas: 5, but config.topics.partitions is 4"),
    ({"console": {"enabled": True, "service": True}}, "console: service and orders need tokens"),
    ({"console": {"enabled": True, "orders": True}}, "console: service and orders need tokens"),
    ({"config": {"console": {"read_token": "x"}}}, "config.console.read_token: secrets do not belong into values"),
    ({"config": {"console": {"read_only": True}}}, "config.console.read_only: console.orders sets it"),
    ({"config": {"console": {"journal": "/x"}}}, "config.console.journal: the chart sets it"),
    ({"config": {"console": {"tls_cert": "/x"}}}, "config.console.tls_cert: console.tlsSecret sets it"),
    ({"config": {"console": {"tls_key": "/x"}}}, "config.console.tls_key: console.tlsSecret sets it"),
    ({"strategyLibrary": {"file": "x.so"}}, "strategyLibrary.file: where is it?"),
    ({"strategyLibrary": {"file": "x.so", "image": "i", "claim": "c"}}, "strategyLibrary.file: where is it?"),
    ({"strategyLibrary": {"image": "i"}}, "strategyLibrary: the file has no name"),
]


class Values(unittest.TestCase):
    def test_every_value_has_its_test(self):
        self.assertEqual(set(leaves(VALUES)), set(SWITCHES))

    def test_every_value_does_what_it_says(self):
        for path, (value, beside, holds) in SWITCHES.items():
            with self.subTest(path):
                if path not in ("strategyLibrary.configMap", "strategyLibrary.claim", "strategyLibrary.image", "strategyLibrary.file") \
                        and not path.startswith("pagesWorker"):
                    self.assertFalse(holds(Release(beside)), "it held without the value")
                self.assertTrue(holds(Release(merged(beside, nested(path, value)))))

    def test_no_workers_at_all_can_be_asked_for(self):
        release = Release({name: {"replicas": 0} for name in ("spider", "strategyWorker", "dbWorker")})
        self.assertEqual([0, 0, 0], [one["spec"]["replicas"] for one in release.all("StatefulSet")])

    def test_options_of_the_user_win_over_those_of_the_size(self):
        release = Release({"size": "large", "config": {"spider": {"threads": 2}, "db_worker": {"index_bytes": "64MiB"}}})
        options = yaml.safe_load(release.configuration())
        self.assertEqual((2, 2000, "64MiB", "8GiB"), (options["spider"]["threads"], options["spider"]["max_fetches"], options["db_worker"]["index_bytes"],
                                                      options["strategy_worker"]["cache_bytes"]))

    def test_an_option_of_null_has_the_programs_default_again(self):
        options = yaml.safe_load(Release({"config": {"strategy": {"params": None}}}).configuration())
        self.assertEqual({"name": "breadth_first"}, options["strategy"])


class Refusals(unittest.TestCase):
    def test_wrong_values_are_refused_by_name(self):
        for values, said in WRONG:
            with self.subTest(values):
                with self.assertRaises(Refused) as refused:
                    Release(values)
                self.assertIn(said, str(refused.exception))

    def test_both_helms_refuse(self):
        for program in ("helm", "helm3"):
            for values, said in (WRONG[0], WRONG[-1]):
                with self.assertRaises(Refused) as refused:
                    Release(values, program=program)
                self.assertIn(said, str(refused.exception))

    def test_the_schema_leaves_no_place_for_unknown_names(self):
        schema = json.loads((CHART / "values.schema.json").read_text())

        def closed(of, path):
            if not isinstance(of, dict):
                return
            if of.get("type") == "object" and not path.startswith(("properties.config", "properties.global")):
                below = of.get("additionalProperties")
                # Free names are labels and quantities, and entries that Kubernetes' own schema knows better.
                free = path.endswith(("labels", "quantities")) and isinstance(below, dict)
                kubernetes = path.endswith(("ports.items", "matchExpressions.items"))
                self.assertTrue(below is False or free or kubernetes, path)
            for name, value in of.items():
                closed(value, f"{path}.{name}".strip("."))
        closed(schema, "")


if __name__ == "__main__":
    unittest.main()
