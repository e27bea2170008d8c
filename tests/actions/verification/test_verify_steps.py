"""Each step of a verification, alone: what it refuses, what it lets pass, and that none is left out."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import polars as pl
import pytest

import shoal
from shoal.actions import verify as front
from shoal.actions.verification.told import RAW, SEARCH
from shoal.actions.verification.verified import Verified
from shoal.actions.verify import (
    _blind_agrees,
    _by_raw_table,
    _check_digest,
    _check_public,
    _claim,
    _clusters,
    _compare,
    _hierarchies,
    _populations,
    _radius,
    _values,
    verify,
)
from shoal.certificate import BY_WILDCARDS, VERDICT, Claim, ClusterFindings, Findings, sealed, text_of
from shoal.foundation.errors import CertificateError, SpecError
from shoal.foundation.progress import silent
from shoal.jobs.disclosure import PUBLIC
from shoal.jobs.release_folder import ReleaseFolder
from shoal.jobs.sections import ReleaseRequest
from shoal.models import KAnonymity, KMap, TCloseness
from shoal.models.claim import claim_of
from shoal.models.model import PrivacyModel
from shoal.releases.claims.manifest import MANIFEST
from shoal.releases.claims.release_claims import Promised
from shoal.releases.release import Release
from shoal.tables.hierarchies import Hierarchy
from tests.releases.claims.test_release_claims import claims

VERIFY = "shoal.actions.verify"
SIGNED = f"{MANIFEST}.me.sig"
TABLE = pl.DataFrame({"age": [20, 20, 30, 30], "ill": ["u", "v", "u", "v"]})
ASKED: dict[str, Any] = {"quasi": ["age"], "sensitive": ["ill"], "k": 2}
KEPT = KAnonymity(k=2)
CLAIM = Claim(KEPT, {"k": 2}, True)
JOB: Any = SimpleNamespace()


def refuse(words: str) -> Callable[..., None]:
    def refused(*_: Any, **__: Any) -> None:
        raise CertificateError(words)

    return refused


@pytest.fixture(scope="module")
def release() -> Release:
    return shoal.anonymize(TABLE, **ASKED)


@pytest.fixture(scope="module")
def out(release: Release, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("steps") / "out"
    release.write(folder)
    (folder / "private" / SIGNED).write_bytes(b"")
    return folder


@pytest.fixture(scope="module")
def clustered(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("clustered")
    for shape in ("both", "records", "clusters"):
        shoal.anonymize(TABLE, **ASKED, algorithm="mdav", shape=shape).write(folder / shape)
    return folder


def test_what_was_found_is_told_in_words_and_numbers() -> None:
    found = Verified(Findings((CLAIM,), {"count": 1}, 4, {"name": "data.csv"}), {})
    assert (found.verdict, found.public, found.n_files) == (VERDICT, False, 1)
    assert replace(found, wildcard=True).verdict == BY_WILDCARDS
    assert replace(found, not_derived={"a": "b"}).verdict == "1 claims hold, 1 could not be derived here"
    assert "clusters" not in found.as_dict()
    sizes = {"count": 2, "smallest": 2, "largest": 2}
    for files, number in ((("a", "a"), 1), (("a", "b"), 2), (("a", ""), 1), (("", ""), 0)):
        named = [{"name": name} if name else {} for name in files]
        clusters = ClusterFindings((CLAIM,), {**sizes, "more": 1}, 0.0, named[1])
        both = replace(found, findings=replace(found.findings, file=named[0]), clusters=clusters)
        assert both.n_files == number
        assert both.as_dict()["clusters"] == {**sizes, "claims": [CLAIM.as_dict()], "file": named[1]}


def test_the_raw_table_is_asked_only_where_that_is_wanted(release: Release, out: Path) -> None:
    assert "loss.total" in verify(out).told
    for bound in (False, True):
        found = verify(out, raw=TABLE, bound=bound)
        assert (found.not_derived, "loss.total" in found.told, "loss.bound" in found.told) == ({}, False, not bound)
    with pytest.raises(SpecError, match="A bound is derived from the raw table"):
        verify(out, bound=True)
    assert verify(release).verdict == VERDICT
    for asked in ({"raw": True}, {"keys": ["key"]}):
        with pytest.raises(SpecError, match="A release in memory has no signatures, and knows its raw table"):
            verify(release, **asked)


@pytest.mark.parametrize(
    "step", ["check_job", "_check_digest", "Findings.demand", "_compare", "compare_clusters", "_check_public"]
)
def test_no_step_is_left_out(out: Path, step: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"{VERIFY}.{step}", refuse(step))
    with pytest.raises(CertificateError, match=step):
        verify(out)


@pytest.mark.parametrize("shape", ["both", "records", "clusters"])
def test_records_and_clusters_are_each_examined(clustered: Path, shape: str, monkeypatch: pytest.MonkeyPatch) -> None:
    found = verify(clustered / shape)
    assert found.findings.file["name"] == ("clusters.csv" if shape == "clusters" else "data.csv")
    assert (found.clusters is None) == (shape == "records")
    assert (found.n_files, [*found.not_derived], found.public) == (2 if shape == "both" else 1, ["radius"], False)
    if shape != "records":
        monkeypatch.setattr("shoal.certificate.ClusterFindings.demand", refuse("the clusters"))
        with pytest.raises(CertificateError, match="the clusters"):
            verify(clustered / shape)


def test_the_folder_of_a_file_is_that_of_the_release(out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Path] = []
    monkeypatch.setattr(f"{VERIFY}._check_public", lambda found, _: asked.append(found.where.root))
    for path in (out, out / "private/certificate.json"):
        assert verify(path).signatures == {SIGNED: None}
    assert asked == [out, out]
    assert verify(out / "public" / PUBLIC).public


def test_what_the_raw_table_tells_is_taken_over(out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for reason, lacking in ((None, {}), ("why", {"search": "why"})):
        monkeypatch.setattr(f"{VERIFY}._by_raw_table", lambda *_, reason=reason, **__: (reason, ("loss.share",)))
        found = verify(out, raw=TABLE)
        assert found.not_derived == lacking
        assert ("loss.share" in found.told, "loss.total" in found.told) == (False, True)


@pytest.mark.parametrize("reason", [None, "why"])
@pytest.mark.parametrize("bound", [False, True])
@pytest.mark.parametrize(("rules", "cells"), [(False, True), (False, False), (True, True)])
def test_a_search_is_repeated_for_a_bound_and_where_cells_do_not_tell(
    rules: bool, cells: bool, bound: bool, reason: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(f"{VERIFY}.repeat", lambda *_: reason)
    checked: list[bool] = []

    def check() -> bool:
        checked.append(cells)
        return cells

    raw: Any = SimpleNamespace(certificate={"rules": {}} if rules else {}, check=check)
    found = _by_raw_table(raw, bound=bound, progress=silent)
    assert checked == ([] if rules else [cells])
    if cells and not rules and not bound:
        assert found == (None, RAW)
    else:
        told = RAW if cells and not rules else ()
        assert found == ((None, (*RAW, *SEARCH)) if reason is None else (reason, told))


def test_a_release_in_memory_is_put_to_its_certificate(release: Release, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as changed:
        changed.delitem(release.certificate, "classes")
        changed.setitem(release.certificate, "more", 1)
        changed.setitem(release.certificate, "verdict", "")
        with pytest.raises(
            CertificateError, match=r"The release and its certificate differ in classes, more, verdict\."
        ):
            verify(release)
    monkeypatch.setattr(Release, "holds", lambda *_: False)
    with pytest.raises(CertificateError, match="are not what was certified"):
        verify(release)


def test_outside_tables_are_read_where_a_promise_speaks_of_one(monkeypatch: pytest.MonkeyPatch) -> None:
    mapped = KMap(k=2, population="all.csv")
    told = {**claims().certificate, "algorithm": {"levels": {"age": 1}}}
    both = replace(claims(KEPT, mapped), certificate=told, job=JOB)
    cells = {"all.csv": TABLE}
    monkeypatch.setattr(front, "population_evidence", lambda *_: cells)
    assert _populations(both) == (both, cells)
    for other in (replace(both, job=None), replace(claims(KEPT), job=JOB)):
        assert _populations(other) == (other, {})
    monkeypatch.setattr(front, "population_evidence", lambda *_: cells["other"])
    with pytest.raises(CertificateError, match="lacks what a certificate states"):
        _populations(both)


def test_without_its_outside_table_a_promise_is_not_derived(monkeypatch: pytest.MonkeyPatch) -> None:
    def gone(*_: Any) -> None:
        raise SpecError("gone")

    monkeypatch.setattr(front, "population_evidence", gone)
    mapped = KMap(k=2, population="all.csv")
    promised = (
        *(Promised(None, KEPT, "kept"), Promised(None, mapped, "mapped")),
        *(Promised(None, mapped, "other", "more"), Promised(None, None, "untold")),
    )
    told = {**claims().certificate, "algorithm": {"levels": {}}}
    found, cells = _populations(replace(claims(), promised=promised, job=JOB, certificate=told))
    assert [one.lacking for one in found.promised] == [None, "gone", "more", None]
    assert cells == {}


def test_a_table_is_the_one_that_was_certified(monkeypatch: pytest.MonkeyPatch) -> None:
    table: Any = SimpleNamespace()
    monkeypatch.setattr(front, "read_clusters", lambda *_: (table, {"name": "clusters", "sha256": "1"}))
    evidence = claims().evidence({})
    assert _clusters(claims(), evidence) == (None, {})
    for digest in ("1", "2"):
        where: Any = {"clusters": None}
        told = replace(claims(), locations=where, certificate={"clusters": {"file": {"sha256": digest}}})
        if digest == "1":
            assert _clusters(told, evidence) == (table, {"name": "clusters", "sha256": "1"})
            _check_digest({"name": "clusters", "sha256": "1"}, told.certificate["clusters"]["file"])
        else:
            with pytest.raises(CertificateError, match="The table clusters is not the one that was certified"):
                _clusters(told, evidence)


def test_sensitive_values_are_those_of_the_records_or_of_the_clusters() -> None:
    table: Any = SimpleNamespace(sensitive={"ill": SimpleNamespace(values=["a", "b"])})
    assert _values(claims(), table)("ill").to_list() == ["a", "b"]
    records: Any = SimpleNamespace(counted=lambda names: (SimpleNamespace(frame=TABLE.select(names)), {}))
    assert _values(replace(claims(), locations={"records": records}), None)("ill").to_list() == ["u", "v", "u", "v"]


def test_hierarchies_are_built_where_a_promise_measures_along_them() -> None:
    tree = Hierarchy.of_rows([("u", "*"), ("v", "*")], "hierarchy")
    along, flat = (TCloseness(t=1, column="wage", distance=kind) for kind in ("hierarchical", "equal"))
    for models, built, found in (((along,), tree, {"wage": tree}), ((along,), None, {}), ((flat,), tree, {})):
        column: Any = SimpleNamespace(hierarchy_over=lambda *_, built=built: built, role=None)
        told = replace(claims(*models), columns={"wage": column}, job=JOB)
        assert _hierarchies(told, lambda _: pl.Series(["v", "u"])) == found
    stranger = replace(claims(along), columns={"wage": SimpleNamespace(hierarchy_over=lambda *_: tree)})  # type: ignore[dict-item]
    for job, error in ((JOB, SpecError), (None, CertificateError)):
        with pytest.raises(error, match="lacks 1 of"):
            _hierarchies(replace(stranger, job=job), lambda _: pl.Series(["v", "w"]))


def test_all_in_which_file_and_certificate_differ_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    found = Findings((CLAIM,), {"count": 2}, 4, {"name": "data.csv"})
    told = {
        "verdict": VERDICT,
        "blind": True,
        "file": found.file,
        "classes": found.classes,
        "claims": [CLAIM.as_dict()],
    }
    stated = replace(claims(), certificate=told, promised=(Promised(CLAIM.as_dict(), KEPT, "kept"),))
    monkeypatch.setattr(front, "numbers_agree", lambda *_: True)
    _compare(found, stated)
    with pytest.raises(
        CertificateError, match="differ in the verdict, what it says of the file, the classes, the number"
    ):
        _compare(found, replace(stated, certificate={**told, "verdict": "", "file": {}, "classes": {}, "claims": []}))
    with pytest.raises(CertificateError, match=r"differ in the verdict\.$"):
        _compare(found, replace(stated, wildcard=True))
    _compare(found, replace(stated, wildcard=True, certificate={**told, "verdict": BY_WILDCARDS}))
    earlier = {key: part for key, part in told.items() if key != "blind"}
    _compare(found, replace(stated, wildcard=True, certificate=earlier))
    with pytest.raises(CertificateError, match=r"differ in the claim kept\.$"):
        _compare(replace(found, claims=(replace(CLAIM, achieved={"k": 3}),)), stated)
    monkeypatch.setattr(front, "numbers_agree", lambda *_: False)
    with pytest.raises(CertificateError, match=r"differ in whether it is blind, the numbers of records\.$"):
        _compare(found, replace(stated, certificate={**told, "blind": None}))


def test_what_a_certificate_must_say_of_a_promise() -> None:
    derived: dict[PrivacyModel, dict[str, Any]] = {KEPT: {"derived": 1}}
    said = claim_of(KEPT, {"k": 5}, holds=False)
    for one, expected in (
        (Promised(said, KEPT, "kept"), {"derived": 1}),
        (Promised(None, KEPT, "kept", "a file"), {"derived": 1}),
        (Promised(None, KMap(k=2, population="all.csv"), "mapped"), None),
        (Promised(said, None, "untold"), None),
        (Promised({"holds": False, "more": 1}, None, "untold", "a file"), {"holds": True, "more": 1}),
        (Promised(said, KEPT, "kept", "a file"), {**said, "holds": True}),
        (Promised({**said, "strict": 3}, KEPT, "kept", "a file"), {**said, "strict": 3, "holds": True}),
        (Promised({}, KEPT, "kept", "a file"), {**said, "achieved": None, "holds": True}),
    ):
        assert _claim(one, derived) == expected


def test_whether_a_release_is_blind_is_what_its_job_tells(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(front, "is_blind", lambda _, *, applied: applied)
    for certificate, job, agrees in (
        ({}, JOB, True),
        ({"blind": True}, None, True),
        ({"blind": False}, None, True),
        ({"blind": None}, None, False),
        ({"blind": True}, JOB, False),
        ({"blind": False}, JOB, True),
        ({"blind": True, "rules": {}}, JOB, True),
        ({"blind": False, "rules": {}}, JOB, False),
    ):
        assert _blind_agrees(replace(claims(), certificate=certificate, job=job)) is agrees


@pytest.mark.parametrize(
    ("stated", "first", "words"),
    [
        ({"a": 1, "b": 2}, False, ""),
        ({"a": 1, "b": 3}, False, "b"),
        ({"a": 1, "b": 2, "c": 3}, False, "c"),
        ({"a": 1}, False, "b"),
        ({"a": 1}, True, ""),
        ({"a": 2, "b": 2}, True, "a"),
    ],
)
def test_a_public_certificate_says_what_the_other_one_does(
    tmp_path: Path, stated: dict[str, int], first: bool, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(front, "disclosed", lambda *_: {"a": 1, "b": 2})
    where = ReleaseFolder.in_one(tmp_path, whole=True)
    steward = replace(claims(), job=JOB, certificate={} if first else {"schema": 2}, where=where)
    (tmp_path / PUBLIC).write_bytes(text_of(sealed(stated)))
    if words:
        with pytest.raises(CertificateError, match=rf"it differs in {words}\.$"):
            _check_public(steward, refuse("no column is read"))  # type: ignore[arg-type]
    else:
        _check_public(steward, refuse("no column is read"))  # type: ignore[arg-type]


def test_a_public_certificate_is_put_to_the_other_one_where_both_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(front, "disclosed", refuse("asked"))
    where = ReleaseFolder.in_one(tmp_path, whole=True)
    steward, values = replace(claims(), job=JOB, where=where), refuse("no column is read")
    _check_public(steward, values)  # type: ignore[arg-type]
    (tmp_path / PUBLIC).write_bytes(text_of(sealed({})))
    _check_public(replace(claims(), where=where), values)  # type: ignore[arg-type]
    with pytest.raises(CertificateError, match="asked"):
        _check_public(steward, values)  # type: ignore[arg-type]
    monkeypatch.setattr(front, "disclosed", lambda *_: dict[str, Any]()["gone"])
    with pytest.raises(CertificateError, match="lacks what a certificate states"):
        _check_public(steward, values)  # type: ignore[arg-type]


def test_radii_are_put_to_the_raw_table_by_those_who_have_it(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []

    def check_radius(_: Any, certificate: dict[str, Any], *given: Any) -> str | None:
        asked.append(given)
        return certificate["why"]

    monkeypatch.setattr(front, "centres_of", lambda *_: "of records")
    monkeypatch.setattr(front, "check_radius", check_radius)
    findings, table = Findings((), {}, 4, {}), SimpleNamespace(centres="of clusters")
    shaped = replace(claims(), release=ReleaseRequest(shape="both"), locations={"records": None})  # type: ignore[dict-item]
    plain = replace(shaped, release=ReleaseRequest())
    for reason in (None, "why"):
        lacking = {} if reason is None else {"radius": reason}
        untold = {"radius": "needs the raw table, which is not passed on"}
        for stated, job, clusters, expected in (
            *((plain, JOB, table, {}), (plain, JOB, None, {}), (plain, None, table, {})),
            *((shaped, None, None, {}), (shaped, None, table, untold)),
            *((shaped, JOB, table, lacking), (shaped, JOB, None, lacking)),
        ):
            told = replace(stated, job=job, certificate={**stated.certificate, "why": reason})
            assert _radius(told, clusters, findings, silent) == expected  # type: ignore[arg-type]
    assert asked == [("of clusters", 4), ("of records", 4)] * 2
