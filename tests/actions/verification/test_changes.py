"""Changes of a release: of figures, sealed and listed anew, with the raw table; of bytes, without it. All are seen."""

import shutil
from collections.abc import Callable, Iterator
from copy import deepcopy
from pathlib import Path
from random import Random
from typing import Any

import pytest

import shoal
from shoal.certificate import CERTIFICATE
from tests.actions.verification.test_raw_table import INTERVALS, ROLES, people
from tests.forging import put, stated

DEEP = pytest.param(10_000, marks=pytest.mark.deep)
NOT_DERIVED = (("shoal",), ("told",), ("rules", "sha256"))  # what `verify --raw --bound` says was told, not derived
KINDS: dict[str, dict[str, Any]] = {
    "full-domain": {"algorithm": "incognito", "max_suppressed": 0.3, "missing": "drop"},
    "single-dimensional": {
        "algorithm": "k-optimize",
        "measure": "discernibility",
        "quasi": ["age", "sex"],
        "drop": ["job"],
    },
    "local": {"algorithm": "tightest", "max_suppressed": 0.3, "suppressed": "star", "measure": "entropy"},
    "clusters": {"algorithm": "r-gather"},
    "cellular": {"algorithm": {"name": "cellular", "setup": 0.1}, "shape": "clusters"},
}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a release of each kind, beside the raw tables."""
    folder = tmp_path_factory.mktemp("made")
    people(40).write_csv(folder / "raw.csv")
    people(40, seed=2).write_csv(folder / "next.csv")
    for kind, asked in KINDS.items():
        more = {**ROLES, "k": 2, "seed": 1, **asked}
        shoal.anonymize(folder / "raw.csv", **more).write(folder / kind)
    rules = shoal.anonymize(
        folder / "raw.csv", **{**ROLES, "quasi": {"age": INTERVALS, "sex": None, "job": None}}, k=2, algorithm="optimal"
    )
    shoal.apply(rules, folder / "next.csv", failing="suppress", max_suppressed=0.9).write(folder / "applied")
    return folder


def leaves(part: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Go through the places of a certificate that may be changed."""
    if at in NOT_DERIVED:
        return
    if at:
        yield at
    for key in part if isinstance(part, dict) else range(len(part)) if isinstance(part, list) else ():
        yield from leaves(part[key], (*at, key))


def another(value: Any, draw: Random) -> Any:
    """Return another value of the same kind."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + draw.choice([-1, 1, 10, -value, value])
    if isinstance(value, float):
        return value * (1 + draw.choice([-1, 1]) * 10 ** -draw.uniform(0, 6)) + (value == 0) * 0.5
    if isinstance(value, str):
        words = (
            "category",
            "wildcard",
            "none",
            "optimal",
            "lm",
            "sse",
            "0" * 64,
            "number",
            "any",
            value[:-1],
            value + "x",
        )
        return draw.choice([word for word in words if word != value])
    if isinstance(value, list):
        return value[:-1] if value else ["age"]
    if isinstance(value, dict):
        gone = draw.choice([*value, None])
        return {**value, "x": 1} if gone is None else {key: one for key, one in value.items() if key != gone}
    return draw.choice([0, 1.0, 2.0])


def scaled(told: dict[str, Any], factor: float) -> None:
    """Change the loss with all that follows from it."""
    loss, clusters = told["loss"], told.get("clusters")
    for key in ("total", "share", "bound"):
        loss[key] = (
            None if loss[key] is None else min(loss[key] * factor, 1.0) if key == "share" else loss[key] * factor
        )
    loss["columns"] = {name: lost * factor for name, lost in loss["columns"].items()}
    if clusters is not None:
        clusters["bound"] = loss["bound"]
        clusters["objectives"] = {name: cost * factor for name, cost in clusters["objectives"].items()}


def bounded(told: dict[str, Any], factor: float) -> None:
    """Change the bound with all that follows from it."""
    loss = told["loss"]
    loss["bound"] = loss["total"] * factor
    loss["ratio"] = 1.0 if loss["total"] == 0 else 1 / factor
    if "clusters" in told:
        told["clusters"]["bound"] = loss["bound"]


def counted(told: dict[str, Any], factor: float) -> None:
    """Change the number of suppressed records with all that follows from it."""
    more = 1 + int(10 * factor)
    told["records"] |= {key: told["records"][key] + more for key in ("input", "suppressed")}
    if "rules" in told:
        told["rules"]["outside"] += more


TOGETHER: tuple[Callable[[dict[str, Any], float], None], ...] = (scaled, bounded, counted)


def changed(content: dict[str, Any], draw: Random) -> tuple[str, dict[str, Any]]:
    """Return a certificate in which one figure is another, or several that then agree, and what was changed."""
    told = deepcopy(content)
    if draw.random() < 0.25:
        change = draw.choice(TOGETHER)
        change(told, draw.uniform(0.1, 0.99))
        return change.__name__, told
    *way, last = draw.choice(list(leaves(told)))
    part: Any = told
    for key in way:
        part = part[key]
    part[last] = another(part[last], draw)
    return ".".join(map(str, (*way, last))), told


@pytest.mark.parametrize("changes", [30, DEEP])
def test_no_figure_changes_unseen_beside_the_raw_table(made: Path, changes: int, tmp_path: Path) -> None:
    draw, unseen, tried = Random(7), [], 0  # noqa: S311
    kinds = [*KINDS, "applied"]
    folders = {kind: Path(shutil.copytree(made / kind, tmp_path / "made" / kind)) for kind in kinds}
    for name in ("raw.csv", "next.csv"):
        shutil.copy(made / name, tmp_path / "made")
    whole = {kind: stated(folder / "private" / CERTIFICATE) for kind, folder in folders.items()}
    for kind in kinds:
        assert set(shoal.verify(folders[kind], raw=True, bound=True).told) <= {"shoal", "told", "rules.sha256"}
    while tried < changes:
        kind = kinds[tried % len(kinds)]
        what, told = changed(whole[kind], draw)
        if told == whole[kind]:
            continue
        tried += 1
        put(folders[kind] / "private" / CERTIFICATE, told)
        try:
            shoal.verify(folders[kind], raw=True, bound=True)
        except shoal.ShoalError:
            continue
        unseen.append((kind, what))
    assert unseen == []


def bent(text: bytes, draw: Random) -> bytes:
    """Return other bytes: one of them changed, gone, doubled or swapped with the next, or the end cut off."""
    place = draw.randrange(len(text))
    how = draw.randrange(5)
    if how == 0:
        return text[:place] + text[place + 1 :]
    if how == 1:
        return text[:place] + text[place : place + 1] + text[place:]
    if how == 2:
        return text[:place] + text[place + 1 : place + 2] + text[place : place + 1] + text[place + 2 :]
    if how == 3:
        return text[:place]
    return text[:place] + bytes([text[place] ^ draw.randrange(1, 256)]) + text[place + 1 :]


@pytest.mark.parametrize("changes", [300, DEEP])
def test_no_byte_changes_unseen(made: Path, changes: int, tmp_path: Path) -> None:
    """In all files of a release, with the steward and with those who got it; the raw table is not at hand."""
    draw, unseen, tried = Random(8), [], 0  # noqa: S311
    folders = []
    for kind in (*KINDS, "applied"):
        folders.append(Path(shutil.copytree(made / kind, tmp_path / "kept" / kind)))
        got = tmp_path / "got" / kind
        folders.append(Path(shutil.copytree(folders[-1] / "public", got)))
    assert all(shoal.verify(folder).others == () for folder in folders)
    files = [(folder, path) for folder in folders for path in sorted(folder.rglob("*")) if path.is_file()]
    while tried < changes:
        folder, path = files[tried % len(files)]
        whole = path.read_bytes()
        text = bent(whole, draw)
        if text == whole:
            continue
        tried += 1
        path.write_bytes(text)
        try:
            shoal.verify(folder)
        except shoal.CertificateError:
            continue
        finally:
            path.write_bytes(whole)
        unseen.append((folder.name, path.name))
    assert unseen == []
