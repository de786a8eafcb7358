"""Which metrics alerts and dashboard ask for."""

import json
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
ALERTS = ROOT / "deploy/prometheus/alerts.yml"
DASHBOARD = ROOT / "deploy/grafana/dashboards/orbweaver.json"


def dashboard_queries():
    """With a fixed span in place of Grafana's variable."""
    for panel in json.loads(DASHBOARD.read_text())["panels"]:
        for target in panel["targets"]:
            yield target["expr"].replace("$__rate_interval", "1m")


def metrics_asked_for():
    text = ALERTS.read_text() + "\n".join(dashboard_queries())
    return set(re.findall(r"\b(?:orbweaver|process)_[a-z_]+\b", text))
