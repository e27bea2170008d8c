"""Cases that were thought of: numbers without end, bombs, devices, pipes, loops, depths."""

import json
import os
import socket
import sqlite3
import struct
from collections.abc import Iterator
from pathlib import Path

import polars as pl

from tests.forging import file_in
from tests.hostile.case import ANY, CHECK, REFUSED, Case, Content, Put, Repeated, table_case
from tests.hostile.material import JOB, material
from tests.hostile.workbooks import workbooks


def by_hand() -> Iterator[Case]:
    """Return all of them."""
    yield from _job_texts()
    yield from _recipe_files()
    yield from _places()
    yield from _tables()
    yield from workbooks()
    yield from _databases()
    yield from _releases()


def _job(name: str, text: str | Content, codes: frozenset[int] = REFUSED) -> Case:
    """Return the case of a job file beside a valid table."""

    def make(folder: Path) -> list[str]:
        material().copied(folder, "data.csv", "disease.csv")
        raw = text.encode() if isinstance(text, str) else bytes(text)
        (folder / "job.toml").write_bytes(raw)
        return ["anonymize", str(folder / "job.toml"), "--out", str(folder / "out")]

    return Case("job", name, make, codes)


NUMBERS = {
    "tiny": "1e-999999999",
    "huge": "1e999999999",
    "beyond decimals": "1e99999999999999999999",
    "100,000 digits": "1" * 100_000,
    "100,000 decimals": "0." + "1" * 100_000,
    "nan": "nan",
    "inf": "inf",
    "hexadecimal": "0x" + "f" * 5_000,
    "a text": '"1e-999999999"',
    "a text of many digits": '"' + "9" * 5_000 + '"',
    "a ratio": '"1/' + "3" * 5_000 + '"',
    "negative": "-1e300",
    "64 bits": "9223372036854775807",
    "more than 64 bits": "9223372036854775808",
}
PLACES = {
    "k": ("k = 3", "k = {}"),
    "t": ("t = 0.9", "t = {}"),
    "max_suppressed": ("max_suppressed = 0.1", "max_suppressed = {}"),
    "seed": ("seed = 7", "seed = {}"),
    "longest": ("longest = 5", "longest = {}"),
    "widths": ("widths = [5, 10, 20, 40]", "widths = [{}]"),
    "weight": (
        'role = "quasi"\nhierarchy = {{ type = "masking"'.replace("{{", "{"),
        'weight = {}\nrole = "quasi"\nhierarchy = {{ type = "masking"',
    ),
    "time_limit": ("seed = 7", "time_limit = {}"),
}


def _job_texts() -> Iterator[Case]:
    for place, (old, new) in PLACES.items():
        for number, text in NUMBERS.items():
            yield _job(f"{place} is {number}", JOB.replace(old, new.format(text)), ANY)
    yield _job("longest = 1e9", JOB.replace("longest = 5", "longest = 1e9"))
    yield _job("longest and levels of 1e9", JOB.replace("longest = 5", "longest = 1000000000, levels = 1000000000"))
    yield _job("100,000 widths", JOB.replace("[5, 10, 20, 40]", str([1 << n for n in range(2_000)])))
    yield _job("lists in lists", "a = " + "[" * 100_000 + "]" * 100_000)
    yield _job("tables in tables", "a = " + "{b=" * 50_000 + "1" + "}" * 50_000)
    yield _job("a key of 200,000 parts", "a." * 200_000 + "a = 1")
    yield _job("a key of 200,000 quoted parts", '"a".' * 200_000 + "a = 1")
    yield _job("a table of 200,000 parts", "[" + "a." * 200_000 + "a]")
    yield _job("100,000 tables", "".join(f"[columns.c{n}]\nrole = 'quasi'\n" for n in range(100_000)))
    yield _job("a text of 3 MB of escapes", 'a = "' + "\\n" * 1_500_000 + '"')
    yield _job("10 MB of blanks", Repeated(b" ", 10_000_000))
    yield _job("zero bytes", b"\0" * 10_000)
    yield _job("not UTF-8", JOB.encode("utf-16"))
    yield _job("empty", "")
    yield _job("a name of 100,000 letters", JOB.replace("data.csv", "d" * 100_000))
    yield _job("a name with a zero byte", JOB.replace("data.csv", "data\\u0000.csv"))
    yield _job("a device as a table", JOB.replace("data.csv", "/dev/zero"))
    yield _job("a device as levels", JOB.replace("disease.csv", "/dev/zero"))
    yield _job("the memory of the process", JOB.replace("data.csv", "/proc/self/mem"))
    yield _job("a folder as a table", JOB.replace("data.csv", "."))
    yield _job("a folder as levels", JOB.replace("disease.csv", "."))


def _recipe_files() -> Iterator[Case]:
    """Files that a job names: levels, a taxonomy, distances."""

    def case(name: str, file: str, old: str, new: str, content: Content) -> Case:
        def make(folder: Path) -> list[str]:
            material().copied(folder, "data.csv", "disease.csv")
            (folder / file).write_bytes(bytes(content))
            (folder / "job.toml").write_text(JOB.replace(old, new), encoding="utf-8")
            return ["anonymize", str(folder / "job.toml"), "--out", str(folder / "out")]

        return Case("recipe", name, make)

    levels = ('path = "disease.csv"', 'path = "other.csv"')
    for name, content in {
        "levels of zero bytes": Repeated(b"\0", 100_000),
        "levels of quotes": Repeated(b'"', 200_001),
        "levels of one open quote": Repeated(b"x", 5_000_000, b'flu;"'),
        "levels of 10 million fields": Repeated(b";", 10_000_000),
        "levels of 5 million rows": Repeated(b"1;*\n", 5_000_000),
        "levels of 100,000 columns": Repeated(b";a", 100_000, b"flu", b"\n"),
    }.items():
        yield case(name, "other.csv", *levels, content)
    tree = ('{ type = "levels", path = "disease.csv" }', '{ type = "taxonomy", path = "tree.EXT" }')
    for name, kind, text in (
        ("a tree of depth 100,000", "json", '{"a":' * 100_000 + "[]" + "}" * 100_000),
        ("a tree of depth 900", "json", "".join(f'{{"n{n}":' for n in range(900)) + '["flu"]' + "}" * 900),
        ("a tree of 5 million empty nodes", "json", Repeated(b"{},", 5_000_000, b"[", b"{}]")),
        ("a tree with a number of 100,000 digits", "json", '{"a": ' + "1" * 100_000 + "}"),
        ("a tree of depth 100,000 in TOML", "toml", "a = " + "[" * 100_000),
        ("10 MB of TOML", "toml", Repeated(b"x", 10_000_000, b"a = 1 #")),
    ):
        yield case(name, f"tree.{kind}", tree[0], tree[1].replace("EXT", kind), _encoded(text))
    matrix = ('distance = "hierarchical"', 'distance = "matrix"\ndistances = "far.csv"')
    for name, text in (
        ("a matrix of 10 million fields", Repeated(b",", 10_000_000)),
        ("a matrix of long numbers", ",flu\nflu," + "1" * 100_000 + "\n"),
        ("a matrix of tiny numbers", ",flu\nflu,1e-999999999\n"),
        ("a matrix of zero bytes", "\0" * 1_000),
        ("a matrix of one open quote", Repeated(b"x", 1_000_000, b'"')),
    ):
        yield case(name, "far.csv", *matrix, _encoded(text))


def _places() -> Iterator[Case]:
    """What stands where a file is expected."""

    def loop(path: Path) -> None:
        path.symlink_to(path.name)

    def socket_at(path: Path) -> None:
        os.chdir(path.parent)  # its name may have 107 bytes only
        with socket.socket(socket.AF_UNIX) as one:
            one.bind(path.name)

    puts: dict[str, Put] = {
        "a pipe": os.mkfifo,
        "a folder": lambda path: path.mkdir(),
        "a link to itself": loop,
        "a link to nowhere": lambda path: path.symlink_to("nowhere"),
        "a link to a device": lambda path: path.symlink_to("/dev/zero"),
        "a link to random bytes": lambda path: path.symlink_to("/dev/urandom"),
        "a link to a terminal": lambda path: path.symlink_to("/dev/tty"),
        "a socket": socket_at,
        "nothing": lambda path: None,
        "an empty file": lambda path: path.touch(),
        "a sparse file of 1 TB": lambda path: os.truncate(_touched(path), 1 << 40),
        "a sparse file of 300 MB": lambda path: os.truncate(_touched(path), 300 << 20),
        "a file that may not be read": lambda path: _touched(path).chmod(0),
    }
    for name, put in puts.items():
        for ending in ("csv", "parquet", "xlsx", "sav", "dta", "sas7bdat", "xpt"):
            yield table_case("place", f"{name} as {ending}", f"t.{ending}", put)
        yield _in_place(f"{name} as a job", put, "job.toml", ["anonymize", "job.toml", "--out", "out"])
        yield _in_place(f"{name} as levels", put, "disease.csv", ["anonymize", "job.toml", "--out", "out"])
        for file in ("certificate.json", "job.toml", "data.csv"):
            yield _in_place(
                f"{name} as {file} of a release", put, str(file_in(Path("release"), file)), ["verify", "release"]
            )
        yield _in_place(
            f"{name} as rules", put, "release/private/rules.json", ["apply", "release", "data.csv", "--out", "out"]
        )
        yield _in_place(
            f"{name} as a database",
            put,
            "data.db",
            ["check", "sqlite:///data.db", "--table", "people", "--quasi", "age"],
        )


def _encoded(text: str | Content) -> Content:
    return text.encode() if isinstance(text, str) else text


def _touched(path: Path) -> Path:
    path.touch()
    return path


def _in_place(name: str, put: Put, file: str, argv: list[str]) -> Case:
    def make(folder: Path) -> list[str]:
        material().copied(folder, "data.csv", "disease.csv", "job.toml", "release", "data.db")
        (folder / file).unlink()
        put(folder / file)
        return [
            part.replace("data.db", str(folder / "data.db"))
            if "://" in part
            else str(folder / part)
            if part in ("out", "release", "job.toml", "data.csv")
            else part
            for part in argv
        ]

    return Case("place", name, make)


def _tables() -> Iterator[Case]:
    def text(content: Content) -> Put:
        return lambda path: path.write_bytes(bytes(content))

    texts: dict[str, Content] = {
        "a row of 100 MB": Repeated(b"x", 100_000_000, b"a,b\n", b",1\n"),
        "a row of 100 MB of delimiters": Repeated(b",", 100_000_000, b"a,b\n", b"\n"),
        "a header of 100 MB": Repeated(b"a", 100_000_000, b"", b"\n1\n"),
        "a header of 100 MB of delimiters": Repeated(b",", 100_000_000, b"", b"\n1\n"),
        "a quote that is open for 100 MB": Repeated(b"x,1\n", 25_000_000, b'a,b\n"'),
        "a quote that is open for 100 MB of one line": Repeated(b"x", 100_000_000, b'a,b\n"'),
        "zero bytes": b"\0" * 1_000_000,
        "zero bytes in a field": b"a,b\n1,\0\n",
        "mixed encodings": "a,b\né,1\n".encode() + "é,2\n".encode("latin-1"),
        "half of a character": b"a,b\n\xff\xfe\xfd,1\n" + "é,1\n".encode(),
        "damaged UTF-16": "a,b\n1,2\n".encode("utf-16") + b"\xd8\x00\xd8",
        "UTF-32": "a,b\n1,2\n".encode("utf-32"),
        "carriage returns alone": b"a,b\r1,2\r3,4\r",
        "30,000 columns": ",".join(f"c{n}" for n in range(30_000)).encode() + b"\n" + b"," * 29_999 + b"\n",
        "200,000 columns of one letter": b"x," * 200_000 + b"x\n",
        "blank lines between": b"a,b\n\n\n1,2\n",
        "quotes alone": b'"' * 1_000_001,
        "escape sequences in a name": b"\x1b[2Ja,b\n1\n",
        "10 MB of line ends": Repeated(b"\n", 10_000_000, b"a,b\n", b"1,2\n"),
    }
    for name, content in texts.items():
        yield table_case("csv", name, "t.csv", text(content))
    yield table_case("csv", "more records than allowed", "t.csv", text(b"a\n1\n2\n3\n"), "--max-records", "2")
    yield table_case("csv", "more bytes than allowed", "t.csv", text(b"a\n1\n2\n3\n"), "--max-bytes", "7")
    yield table_case("parquet", "300 million records", "t.parquet", _millions)
    yield table_case("parquet", "2 billion records in its footer alone", "t.parquet", _claiming)
    yield table_case("parquet", "more records than allowed", "t.parquet", _parquet, "--max-records", "2")
    yield table_case(
        "parquet", "a nested column", "t.parquet", lambda path: pl.DataFrame({"a": [[1]]}).write_parquet(path)
    )
    wide = {f"c{n}": [1] for n in range(25_000)}
    yield table_case("parquet", "25,000 columns", "t.parquet", lambda path: pl.DataFrame(wide).write_parquet(path))
    for ending in ("sav", "dta", "xpt", "sas7bdat"):

        def make(folder: Path, ending: str = ending) -> list[str]:
            material().copied(folder, f"data.{ending}")
            return ["check", str(folder / f"data.{ending}"), "--quasi", "age", "--max-records", "2"]

        yield Case("statistics", f"more records than allowed as {ending}", make)


def _parquet(path: Path) -> None:
    pl.DataFrame({"a": [1, 2, 3]}).write_parquet(path)


def _millions(path: Path) -> None:
    """Write one column of one value, 300 million times: a few kilobytes."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    part = pa.table({"a": pa.array([1] * 1_000_000, type=pa.int8())})
    with pq.ParquetWriter(path, part.schema, compression="zstd") as writer:
        for _ in range(300):
            writer.write_table(part, row_group_size=1_000_000)


def _claiming(path: Path) -> None:
    """Change the number of records in the footer of a small file, as Thrift writes it."""
    _parquet(path)
    raw = path.read_bytes()
    length = struct.unpack("<I", raw[-8:-4])[0]
    footer = raw[-8 - length : -8]
    huge = footer.replace(b"\x16\x06", b"\x16\x80\xa8\xd6\xb9\x0e")  # zigzag of 3, and of 2 billion
    path.write_bytes(raw[: -8 - length] + huge + struct.pack("<I", len(huge)) + b"PAR1")


def _databases() -> Iterator[Case]:
    def case(name: str, statement: str, *flags: str, quick: bool = True) -> Case:
        def make(folder: Path) -> list[str]:
            with sqlite3.connect(folder / "t.db") as base:
                base.execute(statement)
            base.close()
            return ["check", f"sqlite:///{folder / 't.db'}", "--table", "v", *CHECK, *flags]

        return Case("database", name, make)

    endless = "WITH RECURSIVE n(a) AS (SELECT 1 UNION ALL SELECT a + 1 FROM n) SELECT {} FROM n {}"
    yield case("an endless view, 2 s", f"CREATE VIEW v AS {endless.format('a', '')}", "--timeout", "2")
    yield case(
        "an endless view without a record", f"CREATE VIEW v AS {endless.format('a', 'WHERE a < 0')}", "--timeout", "1"
    )
    yield case("an endless view, 1000 records", f"CREATE VIEW v AS {endless.format('a', '')}", "--max-records", "1000")
    wide = endless.format("printf('%.*c', 1000000, 'x') || a AS a", "")
    yield case("an endless view of 1 MB values", f"CREATE VIEW v AS {wide}", "--max-bytes", "100000000")
    yield case("a value of 1 GB", "CREATE VIEW v AS SELECT replace(hex(zeroblob(30000000)), '0', 'xxxxxxxxxx') AS a")
    yield case("a blob of 900 MB", "CREATE VIEW v AS SELECT zeroblob(900000000) AS a")
    yield case("a view of nothing", "CREATE VIEW v AS SELECT * FROM nowhere")
    yield case("a view of itself", "CREATE VIEW v AS SELECT * FROM v")
    yield case("blobs", "CREATE VIEW v AS SELECT x'00ff' AS a")
    yield case("texts that are not UTF-8", "CREATE VIEW v AS SELECT CAST(x'ff00ff' AS TEXT) AS a")
    yield case("a table without a record", "CREATE TABLE v (a)")


def _releases() -> Iterator[Case]:
    """Certificates and rules with numbers and depths, sealed again where they are sealed."""

    def case(name: str, file: str, text: Content) -> Case:
        def make(folder: Path) -> list[str]:
            material().copied(folder, "release", "data.csv")
            file_in(folder / "release", file).write_bytes(bytes(text))
            if file == "rules.json":
                return ["apply", str(folder / "release"), str(folder / "data.csv"), "--out", str(folder / "out")]
            if file == "certificate-public.json":
                for kept in ("job.toml", "certificate.json"):
                    (folder / "release/private" / kept).unlink()
            return ["verify", str(folder / "release")]

        return Case("release", f"{name} as {file}", make)

    texts: dict[str, Content] = {
        "lists in lists": Repeated(b"[", 1_000_000),
        "tables in tables": Repeated(b'{"a":', 300_000),
        "a number of 100,000 digits": Repeated(b"1", 100_000, b'{"a": ', b"}"),
        "30 million empty lists": Repeated(b"[],", 30_000_000, b"[", b"[]]"),
        "a text": b'"rules"',
        "a number": b"1e999",
        "not UTF-8": b'{"rules": "\xff"}',
        "nothing": b"{}",
        "half of a character": json.dumps({"rules": "\ud800"}).encode(),
        "zero bytes": Repeated(b"\0", 1_000_000),
        "200 MB of blanks": Repeated(b" ", 200_000_000),
    }
    for file in ("certificate.json", "certificate-public.json", "rules.json"):
        for name, text in texts.items():
            yield case(name, file, text)
