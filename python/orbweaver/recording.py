"""Recordings of crawls (`orbweaver record`, docs/experiments.md). Needs the extra `arrow`: pip install 'orbweaver[arrow]'.

    recording = Recording("rec")
    table = recording.table("spider-log", columns=["url", "fetch_status"])
    for record in recording.records("spider-log"):
        kind, page = event(record.entry)
"""

from __future__ import annotations

import json
import pathlib
import zlib
from dataclasses import dataclass, field
from typing import Any, Dict, Iterator, List, Optional, Sequence, Tuple

from orbweaver.messages import decode

__all__ = ["DamagedRecording", "Record", "RecordedFile", "Recording"]

_FORMAT, _VERSION = "orbweaver-recording", 1
_BATCH_ROWS = 8192
_RAW = ["log_partition", "log_offset", "log_time", "raw_key", "raw_value", "raw_headers"]


class DamagedRecording(Exception):
    """A folder that is no recording, or a file that is not as the manifest says."""


@dataclass(frozen=True)
class RecordedFile:
    """A file of a recording: records of [first, end) of one partition's log."""

    path: pathlib.Path
    topic: str
    partition: int
    first: int
    end: int
    records: int
    raw_bytes: int
    bytes: int
    crc32: int

    def check(self) -> None:
        """Reads the file whole. DamagedRecording when it is not the one that was written."""
        crc, size = 0, 0
        try:
            with open(self.path, "rb") as file:
                while block := file.read(1 << 20):
                    crc = zlib.crc32(block, crc)
                    size += len(block)
        except OSError as failure:
            raise DamagedRecording(f"read {self.path}: {failure.strerror}") from failure
        if (size, crc) != (self.bytes, self.crc32):
            raise DamagedRecording(f"read {self.path}: {size} bytes with checksum {crc:08x}, the manifest says {self.bytes} with {self.crc32:08x}")


@dataclass(frozen=True)
class Record:
    """A record of a log as it was."""

    topic: str
    partition: int
    offset: int
    # Unix time in milliseconds at which it was written.
    time_ms: int
    key: Optional[bytes]
    value: bytes
    headers: Tuple[Tuple[str, Optional[bytes]], ...] = field(default=())

    @property
    def entry(self) -> Any:
        """The message in it, made anew with each use: SpiderLogEntry, ScoringLogEntry, SpiderFeedEntry. messages.DecodeError
        when it is none."""
        return decode(self.topic, self.value)


class Recording:
    """A finished recording, or one that is still written: what its manifest names, as of the opening.

    Reading it changes nothing, and several threads may.
    """

    def __init__(self, folder: "str | pathlib.Path") -> None:
        """DamagedRecording when `folder` holds no recording that this version can read."""
        self.folder = pathlib.Path(folder)
        path = self.folder / "manifest.json"
        try:
            manifest = json.loads(path.read_bytes())
        except FileNotFoundError:
            raise DamagedRecording(f"open recording {self.folder}: no manifest.json in it. `orbweaver crawl --record` makes one") from None
        except (OSError, ValueError) as failure:
            raise DamagedRecording(f"open recording {self.folder}: manifest.json: {failure}") from failure
        if not isinstance(manifest, dict) or manifest.get("format") != _FORMAT:
            raise DamagedRecording(f"open recording {self.folder}: manifest.json is of something else")
        if manifest.get("version") != _VERSION:
            raise DamagedRecording(f"open recording {self.folder}: version {manifest.get('version')}, this package reads {_VERSION}. Upgrade it")
        # As it stands in manifest.json: origin, configuration, gaps.
        self.manifest: Dict[str, Any] = manifest
        try:
            self._files = sorted((self._file(one) for one in manifest["files"]), key=lambda file: (file.topic, file.partition, file.first))
        except (KeyError, TypeError, ValueError) as failure:
            raise DamagedRecording(f"open recording {self.folder}: manifest.json: {failure!r}") from failure

    def _file(self, one: Dict[str, Any]) -> RecordedFile:
        path = self.folder / one["name"]
        if path.parent != self.folder:
            raise ValueError(f"{one['name']} is not a file in it")
        return RecordedFile(path, one["topic"], int(one["partition"]), int(one["first"]), int(one["end"]), int(one["records"]),
                            int(one["raw_bytes"]), int(one["bytes"]), int(one["crc32"], 16))

    @property
    def topics(self) -> List[str]:
        return sorted({file.topic for file in self._files})

    def files(self, topic: str) -> List[RecordedFile]:
        """By partition and offset. KeyError when nothing of this topic was recorded."""
        files = [file for file in self._files if file.topic == topic]
        if not files:
            raise KeyError(f"recording {self.folder} has nothing of {topic!r}; it has {', '.join(self.topics) or 'no files'}")
        return files

    def check(self) -> None:
        """Reads all files. DamagedRecording when one is not as it was written."""
        for file in self._files:
            file.check()

    def batches(self, topic: str, columns: Optional[Sequence[str]] = None, rows: int = _BATCH_ROWS) -> "Iterator[Any]":
        """pyarrow.RecordBatch after RecordBatch, in the order of each partition's log. Memory is one file's row group."""
        import pyarrow
        import pyarrow.parquet

        for file in self.files(topic):
            try:
                with pyarrow.parquet.ParquetFile(file.path) as opened:
                    seen = 0
                    for batch in opened.iter_batches(batch_size=rows, columns=list(columns) if columns is not None else None):
                        seen += batch.num_rows
                        yield batch
            except (OSError, pyarrow.ArrowException) as failure:
                raise DamagedRecording(f"read {file.path}: {failure}") from failure
            # Columns may be none, and then there are no rows either.
            if seen != file.records and columns != []:
                raise DamagedRecording(f"read {file.path}: {seen} records, the manifest says {file.records}")

    def table(self, topic: str, columns: Optional[Sequence[str]] = None) -> Any:
        """All of a topic as one pyarrow.Table, with all columns or these; docs/experiments.md says what they mean."""
        import pyarrow
        import pyarrow.parquet

        tables = []
        for file in self.files(topic):
            try:
                table = pyarrow.parquet.read_table(file.path, columns=list(columns) if columns is not None else None, partitioning=None)
            except (OSError, pyarrow.ArrowException) as failure:
                raise DamagedRecording(f"read {file.path}: {failure}") from failure
            if table.num_rows != file.records and columns != []:
                raise DamagedRecording(f"read {file.path}: {table.num_rows} records, the manifest says {file.records}")
            tables.append(table)
        return pyarrow.concat_tables(tables)

    def records(self, topic: str) -> Iterator[Record]:
        """Each record as it was, in the order of each partition's log."""
        for batch in self.batches(topic, _RAW):
            partitions, offsets, times, keys, values, headers = (batch.column(name) for name in _RAW)
            # A timestamp as it is stored, without a datetime for each.
            times = times.cast("int64")
            for row in zip(partitions.to_pylist(), offsets.to_pylist(), times.to_pylist(), keys.to_pylist(), values.to_pylist(),
                           headers.to_pylist()):
                yield Record(topic, row[0], row[1], row[2], row[3], row[4] or b"", _headers(row[5]))


def _headers(stored: Any) -> Tuple[Tuple[str, Optional[bytes]], ...]:
    return tuple((one["name"].decode("utf-8", "replace"), one["value"]) for one in stored) if stored else ()
