"""The role `household`: k counts households, and whoever knows all members of one but one does not find that one."""

from collections import defaultdict
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.foundation.errors import InfeasibleError, SpecError
from shoal.jobs.job import Job
from tests.cli.run import done
from tests.cli.run import shoal as command

QUASI: dict[str, Any] = {"age": {"type": "intervals", "widths": [2, 4]}, "sex": "suppression"}
ASKED: dict[str, Any] = {"quasi": QUASI, "sensitive": ["ill"], "household": "home", "order": "input", "seed": 1}
PERSONS = st.lists(
    st.tuples(st.integers(0, 5), st.sampled_from("FM"), st.sampled_from(["flu", "cold"]), st.integers(0, 7)),
    min_size=6,
    max_size=20,
)


def table(persons: list[tuple[int, str, str, int]]) -> pl.DataFrame:
    rows = [(str(age), sex, ill, f"Canary{home}") for age, sex, ill, home in persons]
    return pl.DataFrame(rows, schema=["age", "sex", "ill", "home"], orient="row")


def homes_left(frame: pl.DataFrame, homes: list[str]) -> list[int]:
    """Return among how many households each person hides from who knows all others of the own, and strikes them out."""
    classes = defaultdict(list)
    for record, cells in enumerate(frame.select("age", "sex").rows()):
        classes[cells].append(record)
    found = []
    for record, cells in enumerate(frame.select("age", "sex").rows()):
        left = [one for one in classes[cells] if one == record or homes[one] != homes[record]]
        found.append(len({homes[one] for one in left}))
    return found


@given(PERSONS, st.sampled_from(["optimal", "mondrian", "tightest", "top-down"]), st.integers(2, 3))
@settings(max_examples=40, deadline=None)
def test_every_class_has_k_households_whoever_knows_all_members_but_one(
    persons: list[tuple[int, str, str, int]], algorithm: str, k: int
) -> None:
    frame = table(persons)
    homes = frame["home"].to_list()
    most = max(homes.count(home) for home in homes)
    try:
        release = shoal.anonymize(frame, k=k, algorithm=algorithm, **ASKED)
    except InfeasibleError:
        assert len(homes) < (k - 1) * most + 1  # not even one class of all records is large enough
        return
    assert "home" not in release.data.columns
    (claim,) = release.certificate["claims"]
    assert claim["parameters"] == {"k": k, "members": most}
    assert claim["achieved"] >= k
    assert min(homes_left(release.data, homes)) >= claim["achieved"]


def test_records_alone_do_not_hide_a_person_from_their_family() -> None:
    """Four of one household and one other: k = 5 of records, and the family finds its fourth among two."""
    frame = table([(3, "F", "flu", 0)] * 4 + [(3, "F", "cold", 1)] + [(5, "M", "flu", home) for home in range(2, 7)])
    plain = shoal.anonymize(frame.drop("home"), k=5, **{key: ASKED[key] for key in ASKED if key != "household"})
    assert min(homes_left(plain.data, frame["home"].to_list())) == 2
    counted = shoal.anonymize(frame, k=3, **ASKED)
    assert counted.certificate["claims"][0]["parameters"] == {"k": 3, "members": 4}
    assert min(homes_left(counted.data, frame["home"].to_list())) >= 3


@pytest.fixture
def written(tmp_path: Path) -> Path:
    table([(i % 6, "FM"[i % 2], "flu", i // 2) for i in range(40)]).write_csv(tmp_path / "t.csv")
    flags = ("--quasi", "age,sex", "--sensitive", "ill", "--household", "home", "--k", 3)
    ran = done("anonymize", tmp_path / "t.csv", *flags, "--out", tmp_path / "out")
    assert "households of at most 2" in ran.out
    return tmp_path / "out"


def test_it_is_in_no_file_and_everybody_can_verify_it(written: Path) -> None:
    texts = b"\n".join(path.read_bytes() for path in written.rglob("*") if path.is_file())
    assert b"Canary" not in texts
    assert b"households of at most 2 records" in texts
    assert shoal.verify(written, raw=True, bound=True).verdict == "all claims hold"
    (claim,) = shoal.verify(next(written.rglob("certificate-public.json"))).as_dict()["claims"]
    assert claim["parameters"] == {"k": 3, "members": 2}
    job = Job.read(next(written.rglob("job.toml")))
    assert str(job.columns["home"].role) == "household"


def test_another_k_leaves_the_number_of_members_as_it_is(written: Path) -> None:
    path = next(written.rglob("job.toml"))
    for asked, members in (({"k": 4}, 2), ({"k": 4, "members": 7}, 7)):
        (promise,) = Job.read(path, {}, [{"model": "k-anonymity", **asked}]).require
        assert promise.parameters == {"k": 4, "members": members}


def test_another_table_may_not_have_larger_households(tmp_path: Path, written: Path) -> None:
    table([(i % 6, "FM"[i % 2], "flu", i // 3) for i in range(42)]).write_csv(tmp_path / "next.csv")
    with pytest.raises(SpecError, match="A household or person has 3 records, and 'members' of k-anonymity is 2"):
        shoal.apply(written, tmp_path / "next.csv")
    assert shoal.apply(written, tmp_path / "t.csv").certificate["claims"][0]["achieved"] >= 3


def test_engines_clusters_and_comparisons_count_households(tmp_path: Path) -> None:
    frame = table([(i % 6, "FM"[i % 2], "flu", i // 2) for i in range(40)])
    frame.write_csv(tmp_path / "t.csv")
    asked = {**ASKED, "k": 3, "order": "random"}
    for more in ({"engine": "duckdb"}, {"algorithm": "mdav", "quasi": ["age"], "insensitive": ["sex"]}):
        release = shoal.anonymize(tmp_path / "t.csv", **{**asked, **more})
        assert release.certificate["claims"][0]["parameters"] == {"k": 3, "members": 2}
        assert release.certificate["classes"]["smallest"] >= 5
    stated = shoal.anonymize(frame, **{**asked, "k": None}, require={"model": "k-anonymity", "k": 3, "members": 4})
    assert stated.certificate["classes"]["smallest"] >= 9
    compared = shoal.compare(frame, **{**asked, "k": [2, 3], "algorithm": "optimal", "order": None})
    sizes = compared.frame["smallest_class"].to_list()
    assert sizes[0] >= 3
    assert sizes[1] >= 5
    with pytest.raises(SpecError, match="A frontier counts records or persons"):
        shoal.frontier(frame, ks=[2], **{key: value for key, value in ASKED.items() if key != "order"})


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"entity": "ill", "sensitive": []}, "k counts persons or households"),
        (
            {"k": None, "require": {"model": "distinct-l-diversity", "l": 2, "column": "ill"}},
            "nothing counts households: require k-anonymity",
        ),
        (
            {
                "household": None,
                "entity": "home",
                "k": None,
                "require": {"model": "k-anonymity", "k": 2, "members": 2},
            },
            "'members' is for records whose persons are unknown",
        ),
        ({"k": None, "require": {"model": "k-anonymity", "k": 2, "members": 1}}, "A household or person has 2 records"),
    ],
)
def test_what_cannot_be_is_said(given: dict[str, Any], words: str) -> None:
    frame = table([(i % 6, "F", "flu", i // 2) for i in range(12)])
    with pytest.raises(SpecError) as found:
        shoal.anonymize(frame, **{**ASKED, "k": 2, **given})
    assert words in str(found.value)


def test_one_column_tells_who_lives_together() -> None:
    columns = {"age": {"role": "quasi"}, "a": {"role": "household"}, "b": {"role": "household"}}
    promises = [{"model": "k-anonymity", "k": 2}]
    with pytest.raises(SpecError, match="2 columns have the role 'household'"):
        Job.of({"input": {"path": "t.csv"}, "columns": columns, "require": promises}, Path())


def holders(frame: pl.DataFrame, persons: list[str]) -> dict[tuple[Any, ...], dict[str, set[str]]]:
    """Return, for each class, which values each person has in it."""
    found: dict[tuple[Any, ...], dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for *cells, ill, person in [(*row, who) for row, who in zip(frame.rows(), persons, strict=True)]:
        found[tuple(cells)][person].add(ill)
    return found


VISITS = st.lists(st.lists(st.sampled_from("abcdefghijkl"), min_size=1, max_size=2), min_size=8, max_size=14)


@given(VISITS, st.sampled_from(["optimal", "mondrian", "tightest"]), st.sampled_from(["distinct", "frequency"]))
@settings(max_examples=40, deadline=None)
def test_diversity_with_members_is_that_of_persons(visits: list[list[str]], algorithm: str, kind: str) -> None:
    """Against all ways to choose a person: one holds not all values of a class; a value is held by half of them."""
    frame = table([(i // 4, "FM"[i % 2], ill, i) for i, own in enumerate(visits) for ill in own])
    persons = frame["home"].to_list()
    most = max(persons.count(person) for person in persons)
    promise = {"model": f"{kind}-l-diversity", "l": 2, "column": "ill", "members": most}
    asked = {**ASKED, "household": None, "omit": ["home"], "require": promise, "algorithm": algorithm}
    try:
        release = shoal.anonymize(frame, **asked)
    except InfeasibleError:
        shown = [frame["ill"].to_list().count(ill) for ill in frame["ill"].unique()]  # one class of all records fails
        assert len(shown) < most + 1 if kind == "distinct" else max(shown) * 2 * most > frame.height
        return
    (claim,) = release.certificate["claims"]
    assert claim["parameters"]["members"] == most
    assert claim["achieved"] >= 2
    for held in holders(release.data.select("age", "sex", "ill"), persons).values():
        values = set().union(*held.values())
        if kind == "distinct":
            assert all(own != values for own in held.values())
        assert kind == "distinct" or all(2 * sum(one in own for own in held.values()) <= len(held) for one in values)


def test_what_a_promise_says_of_persons_is_put_to_the_table() -> None:
    frame = table([(i % 6, "F", "abcdef"[i % 6], i // 2) for i in range(24)])
    asked = {**ASKED, "household": None, "entity": "home", "k": 2}
    for members, fine in ((1, False), (2, True), (5, True)):
        for kind, l_asked in (("distinct", 2), ("frequency", 1)):
            promise = {"model": f"{kind}-l-diversity", "l": l_asked, "column": "ill", "members": members}
            if fine:
                assert shoal.anonymize(frame, require=promise, **asked).certificate["claims"][1]["holds"]
                continue
            with pytest.raises(SpecError, match=f"has 2 records, and 'members' of {kind}-l-diversity is 1"):
                shoal.anonymize(frame, require=promise, **asked)


def test_a_record_without_a_household_is_refused(tmp_path: Path) -> None:
    frame = table([(i % 6, "F", "flu", i // 2) for i in range(12)])
    frame.with_columns(pl.Series("home", [None, *frame["home"].to_list()[1:]])).write_csv(tmp_path / "t.csv")
    flags = ("--quasi", "age,sex", "--sensitive", "ill", "--household", "home", "--k", 2)
    ran = command("anonymize", tmp_path / "t.csv", *flags, "--out", tmp_path / "out")
    assert ran.code == 2
    assert "Column 'home' has no value in 1 records" in ran.err
