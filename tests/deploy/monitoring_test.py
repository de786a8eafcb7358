"""deploy/prometheus/ and deploy/grafana/: alerts that fire when they should, and metrics that there are."""

import json
import pathlib
import re
import subprocess
import unittest

import yaml

from metric_names import ALERTS, DASHBOARD, metrics_asked_for
from options import ROOT, WORKERS, effective


def promtool(*arguments):
    done = subprocess.run(["promtool", *arguments], capture_output=True, text=True, timeout=300)
    return done.returncode, done.stdout + done.stderr


def metrics_of_the_sources():
    """Every literal that is registered as a metric."""
    names = set()
    for folder in ("common", "db_worker", "spider", "strategy_worker"):
        for file in (ROOT / folder).rglob("*.cc"):
            if not file.name.endswith("_test.cc"):
                names |= set(re.findall(r'"((?:orbweaver|process)_[a-z_]+)"', file.read_text()))
    return names


class Monitoring(unittest.TestCase):
    def test_promtool_accepts_the_rules_and_the_scrape_configuration(self):
        for arguments in (["check", "rules", ALERTS], ["check", "config", "--syntax-only", ALERTS.parent / "prometheus.yml"]):
            code, said = promtool(*arguments)
            self.assertEqual(0, code, said)

    def test_alerts_fire_when_they_should_and_only_then(self):
        code, said = promtool("test", "rules", ALERTS.parent / "alerts_test.yml")
        self.assertEqual(0, code, said)

    def test_every_alert_has_a_case_and_is_explained(self):
        cases = (ALERTS.parent / "alerts_test.yml").read_text()
        page = (ROOT / "docs/operations.md").read_text()
        for rule in yaml.safe_load(ALERTS.read_text())["groups"][0]["rules"]:
            self.assertIn(rule["alert"], cases)
            self.assertIn(f"`{rule['alert']}`", page)
            self.assertIn(rule["labels"]["severity"], ("page", "ticket"))

    def test_every_metric_that_is_asked_for_exists(self):
        known = metrics_of_the_sources()
        histograms = {name + suffix for name in known if name.endswith("_seconds") for suffix in ("_bucket", "_sum", "_count")}
        self.assertLess(30, len(known))
        self.assertEqual(set(), metrics_asked_for() - known - histograms)

    def test_jobs_and_ports_are_those_of_the_workers(self):
        jobs = yaml.safe_load((ALERTS.parent / "prometheus.yml").read_text())["scrape_configs"]
        self.assertEqual(list(WORKERS), [job["job_name"] for job in jobs])
        for job in jobs:
            port = effective(["--config", f"/etc/orbweaver/{job['job_name']}.yaml"], {})["admin.port"]
            self.assertEqual([{"names": [job["job_name"]], "type": "A", "port": port, "refresh_interval": "10s"}], job["dns_sd_configs"])

    def test_the_dashboard_is_whole(self):
        dashboard = json.loads(DASHBOARD.read_text())
        ids = [panel["id"] for panel in dashboard["panels"]]
        self.assertEqual(len(ids), len(set(ids)))
        source = yaml.safe_load((DASHBOARD.parents[1] / "provisioning/datasources/prometheus.yml").read_text())["datasources"][0]
        for panel in dashboard["panels"]:
            self.assertEqual(source["uid"], panel["datasource"]["uid"])
            self.assertTrue(panel["description"].endswith("."), panel["title"])
        compose = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]["grafana"]
        folder, = [volume.split(":")[1] for volume in compose["volumes"] if volume.startswith("./deploy/grafana/dashboards")]
        provider, = yaml.safe_load((DASHBOARD.parents[1] / "provisioning/dashboards/orbweaver.yml").read_text())["providers"]
        self.assertEqual(folder, provider["options"]["path"])
        self.assertEqual(str(pathlib.PurePosixPath(folder) / DASHBOARD.name), compose["environment"]["GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH"])


if __name__ == "__main__":
    unittest.main()
