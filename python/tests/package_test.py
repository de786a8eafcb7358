"""The package as it is installed: its wheel, its syntax, its metadata. package_test.py needs no network."""
import package_environment as environment

import ast
import importlib
import os
import re
import subprocess
import sys
import tempfile
import unittest
import zipfile

import orbweaver

SOURCES = sorted((environment.PACKAGE / "orbweaver").rglob("*.py"))


class Package(unittest.TestCase):
    def test_every_file_is_python_3_9(self):
        self.assertGreater(len(SOURCES), 5)
        for path in SOURCES:
            ast.parse(path.read_text(), str(path), feature_version=(3, 9))

    def test_its_version_is_that_of_the_program(self):
        project = (environment.ROOT / "CMakeLists.txt").read_text()
        self.assertEqual(re.search(r"project\(\s*orbweaver\b[^)]*?VERSION ([\d.]+)", project, re.S)[1], orbweaver.__version__)

    def test_the_wheel_has_every_file_and_says_that_it_is_typed(self):
        backend = importlib.import_module("flit_core.buildapi")
        with tempfile.TemporaryDirectory() as folder:
            here = os.getcwd()
            os.chdir(environment.PACKAGE)
            self.addCleanup(os.chdir, here)
            wheel = os.path.join(folder, backend.build_wheel(folder))
            with zipfile.ZipFile(wheel) as archive:
                names = set(archive.namelist())
                metadata = archive.read(f"orbweaver-{orbweaver.__version__}.dist-info/METADATA").decode()
            for path in [*SOURCES, *(environment.PACKAGE / "orbweaver").rglob("*.pyi"), environment.PACKAGE / "orbweaver/py.typed"]:
                self.assertIn(str(path.relative_to(environment.PACKAGE)), names)
            self.assertIn("Requires-Python: >=3.9", metadata)
            self.assertIn("py3-none-any", wheel)
            # Out of the wheel alone, with the messages' runtime and nothing else.
            code = ("import sys; sys.path[:0] = sys.argv[1:]; import orbweaver.messages as m, orbweaver.partition as p;"
                    "print(m.__file__.startswith(sys.argv[1]), p.partition_of('example.com', 64))")
            path = environment.PACKAGES if environment.PACKAGES.exists() else os.path.dirname(os.path.dirname(os.path.dirname(
                importlib.import_module("google.protobuf").__file__)))
            out = subprocess.run([sys.executable, "-I", "-c", code, wheel, str(path)], capture_output=True, text=True)
            self.assertEqual("True 57\n", out.stdout, out.stderr)


if __name__ == "__main__":
    unittest.main()
