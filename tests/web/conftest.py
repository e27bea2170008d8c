"""What all tests of the app share: a folder that it is started in, and one for its locks."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.web.asking import Asking, apart, asking, table


@pytest.fixture(autouse=True)
def private_locks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the locks of tests apart from those of the user."""
    for name, value in apart(tmp_path / "caches").items():
        monkeypatch.setenv(name, value)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return the folder that the app is started in."""
    folder = tmp_path / "started here"
    folder.mkdir()
    return folder


@pytest.fixture
def stranger(root: Path) -> Iterator[Asking]:
    """Return who has not the cookie."""
    with asking(root, known=False) as asked:
        yield asked


@pytest.fixture
def known(root: Path) -> Iterator[Asking]:
    """Return the browser that has the cookie; nothing is open."""
    with asking(root) as asked:
        yield asked


@pytest.fixture
def opened(root: Path) -> Iterator[Asking]:
    """Return the browser that has the cookie and has opened a table."""
    with asking(root) as asked:
        yield asked.opened(table(root))
