"""The few Thrift2 calls that the smoke test needs, written out in Thrift's binary protocol: a second opinion that shares
nothing with our C++ client. Field numbers are those of HBase's hbase.thrift.

A struct is a list of (field, type, value); what is read back is a dict by field number.
"""

import socket
import struct

BOOL, I32, BYTES, STRUCT, LIST = 2, 8, 11, 12, 15
FIXED = {BOOL: ">?", 3: ">b", 4: ">d", 6: ">h", I32: ">i", 10: ">q"}

COMPRESSION = {"none": 2, "lz4": 4, "zstd": 6}
FAMILY = b"f"


class Thrift2:
    """One connection to the Thrift2 port; closed by `with`."""

    def __init__(self, address, timeout_s=60):
        host, port = address.rsplit(":", 1)
        self.socket = socket.create_connection((host, int(port)), timeout_s)
        self.file = self.socket.makefile("rb")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.file.close()
        self.socket.close()

    def create_table(self, table, compression):
        family = [(1, BYTES, FAMILY), (6, I32, COMPRESSION[compression])]
        self._call("createTable", [(1, STRUCT, [(1, STRUCT, [(2, BYTES, table)]), (2, LIST, (STRUCT, [family]))])])

    def put(self, table, rows):
        """`rows` are (row, qualifier, value); acknowledged when this returns."""
        puts = [[(1, BYTES, row), (2, LIST, (STRUCT, [[(1, BYTES, FAMILY), (2, BYTES, name), (3, BYTES, value)]]))]
                for row, name, value in rows]
        self._call("putMultiple", [(1, BYTES, table), (2, LIST, (STRUCT, puts))])

    def get(self, table, row):
        """{qualifier: value} of the row, empty when there is none."""
        return _cells(self._call("get", [(1, BYTES, table), (2, STRUCT, [(1, BYTES, row)])]))

    def scan(self, table, limit):
        """{row: {qualifier: value}} of the first `limit` rows."""
        found = self._call("getScannerResults", [(1, BYTES, table), (2, STRUCT, []), (3, I32, limit)])
        return {row[1]: _cells(row) for row in found}

    def _call(self, method, arguments):
        name = method.encode()
        self.socket.sendall(struct.pack(">Ii", 0x80010001, len(name)) + name + struct.pack(">i", 0) +
                            _encode(STRUCT, arguments))
        kind = self._fixed(">I") & 0xFF
        self._bytes()
        self._fixed(">i")
        answer = self._value(STRUCT)
        if kind != 2 or any(field != 0 for field in answer):
            raise RuntimeError(f"{method}: {answer}")
        return answer.get(0)

    def _fixed(self, form):
        return struct.unpack(form, self._exactly(struct.calcsize(form)))[0]

    def _bytes(self):
        return self._exactly(self._fixed(">i"))

    def _exactly(self, count):
        data = self.file.read(count)
        if len(data) != count:
            raise ConnectionError("the Thrift2 server closed the connection")
        return data

    def _value(self, kind):
        if kind in FIXED:
            return self._fixed(FIXED[kind])
        if kind == BYTES:
            return self._bytes()
        if kind == LIST:
            of = self._fixed(">b")
            return [self._value(of) for _ in range(self._fixed(">i"))]
        if kind != STRUCT:
            raise ValueError(f"Thrift type {kind} is not among those that the calls above answer with")
        fields = {}
        while (of := self._fixed(">b")) != 0:
            field = self._fixed(">h")
            fields[field] = self._value(of)
        return fields


def _cells(result):
    return {cell[2]: cell[3] for cell in result.get(2, [])}


def _encode(kind, value):
    if kind in FIXED:
        return struct.pack(FIXED[kind], value)
    if kind == BYTES:
        return struct.pack(">i", len(value)) + value
    if kind == LIST:
        of, items = value
        return struct.pack(">bi", of, len(items)) + b"".join(_encode(of, item) for item in items)
    return b"".join(struct.pack(">bh", of, field) + _encode(of, item) for field, of, item in value) + b"\0"
