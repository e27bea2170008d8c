"""Settings side by side: each as `anonymize` makes it, priced by one measure, and none ends the others."""

import time
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any
from xml.etree import ElementTree as ET

import polars as pl
import pytest

import shoal
from shoal import SpecError, TCloseness
from shoal.actions.compare import compare
from shoal.actions.comparison.comparison import Comparison
from shoal.kernels.clock import STOPWATCH
from shoal.search.algorithms.mondrian import Mondrian
from tests.cli.run import entries, read_csv

QUASI: dict[str, Any] = {
    "age": {"type": "intervals", "widths": [5, 10, 20, 40]},
    "zip": "masking",
    "Größe <&>": None,
}
ILL = ["flu", "cold", "ulcer", "raw<value>"]


def table(n: int = 120, seed: int = 4) -> pl.DataFrame:
    draw = Random(seed)  # noqa: S311
    return pl.DataFrame(
        {
            "age": [draw.randrange(20, 80) for _ in range(n)],
            "zip": [f"9{draw.randrange(4)}{draw.randrange(3)}77" for _ in range(n)],
            "Größe <&>": [draw.choice(["tiny", "tall", None]) for _ in range(n)],
            "ill": [draw.choice(ILL) for _ in range(n)],
        }
    )


ROLES: dict[str, Any] = {"quasi": QUASI, "sensitive": ["ill"], "seed": 11}
AXES: dict[str, Any] = {"k": [3, 6], "algorithm": ["optimal", "mondrian", "mdav"], "max_suppressed": [0, "0.1"]}


@pytest.fixture(scope="module")
def found() -> Comparison:
    return compare(table(), **ROLES, **AXES)


def test_each_setting_is_what_anonymize_makes_of_it(found: Comparison) -> None:
    assert len(found.outcomes) == 12
    for one in found.outcomes:
        job = one.setting.job
        asked: dict[str, Any] = {
            "k": one.setting.k,
            "algorithm": one.setting.algorithm,
            "max_suppressed": job.search.max_suppressed,
        }
        made = shoal.anonymize(table(), **ROLES, **asked)
        certificate, figures = made.certificate, one.figures
        assert figures is not None
        assert (figures.lowered, figures.lowered_total) == (
            certificate["loss"]["measure"],
            certificate["loss"]["total"],
        )
        if figures.recoding != "centres":
            assert figures.loss == certificate["loss"]["share"]
        assert (figures.bound, figures.ratio) == (certificate["loss"]["bound"], certificate["loss"]["ratio"])
        assert figures.suppressed == certificate["records"]["suppressed"]
        assert shoal.run(job, table()).frame.equals(made.frame)  # the job of a setting repeats it
        risk = shoal.risk(made.data, quasi=list(QUASI), suda=0).summary["prosecutor"]["strict"]
        assert (float(figures.highest), float(figures.average)) == pytest.approx((risk["largest"], risk["average"]))
        assert figures.above == next(row["above"] for row in risk["thresholds"] if row["threshold"] == 0.09)


def test_clusters_are_priced_as_the_cells_that_cover_their_records(found: Comparison) -> None:
    ages = table()["age"].to_list()
    data = pl.DataFrame({"age": ages})
    roles: dict[str, Any] = {"quasi": {"age": "ranges"}, "seed": 11}
    one = compare(data, **roles, k=[4], algorithm="mdav", measure="lm").outcomes[0]
    made = shoal.anonymize(data, **roles, k=4, algorithm="mdav", order="input")
    ranges: dict[str, list[int]] = {}
    for age, centre in zip(ages, made.data["age"].to_list(), strict=True):
        ranges.setdefault(centre, []).append(age)
    wide = max(ages) - min(ages)
    plainly = sum(len(own) * (max(own) - min(own)) / wide for own in ranges.values()) / len(ages)
    assert one.figures is not None
    assert one.figures.loss == pytest.approx(plainly)
    assert (one.figures.lowered, one.figures.recoding) == ("sse", "centres")


def test_all_losses_are_told_by_the_first_measure() -> None:
    grid = compare(table(), **ROLES, k=4, algorithm="optimal", measure=["classification", "lm"])
    by_lm = shoal.anonymize(table(), **ROLES, k=4, algorithm="optimal", measure="lm", order="input")
    classes: dict[Any, list[str]] = {}
    for *cells, ill in by_lm.data.select(*QUASI, "ill").iter_rows():
        classes.setdefault(tuple(cells), []).append(ill)
    others = sum(len(own) - max(own.count(value) for value in own) for own in classes.values())
    first, second = (one.figures for one in grid.outcomes)
    assert first is not None
    assert second is not None
    assert (grid.measure, first.lowered, second.lowered) == ("classification", "classification", "lm")
    assert second.loss == pytest.approx((others + second.suppressed) / 120)
    assert first.loss <= second.loss


def test_promises_that_are_kept_count_in_who_dominates() -> None:
    near = [TCloseness(t=Fraction(share), column="ill") for share in ("0.05", "0.9")]
    grid = compare(table(), **ROLES, k=[3], algorithm="mondrian", require=near)
    strict, loose = (one.figures for one in grid.outcomes)
    assert strict is not None
    assert loose is not None
    assert strict.loss > loose.loss
    assert (strict.kept, loose.kept) == (frozenset({0, 1}), frozenset({1}))
    assert len(grid.undominated) == 2
    assert grid.as_dict()["judged_by"][2] == "promises kept"


def test_a_setting_without_a_release_stays_with_its_reason() -> None:
    grid = compare(table(), **ROLES, k=[3, 200], algorithm=["optimal", "two-factor-2"])
    assert [one.failed for one in grid.outcomes] == ["", "refused", "infeasible", "refused"]
    assert "\n" not in grid.outcomes[2].reason
    assert grid.outcomes[2].diagnosis["largest_k"] == 120
    rows = grid.as_dict()["settings"]
    assert [row["verdict"] for row in rows] == ["undominated", "refused", "infeasible", "refused"]
    assert rows[2]["loss"] is None
    assert rows[2]["message"].startswith("No generalization keeps every promise")
    assert "3 settings have no release" in grid.svg()


def test_records_above_a_threshold_are_counted(found: Comparison) -> None:
    half = compare(table(), **ROLES, k=3, algorithm="optimal", threshold="1/4").outcomes[0].figures
    made = shoal.anonymize(table(), **ROLES, k=3, algorithm="optimal").data
    sizes = made.group_by(list(QUASI)).len()["len"].to_list()
    assert half is not None
    assert half.above == sum(size for size in sizes if size < 4)
    with pytest.raises(SpecError, match="above 0 and at most 1"):
        compare(table(), **ROLES, k=3, threshold=0)


def test_it_is_written_whole_and_shows_no_value(found: Comparison, tmp_path: Path) -> None:
    data = tmp_path / "patients.csv"
    table().write_csv(data)
    grid = compare(data, **ROLES, k=[3, 6], algorithm=["optimal", "mondrian"])
    grid.write(tmp_path / "out")
    assert entries(tmp_path / "out") == {"frontier.csv", "frontier.svg", "jobs"}
    assert entries(tmp_path / "out" / "jobs") == {"1.toml", "2.toml", "3.toml", "4.toml"}
    rows = read_csv(tmp_path / "out" / "frontier.csv")
    assert [row["setting"] for row in rows] == [one.setting.label for one in grid.outcomes]
    for row, one in zip(rows, grid.outcomes, strict=True):
        assert one.figures is not None
        assert float(row["loss"]) == one.figures.loss
        assert (row["verdict"] == "undominated") == (one in grid.undominated)
    again = shoal.run(shoal.Job.read(tmp_path / "out" / "jobs" / "2.toml"))
    figures = grid.outcomes[1].figures
    assert figures is not None
    assert again.solution.loss.share == figures.loss
    with pytest.raises(SpecError, match="exists already"):
        grid.write(tmp_path / "out")
    files = ("frontier.csv", "frontier.svg")
    text = "".join((tmp_path / "out" / name).read_text(encoding="utf-8") for name in files) + found.svg()
    values = {str(value) for name in table().columns for value in table()[name].drop_nulls() if name != "age"}
    assert not [value for value in values if value in text]


def test_a_notebook_sees_the_picture_and_the_table(found: Comparison) -> None:
    html = found._repr_html_()
    assert html.startswith("<svg")
    assert html.count("<tr>") == 13
    assert repr(found).startswith("<Comparison: 12 settings; not beaten by another: 'k ")
    root = ET.fromstring(found.svg())  # noqa: S314  (our own text)
    marks = [part.get("class") for part in root.iter() if part.get("transform")]
    assert marks.count("undominated") >= len(found.undominated)


@pytest.mark.parametrize(
    "data",
    [
        pl.DataFrame({"a": ["x"], "b": [None]}, schema={"a": pl.String, "b": pl.String}),
        pl.DataFrame({"a": ["x"] * 9, "b": ["y", None, ""] * 3}),
    ],
)
def test_odd_tables(data: pl.DataFrame) -> None:
    grid = compare(data, quasi=["a", "b"], k=[1, 3], algorithm=["optimal", "mondrian", "mdav"])
    released = [one for one in grid.outcomes if one.figures is not None]
    assert {one.setting.k for one in released} == ({1} if data.height == 1 else {1, 3})
    assert ET.fromstring(grid.svg()) is not None  # noqa: S314  (our own text)


def test_progress_goes_over_the_whole_grid() -> None:
    told: list[tuple[str, float | None]] = []
    compare(
        table(),
        **ROLES,
        k=[3, 6],
        algorithm=["optimal", "mondrian"],
        progress=lambda step, share=None: told.append((step, share)),
    )
    shares = [share for _, share in told if share is not None]
    assert shares == sorted(shares)
    assert 0 <= shares[0] < shares[-1] <= 1
    assert {step.split(":")[0] for step, _ in told[2:]} == {"1 of 4", "2 of 4", "3 of 4", "4 of 4"}


def test_compiling_is_not_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither here nor in the certificate: the first setting that needs a kernel would look slow."""
    solve = Mondrian.solve

    def compiling(self: Mondrian, *given: Any) -> Any:
        with STOPWATCH:  # as when a kernel is compiled
            time.sleep(1.0)
        return solve(self, *given)

    monkeypatch.setattr(Mondrian, "solve", compiling)
    begun = time.monotonic()
    release = shoal.anonymize(table(), **ROLES, k=3, algorithm="mondrian")
    assert release.certificate["told"]["seconds"] <= time.monotonic() - begun - 0.99
    begun = time.monotonic()
    [one] = compare(table(), **ROLES, k=3, algorithm=["mondrian"]).outcomes
    assert one.figures is not None
    assert one.figures.seconds <= time.monotonic() - begun - 0.99
