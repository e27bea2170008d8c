"""Uploads: files that a browser sends, taken as they come into the private folder."""

import re
from pathlib import Path

from starlette.datastructures import UploadFile

from shoal.foundation.errors import SpecError
from shoal.web.sessions import Session
from shoal.web.texts import translator

_NAME = re.compile(r"[^/\\\0]{1,200}")
_CHUNK = 2**20


async def take(session: Session, file: UploadFile) -> Path:
    """Return where an uploaded file is now; a name with a path in it is refused, and nothing is ever followed."""
    name = file.filename or ""
    if not _NAME.fullmatch(name) or name.startswith("."):
        raise SpecError(translator(session.language)("open.name"))
    target = session.workspace.uploads / name
    draft = target.with_name(f".{target.name}.part")
    draft.touch(mode=0o600)
    with draft.open("wb") as out:
        while chunk := await file.read(_CHUNK):
            out.write(chunk)
    draft.replace(target)
    return target
