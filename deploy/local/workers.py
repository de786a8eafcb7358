"""The workers of a cluster as processes on this machine: a folder with their configuration and their logs."""

import json
import re
import signal
import ssl
import subprocess
import time
import urllib.error
import urllib.request

from install import Failure
from own_process import OwnProcess

# Role -> the program, in the build tree.
PROGRAMS = {
    "db-worker": "db_worker/orbweaver-db-worker",
    "strategy-worker": "strategy_worker/orbweaver-strategy-worker",
    "spider": "spider/orbweaver-spider",
}
# How many of a role are looked for.
MOST = 64
READY_DEADLINE_S = 240
POLL_S = 0.1
# A proxy of the user's environment does not lead to this machine's workers, whose certificates are for the names that others know them by.
DIRECT = urllib.request.build_opener(urllib.request.ProxyHandler({}),
                                     urllib.request.HTTPSHandler(context=ssl._create_unverified_context()))
ADMIN = re.compile(r"started; admin server on (\S+)")


class Worker(OwnProcess):
    """One worker, named ROLE-N. It keeps its name over restarts, and with it its partitions."""

    def __init__(self, cluster, role, number):
        self.cluster = cluster
        self.role = role
        self.number = number
        name = f"{role}-{number}"
        self.started_at = 0  # of the log, when this command launched it
        super().__init__(name, cluster.dir / f"{name}.log",
                         [f"--config={cluster.config}", f"--set=worker.name={name}"])

    def launch(self, *settings):
        """`settings` are options of this worker alone, NAME=VALUE."""
        self.started_at = self.log.stat().st_size if self.log.exists() else 0
        program = self.cluster.build / PROGRAMS[self.role]
        self.spawn([program, f"--config={self.cluster.config}", f"--set=worker.name={self.name}", "--set=admin.port=0",
                    *(f"--set={setting}" for setting in settings)], self.cluster.dir)

    def url(self):
        """Where its admin server is, as its log says; None while it does not say so."""
        try:
            with open(self.log, "rb") as log:
                log.seek(self.started_at)
                found = ADMIN.findall(log.read().decode(errors="replace"))
        except FileNotFoundError:
            return None
        if not found:
            return None
        return found[-1] if found[-1].startswith("https://") else f"http://{found[-1]}"

    def get(self, path):
        """An answer of its admin server: status and text. None when it does not answer."""
        url = self.url()
        if url is None:
            return None
        try:
            with DIRECT.open(f"{url}{path}", timeout=10) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as refused:
            return refused.code, refused.read().decode()
        except OSError:
            return None

    def await_ready(self):
        """Waits until it has what it needs to work. Failure, with its log's end, when it ended or took too long."""
        deadline = time.monotonic() + READY_DEADLINE_S
        answer = None
        while answer is None or answer[0] != 200:
            if self.ended():
                raise Failure(f"start {self.name}: it ended. Its log, {self.log}, ends:\n{self.tail()}")
            if time.monotonic() > deadline:
                raise Failure(f"start {self.name}: not ready after {READY_DEADLINE_S} s: {answer}. Its log: {self.log}")
            time.sleep(POLL_S)
            answer = self.get("/readyz")


def secured(services):
    """The options of workers that reach the services with these variables, as `services env` prints them: none where those do not speak TLS."""
    if "ORBWEAVER_SERVICES_CA" not in services:
        return {}
    authority = services["ORBWEAVER_SERVICES_CA"]
    return {"kafka.properties": {"security.protocol": "SASL_SSL", "ssl.ca.location": authority, "sasl.mechanism": "SCRAM-SHA-512",
                                 "sasl.username": services["ORBWEAVER_KAFKA_USER"],
                                 "sasl.password": services["ORBWEAVER_KAFKA_PASSWORD"]},
            "hbase.http": True, "hbase.tls.enabled": True, "hbase.tls.ca_file": authority}


class Workers:
    """All workers of one folder."""

    def __init__(self, folder, build):
        self.dir = folder
        self.build = build
        self.config = folder / "cluster.yaml"

    def configure(self, settings):
        """Writes the file that all of them read; `settings` by the options' full names."""
        tree = {}
        for name, value in settings.items():
            *sections, last = name.split(".")
            at = tree
            for section in sections:
                at = at.setdefault(section, {})
            at[last] = value
        self.dir.mkdir(parents=True, exist_ok=True)
        # It holds a token, and JSON is YAML.
        self.config.touch(mode=0o600)
        self.config.write_text(json.dumps(tree, indent=1) + "\n")

    def command(self, *words, **options):
        """Runs the `orbweaver` command with their configuration."""
        return subprocess.run([self.build / "cli/orbweaver", *words, f"--config={self.config}"], text=True, **options)

    def worker(self, role, number):
        return Worker(self, role, number)

    def running(self, role):
        return [worker for worker in (self.worker(role, n) for n in range(1, MOST + 1))
                if worker.log.exists() and worker.pid() is not None]

    def all_running(self):
        return [worker for role in PROGRAMS for worker in self.running(role)]

    def stop(self, workers, deadline_s=60):
        """Stops them in good order, all at once."""
        for worker in workers:
            worker.send(signal.SIGTERM)
        # Once only: at a second signal they end at once.
        for worker in workers:
            worker.stop(None, deadline_s)
