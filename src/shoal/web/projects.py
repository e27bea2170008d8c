"""Project: a folder of plain files that app, command line and editor can take turns with.

`job.toml` is the request as it stands, `hierarchies/` its levels files, `columns.json` what was found out about the
columns when the table was opened, `tried/` a release for each setting that was tried, `history/` each state of job and
hierarchies before it was changed, and by what.
"""

import hashlib
import json
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import tomli_w

from shoal.foundation.atomic_write import write_file
from shoal.foundation.documents import toml_in
from shoal.foundation.errors import SpecError
from shoal.jobs.job import JOB_FILE, Job
from shoal.web.texts import TextError

COLUMNS = "columns.json"
EXPOSURE = "exposure.json"
HIERARCHIES = "hierarchies"
HISTORY = "history"
TRIED = "tried"

_WHAT = "what.json"

Content = dict[str, Any]
Edit = Callable[[Content], Content]


@dataclass(frozen=True, slots=True)
class EarlierState:
    """An earlier state of a project, and what was done to it then.

    Args:
        number: Its number, from 1.
        what: What was done, as a key of the catalogue of texts with its values.
        when: When, in UTC.
    """

    number: int
    what: tuple[str, Mapping[str, Any]]
    when: str


@dataclass(frozen=True, slots=True)
class Project:
    """A project.

    Args:
        folder: Its folder.
    """

    folder: Path

    @property
    def job_file(self) -> Path:
        """The job file."""
        return self.folder / JOB_FILE

    @property
    def content(self) -> Content:
        """What stands in the job file."""
        try:
            return toml_in(self.job_file, _number)
        except (OSError, ValueError) as error:
            raise SpecError(f"The job file of the project cannot be read: {error}.") from None

    @property
    def job(self) -> Job:
        """The request."""
        return Job.read(self.job_file)

    @property
    def opened(self) -> bool:
        """Whether a table is open."""
        return self.job_file.is_file()

    @property
    def columns(self) -> dict[str, Any]:
        """What was found out about the columns when the table was opened; empty if that was done elsewhere."""
        path = self.folder / COLUMNS
        return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}

    @property
    def version(self) -> str:
        """A text that changes with the job file and the hierarchies: what a form was made of, to be compared later."""
        digest = hashlib.sha256()
        for path in self._state():
            digest.update(path.relative_to(self.folder).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
        return digest.hexdigest()[:16]

    def _state(self) -> list[Path]:
        levels = sorted((self.folder / HIERARCHIES).glob("*.csv"))
        return [path for path in (self.job_file, *levels) if path.is_file()]

    def change(self, edit: Edit, what: str, /, *, levels: Mapping[str, bytes] | None = None, **told: Any) -> None:
        """Change the job, and keep the state before.

        Args:
            edit: Returns the new content of the job file.
            what: What is done, as a key of the catalogue of texts.
            levels: The new content of files in `hierarchies/`, by their names.
            told: The values of that text; no value of the table is among them.

        Raises:
            SpecError: It would be no valid request; nothing has changed then.
        """
        content = _without_none(edit(self.content))
        Job.of(content, self.folder)
        self.remember(what, **told)
        for name, new in (levels or {}).items():
            target = self.folder / HIERARCHIES / name
            target.parent.mkdir(mode=0o700, exist_ok=True)
            write_file(target, partial(_put, new), force=True)
        text = tomli_w.dumps(content).encode()
        write_file(self.job_file, lambda draft: draft.write_bytes(text), force=True)

    def remember(self, what: str, /, **told: Any) -> None:
        """Keep the present state, before something is changed."""
        if not self.opened:
            return
        entry = self.folder / HISTORY / f"{len(self.history) + 1:04}"
        (entry / HIERARCHIES).mkdir(mode=0o700, parents=True)
        for path in self._state():
            shutil.copyfile(path, entry / path.relative_to(self.folder))
        note = {"what": [what, told], "when": datetime.now(UTC).isoformat(timespec="seconds")}
        (entry / _WHAT).write_text(json.dumps(note), encoding="utf-8")

    @property
    def history(self) -> list[EarlierState]:
        """The earlier states, the first one first."""
        found = []
        for number, entry in enumerate(sorted((self.folder / HISTORY).glob("[0-9]*")), start=1):
            note = json.loads((entry / _WHAT).read_text(encoding="utf-8"))
            found.append(EarlierState(number, (note["what"][0], note["what"][1]), note["when"]))
        return found

    def restore(self, number: int) -> None:
        """Go back to an earlier state; the present one is kept like any other."""
        entry = self.folder / HISTORY / f"{number:04}"
        if not (entry / JOB_FILE).is_file():
            raise TextError("history.no_state")
        self.remember("history.restored", number=number)
        for path in self._state():
            path.unlink()
        for path in (entry / JOB_FILE, *(entry / HIERARCHIES).glob("*.csv")):
            target = self.folder / path.relative_to(entry)
            target.parent.mkdir(mode=0o700, exist_ok=True)
            shutil.copyfile(path, target)


def _put(content: bytes, draft: Path) -> None:
    draft.write_bytes(content)


def _number(text: str) -> float:
    return float(text)


def _without_none(content: Any) -> Any:
    """Return the content without keys that have no value, which TOML does not know."""
    if isinstance(content, dict):
        return {key: _without_none(value) for key, value in content.items() if value is not None}
    return [_without_none(one) for one in content] if isinstance(content, list) else content
