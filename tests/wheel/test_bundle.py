"""The lists of a bundle: pip installs what they name, and refuses a wheel that was changed."""

import hashlib
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from packages import bundle


def wheel(folder: Path, name: str, version: str, needs: str = "") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}-{version}-py3-none-any.whl"
    info = f"{name}-{version}.dist-info"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(f"{name}.py", f"VERSION = {version!r}\n")
        archive.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{needs}")
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{info}/RECORD", "")
    return path


@pytest.fixture
def made(tmp_path: Path) -> Path:
    wheel(tmp_path / "wheels", "shoal", "9.9", "Requires-Dist: herring\n")
    wheel(tmp_path / "wheels", "herring", "1.2")
    bundle.write_lists(tmp_path, "web")
    return tmp_path


def installed(made: Path) -> "subprocess.CompletedProcess[str]":
    lists = ["--find-links", str(made / "wheels"), "--require-hashes", "-r", str(made / bundle.REQUIREMENTS)]
    pip = [sys.executable, "-m", "pip", "--isolated", "install", "--no-index", "--target", str(made / "there")]
    return subprocess.run([*pip, *lists], capture_output=True, text=True, check=False)


def test_pip_installs_what_the_list_names(made: Path) -> None:
    assert installed(made).returncode == 0
    assert {"shoal.py", "herring.py"} <= {path.name for path in (made / "there").iterdir()}


def test_a_changed_wheel_is_refused(made: Path) -> None:
    wheel(made / "wheels", "herring", "1.2", "Summary: another one\n")
    refused = installed(made)
    assert refused.returncode != 0
    assert "DO NOT MATCH THE HASHES" in refused.stderr


def test_the_digests_are_those_of_all_files(made: Path) -> None:
    lines = [line.split("  ") for line in (made / bundle.SUMS).read_text(encoding="utf-8").splitlines()]
    files = {path.relative_to(made).as_posix() for path in made.rglob("*") if path.is_file()}
    assert {name for _, name in lines} == files - {bundle.SUMS}
    assert all(hashlib.sha256((made / name).read_bytes()).hexdigest() == told for told, name in lines)


def test_the_page_says_for_what_it_is(made: Path) -> None:
    text = (made / bundle.README).read_text(encoding="utf-8")
    assert text.startswith(
        f"shoal 9.9, with all that it needs (extras: web), for Python 3.{sys.version_info.minor} on any"
    )
    assert bundle.platform([Path("a-1-cp311-cp311-linux_x86_64.whl"), Path("b-1-py3-none-any.whl")]) == "linux_x86_64"


def test_old_wheels_are_not_listed_again(made: Path) -> None:
    with pytest.raises(SystemExit, match="is not empty"):
        bundle.gather(made / "wheels" / "shoal-9.9-py3-none-any.whl", "", made)


def test_without_a_wheel_of_shoal_there_is_no_bundle(tmp_path: Path) -> None:
    wheel(tmp_path / "wheels", "herring", "1.2")
    with pytest.raises(SystemExit, match="no wheel of shoal among the 1"):
        bundle.write_lists(tmp_path, "")
