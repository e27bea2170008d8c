"""Whatever is handed to a public function, its error is one of shoal, and says what is needed.

Only a call with names that a function does not have, or with too few, is refused by Python itself.
"""

import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import shoal
from shoal.foundation.given import read_as
from shoal.measures import MEASURES
from shoal.models import MODELS
from shoal.search.algorithms import ALGORITHMS
from shoal.tables.hierarchies import HIERARCHIES

TABLE = pl.DataFrame(
    {
        "age": [str(20 + i % 5) for i in range(30)],
        "zip": [f"1{i % 3}" for i in range(30)],
        "ill": ["a", "b", "c"] * 10,
        "id": [str(i // 2) for i in range(30)],
    }
)
ROLES: dict[str, Any] = {"quasi": ["age", "zip"], "sensitive": ["ill"], "drop": ["id"], "seed": 1}


class Odd:
    """Nothing that anybody knows."""


WRONG: tuple[Any, ...] = (
    *(
        None,
        True,
        -1,
        0,
        3.5,
        float("nan"),
        float("inf"),
        10**30,
        1j,
        Fraction(1, 3),
        np.float64("nan"),
        np.array([1, 2]),
    ),
    *(
        "",
        "nonsense",
        "\0",
        "a,b",
        "k-anonymity:k=x",
        "mondrian:cut",
        "x" * 5_000,
        b"bytes",
        Path("nowhere"),
        object(),
        Odd,
    ),
    *([], [None], [1], [[]], ["nope"], ["age", "age"], [{}], [{"model": 1}], (), {"a"}, range(3), iter([1])),
    *({}, {"nope": "nope"}, {"age": None}, {1: 2}, {"age": 3}, {"age": {"type": "nope"}}, {"age": [1]}, {"name": 1}),
    *({"model": "k-anonymity", "k": []}, {"name": "mondrian", "cut": []}),
    *(pl.DataFrame(), TABLE, pl.Series([1]), pd.DataFrame({"x": [1]})),
)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    place = tmp_path_factory.mktemp("arguments")
    TABLE.write_csv(place / "table.csv")
    pl.concat([TABLE] * 30).write_csv(place / "others.csv")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(place)
        released().write("release")
        yield place


def released() -> shoal.Release:
    return shoal.anonymize("table.csv", k=3, **ROLES)


def fixed() -> shoal.Release:
    return shoal.anonymize("table.csv", k=15, **(ROLES | {"quasi": {"age": "suppression"}}), algorithm="optimal")


CALLS: dict[str, Callable[[], tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]]] = {
    "anonymize": lambda: (shoal.anonymize, ("table.csv",), {"k": 3, **ROLES}),
    "run": lambda: (shoal.run, (released().job,), {}),
    "apply": lambda: (shoal.apply, ("release", "table.csv"), {}),
    "attack": lambda: (shoal.attack, (released(),), {"attacks": ["homogeneity"]}),
    "check": lambda: (shoal.check, ("table.csv",), {"quasi": ["age"], "sensitive": ["ill"]}),
    "compare": lambda: (shoal.compare, ("table.csv",), {"k": [3], "algorithm": ["mondrian"], **ROLES}),
    "example": lambda: (shoal.example, ("clusters",), {"force": True}),
    "frontier": lambda: (shoal.frontier, ("table.csv",), {"ks": [2], **ROLES}),
    "hierarchy": lambda: (shoal.hierarchy, ("table.csv", "age"), {}),
    "init": lambda: (shoal.init, ("table.csv",), {}),
    "limits": lambda: (entered, (), {}),
    "minimal_generalizations": lambda: (shoal.minimal_generalizations, ("table.csv",), {"k": 2, **ROLES}),
    "new_pseudonym_key": lambda: (shoal.new_pseudonym_key, ("key",), {}),
    "pseudonym": lambda: (shoal.pseudonym, ("value", "key", "id"), {}),
    "risk": lambda: (shoal.risk, ("table.csv",), {"quasi": ["age"]}),
    "sample": lambda: (shoal.sample, (fixed(), "others.csv"), {"epsilon": 1, "delta": "1e-2", "independent": "others"}),
    "schema": lambda: (shoal.schema, (), {}),
    "sign": lambda: (shoal.sign, ("release", "key.pem"), {}),
    "singling_out": lambda: (shoal.singling_out, ("table.csv",), {"quasi": ["age"]}),
    "table": lambda: (shoal.table, ("table.csv",), {}),
    "utility": lambda: (shoal.utility, (released(),), {"figures": ["columns"]}),
    "verify": lambda: (shoal.verify, ("release",), {}),
    "Job.read": lambda: (shoal.Job.read, ("release/private/job.toml",), {}),
    "Job.of": lambda: (shoal.Job.of, ({"input": {"path": "table.csv"}}, Path()), {}),
    "Release.write": lambda: (released().write, ("again",), {"force": True}),
    "Release.report": lambda: (released().report, (), {}),
    "Release.plot": lambda: (released().plot, (), {}),
    "Release.rules": lambda: (released().rules, (), {}),
}
QUICK = {
    "schema",
    "example",
    "table",
    "pseudonym",
    "limits",
    "Job.read",
    "Job.of",
    "Release.plot",
    "singling_out",
    "check",
}


@contextmanager
def _within(**given: Any) -> Iterator[None]:
    with shoal.limits(**given):
        yield


def entered(*, max_records: Any = None, max_bytes: Any = None, timeout: Any = None) -> None:
    with _within(max_records=max_records, max_bytes=max_bytes, timeout=timeout):
        pass


def test_every_public_function_is_tried() -> None:
    functions = {name for name in dir(shoal) if inspect.isfunction(getattr(shoal, name))}
    assert functions <= CALLS.keys()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "name", [name if name in QUICK else pytest.param(name, marks=pytest.mark.deep) for name in CALLS]
)
def test_wrong_arguments_are_told_in_the_words_of_shoal(name: str, place: Path) -> None:
    function, args, given = CALLS[name]()
    refused = 0
    for number, parameter in enumerate(inspect.signature(function).parameters.values()):
        if parameter.kind is parameter.VAR_KEYWORD:
            continue
        for wrong in WRONG:
            if parameter.name == "progress" and callable(wrong):
                continue  # what a function of the caller does is the caller's
            positional = number < len(args)
            mine = tuple(wrong if positional and place == number else one for place, one in enumerate(args))
            try:
                function(*mine, **(given if positional else {**given, parameter.name: wrong}))
            except shoal.ShoalError:
                refused += 1
    assert refused or name in ("schema", "Release.plot")


@pytest.mark.parametrize(
    ("name", "wrong", "words"),
    [
        ("anonymize", {"quasi": 3}, "'quasi' is 3: a list of names or a dictionary is needed."),
        ("anonymize", {"k": "five"}, "'k' is of the type str: a whole number is needed."),
        ("anonymize", {"weights": ["age"]}, "'weights' is of the type list: a dictionary is needed."),
        ("anonymize", {"progress": None}, "'progress' is None: a function is needed."),
        ("check", {"quasi": [1]}, "'quasi' is of the type list: a list of names is needed."),
        ("risk", {"fraction": "half"}, "'fraction' is of the type str: a number is needed."),
        ("apply", {"failing": 1}, "'failing' is 1: 'refuse', 'suppress' is needed."),
        ("verify", {"bound": "yes"}, "'bound' is of the type str: True or False is needed."),
        ("frontier", {"ks": []}, "'ks' is empty: name at least one value of k."),
    ],
)
def test_it_is_said_what_is_needed(name: str, wrong: dict[str, Any], words: str, place: Path) -> None:
    function, args, given = CALLS[name]()
    with pytest.raises(shoal.SpecError) as error:
        function(*args, **{**given, **wrong})
    assert str(error.value) == words


def test_a_value_is_never_told() -> None:
    for value in ("secret", ["secret"], {"secret": 1}, b"secret"):
        with pytest.raises(shoal.SpecError) as error:
            read_as(int, value, "k")
        assert "secret" not in str(error.value)


def test_names_in_any_collection_are_read_as_a_list(place: Path) -> None:
    wanted = shoal.check("table.csv", quasi=["age", "zip"])
    for names in (("age", "zip"), pd.Index(["age", "zip"]), np.array(["age", "zip"]), {"age": None, "zip": "masking"}):
        assert shoal.check("table.csv", quasi=names) == wanted  # type: ignore[arg-type]


def test_a_call_that_python_refuses_is_its_own(place: Path) -> None:
    with pytest.raises(TypeError, match="missing"):
        shoal.check("table.csv")  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="unexpected keyword"):
        shoal.verify("release", nonsense=1)  # type: ignore[call-arg]
    with pytest.raises(shoal.SpecError, match=r"Unknown argument 'quassi'\. Did you mean 'quasi'"):
        shoal.anonymize("table.csv", quassi=["age"])  # type: ignore[call-arg]


MEMBERS = [member for shelf in (MODELS, MEASURES, ALGORITHMS, HIERARCHIES) for member in shelf]


@pytest.mark.parametrize("member", MEMBERS, ids=lambda member: member.__name__)
def test_members_of_shelves_refuse_wrong_fields(member: type[Any]) -> None:
    for parameter in inspect.signature(member).parameters.values():
        for wrong in WRONG:
            try:
                member(**{parameter.name: wrong})
            except shoal.SpecError:
                continue
            except TypeError as error:
                if "missing" not in str(error):  # others were not given at all
                    raise
