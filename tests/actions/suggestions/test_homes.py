"""Numbers of households, whatever they are called, and what only counts or weighs."""

from random import Random

import polars as pl
import pytest

import shoal
from shoal.tables.table import Role


def role_of(name: str, values: list[str]) -> tuple[Role, str]:
    column = shoal.init(pl.DataFrame({name: values, "sex": (["f", "m"] * len(values))[: len(values)]})).columns[0]
    return column.role, column.certainty


@pytest.mark.parametrize("name", ["hogar", "COD_HOGAR", "foyer", "haushalt"])
def test_many_numbers_of_households_do_not_leave(name: str) -> None:
    rng = Random(3)  # noqa: S311  (tables, not secrets)
    homes = [str(46000 + 7 * rng.randrange(60)) for _ in range(150)]
    assert role_of(name, homes)[0] in (Role.HOUSEHOLD, Role.IDENTIFIER)


def test_the_size_of_a_household_is_no_number_of_one() -> None:
    assert role_of("hogar", [str(1 + i % 6) for i in range(120)]) == (Role.QUASI, "sure")


def test_what_is_too_short_is_no_national_number() -> None:
    assert role_of("dni_chorobowe", [str(i % 61) for i in range(120)])[0] is Role.SENSITIVE
    assert role_of("dni", [f"{40000000 + 7919 * i}X" for i in range(120)])[0] is Role.IDENTIFIER


def test_a_weight_of_bodies_is_no_sampling_weight() -> None:
    rng = Random(4)  # noqa: S311
    assert role_of("BMXWT", [f"{rng.gauss(75, 14):.1f}" for _ in range(120)])[0] is Role.QUASI
    assert role_of("PERWT", [f"{rng.lognormvariate(9, 1):.4f}" for _ in range(120)])[0] is Role.OMITTED


def test_strata_and_sampling_units_are_left_out() -> None:
    assert role_of("stratum", [str(100 + i % 15) for i in range(120)])[0] is Role.OMITTED
