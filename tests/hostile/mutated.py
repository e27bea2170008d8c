"""Cases by chance: seeded changes of valid tables, jobs, rules, certificates and workbooks."""

import hashlib
import json
import random
import tomllib
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import tomli_w

from shoal.certificate import sealed, text_of
from tests.forging import file_in
from tests.hostile.case import ANY, Case
from tests.hostile.material import material

HOSTILE: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 2**31, 2**63 - 1, -(2**63), 10**400, 1.5, -0.0, 1e308, float("inf"), float("nan"),
    "", " ", "\0", "*", "1e-999999999", "1e999999999", "1/0", "../../etc/passwd", "/dev/zero", "sqlite:////dev/zero",
    "a" * 70_000, "\u202e", "=1+1", "[]", [], {}, [[]], [None], {"": None}, {"name": "auto"}, [1, "a", None],
    [[[[[[[[[[]]]]]]]]]], list(range(1_000)), "k-anonymity", "csv", "2000-01-01", "99999-99-99",
)  # fmt: skip
N = 1  # multiplies how many of each kind there are

Draw = random.Random


def mutated() -> Iterator[Case]:
    """Return all of them."""
    for seed in range(90 * N):
        yield Case("job", f"mutated {seed}", _job(seed), ANY)
    for seed in range(70 * N):
        yield Case("rules", f"mutated {seed}", _rules(seed), ANY)
    for file in ("certificate.json", "certificate-public.json"):
        for seed in range(60 * N):
            yield Case("certificate", f"mutated {file} {seed}", _certificate(seed, file), ANY)
    for seed in range(40 * N):
        yield Case("release", f"mutated data {seed}", _data(seed), ANY)
    for ending, count in {
        "csv": 40, "parquet": 50, "xlsx": 30, "sav": 25, "zsav": 15, "dta": 25, "xpt": 15, "sas7bdat": 20, "db": 30,
    }.items():  # fmt: skip
        for seed in range(count * N):
            yield Case("table", f"mutated {ending} {seed}", _bytes(seed, ending), ANY)
    for seed in range(40 * N):
        yield Case("workbook", f"mutated part {seed}", _part(seed), ANY)


def changed(content: Any, draw: Draw) -> Any:
    """Return a tree of tables and lists with one to three of its places changed."""
    for _ in range(draw.choice((1, 1, 1, 2, 3))):
        content = _with_one_change(content, draw)
    return content


def _with_one_change(content: Any, draw: Draw) -> Any:
    places = list(_places(content, ()))
    place = draw.choice(places)
    deed = draw.choice(("replace", "replace", "replace", "remove", "add", "swap"))
    other = draw.choice(places)
    return _at(content, place, lambda at, key: _done(at, key, deed, draw, content, other))


def _places(content: Any, path: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
    keys: list[Any] = list(content) if isinstance(content, dict) else list(range(min(len(content), 20)))
    for key in keys:
        yield (*path, key)
        if isinstance(content[key], dict | list):
            yield from _places(content[key], (*path, key))


def _at(content: Any, place: tuple[Any, ...], deed: Callable[[Any, Any], None]) -> Any:
    copy = json.loads(json.dumps(content))
    at = copy
    for key in place[:-1]:
        at = at[key]
    deed(at, place[-1])
    return copy


def _done(at: Any, key: Any, deed: str, draw: Draw, whole: Any, other: tuple[Any, ...]) -> None:
    if deed == "remove":
        del at[key]
    elif deed == "add" and isinstance(at, dict):
        at[draw.choice(("extra", "", "k", "\0"))] = draw.choice(HOSTILE)
    elif deed == "add":
        at.append(draw.choice(HOSTILE))
    elif deed == "swap":
        for part in other:
            whole = whole[part]
        at[key] = whole
    else:
        at[key] = draw.choice(HOSTILE)


def flipped(raw: bytes, draw: Draw) -> bytes:
    """Return bytes of which some are changed, cut off, doubled or put in."""
    made = bytearray(raw)
    for _ in range(draw.choice((1, 1, 2, 5, 20))):
        at = draw.randrange(len(made))
        deed = draw.choice(("flip", "flip", "set", "cut", "double", "put"))
        if deed == "flip":
            made[at] ^= 1 << draw.randrange(8)
        elif deed == "set":
            size = draw.choice((1, 2, 4, 8))
            made[at : at + size] = draw.choice((b"\0", b"\xff", b"\x7f")) * size
        elif deed == "cut":
            del made[at : at + draw.choice((1, 8, len(made)))]
        elif deed == "double":
            made[at:at] = made[at : at + draw.choice((1, 64, 4_096))]
        else:
            made[at:at] = draw.choice(
                (b"\0", b'"', b"\n", b"\r", b"\xff\xfe", b"9" * 400, b"<", b"\x80\x80\x80\x80\x7f")
            )
        if not made:
            return bytes(made)
    return bytes(made)


def _plain(value: Any) -> Any:
    """Return what TOML can say: no nulls, and whole numbers of 64 bits."""
    if isinstance(value, dict):
        return {key: _plain(one) for key, one in value.items() if one is not None}
    if isinstance(value, list):
        return [_plain(one) for one in value if one is not None]
    return value


def _job(seed: int) -> Callable[[Path], list[str]]:
    def make(folder: Path) -> list[str]:
        draw = random.Random(seed)  # noqa: S311
        material().copied(folder, "data.csv", "disease.csv", "job.toml")
        path = folder / "job.toml"
        if seed % 3 == 0:
            path.write_bytes(flipped(path.read_bytes(), draw))
        else:
            content = changed(tomllib.loads(path.read_text(encoding="utf-8")), draw)
            path.write_text(tomli_w.dumps(_plain(content)), encoding="utf-8", errors="surrogatepass")
        verb = draw.choice(
            (["anonymize"], ["anonymize"], ["minimal"], ["frontier", "--k", "2,3"], ["risk"], ["compare", "--k", "2,3"])
        )
        out = ["--out", str(folder / "out")] if verb == ["anonymize"] else []
        return [verb[0], str(path), *verb[1:], *out]

    return make


def _rules(seed: int) -> Callable[[Path], list[str]]:
    def make(folder: Path) -> list[str]:
        draw = random.Random(seed)  # noqa: S311
        name = draw.choice(("release", "domain", "clusters"))
        material().copied(folder, name, "data.csv", "disease.csv")
        path = folder / name / "private/rules.json"
        content = json.loads(path.read_bytes())
        raw = flipped(path.read_bytes(), draw) if seed % 4 == 0 else json.dumps(changed(content, draw)).encode()
        path.write_bytes(raw)
        return [
            "apply",
            str(folder / name),
            str(folder / "data.csv"),
            "--changed",
            "allow",
            "--out",
            str(folder / "out"),
        ]

    return make


def _certificate(seed: int, file: str) -> Callable[[Path], list[str]]:
    """Change a certificate and seal it again, so that what is behind the seal is reached."""

    def make(folder: Path) -> list[str]:
        draw = random.Random(seed)  # noqa: S311
        name = draw.choice(("release", "domain", "clusters"))
        material().copied(folder, name, "data.csv", "disease.csv")
        path = file_in(folder / name, file)
        content = {key: value for key, value in json.loads(path.read_bytes()).items() if key != "seal"}
        if seed % 10 == 0:
            path.write_bytes(flipped(path.read_bytes(), draw))
        else:
            path.write_bytes(text_of(sealed(changed(content, draw))))
        if file == "certificate-public.json" and seed % 4:
            for kept in ("job.toml", "certificate.json", "rules.json"):
                (folder / name / "private" / kept).unlink()
        verb = draw.choice(("verify", "verify", "verify", "attack", "risk"))
        return [verb, str(folder / name)]

    return make


def _data(seed: int) -> Callable[[Path], list[str]]:
    """Change the data of a release, and put their new digest into the certificate, which is sealed again."""

    def make(folder: Path) -> list[str]:
        draw = random.Random(seed)  # noqa: S311
        name = draw.choice(("release", "domain", "clusters"))
        material().copied(folder, name, "data.csv", "disease.csv")
        file = "clusters.csv" if name == "clusters" and seed % 2 else "data.csv"
        path = file_in(folder / name, file)
        before = hashlib.sha256(path.read_bytes()).hexdigest()
        path.write_bytes(flipped(path.read_bytes(), draw))
        after = hashlib.sha256(path.read_bytes()).hexdigest()
        for stated in ("certificate.json", "certificate-public.json"):
            text = file_in(folder / name, stated).read_text(encoding="utf-8").replace(before, after)
            content = {key: value for key, value in json.loads(text).items() if key != "seal"}
            file_in(folder / name, stated).write_bytes(text_of(sealed(content)))
        return [draw.choice(("verify", "verify", "attack", "risk")), str(folder / name)]

    return make


def _bytes(seed: int, ending: str) -> Callable[[Path], list[str]]:
    def make(folder: Path) -> list[str]:
        draw = random.Random(seed)  # noqa: S311
        material().copied(folder, f"data.{ending}")
        path = folder / f"data.{ending}"
        path.write_bytes(flipped(path.read_bytes(), draw))
        if ending == "db":
            return ["check", f"sqlite:///{path}", "--table", "people", "--quasi", "age"]
        quasi = "age" if ending != "sas7bdat" else "SEX"
        return [draw.choice(("check", "risk")), str(path), "--quasi", quasi]

    return make


def _part(seed: int) -> Callable[[Path], list[str]]:
    """Change one part of a workbook, which is packed again."""

    def make(folder: Path) -> list[str]:
        draw = random.Random(seed)  # noqa: S311
        with zipfile.ZipFile(material().folder / "data.xlsx") as valid:
            parts = {name: valid.read(name) for name in valid.namelist()}
        name = draw.choice(sorted(parts))
        parts[name] = flipped(parts[name], draw)
        with zipfile.ZipFile(folder / "data.xlsx", "w", zipfile.ZIP_DEFLATED) as packed:
            for part, content in parts.items():
                packed.writestr(part, content)
        return ["check", str(folder / "data.xlsx"), "--quasi", "age"]

    return make
