"""The programs as they are installed, for a user who knows nothing of this tree: python3 install_test.py CMAKE BUILD_DIR"""

import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest

from small_site import Site
from synthetic_web import PATIENCE_S

CMAKE = BUILD_DIR = ""
SYSTEM = "/usr/bin:/bin"


def options_of(help_text):
    """Those that have a line of their own, read otherwise than the program reads them."""
    return set(re.findall(r"^ {2,}(?:-\w, )?(--[a-z][a-z-]*)", help_text, re.M))


class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.prefix = pathlib.Path(folder.name) / "a prefix"
        cls.elsewhere = pathlib.Path(folder.name) / "elsewhere"
        cls.elsewhere.mkdir()
        # Some tests become another user.
        os.chmod(folder.name, 0o755)
        cls.elsewhere.chmod(0o777)
        subprocess.run([CMAKE, "--install", BUILD_DIR, "--prefix", cls.prefix, "--component", "programs"], check=True, capture_output=True)

    def shell(self, line, code=0):
        """The output of a line in a shell that has nothing but a PATH with the installed programs on it."""
        done = subprocess.run(["/bin/bash", "-c", line], cwd=self.elsewhere, env={"PATH": f"{self.prefix}/bin:{SYSTEM}", "LC_ALL": "C.UTF-8"},
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE_S)
        self.assertEqual(code, done.returncode, f"{line}\n{done.stdout}{done.stderr}")
        return done

    def commands(self):
        listed = self.shell("orbweaver --help").stdout.partition("\nCommands:\n")[2]
        names = re.findall(r"^  ([a-z-]+) ", listed, re.M)
        self.assertIn("crawl", names)
        return names


class Programs(Installed):
    def test_a_crawl(self):
        site = Site({"/": "<a href=/a>a</a>", "/a": "a"})
        self.addCleanup(site.close)
        local = f"--delay 10ms --set network.allow_networks=127.0.0.0/8 --set network.ports={site.port}"
        self.shell(f"orbweaver crawl {site.url('/')} --out out {local}")
        self.assertEqual(["/robots.txt", "/", "/a"], site.paths())
        self.assertTrue(list((self.elsewhere / "out").glob("*.warc.gz")))

    def test_an_output_folder_of_somebody_else_is_refused_before_anything_is_made(self):
        closed = self.elsewhere / "closed"
        closed.mkdir(mode=0o555)
        # Root may write anywhere, so it becomes nobody.
        nobody = "setpriv --reuid 65534 --regid 65534 --clear-groups " if os.geteuid() == 0 else ""
        said = self.shell(f"{nobody}orbweaver crawl http://127.0.0.1:1/ --data mine --out closed/pages", code=2).stderr
        self.assertRegex(said, r"write to \S+/closed/pages as user \d+: Permission denied: \S+/closed belongs to user \d+\. Choose")
        self.assertFalse((self.elsewhere / "mine").exists())

    def test_each_strategy_that_came_with_it_loads(self):
        names = {file.stem for file in (self.prefix / "lib/orbweaver/strategies").glob("*.so")}
        listed = self.shell("orbweaver strategy list").stdout
        self.assertEqual(names, {line.split()[0] for line in listed.splitlines()})
        self.assertIn("breadth_first", names)
        for name in names:
            self.shell(f"orbweaver strategy describe {name}")

    def test_a_link_to_the_program_is_enough(self):
        link = self.elsewhere / "weave"
        link.symlink_to(self.prefix / "bin/orbweaver")
        self.assertIn("breadth_first", self.shell("./weave strategy list").stdout)

    def test_workers_start(self):
        for worker in ("spider", "strategy-worker", "db-worker"):
            self.assertIn(f"usage: orbweaver-{worker}", self.shell(f"orbweaver-{worker} --help").stdout)


class BareCommands(Installed):
    def test_nothing_lists_the_commands(self):
        said = self.shell("orbweaver", code=2)
        self.assertEqual(self.shell("orbweaver --help").stdout, said.stderr)
        self.assertIn("orbweaver crawl https://", said.stderr)

    def test_help_of_a_command(self):
        for command in self.commands():
            text = self.shell(f"orbweaver {command} --help").stdout
            self.assertTrue(text.startswith(f"usage: orbweaver {command}"), text)
            self.assertEqual(text, self.shell(f"orbweaver help {command}").stdout)

    def test_what_is_misspelled_is_guessed(self):
        self.assertIn("Did you mean 'crawl'?", self.shell("orbweaver carwl", code=2).stderr)
        self.assertIn("Did you mean 'crawl'?", self.shell("orbweaver help carwl", code=2).stderr)
        self.assertIn("did you mean --delay?", self.shell("orbweaver crawl --dleay 3s", code=2).stderr)
        self.assertIn("option '--delay' lacks its value: TIME", self.shell("orbweaver crawl --delay", code=2).stderr)

    def test_a_url_alone_is_told_its_command(self):
        self.assertIn("orbweaver crawl https://example.org/", self.shell("orbweaver https://example.org/", code=2).stderr)

    def test_version(self):
        for word in ("version", "--version", "-V"):
            self.assertRegex(self.shell(f"orbweaver {word}").stdout, r"^orbweaver \d+\.\d+\.\d+ ")


class Manual(Installed):
    def pages(self):
        return {file.name.removesuffix(".1.gz"): file for file in (self.prefix / "share/man/man1").iterdir()}

    def test_there_is_a_page_for_each_program_and_command(self):
        expected = {file.name for file in (self.prefix / "bin").iterdir()} | {f"orbweaver-{command}" for command in self.commands()}
        self.assertEqual(expected, set(self.pages()))

    def test_pages_render_and_have_each_option(self):
        for name, file in self.pages().items():
            command = name.removeprefix("orbweaver-") if name.removeprefix("orbweaver-") in self.commands() else ""
            done = self.shell(f"MANWIDTH=400 man --warnings -l {shlex.quote(str(file))}")
            self.assertEqual("", done.stderr, name)
            for section in ("NAME", "SYNOPSIS", "DESCRIPTION", "SEE ALSO"):
                self.assertRegex(done.stdout, rf"(?m)^{section}$", name)
            if command:
                options = set(re.findall(r"^ +(?:-\w, )?(--[a-z][a-z-]*)", done.stdout, re.M))
                self.assertLessEqual(options_of(self.shell(f"orbweaver {command} --help").stdout), options, name)

    def test_man_finds_them_by_the_path_alone(self):
        self.assertIn("orbweaver-crawl", self.shell("man -w orbweaver-crawl").stdout)


class Completions(Installed):
    FILES = {"bash": "bash-completion/completions/orbweaver", "zsh": "zsh/site-functions/_orbweaver", "fish": "fish/vendor_completions.d/orbweaver.fish"}

    def complete(self, line):
        """The completions that bash would offer with the cursor at the end of the line."""
        script = shlex.quote(str(self.prefix / "share" / self.FILES["bash"]))
        said = self.shell(f"""source {script}
            COMP_LINE={shlex.quote(line)} COMP_POINT={len(line)}
            _orbweaver orbweaver 2>/dev/null
            printf '%s\\n' "${{COMPREPLY[@]}}" """).stdout
        return set(said.split())

    def test_the_shells_that_are_here_can_read_theirs(self):
        read = [shell for shell in self.FILES if shutil.which(shell, path=SYSTEM)]
        self.assertIn("bash", read)
        for shell in self.FILES:
            script = self.prefix / "share" / self.FILES[shell]
            self.assertTrue(script.exists(), script)
            if shell in read:
                self.shell(f"{shell} -n {shlex.quote(str(script))}")

    def test_commands(self):
        self.assertEqual({*self.commands(), "help"}, self.complete("orbweaver "))
        self.assertEqual({"crawl"}, self.complete("orbweaver cra"))

    def test_each_option_of_each_help(self):
        for command in self.commands():
            options = options_of(self.shell(f"orbweaver {command} --help").stdout)
            offered = self.complete(f"orbweaver {command} --")
            self.assertEqual(options, options & offered, command)

    def test_values(self):
        self.assertEqual({"depth_first", "discovery"}, self.complete("orbweaver crawl --strategy d"))
        self.assertEqual({"spider.parse.engine="}, self.complete("orbweaver crawl --set spider.parse.eng"))
        # Bash itself replaces only what stands behind the sign.
        self.assertEqual({"scanner", "gumbo"}, self.complete("orbweaver crawl --set spider.parse.engine="))
        (self.elsewhere / "folder").mkdir()
        (self.elsewhere / "file").touch()
        self.assertEqual({"folder"}, self.complete("orbweaver crawl --data f"))
        self.assertEqual({"folder", "file"}, self.complete("orbweaver crawl --config=f"))


if __name__ == "__main__":
    CMAKE, BUILD_DIR = sys.argv[1:3]
    del sys.argv[1:3]
    unittest.main(verbosity=2)
