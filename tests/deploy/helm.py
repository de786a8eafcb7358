"""The chart, rendered by Helm's own program."""

import json
import os
import pathlib
import subprocess

import yaml

from options import ROOT, WORKERS

CHART = ROOT / "deploy/helm/orbweaver"
HELM = pathlib.Path(os.environ["HELM_PROGRAMS"])
HOOK = "helm.sh/hook"
# By the names that values have for them.
COMPONENTS = {"spider": "spider", "strategyWorker": "strategy-worker", "dbWorker": "db-worker", "pagesWorker": "pages-worker"}


class Refused(Exception):
    """Helm's words."""


def helm(*arguments, values=None, program="helm"):
    done = subprocess.run([HELM / program, *arguments, *(["--values", "-"] if values is not None else [])], text=True, timeout=60,
                          input=json.dumps(values) if values is not None else "", capture_output=True,
                          env={"PATH": os.environ["PATH"], "HOME": "/nonexistent"})
    if done.returncode != 0:
        raise Refused(done.stderr)
    return done.stdout


def nested(path, value):
    """{"a": {"b": value}} of "a.b"."""
    for name in reversed(path.split(".")):
        value = {name: value}
    return value


def merged(below, above):
    """As Helm lays values over values."""
    if not (isinstance(below, dict) and isinstance(above, dict)):
        return above
    return {**below, **{name: merged(below.get(name), value) for name, value in above.items()}}


class Release:
    """The resources of `helm template RELEASE`, as the API server would get them."""

    _rendered = {}

    def __init__(self, values=None, release="orbweaver", program="helm"):
        key = json.dumps([values, release, program], sort_keys=True)
        if key not in self._rendered:
            self._rendered[key] = helm("template", release, CHART, "--namespace", "crawl", values=values or {}, program=program)
        self.text = self._rendered[key]
        self.name = release
        self.resources = [one for one in yaml.load_all(self.text, yaml.CSafeLoader) if one]

    def all(self, kind):
        return [one for one in self.resources if one["kind"] == kind]

    def find(self, kind, name):
        found, = [one for one in self.all(kind) if one["metadata"]["name"] == name]
        return found

    def worker(self, component):
        return self.find("StatefulSet", f"{self.name}-{component}")

    def components(self):
        return [one["metadata"]["labels"]["app.kubernetes.io/component"] for one in self.all("StatefulSet")]

    def container(self, component):
        found, = self.worker(component)["spec"]["template"]["spec"]["containers"]
        return found

    def init(self):
        found, = [one for one in self.all("Job") if HOOK not in one["metadata"].get("annotations", {})]
        return found

    def hooks(self):
        """That Helm runs before an upgrade changes anything."""
        return [one for one in self.resources if one["metadata"].get("annotations", {}).get(HOOK, "").startswith("pre-upgrade")]

    def templates(self):
        """Of all pods."""
        for one in self.resources:
            if one["kind"] == "Pod":
                yield one
            elif "template" in one.get("spec", {}):
                yield one["spec"]["template"]

    def pods(self):
        return [one["spec"] for one in self.templates()]

    def containers(self):
        return [container for pod in self.pods() for container in pod["containers"] + pod.get("initContainers", [])]

    def configuration(self):
        """The file that all processes read, as text."""
        return self.find("ConfigMap", self.name)["data"]["orbweaver.yaml"]


def environment(container):
    """Variables with values that stand there."""
    return {one["name"]: one["value"] for one in container.get("env", []) if "value" in one}


def bytes_of(text):
    """Of a size of the program, or a quantity of Kubernetes."""
    for unit, factor in {"Ki": 1 << 10, "Mi": 1 << 20, "Gi": 1 << 30, "Ti": 1 << 40}.items():
        if text.removesuffix("B").endswith(unit):
            return int(text.removesuffix("B").removesuffix(unit)) * factor
    return int(text.removesuffix("B"))


def cores_of(quantity):
    text = str(quantity)
    return int(text.removesuffix("m")) / 1000 if text.endswith("m") else float(text)


assert set(WORKERS) < set(COMPONENTS.values())
