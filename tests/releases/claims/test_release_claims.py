"""What a release claims, in one form for both kinds of certificate."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from shoal.certificate import Claim
from shoal.clusters.cluster_table import own_names
from shoal.foundation.errors import CertificateError, MissingExtraError, SpecError
from shoal.jobs.delivery import Part
from shoal.jobs.release_folder import ReleaseFolder
from shoal.jobs.sections import ColumnRequest, ReleaseRequest
from shoal.models import KAnonymity, PrivacyModel, TCloseness
from shoal.releases.claims.release_claims import Promised, ReleaseClaims
from shoal.tables.databases import database_of
from shoal.tables.databases.address import Address
from shoal.tables.location import FileLocation, Location, TableLocation
from shoal.tables.table import Role

ROLES = {"who": Role.ENTITY, "age": Role.QUASI, "illness": Role.SENSITIVE, "wage": Role.SENSITIVE, "zip": Role.QUASI}


def claims(*models: PrivacyModel) -> ReleaseClaims:
    return ReleaseClaims(
        certificate={"file": {"columns": ["wage", "zip", "illness", "age"]}},
        columns={name: ColumnRequest(role=role) for name, role in ROLES.items()},
        promised=tuple(Promised(None, model, model.name) for model in models),
        locations={},
        release=ReleaseRequest(),
        wildcard=False,
        folder=Path(),
        where=ReleaseFolder.of(Path()),
    )


def test_only_columns_that_a_promise_is_about_are_needed() -> None:
    """All sensitive ones where an attacker knows the others; the quasi-identifiers in the order of the file."""
    close = TCloseness(t=1, column="wage")
    for models, expected in (
        ((KAnonymity(k=2),), ()),
        ((KAnonymity(k=2), close), ("wage",)),
        ((KAnonymity(k=2, entity="who"), close), ("wage", "who")),
        ((TCloseness(t=1, column="wage", others="known"),), ("illness", "wage")),
        ((KAnonymity(k=2), TCloseness(t=1, column="wage", others="known")), ("illness", "wage")),
    ):
        evidence = claims(*models).evidence({})
        assert evidence.sensitive == expected
        assert evidence.quasi == ("zip", "age")


def test_a_promise_that_lacks_something_is_not_derived() -> None:
    one, other = KAnonymity(k=2), TCloseness(t=1, column="wage")
    promised = (
        Promised(None, one, "one"),
        Promised(None, other, "other", "a file"),
        Promised(None, None, "third", "all"),
    )
    found = replace(claims(), promised=promised)
    assert found.models == [one]
    assert found.lacking == {"other": "a file", "third": "all"}


def test_strict_counting_is_told_since_blindness_is() -> None:
    claim = Claim(KAnonymity(k=2), {"k": 3}, True, {"k": 2})
    assert claim.as_dict()["strict"] == 2
    for told, earlier in (({}, True), ({"blind": False}, False), ({"schema": 2}, False)):
        found = replace(claims(), certificate={"verdict": "", **told})
        assert found.earlier is earlier
        assert found.stated(claim) == (replace(claim, strict=None).as_dict() if earlier else claim.as_dict())


def test_clusters_hold_all_sensitive_columns() -> None:
    plain = claims(KAnonymity(k=2))
    assert not plain.centres
    assert (plain.evidence({}).held, plain.evidence({}).values) == ((), "multiset")
    for told, values in ((None, "multiset"), ("multiset", "multiset"), ("set", "set")):
        found = replace(plain, release=ReleaseRequest(shape="both", values=told))
        assert found.centres
        assert (found.evidence({}).held, found.evidence({}).values) == (("illness", "wage"), values)


HEADER = ["who", "age", "illness", "wage", "zip"]
OF_CLUSTERS = ["age", "zip", "illness", "wage"]


@pytest.fixture
def places(tmp_path: Path) -> dict[Part, Location]:
    clusters = [*OF_CLUSTERS, *own_names(OF_CLUSTERS)]
    for name, columns in (("data.csv", HEADER), ("clusters.csv", clusters)):
        (tmp_path / name).write_text(",".join(columns) + "\n", encoding="utf-8")
    return {
        "records": FileLocation(tmp_path / "data.csv", ","),
        "clusters": FileLocation(tmp_path / "clusters.csv", ","),
    }


def stated(**more: Any) -> dict[str, Any]:
    """Return a certificate of two files, with more said of each."""
    clusters = {"name": "clusters.csv", "columns": [*OF_CLUSTERS, *own_names(OF_CLUSTERS)]}
    file = {"name": "data.csv", "columns": HEADER}
    return {"file": file | more.get("file", {}), "clusters": {"file": clusters | more.get("clusters", {})}}


def checked(places: Mapping[Part, Location], told: dict[str, Any], **more: Any) -> None:
    replace(claims(), locations=places, certificate=told, **more).check("They")


def test_each_part_is_the_file_that_is_stated(places: dict[Part, Location]) -> None:
    checked(places, stated())
    for part in ("file", "clusters"):
        for more in ({"name": "other.csv"}, {"database": "sqlite"}):
            with pytest.raises(CertificateError, match="They differ in the name of a file or table"):
                checked(places, stated(**{part: more}))
        with pytest.raises(CertificateError, match="They differ in the columns"):
            checked(places, stated(**{part: {"columns": ["age"]}}))


def test_a_table_is_stated_as_one_and_has_no_header(tmp_path: Path) -> None:
    table: dict[Part, Location] = {
        "records": TableLocation(database_of(Address.of(f"sqlite:///{tmp_path}/none.db")), "given")
    }
    checked(table, stated(file={"name": "given", "database": "sqlite"}))
    with pytest.raises(CertificateError, match="They differ in the name of a file or table"):
        checked(table, stated(file={"name": "given"}))


def test_something_is_a_quasi_identifier(places: dict[Part, Location]) -> None:
    columns = {name: ColumnRequest(role=Role.SENSITIVE) for name in HEADER}
    with pytest.raises(CertificateError, match="They differ in the columns"):
        checked({"records": places["records"]}, stated(), columns=columns)


def test_a_file_has_the_columns_that_are_stated(tmp_path: Path, places: dict[Part, Location]) -> None:
    with pytest.raises(CertificateError, match=r"data\.csv' and its certificate differ in the columns"):
        checked(places, stated(file={"columns": HEADER[::-1]}))
    (tmp_path / "clusters.csv").write_bytes(b"")
    with pytest.raises(CertificateError, match=r"clusters\.csv' cannot be read as the certificate says\. ."):
        checked(places, stated())


def test_a_package_that_is_missing_says_nothing_of_the_file(
    places: dict[Part, Location], monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(location: FileLocation) -> list[str]:
        raise MissingExtraError("package", "extra")

    monkeypatch.setattr(FileLocation, "columns", missing)
    with pytest.raises(SpecError, match="needs the package 'package'"):
        checked(places, stated())
