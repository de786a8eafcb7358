"""The commits of a consumer group, byte for byte.

Kafka clients on librdkafka are given a commit's metadata without its length, and so with whatever stands behind it in memory where
its writer did not end it with a zero byte. A judge must not be wrong about that: this asks the broker itself, OffsetFetch version 1,
without TLS and SASL.
"""

from __future__ import annotations

import socket
import struct
from dataclasses import dataclass
from typing import Dict, Iterable, Tuple

_OFFSET_FETCH, _FIND_COORDINATOR = 9, 10
# COORDINATOR_LOAD_IN_PROGRESS, COORDINATOR_NOT_AVAILABLE, NOT_COORDINATOR.
_LATER = (14, 15, 16)


class NotNow(OSError):
    """The group's coordinator is being changed: ask again."""


@dataclass(frozen=True)
class GroupCommit:
    """`offset` is -1 where nothing was committed."""

    offset: int
    metadata: bytes


class GroupCommits:
    """Asks the coordinator of one group. Not thread-safe."""

    def __init__(self, brokers: str, group: str, timeout: float = 10.0) -> None:
        """Finds the coordinator, waiting for it where the group's log is still being made. OSError when that fails."""
        self._group = group
        self._timeout = timeout
        self._socket = self._connect(*address_of(brokers))
        body = _Answer(self._ask(_FIND_COORDINATOR, _text(group)))
        while body.int16() == 15:  # COORDINATOR_NOT_AVAILABLE
            body = _Answer(self._ask(_FIND_COORDINATOR, _text(group)))
        body.int32()
        host, port = body.text().decode(), body.int32()
        self._socket.close()
        self._socket = self._connect(host, port)

    def __enter__(self) -> "GroupCommits":
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()

    def read(self, topic: str, partitions: Iterable[int]) -> Dict[int, GroupCommit]:
        """OSError when the broker does not answer, or with an error."""
        numbers = list(partitions)
        asked = struct.pack(f">i{len(numbers)}i", len(numbers), *numbers)
        answer = _Answer(self._ask(_OFFSET_FETCH, _text(self._group) + struct.pack(">i", 1) + _text(topic) + asked))
        found: Dict[int, GroupCommit] = {}
        for _ in range(answer.int32()):
            answer.text()
            for _ in range(answer.int32()):
                partition, offset, metadata, error = answer.int32(), answer.int64(), answer.text(), answer.int16()
                if error in _LATER:
                    raise NotNow(f"the coordinator of {self._group} is not there now: error {error}")
                if error:
                    raise OSError(f"read the commits of {self._group}: error {error} for partition {partition}")
                found[partition] = GroupCommit(offset, metadata)
        return found

    def _connect(self, host: str, port: int) -> socket.socket:
        return socket.create_connection((host, port), self._timeout)

    def _ask(self, key: int, body: bytes) -> bytes:
        version = 1 if key == _OFFSET_FETCH else 0
        request = struct.pack(">hhi", key, version, 1) + _text("spider-check") + body
        self._socket.sendall(struct.pack(">i", len(request)) + request)
        (size,) = struct.unpack(">i", self._receive(4))
        return self._receive(size)[4:]

    def _receive(self, size: int) -> bytes:
        received = b""
        while len(received) < size:
            part = self._socket.recv(size - len(received))
            if not part:
                raise ConnectionResetError("the broker has closed the connection")
            received += part
        return received


class _Answer:
    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def _take(self, form: str) -> int:
        (value,) = struct.unpack_from(form, self._data, self._at)
        self._at += struct.calcsize(form)
        return int(value)

    def int16(self) -> int:
        return self._take(">h")

    def int32(self) -> int:
        return self._take(">i")

    def int64(self) -> int:
        return self._take(">q")

    def text(self) -> bytes:
        size = max(0, self.int16())
        self._at += size
        return self._data[self._at - size:self._at]


def _text(value: str) -> bytes:
    return struct.pack(">h", len(value.encode())) + value.encode()


def address_of(brokers: str) -> Tuple[str, int]:
    """Of the first one. OSError when it is no HOST:PORT."""
    host, _, port = brokers.split(",")[0].rpartition(":")
    if not host or not port.isdigit() or int(port) > 65535:
        raise OSError(f"{brokers!r} is not HOST:PORT")
    return host.strip("[]"), int(port)
