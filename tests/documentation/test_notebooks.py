"""Notebooks: each runs from its first cell to its last, and is kept without what came out."""

import json
from pathlib import Path
from typing import Any

import pytest
from docs.site.notebooks import NOTEBOOKS, Cell, as_html, beside_the_examples, engine_of, page, ran

SPARK = [path for path in NOTEBOOKS if engine_of(path) == "spark"]
PLAIN = [path for path in NOTEBOOKS if not engine_of(path)]


def test_there_are_four_notebooks_and_one_of_them_needs_spark() -> None:
    assert len(NOTEBOOKS) == 4
    assert [path.stem for path in SPARK] == ["spark"]


@pytest.mark.parametrize("path", PLAIN, ids=lambda path: path.stem)
def test_a_notebook_runs(path: Path) -> None:
    with beside_the_examples():
        cells = ran(path)
    assert any("<svg" in cell.shown for cell in cells) or path.stem == "attack"
    assert any(cell.printed for cell in cells)


@pytest.mark.engines
@pytest.mark.parametrize("path", SPARK, ids=lambda path: path.stem)
def test_a_notebook_for_spark_runs(path: Path, spark: Any) -> None:
    with beside_the_examples():
        cells = ran(path, {"spark": spark})
    assert any("<svg" in cell.shown for cell in cells)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_kept_without_what_came_out(path: Path) -> None:
    told = json.loads(path.read_text(encoding="utf-8"))
    assert all(cell["outputs"] == [] for cell in told["cells"] if cell["cell_type"] == "code")
    assert len({cell["id"] for cell in told["cells"]}) == len(told["cells"])


def written(folder: Path, *sources: str) -> Path:
    cells = [{"cell_type": "code", "source": [source]} for source in sources]
    path = folder / "some.ipynb"
    path.write_text(json.dumps({"cells": cells, "metadata": {}}), encoding="utf-8")
    return path


def test_cells_know_what_earlier_ones_defined_and_show_their_last_value(tmp_path: Path) -> None:
    path = written(tmp_path, "a = 3", "print(a)\na * 2", "a += 1")
    assert ran(path) == [
        Cell("code", "a = 3"),
        Cell("code", "print(a)\na * 2", "3\n", "<pre>6</pre>"),
        Cell("code", "a += 1"),
    ]


def test_a_cell_that_fails_stops_the_notebook(tmp_path: Path) -> None:
    with pytest.raises(AssertionError):
        ran(written(tmp_path, "assert 1 == 2"))


def test_a_page_shows_code_and_what_came_out(tmp_path: Path) -> None:
    text = page(written(tmp_path, "print('<b>')\n'<i>'"))
    assert "```text\n<b>\n```" in text
    assert '<div class="cell-output">\n<pre>&#x27;&lt;i&gt;&#x27;</pre>\n</div>' in text


def test_a_picture_is_shown_before_a_table() -> None:
    class Both:
        def _repr_svg_(self) -> str:
            return "<svg/>"

        def _repr_html_(self) -> str:
            return "<table/>"

    assert as_html(Both()) == "<svg/>"
    assert as_html(None) == ""
