"""orbweaver-synthetic-web as others use it: its ready line, its proxy, its log, its last line and its exit code.

Run by CTest; by hand: python3 program_test.py PROGRAM
"""
import http.client
import json
import pathlib
import signal
import subprocess
import sys
import tempfile
import unittest

PROGRAM = sys.argv.pop()


def run(*args):
    return subprocess.run([PROGRAM, *args], capture_output=True, text=True, timeout=60)


class Served:
    """The program while it serves; `end` is its last line."""

    def __init__(self, *args):
        self.process = subprocess.Popen([PROGRAM, *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def __enter__(self):
        self.ready = json.loads(self.process.stdout.readline())
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.stop(signal.SIGKILL)

    def get(self, url):
        connection = http.client.HTTPConnection("127.0.0.1", self.ready["port"], timeout=60)
        connection.request("GET", url)
        response = connection.getresponse()
        body = response.read()
        connection.close()
        return response.status, body

    def stop(self, number):
        self.process.send_signal(number)
        out, _ = self.process.communicate(timeout=60)
        self.end = json.loads(out) if out else None
        return self.process.returncode


class Program(unittest.TestCase):
    WEB = ["--hosts", "40", "--pages", "8", "--links", "10", "--page-bytes", "2000", "--faults",
           "redirect,duplicates,robots-rules,no-such-host", "--gone-pages", "0.1"]

    def test_crawling_exactly_what_it_expects_passes_its_check(self):
        expected = [line.split(" ") for line in run(*self.WEB, "--expected").stdout.splitlines()]
        outcomes = {outcome for outcome, _ in expected}
        self.assertLessEqual({"page", "gone", "redirected", "robots", "no-such-host"}, outcomes)
        with tempfile.TemporaryDirectory() as folder, Served(*self.WEB, "--check", "--log", f"{folder}/log") as web:
            seen = set()
            for outcome, url in expected:
                if outcome in ("robots", "no-such-host"):
                    continue
                robots = url.split("/", 3)
                robots = "/".join(robots[:3]) + "/robots.txt"
                if robots not in seen:
                    web.get(robots)
                    seen.add(robots)
                status, _ = web.get(url)
                if outcome == "page":
                    self.assertEqual(status, 200, url)
                seen.add(url)
            self.assertEqual(web.stop(signal.SIGTERM), 0, web.end)
            self.assertTrue(web.end["check"]["equal"])
            self.assertTrue(web.end["politeness"]["polite"])
            self.assertEqual(web.end["stats"]["requests"], len(seen))
            lines = pathlib.Path(folder, "log").read_text().splitlines()
            self.assertEqual({line.split("\t")[8] for line in lines}, seen)

    def test_a_crawl_that_forgot_something_fails_the_check(self):
        with Served(*self.WEB, "--check") as web:
            self.assertEqual(web.stop(signal.SIGINT), 1)
            self.assertGreater(web.end["check"]["missing"]["count"], 0)

    def test_the_same_options_give_the_same_web(self):
        self.assertEqual(run(*self.WEB, "--expected").stdout, run(*self.WEB, "--expected").stdout)
        self.assertNotEqual(run(*self.WEB, "--expected").stdout, run(*self.WEB, "--seed", "2", "--expected").stdout)

    def test_files_are_written_before_it_is_ready(self):
        with tempfile.TemporaryDirectory() as folder:
            with Served(*self.WEB, "--ca", f"{folder}/ca", "--hosts-file", f"{folder}/hosts") as web:
                self.assertIn("BEGIN CERTIFICATE", pathlib.Path(folder, "ca").read_text())
                self.assertIn(" h0.site0.test\n", pathlib.Path(folder, "hosts").read_text())
                self.assertEqual(web.stop(signal.SIGTERM), 0)

    def test_wrong_arguments_are_named(self):
        for args in (["--host", "3"], ["--hosts", "x"], ["--hosts"], ["--faults", "hum"]):
            result = run(*args)
            self.assertEqual(result.returncode, 2, args)
            self.assertIn(args[-1] if args[0] == "--faults" else args[0], result.stderr)
        self.assertEqual(run("--hosts", "0", "--expected").returncode, 1)
        self.assertIn("--faulty-pages", run("--help").stdout)


if __name__ == "__main__":
    unittest.main()
