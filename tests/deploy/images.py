"""The images of docker-compose.yml, quickly: by their Dockerfiles, from what this build tree and the cache have already instead of from
sources and Maven Central. Users run the same but for the first stage."""

import os
import pathlib
import shutil
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "deploy/local"))
import install  # noqa: E402

from run import run  # noqa: E402

BASE = "debian:bookworm-slim"
SOURCES = """deb http://deb.debian.org/debian bookworm main
deb http://deb.debian.org/debian bookworm-updates main
deb http://deb.debian.org/debian-security bookworm-security main
"""


def build_all(engine, build_dir, tag):
    """orbweaver, orbweaver-kafka and orbweaver-hbase of this tag."""
    build_orbweaver(engine, build_dir, tag)
    with tempfile.TemporaryDirectory() as folder:
        stage = pathlib.Path(folder)
        for service in ("kafka", "hbase"):
            _stage_jars(service, stage / service / "opt/service")
            _import(engine, stage / service, f"orbweaver-jars-{service}:{tag}")
            _build(engine, tag, f"orbweaver-{service}", ROOT / "deploy", "deploy/docker/service/Dockerfile",
                   SERVICE=service, JARS=f"orbweaver-jars-{service}:{tag}")


def build_orbweaver(engine, build_dir, tag, **arguments):
    """`arguments` are further build arguments, PYTHON for one."""
    with tempfile.TemporaryDirectory() as folder:
        stage = pathlib.Path(folder)
        for component in ("programs", "demo"):
            run(["cmake", "--install", build_dir, "--prefix", stage / "programs/opt/orbweaver", "--component", component, "--strip"])
        _import(engine, stage / "programs", f"orbweaver-programs:{tag}")
        _build(engine, tag, "orbweaver", ROOT, "deploy/docker/orbweaver/Dockerfile", PROGRAMS=f"orbweaver-programs:{tag}",
               **arguments)


def remove_all(engine, tag):
    names = engine.docker("image", "ls", "--format", "{{.Repository}}:{{.Tag}}").split()
    for name in names:
        if name.endswith(f":{tag}"):
            engine.docker("image", "rm", name)


def build_prometheus(engine, tag):
    """Debian's, out of its package, where the one that docker-compose.yml names cannot be pulled."""
    dockerfile = f"""FROM {BASE}
RUN apt-get update && cd /tmp && apt-get download prometheus && dpkg-deb -x prometheus_*.deb x && mv x/usr/bin/prometheus /usr/bin/ && rm -rf x *.deb
RUN install -d -o 65534 -g 65534 /prometheus
USER 65534
ENTRYPOINT ["prometheus"]
"""
    name = f"orbweaver-prometheus:{tag}"
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "Dockerfile").write_text(dockerfile)
        engine.docker("build", "-t", name, folder)
    return name


def import_base(engine):
    """The base of all images: an engine of our own has none, and may not reach a registry."""
    engine.docker("import", base_tar(), BASE)


def base_tar():
    """A bare Debian 12, made by debootstrap once and kept in the cache."""
    tar = install.cache_dir() / "debian-bookworm-slim.tar"
    if not tar.exists():
        with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
            run(["debootstrap", "--variant=minbase", "bookworm", f"{folder}/root"])
            run(["chroot", f"{folder}/root", "apt-get", "clean"])
            root = pathlib.Path(folder) / "root"
            shutil.rmtree(root / "var/lib/apt/lists")
            (root / "etc/apt/sources.list").write_text(SOURCES)
            partial = tar.with_suffix(f".{os.getpid()}")
            run(["tar", "-C", root, "-cf", partial, "."])
            partial.rename(tar)
    return tar


def _stage_jars(service, folder):
    classes, jars = install.class_path(service).split(":")
    shutil.copytree(classes, folder / "classes")
    shutil.copytree(jars.removesuffix("/*"), folder / "lib")


def _import(engine, folder, name):
    tar = folder.with_suffix(".tar")
    run(["tar", "-C", folder, "--owner=0", "--group=0", "-cf", tar, "."])
    engine.docker("import", tar, name)
    tar.unlink()


def _build(engine, tag, name, context, dockerfile, **arguments):
    words = [word for key, value in arguments.items() for word in ("--build-arg", f"{key}={value}")]
    # BuildKit leaves out the stages that are not needed.
    environment = {**engine.environment, "DOCKER_BUILDKIT": "1"}
    run([engine.client, "build", "-q", "-f", ROOT / dockerfile, "-t", f"{name}:{tag}", *words, context], env=environment)
