"""One trial: a case is released by Python and by the command line, judged, compared, and tampered with."""

import csv
import json
import math
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date, datetime
from pathlib import Path
from random import Random
from typing import Any

import polars as pl
import tomli_w

import shoal
from shoal.foundation.errors import ShoalError
from shoal.models import MODELS
from shoal.tables.formats import FORMATS
from tests.cli.run import Ran
from tests.cli.run import shoal as command_line
from tests.soak.draw.cases import case as drawn
from tests.soak.judge.evidence import Case
from tests.soak.judge.lattice import possible
from tests.soak.judge.verdict import judge

_ENDS = {0: "released", 2: "refused", 3: "infeasible", 4: "not certified", 1: "internal error"}
_BLANKS = re.compile(r" +(?=, |}$)")
_NO_CLAIM = re.compile(r"found|time limit|settled|undecided")
"""Words of messages that do not say that there is no such release."""
_FLAGS = {"search": ("max_suppressed", "seed", "suppress"), "release": ("order", "suppressed"), "input": ("missing",)}
_OFTEN = {"process": 0.02, "format": 0.06, "flags": 0.3, "frame": 0.3, "public": 0.2, "flip": 0.5}
"""How often, of all cases, each of the dearer questions is asked."""


@dataclass
class Outcome:
    """What was tried, how it ended, and what is wrong."""

    tried: Counter[str] = field(default_factory=Counter)
    judged: Counter[str] = field(default_factory=Counter)
    not_judged: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)

    def add(self, other: "Outcome") -> None:
        for name in ("tried", "judged", "not_judged"):
            getattr(self, name).update(getattr(other, name))
        self.wrong += other.wrong

    def ask(self, kind: str, fine: bool, words: str) -> None:
        self.judged[kind] += 1
        if not fine:
            self.wrong.append(f"{kind}: {words}")


def trial(seed: int, number: int, folder: Path) -> Outcome:
    """Try the case of this number in an empty folder."""
    case, draw, outcome = drawn(seed, number), Random(f"ways {seed}:{number}"), Outcome()  # noqa: S311
    write_case(case, folder)
    by_python = _by_python(case, folder, draw, outcome)
    by_command = _by_command(case, folder, draw, outcome)
    timed = case.search("time_limit") is not None
    outcome.ask("both ways end alike", _alike_ends(by_python, by_command, timed=timed), _ended(by_python, by_command))
    for ran in (by_python, by_command):
        _messages(case, ran, outcome)
    if by_command.code == 3 and not _NO_CLAIM.search(by_command.err):
        found = possible(case, of_any_kind="No release" in by_command.err)
        outcome.ask("infeasible", found is None, f"there is {found}")
    if by_command.code == 0:
        _judged(case, folder, draw, outcome)
    if by_python.code == by_command.code == 0 and not timed:
        _alike(folder, outcome)
    return outcome


def _alike_ends(*ways: Ran, timed: bool) -> bool:
    """Tell whether both ways ended alike; within a time limit one may have found a release and the other none.

    What is asked is refused in either case, whatever the time.
    """
    codes = {ran.code for ran in ways}
    return len(codes) == 1 or (timed and codes == {0, 3})


def _ended(by_python: Ran, by_command: Ran) -> str:
    """Return how both ways ended, in words."""
    said = " | ".join(ran.err.strip()[-200:] for ran in (by_python, by_command))
    return f"{by_python.code}, {by_command.code}: {said}"


def write_case(case: Case, folder: Path) -> None:
    """Write the raw table, the files of the job, and the job."""
    with (folder / "raw.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter=case.delimiter, lineterminator="\n")
        writer.writerows([case.header, *case.rows])
    for name, text in case.files.items():
        (folder / name).write_text(text, encoding="utf-8")
    job = {**case.job, "input": {"path": "raw.csv", "delimiter": case.delimiter, **case.job["input"]}}
    (folder / "job.toml").write_text(tomli_w.dumps(job), encoding="utf-8")


def _arguments(case: Case, folder: Path) -> dict[str, Any]:
    """Return the job as arguments of Python; files are named whole."""
    columns = case.job["columns"]

    def recipe(name: str) -> Any:
        found = columns[name].get("hierarchy")
        return {**found, "path": str(folder / found["path"])} if found and "path" in found else found

    files = {key for member in MODELS for key in member.files}
    require = [
        {key: str(folder / value) if key in files else value for key, value in one.items()} for one in case.promises
    ]
    given = {
        "quasi": {name: recipe(name) for name in case.quasi},
        "sensitive": {name: recipe(name) for name in case.sensitive},
        "insensitive": case.names("insensitive"),
        "drop": case.names("identifier"),
        "omit": case.names("omitted"),
        "entity": case.entity,
        "household": next(iter(case.names("household")), None),
        "weights": {name: columns[name]["weight"] for name in case.quasi if "weight" in columns[name]},
        "require": require,
    }
    return {**given, **case.job["input"], **case.job["search"], **case.job["release"]}


def _by_python(case: Case, folder: Path, draw: Random, outcome: Outcome) -> Ran:
    data: Any = folder / "raw.csv"
    given = _arguments(case, folder)
    if case.delimiter == "," and draw.random() < _OFTEN["frame"]:
        columns = {name: [row[i] or None for row in case.rows] for i, name in enumerate(case.header)}
        data = pl.DataFrame(columns, schema=dict.fromkeys(case.header, pl.String))
    else:
        given["delimiter"] = case.delimiter
    ran = _python(lambda: shoal.anonymize(data, **given).write(folder / "python"))
    outcome.tried[f"Python, {_ENDS.get(ran.code, 'other')}"] += 1
    if ran.code == 0:
        checked = _python(lambda: shoal.verify(folder / "python"))
        outcome.ask("verify", checked.code == 0, checked.err)
    return ran


def _python(action: Callable[[], Any]) -> Ran:
    """Run an action of Python to an exit code."""
    try:
        action()
    except ShoalError as error:
        return Ran(error.exit_code, "", str(error))
    except Exception as error:
        return Ran(1, "", f"{type(error).__name__}: {error}")
    return Ran(0, "", "")


def _by_command(case: Case, folder: Path, draw: Random, outcome: Outcome) -> Ran:
    """Run the command line, within this process or, for some, as a program of its own; some keys become flags."""
    words = ["anonymize", str(folder / "job.toml"), "--out", str(folder / "command"), "--quiet"]
    if draw.random() < _OFTEN["flags"]:
        words += _as_flags(case, folder)
    apart = draw.random() < _OFTEN["process"]
    ran = _program(words) if apart else command_line(*words)
    outcome.tried[f"command line, {_ENDS.get(ran.code, 'other')}"] += 1
    outcome.tried["of these as a program of its own"] += apart
    outcome.ask("exit code", ran.code in (0, 2, 3, 4), f"{ran.code} {ran.err.strip()[-200:]}")
    outcome.ask("certified", ran.code != 4, "the search made a release that its own certificate refuses")
    return ran


def _program(words: list[str]) -> Ran:
    ran = subprocess.run([sys.executable, "-m", "shoal", *words], capture_output=True, text=True, check=False)
    return Ran(ran.returncode, ran.stdout, ran.stderr)


def _as_flags(case: Case, folder: Path) -> list[str]:
    """Take some keys out of the job file, and give them as flags."""
    job = json.loads(json.dumps(case.job))
    words: list[str] = []
    for section, keys in _FLAGS.items():
        for key in keys:
            if key in job[section]:
                words += [f"--{key.replace('_', '-')}", str(job[section].pop(key))]
    written = {**job, "input": {"path": "raw.csv", "delimiter": case.delimiter, **job["input"]}}
    (folder / "job.toml").write_text(tomli_w.dumps(written), encoding="utf-8")
    return words


def _messages(case: Case, ran: Ran, outcome: Outcome) -> None:
    """No message holds a text of an identifier or a value of the table; none shows how the program failed."""
    said = ran.out + ran.err
    asked = json.dumps([case.promises, case.search("measure")], ensure_ascii=False)
    leaked = sum(word in said for word in (*case.canaries, *(mark for mark in case.marks if mark not in asked)))
    outcome.ask("messages", not leaked, f"{leaked} values of the table in what was said")
    outcome.ask("traceback", "Traceback" not in said and ran.code != 1, said.strip()[-300:])


def _judged(case: Case, folder: Path, draw: Random, outcome: Outcome) -> None:
    """Judge the release of the command line; verify it, tampered with and as others get it; try another format."""
    out = folder / "command"
    verdict = judge(case, out)
    outcome.judged += verdict.judged
    outcome.not_judged += verdict.not_judged
    outcome.wrong += verdict.wrong
    ran = command_line("verify", out)
    outcome.ask("verify", ran.code == 0, ran.err)
    _messages(case, ran, outcome)
    if draw.random() < _OFTEN["public"]:
        got = shutil.copytree(out / "public", folder / "got")
        outcome.ask("verify by receivers", command_line("verify", got).code == 0, "does not verify")
    if draw.random() < _OFTEN["flip"]:
        _flip(out, draw, outcome)
    if draw.random() < _OFTEN["format"]:
        _other_format(case, folder, draw, outcome)


def _flip(out: Path, draw: Random, outcome: Outcome) -> None:
    """Change one byte of what is bound by digests, for as long as it takes to see that verify sees it.

    That is every file of the folder if there is a manifest, and else a table.
    """
    bound = (out / "private/manifest.json").is_file()
    path = draw.choice([one for one in sorted(out.rglob("*")) if one.is_file() and (bound or one.suffix == ".csv")])
    before = path.read_bytes()
    place = draw.randrange(len(before))
    changed = before[place] ^ draw.randrange(1, 256)
    path.write_bytes(before[:place] + bytes([changed]) + before[place + 1 :])
    code = command_line("verify", out).code
    path.write_bytes(before)
    outcome.ask("a changed byte", code == 4, f"byte {place} of {path.name}: exit code {code}")


def _alike(folder: Path, outcome: Outcome) -> None:
    """Both ways give the same tables, byte by byte, and the same certificate but for the time that it took."""
    for name in ("data.csv", "clusters.csv"):
        paths = [folder / way / "public" / name for way in ("python", "command")]
        contents = [path.read_bytes() if path.is_file() else None for path in paths]
        outcome.ask("same bytes", contents[0] == contents[1], f"{name} differs between Python and the command line")
    told = [json.loads((folder / way / "private/certificate.json").read_bytes()) for way in ("python", "command")]
    for one in told:
        for part in (one["algorithm"], one.get("told", {})):
            part.pop("seconds", None)
        one.pop("seal", None)
    different = [key for key in told[0] if told[0][key] != told[1].get(key)]
    outcome.ask("same certificate", not different, f"differs in {different}")


def _other_format(case: Case, folder: Path, draw: Random, outcome: Outcome) -> None:
    """Release the same in another format: its rows are those of the csv file."""
    name = draw.choice([member.name for member in FORMATS if member.writes and member.name != "csv"])
    out = folder / name
    ran = command_line("anonymize", folder / "job.toml", "--out", out, "--quiet", "--format", name, *_repeated(case))
    outcome.tried[f"format {name}, {_ENDS.get(ran.code, 'other')}"] += 1
    outcome.ask("exit code", ran.code in (0, 2), f"{name}: {ran.code} {ran.err.strip()[-200:]}")
    _messages(case, ran, outcome)
    if ran.code != 0 or case.search("time_limit") is not None:
        return
    outcome.ask("verify", command_line("verify", out).code == 0, f"{name} does not verify")
    for table in ("data", "clusters"):
        path, plain = out / f"public/{table}.{name}", folder / f"command/public/{table}.csv"
        if plain.is_file():
            header, rows = _read(path)
            with plain.open(encoding="utf-8", newline="") as file:
                expected = [row or [""] for row in csv.reader(file, delimiter=case.delimiter)]
            same = header == expected[0] and len(rows) == len(expected) - 1
            pairs = [pair for both in zip(rows, expected[1:], strict=False) for pair in zip(*both, strict=True)]
            same &= all(_means(*pair, padded=name == "sav") for pair in pairs)
            outcome.ask("same rows", same, f"{table} in {name} has other rows than in csv")


def _repeated(case: Case) -> list[str]:
    """Return the flags again that a job file may lack."""
    words: list[str] = []
    for section, keys in _FLAGS.items():
        for key in keys:
            if key in case.job[section]:
                words += [f"--{key.replace('_', '-')}", str(case.job[section][key])]
    return words


def _read(path: Path) -> tuple[list[str], list[list[Any]]]:
    """Read a table of another format, by readers that are not shoal's."""
    if path.suffix == ".parquet":
        frame = pl.read_parquet(path)
        return frame.columns, [list(row) for row in frame.rows()]
    if path.suffix == ".xlsx":
        import openpyxl

        book = openpyxl.load_workbook(path, read_only=True)
        found = [list(row) for row in book.worksheets[0].values]
        book.close()
        return [str(name) for name in found[0]], found[1:]
    import pyreadstat

    reader = pyreadstat.read_sav if path.suffix == ".sav" else pyreadstat.read_dta
    columns, _ = reader(path, output_format="dict")
    return list(columns), [list(row) for row in zip(*columns.values(), strict=True)]


def _unpadded(text: str) -> str:
    """Return the values that a cluster lists, or how often it has each, without blanks at their ends."""
    try:
        listed = json.loads(text)
    except ValueError:
        return text
    if isinstance(listed, dict):
        counts: dict[str, int] = {}
        for value, count in listed.items():
            counts[value.rstrip(" ")] = counts.get(value.rstrip(" "), 0) + count
        return json.dumps(counts, ensure_ascii=False)
    if isinstance(listed, list):
        return json.dumps(
            [*dict.fromkeys(value.rstrip(" ") if isinstance(value, str) else value for value in listed)],
            ensure_ascii=False,
        )
    return text


def _means(cell: Any, text: str, *, padded: bool) -> bool:
    """Tell whether a cell of another format is the same value: a number that was written plainly, a day, a text.

    SPSS fills texts with blanks, and drops those at the end; so the values that a cluster lists, and the elements of a
    set, have none there either.
    """
    if cell is None or isinstance(cell, str):
        kept = (text.rstrip(" "), _unpadded(text), _BLANKS.sub("", text)) if padded else ()
        return (cell or "") in (text, *kept)
    if isinstance(cell, bool):  # a workbook has cells that are true or false
        return text == str(cell).lower()
    if isinstance(cell, date):
        return text != "" and datetime.fromisoformat(text) == datetime.fromisoformat(str(cell))
    if isinstance(cell, int | float) and math.isnan(cell):
        return text == ""
    plain = re.fullmatch(r"[+-]?(0|[1-9]\d*)(\.\d+)?", text)
    return plain is not None and float(text) == float(cell)
