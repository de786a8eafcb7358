"""The container engine that the test runs on: the machine's own, or else Debian's, started for as long as the test lasts."""

import ctypes
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import images
from run import run

SKIPPED = 77
START_DEADLINE_S = 120
STOP_DEADLINE_S = 120
FORWARDING = pathlib.Path("/proc/sys/net/ipv4/ip_forward")
PR_SET_PDEATHSIG = 1


class NoEngine(Exception):
    """Why no engine can run here."""


class Engine:
    """With `with`: `docker(…)` and `environment` work within, and afterwards nothing of it is left but what was there before."""

    def __enter__(self):
        self.environment = dict(os.environ)
        self._daemon = None
        self.client = _client_that_builds()
        if subprocess.run([self.client, "info"], capture_output=True).returncode != 0:
            self._start()
        return self

    def __exit__(self, *_):
        if self._daemon is not None:
            self._stop()

    def docker(self, *arguments, **options):
        """Its output; AssertionError with what it said when it fails."""
        return run([self.client, *arguments], env=self.environment, **options)

    def _start(self):
        if os.geteuid() != 0:
            raise NoEngine("no Docker answers this user, and only root can start one")
        for program in ("dockerd", "iptables-save", "debootstrap"):
            if not shutil.which(program):
                raise NoEngine(f"no Docker answers, and there is no `{program}` to start one with")
        self._folder = pathlib.Path(tempfile.mkdtemp(prefix="orbweaver-engine-", dir="/var/tmp"))
        self._iptables = subprocess.run(["iptables-save"], capture_output=True).stdout
        self._forwarding = FORWARDING.read_text()
        self._had_bridge = pathlib.Path("/sys/class/net/docker0").exists()
        self.environment["DOCKER_HOST"] = f"unix://{self._folder}/socket"
        self._log = open(self._folder / "log", "wb")
        self._daemon = subprocess.Popen(
            ["dockerd", "--data-root", self._folder / "data", "--exec-root", self._folder / "exec", "--pidfile", self._folder / "pid",
             "--host", self.environment["DOCKER_HOST"]],
            stdin=subprocess.DEVNULL, stdout=self._log, stderr=self._log, preexec_fn=_end_with_parent)
        deadline = time.monotonic() + START_DEADLINE_S
        while subprocess.run([self.client, "info"], env=self.environment, capture_output=True).returncode != 0:
            if self._daemon.poll() is not None or time.monotonic() > deadline:
                said = (self._folder / "log").read_text(errors="replace").splitlines()
                self._stop()
                raise NoEngine("Debian's Docker does not start here: " + (said[-1] if said else "it said nothing"))
            time.sleep(0.2)
        images.import_base(self)

    def _stop(self):
        self._daemon.send_signal(signal.SIGTERM)
        try:
            self._daemon.wait(STOP_DEADLINE_S)
        except subprocess.TimeoutExpired:
            self._daemon.kill()
            self._daemon.wait()
        self._log.close()
        if not self._had_bridge:
            subprocess.run(["ip", "link", "delete", "docker0"], capture_output=True)
        subprocess.run(["iptables-restore"], input=self._iptables, capture_output=True)
        FORWARDING.write_text(self._forwarding)
        shutil.rmtree(self._folder, ignore_errors=True)


def _client_that_builds():
    """The first `docker` that comes with BuildKit: one before 23, or one that has it as a plug-in."""
    for client in (shutil.which("docker"), "/usr/bin/docker"):
        if client and os.path.exists(client):
            major = subprocess.run([client, "--version"], capture_output=True, text=True).stdout.removeprefix("Docker version ").split(".")[0]
            if major.isdigit() and (int(major) < 23 or subprocess.run([client, "buildx", "version"], capture_output=True).returncode == 0):
                return client
    raise NoEngine("there is no `docker` that can build images with BuildKit")


def _end_with_parent():
    """A test that is killed takes its daemon, and with it all containers, along."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


def run_on_an_engine(module):
    """The main program of a file of tests, FILE BUILD_DIR [ARGS…]: `module` gets ENGINE and BUILD_DIR. Exit code 77 where no engine can run."""
    module["BUILD_DIR"] = os.path.abspath(sys.argv[1])
    try:
        with Engine() as module["ENGINE"]:
            done = unittest.main(argv=sys.argv[:1] + sys.argv[2:], verbosity=2, failfast=True, exit=False)
    except NoEngine as reason:
        print(f"skipped: {reason}")
        sys.exit(SKIPPED)
    sys.exit(0 if done.result.wasSuccessful() else 1)
