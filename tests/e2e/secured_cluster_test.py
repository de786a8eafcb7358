"""A whole crawl over TLS, with a spider in Python beside ours: python3 secured_cluster_test.py BUILD [--hosts N --pages N] [TEST…]

ORBWEAVER_SERVICES_DIR is a folder for a Kafka and an HBase of its own.
"""

import os
import pathlib
import shlex
import subprocess
import sys

import foreign_spider_test
from cluster_world import ROOT, main

SERVICES = ROOT / "deploy/local/services"


class Secured(foreign_spider_test.Foreign):
    """Kafka asks for passwords, and it, the Thrift server and the workers' admin servers speak TLS."""

    def start_secured(self, **more):
        folder = pathlib.Path(os.environ["ORBWEAVER_SERVICES_CA"]).parent
        self.start("--robots-hosts", "0", settings={"admin.tls_cert": str(folder / "server.pem"), "admin.tls_key": str(folder / "server.key"),
                                                    "admin.tls_ca": str(folder / "ca.pem")}, **more)

    def test_a_crawl_over_tls_completes_and_takes_orders(self):
        self.start_secured(counts=(1, 1, 1))
        for worker in self.running:
            self.assertTrue(worker.url().startswith("https://"), worker.url())
        spider = self.python_spider(2)
        self.await_that("it has joined", lambda: self.partitions_of(spider) > 0)
        self.seed()
        self.await_progress(0.2)
        self.assertIn("paused", self.run_command("pause", "0"))
        self.assertIn("resumed", self.run_command("resume", "0"))
        # Whose certificate nobody known has signed is told no token.
        done = self.workers.command("pause", "0", "--set=admin.tls_ca=", capture_output=True)
        self.assertEqual(1, done.returncode, done.stderr)
        self.assertIn("no known authority has signed the server's certificate", done.stderr)
        self.assert_complete(no_worker_died=True)

    def test_a_spider_in_python_that_is_refused_says_so(self):
        self.start_secured(counts=(1, 1, 0))
        for name, value, says in (("ORBWEAVER_KAFKA_PASSWORD", "wrong", "invalid credentials"),
                                  ("ORBWEAVER_SERVICES_CA", "/etc/ssl/certs/ca-certificates.crt", "certificate verify failed")):
            spider = foreign_spider_test.PythonSpider(self, 1, "plain")
            spider.environment[name] = value
            spider.launch()
            self.assertEqual(1, spider.process.wait(foreign_spider_test.PATIENCE_S), spider.tail())
            last = spider.tail().splitlines()[-1]
            self.assertIn("SpiderError: reach Kafka: ", last)
            self.assertIn(says, last)


if __name__ == "__main__":
    up = subprocess.run([sys.executable, SERVICES, "up", "--for", str(os.getpid())], stdout=subprocess.PIPE, text=True, check=True,
                        env={**os.environ, "ORBWEAVER_SERVICES_TLS": "yes"})
    os.environ.update(shlex.split(line)[0].split("=", 1) for line in up.stdout.splitlines())
    try:
        main()
    finally:
        subprocess.run([sys.executable, SERVICES, "wipe", "--force"], check=True)
