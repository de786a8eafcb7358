"""The synthetic web as a process, for tests of whole programs."""

import json
import signal
import subprocess
import urllib.request

PATIENCE_S = 240
# Faults that end soon; those that wait for minutes have tests of their own.
FAULTS = ("gzip,redirect,redirect-away,redirect-loop,wrong-charset,duplicates,soft-404,robots-rules,robots-own-group,"
          "robots-redirect,robots-empty,robots-garbage,reset,short-body,no-such-host")


class Web:
    """The synthetic web as a proxy; `report` ends it and says what it saw."""

    def __init__(self, program, folder, *options, log_requests=True):
        self.folder = folder
        self.arguments = [program, "--links", "30", "--sitemap-hosts", "0", "--seeds", "10", *options]
        self.seeds = folder / "seeds.txt"
        self.seeds.write_bytes(subprocess.run([*self.arguments, "--print-seeds"], check=True, capture_output=True).stdout)
        self.requests_file = folder / "requests.log"
        self.log = open(folder / "web.log", "wb")
        self.authority = folder / "authority.pem"
        log_options = ["--log", self.requests_file] if log_requests else []
        self.process = subprocess.Popen([*self.arguments, "--check", "--ca", self.authority, *log_options], stdout=subprocess.PIPE, stderr=self.log)
        self.port = json.loads(self.process.stdout.readline())["port"]

    def report(self):
        self.process.send_signal(signal.SIGTERM)
        out, _ = self.process.communicate(timeout=PATIENCE_S)
        return json.loads(out.splitlines()[-1])

    def client_died(self, told_ms):
        """The crawler was killed: what it was asked to wait for in the last so many milliseconds is not held against the next one."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/-/client-died/{told_ms}", timeout=10) as answer:
            answer.read()

    def requests(self):
        """How many were answered, as far as its log is written."""
        with open(self.requests_file, "rb") as log:
            return sum(part.count(b"\n") for part in iter(lambda: log.read(1 << 20), b""))

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()
        self.log.close()
