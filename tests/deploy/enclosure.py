"""Namespaces of their own for a test that would change the machine: it runs again within them, and with them all goes that it has started.

Processes, mounts and network are the kernel's to take away, however the test ends. Left for here are its folder and its cgroups.
"""

import ctypes
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

MARK = "ORBWEAVER_ENCLOSURE"
PR_SET_PDEATHSIG = 1
LAST_PROCESS_S = 60
# Written by kubelet though they are the whole machine's: what it reads and writes within are files of the test's own.
SYSCTLS = ("vm/overcommit_memory", "vm/panic_on_oom", "kernel/panic", "kernel/panic_on_oops", "kernel/keys/root_maxkeys", "kernel/keys/root_maxbytes")
UNSHARE = ("unshare", "--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc")


def folder():
    """The test's folder; None outside."""
    path = os.environ.get(MARK)
    return pathlib.Path(path) if path else None


def obstacle():
    """Why there cannot be one here; None if nothing is in the way."""
    if os.geteuid() != 0:
        return "only root can make namespaces and cgroups"
    if not _hierarchies():
        return "no cgroups are mounted"
    if not shutil.which("tini"):
        return "there is no `tini`"
    done = subprocess.run([*UNSHARE, "true"], capture_output=True, text=True)
    return done.stderr.strip() or None


def cgroup():
    """The name of the test's group in each hierarchy."""
    return folder().name


def run_within(*words):
    """Runs `words` within; their exit code."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    path = pathlib.Path(tempfile.mkdtemp(prefix="orbweaver-node-", dir="/var/tmp"))
    groups = [hierarchy / path.name for hierarchy in _hierarchies()]
    try:
        for group in groups:
            group.mkdir()
            _inherit_cpus(group)
        # tini as the first process reaps what others leave behind.
        process = subprocess.Popen([*UNSHARE, "tini", "--", *map(str, words)], env={**os.environ, MARK: str(path), "TMPDIR": str(path)},
                                   preexec_fn=_end_with_parent)
        try:
            return process.wait()
        finally:
            process.kill()
            process.wait()
    finally:
        for group in groups:
            _remove_group(group)
        shutil.rmtree(path)


def settle(address):
    """Called once, within: hides what is shared with the machine, takes the address, and lets packets pass between pods."""
    _call("ip", "link", "set", "lo", "up")
    _call("ip", "address", "add", f"{address}/32", "dev", "lo")
    pathlib.Path("/proc/sys/net/ipv4/ip_forward").write_text("1")
    for number, name in enumerate(SYSCTLS):
        file = folder() / f"sysctl-{number}"
        file.write_text(pathlib.Path("/proc/sys", name).read_text())
        _call("mount", "--bind", file, f"/proc/sys/{name}")
    for place in ("/run", "/var/log"):
        _call("mount", "-t", "tmpfs", "tmpfs", place)
    above, work = folder() / "var-lib", folder() / "var-lib-work"
    above.mkdir()
    work.mkdir()
    _call("mount", "-t", "overlay", "overlay", "-o", f"lowerdir=/var/lib,upperdir={above},workdir={work}", "/var/lib")


def _hierarchies():
    lines = pathlib.Path("/proc/self/mountinfo").read_text().splitlines()
    return [pathlib.Path(line.split()[4]) for line in lines if line.split(" - ")[1].split()[0] in ("cgroup", "cgroup2")]


def _remove_group(group):
    below = [place for place in group.rglob("*") if place.is_dir()]
    for one in [*sorted(below, key=lambda place: -len(place.parts)), *([group] if group.exists() else [])]:
        deadline = time.monotonic() + LAST_PROCESS_S
        while True:
            try:
                one.rmdir()
                break
            except OSError:  # a process in it was killed, and is not gone yet
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.1)


def _inherit_cpus(group):
    """A cpuset of version 1 is born without any."""
    for name in ("cpuset.cpus", "cpuset.mems"):
        own = group / name
        if own.exists() and not own.read_text().strip():
            own.write_text((group.parent / name).read_text())


def _call(*words):
    subprocess.run([str(word) for word in words], check=True)


def _end_with_parent():
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def this_program_again():
    """As `run_within`, of this very program with its arguments."""
    return run_within(sys.executable, *sys.orig_argv[1:])
