"""Which version of a package is installed."""

from functools import cache


@cache
def version_of(package: str) -> str:
    """Return the version of an installed package, looked up once: that takes as long as to read a small table."""
    from importlib.metadata import version

    return version(package)
