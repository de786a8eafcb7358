"""Our Parquet files read by pyarrow, DuckDB and polars, and pyarrow's by us: python3 judges_test.py PROGRAM CACHE

Tables are random; the seed of one that fails is in the message.
"""
import datetime
import json
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

PROGRAM, CACHE = sys.argv[1], pathlib.Path(sys.argv[2])
sys.path.insert(0, str(CACHE / "parquet-readers-26.0.1"))
import duckdb  # noqa: E402
import polars  # noqa: E402
import pyarrow  # noqa: E402
import pyarrow.parquet  # noqa: E402

UTC = datetime.timezone.utc
LEAVES = ["bool", "int32", "int64", "float", "double", "binary", "string", "timestamp"]


def random_type(rng, depth=0):
    """(text, arrow type, maker of values that are not None)"""
    kind = rng.choice(LEAVES if depth > 2 else LEAVES + ["list", "list", "struct", "map"])
    if kind == "list":
        text, arrow, make = random_type(rng, depth + 1)
        return f"list<{text}>", pyarrow.list_(arrow), lambda: [maybe(rng, make) for _ in range(rng.choice([0, 0, 1, 2, 7]))]
    if kind == "map":
        text, arrow, make = random_type(rng, depth + 1)
        return (f"map<string,{text}>", pyarrow.map_(pyarrow.string(), arrow),
                lambda: {f"k{i}": maybe(rng, make) for i in range(rng.choice([0, 1, 3]))})
    if kind == "struct":
        fields = [(f"f{i}", *random_type(rng, depth + 1)) for i in range(rng.randint(1, 3))]
        return ("struct<" + ",".join(f"{name}:{text}" for name, text, _, _ in fields) + ">",
                pyarrow.struct([(name, arrow) for name, _, arrow, _ in fields]),
                lambda: {name: maybe(rng, make) for name, _, _, make in fields})
    few = rng.random() < 0.5  # so few that a dictionary pays
    wide = 5 if few else 1 << 60
    return kind, {
        "bool": pyarrow.bool_(), "int32": pyarrow.int32(), "int64": pyarrow.int64(), "float": pyarrow.float32(),
        "double": pyarrow.float64(), "binary": pyarrow.binary(), "string": pyarrow.string(),
        "timestamp": pyarrow.timestamp("ms", tz="UTC"),
    }[kind], {
        "bool": lambda: rng.random() < 0.5,
        "int32": lambda: rng.randint(-min(wide, 1 << 31), min(wide, (1 << 31) - 1)),
        "int64": lambda: rng.choice([rng.randint(-wide, wide), (1 << 63) - 1, -(1 << 63)]),
        "float": lambda: rng.choice([rng.randint(-9, 9) / 8 if few else rng.randint(-(1 << 23), 1 << 23) / 8, -0.0, 0.0, 2.0**100]),
        "double": lambda: rng.choice([rng.randint(0, 5) / 2 if few else rng.uniform(-1, 1), -0.0, 1e300]),
        "binary": lambda: rng.randbytes(rng.choice([0, 1, 3])) if few else rng.randbytes(rng.choice([0, 40, 3000])),
        "string": lambda: rng.choice(["", "a", "\u00e4\u20ac\U0001f578", "\0\"\\\n"]) if few else "\u00e9x" * rng.choice([0, 1, 200, 5000]) + str(rng.random()),
        "timestamp": lambda: datetime.datetime(rng.randint(1, 9998), 5, 6, tzinfo=UTC) + datetime.timedelta(milliseconds=rng.randint(0, 10**10)),
    }[kind]


def maybe(rng, make):
    return None if rng.random() < 0.2 else make()


def as_json(value):
    """As the program has it in its lines."""
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, datetime.datetime):
        return f"{value.year:04}-" + value.strftime("%m-%dT%H:%M:%S.") + f"{value.microsecond // 1000:03}Z"
    if isinstance(value, dict):
        return {key: as_json(v) for key, v in value.items()}
    return [as_json(v) for v in value] if isinstance(value, list) else value


def plain(value, kind):
    """Readers' ways to say the same, by the arrow type: maps as dicts, times in UTC."""
    if value is None:
        return None
    if pyarrow.types.is_map(kind):
        if isinstance(value, dict):
            pairs = value.items()
        else:
            pairs = [tuple(pair.values()) if isinstance(pair, dict) else pair for pair in value]
        return {key: plain(v, kind.item_type) for key, v in pairs}
    if pyarrow.types.is_list(kind):
        return [plain(v, kind.value_type) for v in value]
    if pyarrow.types.is_struct(kind):
        return {field.name: plain(value[field.name], field.type) for field in kind}
    if isinstance(value, datetime.datetime):
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)
    return repr(value) if isinstance(value, float) else value  # zeros have signs


class Judges(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = str(pathlib.Path(folder.name) / "a.parquet")
        self.duckdb = duckdb.connect()
        self.duckdb.execute("SET TimeZone='UTC'")

    def table(self, rng, max_rows=200):
        columns = [(f"c{i}", *random_type(rng)) for i in range(rng.randint(1, 5))]
        self.schema = pyarrow.schema([(name, arrow) for name, _, arrow, _ in columns])
        self.columns = ",".join(f"{name}:{text}" for name, text, _, _ in columns)
        return [{name: maybe(rng, make) for name, _, _, make in columns} for _ in range(rng.choice([0, 1, max_rows]))]

    def write(self, rows, columns, row_group=1 << 15, page=1 << 10, dictionary=1 << 10):
        subprocess.run([PROGRAM, "write", self.file, columns, str(row_group), str(page), str(dictionary)], check=True,
                       input="".join(json.dumps(as_json(row), ensure_ascii=False) + "\n" for row in rows), text=True)

    def same(self, expected, rows, who):
        kind = pyarrow.struct(list(self.schema))
        self.assertEqual([plain(row, kind) for row in expected], [plain(row, kind) for row in rows], who)

    def ours(self):
        done = subprocess.run([PROGRAM, "read", self.file], capture_output=True, text=True)
        if done.returncode:
            return done.returncode, done.stderr
        return 0, [json.loads(line) for line in done.stdout.splitlines()]

    def test_others_read_what_we_write(self):
        groups = 0
        for seed in range(40):
            with self.subTest(seed=seed):
                rng = random.Random(seed)
                rows = self.table(rng)
                self.write(rows, self.columns, rng.choice([1, 1 << 13, 1 << 25]), rng.choice([1, 1 << 10, 1 << 20]), rng.choice([0, 1 << 8, 1 << 20]))
                file = pyarrow.parquet.ParquetFile(self.file, page_checksum_verification=True)
                groups = max(groups, file.metadata.num_row_groups)
                read = file.read()
                self.assertEqual(self.schema, read.schema.remove_metadata(), self.columns)
                self.same(rows, read.to_pylist(maps_as_pydicts="strict"), "pyarrow")
                self.same(rows, self.duckdb.read_parquet(self.file).to_arrow_table().to_pylist(maps_as_pydicts="strict"), "duckdb")
                self.same(rows, polars.read_parquet(self.file).to_dicts(), "polars")
                self.assertEqual((0, [as_json(row) for row in rows]), self.ours())
        self.assertGreater(groups, 100)

    def test_they_find_our_statistics_true(self):
        rng = random.Random(1)
        types = {"b": "bool", "i": "int32", "l": "int64", "f": "float", "d": "double", "s": "string", "t": "timestamp"}
        values = {"b": lambda: rng.random() < 0.5, "i": lambda: rng.randint(-99, 99), "l": lambda: rng.randint(-(1 << 50), 1 << 50),
                  "f": lambda: rng.randint(-9, 9) / 4, "d": lambda: rng.uniform(-5, 5), "s": lambda: rng.choice("\u00e9zaZ") * rng.randint(0, 9),
                  "t": lambda: datetime.datetime(rng.randint(1900, 2100), 1, 1, tzinfo=UTC)}
        rows = [{name: maybe(rng, make) for name, make in values.items()} for _ in range(500)]
        self.write(rows, ",".join(f"{name}:{kind}" for name, kind in types.items()), row_group=4000)
        meta = pyarrow.parquet.ParquetFile(self.file).metadata
        self.assertGreater(meta.num_row_groups, 3)
        self.assertEqual({b"who": b"a test"}, {key: v for key, v in meta.metadata.items() if key == b"who"})
        first = 0
        for group in range(meta.num_row_groups):
            count = meta.row_group(group).num_rows
            for column in range(len(types)):
                chunk = meta.row_group(group).column(column)
                there = [row[chunk.path_in_schema] for row in rows[first:first + count] if row[chunk.path_in_schema] is not None]
                least, greatest = min(there, key=lambda v: v.encode() if isinstance(v, str) else v), max(there, key=lambda v: v.encode() if isinstance(v, str) else v)
                self.assertEqual((least, greatest, count - len(there)), (chunk.statistics.min, chunk.statistics.max, chunk.statistics.null_count), chunk)
            first += count
        # Readers leave out row groups by them, and still find every row.
        for row in rows[::50]:
            for name, value in row.items():
                if value is not None:
                    expected = sum(other[name] == value for other in rows)
                    self.assertEqual(expected, polars.scan_parquet(self.file).filter(polars.col(name) == value).collect().height)
                    self.assertEqual(expected, self.duckdb.execute(f"SELECT count(*) FROM read_parquet(?) WHERE {name} = ?", [self.file, value]).fetchone()[0])

    def test_we_read_what_pyarrow_writes(self):
        for seed in range(40):
            with self.subTest(seed=seed):
                rng = random.Random(1000 + seed)
                rows = self.table(rng)
                pyarrow.parquet.write_table(
                    pyarrow.Table.from_pylist(rows, schema=self.schema), self.file, compression=rng.choice(["zstd", "none"]),
                    use_dictionary=rng.random() < 0.5, data_page_version=rng.choice(["1.0", "2.0"]), data_page_size=rng.choice([100, 1 << 20]),
                    row_group_size=rng.choice([7, 1000]), write_page_checksum=rng.random() < 0.5, store_schema=False)
                self.assertEqual((0, [as_json(row) for row in rows]), self.ours())

    def test_what_we_do_not_understand_is_named(self):
        def refused(reason, kind=pyarrow.int64(), value=7, **more):
            pyarrow.parquet.write_table(pyarrow.table({"x": pyarrow.array([value], kind)}), self.file, **more)
            code, message = self.ours()
            self.assertEqual(3, code, message)
            self.assertIn(reason, message)

        refused("codec 1", compression="snappy")
        refused("DELTA_BINARY_PACKED", compression="none", use_dictionary=False, column_encoding="DELTA_BINARY_PACKED")
        refused("BYTE_STREAM_SPLIT", kind=pyarrow.float64(), compression="none", use_dictionary=False, column_encoding="BYTE_STREAM_SPLIT")
        refused("'x': a logical type", kind=pyarrow.timestamp("us", tz="UTC"))
        refused("'x': a logical type", kind=pyarrow.date32())
        refused("'x': a logical type", kind=pyarrow.uint32())
        refused("physical type 7", kind=pyarrow.decimal128(10, 2))
        refused("physical type 3", kind=pyarrow.timestamp("ns"), use_deprecated_int96_timestamps=True)

    def test_what_is_damaged_is_refused(self):
        self.write([{"s": f"row {i}", "l": list(range(i % 4))} for i in range(300)], "s:string,l:list<int64>")
        whole = pathlib.Path(self.file).read_bytes()
        good = self.ours()
        self.assertEqual(0, good[0])
        rng = random.Random(3)
        refused = 0
        for _ in range(150):
            damaged = bytearray(whole)
            if rng.random() < 0.3:
                del damaged[rng.randrange(len(damaged)):]
            else:
                damaged[rng.randrange(len(damaged))] ^= 1 << rng.randrange(8)
            pathlib.Path(self.file).write_bytes(damaged)
            code, message = self.ours()
            self.assertIn(code, (0, 3), message)  # no crash
            refused += code
            # Pages have checksums; statistics and names are not read, but a value is never another.
            if code == 0 and message != good[1]:
                self.assertNotEqual(sorted(good[1][0]), sorted(message[0]), "other values")
        self.assertGreater(refused, 300)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
