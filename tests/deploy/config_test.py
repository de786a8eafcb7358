"""deploy/config/: each file is taken by the program that it is for, which then starts with it."""

import json
import os
import re
import signal
import subprocess
import unittest
import urllib.error
import urllib.request

import yaml

from options import CONFIG, WORKERS, effective, options_of, program

PATIENCE_S = 300
NOBODY = "127.0.0.1:1"  # a port that nobody listens on


def names_in(value, prefix=""):
    """Of the options in a file: the longest names that are no sections; keys of an option's own are not told apart here."""
    for key, below in value.items():
        if isinstance(below, dict):
            yield from names_in(below, f"{prefix}{key}.")
        else:
            yield prefix + key


class Configuration(unittest.TestCase):
    def test_every_file_is_accepted(self):
        self.assertEqual({"cluster.yaml", *(f"{worker}.yaml" for worker in WORKERS)}, {file.name for file in CONFIG.glob("*.yaml")})
        for file in CONFIG.glob("*.yaml"):
            effective(["--config", f"/etc/orbweaver/{file.name}"], {})

    def test_a_workers_file_names_only_what_it_reads(self):
        for worker in WORKERS:
            known = options_of(worker)
            self.assertLess(20, len(known))
            for name in names_in(yaml.safe_load((CONFIG / f"{worker}.yaml").read_text())):
                self.assertTrue(any(name == option or name.startswith(option + ".") for option in known), f"{worker}.yaml: {name}")

    def test_what_all_must_agree_on_is_the_same_in_all_files(self):
        values = {}
        for file in CONFIG.glob("*.yaml"):
            for section, options in yaml.safe_load(file.read_text()).items():
                if section in ("hbase", "kafka", "politeness", "url"):
                    for name, value in options.items():
                        values.setdefault(f"{section}.{name}", {})[file.name] = value
        for name, by_file in values.items():
            self.assertEqual(1, len({str(value) for value in by_file.values()}), f"{name}: {by_file}")
        self.assertEqual(4, len(values["kafka.brokers"]))

    def test_spiders_queue_and_strategy_workers_agree_on_politeness(self):
        effective_in = {}
        for worker in WORKERS:
            options = effective(["--config", f"/etc/orbweaver/{worker}.yaml"], {})
            effective_in[worker] = {name: value for name, value in options.items() if name.startswith("politeness.")}
            self.assertTrue(all(name in options_of(worker) for name in effective_in[worker]), worker)
        self.assertIn("politeness.delay", effective_in["spider"])
        self.assertEqual(1, len({str(options) for options in effective_in.values()}), effective_in)


class Workers(unittest.TestCase):
    """Without Kafka and HBase: what a worker says before it has found them is what probes see first."""

    def start(self, worker):
        process = subprocess.Popen(
            [program(f"orbweaver-{worker}"), "--config", CONFIG / f"{worker}.yaml", "--set", "admin.listen=127.0.0.1", "--set", "admin.port=0",
             "--set", f"kafka.brokers={NOBODY}", "--set", "log.format=json", *([] if worker == "spider" else ["--set", f"hbase.hosts={NOBODY}"])],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        said = ""
        for line in process.stdout:
            said += line
            found = re.search(r"admin server on 127\.0\.0\.1:(\d+)", line)
            if found:
                return process, int(found[1])
        raise AssertionError(f"{worker} ended with {process.wait()}:\n{said}")

    def get(self, port, path):
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=PATIENCE_S) as answer:
                return answer.status
        except urllib.error.HTTPError as error:
            return error.code

    def test_each_starts_with_its_file_answers_its_probes_and_stops(self):
        for worker in WORKERS:
            with self.subTest(worker):
                process, port = self.start(worker)
                self.assertEqual(200, self.get(port, "/healthz"))
                self.assertEqual(503, self.get(port, "/readyz"))
                self.assertEqual(200, self.get(port, "/metrics"))
                process.send_signal(signal.SIGTERM)
                process.communicate(timeout=PATIENCE_S)
                self.assertEqual(0, process.returncode)


if __name__ == "__main__":
    unittest.main()
