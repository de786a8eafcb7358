"""One cell put into HBase by its Thrift2 server, without a client library: what a program of ours would refuse to write."""

import socket
import struct

VERSION_1_CALL = 0x80010001
STOP, I64, STRING, STRUCT, LIST = 0, 10, 11, 12, 15


def put(host, port, table, row, column, value, version, family=b"f"):
    cell = b"".join([_field(STRING, 1, _text(family)), _field(STRING, 2, _text(column)), _field(STRING, 3, _text(value)),
                     _field(I64, 4, struct.pack(">q", version)), bytes([STOP])])
    row_put = _field(STRING, 1, _text(row)) + _field(LIST, 2, struct.pack(">Bi", STRUCT, 1) + cell) + bytes([STOP])
    arguments = _field(STRING, 1, _text(table.encode())) + _field(STRUCT, 2, row_put) + bytes([STOP])
    with socket.create_connection((host, port), 60) as server:
        server.sendall(struct.pack(">I", VERSION_1_CALL) + _text(b"put") + struct.pack(">i", 1) + arguments)
        # A reply's header, and an empty struct: nothing went wrong.
        expected = struct.pack(">I", 0x80010002) + _text(b"put") + struct.pack(">i", 1) + bytes([STOP])
        answer = b""
        while len(answer) < len(expected):
            part = server.recv(len(expected) - len(answer))
            if not part:
                break
            answer += part
    if answer != expected:
        raise AssertionError(f"put into {table}: HBase answered {answer!r}")


def _text(data):
    return struct.pack(">i", len(data)) + data


def _field(kind, number, content):
    return struct.pack(">Bh", kind, number) + content
