"""The page of figures: one section for each table of a run, without those that are older than what they measure."""

import hashlib
import json
import re
import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "benchmarks.md"
_BUSY = 1.5  # processes for each core
RESULTS = ROOT / "benchmarks" / "results.json"


@dataclass(frozen=True, slots=True)
class SuiteTable:
    """A table of the page.

    Args:
        script: The script that measures it, as a module of `benchmarks`.
        title: The title of its section.
        profile: `quick` or `full`.
        rooms: The rooms of `src/shoal` that it measures.
        words: What is measured, in a paragraph.
        flags: What the script is called with.
    """

    script: str
    title: str
    profile: str
    rooms: tuple[str, ...]
    words: str = ""
    flags: tuple[str, ...] = ()

    def digest(self) -> str:
        """Return the digest of the measured rooms as they are now."""
        return hashlib.sha256("".join(map(_digest, sorted(self.rooms))).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Found:
    """What a script found.

    Args:
        printed: What it printed.
        machine: Where: cores, memory, versions.
        date: The day.
        load: How busy the machine was when it began: processes that want to run, for each core.
        rooms: The digest of the rooms that it measured.
    """

    printed: str
    machine: str
    date: str
    load: float
    rooms: str


def _digest(room: str) -> str:
    """Return the digest of all files of a room, or of a file."""
    place = ROOT / "src" / "shoal" / room
    files = sorted(place.rglob("*.py")) if place.is_dir() else [place]
    found = hashlib.sha256()
    for path in files:
        found.update(path.relative_to(ROOT).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return found.hexdigest()


def suite() -> list[SuiteTable]:
    """Return the tables in the order of the page."""
    told: dict[str, Any] = tomllib.loads((Path(__file__).parent / "suite.toml").read_text(encoding="utf-8"))
    return [
        SuiteTable(**(one | {"rooms": tuple(one["rooms"]), "flags": tuple(one.get("flags", ()))}))
        for one in told["table"]
    ]


def kept() -> dict[str, Found]:
    """Return what was found before, by script."""
    told = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.is_file() else {}
    return {name: Found(**one) for name, one in told.items()}


def save(found: Mapping[str, Found]) -> None:
    """Keep what was found, for the page to be written again."""
    told = {name: asdict(one) for name, one in found.items()}
    RESULTS.write_text(json.dumps(told, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def page_of(found: Mapping[str, Found]) -> str:
    """Return the page as Markdown."""
    fresh = [one for one in suite() if one.script in found and found[one.script].rooms == one.digest()]
    older = [one for one in suite() if one.script in found and one not in fresh]
    missing = [one for one in suite() if one.script not in found]
    parts = ["# Figures\n", _head([found[one.script] for one in fresh])]
    parts += [_section(one, found[one.script]) for one in fresh]
    if older:
        names = ", ".join(f"{one.title} ({found[one.script].date})" for one in older)
        parts.append(f"## Older than what they measure\n\nNot shown, since what they measure has changed: {names}.\n")
    if missing:
        names = "\n".join(f"- {one.title}: `benchmarks/{one.script.replace('.', '/')}.py`" for one in missing)
        parts.append(f"## Not in this run\n\n`make bench` measures these too, which takes hours:\n\n{names}\n")
    return "\n".join(parts)


def _head(shown: list[Found]) -> str:
    """Return where, when and by what the figures were measured."""
    runs = sorted({(one.date, one.machine) for one in shown})
    busy = max((one.load for one in shown), default=0.0)
    lines = "\n".join(f"- {date}: {machine}" for date, machine in runs) or "- no table is as new as what it measures"
    if busy > _BUSY:
        lines += (
            f"\n- The machine was busy: up to {busy:.1f} processes wanted each core. CPU seconds are then too high."
        )
    return (
        "Written by `make bench` from one run, and by nobody's hand. A table is shown as long as the rooms that it "
        "measures are as they were then; the site is built without those that are older.\n\n"
        f"{lines}\n\n"
        "CPU seconds are those of all threads; on a machine that others use too they vary by up to a third. "
        "Compare ratios of one table, and not figures of two.\n"
    )


def _section(table: SuiteTable, found: Found) -> str:
    """Return a section: what is measured, and what was printed, with titles one level lower than the page's."""
    printed = re.sub(r" \(\d+ cores, [^)]*\)$", "", found.printed.strip(), flags=re.MULTILINE)  # it is told above
    script = f"`benchmarks/{table.script.replace('.', '/')}.py`"
    return f"## {table.title}\n\n{table.words} {script}\n\n{printed}\n".replace("\n\n ", "\n\n")
