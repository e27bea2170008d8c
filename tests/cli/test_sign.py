from pathlib import Path

import pytest

from tests.cli.run import done, shoal
from tests.jobs.test_disclosure import released


def test_a_release_is_signed_and_checked(tmp_path: Path) -> None:
    released().write(tmp_path / "out")
    shown = done("sign", "--new-key", tmp_path / "officer.pem").out
    assert "only you may read it" in shown
    assert f"public key:  {tmp_path / 'officer.pem.pub'}" in shown
    other = done("sign", "--new-key", tmp_path / "other.pem", "--json").json
    assert other == {"private": str(tmp_path / "other.pem"), "public": str(tmp_path / "other.pem.pub")}
    shown = done("sign", tmp_path / "out", "--key", tmp_path / "officer.pem").out
    assert "verdict:    all claims hold" in shown
    assert shown.count("signature:  ") == 2
    again = done("sign", tmp_path / "out", "--key", tmp_path / "officer.pem", "--name", "me", "--json").json
    assert again["signatures"] == [
        str(tmp_path / f"out/{name}.me.sig") for name in ("private/manifest.json", "public/manifest-public.json")
    ]
    assert "signature: manifest.json.me.sig was not checked (--key)" in done("verify", tmp_path / "out").out
    shown = done("verify", tmp_path / "out", "--key", tmp_path / "officer.pem.pub").out
    assert f"signature: manifest.json.officer.sig fits the key {tmp_path / 'officer.pem.pub'}" in shown
    ran = shoal("verify", tmp_path / "out", "--key", tmp_path / "other.pem.pub")
    assert ran.code == 4
    assert "of its 2 signatures none matches" in ran.err


@pytest.mark.parametrize(
    "given", [(), ("out",), ("out", "--key", "k", "--new-key", "n"), ("--key", "k"), ("out", "--new-key", "n")]
)
def test_what_is_asked_for_is_one_thing(given: tuple[str, ...]) -> None:
    ran = shoal("sign", *given)
    assert ran.code == 2
    assert "Give a release and --key, to sign it; or --new-key alone, to make a key." in ran.err
