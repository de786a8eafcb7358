"""A process of ours that outlives the command that started it.

It is found by words on its command line that no other process has, so there is no pid file that could be stale, and it
is signalled through a handle, so that nothing but it is ever hit.
"""

import contextlib
import os
import select
import signal
import subprocess
from pathlib import Path

from install import say

STOP_DEADLINE_S = 30
LOG_KEPT_BYTES = 64 << 20


class OwnProcess:
    """`marks`: words that stand on its command line, all of them. Its output is appended to `log`."""

    def __init__(self, name, log, marks):
        self.name = name
        self.log = log
        self.marks = [mark.encode() for mark in marks]
        self.process = None  # when this very command launched it

    def pid(self):
        """The process id of the running process, or None."""
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit() and self._is_ours(int(entry.name)):
                return int(entry.name)
        return None

    def _is_ours(self, pid):
        try:
            words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
        except OSError:
            return False
        return all(mark in words for mark in self.marks)

    def spawn(self, command, folder):
        """Starts it in a session of its own, so that the caller's Ctrl-C and pipes have no part in it."""
        if self.log.exists() and self.log.stat().st_size > LOG_KEPT_BYTES:
            self.log.replace(self.log.with_suffix(".log.1"))
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=folder,
                                            start_new_session=True)

    def ended(self):
        # A process that was launched a moment ago may not show its command line yet.
        return self.process.poll() is not None if self.process else self.pid() is None

    def tail(self):
        with open(self.log, "rb") as log:
            log.seek(max(0, self.log.stat().st_size - 16384))
            return "\n".join(log.read().decode(errors="replace").splitlines()[-20:])

    def send(self, how):
        """Sends the signal `how`. False when none ran."""
        with self._pinned() as handle:
            if handle is not None:
                signal.pidfd_send_signal(handle, how)
            return handle is not None

    @contextlib.contextmanager
    def _pinned(self):
        """A handle of the running process, whose id so cannot pass to another one; None when there is none."""
        handle = None
        try:
            pid = self.pid()
            if pid is not None:
                with contextlib.suppress(ProcessLookupError):
                    handle = os.pidfd_open(pid)
            # Looked at again now that the handle pins it.
            yield handle if handle is not None and self._is_ours(pid) else None
        finally:
            if handle is not None:
                os.close(handle)

    def stop(self, how, deadline_s=STOP_DEADLINE_S):
        """Sends the signal `how` and waits for the end; SIGKILL when that does not do. False when none ran.

        With None it sends nothing and waits for the end of what was told to stop before.
        """
        with self._pinned() as handle:
            if handle is None:
                self._reap()
                return False
            if how is not None:
                signal.pidfd_send_signal(handle, how)
            signal.pidfd_send_signal(handle, signal.SIGCONT)  # a frozen one hears nothing else
            if not select.select([handle], [], [], deadline_s)[0]:
                say(f"{self.name} did not stop in {deadline_s} s, killing it")
                signal.pidfd_send_signal(handle, signal.SIGKILL)
                select.select([handle], [], [])
        self._reap()
        return True

    def _reap(self):
        # It has ended: nobody waits for it but this command, if it is the parent.
        if self.process is not None:
            self.process.wait()
