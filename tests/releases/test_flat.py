"""Releases of earlier versions, all files in one folder: every command takes them as they are."""

import shutil
from pathlib import Path

import pytest

import shoal as library
from shoal.foundation.errors import CertificateError
from tests.cli.run import done, files_of, shoal

FLAT = Path(__file__).parent / "flat"
ROLES = ("--quasi", "age,sex", "--sensitive", "ill")


@pytest.fixture
def flat(tmp_path: Path) -> Path:
    """Return a folder with copies of the releases, the table that they were made of, and the public key."""
    shutil.copytree(FLAT, tmp_path / "flat")
    for path in (tmp_path / "flat/cells", tmp_path / "flat/clusters"):
        (path / "job.toml").chmod(0o600)
    return tmp_path / "flat"


@pytest.mark.parametrize("kind", ["cells", "clusters"])
def test_it_verifies(flat: Path, kind: str) -> None:
    for path in (flat / kind, flat / kind / "data.csv", flat / kind / "certificate.json"):
        found = library.verify(path, raw=True)
        assert (found.public, found.others, found.not_derived) == (False, (), {})
    assert library.verify(flat / kind / "certificate-public.json").public


def test_what_was_passed_on_of_it_verifies(flat: Path) -> None:
    (flat / "got").mkdir()
    for name in ("data.csv", "certificate-public.json", "manifest-public.json", "report-public.html"):
        shutil.copy(flat / "cells" / name, flat / "got")
    shutil.copy(flat / "cells/manifest-public.json.officer.sig", flat / "got")
    found = library.verify(flat / "got", keys=[flat / "officer.pub"])
    assert (found.public, found.others) == (True, ())
    (flat / "got/report-public.html").write_text("other", encoding="utf-8")
    with pytest.raises(CertificateError, match="is not the one that was certified"):
        library.verify(flat / "got")


def test_it_is_signed_and_its_signatures_are_checked(flat: Path, tmp_path: Path) -> None:
    assert "fits the key" in done("verify", flat / "cells", "--key", flat / "officer.pub").out
    done("sign", "--new-key", tmp_path / "me.pem")
    shown = done("sign", flat / "cells", "--key", tmp_path / "me.pem").out
    assert f"{flat}/cells/manifest.json.me.sig" in shown
    assert f"{flat}/cells/manifest-public.json.me.sig" in shown
    done("verify", flat / "cells", "--key", tmp_path / "me.pem.pub")
    ran = shoal("sign", "--new-key", flat / "cells/key.pem")
    assert "is in the folder of a release" in ran.err


def test_every_other_command_takes_it(flat: Path, tmp_path: Path) -> None:
    cells = flat / "cells"
    assert "k 3" in done("risk", cells).out
    assert "homogeneity" in done("attack", cells).out
    assert "records:  25 before, 25 after" in done("utility", cells, "--figure", "columns").out
    assert "records:  25 before" in done("utility", flat / "clusters", "--figure", "columns").out
    assert done("check", cells, *ROLES, "--json").json["k"] == 3
    assert len(done("compare", cells, "--k", "3,4", "--algorithm", "optimal", "--json").json["settings"]) == 2
    table = flat / "people.csv"
    done("apply", cells, table, "--failing", "suppress", "--max-suppressed", "1", "--out", tmp_path / "applied")
    assert "public/data.csv" in files_of(tmp_path / "applied")
    done("anonymize", cells, "--out", tmp_path / "again")
    assert (tmp_path / "again/public/data.csv").read_bytes() == (cells / "data.csv").read_bytes()
    done("anonymize", flat / "cells/job.toml", "--out", cells, "--force")  # the new one has two folders
    assert {path.name for path in cells.iterdir()} == {"public", "private"}
