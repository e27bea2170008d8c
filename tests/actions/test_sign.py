"""Signing a release, and verifying who signed it."""

import shutil
from pathlib import Path

import pytest

import shoal
from shoal.actions.sign import make_key, sign
from shoal.foundation.errors import CertificateError, SpecError
from tests.forging import made_first
from tests.jobs.test_disclosure import released


@pytest.fixture
def out(tmp_path: Path) -> Path:
    released().write(tmp_path / "out")
    return tmp_path / "out"


def passed_on(out: Path) -> Path:
    return Path(shutil.copytree(out / "public", out.parent / "got"))


def test_steward_and_officer_sign_and_those_who_got_the_data_check(out: Path, tmp_path: Path) -> None:
    steward, officer = make_key(tmp_path / "steward.pem"), make_key(tmp_path / "officer.pem")
    done = sign(out, tmp_path / "steward.pem")
    assert [path.name for path in done.signatures] == ["manifest.json.steward.sig", "manifest-public.json.steward.sig"]
    assert done.verified.verdict == done.as_dict()["verified"]["verdict"] == "all claims hold"
    shoal.sign(out, tmp_path / "officer.pem", name="the_officer")
    found = shoal.verify(out, keys=[steward, officer])
    assert found.signatures == {
        "manifest.json.steward.sig": str(steward),
        "manifest.json.the_officer.sig": str(officer),
    }
    assert found.others == ()
    got = passed_on(out)
    assert shoal.verify(got).signatures == dict.fromkeys(
        ["manifest-public.json.steward.sig", "manifest-public.json.the_officer.sig"]
    )
    for place in (got, got / "data.csv", out / "public/certificate-public.json"):
        assert shoal.verify(place, keys=[officer]).signatures["manifest-public.json.the_officer.sig"] == str(officer)
    assert shoal.verify(got, keys=[officer]).as_dict()["signatures"]["manifest-public.json.the_officer.sig"]
    assert shoal.verify(got).others == ()


def test_those_who_got_the_data_may_sign_too(out: Path, tmp_path: Path) -> None:
    public, got = make_key(tmp_path / "reader.pem"), passed_on(out)
    assert [path.name for path in sign(got, tmp_path / "reader.pem").signatures] == ["manifest-public.json.reader.sig"]
    shoal.verify(got, keys=[public])


def test_without_a_signature_by_the_key_it_is_refused(out: Path, tmp_path: Path) -> None:
    steward, other = make_key(tmp_path / "steward.pem"), make_key(tmp_path / "other.pem")
    with pytest.raises(CertificateError, match="has no signature"):
        shoal.verify(out, keys=[steward])
    sign(out, tmp_path / "steward.pem")
    with pytest.raises(CertificateError, match="none matches"):
        shoal.verify(out, keys=[steward, other])
    (out / "public/manifest-public.json").unlink()
    with pytest.raises(CertificateError):
        shoal.verify(out, keys=[steward])
    got = passed_on(out)
    with pytest.raises(CertificateError, match="nothing that could be signed"):
        shoal.verify(got, keys=[steward])


def test_only_what_verifies_is_signed(out: Path, tmp_path: Path) -> None:
    make_key(tmp_path / "steward.pem")
    (out / "private/report.html").write_text("other", encoding="utf-8")
    with pytest.raises(CertificateError, match=r"'private/report\.html' is not the one that was certified"):
        sign(out, tmp_path / "steward.pem")
    assert not list(out.rglob("*.sig"))


def test_what_cannot_be_signed(out: Path, tmp_path: Path) -> None:
    make_key(tmp_path / "steward.pem")
    for name in ("", "a b", "../a", "a/b", "ä", "x" * 65):
        with pytest.raises(SpecError, match="cannot be a part of a file's name"):
            sign(out, tmp_path / "steward.pem", name=name)
    with pytest.raises(SpecError, match="is not the folder of a release"):
        sign(out / "public/data.csv", tmp_path / "steward.pem")
    made_first(out)
    with pytest.raises(SpecError, match="an earlier version made it"):
        sign(out, tmp_path / "steward.pem")


def test_a_release_in_memory_has_no_signature(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="write it first"):
        shoal.verify(released(), keys=[tmp_path / "steward.pem"])
    with pytest.raises(SpecError, match="write it first"):
        shoal.verify(released(), raw=True)
