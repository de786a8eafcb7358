"""`./run demo`, as far as it is not set-up: python3 demo_test.py DEMO PROGRAMS"""
import json
import pathlib
import signal
import subprocess
import sys
import tempfile
import unittest

DEMO = PROGRAMS = ""
PATIENCE_S = 240


class Demo(unittest.TestCase):
    def start(self, *options):
        # The programs write to the same pipes: these end only when all three have ended.
        process = subprocess.Popen([sys.executable, DEMO, "--programs", PROGRAMS, *options], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                   text=True)
        self.addCleanup(process.kill)
        return process

    def at_work(self):
        process = self.start("--hosts", "100", "--pages", "100")
        out = ""
        while "crawling for" not in out:
            line = process.stdout.readline()
            self.assertTrue(line, out)
            out += line
        return process

    def test_says_that_all_was_crawled(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        recording = pathlib.Path(folder.name, "rec")
        process = self.start("--hosts", "30", "--pages", "4", "--record", str(recording))
        out, _ = process.communicate(timeout=PATIENCE_S)
        self.assertEqual(0, process.returncode, out)
        self.assertIn("Ended: nothing is left.", out)
        self.assertIn("exactly what could be reached, and politely", out)
        self.assertNotIn("has no bound", out)
        self.assertIn("Its console was at", out)
        self.assertIn(f"recorded in {recording}", out)
        self.assertEqual("5%", json.loads((recording / "manifest.json").read_text())["configuration"]["strategy_worker.explore"])

    def test_ctrl_c_ends_the_crawl_and_the_web(self):
        process = self.at_work()
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=PATIENCE_S)
        self.assertEqual(130, process.returncode, out)
        self.assertIn("Ended: it was stopped.", out)
        self.assertIn("nothing to compare", out)

    def test_killed_it_leaves_no_program_behind(self):
        process = self.at_work()
        process.kill()
        process.communicate(timeout=PATIENCE_S)

    def test_a_folder_that_exists_is_not_written_into(self):
        process = self.start("--keep", ".")
        out, _ = process.communicate(timeout=PATIENCE_S)
        self.assertEqual(2, process.returncode)
        self.assertIn("--keep .: it exists", out)


if __name__ == "__main__":
    DEMO, PROGRAMS = sys.argv[1:3]
    unittest.main(argv=sys.argv[:1], verbosity=2)
