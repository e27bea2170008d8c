"""Manifest: the digest of every file of a release, so that a change of any byte of any of them shows.

There are two: that of the steward lists all files, and the public one those that are passed on. A certificate cannot do
this, since the reports tell what the certificate says.
"""

import json
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from shoal.foundation.errors import CertificateError
from shoal.jobs.release_folder import ReleaseFolder
from shoal.tables.location import file_digest

MANIFEST = "manifest.json"
PUBLIC_MANIFEST = "manifest-public.json"
SIGNATURE = ".sig"
_VERSION = 1
_LONGEST = 1_000_000  # bytes: a manifest has some lines
_DEEPEST = 3  # a release has two folders, and a table may be a folder of files


class _Listing(BaseModel):
    """A manifest as it is written."""

    model_config = ConfigDict(extra="forbid", strict=True)

    manifest: Annotated[int, Field(ge=_VERSION, le=_VERSION)]
    files: dict[str, Annotated[str, StringConstraints(pattern="^[0-9a-f]{64}$")]]


@dataclass(frozen=True, slots=True)
class Manifest:
    """The files of a release, with their digests.

    Args:
        name: The name of the manifest.
        files: The SHA-256 of each file, by its name.
        text: The bytes of the manifest.
    """

    name: str
    files: dict[str, str]
    text: bytes

    @classmethod
    def of(cls, folder: Path, name: str, names: Iterable[str]) -> "Manifest":
        """Return the manifest of some files, by their names from a folder."""
        files = {one: file_digest(folder / one) for one in sorted(names)}
        return cls(name, files, _text(files))

    @classmethod
    def read(cls, folder: Path, name: str, root: Path | None = None) -> "Manifest | None":
        """Read a manifest, if there is one, and compare every file that it lists with its digest.

        Args:
            folder: The folder of the manifest.
            name: Its name.
            root: The folder from which the names in it start; that of the manifest if left out.

        Raises:
            CertificateError: It is not as it was written, or a file that it lists is another or is not there.
        """
        if not (folder / name).exists():
            return None
        text, start = _bytes(folder / name), root or folder
        try:
            files = _Listing.model_validate(json.loads(text)).files
        except (ValueError, RecursionError, ValidationError):
            raise CertificateError(f"The list of files {name} cannot be read.") from None
        if _text(files) != text or not all(map(_inside, files)):
            raise CertificateError(f"The list of files {name} was changed after it was written.")
        for one, digest in files.items():
            if not (start / one).is_file():
                raise CertificateError(f"The file '{one}' that {name} lists is not in '{start}'.")
            if file_digest(start / one) != digest:
                raise CertificateError(f"The file '{one}' is not the one that was certified: its digest differs.")
        return cls(name, files, text)

    def demand(self, names: Collection[str]) -> None:
        """Raise a CertificateError unless just the files of a release are listed."""
        if set(self.files) != set(names):
            others = ", ".join(sorted(set(self.files) ^ set(names)))
            raise CertificateError(f"{self.name} lists other files than a release has: it differs in {others}.")

    def write(self, folder: Path) -> None:
        """Write it."""
        (folder / self.name).write_bytes(self.text)


def _inside(name: str) -> bool:
    """Tell whether a name is that of a file in the folder, or in a folder there or in one of that."""
    parts = tuple(name.split("/"))
    return parts == Path(name).parts and len(parts) <= _DEEPEST and ".." not in parts


def signatures_of(folder: Path, name: str) -> list[str]:
    """Return the files that are named as signatures of a manifest."""
    return sorted(path.name for path in folder.glob(f"{name}.*{SIGNATURE}") if path.is_file())


def others_in(where: ReleaseFolder, names: Collection[str]) -> list[str]:
    """Return what is in the folders of a release beside the named files and the signatures of manifests."""
    lists = ((where.private, MANIFEST), (where.public, PUBLIC_MANIFEST))
    signed = [folder / one for folder, name in lists for one in signatures_of(folder, name)]
    files = [where.root / name for name in names]
    known = {*signed, *files, *(folder for path in files for folder in path.parents)}
    found = [path for folder in where.folders for path in folder.iterdir() if path not in known]
    return sorted(path.relative_to(where.root).as_posix() for path in found)


def _bytes(path: Path) -> bytes:
    """Read a manifest, which is short."""
    if not path.is_file():
        raise CertificateError(f"{path.name} is not a file.")
    with path.open("rb") as file:
        text = file.read(_LONGEST + 1)
    if len(text) > _LONGEST:
        raise CertificateError(f"{path.name} has more than {_LONGEST:,} bytes, too many for a list of files.")
    return text


def _text(files: dict[str, str]) -> bytes:
    return (json.dumps({"manifest": _VERSION, "files": files}, indent=2, ensure_ascii=False) + "\n").encode()
