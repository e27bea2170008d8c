"""ReleaseFolder: what of a release may be passed on and what is to be kept, each in a folder of its own."""

from dataclasses import dataclass
from pathlib import Path

from shoal.certificate import CERTIFICATE
from shoal.jobs.disclosure import PUBLIC
from shoal.jobs.job import JOB_FILE

PASSED_ON, KEPT = "public", "private"
"""The two folders of a release: all of the one may be passed on, and all of the other is the steward's."""


@dataclass(frozen=True, slots=True)
class ReleaseFolder:
    """Where the files of a release are.

    Args:
        root: The folder of the release; the names in the steward's manifest start from it.
        public: The folder of the data and of what goes with it.
        private: The folder of what the steward keeps.
        whole: Whether what the steward keeps is at hand: those who got the data have what is public alone.
    """

    root: Path
    public: Path
    private: Path
    whole: bool = True

    @classmethod
    def of(cls, path: Path) -> "ReleaseFolder":
        """Find the files of a release by its folder, by one of its two folders, or by a file in one of these.

        Its public folder stands for what was passed on, and its private one for the whole release. A release of an
        earlier version has all files in one folder.
        """
        folder = path.parent if path.is_file() else path
        above = folder.absolute().parent
        if _kept_in(folder) and not (folder / PUBLIC).exists() and _is_half(folder) and (above / PASSED_ON).is_dir():
            return cls.made_in(above)
        if _kept_in(folder) or (folder / PUBLIC).exists():
            return cls.in_one(folder, whole=_kept_in(folder))
        if _kept_in(folder / KEPT):
            return cls.made_in(folder)
        found = folder / PASSED_ON if (folder / PASSED_ON / PUBLIC).exists() else folder
        return cls.in_one(found, whole=False)

    @classmethod
    def made_in(cls, root: Path) -> "ReleaseFolder":
        """Return the folders of a release as it is written."""
        return cls(root, root / PASSED_ON, root / KEPT)

    @classmethod
    def in_one(cls, folder: Path, *, whole: bool) -> "ReleaseFolder":
        """Return a release whose files are in one folder: one of an earlier version, or what was passed on."""
        return cls(folder, folder, folder, whole)

    @property
    def folders(self) -> tuple[Path, ...]:
        """All folders that hold files of the release, and no others."""
        return tuple(dict.fromkeys((self.root, self.public, self.private)))

    def name(self, folder: Path, name: str) -> str:
        """Return the name of a file in one of the folders, as the steward's manifest has it."""
        return (folder.relative_to(self.root) / name).as_posix()


def holds_certificate(folder: Path) -> bool:
    """Tell whether a folder is that of a release, or one of the two in it, by what only a release has."""
    return any(_there(folder / place / name) for place in ("", PASSED_ON, KEPT) for name in (CERTIFICATE, PUBLIC))


def is_release_folder(folder: Path) -> bool:
    """Tell whether a folder holds a release, or what is passed on of one; else its files may be a table."""
    where = ReleaseFolder.of(folder)
    return folder.is_dir() and (where.whole or (where.public / PUBLIC).is_file())


def _kept_in(folder: Path) -> bool:
    """Tell whether a folder has files of the steward."""
    return any(_there(folder / name) for name in (CERTIFICATE, JOB_FILE))


def _there(path: Path) -> bool:
    """Tell whether something stands at a path; who may not open its folder, has it not."""
    try:
        return path.exists()
    except PermissionError:
        return False


def _is_half(folder: Path) -> bool:
    return folder.absolute().name == KEPT
