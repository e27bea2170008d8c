"""Several records for a person: k counts persons, in the search, in the certificate, and in audits."""

import itertools
import random
from collections import defaultdict
from pathlib import Path
from typing import Any

import polars as pl
import pyreadstat
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.foundation.errors import CertificateError, InfeasibleError, SpecError
from tests.cli.run import done, files_of

QUASI: dict[str, Any] = {"age": {"type": "intervals", "widths": [2, 4]}, "sex": "suppression"}
ASKED: dict[str, Any] = {"quasi": QUASI, "sensitive": ["illness"], "entity": "id", "order": "input", "seed": 1}
WIDTHS = (1, 2, 4, 1000)  # of the levels of age

VISITS = st.lists(
    st.tuples(st.integers(0, 5), st.sampled_from("FM"), st.sampled_from(["flu", "cold"]), st.integers(0, 5)),
    min_size=4,
    max_size=14,
).filter(lambda visits: len({person for *_, person in visits}) >= 3)


def table(visits: list[tuple[int, str, str, int]]) -> pl.DataFrame:
    rows = [(str(age), sex, illness, f"p{person}") for age, sex, illness, person in visits]
    return pl.DataFrame(rows, schema=["age", "sex", "illness", "id"], orient="row")


def persons_by_class(frame: pl.DataFrame, ids: list[str]) -> dict[tuple[Any, ...], set[str]]:
    """Return whose records each class holds; the records are in the order of the ids."""
    found = defaultdict(set)
    for row, person in zip(frame.select("age", "sex").iter_rows(), ids, strict=True):
        found[row].add(person)
    return dict(found)


def fewest_by_hand(visits: pl.DataFrame, level_of_age: int, level_of_sex: int) -> int:
    """Return the persons of the smallest class of a generalization."""
    groups = defaultdict(set)
    for age, sex, person in visits.select("age", "sex", "id").iter_rows():
        groups[int(age) // WIDTHS[level_of_age], sex if level_of_sex == 0 else "*"].add(person)
    return min(map(len, groups.values()))


def minimal_by_hand(visits: pl.DataFrame, k: int) -> list[dict[str, int]]:
    """Try every generalization, and keep the lowest of those whose classes have k persons."""
    good = [node for node in itertools.product(range(4), range(2)) if fewest_by_hand(visits, *node) >= k]
    lowest = [(a, s) for a, s in good if not any((b, t) != (a, s) and b <= a and t <= s for b, t in good)]
    return [{"age": age, "sex": sex} for age, sex in lowest]


def test_seven_visits_of_a_patient_are_one_person() -> None:
    visits = table([(3, "F", "flu", 0)] * 7 + [(4, "F", "cold", 1), (5, "F", "flu", 2)])
    assert shoal.check(visits.head(7), quasi=["age", "sex"])["k"] == 7
    assert shoal.check(visits.head(7), quasi=["age", "sex"], entity="id")["k"] == 1
    with pytest.raises(InfeasibleError, match=r"(?s)asked is k = 2; .* reaches only k = 1 .*alone, is 1"):
        shoal.anonymize(visits.head(7), k=2, algorithm="optimal", **ASKED)
    release = shoal.anonymize(visits, k=2, algorithm="optimal", **ASKED)
    fewest = min(map(len, persons_by_class(release.data, visits["id"].to_list()).values()))
    (claim,) = release.certificate["claims"]
    assert claim["parameters"] == {"k": 2, "entity": "id"}
    assert claim["achieved"] == fewest >= 2


@given(VISITS, st.sampled_from(["optimal", "mondrian", "tightest", "top-down", "tuple-suppression"]))
@settings(max_examples=15, deadline=None)
def test_every_class_has_k_persons_and_tells_how_many(visits: list[tuple[int, str, str, int]], algorithm: str) -> None:
    frame = table(visits)
    asked = {**ASKED, "algorithm": algorithm, "suppressed": "star", "max_suppressed": 1}
    try:
        release = shoal.anonymize(frame, k=2, **asked)
    except InfeasibleError:
        assert algorithm == "tuple-suppression"
        return
    truth, told = (persons_by_class(release.data, ids.to_list()) for ids in (frame["id"], release.data["id"]))
    assert {cells: len(persons) for cells, persons in truth.items()} == {
        cells: len(numbers) for cells, numbers in told.items()
    }
    assert all(numbers == {str(number + 1) for number in range(len(numbers))} for numbers in told.values())
    assert release.certificate["claims"][0]["achieved"] == min(map(len, truth.values())) >= 2
    pairs = set(zip(release.data.select("age", "sex").rows(), release.data["id"], frame["id"], strict=True))
    assert len(pairs) == sum(map(len, truth.values()))  # a number of a class is one person, and a person one number


@given(VISITS, st.integers(1, 3))
@settings(max_examples=10, deadline=None)
def test_all_minimal_generalizations_are_found(visits: list[tuple[int, str, str, int]], k: int) -> None:
    frame = table(visits)
    found = shoal.minimal_generalizations(frame, k=k, **ASKED)
    key = str
    assert sorted(found, key=key) == sorted(minimal_by_hand(frame, k), key=key)
    swept = shoal.frontier(frame, ks=[k], **ASKED)
    for row in swept.frame.iter_rows(named=True):
        fits = fewest_by_hand(frame, row["level of age"], row["level of sex"]) >= k
        assert (row["suppressed"] == 0) == fits


def test_a_release_tells_nothing_of_the_names_of_persons() -> None:
    rng = random.Random(5)  # noqa: S311
    visits = table([(rng.randrange(6), rng.choice("FM"), rng.choice(["flu", "cold"]), i % 9) for i in range(40)])
    order = list(range(9))
    rng.shuffle(order)
    renamed = visits.with_columns(pl.col("id").replace_strict({f"p{i}": f"q{order[i]}" for i in range(9)}))
    asked = {**ASKED, "k": 3, "algorithm": "optimal", "order": "random"}
    first, second = shoal.anonymize(visits, **asked), shoal.anonymize(renamed.sample(fraction=1, shuffle=True), **asked)
    assert first.data.equals(second.data)


@pytest.fixture
def job(tmp_path: Path) -> Path:
    """Return a job with persons who have one to five visits; their names are words that occur nowhere else."""
    rng = random.Random(3)  # noqa: S311
    rows = []
    for person in range(60):
        age, sex = rng.randrange(12), rng.choice("FM")
        rows += [(age, sex, rng.choice(["flu", "cold"]), f"zz{person:03}zz", f"home{person // 3}")] * rng.choice(
            [1, 2, 5]
        )
    frame = pl.DataFrame(rows, schema=["age", "sex", "illness", "id", "home"], orient="row")
    frame.write_csv(tmp_path / "visits.csv")
    path = tmp_path / "job.toml"
    path.write_text(
        """
[input]
path = "visits.csv"
[columns]
age = { role = "quasi", hierarchy = { type = "intervals", widths = [2, 4] } }
sex = { role = "quasi" }
illness = { role = "sensitive" }
id = { role = "entity" }
home = { role = "identifier" }
[search]
algorithm = "optimal"
max_suppressed = 0.2
[[require]]
model = "k-anonymity"
k = 4
""",
        encoding="utf-8",
    )
    return path


def test_a_written_release_proves_its_persons(job: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert "persons by id" in done("anonymize", job, "--out", out).out
    assert "persons by id" in done("verify", out).out
    for path in map(out.joinpath, files_of(out)):
        assert "zz0" not in path.read_text(encoding="utf-8"), path.name
    for name in ("private/report.html", "public/report-public.html"):
        assert "others of different persons" in (out / name).read_text(encoding="utf-8")
    lines = (out / "public/data.csv").read_text(encoding="utf-8").splitlines()
    number = lines[0].split(",").index("id")
    joined = [
        lines[0],
        *(",".join(cell if j != number else "1" for j, cell in enumerate(row.split(","))) for row in lines[1:]),
    ]
    (out / "public/data.csv").write_text("\n".join(joined) + "\n", encoding="utf-8")
    with pytest.raises(CertificateError):
        shoal.verify(out)


def test_labels_of_persons_stay_behind(tmp_path: Path) -> None:
    frame = pl.DataFrame({"age": [3.0] * 6, "id": [1.0, 1.0, 2.0, 2.0, 3.0, 3.0]})
    labels: dict[str, dict[Any, str]] = {"id": {1: "CANARY Ann", 2: "CANARY Bob", 3: "CANARY Cid"}}
    pyreadstat.write_sav(frame, tmp_path / "in.sav", variable_value_labels=labels, column_labels={"id": "Patient"})
    flags = ("--quasi", "age", "--entity", "id", "--k", "3", "--format", "sav", "--out", tmp_path / "out")
    done("anonymize", tmp_path / "in.sav", *flags)
    assert all(
        b"CANARY" not in path.read_bytes() for path in map((tmp_path / "out").joinpath, files_of(tmp_path / "out"))
    )
    _, meta = pyreadstat.read_sav(tmp_path / "out" / "public/data.sav")
    assert meta.column_names_to_labels["id"] == "Patient"


def test_rules_count_the_persons_of_another_table(job: Path, tmp_path: Path) -> None:
    out, visits = tmp_path / "out", pl.read_csv(tmp_path / "visits.csv", infer_schema=False)
    done("anonymize", job, "--out", out)
    again = shoal.apply(out / "private/rules.json", visits, failing="suppress", max_suppressed=0.2)
    assert again.certificate["claims"][0]["parameters"]["entity"] == "id"
    with pytest.raises(CertificateError, match=r"k-anonymity: asked 4, found 1"):
        shoal.apply(out / "private/rules.json", visits.with_columns(id=pl.lit("one")))


def test_the_risk_of_a_release_counts_its_persons(job: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    done("anonymize", job, "--out", out)
    found = shoal.risk(out)
    released = pl.read_csv(out / "public/data.csv", infer_schema=False)
    persons = persons_by_class(released, released["id"].to_list())
    assert found.summary["k"] == found.summary["k_wildcard"] == min(map(len, persons.values()))
    assert found.summary["persons"] == sum(map(len, persons.values()))
    assert found.before is not None
    assert found.before.summary == shoal.risk(job).summary == shoal.risk(job, entity="id").summary
    assert found.before.summary["persons"] == 60
    homes = shoal.risk(out, household="home").summary  # not in the release: by its input, recoded again
    assert homes["household"]["households"] <= 20
    assert homes["prosecutor"]["strict"]["thresholds"] == found.summary["prosecutor"]["strict"]["thresholds"]


@pytest.mark.parametrize("suppressed", ["drop", "star"])
def test_whose_records_those_of_a_release_are_is_told_by_its_input(job: Path, tmp_path: Path, suppressed: str) -> None:
    text = job.read_text(encoding="utf-8").replace('"entity"', '"identifier"')
    job.write_text(text + f'[release]\nsuppressed = "{suppressed}"\norder = "input"\n', encoding="utf-8")
    out, raw = tmp_path / "out", pl.read_csv(tmp_path / "visits.csv", infer_schema=False)
    done("anonymize", job, "--out", out)
    released = pl.read_csv(out / "public/data.csv", infer_schema=False)
    assert shoal.risk(out).summary["persons"] is None
    found = shoal.risk(out, entity="id").summary
    assert found["records"] == released.height
    if suppressed == "star":
        assert found["k"] == min(map(len, persons_by_class(released, raw["id"].to_list()).values()))
        assert found["persons"] == 60
    with pytest.raises(SpecError, match="has no column 'who'"):
        shoal.risk(out, entity="who")
    raw.head(50).write_csv(tmp_path / "visits.csv")
    with pytest.raises(SpecError, match="has the table changed"):
        shoal.risk(out, entity="id")
    (tmp_path / "visits.csv").unlink()
    with pytest.raises(SpecError, match="not available"):
        shoal.risk(out, entity="id")
    raw.write_csv(tmp_path / "visits.csv")
    done("anonymize", job, "--algorithm", "mondrian", "--out", tmp_path / "local")
    with pytest.raises(SpecError, match=r"uses local recoding.*role 'entity'"):
        shoal.risk(tmp_path / "local", entity="id")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"require": [{"model": "distinct-l-diversity", "l": 2, "column": "illness"}], "k": None}, "nothing counts"),
        (
            {"require": [{"model": "p-sensitive-k-anonymity", "p": 2, "k": 5, "column": "illness", "per": "record"}]},
            "k = 5 or more",
        ),
        ({"require": [{"model": "entropy-l-diversity", "l": 2, "column": "illness"}]}, "not defined for persons"),
        (
            {"require": [{"model": "t-closeness", "t": 1, "column": "illness", "entity": "sex"}]},
            "does not have the role",
        ),
        ({"require": [{"model": "t-closeness", "t": 1, "column": "illness", "others": "known"}]}, "leave one out"),
        ({"missing": "wildcard"}, "overlap"),
        ({"algorithm": "r-gather"}, "not how many persons"),
        ({"require": [{"model": "k-anonymity", "k": 2, "entity": "sex"}]}, "'sex', which does not have the role"),
    ],
)
def test_what_cannot_count_persons_is_refused(change: dict[str, Any], words: str) -> None:
    visits = table([(3, "F", "flu", 0), (4, "M", "cold", 1)]).with_columns(home=pl.lit("h"))
    with pytest.raises(SpecError, match=words):
        shoal.anonymize(visits, **{**ASKED, "k": 2, "drop": ["home"], **change})


def test_one_column_tells_whose_record_it_is() -> None:
    columns = {"age": {"role": "quasi"}, "a": {"role": "entity"}, "b": {"role": "entity"}}
    promises = [{"model": "k-anonymity", "k": 2}]
    with pytest.raises(SpecError, match="2 columns have the role 'entity'"):
        shoal.Job.of({"input": {"path": "t.csv"}, "columns": columns, "require": promises}, Path())


def test_a_population_is_counted_beside_persons(tmp_path: Path) -> None:
    visits = table([(age, sex, "flu", number) for number, (age, sex) in enumerate([(1, "F"), (1, "F"), (2, "M")] * 3)])
    pl.concat([visits.select("age", "sex")] * 3).write_csv(tmp_path / "everybody.csv")
    more = {"model": "k-map", "k": 6, "population": str(tmp_path / "everybody.csv")}
    release = shoal.anonymize(visits, k=2, require=[more], algorithm="optimal", **ASKED)
    assert all(claim["holds"] for claim in release.certificate["claims"])


def test_every_record_is_somebodys() -> None:
    visits = table([(3, "F", "flu", 0), (3, "F", "cold", 1), (3, "F", "flu", 2)])
    lacking = visits.with_columns(id=pl.Series(["a", None, "b"]))
    for ask in (shoal.check, shoal.risk):
        with pytest.raises(SpecError, match="it is unknown whose"):
            ask(lacking, quasi=["age"], entity="id")
    with pytest.raises(SpecError, match="it is unknown whose"):
        shoal.anonymize(lacking, k=2, **ASKED)
    assert shoal.anonymize(lacking, k=2, missing="drop", **ASKED).data.height == 2


def test_a_check_judges_by_persons(tmp_path: Path) -> None:
    visits = table([(3, "F", "flu", 0), (3, "F", "cold", 0), (4, "F", "cold", 1), (4, "F", "flu", 2)])
    visits.write_csv(tmp_path / "visits.csv")
    asked = ("check", tmp_path / "visits.csv", "--quasi", "age", "--require", "k-anonymity:k=2")
    done(*asked)
    assert "persons:    3" in done(*asked[:4], "--entity", "id").out
    found = shoal.check(visits, quasi=["age"], require={"model": "k-anonymity", "k": 2}, entity="id")
    assert found["claims"][0]["achieved"] == 1
    assert found["failing"] == [{"size": 2, "classes": 1}]
    with pytest.raises(SpecError, match="two roles"):
        shoal.check(visits, quasi=["age"], entity="age")


def test_weights_may_be_known_to_an_attacker() -> None:
    frame = pl.DataFrame({"age": ["3", "3", "4"], "weight": ["10", "10", "20"]})
    alone = shoal.risk(frame, quasi=["age"], weights="weight").summary
    assert shoal.risk(frame, quasi=["age", "weight"], weights="weight").summary["journalist"] == alone["journalist"]
    for name in ("entity", "household"):
        with pytest.raises(SpecError, match="cannot be both a quasi column"):
            shoal.risk(frame, quasi=["age"], **{name: "age"})  # type: ignore[arg-type]
