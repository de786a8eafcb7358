"""deploy/mesos/, as far as it can be judged without a cluster: fields that Marathon and Metronome know, options and ports that we know."""

import json
import re
import shlex
import sys
import unittest

from helm import HELM
from options import ROOT, WORKERS, effective, seconds

FOLDER = ROOT / "deploy/mesos"
sys.path.insert(0, str(FOLDER))
import generate  # noqa: E402
# Of an app of Marathon 1.5 and later, and of a job of Metronome: what these files may use.
APP = {"id", "cmd", "instances", "cpus", "mem", "disk", "container", "networks", "env", "healthChecks", "readinessChecks", "upgradeStrategy",
       "taskKillGracePeriodSeconds", "backoffSeconds", "backoffFactor", "maxLaunchDelaySeconds", "constraints", "labels", "secrets"}
HEALTH_CHECK = {"protocol", "path", "portIndex", "gracePeriodSeconds", "intervalSeconds", "timeoutSeconds", "maxConsecutiveFailures"}
READINESS_CHECK = {"name", "protocol", "path", "portName", "intervalSeconds", "timeoutSeconds", "httpStatusCodesForReady"}
JOB = {"args", "cpus", "mem", "disk", "maxLaunchDelay", "docker", "env", "restart"}


def apps():
    return {app["id"]: app for app in json.loads((FOLDER / "orbweaver.json").read_text())["apps"]}


def arguments(app):
    """The command line as Marathon's shell executes it; it sets $HOST and $PORT0."""
    execute, *words = shlex.split(app["cmd"].replace("$HOST", "agent.example.net").replace("$PORT0", "31000"))
    assert execute == "exec", "a shell in between would keep signals from the worker"
    return words


def job():
    return json.loads((FOLDER / "init.json").read_text())


class Mesos(unittest.TestCase):
    def test_they_are_what_the_chart_says(self):
        """Otherwise: deploy/mesos/generate.py HELM."""
        for name, text in generate.generate(HELM / "helm").items():
            self.assertEqual(text, (FOLDER / name).read_text(), name)

    def test_an_option_that_no_variable_can_say_is_refused(self):
        options = {"kafka": {"properties": {"linger.ms": 5}}, "url": {"sort_query": True}, "hbase": {"hosts": ["a:1", "b:2"]}}
        self.assertEqual({"ORBWEAVER_KAFKA__PROPERTIES__LINGER__MS": "5", "ORBWEAVER_URL__SORT_QUERY": "true", "ORBWEAVER_HBASE__HOSTS": "a:1,b:2"},
                         dict(generate.variables(options)))
        with self.assertRaisesRegex(SystemExit, "Accept"):
            dict(generate.variables({"spider": {"fetch": {"headers": {"Accept": "x"}}}}))

    def test_every_field_is_known(self):
        self.assertEqual(set(WORKERS), set(apps()))
        for app in apps().values():
            self.assertLessEqual(set(app), APP)
            self.assertLessEqual({"type", "docker", "portMappings"}, set(app["container"]))
            for check in app["healthChecks"]:
                self.assertLessEqual(set(check), HEALTH_CHECK)
                self.assertEqual("MESOS_HTTP", check["protocol"])
            for check in app["readinessChecks"]:
                self.assertLessEqual(set(check), READINESS_CHECK)
        self.assertLessEqual(set(job()["run"]), JOB)

    def test_workers_have_no_rights_to_lose(self):
        # Marathon starts a shell in place of the image's entry point.
        for app in apps().values():
            parameters = [(one["key"], one["value"]) for one in app["container"]["docker"]["parameters"]]
            self.assertIn(("user", "10001:10001"), parameters)
            self.assertIn(("cap-drop", "ALL"), parameters)

    def test_every_command_and_option_is_one_of_ours(self):
        for app in apps().values():
            effective(arguments(app), app["env"])
        effective(job()["run"]["args"], job()["run"]["env"])
        for name in re.findall(r"ORBWEAVER_[A-Z_]+", (FOLDER / "README.md").read_text()):
            effective([], {name: "x"})

    def test_ports_and_times_are_those_of_the_configuration(self):
        for worker, app in apps().items():
            values = effective(arguments(app), app["env"])
            mapping, = app["container"]["portMappings"]
            self.assertEqual(values["admin.port"], mapping["containerPort"])
            self.assertEqual("/healthz", app["healthChecks"][0]["path"])
            self.assertEqual("/readyz", app["readinessChecks"][0]["path"])
            self.assertEqual(mapping["name"], app["readinessChecks"][0]["portName"])
            self.assertLess(seconds(values["stop.deadline"]), app["taskKillGracePeriodSeconds"])

    def test_all_go_to_the_same_image_and_servers(self):
        runs = [*apps().values(), job()["run"]]
        images = {(one.get("container") or one)["docker"]["image"] for one in runs}
        self.assertEqual(1, len(images))
        for name in ("ORBWEAVER_KAFKA__BROKERS", "ORBWEAVER_HBASE__HOSTS"):
            self.assertEqual(1, len({one["env"][name] for one in runs if name in one["env"]}), name)

    def test_instances_have_no_name_that_they_would_share(self):
        for app in apps().values():
            self.assertNotIn("ORBWEAVER_WORKER__NAME", app["env"])
            self.assertEqual("", effective(arguments(app), app["env"])["worker.name"])


if __name__ == "__main__":
    unittest.main()
