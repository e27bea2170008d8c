"""The server is started once for all tests of a process, and only if one of them asks for it."""

from collections.abc import Iterator

import pytest

from tests.tables.databases.server import PASSWORD, Server, running


@pytest.fixture(scope="session")
def started() -> Iterator[Server]:
    with running() as server:
        yield server


@pytest.fixture
def server(started: Server, monkeypatch: pytest.MonkeyPatch) -> Server:
    monkeypatch.setenv("PGPASSWORD", PASSWORD)
    return started
