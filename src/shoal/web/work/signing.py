"""Signing: put a signature beside the lists of the files of a release, and verify it as it is then."""

from pathlib import Path
from typing import Any

from shoal.actions.sign import make_key, sign
from shoal.foundation.progress import Progress
from shoal.web.work import verifying


def work(*, folder: str, packed: str, key: str, new: bool, progress: Progress, name: str = "") -> dict[str, Any]:
    """Sign the release of a try.

    Args:
        folder: The folder of the try.
        packed: Where the two packed files go.
        key: The file of the private key.
        new: Whether that key is to be made.
        progress: Where to tell how far it is.
        name: Whose signature it is; the name of the key if empty.
    """
    if new:
        make_key(key)
    made = sign(Path(folder) / "release", key, name=name or None, progress=progress)
    verifying.work(folder=folder, packed=packed, progress=progress)
    return {"signatures": [path.name for path in made.signatures]}
