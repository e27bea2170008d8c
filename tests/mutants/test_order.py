"""Which tests are asked first, by what is known of them; and for how long what they noticed is remembered."""

import json
from math import inf
from pathlib import Path
from typing import Any

from tests.mutants.changes import changes
from tests.mutants.order import PROCESSES, Order
from tests.mutants.statements import TOLD, statement_of, statements, telling
from tests.mutants.verdicts import Verdicts

SOURCE = '''
def weigh(a, b):
    """Weigh them."""
    if a > b:
        a = (
            a -
            b
        )
    elif a:
        def inner():
            return a
        for _ in range(3):
            b += inner()
    else:
        return None
    return a, b
'''


def lines_told(*given: int) -> set[int]:
    told: set[str] = set()
    names: dict[str, Any] = {TOLD: told.add}
    exec(compile(telling(SOURCE, "weigh.py"), "weigh.py", "exec"), names)  # noqa: S102
    names["weigh"](*given)
    assert all(place.startswith("weigh.py:") for place in told)
    return {int(place.partition(":")[2]) for place in told}


def test_every_statement_that_is_run_is_told() -> None:
    assert lines_told(3, 2) == {4, 5, 16}
    assert lines_told(0, 2) == {4, 9, 15}
    assert lines_told(1, 2) == {4, 9, 10, 11, 12, 13, 16}


def test_a_line_belongs_to_the_innermost_statement() -> None:
    found = statements(SOURCE)
    assert [found[line] for line in range(2, 17)] == [2, 3, 4, 5, 5, 5, 5, 9, 10, 11, 12, 13, 9, 15, 16]


def test_what_runs_a_line_comes_by_a_statement_of_its_function() -> None:
    source = f"LIMIT = 3\n{SOURCE}"  # each line is one further down
    assert [statement_of(source, line) for line in (1, 3, 5, 8, 12)] == [None, 5, 5, 6, 12]


def order(folder: Path, seconds: dict[str, float], reached: dict[str, list[str]]) -> Order:
    path = folder / "order"
    path.write_text(json.dumps({"seconds": seconds, "reached": reached}), encoding="utf-8")
    return Order(path)


def test_only_tests_that_come_by_the_statement_can_notice_a_change_of_it(tmp_path: Path) -> None:
    tests = ["a.py::one", "a.py::other", "b.py::away", "b.py::unknown"]
    known = order(tmp_path, {}, {"a.py::one": ["x.py:1"], "a.py::other": ["x.py:2", PROCESSES], "b.py::away": []})
    assert known.coming_by(tests, {"x.py:1"}) == ["a.py::one"]
    assert known.coming_by(tests, {"x.py:1", PROCESSES}) == ["a.py::one", "a.py::other"]
    assert known.coming_by(tests, {"x.py:3"}) == []


def test_tests_that_come_by_the_statement_and_notice_much_and_are_quick_come_first(tmp_path: Path) -> None:
    seconds = {"a.py::slow": 1.0, "a.py::quick": 0.1, "b.py::away": 0.1, "b.py::unknown": 0.0}
    known = order(tmp_path, seconds, {"a.py::slow": ["x.py:1", "x.py:2"], "a.py::quick": ["x.py:2"]})
    assert known.sorted(seconds, "f", "x.py:2") == ["a.py::quick", "b.py::unknown", "a.py::slow", "b.py::away"]
    assert known.sorted(seconds, "f", "x.py:1") == ["b.py::unknown", "a.py::slow", "a.py::quick", "b.py::away"]
    assert known.sorted(seconds, "f", "a.py") == ["a.py::quick", "b.py::unknown", "a.py::slow", "b.py::away"]
    known.add("f", "b.py::away")
    assert known.sorted(seconds, "f", "x.py:2") == ["b.py::away", "a.py::quick", "b.py::unknown", "a.py::slow"]
    assert known.sorted(seconds, "g", "x.py:9")[0] == "b.py::unknown"


def test_after_the_first_few_tests_of_a_file_stay_together(tmp_path: Path) -> None:
    names = [f"{file}.py::{number}" for number in range(6) for file in "ab"]
    seconds = {name: float(place) for place, name in enumerate(names)}
    found = order(tmp_path, seconds, {}).sorted(names, "f", "")
    assert found == [*names[:8], "a.py::4", "a.py::5", "b.py::4", "b.py::5"]


def test_the_first_tests_are_those_that_take_so_many_seconds_together(tmp_path: Path) -> None:
    known = order(tmp_path, {"a.py::one": 1.0, "a.py::two": 2.0, "a.py::three": 1.0}, {})
    tests = ["a.py::one", "a.py::two", "a.py::three"]
    assert [len(known.first(tests, seconds)) for seconds in (0.5, 1.0, 3.0, 4.0, inf)] == [1, 1, 2, 3, 3]


def test_what_a_test_noticed_is_known_while_it_and_the_change_are_the_same(tmp_path: Path) -> None:
    test = tmp_path / "test_it.py"
    source = "HELP = 1\n\ndef test_one():\n    assert HELP\n\ndef test_other():\n    assert not HELP\n"
    test.write_text(source, encoding="utf-8")
    first, second = changes("a = 1\nb = 2\n")
    Verdicts(tmp_path, tmp_path / "kept").add(first, "it.py", "test_it.py::test_one[a b]")

    def known() -> list[bool]:
        verdicts = Verdicts(tmp_path, tmp_path / "kept")
        return [verdicts.noticed(change) for change in (first, second, changes("a = 1\nb = 3\n")[0])]

    assert known() == [True, False, False]
    assert not Verdicts(tmp_path, tmp_path / "kept", anew=True).noticed(first)
    for old, new, stays in (("not HELP", "HELP", True), ("HELP = 1", "HELP = 2", False), ("t HELP", "t True", False)):
        test.write_text(source.replace(old, new, 1), encoding="utf-8")
        assert known() == [stays, False, False], new
    test.unlink()
    assert known() == [False] * 3
