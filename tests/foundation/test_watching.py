"""Who says nothing itself is looked at, from another thread, until it is done."""

from threading import Event, active_count

import pytest

from shoal.foundation import watching
from shoal.foundation.progress import silent
from shoal.foundation.watching import watched


def test_what_is_seen_is_told_until_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watching, "SECONDS", 0.001)
    told, seen = list[tuple[str, float | None]](), Event()

    def progress(step: str, share: float | None = None) -> None:
        told.append((step, share))
        if share is not None:
            seen.set()

    before = active_count()
    with watched(progress, "counting", lambda: 0.5):
        assert seen.wait(30)
    assert told[0] == ("counting", None)
    assert set(told[1:]) == {("counting", 0.5)}
    assert active_count() == before
    with pytest.raises(ValueError, match="failed"), watched(progress, "counting", lambda: None):
        raise ValueError("failed")
    assert active_count() == before


def test_nobody_looks_if_nobody_listens() -> None:
    before = active_count()
    with watched(silent, "counting", lambda: 1 / 0):
        assert active_count() == before
