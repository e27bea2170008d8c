from dataclasses import replace

import pytest
from pydantic import TypeAdapter, ValidationError

from shoal.foundation.errors import SpecError
from shoal.measures import Classification
from tests.measures.build import build
from tests.measures.papers import figure_5

DISEASES = (
    "hypertension",
    "hypertension",
    "obesity",
    "HIV",
    "obesity",
    "hypertension",
    "obesity",
    "HIV",
    "HIV",
    "obesity",
)
RELEASE = replace(figure_5(1, 1, 0), labels=DISEASES)


@pytest.mark.parametrize("column", [None, "label"])
def test_it_counts_the_records_beside_the_majority_and_the_suppressed(column: str | None) -> None:
    loss = build(RELEASE).loss(Classification(column))
    assert loss.total == 0 + 1 + 1 + 1
    assert loss.share == pytest.approx(0.3)
    assert loss.columns == {"zip": 3 + 1 + 1, "marital status": 3 + 1 + 1, "sex": 0 + 3 + 1}


def test_it_names_the_column_that_it_looks_at() -> None:
    assert Classification("disease").sensitive_columns == ("disease",)
    assert Classification().sensitive_columns == ()


def test_an_unknown_column_is_named() -> None:
    with pytest.raises(SpecError, match="'disease' is not a sensitive column"):
        build(RELEASE).loss(Classification("disease"))


def test_without_sensitive_columns_there_is_nothing_to_predict() -> None:
    built = build(RELEASE)
    bare = replace(built, groups=replace(built.groups, sensitive=()))
    with pytest.raises(SpecError, match="needs a sensitive column"):
        bare.loss(Classification())


def test_a_job_file_may_name_the_column() -> None:
    adapter = TypeAdapter(Classification)
    assert adapter.validate_python({"column": "disease"}) == Classification("disease")
    assert adapter.validate_python({}) == Classification()
    with pytest.raises(ValidationError):
        adapter.validate_python({"column": ""})
