import json
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import shoal as library
from shoal.actions.verify import verify
from shoal.foundation.errors import CertificateError, SpecError
from tests.cli.run import JOB, done, job_toml, shoal
from tests.forging import forge_first, made_first, relist

DIVERSE = '[[require]]\nmodel = "distinct-l-diversity"\nl = 2\ncolumn = "disease"\n'
STRICT = JOB + '[[require]]\nmodel = "k-anonymity"\nk = 4\n' + DIVERSE + "[search]\nmax_suppressed = 0.05\nseed = 1\n"


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("original")
    done("anonymize", job_toml(folder, STRICT), "--out", folder / "out")
    return folder / "out"


@pytest.fixture
def out(original: Path, tmp_path: Path) -> Path:
    """A copy of the release in a place of its own, far from the table."""
    return Path(shutil.copytree(original, tmp_path / "moved" / "out"))


def test_a_release_verifies_where_it_was_made_and_anywhere_else(original: Path, out: Path) -> None:
    for folder in (original, out, str(out)):
        found = verify(folder)
        assert found.verdict == "all claims hold"
        assert found.not_derived == {}
        stated = json.loads((out / "private/certificate.json").read_text(encoding="utf-8"))
        assert found.as_dict()["claims"] == stated["claims"]
        assert found.as_dict()["file"] == stated["file"]
    assert "verdict: all claims hold" in done("verify", out).out
    assert done("verify", out, "--json").json["verdict"] == "all claims hold"


def _refused(out: Path, words: str = "") -> None:
    ran = shoal("verify", out)
    assert ran.code == 4, ran.out + ran.err
    assert words in ran.err


def _edit(path: Path, change: Callable[[list[str]], list[str]]) -> None:
    lines = path.read_text(encoding="utf-8").splitlines()
    path.write_text("\n".join(change(lines)) + "\n", encoding="utf-8")


def _swapped(lines: list[str]) -> list[str]:
    """Exchange two different sensitive values: sizes and counts stay as they are."""
    rows = [line.split(",") for line in lines]
    other = next(i for i in range(2, len(rows)) if rows[i][3] != rows[1][3])
    rows[1][3], rows[other][3] = rows[other][3], rows[1][3]
    return [",".join(row) for row in rows]


@pytest.mark.parametrize(
    "change",
    [
        lambda lines: lines[:-1],
        lambda lines: [*lines, lines[-1]],
        lambda lines: [lines[0], *lines[2:], lines[1]],
        lambda lines: [line.rsplit(",", 1)[0] for line in lines],
        lambda lines: [lines[0].upper(), *lines[1:]],
        lambda lines: [lines[0], lines[1] + ",more", *lines[2:]],
        lambda lines: [lines[0], '"' + lines[1], *lines[2:]],
        lambda lines: lines[:1],
        _swapped,
    ],
    ids=[
        "row gone",
        "row doubled",
        "rows moved",
        "column gone",
        "renamed",
        "ragged",
        "quote",
        "empty",
        "values swapped",
    ],
)
def test_any_change_of_the_data_is_refused(out: Path, change: Callable[[list[str]], list[str]]) -> None:
    _edit(out / "public/data.csv", change)
    _refused(out, "its digest differs")


@pytest.mark.parametrize("name", ["public/data.csv", "private/certificate.json"])
def test_a_change_of_any_byte_is_refused(out: Path, name: str) -> None:
    whole = (out / name).read_bytes()
    places = random.Random(4).sample(range(len(whole)), 40)  # noqa: S311
    for place in (0, len(whole) - 1, *places):
        for byte in (whole[place] ^ 1, whole[place] ^ 0x80):
            (out / name).write_bytes(whole[:place] + bytes([byte]) + whole[place + 1 :])
            with pytest.raises(CertificateError):
                verify(out)
    for changed in (b"", whole[:-1], whole + b"\n", whole.replace(b"\n", b"\r\n"), b"[]", b"null", b"[" * 10_000):
        (out / name).write_bytes(changed)
        with pytest.raises(CertificateError):
            verify(out)


def test_a_file_that_is_gone_or_another_is_refused(out: Path) -> None:
    (out / "public/data.csv").rename(out / "other.csv")
    _refused(out, "The file 'public/data.csv' that manifest.json lists is not in")
    made_first(out)
    _refused(out, "The file 'data.csv' to which the certificate refers is not in")


@pytest.mark.parametrize("name", ["certificate.json", "job.toml"])
def test_a_folder_that_lacks_a_part_is_no_release(out: Path, name: str) -> None:
    (out / "private" / name).unlink()
    ran = shoal("verify", out)
    assert ran.code == 2
    assert ran.err == f"'{out}/private' is not a release: it has no {name}.\n"
    with pytest.raises(SpecError):
        verify(out / "nothing")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("k = 4", "k = 3"),
        ("k = 4", "k = 400"),
        ('    { model = "k-anonymity", k = 4 },\n', ""),
        ('[columns.zip]\nrole = "quasi"', '[columns.zip]\nrole = "sensitive"'),
        ('[columns.ssn]\nrole = "identifier"', '[columns.ssn]\nrole = "insensitive"'),
        ('[columns.note]\nrole = "insensitive"', '[columns.note]\nrole = "identifier"'),
        ("[columns.note]", "[columns.remark]"),
        ('role = "insensitive"', 'role = "nothing"'),
        ("[input]", "[input"),
    ],
)
def test_a_job_that_asks_for_something_else_is_refused(out: Path, old: str, new: str) -> None:
    text = (out / "private/job.toml").read_text(encoding="utf-8")
    assert old in text
    (out / "private/job.toml").write_text(text.replace(old, new), encoding="utf-8")
    _refused(out, "The file 'private/job.toml' is not the one that was certified")
    relist(out)
    _refused(out)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda content: content["claims"][0].update(achieved=99), "differ in the claim k-anonymity"),
        (lambda content: content["claims"][0].update(asked=99), "differ in the claim k-anonymity"),
        (lambda content: content["claims"].pop(), "the number of claims"),
        (lambda content: content["classes"].update(smallest=99), "differ in the classes"),
        (lambda content: content["file"].update(records=1), "what it says of the file"),
        (lambda content: content["file"].update(columns=["age"]), "differ in the columns"),
        (lambda content: content["file"].update(name="../original/data.csv"), "lacks what a certificate states"),
        (lambda content: content["file"].update(sha256="0" * 64), "its digest differs"),
        (lambda content: content["file"].update(database="sqlite"), "differ in the name of a file or table"),
        (lambda content: content.pop("claims"), "lacks what a certificate states"),
        (lambda content: content.update(file=None), "lacks what a certificate states"),
    ],
)
def test_a_forged_certificate_does_not_pass_either(
    out: Path, change: Callable[[dict[str, Any]], object], words: str
) -> None:
    forge_first(out / "private/certificate.json", change)
    _refused(out, words)


def test_a_certificate_of_a_copy_with_another_name_is_refused(out: Path) -> None:
    shutil.copy(out / "public/data.csv", out / "public/copy.csv")
    forge_first(out / "private/certificate.json", lambda content: content["file"].update(name="copy.csv"))
    _refused(out, "differ in the name of a file or table")


def test_a_forged_certificate_of_weaker_data_fails_by_the_data(out: Path) -> None:
    _edit(out / "public/data.csv", lambda lines: [*lines, "0-39,*,M,flu,seen"])
    import hashlib

    digest = hashlib.sha256((out / "public/data.csv").read_bytes()).hexdigest()
    forge_first(out / "private/certificate.json", lambda content: content["file"].update(sha256=digest))
    _refused(out, "k-anonymity: asked 4, found 1")


@pytest.mark.parametrize("form", ["csv", pytest.param("parquet", marks=pytest.mark.deep)])
@pytest.mark.parametrize("missing", ["category", "wildcard", "drop"])
@pytest.mark.parametrize("suppressed", ["drop", "star"])
def test_every_form_of_release_verifies(tmp_path: Path, form: Any, missing: Any, suppressed: Any) -> None:
    draw = random.Random(8)  # noqa: S311
    rows = [(draw.choice([None, *range(20, 50)]), draw.choice("MF"), draw.choice(["a", "b", None])) for _ in range(200)]
    frame = pl.DataFrame(rows, schema=["age", "sex", "ill"], orient="row", strict=False)
    made = library.anonymize(
        frame,
        quasi=["age", "sex"],
        sensitive=["ill"],
        k=4,
        max_suppressed=0.2,
        format=form,
        missing=missing,
        suppressed=suppressed,
    )
    made.write(tmp_path / "out")
    assert verify(tmp_path / "out").not_derived == {}


@pytest.mark.parametrize("delimiter", [";", "\t", "|", "~", ":"])
def test_the_delimiter_is_remembered(tmp_path: Path, delimiter: str) -> None:
    lines = ["age,x;y|z", *(f"{20 + i % 3},a" for i in range(30))]
    (tmp_path / "data.csv").write_text("\n".join(lines).replace(",", delimiter) + "\n", encoding="utf-8")
    name = "x;y|z" if delimiter not in ";|" else "x"
    if delimiter in ";|":
        text = (tmp_path / "data.csv").read_text(encoding="utf-8").replace("x;y|z", "x")
        (tmp_path / "data.csv").write_text(text, encoding="utf-8")
    made = library.anonymize(tmp_path / "data.csv", quasi=["age"], insensitive=[name], k=3, delimiter=delimiter)
    made.write(tmp_path / "out")
    assert (tmp_path / "out/public/data.csv").read_text(encoding="utf-8").startswith(f"age{delimiter}{name}\n")
    assert verify(tmp_path / "out").verdict == "all claims hold"


@pytest.mark.parametrize("kind", ["order", "suppression", "intervals"])
def test_a_distance_along_a_hierarchy_is_that_of_the_released_values(tmp_path: Path, kind: str) -> None:
    """A value is suppressed, so that verify builds its hierarchy over fewer values than the search did."""
    recipes: dict[str, dict[str, Any]] = {
        "order": {"type": "order", "fanout": 2, "order": [str(11 + 7 * i) for i in range(6)] + ["9999999"]},
        "suppression": {"type": "suppression"},
        "intervals": {"type": "intervals", "widths": [10, 100]},
    }
    rows = [(20 + i % 2, str(11 + 7 * (i % 6))) for i in range(40)] + [(99, "9999999")]
    frame = pl.DataFrame(rows, schema=["age", "code"], orient="row")
    made = library.anonymize(
        frame,
        quasi=["age"],
        sensitive={"code": recipes[kind]},
        k=4,
        require=[{"model": "t-closeness", "t": 0.9, "column": "code", "distance": "hierarchical"}],
        max_suppressed=0.1,
        algorithm="optimal",
    )
    certificate = made.write(tmp_path / "out")
    assert certificate["records"]["suppressed"] == 1
    assert verify(tmp_path / "out").not_derived == {}
