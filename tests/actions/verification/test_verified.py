"""What verify returns, in its own words and as JSON."""

from dataclasses import replace

from shoal.actions.verification.series import VerifiedSeries
from shoal.actions.verification.verified import Verified
from shoal.certificate import BY_WILDCARDS, VERDICT, Claim, ClusterFindings, Findings
from shoal.models import KAnonymity

CLAIM = Claim(KAnonymity(k=2), {"k": 3}, holds=True)
FILE = {"name": "data.csv", "records": 6}
FOUND = Findings((CLAIM, CLAIM), {"count": 2, "smallest": 3, "largest": 3}, 6, FILE)
CLUSTERS = ClusterFindings((CLAIM,), {"count": 2, "smallest": 3, "largest": 3, "x": 1}, 1.0, {"name": "clusters.csv"})
SERIES = VerifiedSeries(3, "1/3", (1, 2), (2,), table=True, promise="companions", releases=())


def test_the_verdict_counts_what_was_and_what_was_not_derived() -> None:
    assert Verified(FOUND, {}).verdict == VERDICT
    assert Verified(FOUND, {}, wildcard=True).verdict == BY_WILDCARDS
    assert Verified(FOUND, {"a": "b"}).verdict == "2 claims hold, 1 could not be derived here"
    several = Verified(FOUND, {"a": "b", "c": "d"}, wildcard=True)
    assert several.verdict == "2 claims hold by the wildcard reading, 2 could not be derived here"


def test_the_files_that_were_certified_are_counted() -> None:
    assert Verified(FOUND, {}).n_files == 1
    assert Verified(FOUND, {}, CLUSTERS).n_files == 2
    assert Verified(FOUND, {}, replace(CLUSTERS, file=FILE)).n_files == 1
    assert Verified(replace(FOUND, file={}), {}).n_files == 0


def test_all_of_it_is_told_as_json() -> None:
    plain = Verified(FOUND, {"a": "b"}, others=("c",), told={"d": 1}, signatures={"e": None}, proven=1.5)
    assert plain.as_dict() == {
        "verdict": "2 claims hold, 1 could not be derived here",
        "public": False,
        "claims": [CLAIM.as_dict()] * 2,
        "classes": FOUND.classes,
        "file": FILE,
        "not_derived": {"a": "b"},
        "others": ["c"],
        "told": {"d": 1},
        "signatures": {"e": None},
        "proven": 1.5,
    }
    more = Verified(FOUND, {}, CLUSTERS, public=True, series=SERIES).as_dict()
    assert more["public"]
    told = {"number": 3, "posterior": "1/3", "compared": [1, 2], "linked": [2], "table": True}
    assert more["series"] == told | {"promise": "companions", "releases": []}
    claims = [CLAIM.as_dict()]
    assert more["clusters"] == {"count": 2, "smallest": 3, "largest": 3, "claims": claims, "file": CLUSTERS.file}


def test_a_series_is_told_in_words() -> None:
    assert SERIES.words() == (
        "companions, release 3; everybody's posterior is at most 1/3; 2 of 2 earlier releases compared, 1 linked by "
        "states; the raw table was put to the state"
    )
    first = VerifiedSeries(1, "1/2", (), (), table=False, promise="m-invariance", releases=())
    assert first.words() == "m-invariance, release 1; everybody's posterior is at most 1/2"
