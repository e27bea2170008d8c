"""What `anonymize` returned is verified as it is, before anything is written."""

import pickle
from typing import Any

import polars as pl
import pytest

import shoal
from shoal.foundation.errors import CertificateError, SpecError

TABLE = pl.DataFrame({"age": [str(20 + i % 7) for i in range(60)], "ill": ["flu", "cold", "gout"] * 20})
PROMISE = "distinct-l-diversity:l=2,column=ill"
SHAPES: dict[str, dict[str, Any]] = {"mdav": {"shape": "clusters"}}
ASKED: dict[str, Any] = {"quasi": ["age"], "sensitive": ["ill"], "k": 5, "require": PROMISE}


@pytest.mark.parametrize("algorithm", ["optimal", "mondrian", "mdav"])
def test_a_release_in_memory_is_verified(algorithm: str) -> None:
    release = shoal.anonymize(TABLE, **ASKED, algorithm=algorithm)
    found = shoal.verify(release)
    assert found.verdict == "all claims hold"
    assert [claim.as_dict() for claim in found.findings.claims] == release.certificate["claims"]
    assert found.n_files == 0
    assert not found.public
    assert ("clusters" in found.as_dict()) == (algorithm == "mdav")


def test_columns_that_were_changed_since_are_refused() -> None:
    release = shoal.anonymize(TABLE, **ASKED, algorithm="mondrian")
    release.frame.replace_column(0, pl.Series("age", [f"{i}" for i in range(60)], dtype=pl.Categorical))
    with pytest.raises(CertificateError, match="not what was certified"):
        shoal.verify(release)


@pytest.mark.parametrize("algorithm", ["mondrian", "mdav"])
def test_a_frame_that_was_changed_since_is_refused(algorithm: str) -> None:
    """The frame of pandas is the user's to change; it is no release any more then."""
    release = shoal.anonymize(TABLE.to_pandas(), **ASKED, algorithm=algorithm, **SHAPES.get(algorithm, {}))
    shoal.verify(release)
    changed = release.data if release.clusters is None else release.clusters
    changed.loc[0, "age"] = "99"
    with pytest.raises(CertificateError, match="not what was certified"):
        shoal.verify(release)


@pytest.mark.parametrize("key", ["classes", "verdict", "more"])
def test_a_certificate_that_says_something_else_is_refused(key: str) -> None:
    release = shoal.anonymize(TABLE, **ASKED, algorithm="mondrian")
    was = release.certificate.pop(key, None)
    if was is None:
        release.certificate[key] = 1
    with pytest.raises(CertificateError, match=rf"differ in {key}\.$"):
        shoal.verify(release)
    release.certificate[key] = [was]
    with pytest.raises(CertificateError, match=rf"differ in {key}\.$"):
        shoal.verify(release)


def test_a_copy_from_elsewhere_says_what_is_not_at_hand() -> None:
    copy = pickle.loads(pickle.dumps(shoal.anonymize(TABLE, **ASKED)))  # noqa: S301  (our own)
    with pytest.raises(SpecError, match="are available here, not"):
        shoal.verify(copy)
