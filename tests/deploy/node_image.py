"""Images for containerd, made without an engine: archives of one layer, as `docker save` writes them."""

import hashlib
import io
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile

from run import run

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "deploy/local"))
import install  # noqa: E402

STRATEGY = "localhost/strategy:1"
JAVA = "usr/lib/jvm/java-17-openjdk-amd64"
# Of the machine, beside our own: those that the image's entry and `helm test` call, and those with which one looks around.
PROGRAMS = ("tini", "sh", "id", "stat", "setpriv", "cat", "ls", "curl")
LINKS = {"bin": "usr/bin", "lib": "usr/lib", "lib64": "usr/lib64"}
FOLDERS = ("usr/bin", "usr/lib", "usr/lib64", "etc/ssl/certs", "opt", "out", "proc", "sys", "dev", "tmp", "run", "var/lib/orbweaver")
LIBRARY = re.compile(r"(?:=> )?(/\S+) \(0x")


def orbweaver(build_dir, folder, tags):
    """An archive of this tree's programs, which is started as the Dockerfile's image is: under each of the tags."""
    root = _bare(folder / "orbweaver")
    for component in ("programs", "demo"):
        run(["cmake", "--install", build_dir, "--prefix", root / "opt/orbweaver", "--component", component, "--strip"])
    # As the Dockerfile with PYTHON= does.
    shutil.rmtree(root / "opt/orbweaver/lib/orbweaver/python", ignore_errors=True)
    (root / "opt/orbweaver/lib/orbweaver/strategies/python.so").unlink(missing_ok=True)
    shutil.copy(ROOT / "deploy/docker/orbweaver/entry", root / "opt/orbweaver/bin/entry")
    shutil.copy("/etc/ssl/certs/ca-certificates.crt", root / "etc/ssl/certs")
    (root / "etc/passwd").write_text("root:x:0:0::/:/bin/sh\norbweaver:x:10001:10001::/:/bin/sh\n")
    (root / "etc/nsswitch.conf").write_text("hosts: files dns\n")
    for program in PROGRAMS:
        shutil.copy(shutil.which(program), root / "usr/bin")
    _copy_libraries(root)
    return _archive(root, [f"localhost/orbweaver:{tag}" for tag in tags],
                    {"Entrypoint": ["tini", "--", "entry"], "Cmd": ["--help"], "WorkingDir": "/out",
                     "Env": ["PATH=/opt/orbweaver/bin:/usr/bin"]})


def service(name, folder, tags):
    """Kafka or HBase, as deploy/docker/service/Dockerfile makes it: jars of the cache, and of this machine's Java what a JRE has."""
    root = _bare(folder / name)
    classes, jars = install.class_path(name).split(":")
    shutil.copytree(classes, root / "opt/service/classes")
    shutil.copytree(jars.removesuffix("/*"), root / "opt/service/lib")
    for place in (ROOT / "deploy/local" / name, ROOT / "deploy/docker/service" / name):
        shutil.copytree(place, root / "opt/service/conf", dirs_exist_ok=True)
    run([ROOT / "deploy/docker/service/configure", root / "opt/service/conf"])
    shutil.copy(ROOT / "deploy/docker/service/healthy", root / "usr/bin")
    for part in ("lib", "conf"):
        shutil.copytree(pathlib.Path("/") / JAVA / part, root / JAVA / part, ignore_dangling_symlinks=True, ignore=shutil.ignore_patterns("src.zip", "ct.sym"))
    (root / JAVA / "bin").mkdir()
    shutil.copy(f"/{JAVA}/bin/java", root / JAVA / "bin")
    (root / "etc/passwd").write_text("root:x:0:0::/:/bin/sh\nservice:x:10001:10001::/:/bin/sh\n")
    (root / "etc/nsswitch.conf").write_text("hosts: files dns\n")
    # The first four are the image's own, the others are called by Hadoop.
    for program in ("tini", "sh", "rm", "sleep", "bash", "chmod", "cp", "groups", "id", "ln", "ls", "mkdir", "mv", "readlink", "stat", "uname", "whoami"):
        shutil.copy(shutil.which(program), root / "usr/bin")
    _copy_libraries(root)
    # Native parts of jars, which nothing sees there, are linked with these.
    for library in ("libdl.so.2", "libpthread.so.0", "librt.so.1", "libm.so.6"):
        shutil.copy(pathlib.Path("/lib/x86_64-linux-gnu") / library, root / "lib/x86_64-linux-gnu")
    return _archive(root, [f"localhost/orbweaver-{name}:{tag}" for tag in tags],
                    {"Entrypoint": ["tini", "--", "java", "@/opt/service/conf/java.options"], "WorkingDir": "/data",
                     "Env": [f"PATH=/usr/bin:/{JAVA}/bin", "ADVERTISED_HOST=kafka"]})


def strategy(library, folder, name):
    """An image with one strategy's library in /strategies, and `cp`."""
    root = _bare(folder / "strategy")
    (root / "strategies").mkdir()
    shutil.copy(library, root / "strategies" / name)
    shutil.copy(shutil.which("cp"), root / "usr/bin")
    _copy_libraries(root)
    return _archive(root, [STRATEGY], {"Env": ["PATH=/usr/bin"]})


def pause(folder):
    """The container that holds a pod's namespaces."""
    root = _bare(folder / "pause")
    for program in ("tini", "sleep"):
        shutil.copy(shutil.which(program), root / "usr/bin")
    _copy_libraries(root)
    return _archive(root, ["localhost/pause:1"], {"Entrypoint": ["tini", "--", "sleep", "infinity"], "Env": ["PATH=/usr/bin"]})


def _bare(root):
    for name in FOLDERS:
        (root / name).mkdir(parents=True)
    for link, target in LINKS.items():
        (root / link).symlink_to(target)
    return root


def _copy_libraries(root):
    """All that programs and plug-ins load."""
    binaries = [path for path in root.rglob("*") if path.is_file() and not path.is_symlink() and path.open("rb").read(4) == b"\x7fELF"]
    # ldd says "not a dynamic executable" of some, and goes on.
    said = subprocess.run(["ldd", *binaries], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
    for library in sorted(set(LIBRARY.findall(said))):
        if library.startswith(str(root)):
            continue
        place = root / library.lstrip("/")
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(library, place)


def _archive(root, names, config):
    def plain(entry):
        entry.uid = entry.gid = entry.mtime = 0
        entry.uname = entry.gname = ""
        if entry.name in ("tmp", "out"):
            entry.mode = 0o1777
        return entry

    layer = root.with_suffix(".layer")
    with tarfile.open(layer, "w") as tar:
        for name in sorted(path.name for path in root.iterdir()):
            tar.add(root / name, name, filter=plain)
    shutil.rmtree(root)
    with layer.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    description = json.dumps({"architecture": "amd64", "os": "linux", "config": config, "rootfs": {"type": "layers", "diff_ids": [f"sha256:{digest}"]}})
    manifest = [{"Config": "config.json", "RepoTags": names, "Layers": ["layer.tar"]}]
    archive = root.with_suffix(".tar")
    with tarfile.open(archive, "w") as tar:
        for name, text in (("config.json", description), ("manifest.json", json.dumps(manifest))):
            entry = tarfile.TarInfo(name)
            entry.size = len(text)
            tar.addfile(entry, io.BytesIO(text.encode()))
        tar.add(layer, "layer.tar", filter=plain)
    layer.unlink()
    return archive
