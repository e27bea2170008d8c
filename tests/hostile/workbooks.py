"""Workbooks that unpack to gigabytes, have cells far apart, or are none."""

import io
import struct
import zipfile
from collections.abc import Iterator
from pathlib import Path

from tests.hostile.case import ANY, REFUSED, Case, Put, table_case
from tests.hostile.material import material


def workbooks() -> Iterator[Case]:
    """Return all of them."""

    def sheet(rows: str, times: int = 1) -> Put:
        """Return what writes a workbook of some rows, in which `#` is an x so many times."""
        space = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
        body = f'<worksheet xmlns="{space}"><sheetData>{rows}</sheetData></worksheet>'
        return lambda path: _workbook(path, {"xl/worksheets/sheet1.xml": body.replace("#", "x" * times).encode()})

    far = '<row r="1"><c r="A1"><v>1</v></c></row><row r="{1}"><c {0}r="{2}{1}"><v>2</v></c></row>'
    cases: dict[str, Put] = {
        "one cell at XFD1048576": sheet(far.format("", 1048576, "XFD")),
        "one cell at XFD1048576, its name last": sheet(far.format('t="n" ', 1048576, "XFD")),
        "one cell at xfd1048576": sheet(far.format("", 1048576, "xfd")),
        "one cell beyond all sheets": sheet(far.format("", 4294967295, "ZZZZZZ")),
        "one cell in a row beyond numbers": sheet(far.format("", 10**30, "A")),
        "a bomb of a gigabyte": lambda path: _workbook(path, {"xl/worksheets/sheet1.xml": b" " * (1 << 30)}),
        "a bomb in the texts": lambda path: _workbook(path, {"xl/sharedStrings.xml": b"<a/>" * 100_000_000}),
        "a bomb in a part that nobody reads": lambda path: _workbook(path, {"xl/media/a.png": b"\0" * (1 << 30)}),
        "a bomb that claims to be small": _lying,
        "200,000 parts": lambda path: _workbook(path, {f"xl/p{n}.xml": b"" for n in range(100_000)}),
        "entities in entities": lambda path: _workbook(path, {"xl/workbook.xml": _LAUGHS}),
        "not a workbook, but a ZIP file": lambda path: _workbook(path, {}, bare=True),
        "a sheet that is missing": lambda path: _workbook(path, {"xl/worksheets/sheet1.xml": None}),
        "more records than allowed": sheet(
            _HEAD + "".join(f'<row r="{n}"><c r="A{n}"><v>{n}</v></c></row>' for n in range(2, 9))
        ),
        "deep elements": sheet("<row>" * 200_000),
        "a value of 100 MB": sheet(f'{_HEAD}<row r="2"><c r="A2" t="inlineStr"><is><t>#</t></is></c></row>', 10**8),
        "merged cells": lambda path: _workbook(path, {"xl/worksheets/sheet1.xml": _MERGED}),
    }
    for name, put in cases.items():
        flags = ("--max-records", "2") if "allowed" in name else ()
        yield table_case("workbook", name, "t.xlsx", put, *flags, codes=ANY if "value of" in name else REFUSED)


_HEAD = '<row r="1"><c r="A1" t="inlineStr"><is><t>a</t></is></c></row>'
_LAUGHS = (
    b'<?xml version="1.0"?><!DOCTYPE a [<!ENTITY a "ha">'
    + b"".join(b'<!ENTITY %c "%s">' % (98 + n, b"&%c;" % (97 + n) * 10) for n in range(12))
    + b"]><workbook>&m;</workbook>"
)
_MERGED = (
    b'<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData><row r="1"><c r="A1">'
    b'<v>1</v></c></row></sheetData><mergeCells><mergeCell ref="A1:XFD1048576"/></mergeCells></worksheet>'
)


def _workbook(path: Path, parts: dict[str, bytes | None], *, bare: bool = False) -> None:
    """Write a valid workbook with some of its parts changed, or left out."""
    whole: dict[str, bytes | None] = {}
    with zipfile.ZipFile(material().folder / "data.xlsx") as valid:
        if not bare:
            whole = {name: valid.read(name) for name in valid.namelist()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in {**whole, **parts}.items():
            if content is not None:
                packed.writestr(name, content)
        if bare:
            packed.writestr("mimetype", b"text/plain")


def _lying(path: Path) -> None:
    """Write a bomb whose directory claims a hundred bytes."""
    made = io.BytesIO()
    with zipfile.ZipFile(material().folder / "data.xlsx") as valid, zipfile.ZipFile(made, "w", 8) as packed:
        for name in valid.namelist():
            packed.writestr(name, b"<a>" + b" " * (1 << 29) if name.endswith("sheet1.xml") else valid.read(name))
    path.write_bytes(made.getvalue().replace(struct.pack("<I", (1 << 29) + 3), struct.pack("<I", 100)))
