"""Gets a service's jars from Maven Central and compiles its Java main, once, into the cache outside the build tree."""

import contextlib
import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent


class Failure(Exception):
    """A failure and its remedy, for the user."""


def say(text):
    print(f"services: {text}", file=sys.stderr, flush=True)


def cache_dir():
    base = os.environ.get("ORBWEAVER_CACHE")
    if base:
        return Path(base).absolute()
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache").absolute() / "orbweaver"


@contextlib.contextmanager
def locked(path):
    """Holds the file's lock, which the kernel frees when this process dies, and says when it has to wait for it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "a+") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say(f"waiting for another `services` command that holds {path}")
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def tool(name):
    home = os.environ.get("JAVA_HOME")
    found = shutil.which(name, path=f"{home}/bin") if home else None
    found = found or shutil.which(name)
    if not found:
        package = "maven" if name == "mvn" else "openjdk-17-jdk-headless"
        raise Failure(f"start services: `{name}` is not installed. Run `./run setup`, or: sudo apt-get install {package}")
    return found


def class_path(service):
    """The class path of `service` ("kafka" or "hbase"), fetched and compiled first when the cache does not have it."""
    pom = HERE / service / "pom.xml"
    sources = [HERE / "Readiness.java", *sorted((HERE / service).glob("*.java"))]
    jars = cache_dir() / "jars" / f"{service}-{_hash([pom])}"
    classes = cache_dir() / "jars" / f"{service}-main-{_hash([pom, *sources])}"
    if not (jars.is_dir() and classes.is_dir()):
        with locked(cache_dir() / "jars" / "lock"):
            _make(jars, f"fetching {service}'s jars through Maven (about 100 MB, once)",
                  lambda out: [tool("mvn"), "-B", "-q", "-f", pom, "dependency:copy-dependencies",
                               f"-DoutputDirectory={out}", "-DincludeScope=runtime"])
            _make(classes, f"compiling {service}'s main",
                  lambda out: [tool("javac"), "-cp", f"{jars}/*", "-d", out, *sources])
    return f"{classes}:{jars}/*"


def _hash(files):
    digest = hashlib.sha256()
    for file in files:
        digest.update(file.read_bytes())
    return digest.hexdigest()[:12]


def _make(folder, what, command):
    """Fills `folder` by `command(out)`; it appears whole or not at all."""
    if folder.is_dir():
        return
    partial = folder.with_name(folder.name + ".partial")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    arguments = command(partial)
    say(what)
    done = subprocess.run(arguments, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, errors="replace")
    if done.returncode != 0:
        tail = "\n".join(done.stdout.splitlines()[-15:])
        raise Failure(f"{what}: {arguments[0]} failed. It said:\n{tail}\n"
                      "Maven Central, or the mirror in ~/.m2/settings.xml, must be reachable.")
    partial.rename(folder)
