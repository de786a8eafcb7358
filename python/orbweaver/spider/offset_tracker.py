"""Turns outcomes that come in any order into the one offset that may be committed."""

from __future__ import annotations

from collections import deque
from typing import Deque, Set


class OffsetTracker:
    """One a partition, from its assignment to its end. Not thread-safe."""

    def __init__(self, first: int) -> None:
        """`first` is the partition's committed offset: no offset that begins is below it."""
        # Everything below this is finished. Never moves back.
        self.committable = first
        # Behind the last that began.
        self.next = first
        self._open: Deque[int] = deque()  # ascending; the first is unfinished
        self._finished: Set[int] = set()  # among them

    def begin(self, offset: int) -> None:
        """Offsets begin in ascending order. A gap counts as finished: the log holds nothing there."""
        if offset < self.next:
            raise ValueError(f"offset {offset} begins after {self.next - 1}")
        if not self._open:
            self.committable = offset
        self._open.append(offset)
        self.next = offset + 1

    def finish(self, offset: int) -> None:
        """The offset has begun, and has its outcome in the spider log."""
        self._finished.add(offset)
        while self._open and self._open[0] in self._finished:
            self._finished.remove(self._open.popleft())
        self.committable = self._open[0] if self._open else self.next
