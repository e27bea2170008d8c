"""What of the disk a page may name, and how long a run lasts."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from shoal.foundation.errors import SpecError
from shoal.web import sessions
from tests.web.asking import Asking, table

OUTSIDE = [
    "/etc/passwd",
    "../outside.csv",
    "in/../../outside.csv",
    "in/../patients.csv",
    "~/x.csv",
    "//etc/passwd",
    "..",
    "/",
]


def _outside(known: Asking) -> Path:
    return table(known.session.root.parent, "outside.csv")


@pytest.mark.parametrize("name", OUTSIDE)
def test_only_what_lies_under_the_folder_of_the_start_is_opened(known: Asking, name: str) -> None:
    _outside(known)
    with pytest.raises(SpecError):
        known.session.inside(name)
    assert known.post("/open", {"path": name}).status_code == 422


def test_a_file_under_the_folder_of_the_start_is_opened(known: Asking) -> None:
    path = table(known.session.root)
    assert known.session.inside("patients.csv") == known.session.inside(str(path)) == path


def test_a_link_is_not_followed(known: Asking) -> None:
    root, outside = known.session.root, _outside(known)
    (root / "link.csv").symlink_to(outside)
    (root / "folder").symlink_to(outside.parent)
    (root / "parts").mkdir()
    (root / "parts" / "one.csv").symlink_to(outside)
    for name in ("link.csv", "folder/outside.csv", "folder", "parts", "parts/one.csv"):
        with pytest.raises(SpecError, match="link"):
            known.session.inside(name)
        assert known.post("/open", {"path": name}).status_code == 422


def test_a_link_to_the_folder_of_the_start_itself_is_no_hindrance(known: Asking) -> None:
    root = known.session.root
    table(root)
    linked = root.parent / "linked"
    linked.symlink_to(root)
    known.session.root = linked
    assert known.session.inside("patients.csv") == linked / "patients.csv"


def test_what_was_named_at_the_start_may_lie_elsewhere(known: Asking) -> None:
    outside = _outside(known)
    known.session.named = outside
    assert known.session.inside(str(outside)) == outside
    with pytest.raises(SpecError):
        known.session.inside(str(outside.with_name("another.csv")))


@pytest.mark.parametrize(
    "url",
    [
        "sqlite:////etc/passwd",
        "sqlite:///../outside.db",
        "sqlite:///%2e%2e/outside.db",
        "duckdb:////etc/passwd",
        "file:///etc/passwd",
        "SQLITE:////etc/passwd",
        "/etc/passwd",
        "patients.csv",
        "",
    ],
)
def test_a_url_reaches_no_file_elsewhere(known: Asking, url: str) -> None:
    table(known.session.root.parent, "outside.db")
    with pytest.raises(SpecError):
        known.session.reachable(url)
    assert known.post("/open", {"url": url}).status_code == 422
    assert known.session.tasks.running == []


def test_a_url_of_a_server_or_of_a_file_here_is_opened(known: Asking) -> None:
    path = table(known.session.root, "here.db")
    for url in ("postgresql://user@host/database", "sqlite:///here.db", f"sqlite:///{path}"):
        assert known.session.reachable(f" {url} ") == url


def test_a_run_is_idle_since_the_last_question_or_task(known: Asking, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [100.0]
    monkeypatch.setattr(sessions, "monotonic", lambda: clock[0])
    known.get("/open")
    clock[0] += 50
    assert known.session.idle == 50
    known.get("/open", host="evil.example")
    assert known.session.idle == 50  # who is refused does not keep it alive
    known.session.tasks = SimpleNamespace(running=[1])  # type: ignore[assignment]
    assert known.session.idle == 0
    known.session.tasks = SimpleNamespace(running=[])  # type: ignore[assignment]
    clock[0] += 7
    assert known.session.idle == 7


def test_keys_are_long_different_and_not_shown(known: Asking) -> None:
    session = known.session
    assert len({session.cookie, session.form}) == 2
    assert min(len(session.cookie), len(session.form)) >= 43  # 32 bytes
    assert session.cookie not in repr(session)
    assert session.form not in repr(session)
