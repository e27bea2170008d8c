"""Keys are files that only their owner may read, and that are in no release."""

from pathlib import Path

import pytest

from shoal.foundation.errors import SpecError
from shoal.jobs.keys.secret_files import read_key_file, read_secret, write_secret


def test_a_secret_is_written_for_its_owner_alone_and_replaces_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a.key"
    write_secret(path, b"secret", "key")
    assert path.stat().st_mode & 0o777 == 0o600
    assert read_secret(path, "key") == b"secret"
    with pytest.raises(SpecError, match="exists already"):
        write_secret(path, b"other", "key")
    assert path.read_bytes() == b"secret"
    assert [one.name for one in tmp_path.iterdir()] == ["a.key"]


def test_what_others_may_read_is_no_secret(tmp_path: Path) -> None:
    path = tmp_path / "a.key"
    path.write_bytes(b"secret")
    for mode in (0o640, 0o604, 0o610):
        path.chmod(mode)
        with pytest.raises(SpecError, match=rf"The key '.*' can be read by others: its mode is {mode:o}\. Make it 600"):
            read_secret(path, "key")


@pytest.mark.parametrize(
    "name", ["certificate.json", "certificate-public.json", "manifest.json", "manifest-public.json"]
)
def test_a_release_holds_no_secret(tmp_path: Path, name: str) -> None:
    release = tmp_path / "release"
    (release / "below").mkdir(parents=True)
    (release / name).write_text("{}")
    for path in (release / "a.key", release / "below" / "a.key"):
        with pytest.raises(SpecError, match="is in the folder of a release"):
            write_secret(path, b"secret", "key")
        assert not path.exists()
        path.write_bytes(b"secret")
        path.chmod(0o600)
        with pytest.raises(SpecError, match="is in the folder of a release"):
            read_secret(path, "key")


def test_what_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="There is no key at"):
        read_secret(tmp_path / "a.key", "key")


def test_of_a_long_file_no_more_than_a_key_is_read(tmp_path: Path) -> None:
    (tmp_path / "key.pem").write_bytes(b"k" * 10_001)
    assert len(read_key_file(tmp_path / "key.pem")) == 10_000
