"""The package in bare virtual environments, as users install it: by pip, from its folder and from the wheel, with every Python of this machine.

pip asks its index for what the package needs, in the versions of deploy/deps/.
"""

import glob
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
VERSIONS = [(3, minor) for minor in range(9, 14)]
PINNED_FOR = (3, 11)  # deploy/deps/
BARE = """
from orbweaver.messages import SpiderLogEntry, decode, event
from orbweaver.partition import partition_of
from orbweaver.strategy import CrawlRules, Strategy
entry = SpiderLogEntry(domain="example.com")
entry.page_fetched.title = "A page"
assert event(decode("spider-log", entry.SerializeToString()))[0] == "page_fetched"
print(partition_of("example.com", 64))
"""
EXTRAS = """
import orbweaver.recording, orbweaver.scrapy, orbweaver.urls, pyarrow, scrapy
from orbweaver.spider import AsyncSpider, Spider
print(orbweaver.urls.registered_domain("http://www.example.co.uk/"))
"""


def pythons():
    """A program of each version that the package is for."""
    candidates = [sys.executable, *glob.glob("/usr/bin/python3.[0-9]*"), *glob.glob(os.path.expanduser("~/.pyenv/versions/3.*/bin/python3"))]
    found = {}
    for program in candidates:
        done = subprocess.run([program, "-c", "import ensurepip, json, sys; print(json.dumps(sys.version_info[:2]))"], capture_output=True, text=True)
        if done.returncode == 0:
            found.setdefault(tuple(json.loads(done.stdout)), program)
    return {version: found[version] for version in VERSIONS if version in found}


def pins(version):
    """Of what is installed, as name==version. Without their hashes: pip would demand one of the package itself, too."""
    files = "python", "parquet_readers", "scrapy"
    found = [pin for name in files for pin in re.findall(r"^[a-z]\S*==\S+", (ROOT / f"deploy/deps/{name}.txt").read_text(), re.MULTILINE)]
    # protobuf and the backend of the package's wheel have one wheel for every Python. Packages that the extras need have not: for another Python than
    # PINNED_FOR those versions need not exist.
    return [pin for pin in found if version == PINNED_FOR or pin.startswith(("flit_core==", "protobuf=="))]


class Install(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.version = sys.version_info[:2]

    def run_(self, *words, code=0):
        constraints = self.folder / "constraints.txt"
        constraints.write_text("\n".join(pins(self.version)) + "\n")
        environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
        environment["PIP_CONSTRAINT"] = str(constraints)  # the wheel's backend is held to it, too
        done = subprocess.run(list(map(str, words)), cwd=self.folder, env=environment, capture_output=True, text=True)
        self.assertEqual(code, done.returncode, f"{words}\n{done.stdout}{done.stderr}")
        return done.stdout

    def environment(self, python, *packages):
        """The folder of programs of a virtual environment that had nothing in it."""
        self.run_(python, "-m", "venv", self.folder / "bare")
        programs = self.folder / "bare/bin"
        self.run_(programs / "pip", "install", "--quiet", *packages)
        return programs

    def assert_pinned(self, programs):
        named = lambda text: re.sub(r"[-_.]+(?=.*==)", "-", text).lower()
        installed = [named(line) for line in self.run_(programs / "pip", "freeze").splitlines() if not line.startswith("orbweaver")]
        self.assertIn("protobuf", [line.partition("==")[0] for line in installed])
        self.assertEqual([], sorted(set(installed) - set(map(named, pins(self.version)))))

    def test_every_python_installs_the_wheel(self):
        self.run_(ROOT / "run", "wheel")
        wheel, = (ROOT / "build/wheel").glob("orbweaver-*.whl")
        here = pythons()
        self.assertIn(sys.version_info[:2], here)
        for version, python in here.items():
            with self.subTest(python):
                with tempfile.TemporaryDirectory() as folder:
                    self.folder, self.version = pathlib.Path(folder), version
                    programs = self.environment(python, wheel)
                    self.assert_pinned(programs)
                    self.assertEqual("57", self.run_(programs / "python", "-c", BARE).strip())

    def test_the_folder_is_installed_with_all_extras(self):
        programs = self.environment(sys.executable, f"{ROOT}/python[arrow,scrapy,spider]")
        if self.version == PINNED_FOR:
            self.assert_pinned(programs)
        self.assertEqual("example.co.uk", self.run_(programs / "python", "-c", EXTRAS).strip())
        self.assertIn("usage: orbweaver-spider-check --kafka HOST:PORT", self.run_(programs / "orbweaver-spider-check", "--help"))


if __name__ == "__main__":
    unittest.main()
