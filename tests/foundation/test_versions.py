from importlib.metadata import PackageNotFoundError

import pytest

import shoal
from shoal.foundation.versions import version_of


def test_the_version_of_shoal_is_the_one_that_stands_in_its_source() -> None:
    assert version_of("shoal") == shoal.__version__


def test_a_package_that_is_not_there_has_none() -> None:
    with pytest.raises(PackageNotFoundError):
        version_of("no-such-package-at-all")
