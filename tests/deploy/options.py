"""The programs of a build, asked what they make of a configuration."""

import json
import os
import pathlib
import re
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
CONFIG = ROOT / "deploy/config"
WORKERS = ("spider", "strategy-worker", "db-worker")
# Where the image has deploy/config/.
CONFIG_IN_IMAGE = "/etc/orbweaver/"


def program(name):
    """Its path in the build, `orbweaver` or that of a worker, by the variables that CTest sets."""
    return os.environ[name.upper().replace("-", "_") + "_PROGRAM"]


def ours(variables):
    """Those that are options of ours; texts, as an environment has them."""
    return {name: str(value) for name, value in variables.items() if name.startswith("ORBWEAVER_") and "__" in name}


def effective(arguments, variables):
    """Option -> value for a process with these arguments and variables, checked against all options that there are. The arguments are
    those of a container: the program comes first, files are where the image has them."""
    files = [value.replace(CONFIG_IN_IMAGE, f"{CONFIG}/") for before, value in zip(arguments, arguments[1:]) if before == "--config"]
    words = [word for file in files for word in ("--config", file)]
    words += [word for before, value in zip(arguments, arguments[1:]) if before == "--set" for word in (before, value)]
    done = subprocess.run([program("orbweaver"), "config", "show", "--json", *words], env={"PATH": os.environ["PATH"], **ours(variables)},
                          capture_output=True, text=True, timeout=60)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(arguments)}: {done.stderr}")
    return {name: option["value"] for name, option in json.loads(done.stdout).items()}


def effective_in_file(text, variables):
    """The same for a process whose file has this text."""
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
        file.write(text)
        file.flush()
        return effective(["--config", file.name], variables)


def options_of(worker):
    """The names that this worker reads."""
    shown = subprocess.run([program(f"orbweaver-{worker}"), "--help"], capture_output=True, text=True, timeout=60, check=True).stdout
    return set(re.findall(r"^  ([a-z_]+\.[a-z_.]+):", shown, re.M))


def seconds(duration):
    number, unit = re.fullmatch(r"(\d+)(ms|s|m|h|d)", duration).groups()
    return int(number) * {"ms": 0.001, "s": 1, "m": 60, "h": 3600, "d": 86400}[unit]
