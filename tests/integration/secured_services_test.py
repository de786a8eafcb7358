"""Kafka with TLS and passwords, HBase's Thrift server with TLS, and all that can be wrong between them and our programs.

python3 secured_services_test.py BUILD. ORBWEAVER_SERVICES_DIR is a folder for services of its own; ORBWEAVER_KAFKA and ORBWEAVER_THRIFT are
servers that speak no TLS.
"""

import collections
import json
import os
import pathlib
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path[:0] = [str(ROOT / "deploy/local"), str(ROOT / "tests/support")]
from certificates import Authority  # noqa: E402
from tls_front import TlsFront  # noqa: E402
from workers import PROGRAMS, Workers, secured  # noqa: E402

SERVICES = ROOT / "deploy/local/services"
PLAIN = {name: os.environ[name] for name in ("ORBWEAVER_KAFKA", "ORBWEAVER_THRIFT")}
PATIENCE_S = 300
LOOK_AGAIN_S = 0.1

# `settings` go over those that work; FOREIGN, EXPIRED and the like stand for what is made at the start. A refusal ends whoever begins with it;
# anything else may be an outage, which a worker waits for.
Failure = collections.namedtuple("Failure", "name settings says is_refusal")
FAILURES = [
    Failure("Kafka: foreign authority", {"kafka.properties.ssl.ca.location": "{FOREIGN}"},
            "reach Kafka at {KAFKA}: no known authority has signed the server's certificate", True),
    Failure("Kafka: expired certificate", {"kafka.brokers": "{EXPIRED}"},
            "reach Kafka at {EXPIRED}: the server's certificate has expired", True),
    Failure("Kafka: certificate of another host", {"kafka.brokers": "localhost:{KAFKA_PORT}"},
            "reach Kafka at localhost:{KAFKA_PORT}: the server's certificate is for another host", True),
    Failure("Kafka: wrong password", {"kafka.properties.sasl.password": "wrong"},
            "reach Kafka at {KAFKA}: the broker refuses the user or the password", True),
    Failure("Kafka: unknown user", {"kafka.properties.sasl.username": "nobody"},
            "reach Kafka at {KAFKA}: the broker refuses the user or the password", True),
    Failure("Kafka: mechanism that the broker has not", {"kafka.properties.sasl.mechanism": "SCRAM-SHA-256"},
            "reach Kafka at {KAFKA}: SASL SCRAM-SHA-256 mechanism handshake failed", True),
    Failure("Kafka: no TLS to a port that speaks it", {"kafka.properties.security.protocol": "PLAINTEXT"},
            "reach Kafka at {KAFKA}: the broker closes the connection at the first word. Does it speak TLS", False),
    Failure("Kafka: TLS to a port that speaks none", {"kafka.brokers": "{PLAIN_KAFKA}"},
            "reach Kafka at {PLAIN_KAFKA}: the broker breaks off the handshake of TLS", False),
    Failure("Thrift: foreign authority", {"hbase.tls.ca_file": "{FOREIGN}"},
            "{THRIFT}: TLS handshake: no known authority has signed the server's certificate", True),
    Failure("Thrift: expired certificate", {"hbase.hosts": "{EXPIRED}"},
            "{EXPIRED}: TLS handshake: the server's certificate has expired", True),
    Failure("Thrift: certificate of another host", {"hbase.hosts": "localhost:{THRIFT_PORT}"},
            "localhost:{THRIFT_PORT}: TLS handshake: the server's certificate is for another host", True),
    Failure("Thrift: no TLS to a port that speaks it", {"hbase.tls.enabled": "false"},
            "{THRIFT}: the server speaks TLS. Set hbase.tls.enabled", False),
    Failure("Thrift: TLS to a port that speaks none", {"hbase.hosts": "{PLAIN_THRIFT}"},
            "{PLAIN_THRIFT}: TLS handshake: the server closed the connection. Does it speak TLS there?", False),
    Failure("Thrift: no HTTP to a server that speaks it", {"hbase.http": "false"},
            "{THRIFT}: the answer is no message of Thrift. Are hbase.http", False),
]


def services(*words):
    done = subprocess.run([sys.executable, SERVICES, *words], capture_output=True, text=True, timeout=PATIENCE_S,
                          env={**os.environ, "ORBWEAVER_SERVICES_TLS": "yes"})
    if done.returncode != 0:
        raise AssertionError(f"services {words} failed:\n{done.stderr}")
    return dict(shlex.split(line)[0].split("=", 1) for line in done.stdout.splitlines() if "=" in line)


class SecuredServices(unittest.TestCase):
    BUILD = None  # set by the program

    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="orbweaver-secured-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.addClassCleanup(services, "wipe", "--force")
        environment = services("up", "--for", str(os.getpid()))
        cls.authority = Authority(pathlib.Path(environment["ORBWEAVER_SERVICES_CA"]).parent)
        foreign = Authority(cls.folder / "foreign")
        foreign.make()
        cls.front = TlsFront(*cls.authority.issue("expired", "IP:127.0.0.1", days=-1))
        cls.addClassCleanup(cls.front.close)
        cls.names = {"FOREIGN": foreign.certificate, "EXPIRED": cls.front.address, "KAFKA": environment["ORBWEAVER_KAFKA"],
                     "THRIFT": environment["ORBWEAVER_THRIFT"], "PLAIN_KAFKA": PLAIN["ORBWEAVER_KAFKA"], "PLAIN_THRIFT": PLAIN["ORBWEAVER_THRIFT"],
                     "KAFKA_PORT": environment["ORBWEAVER_KAFKA"].rpartition(":")[2], "THRIFT_PORT": environment["ORBWEAVER_THRIFT"].rpartition(":")[2]}
        cls.password = environment["ORBWEAVER_KAFKA_PASSWORD"]
        cls.workers = Workers(cls.folder / "cluster", cls.BUILD)
        cls.workers.configure({"kafka.brokers": environment["ORBWEAVER_KAFKA"], "hbase.hosts": [environment["ORBWEAVER_THRIFT"]],
                               "hbase.regions": 1, "topics.partitions": 4, "network.allow_private": True,
                               "spider.fetch.user_agent": "orbweaver/test (+mailto:test@example.com)", **secured(environment)})
        done = cls.workers.command("init", capture_output=True)
        assert done.returncode == 0, done.stderr

    def resolved(self, failure):
        settings = [f"{name}={value.format(**self.names)}" for name, value in failure.settings.items()]
        return settings, failure.says.format(**self.names)

    def assert_says_it_once(self, failure, said, text, most=1):
        lines = [line for line in said.splitlines() if text in line]
        self.assertTrue(1 <= len(lines) <= most, f"{failure.name}: expected {text!r} once:\n{said}")
        for other in ("[thrd:", "SSL routines", "identical error"):
            self.assertNotIn(other, said, f"{failure.name}: librdkafka's or OpenSSL's own words")
        self.assertNotIn(self.password, said)

    def start(self, role, *settings):
        worker = self.workers.worker(role, 1)
        worker.log.unlink(missing_ok=True)
        worker.launch(*settings)
        self.addCleanup(worker.stop, signal.SIGKILL)
        return worker

    def await_that(self, what, condition):
        deadline = time.monotonic() + PATIENCE_S
        while not condition():
            self.assertLess(time.monotonic(), deadline, what)
            time.sleep(LOOK_AGAIN_S)

    def test_commands_work(self):
        seeds = self.folder / "seeds.txt"
        seeds.write_text("http://one.example/\n")
        for words in (["init", "--check"], ["seeds", "add", str(seeds)], ["status"], ["log", "dump", "spider-log"], ["inspect", "domain", "one.example"]):
            done = self.workers.command(*words, capture_output=True)
            self.assertEqual(0, done.returncode, f"{words}: {done.stderr}")
            self.assertNotIn("warning", done.stderr)

    def test_the_password_is_shown_by_no_command(self):
        done = self.workers.command("config", "show", capture_output=True)
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertIn("SCRAM-SHA-512", done.stdout)
        self.assertNotIn(self.password, done.stdout + done.stderr)

    def test_a_command_says_what_is_wrong_once_and_fails(self):
        for failure in FAILURES:
            with self.subTest(failure.name):
                settings, text = self.resolved(failure)
                done = self.workers.command("init", "--check", "--timeout", "10", *(f"--set={one}" for one in settings), capture_output=True, timeout=PATIENCE_S)
                self.assertEqual(1, done.returncode, done.stderr)
                # Of a failure that may pass the log speaks while it is waited for.
                self.assert_says_it_once(failure, done.stderr, text, most=1 if failure.is_refusal else 2)
        self.assertEqual(b"", self.front.heard, "a password was told to a server whose certificate has expired")

    def test_a_worker_that_is_refused_ends_with_what_is_wrong(self):
        for failure in FAILURES:
            if not failure.is_refusal:
                continue
            with self.subTest(failure.name):
                settings, text = self.resolved(failure)
                # A spider has no store.
                roles = [role for role in PROGRAMS if role != "spider" or "Kafka" in failure.name]
                started = [self.start(role, *settings) for role in roles]
                for worker in started:
                    self.assertEqual(1, worker.process.wait(PATIENCE_S), worker.tail())
                    self.assert_says_it_once(failure, worker.tail(), text.removeprefix("reach Kafka at "), most=2)
        self.assertEqual(b"", self.front.heard)

    def test_a_worker_waits_for_what_may_pass(self):
        for failure in FAILURES:
            if failure.is_refusal:
                continue
            with self.subTest(failure.name):
                settings, text = self.resolved(failure)
                worker = self.start("strategy-worker", *settings)
                self.await_that(text, lambda: text.removeprefix("reach Kafka at ") in worker.tail())
                self.assertFalse(worker.ended(), worker.tail())
                worker.send(signal.SIGTERM)
                self.assertEqual(0, worker.process.wait(PATIENCE_S), worker.tail())

    def test_a_running_worker_waits_while_the_broker_has_a_wrong_certificate(self):
        worker = self.start("strategy-worker")
        worker.await_ready()
        certificate = self.authority.dir / "server.both.pem"
        good = certificate.read_text()
        # Kafka itself refuses one that has expired, or that its own authority has not signed.
        self.authority.issue("elsewhere", "IP:127.0.0.2")
        text = "the server's certificate is for another host"
        try:
            certificate.write_text((self.authority.dir / "elsewhere.both.pem").read_text())
            # It is not ready, since its own probe refuses the certificate too.
            subprocess.run([sys.executable, SERVICES, "kill", "kafka"], check=True)
            broker = subprocess.Popen([sys.executable, SERVICES, "restart", "kafka"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            self.addCleanup(broker.wait)
            self.addCleanup(broker.kill)
            self.await_that(text, lambda: text in worker.tail())
            self.assertFalse(worker.ended(), worker.tail())
        finally:
            certificate.write_text(good)
        broker.kill()
        broker.wait()
        services("restart", "kafka")

        def reads_on():
            self.assertFalse(worker.ended(), worker.tail())
            done = self.workers.command("status", "--json", "--interval", "100ms", capture_output=True)
            return done.returncode == 0 and self.lag(done.stdout) == 0

        seeds = self.folder / "more.txt"
        seeds.write_text("http://two.example/\n")
        done = self.workers.command("seeds", "add", str(seeds), capture_output=True)
        self.assertEqual(0, done.returncode, done.stderr)
        self.await_that("it reads what comes", reads_on)

    def lag(self, status):
        return sum(group["lag"] for group in json.loads(status)["groups"] if group["group"] == "strategy-workers")


if __name__ == "__main__":
    SecuredServices.BUILD = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main(verbosity=2)
