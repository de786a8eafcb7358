"""A newcomer at a shell: an empty folder, sites on this machine, and the program. The base of the first_hour tests."""

import pathlib
import subprocess
import tempfile

from patient import Patient
from small_site import Site
from synthetic_web import PATIENCE_S


def crashes_as_shipped(environment):
    """Also a sanitizer's build then ends by the signal, and not by a report of its own."""
    return environment | {name: f"{environment.get(name, '')}:handle_segv=0" for name in ("ASAN_OPTIONS", "TSAN_OPTIONS")}


class Newcomer(Patient):
    program = ""  # set by the test that is run

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.ports = []

    def site(self, files):
        site = Site(files)
        self.addCleanup(site.close)
        self.ports.append(str(site.port))
        return site

    def orbweaver(self, *arguments, code=0, **more):
        """Runs the program in a folder of its own and gives what it did; its exit code must be `code`, None: any."""
        done = subprocess.run([self.program, *map(str, arguments)], cwd=self.folder, capture_output=True, text=True, timeout=PATIENCE_S, **more)
        self.assertIn(done.returncode, range(256) if code is None else [code], done.stdout + done.stderr)
        return done

    def is_killed_when(self, condition, *arguments):
        """Runs the program until the condition holds, or it ends by itself, and kills it."""
        process = subprocess.Popen([self.program, *map(str, arguments)], cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(process.kill)
        self.waits_until(lambda: condition() or process.poll() is not None)
        process.kill()
        process.wait()

    def crawl(self, *arguments, code=0, **more):
        """A crawl of sites on this machine and of nothing else."""
        delay = [] if "--delay" in arguments else ["--delay", "10ms"]
        return self.orbweaver("crawl", *arguments, *delay, "--set=network.allow_networks=127.0.0.0/8",
                              f"--set=network.ports={','.join(self.ports)}", code=code, **more)
