#!/usr/bin/env python3
"""generate.py HELM: writes orbweaver.json (a group of Marathon) and init.json (a job of Metronome) from the Helm chart, as HELM renders it with
values.yaml: image, replicas, memory, options, probes and times are those that Kubernetes gets."""

import json
import pathlib
import subprocess
import sys

import yaml

FOLDER = pathlib.Path(__file__).resolve().parent
CHART = FOLDER.parent / "helm/orbweaver"
WORKERS = ("strategy-worker", "db-worker", "spider")
UNITS = {"Mi": 1, "Gi": 1024}
# Of the chart's variables those that are about pods.
OF_PODS = ("ORBWEAVER_WORKER__NAME", "ORBWEAVER_ADMIN__ADVERTISE")


def variables(options, prefix="ORBWEAVER_"):
    """The options of a configuration file as variables of the environment: Marathon mounts no file."""
    for name, value in options.items():
        if name != name.lower():
            raise SystemExit(f"{name}: a key with capitals cannot stand in a variable's name")
        variable = prefix + name.upper().replace(".", "__")
        if isinstance(value, dict):
            yield from variables(value, variable + "__")
        elif isinstance(value, bool):
            yield variable, str(value).lower()
        else:
            yield variable, ",".join(map(str, value)) if isinstance(value, list) else str(value)


def mebibytes(quantity):
    return int(quantity[:-2]) * UNITS[quantity[-2:]]


def cores(quantity):
    text = str(quantity)
    number = float(text.removesuffix("m")) / (1000 if text.endswith("m") else 1)
    return int(number) if number == int(number) else number


def app(name, stateful_set, options):
    pod = stateful_set["spec"]["template"]["spec"]
    container, = pod["containers"]
    port, = container["ports"]
    own = {one["name"]: one["value"] for one in container["env"] if one["name"] not in OF_PODS}
    startup, alive, ready = (container[probe] for probe in ("startupProbe", "livenessProbe", "readinessProbe"))
    user = pod["securityContext"]
    return {
        "id": name,
        # `exec`: a shell in between would keep signals from the worker.
        "cmd": f"exec {container['args'][0]} --set admin.advertise=$HOST:$PORT0",
        "instances": stateful_set["spec"]["replicas"],
        "cpus": cores(container["resources"]["requests"]["cpu"]),
        "mem": mebibytes(container["resources"]["limits"]["memory"]),
        "disk": 0,
        "container": {
            "type": "DOCKER",
            "docker": {
                "image": container["image"], "forcePullImage": False, "privileged": False,
                "parameters": [{"key": key, "value": value} for key, value in (
                    ("user", f"{user['runAsUser']}:{user['runAsGroup']}"), ("read-only", "true"), ("tmpfs", "/tmp"), ("cap-drop", "ALL"),
                    ("security-opt", "no-new-privileges"))],
            },
            "portMappings": [{"containerPort": port["containerPort"], "hostPort": 0, "protocol": "tcp", "name": port["name"]}],
        },
        "networks": [{"mode": "container/bridge"}],
        "env": {**options, **own},
        "healthChecks": [{
            "protocol": "MESOS_HTTP", "path": alive["httpGet"]["path"], "portIndex": 0,
            "gracePeriodSeconds": startup["periodSeconds"] * startup["failureThreshold"], "intervalSeconds": alive["periodSeconds"],
            "timeoutSeconds": alive["timeoutSeconds"], "maxConsecutiveFailures": alive["failureThreshold"],
        }],
        "readinessChecks": [{
            "name": "joined", "protocol": "HTTP", "path": ready["httpGet"]["path"], "portName": port["name"],
            "intervalSeconds": ready["periodSeconds"], "timeoutSeconds": ready["timeoutSeconds"], "httpStatusCodesForReady": [200],
        }],
        # One after the other, as Kubernetes does it.
        "upgradeStrategy": {"minimumHealthCapacity": 0.5, "maximumOverCapacity": 0},
        "taskKillGracePeriodSeconds": pod["terminationGracePeriodSeconds"],
        "backoffSeconds": 1, "backoffFactor": 2, "maxLaunchDelaySeconds": 60,
        "constraints": [["hostname", "MAX_PER", "2"]],
        "labels": {"orbweaver.role": name},
    }


def job(init, options):
    container, = init["spec"]["template"]["spec"]["containers"]
    return {
        "id": "orbweaver.init",
        "description": "Makes Orbweaver's topics and tables; safe to run again",
        "run": {
            "args": container["args"][:container["args"].index("--config")],
            "cpus": cores(container["resources"]["requests"]["cpu"]),
            "mem": mebibytes(container["resources"]["limits"]["memory"]),
            "disk": 0,
            "maxLaunchDelay": 600,
            "docker": {"image": container["image"]},
            "env": options,
            "restart": {"policy": "ON_FAILURE"},
        },
    }


def generate(helm):
    """{file name: text}."""
    done = subprocess.run([helm, "template", "orbweaver", CHART, "--values", FOLDER / "values.yaml"], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise SystemExit(done.stderr)
    resources = {(one["kind"], one["metadata"]["labels"]["app.kubernetes.io/component"]): one for one in yaml.safe_load_all(done.stdout) if one}
    options = dict(variables(yaml.safe_load(resources["ConfigMap", "config"]["data"]["orbweaver.yaml"])))
    group = {"id": "/orbweaver", "apps": [app(worker, resources["StatefulSet", worker], options) for worker in WORKERS]}
    return {name: json.dumps(content, indent=2) + "\n"
            for name, content in {"orbweaver.json": group, "init.json": job(resources["Job", "init"], options)}.items()}


def main():
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    for name, text in generate(sys.argv[1]).items():
        (FOLDER / name).write_text(text)


if __name__ == "__main__":
    main()
