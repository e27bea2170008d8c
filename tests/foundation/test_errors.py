import pytest

from shoal.foundation.errors import CertificateError, InfeasibleError, MissingExtraError, ShoalError, SpecError


@pytest.mark.parametrize(("kind", "code"), [(SpecError, 2), (InfeasibleError, 3), (CertificateError, 4)])
def test_each_kind_has_its_exit_code(kind: type[ShoalError], code: int) -> None:
    assert issubclass(kind, ShoalError)
    assert kind("words").exit_code == code
    assert str(kind("words")) == "words"


def test_a_missing_extra_says_how_to_install_it() -> None:
    error = MissingExtraError("pyspark", "spark")
    assert error.exit_code == 2
    assert str(error) == "This needs the package 'pyspark'. Install it with: pip install 'shoal[spark]'"


def test_an_infeasible_request_carries_its_diagnosis() -> None:
    given = {"largest_k": 3}
    error = InfeasibleError("no", given)
    given["largest_k"] = 4
    assert error.diagnosis == {"largest_k": 3}
    assert InfeasibleError("no").diagnosis == {}
