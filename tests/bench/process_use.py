"""The use of a running process so far, as its kernel counts it."""

import os
import pathlib
import re

TICKS = os.sysconf("SC_CLK_TCK")
WRITTEN = re.compile(r"^write_bytes: (\d+)$", re.MULTILINE)
PEAK = re.compile(r"^VmHWM:\s+(\d+) kB$", re.MULTILINE)
WAITED = re.compile(r"^voluntary_ctxt_switches:\s+(\d+)$", re.MULTILINE)


def cpu_s(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def resident_mb(pid):
    pages = int(pathlib.Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def peak_resident_mb(pid):
    return int(PEAK.search(pathlib.Path(f"/proc/{pid}/status").read_text())[1]) * 1024 / 1e6


def written_kb(pid):
    """Written to disks by the kernel for it, files included that were deleted soon."""
    return int(WRITTEN.search(pathlib.Path(f"/proc/{pid}/io").read_text())[1]) / 1000


def wake_ups(pid):
    """How often its threads have waited and were woken; those of threads that ended are not among them."""
    count = 0
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        try:
            count += int(WAITED.search((task / "status").read_text())[1])
        except OSError:  # it has just ended
            continue
    return count


class Use:
    """All of them at one moment; the difference of two is the use between them."""

    def __init__(self, pid):
        self.cpu_s, self.written_kb, self.wake_ups = cpu_s(pid), written_kb(pid), wake_ups(pid)

    def since(self, earlier):
        difference = object.__new__(Use)
        difference.cpu_s = self.cpu_s - earlier.cpu_s
        difference.written_kb = self.written_kb - earlier.written_kb
        difference.wake_ups = self.wake_ups - earlier.wake_ups
        return difference
