import hashlib
from fractions import Fraction
from pathlib import Path

import polars as pl
import pytest

from shoal.certificate import Evidence, examine_frame, examine_location, examine_rows, sealed, text_of, unsealed
from shoal.classes.observed import Rows
from shoal.foundation.errors import CertificateError
from shoal.models import DistinctLDiversity, KAnonymity, TCloseness
from shoal.tables.location import FileLocation

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
