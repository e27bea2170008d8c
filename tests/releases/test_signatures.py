"""Keys and signatures."""

import builtins
import os
import shutil
import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from shoal.foundation.errors import CertificateError, MissingExtraError, SpecError
from shoal.releases.claims.manifest import MANIFEST, PUBLIC_MANIFEST, Manifest
from shoal.releases.signatures import check_signature, checked_signatures, new_key, signed


@pytest.fixture
def key(tmp_path: Path) -> Path:
    new_key(tmp_path / "me.pem")
    return tmp_path / "me.pem"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "out").mkdir()
    (tmp_path / "out/a.txt").write_text("a", encoding="utf-8")
    for name in (MANIFEST, PUBLIC_MANIFEST):
        Manifest.of(tmp_path / "out", name, ["a.txt"]).write(tmp_path / "out")
    return tmp_path / "out"


def listed(folder: Path, name: str = MANIFEST) -> Manifest:
    found = Manifest.read(folder, name)
    assert found is not None
    return found


def test_only_the_user_reads_a_private_key(key: Path) -> None:
    assert key.stat().st_mode & 0o777 == 0o600
    public = key.with_name("me.pem.pub")
    assert public.stat().st_mode & 0o444 == 0o444
    assert b"PRIVATE" in key.read_bytes()
    assert b"PRIVATE" not in public.read_bytes()


def test_a_private_key_is_nobody_elses_from_its_first_moment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    modes, chmod = [], Path.chmod

    def watched(path: Path, mode: int, **rest: bool) -> None:
        modes.append(path.stat().st_mode & 0o777)  # as the draft was made, before it is closed to others
        chmod(path, mode, **rest)

    monkeypatch.setattr(Path, "chmod", watched)
    before = os.umask(0)
    try:
        new_key(tmp_path / "mine.pem")
    finally:
        os.umask(before)
    assert modes == [0o600]


def test_a_key_replaces_nothing(key: Path) -> None:
    before = key.read_bytes()
    with pytest.raises(SpecError, match="exists already"):
        new_key(key)
    key.rename(key.with_name("kept"))
    with pytest.raises(SpecError, match="exists already"):
        new_key(key)  # its public key is there
    assert key.with_name("kept").read_bytes() == before
    assert not key.exists()


def test_no_key_is_in_a_release(key: Path, folder: Path) -> None:
    (folder / "below").mkdir()
    for place in (folder / "k.pem", folder / "below/k.pem"):
        with pytest.raises(SpecError, match="is in the folder of a release"):
            new_key(place)
        assert not place.exists()
        shutil.copy(key, place)
        with pytest.raises(SpecError, match="is in the folder of a release"):
            signed(folder, listed(folder), place, "me")
        (folder.parent / "link.pem").unlink(missing_ok=True)
        (folder.parent / "link.pem").symlink_to(place)
        with pytest.raises(SpecError, match="is in the folder of a release"):
            signed(folder, listed(folder), folder.parent / "link.pem", "me")


def test_a_key_that_others_may_read_signs_nothing(key: Path, folder: Path) -> None:
    for mode in (0o640, 0o604, 0o601):
        key.chmod(mode)
        with pytest.raises(SpecError, match=f"its mode is {mode:o}. Make it 600"):
            signed(folder, listed(folder), key, "me")
    key.chmod(0o400)
    assert signed(folder, listed(folder), key, "me").name == "manifest.json.me.sig"


def test_modes_are_not_asked_for_where_a_system_has_none(
    key: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key.chmod(0o666)  # what Windows tells of every file
    monkeypatch.setattr("shoal.jobs.keys.secret_files.os", SimpleNamespace(name="nt"))
    path = signed(folder, listed(folder), key, "me")
    assert check_signature(folder, listed(folder), key.with_name("me.pem.pub")) == [path.name]


def test_what_cannot_be_read_is_told(key: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    public, path = key.with_name("me.pem.pub"), signed(folder, listed(folder), key, "me")
    manifest, opened, closed = listed(folder), Path.open, key

    def refused(one: Path, *rest: Any, **words: Any) -> Any:
        if one == closed:
            raise PermissionError(13, "Permission denied")
        return opened(one, *rest, **words)

    monkeypatch.setattr(Path, "open", refused)
    with pytest.raises(SpecError, match=r"me\.pem' cannot be read\."):
        signed(folder, manifest, key, "again")
    for closed in (public, path):
        with pytest.raises(SpecError, match=f"{closed.name}' cannot be read"):
            check_signature(folder, manifest, public)


def test_a_signature_fits_the_key_and_the_list(key: Path, folder: Path) -> None:
    public = key.with_name("me.pem.pub")
    with pytest.raises(CertificateError, match=r"manifest\.json has no signature"):
        check_signature(folder, listed(folder), public)
    path = signed(folder, listed(folder), key, "me")
    assert len(path.read_bytes()) == 64
    assert path.stat().st_mode & 0o777 == 0o600
    assert check_signature(folder, listed(folder), public) == [path.name]
    assert signed(folder, listed(folder), key, "me") == path  # the same again
    with pytest.raises(CertificateError, match="nothing that could be signed"):
        check_signature(folder, None, public)
    (folder / "a.txt").write_text("other", encoding="utf-8")
    Manifest.of(folder, MANIFEST, ["a.txt"]).write(folder)
    with pytest.raises(CertificateError, match="of its 1 signatures none matches"):
        check_signature(folder, listed(folder), public)
    with pytest.raises(SpecError, match="exists already"):
        signed(folder, listed(folder), key, "me")
    signed(folder, listed(folder), key, "again")
    assert check_signature(folder, listed(folder), public) == ["manifest.json.again.sig"]


def test_signatures_stand_side_by_side(key: Path, folder: Path) -> None:
    other = new_key(key.with_name("other.pem"))
    signed(folder, listed(folder), key, "me")
    with pytest.raises(CertificateError, match=r"was not signed with the key .*other\.pem\.pub"):
        check_signature(folder, listed(folder), other)
    signed(folder, listed(folder), key.with_name("other.pem"), "other")
    assert check_signature(folder, listed(folder), other) == ["manifest.json.other.sig"]
    assert check_signature(folder, listed(folder), key.with_name("me.pem.pub")) == ["manifest.json.me.sig"]


def test_a_broken_signature_fits_nothing(key: Path, folder: Path) -> None:
    path = signed(folder, listed(folder), key, "me")
    whole = path.read_bytes()
    for text in (b"", whole[:-1], whole + b"x", bytes([whole[0] ^ 1]) + whole[1:], bytes(64), b"x" * 100_000):
        path.write_bytes(text)
        with pytest.raises(CertificateError, match="none matches"):
            check_signature(folder, listed(folder), key.with_name("me.pem.pub"))


def test_what_is_passed_on_is_signed_for_all_to_read(key: Path, folder: Path) -> None:
    path = signed(folder, listed(folder, PUBLIC_MANIFEST), key, "me")
    assert path.name == "manifest-public.json.me.sig"
    assert path.stat().st_mode & 0o444 == 0o444


def test_what_is_no_key_is_told(key: Path, folder: Path) -> None:
    public = key.with_name("me.pem.pub")
    (folder.parent / "text").write_text("no key", encoding="utf-8")
    (folder.parent / "text").chmod(0o600)
    for wrong in (folder.parent / "text", key):
        with pytest.raises(SpecError, match="is not a public key for Ed25519"):
            check_signature(folder, listed(folder), wrong)
    public.chmod(0o600)
    for wrong in (folder.parent / "text", public):
        with pytest.raises(SpecError, match="is not a private key for Ed25519"):
            signed(folder, listed(folder), wrong, "me")
    for call in (
        lambda: check_signature(folder, listed(folder), folder),
        lambda: signed(folder, listed(folder), folder, "me"),
    ):
        with pytest.raises(SpecError, match="There is no key at"):
            call()


def test_a_key_for_something_else_is_none(tmp_path: Path, folder: Path) -> None:
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("openssl is not installed")
    made = [openssl, "genpkey", "-algorithm", "X25519", "-out", str(tmp_path / "x.pem")]
    subprocess.run(made, check=True, capture_output=True)
    (tmp_path / "x.pem").chmod(0o600)
    with pytest.raises(SpecError, match="is not a private key for Ed25519"):
        signed(folder, listed(folder), tmp_path / "x.pem", "me")


def test_other_programs_check_a_signature(key: Path, folder: Path) -> None:
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("openssl is not installed")
    path = signed(folder, listed(folder), key, "me")
    words = ["pkeyutl", "-verify", "-rawin", "-pubin", "-inkey", f"{key}.pub", "-in", str(folder / MANIFEST)]
    subprocess.run([openssl, *words, "-sigfile", str(path)], check=True, capture_output=True)


def test_without_the_library_it_is_named(key: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *rest: Any) -> Any:
        if name.startswith("cryptography"):
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    for call in (
        lambda: new_key(key.with_name("b.pem")),
        lambda: signed(folder, listed(folder), key, "me"),
        lambda: check_signature(folder, listed(folder), key),
    ):
        with pytest.raises(MissingExtraError, match=r"shoal\[sign\]"):
            call()


def test_signatures_are_listed_with_the_keys_that_they_were_checked_with(key: Path, folder: Path) -> None:
    made = signed(folder, listed(folder), key, "me").name
    public = key.with_name(f"{key.name}.pub")
    assert checked_signatures(folder, None, []) == {}
    assert checked_signatures(folder, listed(folder), []) == {made: None}
    assert checked_signatures(folder, listed(folder), [public]) == {made: str(public)}
