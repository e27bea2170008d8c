"""All that a certificate of the first schema states is derived, or listed here; else it is refused if it is changed.

Those of later schemas are in `tests/actions/verification`.
"""

import hashlib
import json
import shutil
from collections.abc import Callable, Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import shoal
from shoal.actions.verification.verified import Verified
from shoal.certificate import CERTIFICATE, sealed, text_of
from shoal.foundation.errors import CertificateError, SpecError
from shoal.jobs.disclosure import PUBLIC
from shoal.jobs.release_folder import KEPT, PASSED_ON
from shoal.releases.claims.stated import check_url, levels_in, whole
from shoal.tables.folder import folder_digest
from tests.forging import made_first, stated
from tests.jobs.test_disclosure import table
from tests.releases.test_cluster_release import table as places

DIVERSE = {"model": "distinct-l-diversity", "l": 1, "column": "ill"}
CLOSE = {"model": "t-closeness", "t": 1, "column": "ill", "distance": "hierarchical"}
QUASI = {"age": {"type": "intervals", "widths": [2]}, "sex": "suppression"}
OTHERS = ["pay", "job", "note"]
ASKED: dict[str, Any] = {"sensitive": ["ill"], "drop": ["person"], "algorithm": "optimal", "k": 4, "seed": 1}


def _people() -> pl.DataFrame:
    """Return a table with five records that hide in no class, and one without an age."""
    lonely = {"person": ["q"] * 6, "age": [*range(900, 950, 10), None], "ill": [*"abcabc"]}
    data = pl.concat([table(), pl.DataFrame(lonely, schema=table().schema)])
    return data.with_columns(sex=pl.Series([*"MFFMF" * 9, "M"]))


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the releases by kind, beside the tables that they speak of."""
    folder = tmp_path_factory.mktemp("made")
    _people().write_csv(folder / "people.csv")
    pl.DataFrame({"age": [20, 21] * 30, "sex": [*"MFF" * 20]}).write_csv(folder / "all.csv")
    places(20).write_csv(folder / "places.csv")
    people: dict[str, Any] = {**ASKED, "data": folder / "people.csv", "quasi": QUASI, "max_suppressed": 0.2}
    mapped = {"model": "k-map", "k": 3, "population": str(folder / "all.csv")}
    tree = {"ill": {"type": "order", "fanout": 2, "order": [*"bca"]}}
    asked: dict[str, dict[str, Any]] = {
        "dropped": {**people, "require": [DIVERSE]},
        "starred": {**people, "sensitive": tree, "require": [CLOSE], "missing": "drop", "suppressed": "star"},
        "mapped": {**people, "require": [mapped]},
        "table": {**people, "output": f"sqlite:///{folder}/a.db", "output_table": "given"},
        "clusters": {
            "data": folder / "places.csv",
            "quasi": ["age"],
            "sensitive": ["ill"],
            "drop": ["pay", "job", "note"],
        },
    }
    asked["starred"]["suppressed"] = "star"
    asked["clusters"] |= {"k": 4, "algorithm": "mdav", "require": [DIVERSE]}
    for kind, more in asked.items():
        shoal.anonymize(**more).write(folder / kind)
        made_first(folder / kind)
    return folder


def _paths(part: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    for key in list(part) if isinstance(part, dict) else range(len(part)) if isinstance(part, list) else ():
        yield (*at, key)
        yield from _paths(part[key], (*at, key))


def _another(value: Any) -> Any:
    """Return another value of the same kind."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, dict):
        return {} if value else {"x": 1}
    if isinstance(value, list):
        return [] if value else [1]
    return value + "x" if isinstance(value, str) else (value or 0) + 10


CHANGES: dict[str, Callable[[Any, Any], object]] = {
    "gone": lambda part, key: part.pop(key),
    "null": lambda part, key: part.__setitem__(key, None),
    "another": lambda part, key: part.__setitem__(key, _another(part[key])),
}
SEARCH = ("shoal", "loss", "algorithm")  # how it was made: stated by the search, and not derived
PARTS: dict[tuple[str, str], tuple[tuple[str, ...], tuple[str, ...]]] = {
    ("dropped", CERTIFICATE): ((), (*SEARCH, "blind")),  # without the word it is one of an earlier version
    ("dropped", PUBLIC): ((), (*SEARCH, "blind", "records.suppressed", "delimiter")),
    ("starred", CERTIFICATE): (("records", "missing", "claims.1"), ()),
    ("starred", PUBLIC): (("records", "missing", "columns", "claims.1"), ("records.suppressed",)),
    ("mapped", CERTIFICATE): (("claims.1", "algorithm.levels"), ()),
    ("mapped", PUBLIC): (("claims.1",), ("claims.1.parameters", "claims.1.asked", "claims.1.achieved")),
    ("table", CERTIFICATE): (("file", "records"), ()),
    ("table", PUBLIC): (("file", "records"), ("records.suppressed",)),
    ("clusters", CERTIFICATE): (
        ("clusters",),
        ("clusters.objectives.distortion", "clusters.objectives.sse", "clusters.bound", "clusters.metric.centres"),
    ),
    ("clusters", PUBLIC): (("clusters",), ("clusters.metric", "clusters.values")),
}
"""By release and certificate, the parts that are changed (all if none is named) and those that are not derived."""


def _begins(path: str, parts: tuple[str, ...]) -> bool:
    return any(f"{path}.".startswith(f"{part}.") for part in parts)


def _promises(found: Verified) -> int:
    return len(found.findings.claims) + len(found.not_derived)


def _tells_less(found: Verified, whole: Verified) -> bool:
    """Tell whether fewer claims were derived, or on fewer files; those that were are true."""
    claims, all_claims = (one.as_dict()["claims"] for one in (found, whole))
    fewer = len(claims) < len(all_claims) or _promises(found) < _promises(whole) or found.n_files < whole.n_files
    return fewer and all(claim in all_claims for claim in claims)


def _passes(folder: Path, kind: str) -> Verified | None:
    url = f"sqlite:///{folder.parent}/a.db" if kind == "table" else None
    try:
        return shoal.verify(folder, url=url)
    except CertificateError:
        return None
    except shoal.SpecError as error:
        assert "There is no table givenx" in str(error)  # noqa: PT017
        return None


@pytest.mark.parametrize(("kind", "name"), PARTS)
def test_every_part_of_a_certificate_that_is_derived_is_refused_if_it_is_changed(
    made: Path, kind: str, name: str, request: pytest.FixtureRequest
) -> None:
    quick = request.config.getoption("--hypothesis-profile") in (None, "quick")  # then each part is changed in one way
    folder, half = made / kind, {CERTIFICATE: KEPT, PUBLIC: PASSED_ON}[name]
    kept = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    for other in {CERTIFICATE: [f"{PASSED_ON}/{PUBLIC}"], PUBLIC: [f"{KEPT}/{CERTIFICATE}", f"{KEPT}/job.toml"]}[name]:
        (folder / other).unlink()
    whole = _passes(folder, kind)
    assert whole is not None
    content = json.loads((folder / half / name).read_bytes())
    del content["seal"]
    wanted, stated = PARTS[kind, name]
    passed = []
    for number, at in enumerate(_paths(content)):
        path = ".".join(map(str, at))
        ways = list(CHANGES.items())[number % 3 :: 3] if quick else CHANGES.items()
        for how, change in ways if _begins(path, wanted) or not wanted else ():
            changed = deepcopy(content)
            part = changed
            for key in at[:-1]:
                part = part[key]
            change(part, at[-1])
            (folder / half / name).write_bytes(text_of(sealed(changed)))
            found = _passes(folder, kind)
            if found is not None and changed != content and not _begins(path, stated):
                passed += [] if name == PUBLIC and _tells_less(found, whole) else [f"{path} {how}"]
    for file, was in kept.items():
        file.write_bytes(was)
    assert passed == []


@pytest.mark.parametrize("value", [None, 3, [], "witness"])
@pytest.mark.parametrize("key", ["loss", "left_out"])
def test_an_earlier_certificate_may_say_anything_where_it_has_no_types(
    made: Path, tmp_path: Path, key: str, value: Any
) -> None:
    folder = shutil.copytree(made / "dropped", tmp_path / "dropped")
    (folder / PASSED_ON / PUBLIC).unlink()
    path = folder / KEPT / CERTIFICATE
    content = {**json.loads(path.read_bytes()), key: value}
    del content["seal"]
    path.write_bytes(text_of(sealed(content)))
    assert shoal.verify(folder).findings.claims


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("small")
    data = pl.DataFrame({"age": ["1", "2"] * 4, "ill": [*"abcd" * 2]})
    shoal.anonymize(data, quasi=["age"], sensitive=["ill"], k=2).write(folder / "out")
    return folder / "out"


def test_a_certificate_that_says_its_schema_follows_it(small: Path, tmp_path: Path) -> None:
    for half, name, other in (
        (KEPT, CERTIFICATE, f"{PASSED_ON}/{PUBLIC}"),
        (PASSED_ON, PUBLIC, f"{KEPT}/{CERTIFICATE}"),
    ):
        told = whole(small / half / name, small / PASSED_ON)
        assert told["schema"] == 2
        shutil.copy(small / "public/data.csv", tmp_path)
        for wrong, words in (
            ({**told, "more": 1}, "more"),
            (stated(small / other), "schema"),
            ({**told, "file": {**told["file"], "records": 9}}, f"The figures of {name} contradict each other"),
        ):
            (tmp_path / name).write_bytes(text_of(sealed(wrong)))
            with pytest.raises(CertificateError, match=words):
                whole(tmp_path / name, tmp_path)
        (tmp_path / name).write_bytes(text_of(sealed(told)))
        assert whole(tmp_path / name, tmp_path) == told


DATA = hashlib.sha256(b"a\n").hexdigest()
LEAST: dict[str, Any] = {
    "verdict": "",
    "records": {"released": 1, "suppressed": 0},
    "missing": {"reading": "category"},
    "classes": {},
    "claims": [],
    "algorithm": {"levels": {"age": 1}},
    "file": {"name": "data.csv", "sha256": DATA, "columns": []},
}


def stating(folder: Path, **more: Any) -> Path:
    """Write a certificate of the first schema with its file, and something else said of that."""
    folder.mkdir(exist_ok=True)
    for path in (folder / "data.csv", folder.parent / "data.csv"):
        path.write_bytes(b"a\n")
    (folder / CERTIFICATE).write_bytes(text_of(sealed({**LEAST, "file": {**LEAST["file"], **more}})))
    return folder


def beside(folder: Path) -> dict[str, Any]:
    """Read a certificate that stands beside its file, as it did in earlier versions."""
    return whole(folder / CERTIFICATE, folder)


def test_the_file_is_beside_the_certificate_and_has_its_digest(tmp_path: Path) -> None:
    assert beside(stating(tmp_path / "out")) == LEAST
    for name in ("../data.csv", "..", "", "."):
        with pytest.raises(CertificateError, match="lacks what a certificate states"):
            beside(stating(tmp_path / "out", name=name))
    with pytest.raises(CertificateError, match=r"The file 'other\.csv' to which the certificate refers is not in"):
        beside(stating(tmp_path / "out", name="other.csv"))
    with pytest.raises(CertificateError, match=r"The file 'data\.csv' is not the one that was certified"):
        beside(stating(tmp_path / "out", sha256="0" * 64))
    (tmp_path / "out/data.csv").rename(tmp_path / "data.csv")
    (tmp_path / "out" / CERTIFICATE).write_bytes(text_of(sealed(LEAST)))
    assert whole(tmp_path / "out" / CERTIFICATE, tmp_path) == LEAST  # or in a folder of its own
    with pytest.raises(
        CertificateError, match=f"'data.csv' to which the certificate refers is not in '{tmp_path}/out'"
    ):
        beside(tmp_path / "out")
    table = {"name": "a/b", "database": "sqlite", "sha256": "0" * 64}
    assert beside(stating(tmp_path / "out", **table))["file"]["name"] == "a/b"


def test_a_folder_of_files_has_the_digest_of_all_of_them(tmp_path: Path) -> None:
    part = tmp_path / "out/data/part-0.csv"
    part.parent.mkdir(parents=True)
    part.write_bytes(b"a\n")
    digest = folder_digest(part.parent, [part])
    for released in (0, 1):
        told = {**LEAST, "records": {"released": released, "suppressed": 0}}
        told["file"] = {**LEAST["file"], "name": "data", "sha256": digest}
        (tmp_path / "out" / CERTIFICATE).write_bytes(text_of(sealed(told)))
        assert beside(tmp_path / "out") == told
    part.write_bytes(b"b\n")
    with pytest.raises(CertificateError, match=r"The folder 'data' is not the one that was certified"):
        beside(tmp_path / "out")
    part.parent.rename(tmp_path / "out/data.d")
    with pytest.raises(CertificateError, match=r"The file 'data\.d' to which the certificate refers is not in"):
        beside(stating(tmp_path / "out", name="data.d"))


def test_levels_are_read_without_the_files(tmp_path: Path) -> None:
    assert levels_in(stating(tmp_path / "out", name="gone.csv"), CERTIFICATE) == {"age": 1}
    with pytest.raises(CertificateError, match="lacks what a certificate states"):
        levels_in(stating(tmp_path / "out", columns=None), CERTIFICATE)


def test_a_database_is_given_for_a_release_that_is_in_one() -> None:
    for url, in_database in ((None, False), (None, True), ("sqlite:///a.db", True)):
        check_url(Path("out"), url, in_database=in_database)
    with pytest.raises(SpecError, match="The release in 'out' is a file, and not in a database"):
        check_url(Path("out"), "sqlite:///a.db", in_database=False)
