import hashlib
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import cast

import polars as pl
import pytest

from shoal.certificate import (
    Evidence,
    examine_clusters,
    examine_frame,
    examine_location,
    examine_rows,
    read_clusters,
    sealed,
    text_of,
    unsealed,
    verdict_of,
)
from shoal.classes.observed import COUNT
from shoal.clusters.cluster_table import ClusterTable, ValuesOption
from shoal.foundation.errors import CertificateError
from shoal.models import DistinctLDiversity, KAnonymity, KMap, TCloseness
from shoal.tables.location import FileLocation
from shoal.tables.rows import Rows

FRAME = pl.DataFrame({"age": ["20-29"] * 3 + ["30-39"] * 4, "ill": ["a", "b", "b", "a", "a", "a", "a"]})
EVIDENCE = Evidence(quasi=("age",), sensitive=("ill",))


def test_claims_are_derived_from_the_columns_alone() -> None:
    found = examine_frame(FRAME, [KAnonymity(k=3), DistinctLDiversity(l=2, column="ill")], EVIDENCE)
    assert [claim.as_dict()["achieved"] for claim in found.claims] == [3, 1]
    assert [claim.holds for claim in found.claims] == [True, False]
    assert found.classes == {"count": 2, "smallest": 3, "largest": 4, "average": 3.5}
    assert found.n_records == 7


def test_a_refusal_names_every_claim_that_fails() -> None:
    models = [KAnonymity(k=4), DistinctLDiversity(l=2, column="ill"), TCloseness(t=Fraction(1, 10), column="ill")]
    with pytest.raises(CertificateError) as caught:
        examine_frame(FRAME, models, EVIDENCE).demand()
    for words in ("k-anonymity: asked 4, found 3", "distinct-l-diversity: asked 2, found 1", "t-closeness: asked 0.1"):
        assert words in str(caught.value)
    examine_frame(FRAME, [KAnonymity(k=3)], EVIDENCE).demand()


@pytest.mark.parametrize(
    ("file", "words"),
    [
        (None, "Refused: the release does not"),
        ({"name": "data.csv"}, "Refused: the written file does not"),
        ({"name": "t", "database": "sqlite"}, "Refused: the written table does not"),
    ],
)
def test_a_refusal_speaks_of_a_file_only_where_one_was_written(file: dict[str, str] | None, words: str) -> None:
    with pytest.raises(CertificateError, match=words):
        examine_rows(Rows.each(FRAME), [KAnonymity(k=4)], EVIDENCE, file=file).demand()


def test_rows_that_are_counted_say_the_same_as_records() -> None:
    models = [KAnonymity(k=3), DistinctLDiversity(l=2, column="ill")]
    rows = Rows.of(FRAME, EVIDENCE.columns)
    assert rows.frame.height == 3
    assert examine_rows(rows, models, EVIDENCE) == examine_frame(FRAME, models, EVIDENCE)


def test_a_missing_value_is_a_value_unless_it_is_a_wildcard() -> None:
    frame = pl.DataFrame({"age": ["20", "20", "20", None]}, schema={"age": pl.String})
    for wildcard, k in ((False, 1), (True, 4)):
        found = examine_frame(frame, [KAnonymity(k=2)], Evidence(quasi=("age",), wildcard=wildcard))
        assert found.claims[0].as_dict()["achieved"] == k
        assert found.classes["smallest"] == 1


def test_where_missing_values_match_everything_strict_counting_stands_beside() -> None:
    frame = pl.DataFrame({"age": ["20", "20", None], "ill": ["a", "b", "a"]})
    for wildcard, achieved, strict, verdict in (
        (False, 1, None, "all claims hold"),
        (True, 3, {"k": 1}, "all claims hold by the wildcard reading"),
    ):
        found = examine_frame(frame, [KAnonymity(k=2)], replace(EVIDENCE, wildcard=wildcard)).claims[0]
        assert (found.as_dict()["achieved"], found.strict) == (achieved, strict)
        assert verdict_of(wildcard=wildcard) == verdict


def test_each_cluster_counts_its_own_records_however_missing_values_are_read() -> None:
    for wildcard in (False, True):
        evidence = Evidence(quasi=("age",), held=("ill",), wildcard=wildcard)
        found = examine_clusters(clusters_of(), [KAnonymity(k=2)], evidence, {"name": "clusters.csv"})
        assert found.file == {"name": "clusters.csv"}
        assert found.claims[0].strict == (found.claims[0].achieved if wildcard else None)


def test_sets_do_not_decide_how_often_a_value_occurs() -> None:
    often = TCloseness(t=Fraction(1, 1), column="ill")
    evidence = Evidence(quasi=("age",), sensitive=("ill",), held=("ill",))
    for kind, told in (("multiset", [often]), ("set", [])):
        found = examine_clusters(clusters_of(cast("ValuesOption", kind)), [often], evidence)
        assert [claim.model for claim in found.claims] == told


@pytest.mark.parametrize("delimiter", [",", ";", "~"])
def test_a_file_is_read_back_from_disk(tmp_path: Path, delimiter: str) -> None:
    path = tmp_path / "data.csv"
    FRAME.with_columns(x=pl.lit("y")).write_csv(path, separator=delimiter)
    found = examine_location(FileLocation(path, delimiter), [KAnonymity(k=3)], EVIDENCE)
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    assert found.file == {"name": "data.csv", "sha256": digest, "columns": ["age", "ill", "x"], "records": 7}


def test_a_seal_covers_all_that_is_said() -> None:
    content = {"claims": [1, 2.5, "ü"], "file": {"name": "data.csv"}}
    text = text_of(sealed(content))
    assert unsealed(text) == content
    for old, new in (
        (b"2.5", b"2.6"),
        (b"  ", b" \t"),
        (b"data", b"date"),
        (b'"seal"', b'"sail"'),
        ("ü".encode(), b"\\u00fc"),
    ):
        assert old in text
        with pytest.raises(CertificateError):
            unsealed(text.replace(old, new))
    for broken in (b"", b"{}", b"[]", b"\xff", text[:-1], text_of(content)):
        with pytest.raises(CertificateError):
            unsealed(broken)


def test_a_certificate_is_written_with_two_blanks_for_each_level() -> None:
    assert text_of({"a": {"b": "ü"}}) == '{\n  "a": {\n    "b": "ü"\n  }\n}\n'.encode()


def test_a_missing_value_is_no_wildcard_unless_that_is_said() -> None:
    frame = pl.DataFrame({"age": ["20", "20", None]})
    assert not examine_frame(frame, [KAnonymity(k=2)], Evidence(quasi=("age",))).claims[0].holds


def test_a_star_is_a_value_where_missing_ones_are_wildcards() -> None:
    frame = pl.DataFrame({"age": ["20", "20", "*", "*", "*"]})
    found = examine_frame(frame, [KAnonymity(k=3)], Evidence(quasi=("age",), wildcard=True))
    assert not found.claims[0].holds


def test_promises_on_everybody_are_put_to_the_population() -> None:
    cells = pl.DataFrame({"age": ["20-29", "30-39"], COUNT: [9, 4]})
    evidence = Evidence(quasi=("age",), populations={"people.csv": cells})
    for k, holds in ((4, True), (5, False)):
        found = examine_frame(FRAME, [KMap(k=k, population="people.csv")], evidence)
        assert found.claims[0].holds is holds


def test_pseudonyms_leave_as_many_persons_as_the_strictest_promise_asks_for() -> None:
    """The class has four records of three persons."""
    frame = pl.DataFrame({"age": ["20"] * 4, "ill": [*"abab"], "id": ["p", "p", "q", "r"]})
    evidence, two = replace(EVIDENCE, pseudonyms=("id",)), DistinctLDiversity(l=2, column="ill")
    assert examine_frame(frame, [KAnonymity(k=3), two], evidence).breaches == ()
    (breach,) = examine_frame(frame, [KAnonymity(k=4), two], evidence).breaches
    assert "a class has 3 persons, whom their pseudonyms tell apart, and 4 are needed" in breach
    alone = pl.DataFrame({"age": ["20"] * 2, "ill": [*"ab"], "id": ["p", "p"]})
    assert examine_frame(alone, [], evidence).breaches == ()


@pytest.mark.parametrize(("wildcard", "clustered"), [(True, False), (False, True), (True, True)])
def test_pseudonyms_of_several_records_break_classes_that_overlap(*, wildcard: bool, clustered: bool) -> None:
    records, clusters = RECORDS.with_columns(id=pl.Series([*"pqrsppt"])), clusters_of()
    evidence = Evidence(quasi=("age",), held=("ill",), pseudonyms=("id",), wildcard=wildcard)
    found = examine_frame(records, [], evidence, clusters if clustered else None)
    assert any("classes overlap" in breach for breach in found.breaches)
    apart = examine_frame(records, [], replace(evidence, wildcard=False))
    assert not any("classes overlap" in breach for breach in apart.breaches)


CENTRES = ("20", "20", "30")
RECORDS = pl.DataFrame({"age": ["20"] * 4 + ["30"] * 3, "ill": ["a", "a", "b", "b", "a", "c", None]})
CELLS: dict[ValuesOption, tuple[str, str, str]] = {
    "multiset": ('{"a": 1, "b": 1}', '{"a": 1, "b": 1}', '{"a": 1, "c": 1, "": 1}'),
    "set": ('["a", "b"]', '["a", "b"]', '["a", "c", null]'),
}


def clusters_of(kind: ValuesOption = "multiset", **changed: list[str]) -> ClusterTable:
    """Return two clusters of two with one centre, and one of three."""
    told = {"age": CENTRES, "records": ("2", "2", "3"), "radius": ("0.5", "1", "0.25"), "ill": CELLS[kind], **changed}
    frame = pl.DataFrame({name: list(texts) for name, texts in told.items()})
    return ClusterTable.of(frame, ["age"], ["ill"], kind)


def agree(records: pl.DataFrame, clusters: ClusterTable) -> None:
    examine_frame(records, [KAnonymity(k=3)], Evidence(quasi=("age",), held=("ill",)), clusters)


@pytest.mark.parametrize("kind", ["multiset", "set"])
def test_records_and_clusters_that_agree(kind: ValuesOption) -> None:
    agree(RECORDS, clusters_of(kind))


@pytest.mark.parametrize(
    "ages", [["20"] * 3 + ["30"] * 4, ["20"] * 4 + ["30"] * 2 + ["40"], ["20"] * 7, ["40"] * 4 + ["50"] * 3]
)
def test_records_with_other_centres_than_the_clusters_are_refused(ages: list[str]) -> None:
    with pytest.raises(CertificateError, match="differ in their centres, or in how many records have one"):
        agree(RECORDS.with_columns(age=pl.Series(ages)), clusters_of())


@pytest.mark.parametrize("kind", ["multiset", "set"])
def test_records_with_other_values_than_the_clusters_are_refused(kind: ValuesOption) -> None:
    for ills in (
        ["a", "a", "b", "c", "a", "c", None],
        ["a", "a", "b", "b", "a", "c", "b"],
        ["b"] * 4 + ["a", "c", None],
    ):
        with pytest.raises(CertificateError, match="differ in the values of column 'ill'"):
            agree(RECORDS.with_columns(ill=pl.Series(ills)), clusters_of(kind))


def test_how_often_a_value_occurs_is_told_by_a_multiset_and_not_by_a_set() -> None:
    """The same values with the same centres, and one more often: seven records either way."""
    others = RECORDS.with_columns(ill=pl.Series(["a", "b", "b", "b", "a", "c", None]))
    with pytest.raises(CertificateError, match="differ in the values of column 'ill'"):
        agree(others, clusters_of("multiset"))
    agree(others, clusters_of("set"))


def test_every_cluster_must_keep_a_promise() -> None:
    evidence = Evidence(quasi=("age",), sensitive=("ill",), held=("ill",))
    models = [KAnonymity(k=3), DistinctLDiversity(l=2, column="ill"), DistinctLDiversity(l=3, column="ill")]
    found = examine_clusters(clusters_of(), models, evidence)
    assert [claim.holds for claim in found.claims] == [False, True, False]  # some cluster keeps each of them
    assert found.sizes == {"count": 3, "smallest": 2, "largest": 3}
    assert found.radius == 1.0
    assert found.file == {}
    assert found.alone().n_records == 0
    with pytest.raises(CertificateError, match="k-anonymity: asked 3, found 2; distinct-l-diversity: asked 3, found 2"):
        found.demand()
    examine_clusters(clusters_of(), models[1:2], evidence).demand()


def test_clusters_without_an_extent_have_no_radius() -> None:
    found = examine_clusters(clusters_of(radius=["0", "0", "0"]), [], Evidence(quasi=("age",)))
    assert found.radius == 0.0


@pytest.mark.parametrize(("name", "age"), [("clusters.csv", "020"), ("clusters.parquet", 20)])
def test_a_table_of_clusters_is_read_as_text(tmp_path: Path, name: str, age: str | int) -> None:
    told = {"age": [age], "records": ["3"], "radius": ["0.5"], "ill": list(CELLS["multiset"][2:])}
    location = FileLocation(tmp_path / name)
    frame = pl.DataFrame(told)
    frame.write_csv(location.path) if name.endswith("csv") else frame.write_parquet(location.path)
    clusters, said = read_clusters(location, Evidence(quasi=("age",), held=("ill",)))
    assert clusters.centres["age"].dtype == pl.String
    assert clusters.centres["age"].to_list() == [str(age)]
    assert (said["clusters"], said["records"]) == (1, 3)
