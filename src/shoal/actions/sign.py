"""Signing: a release that verifies gets a signature, so that those who got it know from whom it is."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shoal.actions.verification.verified import Verified
from shoal.actions.verify import verify
from shoal.foundation.errors import SpecError
from shoal.foundation.given import checked
from shoal.foundation.progress import Progress, silent
from shoal.jobs.release_folder import ReleaseFolder
from shoal.releases.claims.manifest import MANIFEST, PUBLIC_MANIFEST, Manifest
from shoal.releases.signatures import new_key, signed

_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")


@dataclass(frozen=True, slots=True)
class Signed:
    """A signed release.

    Args:
        signatures: The files of the signatures.
        verified: What was found before it was signed.
    """

    signatures: tuple[Path, ...]
    verified: Verified

    def as_dict(self) -> dict[str, Any]:
        """Return it as JSON."""
        return {"signatures": [str(path) for path in self.signatures], "verified": self.verified.as_dict()}


@checked
def sign(
    release: str | Path,
    key: str | Path,
    *,
    name: str | None = None,
    url: str | None = None,
    progress: Progress = silent,
) -> Signed:
    """Verify a release and sign its manifests: that of all files, and that of the public files.

    A signature is a separate file beside the manifest. There may be several, for instance of the steward and of an
    officer.

    Args:
        release: The folder of the release, or of its public half.
        key: The file of the private key, which must be readable by the user only.
        name: The name of the signature, used in its file name; by default that of the key.
        url: The database of the released table, if it was moved or is not stated.
        progress: Called with the current step.

    Raises:
        SpecError: The folder is not a release, or the file is not a key.
        CertificateError: The release does not verify; it is not signed.
    """
    folder, path = Path(release), Path(key)
    called = path.stem if name is None else name
    if not _NAME.fullmatch(called):
        raise SpecError(f"'{called}' cannot be a part of a file's name: use letters, digits, '-' and '_' (--name).")
    if not folder.is_dir():
        raise SpecError(f"'{folder}' is not the folder of a release.")
    verified = verify(folder, url=url, progress=progress)
    where = ReleaseFolder.of(folder)
    lists = [(where.public, Manifest.read(where.public, PUBLIC_MANIFEST))]
    if where.whole:
        lists.insert(0, (where.private, Manifest.read(where.private, MANIFEST, where.root)))
    manifests = [(place, one) for place, one in lists if one is not None]
    if not manifests:
        raise SpecError(f"'{folder}' has no list of its files that could be signed: an earlier version made it.")
    return Signed(tuple(signed(place, manifest, path, called) for place, manifest in manifests), verified)


def make_key(path: str | Path) -> Path:
    """Make a private key that only the user may read, and the public key beside it; return where that is."""
    return new_key(Path(path))
