"""SeriesState: what the next release of a series must know of all before it; it is the steward's, and names nobody."""

import json
import re
from base64 import b64decode, b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from shoal.foundation.budgets import read_bytes
from shoal.foundation.documents import json_of
from shoal.foundation.errors import CertificateError
from shoal.jobs.series_request import SeriesPromise
from shoal.tables.hierarchies.hierarchy import Label

STATE = "series.json"
WITHHELD = -1
"""What a person is bound to who is withheld for good."""
_PSEUDONYM = 16  # bytes
_HISTORY = re.compile(r"[0-9]+:[^ :]*( [0-9]+:[^ :]*)*")


class _Held(BaseModel):
    """A state as it is written; long columns are bytes in base64."""

    model_config = ConfigDict(extra="forbid", strict=True)

    series: Literal[1]
    promise: SeriesPromise
    number: Annotated[int, Field(ge=1)]
    persons: str
    held: str
    marks: str
    places: str
    known_marks: list[str]
    signatures: list[list[str | None]]
    classes: str
    columns: dict[str, list[str | None]]
    cells: str
    fakes: list[tuple[int, str | None, int]]
    key: str


@dataclass(frozen=True, slots=True, eq=False)
class SeriesState:
    """Everybody who was ever published in a series, by pseudonyms.

    Args:
        promise: What the series promises.
        number: The number of the release, from 1.
        persons: The pseudonym of everybody, ascending.
        held: The signature, or the cohort, of each; -1 for who is withheld for good.
        marks: For each the history of the sensitive values, as marks (`histories.py`); -1 if none is kept.
        places: The class of each in this release; -1 for who is not in it.
        known_marks: The histories.
        signatures: For m-invariance, the values of each signature.
        owned: The signature, or the cohort, of each class.
        columns: The quasi columns, with the texts of their cells.
        cells: `cells[class, column]`, what each class is published as.
        fakes: The class and the value of each counterfeit, and the row of the table whose quasi values it was given.
        key: What tells the key of the pseudonyms from another one, and nothing else of it.
    """

    promise: SeriesPromise
    number: int
    persons: pl.Series
    held: NDArray[np.int32]
    marks: NDArray[np.int32]
    places: NDArray[np.int32]
    known_marks: tuple[str, ...]
    signatures: tuple[tuple[Label, ...], ...]
    owned: NDArray[np.int32]
    columns: dict[str, tuple[Label, ...]]
    cells: NDArray[np.int32]
    fakes: tuple[tuple[int, Label, int], ...]
    key: str = ""

    @classmethod
    def read(cls, folder: Path) -> "SeriesState":
        """Read the state of a release; a CertificateError tells that it is not as it was written."""
        path = folder / STATE
        try:
            found = _Held.model_validate(json_of(read_bytes(path), STATE, None), strict=False)
            cells = _numbers(found.cells).reshape(-1, len(found.columns))
            persons = np.frombuffer(b64decode(found.persons, validate=True), dtype=np.uint8).reshape(-1, _PSEUDONYM)
            state = cls(
                promise=found.promise,
                number=found.number,
                persons=pl.Series([f"p{one.tobytes().hex()}" for one in persons], dtype=pl.String),
                held=_numbers(found.held),
                marks=_numbers(found.marks),
                places=_numbers(found.places),
                known_marks=tuple(found.known_marks),
                signatures=tuple(map(tuple, found.signatures)),
                owned=_numbers(found.classes),
                columns={name: tuple(texts) for name, texts in found.columns.items()},
                cells=cells,
                fakes=tuple(found.fakes),
                key=found.key,
            )
        except (ValueError, ValidationError):
            raise CertificateError(f"The state of the series, '{path}', is not as it was written.") from None
        if not state.fits():
            raise CertificateError(f"The state of the series, '{path}', contradicts itself.")
        return state

    def fits(self) -> bool:
        """Tell whether all numbers point at something."""
        n, n_classes = len(self.persons), len(self.owned)
        most_owned = len(self.signatures) if self.promise == "m-invariance" else 1 << 31
        within = (
            (self.held, most_owned),
            (self.marks, len(self.known_marks)),
            (self.places, n_classes),
        )
        columns = zip(self.cells.T, self.columns.values(), strict=True)
        inside = self.places >= 0
        return (
            all(len(one) == n and bool(((one >= -1) & (one < most)).all()) for one, most in within)
            and len(self.cells) == n_classes
            and all(bool(((codes >= 0) & (codes < len(texts))).all()) for codes, texts in columns)
            and bool(self.persons.is_unique().all())
            and bool(((self.owned >= 0) & (self.owned < most_owned)).all())
            and bool((self.owned[self.places[inside]] == self.held[inside]).all())
            and bool(((self.marks >= 0) == (self.held >= 0)).all())
            and all(map(_HISTORY.fullmatch, self.known_marks))
            and all(0 <= place < n_classes for place, _, _ in self.fakes)
        )

    def text(self) -> bytes:
        """Return it as it is written."""
        content: dict[str, Any] = {
            "series": 1,
            "promise": self.promise,
            "number": self.number,
            "persons": b64encode(bytes.fromhex("".join(self.persons.str.slice(1).to_list()))).decode(),
            "held": _text(self.held),
            "marks": _text(self.marks),
            "places": _text(self.places),
            "known_marks": list(self.known_marks),
            "signatures": [list(one) for one in self.signatures],
            "classes": _text(self.owned),
            "columns": {name: list(texts) for name, texts in self.columns.items()},
            "cells": _text(self.cells),
            "fakes": [list(one) for one in self.fakes],
            "key": self.key,
        }
        return (json.dumps(content, ensure_ascii=False) + "\n").encode()

    def places_of(self, pseudonyms: Sequence[str]) -> NDArray[np.int64]:
        """Return where each of some persons stands in the state; -1 for who was never published."""
        wanted = pl.DataFrame({"person": pl.Series(pseudonyms, dtype=pl.String)})
        known = pl.DataFrame({"person": self.persons, "at": np.arange(len(self.persons), dtype=np.int64)})
        return wanted.join(known, on="person", how="left", maintain_order="left")["at"].fill_null(-1).to_numpy()

    def histories(self, places: NDArray[np.int64]) -> NDArray[np.object_]:
        """Return the history of the persons at some places; that of nobody, at -1, is empty."""
        texts = np.array([*self.known_marks, ""], dtype=object)
        return texts[np.append(self.marks, -1)[places]]

    @property
    def least_persons(self) -> int:
        """The least number of persons of a class, counterfeits left out."""
        sizes = np.bincount(self.places[self.places >= 0], minlength=len(self.owned))
        return int(sizes.min(initial=len(self.persons)))


def _numbers(text: str) -> NDArray[np.int32]:
    return np.frombuffer(b64decode(text, validate=True), dtype="<i4").astype(np.int32)


def _text(numbers: NDArray[np.int32]) -> str:
    return b64encode(np.ascontiguousarray(numbers, dtype="<i4").tobytes()).decode()
