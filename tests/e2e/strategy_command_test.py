"""`orbweaver strategy` as its users call it: python3 strategy_command_test.py PROGRAM LIBRARIES"""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

PROGRAM = ""
LIBRARIES = ""  # those that the host's own tests load
BUILT_IN = {"breadth_first", "depth_first", "discovery", "indegree", "keyword", "larger_sites_first", "opic", "random", "recrawl"}


def run(*args):
    return subprocess.run([PROGRAM, "strategy", *args], capture_output=True, text=True, timeout=60)


class StrategyCommand(unittest.TestCase):
    def test_list_names_every_built_in(self):
        done = run("list")
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertLessEqual(BUILT_IN, {line.split()[0] for line in done.stdout.splitlines()})
        self.assertEqual({20}, {line.index(line.split(maxsplit=1)[1]) for line in done.stdout.splitlines()}, "one column")

    def test_list_as_json_is_an_object_a_line(self):
        done = run("list", "--json")
        self.assertLessEqual(BUILT_IN, {json.loads(line)["name"] for line in done.stdout.splitlines()})

    def test_an_installation_without_python_says_so_and_what_to_do(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            ours, theirs = pathlib.Path(PROGRAM).resolve().parents[1] / "lib/orbweaver/strategies", root / "lib/orbweaver/strategies"
            theirs.mkdir(parents=True)
            for library in ours.glob("*.so"):
                if library.name != "python.so":
                    (theirs / library.name).symlink_to(library)
            (root / "bin").mkdir()
            program = shutil.copy(PROGRAM, root / "bin")
            (root / "own.py").write_text("")

            def told(*args):
                done = subprocess.run([program, *args], cwd=root, capture_output=True, text=True, timeout=60)
                return done.returncode, done.stdout, done.stderr

            why = "strategies in Python are not in this installation, which was made without Python. Use one that has it: "
            code, out, warning = told("strategy", "list")
            self.assertEqual((0, BUILT_IN - {"python"}), (code, {line.split()[0] for line in out.splitlines()}))
            self.assertIn(why, warning)
            self.assertNotIn(why, run("list").stderr)
            for command in (("strategy", "describe", "own.py"), ("strategy", "test", "own.py"), ("crawl", "http://localhost/", "--strategy", "own.py")):
                code, out, error = told(*command)
                self.assertIn(code, (1, 2), command)
                self.assertIn(why, error)
            self.assertFalse((root / "crawl-data").exists())

    def test_describe_says_type_bounds_default_and_meaning(self):
        done = run("describe", "discovery")
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertIn("max_pages: an integer from 0 to 1000000000000; default 100\n      Requests for", done.stdout)

    def test_describe_as_json_has_every_parameter(self):
        described = json.loads(run("describe", "keyword", "--json").stdout)
        self.assertTrue(described["needs_body"])
        by_name = {parameter["name"]: parameter for parameter in described["parameters"]}
        self.assertEqual({"name": "min_score", "type": "number", "default": "0.05", "min": 0, "max": 1,
                          "doc": by_name["min_score"]["doc"]}, by_name["min_score"])
        self.assertNotIn("min", by_name["terms"])

    def test_describe_without_a_name_takes_the_configured_one(self):
        self.assertTrue(run("describe", "--set", "strategy.name=opic").stdout.startswith("opic: "))
        self.assertTrue(run("describe").stdout.startswith("breadth_first: "))

    def test_describe_takes_a_path(self):
        path = json.loads(run("describe", "random", "--json").stdout)["path"]
        self.assertTrue(run("describe", path).stdout.startswith("random: "))

    def test_of_several_in_one_library_the_one_that_is_named_is_described(self):
        several = run("describe", f"{LIBRARIES}/two_in_one.so")
        self.assertEqual(1, several.returncode)
        self.assertIn(f"it holds 2 strategies: wide, deep. Name one of them, as {LIBRARIES}/two_in_one.so#wide", several.stderr)
        deep = json.loads(run("describe", f"{LIBRARIES}/two_in_one.so#deep", "--json").stdout)
        self.assertEqual(("deep", 3, True, ["depth"]),
                         (deep["name"], deep["version"], deep["needs_body"], [parameter["name"] for parameter in deep["parameters"]]))

    def test_one_that_was_built_against_an_older_sdk_is_described(self):
        self.assertIn("golden: As it was built against ABI 1.0\n", run("describe", f"{LIBRARIES}/golden_1_0.so").stdout)

    def test_a_description_follows_what_is_configured(self):
        self.assertIn("of_tea: an integer", run("describe", f"{LIBRARIES}/by_parameters.so", "--set", "strategy.params.script=tea").stdout)
        self.assertIn("it refuses what is configured: no script is set.", run("describe", f"{LIBRARIES}/by_parameters.so").stderr)

    def test_a_misspelled_name_is_told_the_nearest(self):
        done = run("describe", "discvery")
        self.assertEqual(1, done.returncode)
        self.assertIn("Did you mean 'discovery'?", done.stderr)

    def test_a_broken_library_does_not_hide_the_others(self):
        path = json.loads(run("describe", "random", "--json").stdout)["path"]
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run(["cp", path, folder], check=True)
            with open(f"{folder}/broken.so", "w", encoding="utf-8") as broken:
                broken.write("no library")
            done = run("list", "--set", f"strategy.directory={folder}")
            self.assertEqual(1, done.returncode)
            self.assertTrue(done.stdout.startswith("random "))
            self.assertIn("'broken'", done.stderr)

    def test_an_empty_folder_is_told(self):
        with tempfile.TemporaryDirectory() as folder:
            done = run("list", "--set", f"strategy.directory={folder}")
            self.assertEqual(1, done.returncode)
            self.assertIn("Set strategy.directory", done.stderr)

    def test_wrong_arguments_are_usage(self):
        for args in ([], ["nonsense"], ["list", "more"], ["describe", "a", "b"], ["describe", "--loud"]):
            self.assertEqual(2, run(*args).returncode, args)
        self.assertEqual(0, run("--help").returncode)


if __name__ == "__main__":
    PROGRAM, LIBRARIES = sys.argv.pop(1), sys.argv.pop(1)
    unittest.main()
