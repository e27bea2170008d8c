"""`shoal pseudonym`: a key for its owner alone, and the pseudonyms of what is read line by line."""

import io
from pathlib import Path

import pytest

import shoal
from tests.cli.run import done
from tests.cli.run import shoal as command


def test_a_key_is_made_and_tells_the_pseudonyms_of_a_release(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    key = tmp_path / "a.key"
    assert "only you may read it" in done("pseudonym", "--new-key", key).out
    assert key.stat().st_mode & 0o777 == 0o600
    monkeypatch.setattr("sys.stdin", io.StringIO("Canary1\nCanary 2\r\n"))
    asked = ("pseudonym", "--key", key, "--linked", "person")
    expected = [shoal.pseudonym(value, key, "person") for value in ("Canary1", "Canary 2")]
    assert done(*asked).out.split() == expected
    monkeypatch.setattr("sys.stdin", io.StringIO("Canary1\nCanary 2"))
    assert done(*asked, "--json").json == {"pseudonyms": expected}


def test_what_is_wrong_is_said_without_a_value(tmp_path: Path) -> None:
    key = tmp_path / "a.key"
    assert done("pseudonym", "--new-key", key, "--json").json == {"key": str(key)}
    wrong = {
        ("--new-key", key): "exists already",
        ("--key", key): "Give --key and --linked",
        ("--key", key, "--linked", "a", "--new-key", tmp_path / "b"): "Give --key and --linked",
        ("--key", tmp_path / "no", "--linked", "a"): "There is no key at",
    }
    for flags, words in wrong.items():
        ran = command("pseudonym", *flags)
        assert ran.code == 2
        assert words in ran.err
    assert not (tmp_path / "b").exists()
