"""A disk that is really full: a small one of its own, or the small /dev/shm that containers have."""

import os
import pathlib
import subprocess
import tempfile

# Runs the words behind it with a small disk of its own as the folder that it is given.
WITH_DISK = 'mount -t tmpfs -o size="$1" small "$2" && shift 2 && exec "$@"'


def can_mount():
    """Whether this process may have mounts of its own: a container need not be let."""
    return subprocess.run(["unshare", "-rm", "mount", "-t", "tmpfs", "small", "/mnt"], capture_output=True).returncode == 0


def small_disk(test, folder):
    """A folder on a disk that a file can fill, and words that a command has to be run with, then the disk's size and the folder; None: no words."""
    if can_mount():
        disk = folder / "disk"
        disk.mkdir()
        return disk, ["unshare", "-rm", "sh", "-c", WITH_DISK, "sh"]
    room = os.statvfs("/dev/shm")
    test.assertLess(room.f_blocks * room.f_frsize, 300 << 20, "neither mounts of one's own nor a small /dev/shm: no disk to fill")
    made = tempfile.TemporaryDirectory(dir="/dev/shm")
    test.addCleanup(made.cleanup)
    return pathlib.Path(made.name), None
