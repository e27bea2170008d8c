"""The judge is not blind: each kind of fault, put into a release that is right, is found, and none where none is."""

import ast
import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.run import done
from tests.soak.judge.cells import covering, levels_of
from tests.soak.judge.evidence import Case, read_rows
from tests.soak.judge.lattice import best_known, possible
from tests.soak.judge.matching import unmatched
from tests.soak.judge.verdict import judge
from tests.soak.trial import write_case

HERE = Path(__file__).parent
LEVELS = "u;red;*\nv;red;*\nw;blue;*\n"
ROWS: list[tuple[str, ...]] = [
    (f"Canary{i}", age, job, ill, note)
    for i, (age, job, ill, note) in enumerate(
        [
            ("21", "cook", "u", "a"),
            ("22", "cook", "v", "a"),
            ("23", "nurse", "w", "b"),
            ("24", "nurse", "u", "b"),
            ("41", "cook", "v", "a"),
            ("42", "cook", "w", "b"),
            ("48", "nurse", "u", "a"),
            ("49", "nurse", "v", "b"),
            ("99", "pilot", "w", "a"),
        ]
    )
]
PROMISES: list[dict[str, Any]] = [
    {"model": "k-anonymity", "k": 2},
    {"model": "distinct-l-diversity", "l": 2, "column": "ill"},
    {"model": "entropy-l-diversity", "l": 1.5, "column": "ill"},
    {"model": "recursive-cl-diversity", "c": 3, "l": 2, "column": "ill"},
    {"model": "frequency-l-diversity", "l": "3/2", "column": "ill"},
    {"model": "p-sensitive-k-anonymity", "p": 2, "k": 2, "column": "ill"},
    {"model": "alpha-k-anonymity", "alpha": 0.7, "k": 2, "column": "ill"},
    {"model": "t-closeness", "t": 0.5, "column": "ill", "distance": "hierarchical"},
    {"model": "beta-likeness", "beta": 2, "column": "ill"},
]


def made(folder: Path, **changes: Any) -> Case:
    """Release a small table by the command line, as an example that is right."""
    intervals = {"type": "intervals", "widths": [10, 50]}
    job: dict[str, Any] = {
        "input": {},
        "columns": {
            "name": {"role": "identifier"},
            "age": {"role": "quasi", "hierarchy": intervals},
            "job": {"role": "quasi", "hierarchy": {"type": "suppression"}},
            "ill": {"role": "sensitive", "hierarchy": {"type": "levels", "path": "ill.csv"}},
            "note": {"role": "insensitive"},
        },
        "require": changes.get("require", PROMISES),
        "search": changes.get("search", {"algorithm": "optimal", "measure": "stars", "seed": 1, "max_suppressed": 0.2}),
        "release": changes.get("release", {}),
    }
    names = tuple(row[0] for row in ROWS)
    case = Case(("name", "age", "job", "ill", "note"), ROWS, job, {"ill.csv": LEVELS}, names)
    write_case(case, folder)
    done("anonymize", folder / "job.toml", "--out", folder / "out", "--quiet")
    return case


def changed_table(change: Callable[[list[list[str]]], None]) -> Callable[[Path], None]:
    def act(out: Path) -> None:
        header, rows = read_rows((out / "public/data.csv").read_text(encoding="utf-8"), ",")
        table = [list(row) for row in rows]
        change(table)
        (out / "public/data.csv").write_text(
            "\n".join(",".join(row) for row in [header, *table]) + "\n", encoding="utf-8"
        )

    return act


def changed_certificate(*keys: Any, value: Any) -> Callable[[Path], None]:
    def act(out: Path) -> None:
        certificate = json.loads((out / "private/certificate.json").read_text(encoding="utf-8"))
        part = certificate
        for key in keys[:-1]:
            part = part[key]
        assert part[keys[-1]] != value
        part[keys[-1]] = value
        (out / "private/certificate.json").write_text(json.dumps(certificate), encoding="utf-8")

    return act


def alone(table: list[list[str]]) -> None:
    """Publish one record as it was: it is alone in its class."""
    table[0][0] = next(row[1] for row in ROWS if row[3] == table[0][2] and row[4] == table[0][3])


def alike(table: list[list[str]]) -> None:
    """Give all records of the first record's class one illness."""
    first = tuple(table[0][:2])
    for row in table:
        if tuple(row[:2]) == first:
            row[2] = table[0][2]


def another_class(table: list[list[str]]) -> None:
    """Put a class where no raw record is."""
    first = tuple(table[0][:2])
    for row in table:
        if tuple(row[:2]) == first:
            row[0] = "70-79"


def off_the_widths(table: list[list[str]]) -> None:
    """Publish intervals that hold the values, and are none of the hierarchy."""
    for row in table:
        row[0] = "1-99"


def joined(table: list[list[str]]) -> None:
    """Publish every record in one class: true, but not what the certificate counts."""
    for row in table:
        row[0], row[1] = "*", "*"


def put_into(name: str, text: str) -> Callable[[Path], None]:
    def act(out: Path) -> None:
        with (out / name).open("a", encoding="utf-8") as file:
            file.write(text)

    return act


FAULTS: dict[str, tuple[str, Callable[[Path], None]]] = {
    "a record that is not generalized": ("promise k-anonymity", changed_table(alone)),
    "a class of one illness": ("promise distinct-l-diversity", changed_table(alike)),
    "the same, by entropy": ("promise entropy-l-diversity", changed_table(alike)),
    "the same, by the most frequent": ("promise frequency-l-diversity", changed_table(alike)),
    "the same, by the tail": ("promise recursive-cl-diversity", changed_table(alike)),
    "the same, by values": ("promise p-sensitive-k-anonymity", changed_table(alike)),
    "the same, by shares": ("promise alpha-k-anonymity", changed_table(alike)),
    "an illness of another": ("origin", changed_table(alike)),
    "a cell where nobody is": ("origin", changed_table(another_class)),
    "an interval of no hierarchy": ("origin", changed_table(off_the_widths)),
    "a joined class": ("classes", changed_table(joined)),
    "a record that is there twice": ("origin", changed_table(lambda table: table.append(list(table[0])))),
    "a record too many": ("records of the file", changed_table(lambda table: table.append(list(table[0])))),
    "a record too few": ("records of the file", changed_table(lambda table: table.__delitem__(0))),
    "a k that is not reached": ("achieved k-anonymity", changed_certificate("claims", 0, "achieved", value=7)),
    "an l that is not reached": (
        "achieved entropy-l-diversity",
        changed_certificate("claims", 2, "achieved", value=9.5),
    ),
    "a t that is not reached": ("achieved t-closeness", changed_certificate("claims", 7, "achieved", value=0.01)),
    "a beta that is not reached": ("achieved beta-likeness", changed_certificate("claims", 8, "achieved", value=0.01)),
    "another promise": ("claim named", changed_certificate("claims", 0, "model", value="k-map")),
    "a promise too few": ("claims", changed_certificate("claims", value=[])),
    "fewer raw records": ("records input", changed_certificate("records", "input", value=7)),
    "fewer suppressed": ("records sum", changed_certificate("records", "suppressed", value=5)),
    "more suppressed than allowed": ("limit of suppression", changed_certificate("records", "suppressed", value=5)),
    "dropped for nothing": ("records dropped", changed_certificate("missing", "dropped", value=1)),
    "a class too many": ("classes", changed_certificate("classes", "count", value=99)),
    "a larger class": ("classes", changed_certificate("classes", "smallest", value=99)),
    "another average": ("classes average", changed_certificate("classes", "average", value=99.0)),
    "a bound above the loss": ("bound", changed_certificate("loss", "bound", value=1000.0)),
    "a smaller loss": ("loss stars", changed_certificate("loss", "total", value=0.5)),
    "a false optimum": ("optimum", changed_certificate("loss", "total", value=0.5)),
    "a name in the report": ("canaries", put_into("public/report-public.html", ROWS[3][0])),
    "a name in the job": ("canaries", put_into("private/job.toml", ROWS[3][0])),
}


@pytest.fixture(scope="module")
def right(tmp_path_factory: pytest.TempPathFactory) -> tuple[Case, Path]:
    folder = tmp_path_factory.mktemp("right")
    return made(folder), folder / "out"


def copied(out: Path, to: Path) -> Path:
    return Path(shutil.copytree(out, to))


def test_a_release_that_is_right_is_found_right(right: tuple[Case, Path]) -> None:
    verdict = judge(*right)
    assert verdict.wrong == []
    assert verdict.judged["optimum"] == verdict.judged["origin"] == 1
    assert sum(number for kind, number in verdict.judged.items() if kind.startswith("promise")) == len(PROMISES)


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_found(right: tuple[Case, Path], fault: str, tmp_path: Path) -> None:
    kind, change = FAULTS[fault]
    out = copied(right[1], tmp_path / "out")
    change(out)
    assert kind in {wrong.split(":")[0] for wrong in judge(right[0], out).wrong}


def test_an_identifier_that_leaves_is_found(right: tuple[Case, Path], tmp_path: Path) -> None:
    out = copied(right[1], tmp_path / "out")
    lines = (out / "public/data.csv").read_text(encoding="utf-8").splitlines()
    (out / "public/data.csv").write_text("\n".join(f"{line},{i}" for i, line in enumerate(lines)), encoding="utf-8")
    assert "columns" in {wrong.split(":")[0] for wrong in judge(right[0], out).wrong}


def test_a_value_that_did_not_leave_is_found(right: tuple[Case, Path], tmp_path: Path) -> None:
    case, out = right[0], copied(right[1], tmp_path / "out")
    marked = Case(case.header, case.rows, case.job, case.files, case.canaries, ("pilot",))
    assert judge(marked, out).wrong == []
    put_into("public/certificate-public.json", "pilot")(out)
    assert "values that did not leave" in {wrong.split(":")[0] for wrong in judge(marked, out).wrong}


def test_another_order_is_found(tmp_path: Path) -> None:
    case = made(tmp_path, release={"order": "input"}, require=PROMISES[:1])
    assert judge(case, tmp_path / "out").wrong == []
    changed_table(lambda table: table.reverse())(tmp_path / "out")
    assert {wrong.split(":")[0] for wrong in judge(case, tmp_path / "out").wrong} == {"order"}


def test_an_unsuppressed_record_is_found(tmp_path: Path) -> None:
    case = made(tmp_path, release={"suppressed": "star"}, require=[{"model": "k-anonymity", "k": 1}])
    assert judge(case, tmp_path / "out").wrong == []
    changed_certificate("records", "suppressed", value=1)(tmp_path / "out")
    changed_certificate("records", "released", value=8)(tmp_path / "out")
    assert {wrong.split(":")[0] for wrong in judge(case, tmp_path / "out").wrong} >= {"stars"}


CLUSTER_FAULTS: dict[str, tuple[str, str, str]] = {
    "a record too many": ("public/clusters.csv", "records", "both tables"),
    "a value that is not there": ("public/clusters.csv", "ill", "values of clusters"),
    "another centre": ("public/data.csv", "age", "both tables"),
}


@pytest.mark.parametrize("fault", CLUSTER_FAULTS)
def test_a_fault_of_clusters_is_found(fault: str, tmp_path: Path) -> None:
    name, column, kind = CLUSTER_FAULTS[fault]
    case = made(tmp_path, require=PROMISES[:2], search={"algorithm": "mdav", "seed": 1})
    out = tmp_path / "out"
    assert judge(case, out).wrong == []
    header, *rows = (out / name).read_text(encoding="utf-8").splitlines()
    table = [list(read_rows(f"{header}\n{row}", ",")[1][0]) for row in rows]
    place = header.split(",").index(column)
    table[0][place] = {"records": "9", "ill": '{"u": 900}', "age": "1"}[column]
    text = "\n".join(",".join('"' + cell.replace('"', '""') + '"' for cell in row) for row in table)
    (out / name).write_text(f"{header}\n{text}\n", encoding="utf-8")
    assert kind in {wrong.split(":")[0] for wrong in judge(case, out).wrong}


def test_what_is_possible_is_not_called_infeasible(tmp_path: Path) -> None:
    case = made(tmp_path, require=PROMISES[:1])
    assert possible(case) == "all records as one class"
    case.job["require"] = [{"model": "k-anonymity", "k": 10}]
    assert possible(case) is None
    case.job["require"] = [{"model": "frequency-l-diversity", "l": 3, "column": "ill"}]
    assert possible(case) == "all records as one class"
    rows = [row for row in case.rows if row[3] != "v"] + [("x", "30", "cook", "u", "a")]
    few = Case(case.header, rows, {**case.job, "search": {"algorithm": "auto", "max_suppressed": 0.5}}, case.files)
    few.job["require"] = [{"model": "frequency-l-diversity", "l": 2, "column": "ill"}]
    assert possible(few) == "all records but some as one class"
    assert possible(few, of_any_kind=False) is None
    few.job["search"] = {"algorithm": "auto", "max_suppressed": 0.1}
    assert possible(few) is None


def test_the_case_of_a_false_optimum() -> None:
    """Six x with u, v; three y and one z with w: to drop y and z loses 4, which dropping failing classes misses."""
    rows: list[tuple[str, ...]] = [*zip("x" * 6 + "yyyz", "uv" * 3 + "wwww", strict=True)]
    job: dict[str, Any] = {
        "input": {},
        "columns": {"q": {"role": "quasi", "hierarchy": {"type": "suppression"}}, "s": {"role": "sensitive"}},
        "require": [{"model": "k-anonymity", "k": 2}, {"model": "t-closeness", "t": 0.1, "column": "s"}],
        "search": {"measure": "stars", "max_suppressed": 0.4},
        "release": {},
    }
    best = best_known(Case(("q", "s"), rows, job), "optimal")
    assert best is not None
    assert best.loss == 4


def test_cells_are_read() -> None:
    ages = ["20", "24", "25", "-3"]
    covers = covering({"type": "ranges"}, ages, {})
    assert covers("20 - 24", "24")
    assert not covers("20 - 24", "25")
    assert covers("[-5, 0)", "-3")
    sets = covering({"type": "sets"}, ["a", "b"], {})
    assert sets("{a, b}", "a")
    assert not sets("{a, b}", "c")
    assert not sets("{a, b}", "")
    masks = covering({"type": "masking"}, ["22030", "220"], {})
    assert masks("220**", "220")
    assert not masks("2203*", "220")
    days = covering({"type": "dates"}, ["2024-03-15"], {})
    assert days("2024-Q1", "2024-03-15")
    assert not days("2024-Q2", "2024-03-15")
    tree = {"Any": {"Europe": ["France", "Italy"], "Asia": ["India", {"East": ["Japan", "Korea"]}]}}
    levels = levels_of({"type": "taxonomy", "tree": tree}, [], {})
    assert levels is not None
    assert [level["India"] for level in levels] == ["India", "India", "Asia", "Any"]
    assert [level["France"] for level in levels] == ["France", "France", "Europe", "Any"]


def test_a_matching_moves_others_out_of_the_way() -> None:
    raw = [((value,), ()) for value in ("1", "2", "3")]
    cells = [(("12",), ()), (("12",), ()), (("123",), ())]
    assert unmatched(raw, cells, lambda cell, value: value[0] in cell[0]) == 0
    assert unmatched(raw, [*cells[:2], (("12",), ())], lambda cell, value: value[0] in cell[0]) == 1
    chain = [(("13",), ()), (("12",), ()), (("2",), ())]
    assert unmatched(raw, chain, lambda cell, value: value[0] in cell[0]) == 0


def test_the_judge_imports_nothing_but_the_standard_library_and_itself() -> None:
    """Its own files, and whatever they import of this project, are looked at too."""
    files = sorted((HERE / "judge").glob("*.py"))
    assert len(files) >= 6
    for path in files:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [one.name for one in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom):
                names = [node.module or ""]
                assert node.level == 0
            for name in names:
                assert name.split(".")[0] in sys.stdlib_module_names or name.startswith("tests.soak.judge."), path
    assert not (HERE.parent / "__init__.py").read_text(encoding="utf-8").count("import")
    assert not (HERE / "__init__.py").read_text(encoding="utf-8").count("import ")
