"""docker-compose.yml under a name of its own, and what its containers say."""

import json
import pathlib
import shutil
import time
import urllib.request

from run import run

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Beyond what a busy machine needs: whoever waits for so long waits for what does not come.
PATIENCE_S = 900
ADMIN_PORTS = {"spider": 9610, "strategy-worker": 9620, "db-worker": 9630}
# Metrics that are zero when there is nothing to do.
WAITING = {
    "db-worker": ["orbweaver_feed_lag", "orbweaver_queue_requests_waiting", "orbweaver_queue_requests_delayed"],
    "spider": ["orbweaver_spider_held_requests"],
}


class Project:
    """`name` tells its containers, volumes and networks from all others. Workers are asked on the ports that the file publishes on loopback.

    `folder` has the file, and what it mounts.
    """

    def __init__(self, engine, name, variables, env_file, folder):
        self.name = name
        self._folder = folder
        self._engine = engine
        self._environment = {**engine.environment, **variables, "COMPOSE_PROJECT_NAME": name,
                             "COMPOSE_HTTP_TIMEOUT": str(PATIENCE_S)}
        program = ["docker-compose"] if shutil.which("docker-compose") else [engine.client, "compose"]
        self._command = [*program, "--env-file", str(env_file)]

    def compose(self, *arguments, **options):
        return run([*self._command, *arguments], env=self._environment, cwd=self._folder, **options)

    def containers(self, service, everything=False):
        """Ids of the running ones, or of all; in the order of their names."""
        found = self._engine.docker("ps", "-q", *(["-a"] if everything else []), "--filter", f"label=com.docker.compose.project={self.name}",
                                    "--filter", f"label=com.docker.compose.service={service}").split()
        return sorted(found, key=lambda one: self.inspect(one)["Name"])

    def inspect(self, container):
        return json.loads(self._engine.docker("inspect", container))[0]

    def state(self, container):
        return self.inspect(container)["State"]

    def healthy(self, service):
        """How many replicas are."""
        return sum(self.state(container).get("Health", {}).get("Status") == "healthy" for container in self.containers(service))

    def logs(self, container):
        return self._engine.docker("logs", container)

    def get(self, container, service, path):
        """The answer of the worker's admin server; None while there is nobody to answer."""
        try:
            # Another port after each start, and none while it does not run.
            address = self._engine.docker("port", container, str(ADMIN_PORTS[service])).splitlines()[0]
            with urllib.request.urlopen(f"http://{address}{path}", timeout=60) as answer:
                return answer.read().decode()
        except (AssertionError, IndexError, OSError):
            return None

    def option(self, container, service, name):
        """The value in effect."""
        return json.loads(self.get(container, service, "/config"))[name]["value"]

    def metrics(self, service):
        """For each replica a dictionary: metric with its labels -> value. Empty while one of them does not answer."""
        texts = [self.get(container, service, "/metrics") for container in self.containers(service)]
        if None in texts:
            return []
        lines = [[line.rpartition(" ") for line in text.splitlines() if not line.startswith("#")] for text in texts]
        return [{name: float(value) for name, _, value in replica} for replica in lines]

    def total(self, service, metric):
        """Of all replicas, and of all label values unless it names them. Less than nothing while a replica does not answer."""
        replicas = self.metrics(service)
        if not replicas:
            return -1
        return sum(value for replica in replicas for key, value in replica.items() if metric in (key, key.split("{")[0]))

    def ask(self, *words):
        """The objects that a command of `orbweaver` prints, run in a worker's container."""
        worker = self.containers("db-worker")[0]
        said = self._engine.docker("exec", worker, "orbweaver", *words)
        return [json.loads(line) for line in said.splitlines() if line.startswith("{")]

    def logs_of_the_crawl(self):
        """The groups' lag in all, and the end of each partition of their topics."""
        groups = self.ask("status", "--json")[0]["groups"]
        return sum(group["lag"] for group in groups), [partition["end"] for group in groups for partition in group["partitions"]]

    def is_done(self):
        """Nothing waits anywhere, and no log grew while that was looked at."""
        try:
            _, before = self.logs_of_the_crawl()
            waiting = [self.total(service, name) for service, names in WAITING.items() for name in names]
            lag, after = self.logs_of_the_crawl()
        except AssertionError:  # Kafka or HBase let the command wait for too long
            return False
        return lag == 0 and not any(waiting) and before == after

    def wait(self, what, condition):
        """Until the condition holds."""
        deadline = time.monotonic() + PATIENCE_S
        while not condition():
            if time.monotonic() > deadline:
                raise AssertionError(f"waited {PATIENCE_S} s, and not yet: {what}\n{self.describe()}")
            time.sleep(0.5)

    def describe(self):
        """All containers, and the last that each said."""
        mine = ["-a", "--filter", f"label=com.docker.compose.project={self.name}"]
        text = [self._engine.docker("ps", *mine)]
        for container in self._engine.docker("ps", "-q", *mine).split():
            text += ["--- " + self.inspect(container)["Name"], *self.logs(container).splitlines()[-15:]]
        return "\n".join(text)
