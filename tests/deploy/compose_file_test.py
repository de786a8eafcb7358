"""docker-compose.yml, .env.example and the images, as far as they can be judged without an engine."""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

import yaml

from options import CONFIG, CONFIG_IN_IMAGE, ROOT, WORKERS, effective, ours, program, seconds

COMPOSE = ROOT / "docker-compose.yml"
IMAGES = {"orbweaver": ROOT / "deploy/docker/orbweaver/Dockerfile", "service": ROOT / "deploy/docker/service/Dockerfile"}


def variables_of(file):
    """NAME=VALUE lines."""
    return dict(line.split("=", 1) for line in file.read_text().splitlines() if line and not line.startswith("#"))


def services(**variables):
    """As compose reads them: merged, and with the defaults of variables that are not given."""
    text = re.sub(r"\$\{([A-Z_]+):-([^}]*)\}", lambda found: variables.get(found[1], found[2]), COMPOSE.read_text())
    return yaml.safe_load(text)["services"]


class ComposeFile(unittest.TestCase):
    def test_env_example_has_every_variable_and_its_default(self):
        in_compose = dict(re.findall(r"\$\{([A-Z_]+):-([^}]*)\}", COMPOSE.read_text()))
        self.assertEqual(in_compose, variables_of(ROOT / ".env.example"))
        self.assertLess(10, len(in_compose))
        # Other forms have no default, and compose warns of them at every command.
        self.assertEqual([], re.findall(r"\$\{[A-Z_]+(?!:-)[^A-Z_][^}]*\}", COMPOSE.read_text()))

    def test_the_demos_variables_exist(self):
        known = {*variables_of(ROOT / ".env.example"), "COMPOSE_PROFILES"}
        self.assertLessEqual(set(variables_of(ROOT / "deploy/docker/demo.env")), known)

    def test_options_and_files_are_good_with_and_without_the_demo(self):
        for variables in ({}, variables_of(ROOT / "deploy/docker/demo.env")):
            checked = 0
            for name, service in services(**variables).items():
                if service["image"].startswith("orbweaver:"):
                    effective([str(word) for word in service["command"]], service.get("environment", {}))
                    checked += 1
            self.assertEqual(7, checked)

    def test_health_checks_and_published_ports_are_those_of_the_configuration(self):
        for name in WORKERS:
            service = services()[name]
            values = effective(service["command"], service["environment"])
            self.assertEqual("0.0.0.0", values["admin.listen"])
            self.assertEqual([f"127.0.0.1::{values['admin.port']}"], service["ports"])
            self.assertEqual(f"http://127.0.0.1:{values['admin.port']}/readyz", service["healthcheck"]["test"][-1])
            self.assertLess(seconds(values["stop.deadline"]), seconds(service["stop_grace_period"]))

    def test_nothing_is_published_beyond_this_machine(self):
        for name, service in services().items():
            for port in service.get("ports", []):
                self.assertTrue(port.startswith("127.0.0.1:"), f"{name}: {port}")

    def test_every_container_of_ours_is_confined(self):
        for name, service in services().items():
            if name != "grafana":
                self.assertTrue(service["read_only"], name)
                self.assertEqual(["ALL"], service["cap_drop"], name)

    def test_volumes_are_named_or_in_this_tree(self):
        text = yaml.safe_load(COMPOSE.read_text())
        for name, service in text["services"].items():
            for volume in service.get("volumes", []):
                source = volume.split(":")[0]
                self.assertTrue((ROOT / source).exists() if source.startswith("./") else source in text["volumes"], f"{name}: {volume}")

    def test_a_strategy_in_python_beside_the_configuration_is_loaded(self):
        """As docs/deployment.md says it: a file in the folder that is mounted, named where the container has it."""
        self.assertIn(f"`module: {CONFIG_IN_IMAGE}NAME.py`", (ROOT / "docs/deployment.md").read_text())
        service = services()["strategy-worker"]
        (source, mode), = [(source, mode) for source, target, mode in (volume.split(":") for volume in service["volumes"])
                           if target == CONFIG_IN_IMAGE.rstrip("/")]
        self.assertEqual((CONFIG, "ro"), ((ROOT / source).resolve(), mode))
        with tempfile.TemporaryDirectory() as folder:
            mounted = pathlib.Path(folder) / "mounted"
            shutil.copytree(ROOT / source, mounted)
            worker = pathlib.Path(service["command"][service["command"].index("--config") + 1])
            file = mounted / worker.relative_to(CONFIG_IN_IMAGE)
            text = file.read_text().replace("  name: breadth_first\n", "  name: python\n")
            text = text.replace("  params:\n", f"  params:\n    module: {CONFIG_IN_IMAGE}mine.py\n")
            file.write_text(text.replace(CONFIG_IN_IMAGE, f"{mounted}/"))
            check = [program("orbweaver"), "config", "check", "--config", file]
            environment = {"PATH": os.environ["PATH"], **ours(service["environment"])}
            missing = subprocess.run(check, env=environment, capture_output=True, text=True, timeout=60)
            self.assertEqual(2, missing.returncode)
            self.assertIn("mine.py", missing.stderr)
            shutil.copy(ROOT / "python/examples/breadth_first.py", mounted / "mine.py")
            there = subprocess.run(check, env=environment, capture_output=True, text=True, timeout=60)
            self.assertEqual(0, there.returncode, there.stderr)


class Images(unittest.TestCase):
    def test_all_begin_with_the_one_base(self):
        for file in IMAGES.values():
            for base in re.findall(r"^FROM (\S+)", file.read_text(), re.M):
                self.assertIn(base, ("debian:bookworm-slim", "${PROGRAMS}", "${JARS}", "scratch"))

    def test_the_version_is_the_projects(self):
        version = re.search(r"project\([^)]*VERSION (\d+\.\d+\.\d+)", (ROOT / "CMakeLists.txt").read_text())[1]
        for file in IMAGES.values():
            self.assertIn(f"\nARG VERSION={version}\n", file.read_text())

    def test_none_runs_as_root(self):
        self.assertIn("\nUSER 10001:10001\n", IMAGES["service"].read_text().split("\nFROM ")[-1])
        # The other one has its working directory's owner, by its entry point; in a cluster it is given the user.
        self.assertIn('ENTRYPOINT ["tini", "--", "entry"]', IMAGES["orbweaver"].read_text())
        for name, service in services().items():
            if service["image"].startswith("orbweaver:"):
                self.assertEqual("10001:10001", service["user"], name)
                self.assertNotIn("entrypoint", service, name)

    def test_the_package_list_has_what_the_programs_link_and_no_more(self):
        programs = [program(name) for name in ("orbweaver", "orbweaver-synthetic-web", *(f"orbweaver-{worker}" for worker in WORKERS))]
        libraries = set()
        for file in programs:
            shown = subprocess.run(["llvm-readelf-19", "--needed-libs", file], capture_output=True, text=True, check=True).stdout
            libraries |= {line.strip() for line in shown.splitlines() if ".so" in line}
        owners = subprocess.run(["dpkg-query", "-S", *(f"*/{library}" for library in libraries)], capture_output=True, text=True, check=True).stdout
        found = {}
        for line in owners.splitlines():
            package, _, path = line.partition(": ")
            found.setdefault(pathlib.PurePath(path).name, set()).add(package.split(":")[0])
        listed = set(subprocess.run([ROOT / "deploy/deps/packages", "run"], capture_output=True, text=True, check=True).stdout.split())
        listed.remove("ca-certificates")
        for library in libraries:
            self.assertTrue(found[library] & listed, f"{library} is in {found[library]}: add it to the section `run` of deploy/deps/debian.txt")
        for package in listed:
            self.assertTrue(any(package in packages for packages in found.values()), f"{package} is in the section `run` and nothing links it")


if __name__ == "__main__":
    unittest.main()
