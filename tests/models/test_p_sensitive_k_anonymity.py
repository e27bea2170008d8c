"""p-sensitive k-anonymity: sizes and different values."""

from hypothesis import given, settings

from shoal.models import PrivacyModel, PSensitiveKAnonymity
from tests.models.cases import Plain, check, models, releases
from tests.models.papers import figure_18, table_3


def test_figure_18_is_3_anonymous_but_not_2_sensitive() -> None:
    assert PSensitiveKAnonymity(p=2, k=3, column="disease").holds(figure_18()).tolist() == [False, True, True]
    assert PSensitiveKAnonymity(p=1, k=3, column="disease").holds(figure_18()).all()
    assert PSensitiveKAnonymity(p=2, k=3, column="disease").achieved(figure_18()) == {"p": 1, "k": 3}


def test_table_3_is_2_sensitive_but_only_2_anonymous() -> None:
    assert PSensitiveKAnonymity(p=2, k=3, column="disease").holds(table_3()).tolist() == [False, True, True]
    assert PSensitiveKAnonymity(p=2, k=3, column="disease").achieved(table_3()) == {"p": 2, "k": 2}


@settings(deadline=None, max_examples=100)
@given(models(PSensitiveKAnonymity.name), releases())
def test_agrees_with_its_definition(model: PrivacyModel, plain: Plain) -> None:
    check(model, plain)
