"""Orbweaver's image alone: what is in it, and one crawl in a container: python3 compose_image_test.py BUILD_DIR

Exit code 77 where no engine can run.
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import images
from engine import run_on_an_engine
from project import ROOT

sys.path.insert(0, str(ROOT / "tests/e2e"))
from small_site import Site  # noqa: E402

# All that somebody may call in the image, beside the programs.
COMMANDS = ("sh", "id", "stat", "setpriv", "tini", "hostname", "getent", "curl", "cat", "ls", "touch")
# Of an image, with nothing below it.
MOST_BYTES = {"none": 75e6, "python": 105e6}


class OneContainer(unittest.TestCase):
    """Orbweaver's image alone, as somebody uses it who wants one crawl."""

    @classmethod
    def setUpClass(cls):
        tag = f"test-alone-{os.getpid()}"
        cls.addClassCleanup(images.remove_all, ENGINE, tag)
        images.build_orbweaver(ENGINE, BUILD_DIR, tag)
        cls.image = f"orbweaver:{tag}"

    def setUp(self):
        folder = tempfile.TemporaryDirectory(dir="/var/tmp")
        self.addCleanup(folder.cleanup)
        self.out = pathlib.Path(folder.name) / "out"
        self.site = Site({"/": "<a href=/a>a</a>", "/a": "a"})
        self.addCleanup(self.site.close)

    def crawl(self, *options):
        return ENGINE.docker("run", "--rm", "--network", "host", "-v", f"{self.out}:/out", *options, self.image, "crawl", self.site.url("/"),
                             "--out", "/out", "--delay", "10ms", "--set", "network.allow_networks=127.0.0.0/8",
                             "--set", f"network.ports={self.site.port}")

    def owners(self):
        return {path.stat().st_uid for path in self.out.rglob("*")}

    def test_files_belong_to_the_owner_of_the_folder(self):
        self.out.mkdir()
        os.chown(self.out, 4321, 4321)
        self.crawl()
        self.assertEqual(["/robots.txt", "/", "/a"], self.site.paths())
        self.assertTrue(list(self.out.glob("*.warc.gz")))
        self.assertEqual({4321}, self.owners())
        # The crawl's own folder is there, too: the same command goes on, and finds nothing left.
        self.crawl()
        self.assertEqual(["/robots.txt", "/", "/a"], self.site.paths())

    def test_a_folder_that_docker_makes_is_written_to(self):
        self.crawl()
        self.assertTrue(list(self.out.glob("*.warc.gz")))
        self.assertEqual({0}, self.owners())

    def test_a_folder_of_somebody_else_is_named(self):
        self.out.mkdir(mode=0o755)
        with self.assertRaisesRegex(AssertionError, "write to /out as user 4321: Permission denied: /out belongs to user 0"):
            self.crawl("--user", "4321:4321")
        self.assertEqual([], self.site.paths())

    def test_nothing_has_rights_to_lose(self):
        for options, user in (([], "10001"), (["-v", f"{self.out}:/out"], "0"), (["--user", "77:77"], "77")):
            said = ENGINE.docker("run", "--rm", *options, self.image, "sh", "-c", "id -u; cat /proc/self/status").splitlines()
            self.assertEqual((user, f"CapEff:\t{'0' * 16}"), (said[0], *(line for line in said if line.startswith("CapEff:"))))

    def test_what_it_is_asked_is_a_command_of_orbweaver_or_a_program(self):
        self.assertIn("usage: orbweaver COMMAND", ENGINE.docker("run", "--rm", self.image))
        self.assertIn("usage: orbweaver crawl", ENGINE.docker("run", "--rm", self.image, "help", "crawl"))
        listed = ENGINE.docker("run", "--rm", self.image, "strategy", "list")
        self.assertIn("breadth_first", listed)
        self.assertIn("\npython ", listed)
        self.assertIn("usage: orbweaver-spider", ENGINE.docker("run", "--rm", self.image, "orbweaver-spider", "--help"))


    def test_it_has_programs_what_they_load_and_little_else(self):
        files = files_in(self.image)
        for needed in ("opt/orbweaver/bin/orbweaver", "opt/orbweaver/bin/entry", "usr/bin/tini", "etc/ssl/certs/ca-certificates.crt"):
            self.assertIn(needed, files)
        commands = {pathlib.PurePath(file).name for file in files if file.startswith("usr/bin/")}
        self.assertEqual(set(COMMANDS), commands)
        self.assertEqual([], [file for file in files if re.search(r"(^|/)(apt|dpkg-query|perl[0-9.]*|gcc.*|clang.*|.*\.a|.*\.h)$", file)])

    def test_it_says_what_it_is_and_what_it_consists_of(self):
        labels = json.loads(ENGINE.docker("image", "inspect", self.image))[0]["Config"]["Labels"]
        version = re.search(r"project\([^)]*VERSION (\d+\.\d+\.\d+)", (ROOT / "CMakeLists.txt").read_text())[1]
        self.assertEqual(version, labels["org.opencontainers.image.version"])
        self.assertEqual({"title", "description", "version", "revision"}, {name.removeprefix("org.opencontainers.image.") for name in labels})
        bill = json.loads(ENGINE.docker("run", "--rm", self.image, "/usr/bin/cat", "/usr/share/doc/orbweaver/sbom.spdx.json"))
        self.assertEqual("SPDX-2.3", bill["spdxVersion"])
        packages = {one["name"]: one for one in bill["packages"]}
        self.assertEqual(version, packages["orbweaver"]["versionInfo"])
        run = subprocess.run([ROOT / "deploy/deps/packages", "run", "container", "python"], capture_output=True, text=True, check=True).stdout.split()
        self.assertLessEqual({*run, "ada-url", "selectolax", "publicsuffixlist"}, set(packages))
        for one in bill["packages"]:
            self.assertRegex(one["versionInfo"], r"^[0-9]")
            self.assertRegex(one["externalRefs"][0]["referenceLocator"], r"^pkg:(generic|pypi|deb/debian)/[^@]+@[^@]+$")
        named = {relation["relatedSpdxElement"] for relation in bill["relationships"]}
        self.assertEqual({one["SPDXID"] for one in bill["packages"]}, named)
        # Each library is of a package that is named: by the machine on which the image was made all are known to dpkg.
        status = {pathlib.PurePath(file).name for file in files_in(self.image) if file.startswith("var/lib/dpkg/status.d/")}
        self.assertEqual(status, {one["name"] for one in bill["packages"] if "pkg:deb" in one["externalRefs"][0]["referenceLocator"]})

    def test_it_is_small(self):
        size = json.loads(ENGINE.docker("image", "inspect", self.image))[0]["Size"]
        print(f"the image with Python: {size / 1e6:.1f} MB", flush=True)
        self.assertLess(size, MOST_BYTES["python"])


def files_in(image):
    """Their paths, without folders."""
    container = ENGINE.docker("create", image).strip()
    try:
        names = subprocess.run(f"{ENGINE.client} export {container} | tar -t", shell=True, env=ENGINE.environment, capture_output=True, text=True,
                               check=True).stdout.splitlines()
        return [name for name in names if not name.endswith("/")]
    finally:
        ENGINE.docker("rm", container)


class WithoutPython(unittest.TestCase):
    """The variant of the image for those who want no interpreter in it."""

    @classmethod
    def setUpClass(cls):
        tag = f"test-without-python-{os.getpid()}"
        cls.addClassCleanup(images.remove_all, ENGINE, tag)
        images.build_orbweaver(ENGINE, BUILD_DIR, tag, PYTHON="")
        cls.image = f"orbweaver:{tag}"

    def test_it_says_that_strategies_in_python_are_not_in_it_and_what_to_do(self):
        done = subprocess.run([ENGINE.client, "run", "--rm", self.image, "strategy", "list"], env=ENGINE.environment, capture_output=True, text=True)
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertIn("breadth_first", done.stdout)
        self.assertNotIn("python", done.stdout)
        self.assertRegex(done.stderr, "strategies in Python are not in this installation.*built without `--build-arg PYTHON=`")

    def test_nothing_of_python_is_in_it(self):
        self.assertEqual([], [file for file in files_in(self.image) if re.search(r"(^|/)(libpython.*|strategy\.py|python\.so)$", file)])

    def test_it_is_smaller(self):
        size = json.loads(ENGINE.docker("image", "inspect", self.image))[0]["Size"]
        print(f"the image without Python: {size / 1e6:.1f} MB", flush=True)
        self.assertLess(size, MOST_BYTES["none"])


if __name__ == "__main__":
    run_on_an_engine(globals())
