"""The Debian package, on a bare Debian 12: python3 package_test.py CPACK BUILD_DIR

Exit code 77 where no bare Debian can be made.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import images
from run import run

ROOT = images.ROOT
sys.path.insert(0, str(ROOT / "tests/e2e"))
from small_site import Site  # noqa: E402

SKIPPED = 77
README_CRAWLS = re.compile(r"^(?:\./run|orbweaver) crawl https://example\.org/([^#\n]*)", re.M)


def make_package(folder):
    run([CPACK, "--config", f"{BUILD_DIR}/CPackConfig.cmake", "-B", folder], env={**os.environ, "SOURCE_DATE_EPOCH": "1700000000"})
    package, = folder.glob("*.deb")
    return package


class Package(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(dir="/var/tmp")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        cls.package = make_package(cls.folder / "first")

    def field(self, name):
        return run(["dpkg-deb", "--field", self.package, name]).strip()

    def test_name_and_version_are_the_projects(self):
        version = re.search(r"^project\(orbweaver VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text(), re.M)[1]
        self.assertEqual(version, self.field("Version"))
        self.assertEqual(f"orbweaver_{version}_{self.field('Architecture')}.deb", self.package.name)

    def test_the_same_programs_make_the_same_package(self):
        self.assertEqual(self.package.read_bytes(), make_package(self.folder / "second").read_bytes())

    def test_it_depends_on_the_libraries_that_the_programs_link_and_on_the_authorities(self):
        depends = dict(re.findall(r"([a-z0-9.+-]+)(?: \(>= ([^)]+)\))?", self.field("Depends")))
        listed = set(run([ROOT / "deploy/deps/packages", "run", "python"]).split())
        # Debian names that one by the library that it is built with.
        self.assertEqual(listed, {name.removesuffix("-fmt9") for name in depends})
        self.assertTrue(depends["libc6"])

    def test_it_has_programs_strategies_pages_completions_and_examples(self):
        files = {line.split()[-1] for line in run(["dpkg-deb", "--contents", self.package]).splitlines()}
        for file in ("bin/orbweaver", "bin/orbweaver-spider", "lib/orbweaver/strategies/breadth_first.so", "share/man/man1/orbweaver-crawl.1.gz",
                     "share/bash-completion/completions/orbweaver", "share/zsh/vendor-completions/_orbweaver",
                     "share/fish/vendor_completions.d/orbweaver.fish", "share/doc/orbweaver/examples/spider.yaml"):
            self.assertIn(f"./usr/{file}", files)


class BareDebian(unittest.TestCase):
    """A bare Debian 12 in a folder, in which the package is installed by apt as its users do."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(dir="/var/tmp")
        cls.addClassCleanup(folder.cleanup)
        cls.root = pathlib.Path(folder.name) / "root"
        cls.root.mkdir()
        run(["tar", "-C", cls.root, "-xf", images.base_tar()])
        shutil.copy(make_package(pathlib.Path(folder.name) / "package"), cls.root / "tmp/x.deb")
        shutil.copy("/etc/resolv.conf", cls.root / "etc/resolv.conf")
        cls.inside("apt-get -qq update && DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends /tmp/x.deb")

    @classmethod
    def inside(cls, line, user="0"):
        # Processes and mounts of a name space of their own: nothing of them stays.
        return run(["unshare", "--mount", "--pid", "--fork", "--kill-child", f"--mount-proc={cls.root}/proc", "chroot", cls.root,
                    "setpriv", "--reuid", user, "--regid", user, "--clear-groups",
                    "env", "-i", "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "sh", "-ec", line])

    def test_the_crawl_of_the_readme(self):
        options = max(README_CRAWLS.findall((ROOT / "README.md").read_text()), key=len)
        self.assertIn("--out pages", options)
        site = Site({"/": "<a href=/a>a</a>", "/a": "a"})
        self.addCleanup(site.close)
        said = self.inside(f"mkdir -m 777 -p /tmp/user; cd /tmp/user; orbweaver crawl {site.url('/')} {options} --delay 10ms"
                           f" --set network.allow_networks=127.0.0.0/8 --set network.ports={site.port}; ls pages", user="1000")
        self.assertEqual(["/robots.txt", "/", "/a"], site.paths())
        self.assertIn(".warc.gz", said)

    def test_strategies_and_workers(self):
        self.assertIn("breadth_first", self.inside("orbweaver strategy list"))
        for worker in ("spider", "strategy-worker", "db-worker"):
            self.inside(f"orbweaver-{worker} --help")

    def test_z_it_can_be_removed_again(self):
        self.inside("apt-get -qq purge -y orbweaver")
        self.assertEqual([], [str(path) for path in self.root.glob("usr/**/*orbweaver*")])


if __name__ == "__main__":
    CPACK, BUILD_DIR = sys.argv[1:3]
    if os.geteuid() != 0 or not shutil.which("debootstrap"):
        print("skipped: a bare Debian is made by root, with debootstrap")
        sys.exit(SKIPPED)
    unittest.main(argv=sys.argv[:1] + sys.argv[3:], verbosity=2)
