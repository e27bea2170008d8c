"""A certificate as stated: it is complete, and the files beside it are those that it names."""

from pathlib import Path
from typing import Any

from shoal.certificate import unsealed
from shoal.foundation.errors import CertificateError, SpecError
from shoal.tables.location import file_digest


def whole(folder: Path, name: str) -> dict[str, Any]:
    """Return a certificate after checking that it is complete and that the files beside it have its digests."""
    certificate = unsealed((folder / name).read_bytes(), name)
    try:
        table = certificate.get("clusters", {"shape": "records"})
        stated = [certificate["file"], *([table["file"]] if table["shape"] != "records" else [])]
        stated = [{**one, "name": str(one["name"]), "sha256": one["sha256"]} for one in stated]
        complete = all(isinstance(one["columns"], list) for one in stated) and isinstance(certificate["claims"], list)
        complete &= all({"model", "parameters"} <= claim.keys() for claim in certificate["claims"])
        complete &= all(key in certificate for key in ("classes", "records", "algorithm"))
    except (KeyError, TypeError, AttributeError):
        stated, complete = [], False
    files = [one for one in stated if "database" not in one]
    if not complete or any(one["name"] != Path(one["name"]).name for one in files):
        raise incomplete(folder, name)
    for one in files:
        if not (folder / one["name"]).is_file():
            raise CertificateError(f"The file '{one['name']}' that the certificate speaks of is not in '{folder}'.")
        if file_digest(folder / one["name"]) != one["sha256"]:
            raise CertificateError(f"The file '{one['name']}' is not the one that was certified: its digest differs.")
    return certificate


def incomplete(folder: Path, name: str) -> CertificateError:
    """Return the error for a malformed certificate."""
    return CertificateError(f"The certificate '{folder / name}' lacks what a certificate states.")


def check_url(folder: Path, url: str | None, *, in_database: bool) -> None:
    """Raise a SpecError if a database is given for a release that is not in one."""
    if url is not None and not in_database:
        raise SpecError(f"The release in '{folder}' is a file, and not in a database.")


def name_of(model: str, *columns: str) -> str:
    """Return the name of a promise."""
    return " ".join([model, *(f"({column})" for column in columns)])
