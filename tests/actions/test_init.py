import os
import tempfile
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.actions.init import Proposal
from shoal.foundation.errors import SpecError
from shoal.jobs.job import Job
from shoal.tables.hierarchies import Levels
from shoal.tables.table import Role

ROOT = Path(__file__).parent.parent.parent
HOSPITAL = ROOT / "examples/hospital/patients.csv"
ADULT = Path(os.environ.get("SHOAL_ADULT", ROOT.parent / "shared/data/adult")) / "adult.csv"


def proposed(columns: Mapping[str, Sequence[str | None]], **given: object) -> Proposal:
    return shoal.init(pl.DataFrame(columns, schema=dict.fromkeys(columns, pl.String)), **given)  # type: ignore[arg-type]


def role_of(name: str, values: list[str | None]) -> tuple[str, bool]:
    one = proposed({name: values, "age": [str(i % 40) for i in range(len(values))]}).columns[0]
    return str(one.role), one.decided


def many(form: str) -> list[str | None]:
    return [form.format(i=i, j=i % 7, n=1000 + i * 37 % 9000) for i in range(100)]


@pytest.mark.parametrize(
    ("name", "values", "role", "decided"),
    [
        ("x", many("person{i}@example.org"), "identifier", True),
        ("x", many("https://example.org/{i}"), "identifier", True),
        ("x", many("10.0.0.{i}"), "identifier", True),
        ("x", many("00:1b:44:11:3a:{i:02}"), "identifier", True),
        ("x", many("123e4567-e89b-12d3-a456-42661417{n}"), "identifier", True),
        ("x", ["DE89370400440532013000", "GB82WEST12345698765432"] * 20, "identifier", True),
        ("x", many("+49 30 {n}{i:02}"), "identifier", True),
        ("x", many("{n}-{i}"), "identifier", True),
        ("x", many("{i}"), "identifier", True),
        (
            "x",
            [f"{first} Berg{i}" for i, first in enumerate(["Anna", "Hans", "Maria", "Peter"] * 25)],
            "identifier",
            True,
        ),
        ("x", many("the patient came in and said {i}"), "identifier", True),
        ("id", many("A{i}"), "identifier", True),
        ("id", many("A{j}"), "quasi", False),
        ("x", [*many("2020-01-0{j}")[1:], "2020-01-08"], "quasi", False),
        ("x", [f"2020-01-{i % 28 + 1:02}" for i in range(100)], "quasi", True),
        ("x", ["M", "F"] * 50, "quasi", True),
        ("x", ["männlich", "weiblich", "divers", None] * 25, "quasi", True),
        ("x", ["E11.9", "I10", "C50.1", "J45"] * 25, "sensitive", True),
        ("x", many("g{j}"), "quasi", False),
        ("x", many("{j}.5"), "quasi", False),
        ("x", ["same"] * 100, "insensitive", True),
        ("x", [None] * 100, "insensitive", True),
        ("x", ["same"] * 3, "quasi", False),
        ("x", ["a", "b", "c"], "identifier", False),
        ("income", many("{n}"), "sensitive", True),
        ("diagnosis_date", [f"2020-01-{i % 28 + 1:02}" for i in range(100)], "quasi", True),
        ("diagnosis", many("a long text about the case number {i}"), "identifier", False),
        ("city", many("Place{i}"), "identifier", False),
        ("inmate_no", [f"A{7919 * i % 10000:04}KX" for i in range(100)], "identifier", True),
        ("email", ["yes", "no"] * 50, "quasi", True),
    ],
)
def test_roles(name: str, values: list[str | None], role: str, decided: bool) -> None:
    assert role_of(name, values) == (role, decided)


def test_reasons_and_comments_show_no_value(tmp_path: Path) -> None:
    canary = [f"Canary{i % 9}" for i in range(60)]
    table = proposed(
        {"x": canary, "city": canary, "disease": canary, "name": canary, "id": [f"Canary{i}" for i in range(60)]}
    )
    told = table.toml() + repr(table) + str(table.as_dict())
    assert "Canary" not in told


def test_the_hospital_by_hand() -> None:
    found = shoal.init(HOSPITAL)
    roles = {column.name: str(column.role) for column in found.columns}
    assert [name for name, role in roles.items() if role == "identifier"] == ["name", "ssn"]
    assert [name for name, role in roles.items() if role == "sensitive"] == ["diagnosis"]
    assert len(found.of_role(Role.QUASI)) == 7
    assert not found.undecided
    assert found.telling == shoal.singling_out(HOSPITAL, quasi=[c.name for c in found.of_role(Role.QUASI)])
    rows = found.ladders["length_of_stay"].rows or []
    assert [int(row[0]) for row in rows] == sorted(int(row[0]) for row in rows)


def test_a_person_has_the_last_word() -> None:
    found = proposed({"x": ["a", "b"] * 20, "age": ["1", "2"] * 20}, roles={"x": "sensitive"}, k=3)
    assert found.of_role(Role.SENSITIVE)[0].name == "x"
    assert "chosen by a person" in found.columns[0].reason
    assert found.diversities["x"].l == 2
    changed = found.changed({"x": "identifier"}, k=7)
    assert (changed.k, len(changed.of_role(Role.IDENTIFIER))) == (7, 1)
    assert found.changed(diversity={"x": 1}).toml().count("[[require]]") == 1
    for wrong in ({"y": "quasi"}, {"x": "secret"}):
        with pytest.raises(SpecError, match=r"No column 'y'|Unknown role 'secret'"):
            found.changed(wrong)
    with pytest.raises(SpecError, match="at least 1"):
        found.changed(k=0)


def test_groups_given_in_a_file(tmp_path: Path) -> None:
    (tmp_path / "g.csv").write_text("a;vowel\ne;vowel\nb;consonant\n")
    found = proposed({"x": ["a", "b", "c", "e"] * 10}, groups={"x": tmp_path / "g.csv"})
    assert ["c", "c", "*"] in (found.ladders["x"].rows or [])
    assert ["e", "vowel", "*"] in (found.ladders["x"].rows or [])


def test_what_one_should_know_before() -> None:
    few = proposed({"age": ["1", "2"]})
    assert "fewer than k = 5 records (2)" in few.warnings[0]
    twice = proposed({"patient_id": [str(i // 2) for i in range(60)], "age": ["1", "2"] * 30})
    assert (twice.columns[0].role, twice.warnings) == (Role.ENTITY, [])
    chosen = twice.changed({"patient_id": "identifier"})
    assert "Several records share a value of 'patient_id'" in chosen.warnings[0]
    holed = proposed({"patient_id": [None, *(str(i // 2) for i in range(59))], "age": ["1", "2"] * 30})
    assert holed.columns[0].role is Role.IDENTIFIER
    assert "It misses a value in 1 record, which must be filled first" in holed.warnings[0]
    headless = proposed({"30": ["1", "2"] * 30, "2020-01-02": ["a", "b"] * 30})
    assert "does the table start with the names" in headless.warnings[0]
    rare = proposed({"hiv": ["yes"] + ["no"] * 399, "age": ["1", "2"] * 200})
    assert "At most 1 classes can show 2 values" in rare.warnings[0]


def test_a_folder_is_made_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = proposed({"age": [str(i) for i in range(30)] * 2, "sex": ["M", "F"] * 30})
    monkeypatch.setattr(Proposal, "_read_back", lambda *_: (_ for _ in ()).throw(OSError(28, "full")))
    with pytest.raises(SpecError, match="Nothing was written"):
        found.write(tmp_path / "job")
    assert list(tmp_path.iterdir()) == []
    monkeypatch.undo()
    found.write(tmp_path / "job")
    with pytest.raises(SpecError, match="exists already"):
        found.write(tmp_path / "job")
    assert found.write(tmp_path / "job", force=True) == tmp_path / "job/job.toml"
    assert {path.name for path in (tmp_path / "job/hierarchies").iterdir()} == {"age.csv", "sex.csv"}


def test_many_values_get_a_recipe_instead_of_a_file() -> None:
    found = proposed({"age": [str(i) for i in range(10_001)], "zip": [f"{i:05}" for i in range(10_001)]})
    assert found.files == {}
    columns = tomllib.loads(found.toml())["columns"]
    assert columns["age"]["hierarchy"] == {"type": "intervals", "widths": [500, 1000, 2000, 4000, 8000]}
    assert columns["zip"]["hierarchy"] == {"type": "masking"}
    assert "too many values for a file" in found.toml()


@pytest.mark.parametrize("path", [HOSPITAL, ADULT], ids=["hospital", "adult"])
def test_from_an_unknown_table_to_a_verified_release(path: Path, tmp_path: Path) -> None:
    if not path.is_file():
        pytest.skip(f"There is no table '{path.name}' here: set SHOAL_ADULT to the folder of Adult.")
    job = shoal.init(path).write(tmp_path / "job")
    request = Job.read(job, {"search": {"algorithm": "mondrian"}})
    shoal.run(request).write(tmp_path / "out")
    assert shoal.verify(tmp_path / "out").verdict == "all claims hold"


def test_a_job_of_many_columns_runs_where_promises_count_persons(tmp_path: Path) -> None:
    columns = {f"age{i}": [str(20 + (7 * i + r) % 9) for r in range(60)] for i in range(13)}
    persons = [f"p{r % 40}" for r in range(60)]
    held = {"disease": ["flu", "cold", "burn"] * 20, "religion": [("x", "y", "z", "u")[r % 40 % 4] for r in range(60)]}
    pl.DataFrame({"patient_id": persons, **columns, **held}).write_csv(tmp_path / "table.csv")
    proposal = shoal.init(tmp_path / "table.csv")
    assert proposal.by_record == {"disease"}
    assert any("count records" in words for words in proposal.warnings)
    release = shoal.run(Job.read(proposal.write(tmp_path / "job"), {"search": {"time_limit": 0.2}}))
    counted = [(claim["model"], claim["parameters"].get("entity")) for claim in release.certificate["claims"]]
    assert counted == [
        ("k-anonymity", "patient_id"),
        ("distinct-l-diversity", None),
        ("distinct-l-diversity", "patient_id"),
    ]


NAMES = st.one_of(
    st.sampled_from(
        ["age", "zip", "name", "disease", "income", "date", "*", "a.b", "tab\tx", 'quo"te', "日本", "[b]", "x\ny", "#"]
    ),
    st.text(min_size=1, max_size=6).filter(str.strip),
)
CELLS = st.one_of(
    st.integers(-5, 120).map(str),
    st.sampled_from(
        ["M", "F", "2024-01-02", "15.03.1970", "a;b", '"q"', "*", "**", "Other (2 values)", "1,5", "0-4", "é", "<18"]
    ),
    st.text("ab;,\"'*\n\r\té \ufeff", min_size=1, max_size=4),
    st.none(),
)


@st.composite
def tables(draw: st.DrawFn) -> pl.DataFrame:
    names = draw(st.lists(NAMES, min_size=1, max_size=4, unique=True))
    n = draw(st.integers(1, 25))
    pools = [draw(st.lists(CELLS, min_size=1, max_size=6)) for _ in names]
    cells = [[pool[draw(st.integers(0, len(pool) - 1))] for _ in range(n)] for pool in pools]
    return pl.DataFrame(dict(zip(names, cells, strict=True)), schema=dict.fromkeys(names, pl.String))


@settings(max_examples=25)
@given(tables())
def test_every_proposal_is_a_job_whose_hierarchies_hold_every_value(frame: pl.DataFrame) -> None:
    found = shoal.init(frame)
    with tempfile.TemporaryDirectory() as place:
        job = Job.read(found.write(Path(place) / "job"))
        assert list(job.columns) == list(frame.columns)
        assert job.names(Role.QUASI)
        for name, file in found.files.items():
            hierarchy = Levels(path=file).build([], name, Path(place) / "job")
            values = set(frame.get_column(name).drop_nulls().to_list()) - {""}
            assert set(hierarchy.values) == values
            tree = hierarchy.tree()
            assert len(set(tree.labels)) == len(tree.labels)
        assert set(job.names(Role.QUASI)) >= set(found.files)


@settings(max_examples=5)
@given(tables())
def test_every_proposal_runs(frame: pl.DataFrame) -> None:
    """The text of a table is written and read as a user's is."""
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "t.parquet"
        frame.write_parquet(path)
        job = Job.read(shoal.init(path, k=1).write(Path(place) / "job"), {"search": {"algorithm": "mondrian"}})
        shoal.run(job).write(Path(place) / "out")
        assert shoal.verify(Path(place) / "out").verdict == "all claims hold"


def test_the_recipes_that_stand_beside_the_files_make_the_same_levels(tmp_path: Path) -> None:
    path = shoal.init(HOSPITAL).write(tmp_path / "job")
    by_files = Job.read(path)
    lines = path.read_text(encoding="utf-8").splitlines()
    recipes = [place for place, line in enumerate(lines) if line.startswith("# hierarchy = {")]
    for place in recipes:
        lines[place - 1], lines[place] = "", lines[place].removeprefix("# ")
    path.write_text("\n".join(lines), encoding="utf-8")
    table = pl.read_csv(HOSPITAL, infer_schema=False)
    changed = 0
    for name, column in Job.read(path).columns.items():
        file = by_files.columns[name].hierarchy
        if column.hierarchy is None or file is None or column.hierarchy == file:
            continue
        values = table[name].drop_nulls().unique().sort().to_list()
        levels = [recipe.build(values, name, tmp_path / "job").labels[1:] for recipe in (column.hierarchy, file)]
        assert [set(level) for level in levels[0]] == [set(level) for level in levels[1]]
        changed += 1
    assert changed == len(recipes) == 5
