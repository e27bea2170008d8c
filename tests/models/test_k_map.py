"""k-map: records of an outside table in the cells."""

import pytest
from hypothesis import given, settings

from shoal.foundation.errors import SpecError
from shoal.models import KMap, PrivacyModel
from shoal.models.by_hand import classes_by_hand
from tests.models.cases import Plain, check, models, releases


def test_a_single_record_hides_among_the_people_of_its_cell() -> None:
    groups = classes_by_hand([["a"], ["a", "b"]], populations={"people.csv": [7, 2]}, outside={"people.csv": 5})
    model = KMap(k=3, population="people.csv")
    assert model.holds(groups).tolist() == [True, False]
    assert model.achieved(groups) == {"k": 2}
    assert model.population_file == "people.csv"


def test_a_population_that_was_not_counted_is_named() -> None:
    with pytest.raises(SpecError, match=r"population 'others\.csv' of k-map"):
        KMap(k=3, population="others.csv").holds(classes_by_hand([["a"]]))


@settings(deadline=None, max_examples=100)
@given(models(KMap.name), releases())
def test_agrees_with_its_definition(model: PrivacyModel, plain: Plain) -> None:
    check(model, plain)
