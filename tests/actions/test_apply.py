"""Rules that are applied to the table they were made of, and to others."""

import json
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.clusters.cluster_table import Shape
from shoal.foundation.errors import CertificateError, InfeasibleError, SpecError
from shoal.releases.rules.rules import Rules
from tests.releases.rules.plain import Record, placed

TREE = {"Any": {"north": ["a", "b"], "south": ["c", "d", "e"]}}
RECIPES: dict[str, Any] = {
    "age": {"type": "intervals", "widths": [5, 10, 20]},
    "zip": {"type": "masking"},
    "day": {"type": "dates"},
    "rank": {"type": "order", "fanout": 2},
    "land": {"type": "taxonomy", "tree": TREE},
    "size": "ranges",
    "kind": "sets",
    "sex": "suppression",
}


def records(seed: int, n: int = 40, missing: float = 0.05) -> list[Record]:
    draw = Random(seed)  # noqa: S311
    found: list[Record] = []
    for number in range(n):
        record: Record = {
            "age": str(draw.randrange(20, 60)),
            "zip": f"{draw.randrange(3)}{draw.randrange(2)}{draw.randrange(3)}",
            "day": f"20{draw.randrange(10, 14)}-0{draw.randrange(1, 4)}-1{draw.randrange(9)}",
            "rank": str(draw.randrange(8)),
            "land": draw.choice("abcde"),
            "size": str(draw.randrange(30)),
            "kind": draw.choice("uvwxy"),
            "sex": draw.choice("MF"),
        }
        record |= {name: None for name in record if draw.random() < missing}
        found.append({**record, "ill": draw.choice(["flu", "gout", "cold"]), "id": str(number)})
    return found


def released(given: list[Record], quasi: list[str], **more: Any) -> shoal.Release:
    others = [name for name in RECIPES if name not in quasi]
    asked: dict[str, Any] = {"quasi": {name: RECIPES[name] for name in quasi}, "k": 2, "seed": 3, **more}
    asked["insensitive"] = ["id"] if asked.pop("keep_id", False) else []
    drop = [*others, *([] if asked["insensitive"] else ["id"])]
    return shoal.anonymize(pl.DataFrame(given), sensitive=["ill"], drop=drop, **asked)


def rows(release: shoal.Release) -> Counter[tuple[Any, ...]]:
    return Counter(release.frame.cast(pl.String).select(sorted(release.frame.columns)).rows())


@settings(max_examples=15, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    quasi=st.sets(st.sampled_from(list(RECIPES)), min_size=1, max_size=4),
    share=st.sampled_from(["0", "0.1", "0.3"]),
    stars=st.booleans(),
    missing=st.sampled_from(["category", "wildcard", "drop"]),
    diverse=st.booleans(),
)
def test_the_table_of_a_full_domain_release_gives_the_same_release(
    seed: int, quasi: set[str], share: str, stars: bool, missing: str, diverse: bool
) -> None:
    table = records(seed)
    promises = [shoal.FrequencyLDiversity(l=1.5, column="ill")] if diverse else []  # not monotone with suppression
    suppressed = "star" if stars else "drop"
    try:
        first = released(
            table,
            sorted(quasi),
            algorithm="optimal",
            max_suppressed=share,
            suppressed=suppressed,
            missing=missing,
            require=promises,
        )
    except InfeasibleError:
        return
    chosen = first.certificate["records"]["suppressed"] > 0 and (stars or missing == "wildcard")
    try:
        second = shoal.apply(first, pl.DataFrame(table), failing="suppress", seed=8)
    except CertificateError:
        assert chosen
        return
    if chosen and rows(second) != rows(first):  # the search chose which classes to suppress; rules suppress what fails
        return
    assert rows(second) == rows(first)
    for part in ("records", "classes", "claims"):
        assert second.certificate[part] == first.certificate[part]
    assert second.certificate["loss"]["share"] == pytest.approx(first.certificate["loss"]["share"], abs=0.5)
    assert second.certificate["loss"]["bound"] is None
    assert second.rules().text() == first.rules().text()


LOCAL = ["age", "zip", "land", "size", "kind"]


@settings(max_examples=12, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    quasi=st.sets(st.sampled_from(LOCAL), min_size=1, max_size=4),
    algorithm=st.sampled_from(["mondrian", "tightest", "top-down"]),
)
def test_each_record_goes_to_the_tightest_class_that_covers_it(seed: int, quasi: set[str], algorithm: str) -> None:
    first = released(records(seed), sorted(quasi), algorithm=algorithm)
    content = json.loads(first.rules().text())
    content["request"]["require"][0]["k"] = 1  # no class fails, so that none is given up
    content["request"]["columns"]["id"] = {"role": "insensitive"}
    new = records(seed + 1, 30, missing=0.1)
    new[0] |= {"zip": "12345", "land": "z", "kind": "new", "age": "old"}
    rules = Rules.model_validate(content)
    found = placed(content, new)
    if not any(found):
        return
    second = shoal.apply(rules, pl.DataFrame(new), failing="suppress", max_suppressed=1)
    names = list(content["columns"])
    told = {row[-1]: row[:-1] for row in second.frame.cast(pl.String).select([*names, "id"]).rows()}
    assert told == {record["id"]: cells for record, cells in zip(new, found, strict=True) if cells is not None}


def test_the_classes_of_an_applied_release_keep_their_promises_or_are_given_up() -> None:
    table = records(5, 200)
    first = released(table, LOCAL, algorithm="tightest", k=4)
    again = shoal.apply(first, pl.DataFrame(table), failing="suppress", max_suppressed="0.5")
    assert again.certificate["classes"]["smallest"] >= 4
    told = again.certificate["rules"]
    records_of = again.certificate["records"]
    assert records_of["suppressed"] == told["outside"] + told["failing"]
    assert told["outside"] == 0
    assert told["idle_classes"] == len(first.rules().classes or ()) - again.certificate["classes"]["count"]
    assert again.certificate["algorithm"]["name"] == "rules"
    assert again.certificate["algorithm"]["guarantee"] == "none"
    assert again.certificate["algorithm"]["recoding"] == "local"


@pytest.mark.parametrize(
    "promise",
    [
        None,
        shoal.DistinctLDiversity(l=2, column="ill"),
        shoal.FrequencyLDiversity(l=1.5, column="ill"),
        shoal.TCloseness(t=0.4, column="ill"),
    ],
)
@pytest.mark.parametrize("algorithm", ["mondrian", pytest.param("tightest", marks=pytest.mark.deep)])
def test_the_table_of_a_local_release_finds_room_in_its_own_classes(promise: Any, algorithm: str) -> None:
    table = records(11, 300, missing=0)
    asked = [] if promise is None else [promise]
    first = released(table, ["age", "zip", "size"], algorithm=algorithm, k=4, require=asked)
    shares: list[float] = []

    def note(step: str, share: float | None = None) -> None:
        if step == "placing the records" and share is not None:
            shares.append(share)

    again = shoal.apply(first, pl.DataFrame(table), progress=note)
    assert again.certificate["records"]["suppressed"] == 0
    assert again.solution.loss.share == pytest.approx(first.solution.loss.share, rel=0.1)
    assert shares == sorted(shares)
    assert len(shares) > 1
    assert rows(again) == rows(shoal.apply(first, pl.DataFrame(table[::-1])))


@pytest.mark.parametrize(
    ("grid", "seed", "promise"),
    [
        (1, 12, shoal.FrequencyLDiversity(l=1.5, column="ill")),
        (2, 11, shoal.TCloseness(t=0.4, column="ill")),
        pytest.param(5, 14, shoal.FrequencyLDiversity(l=1.5, column="ill"), marks=pytest.mark.deep),
        pytest.param(5, 18, shoal.TCloseness(t=0.4, column="ill"), marks=pytest.mark.deep),
    ],
)
def test_classes_swap_records_where_none_has_one_to_spare(grid: int, seed: int, promise: Any) -> None:
    """Coarse ranges overlap, and nearly every class has just k records: single moves left records over here."""
    table, recipes = records(seed, 300, missing=0), {**RECIPES, "size": {"type": "ranges", "grid": grid}}
    quasi = {name: recipes[name] for name in ("age", "zip", "size")}
    others = [name for name in (*RECIPES, "id") if name not in quasi]
    first = shoal.anonymize(
        pl.DataFrame(table),
        quasi=quasi,
        sensitive=["ill"],
        drop=others,
        algorithm="tightest",
        k=4,
        require=[promise],
        seed=3,
    )
    again = shoal.apply(first, pl.DataFrame(table))
    assert again.certificate["records"]["suppressed"] == 0
    assert again.solution.loss.share == pytest.approx(first.solution.loss.share, rel=0.1)


def test_a_table_without_room_is_refused_with_what_fails() -> None:
    first = released(records(5, 200), LOCAL, algorithm="tightest", k=4)
    with pytest.raises(CertificateError, match="in classes that do not keep what was promised \\(k-anonymity: ask"):
        shoal.apply(first, pl.DataFrame(records(5, 200)[:40]))


def test_single_dimensional_rules_recode_value_by_value() -> None:
    table = records(7, 120, missing=0)
    first = released(table, ["age", "sex"], algorithm="k-optimize", measure="discernibility", k=10)
    assert first.rules().recoding == "single-dimensional"
    assert rows(shoal.apply(first, pl.DataFrame(table))) == rows(first)


def test_groups_of_the_values_of_a_table_are_cells() -> None:
    table = [{"rank": str(rank), "ill": "flu", "id": "0"} for rank in (1, 2, 3, 10, 11, 12, 20, 21)]
    first = shoal.anonymize(
        pl.DataFrame(table),
        quasi={"rank": {"type": "order", "fanout": 3}},
        insensitive=["ill"],
        drop=["id"],
        k=2,
        algorithm="optimal",
    )
    rules = first.rules()
    assert rules.recoding == "single-dimensional"
    cells = rules.columns["rank"].cells or []
    assert [(cell.label, cell.range) for cell in cells] == [
        ("1 - 3", ("1", "3")),
        ("10 - 12", ("10", "12")),
        ("20 - 21", ("20", "21")),
    ]
    new = pl.DataFrame({"rank": ["2.5", "3.0", "11", "12"], "ill": ["flu"] * 4, "id": ["x"] * 4})
    assert sorted(shoal.apply(first, new).data["rank"]) == ["1 - 3", "1 - 3", "10 - 12", "10 - 12"]
    with pytest.raises(CertificateError, match="1 record is not covered by the rules \\(column 'rank': 1 different"):
        shoal.apply(first, pl.DataFrame({"rank": ["2", "1", "15"], "ill": ["flu"] * 3, "id": ["x"] * 3}))


def test_values_that_no_rule_covers_are_counted_and_shown_only_when_asked_for() -> None:
    first = released(records(3, 60, missing=0), ["zip", "land"], algorithm="optimal", k=3)
    levels = {name: rule.level for name, rule in first.rules().columns.items()}
    assert levels == {"zip": 1, "land": 1}
    new = [*records(4, 60, missing=0), *({**records(4, 1)[0], "zip": zip_, "land": "z"} for zip_ in ("1234", "000"))]
    with pytest.raises(CertificateError, match="2 records are not covered") as refused:
        shoal.apply(first, pl.DataFrame(new))
    told = refused.value.diagnosis
    assert told["unknown"] == {"zip": {"values": 1, "records": 1}, "land": {"values": 1, "records": 2}}
    assert "1234" not in str(refused.value) + str(told)
    with pytest.raises(CertificateError) as refused:
        shoal.apply(first, pl.DataFrame(new), show_missing=True)
    assert refused.value.diagnosis["unknown"]["zip"]["shown"] == ["1234"]
    second = shoal.apply(first, pl.DataFrame(new), failing="suppress", max_suppressed="0.1")
    assert second.certificate["rules"]["outside"] == 2
    assert second.frame.height == 62 - 2 - second.certificate["rules"]["failing"]
    assert "unknown" not in second.certificate["rules"]


def test_a_star_covers_what_no_hierarchy_knows() -> None:
    table = [{"land": land, "sex": "M"} for land in "abcde"]
    first = shoal.anonymize(pl.DataFrame(table), quasi={"land": RECIPES["land"], "sex": None}, k=5, algorithm="optimal")
    assert first.data["land"].to_list() == ["Any"] * 5
    new = pl.DataFrame({"land": [*"abcdz", None], "sex": ["M"] * 6})
    assert shoal.apply(first, new).data["land"].to_list() == ["Any"] * 6


def test_a_changed_hierarchy_is_refused_unless_it_is_allowed(tmp_path: Path) -> None:
    file = tmp_path / "land.csv"
    file.write_text("a;north;*\nb;north;*\nc;south;*\nd;south;*\n", encoding="utf-8")
    table = pl.DataFrame({"land": [*"abcdabcd"]})
    quasi = {"land": {"type": "levels", "path": str(file)}}
    first = shoal.anonymize(table, quasi=quasi, k=4, algorithm="optimal")
    first.write(tmp_path / "out")
    rules = Rules.read(tmp_path / "out")
    assert rules.files["land"].keys() == {"hierarchy"}
    assert b"a;" not in (tmp_path / "out/private/rules.json").read_bytes()
    new = pl.DataFrame({"land": [*"abcdabcde"]})
    with pytest.raises(CertificateError, match="column 'land': 1 different value in 1 record"):
        shoal.apply(tmp_path / "out", new)
    with file.open("a", encoding="utf-8") as stream:
        stream.write("e;south;*\n")
    with pytest.raises(SpecError, match="of 'land' have changed"):
        shoal.apply(tmp_path / "out", new)
    second = shoal.apply(tmp_path / "out", new, changed="allow")
    second.write(tmp_path / "next")
    assert shoal.apply(tmp_path / "next", new).data.height == 9  # its rules know the file as it is now
    file.unlink()
    with pytest.raises(SpecError, match="which does not exist"):
        shoal.apply(tmp_path / "next", new)


def test_promises_on_an_outside_table_are_checked_again(tmp_path: Path) -> None:
    people = tmp_path / "people.csv"
    pl.DataFrame({"age": [str(20 + i % 20) for i in range(80)]}).write_csv(people)
    table = pl.DataFrame({"age": [str(20 + i) for i in range(0, 20, 2)]})
    promise = {"model": "k-map", "k": 4, "population": str(people)}
    first = shoal.anonymize(table, quasi={"age": RECIPES["age"]}, require=[promise], algorithm="optimal")
    first.write(tmp_path / "out")
    (tmp_path / "new.csv").write_text("age\n21\n37\n", encoding="utf-8")
    second = shoal.apply(tmp_path / "out", tmp_path / "new.csv")
    second.write(tmp_path / "next")
    assert shoal.verify(tmp_path / "next").verdict == "all claims hold"
    pl.DataFrame({"age": ["21", "37"]}).write_csv(people)
    with pytest.raises(CertificateError, match="k-map: asked 4, found 1"):
        shoal.apply(tmp_path / "out", tmp_path / "new.csv")


@pytest.mark.parametrize("shape", ["both", "records", "clusters"])
def test_clusters_take_what_is_within_their_radius(tmp_path: Path, shape: Shape) -> None:
    table = pl.DataFrame({"x": ["0", "1", "10", "11", "12"], "c": ["u", "u", "v", "v", "v"], "ill": ["flu"] * 5})
    first = shoal.anonymize(table, quasi=["x", "c"], sensitive=["ill"], k=2, algorithm="mdav", shape=shape, seed=1)
    first.write(tmp_path / "out")
    assert sorted(Rules.read(tmp_path / "out").radii or ()) == (
        [0.0833334, 0.0833334] if shape == "records" else [0.0416667, 0.0833334]
    )
    (tmp_path / "same.csv").write_text(table.write_csv(), encoding="utf-8")
    again = shoal.apply(tmp_path / "out", tmp_path / "same.csv")
    again.write(tmp_path / "again")
    assert shoal.verify(tmp_path / "again").verdict == "all claims hold"
    assert rows(again) == rows(first)
    far = pl.DataFrame({"x": ["0.5", "0.5", "11", "11", "5"], "c": ["u", "u", "v", "v", "u"], "ill": ["flu"] * 5})
    with pytest.raises(CertificateError, match="of 5 records, 1 record is not covered by the rules"):
        shoal.apply(tmp_path / "out", far)
    last = shoal.apply(tmp_path / "out", far, failing="suppress", max_suppressed="0.2")
    assert last.certificate["records"] == {"input": 5, "released": 4, "suppressed": 1}
    lonely = pl.DataFrame({"x": ["0.5", "0.5", "11"], "c": ["u", "u", "v"], "ill": ["flu"] * 3})
    with pytest.raises(CertificateError, match=r"1 record is in classes that do not keep .* asked 2, found 1"):
        shoal.apply(tmp_path / "out", lonely)


def test_centres_may_have_categories_that_the_new_table_lacks(tmp_path: Path) -> None:
    table = pl.DataFrame({"x": ["0", "0", "0"], "*": ["u", "u", "w"]})
    first = shoal.anonymize(table, quasi=["x", "*"], k=3, algorithm="mdav", seed=1)
    first.write(tmp_path / "out")
    (tmp_path / "new.csv").write_text("x,*\n0,t\n0,t\n0,t\n", encoding="utf-8")
    second = shoal.apply(tmp_path / "out", tmp_path / "new.csv")
    second.write(tmp_path / "next")
    assert second.data["*"].to_list() == ["u"] * 3
    assert shoal.verify(tmp_path / "next").verdict == "all claims hold"


def test_what_cannot_be_asked_is_refused() -> None:
    first = released(records(1), ["sex"], algorithm="optimal")
    table = pl.DataFrame(records(1))
    with pytest.raises(SpecError, match="'failing' is 'drop'"):
        shoal.apply(first, table, failing="drop")  # type: ignore[arg-type]
    with pytest.raises(SpecError, match="say failing = 'suppress' too"):
        shoal.apply(first, table, max_suppressed=0.1)
    with pytest.raises(SpecError, match="max_suppressed: Input should be less than or equal to 1"):
        shoal.apply(first, table, max_suppressed=2, failing="suppress")
    with pytest.raises(SpecError, match="seed: Input should be greater"):
        shoal.apply(first, table, seed=-1)
    with pytest.raises(SpecError, match="No role for column 'shoe'"):
        shoal.apply(first, table.with_columns(shoe=pl.lit("42")))
    with pytest.raises(SpecError, match="has no column 'sex'"):
        shoal.apply(first, table.drop("sex"))
    with pytest.raises(CertificateError, match="1 record is in classes"):
        shoal.apply(first, table.head(1))
