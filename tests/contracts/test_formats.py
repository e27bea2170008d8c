"""Every format: what is written is read back, and nothing else."""

import re
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.foundation.budgets import limits
from shoal.foundation.errors import SpecError
from shoal.tables.formats import FORMATS, format_of
from shoal.tables.formats.format import Format
from tests.tables.formats.typed_frames import texts_and_types, typed_frames

VALUES = st.one_of(
    st.none(),
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=6),
    st.text('",;\t|\n\r 0', max_size=6),
    st.integers(0, 99_999).map(lambda number: f"{number:05d}"),
    st.sampled_from(
        ["NA", "null", "NaN", "None", "1e5", "-0", "true", "#", "\ufeff", "\u2028", "'", "\\", "é", "日本"]
    ),
)
NAMES = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0\ufeff"), min_size=1, max_size=6).filter(
    lambda name: bool(name.strip())
)
COLUMNS = st.lists(NAMES, min_size=1, max_size=4, unique=True).filter(
    lambda names: len(names) > 1 or not set(",;\t|") & set(names[0])  # one such name looks like two
)
FRAMES = COLUMNS.flatmap(
    lambda names: st.lists(st.tuples(*[VALUES] * len(names)), min_size=1, max_size=8).map(
        lambda rows: pl.DataFrame(rows, schema=dict.fromkeys(names, pl.String), orient="row")
    )
)
DOCS = sorted((Path(__file__).parents[2] / "docs" / "formats").glob("*.md"))
every_format = pytest.mark.parametrize("member", list(FORMATS), ids=lambda member: member.name)
every_writer = pytest.mark.parametrize(
    "member", [member for member in FORMATS if member.writes], ids=lambda member: member.name
)


def held(member: type[Format], frame: pl.DataFrame) -> pl.DataFrame:
    """Return a frame with names that the format can hold; those that it cannot it refuses."""
    try:
        member().check(frame.columns, frame.height)
    except SpecError:
        return frame.rename({name: f"column{number}" for number, name in enumerate(frame.columns)})
    return frame


def expected_of(member: type[Format], frame: pl.DataFrame) -> pl.DataFrame:
    """Return what reading gives: no empty text, and no spaces at the end where texts are filled up with them."""
    text = frame.select(pl.all().str.strip_chars_end(" ")) if member.padded else frame
    return text.select(pl.when(pl.all() != "").then(pl.all()))


@every_writer
@given(frame=typed_frames())
def test_what_is_written_in_its_types_is_read_back_as_the_same_texts(member: type[Format], frame: pl.DataFrame) -> None:
    texts, types = texts_and_types(frame)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"table{member.suffixes[0]}"
        member().write_typed(texts.cast(pl.Categorical), path, types)
        assert member().read(path).cast(pl.String).equals(expected_of(member, texts))
        found = member().types(path, texts.columns)
        for name, kind in types.items():
            if member.name == "parquet" and member().keeps(kind, ()):
                assert found[name].dtype == kind.dtype, name
            if member.name != "csv" and kind.is_text and texts[name].drop_nulls().len():
                assert found[name].is_text, name


@every_writer
@given(frame=FRAMES, delimiter=st.sampled_from(",;\t|"), categories=st.booleans())
def test_what_is_written_is_read_back(
    member: type[Format], frame: pl.DataFrame, delimiter: str, categories: bool
) -> None:
    frame = held(member, frame)
    written = frame.cast(pl.Categorical) if categories else frame
    expected = expected_of(member, frame)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"table{member.suffixes[0]}"
        member().write(written, path, delimiter)
        assert member().columns(path, delimiter) == frame.columns
        assert member().read(path, delimiter=delimiter).cast(pl.String).equals(expected)
        assert member().read(path, delimiter=delimiter, text=frame.columns).equals(expected)
        last = expected.to_series(-1).to_frame()
        assert member().read(path, delimiter=delimiter, keep=last.columns).cast(pl.String).equals(last)


@every_writer
@given(frame=FRAMES)
def test_equal_frames_give_equal_bytes(member: type[Format], frame: pl.DataFrame) -> None:
    frame = held(member, frame)
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / name for name in ("first", "second")]
        member().write(frame, paths[0])
        member().write(frame.cast(pl.Categorical), paths[1])
        assert paths[0].read_bytes() == paths[1].read_bytes()


@every_format
@pytest.mark.parametrize(
    "content", [b"", b"\0" * 40, b"\xff" * 40, b"PAR1", b"CANARY\n", b'CANARY,"CANARY', b"PAR1PAR1"]
)
def test_what_cannot_be_read_is_said_without_its_content(member: type[Format], content: bytes, tmp_path: Path) -> None:
    path = tmp_path / f"table{member.suffixes[0]}"
    path.write_bytes(content)
    with pytest.raises(SpecError) as caught:
        member().read(path)
    assert "CANARY" not in str(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None


@every_format
@given(content=st.binary(max_size=60))
def test_any_bytes_are_read_or_refused(member: type[Format], content: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"table{member.suffixes[0]}"
        path.write_bytes(content)
        try:
            frame: Any = member().read(path)
        except SpecError:
            return
        assert frame.height > 0
        assert frame.columns == member().columns(path)


@every_format
def test_each_suffix_leads_to_its_format(member: type[Format]) -> None:
    for suffix in member.suffixes:
        assert type(format_of(Path(f"table{suffix}"))) is member
    assert FORMATS[member.name] is member


@every_writer
def test_names_that_look_like_patterns_are_names(member: type[Format], tmp_path: Path) -> None:
    path = tmp_path / f"table{member.suffixes[0]}"
    frame = pl.DataFrame({"name": ["CANARY"], "*": ["1"], "^.*$": ["2"]})
    if held(member, frame) is not frame:
        with pytest.raises(SpecError, match=r"cannot hold columns of the name '\*', '\^\.\*\$'"):
            member().write(frame, path)
        return
    member().write(frame, path)
    assert member().read(path, keep=["*"]).cast(pl.String).to_dict(as_series=False) == {"*": ["1"]}
    assert member().read(path, keep=["^.*$"]).cast(pl.String).to_dict(as_series=False) == {"^.*$": ["2"]}


@pytest.mark.parametrize("page", DOCS, ids=lambda page: page.stem)
def test_the_examples_of_the_docs_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```(\w+)\n(.*?)```", page.read_text(), re.DOTALL)
    assert {"python", "toml"} <= {language for language, _ in blocks}
    for language, block in blocks:
        if language == "python":
            exec(compile(block, page.name, "exec"), {})  # noqa: S102
        else:
            tomllib.loads(block)


FULL = """
import resource, sys
import polars as pl
from pathlib import Path
from shoal.foundation.budgets import limits
from shoal.foundation.errors import SpecError
from shoal.tables.formats import FORMATS
frame = pl.DataFrame({"secret": [f"canary{7919 * number % 1000003}" for number in range(20_000)]})
resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192))
for member in FORMATS:
    if member.writes:
        try:
            member().write(frame, Path(sys.argv[1]) / f"data{member.suffixes[0]}")
            print(member.name, "was written")
        except SpecError as error:
            print(member.name, error)
"""


def test_a_file_that_the_disk_does_not_take_is_told_without_a_value(tmp_path: Path) -> None:
    """Here it is a limit of the process; a full disk is told in the same way."""
    run = [sys.executable, "-c", FULL, str(tmp_path)]
    told = subprocess.run(run, capture_output=True, text=True, check=True)
    lines = dict(line.split(maxsplit=1) for line in told.stdout.splitlines())
    assert set(lines) == {member.name for member in FORMATS if member.writes}
    for name, words in lines.items():
        assert words.startswith(f"Cannot write '{tmp_path}")
        assert words.endswith(("File too large.", "the disk is full, or the columns do not fit into the format.")), name
    assert "canary" not in told.stdout + told.stderr


@every_writer
def test_no_more_is_read_than_the_limits_allow(member: type[Format], tmp_path: Path) -> None:
    path = tmp_path / f"table{member.suffixes[0]}"
    form = member()
    form.write(pl.DataFrame({"a": ["x", "y", "z"], "b": ["1", "2", "3"]}), path)
    size = path.stat().st_size
    with limits(max_records=3):
        assert form.read(path).height == 3
    with limits(max_records=2), pytest.raises(SpecError, match=r"more than 2 records in '.*--max-records"):
        form.read(path)
    for reads in (form.read, form.columns):
        with limits(max_bytes=size - 1), pytest.raises(SpecError, match=r"bytes in '.*--max-bytes"):
            reads(path)
