"""Verifying: derive every claim of a release again from its written files, and pack its two halves."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from shoal.actions.verification.verified import Verified
from shoal.actions.verify import verify
from shoal.foundation.atomic_write import files_in, write_file
from shoal.foundation.progress import Progress
from shoal.jobs.release_folder import KEPT, PASSED_ON
from shoal.web.tries import VERIFIED, keep_json

_LONG_AGO = (1980, 1, 1, 0, 0, 0)  # the first date that such files know: the same files give the same bytes
_CHUNK = 2**20


def work(*, folder: str, packed: str, progress: Progress) -> dict[str, Any]:
    """Verify the release of a try, and pack its two halves.

    Args:
        folder: The folder of the try.
        packed: Where the two packed files go.
        progress: Where to tell how far it is.
    """
    release = Path(folder) / "release"
    found = verify(release, progress=progress)
    place = Path(packed)
    place.mkdir(mode=0o700, parents=True, exist_ok=True)
    for side in (PASSED_ON, KEPT):
        progress("packing the files")
        pack(release / side, place / f"{side}.zip")
    told = summary(found)
    keep_json(Path(folder) / VERIFIED, told)
    return {"verdict": told["verdict"]}


def summary(found: Verified) -> dict[str, Any]:
    """Return what was found, as a page shows it: no value of the table is in it."""
    told = found.as_dict()
    return {
        "when": datetime.now(UTC).isoformat(timespec="seconds"),
        "verdict": told["verdict"],
        "claims": told["claims"],
        "not_derived": told["not_derived"],
        "file": {name: told["file"][name] for name in ("name", "sha256", "records") if name in told["file"]},
        "others": list(told["others"]),
        "n_files": found.n_files,
    }


def pack(folder: Path, target: Path) -> None:
    """Pack a folder, under its own name; the same files give the same bytes."""

    def fill(draft: Path) -> None:
        with ZipFile(draft, "w", ZIP_DEFLATED) as made:
            for path in sorted(files_in(folder)):
                entry = ZipInfo(path.relative_to(folder.parent).as_posix(), _LONG_AGO)
                entry.compress_type = ZIP_DEFLATED
                with path.open("rb") as read, made.open(entry, "w", force_zip64=True) as written:
                    while chunk := read.read(_CHUNK):
                        written.write(chunk)

    write_file(target, fill, force=True)
