"""The verdict on one release: every sentence of its certificate, and every record of its file, put to the test."""

import json
import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

from tests.soak.judge.cells import Covers, covering, levels_of
from tests.soak.judge.evidence import Case, Released, multiset, read_release
from tests.soak.judge.lattice import best_known, priced
from tests.soak.judge.matching import unmatched
from tests.soak.judge.persons import INFINITE, NotJudgedError, Reached, Record
from tests.soak.judge.promises import classes_of, judged

PUBLIC = ("certificate-public.json", "report-public.html")
_NEAR = 1e-9  # of losses, and of what has a logarithm: these are floats, and decide nothing


@dataclass
class Verdict:
    """What is wrong, and how often each kind of question was answered or could not be."""

    wrong: list[str] = field(default_factory=list)
    judged: Counter[str] = field(default_factory=Counter)
    not_judged: Counter[str] = field(default_factory=Counter)

    def ask(self, kind: str, fine: bool, words: str) -> None:
        """Note that a question was answered, and what is wrong if it was answered badly."""
        self.judged[kind] += 1
        if not fine:
            self.wrong.append(f"{kind}: {words}")


def judge(case: Case, folder: Path) -> Verdict:
    """Judge the folder of a release of a case, in csv."""
    verdict, released = Verdict(), read_release(folder, case.delimiter, escaped=bool(case.release("escape_formulas")))
    _columns(case, released, verdict)
    _secrets(case, folder, verdict)
    if released.header:
        records = released.records()
        classes = classes_of(records, case.quasi, wildcard=case.missing == "wildcard")
        _promises(case, released.certificate["claims"], classes, records, verdict)
        _counts(case, released, verdict)
        _origin(case, records, released.certificate, verdict)
    if released.clusters_header:
        _clusters(case, released, verdict)
    _losses(case, released, verdict)
    return verdict


def _columns(case: Case, released: Released, verdict: Verdict) -> None:
    allowed = case.names("quasi", "sensitive", "insensitive", "entity")
    if released.header:
        verdict.ask("columns", sorted(released.header) == sorted(allowed), "the file has other columns than asked for")
    if released.clusters_header:
        own = [name for name in released.clusters_header if name not in case.names("quasi", "sensitive")]
        numbers = {"records", "radius", "cluster_records", "cluster_radius"}
        verdict.ask("columns", set(own) <= numbers and len(own) == 2, "the table of clusters has other columns")


def _secrets(case: Case, folder: Path, verdict: Verdict) -> None:
    """No file holds a text of an identifier; none to be passed on holds a value that the data do not show."""
    files = {path.name: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}
    for name, content in files.items():
        found = sum(canary.encode() in content for canary in case.canaries)
        verdict.ask("canaries", not found, f"{name} holds {found} texts of identifiers")
    shown = b"\n".join(content for name, content in files.items() if name.startswith(("data.", "clusters.")))
    hidden = [mark.encode() for mark in case.marks if mark.encode() not in shown]
    for name in PUBLIC:
        found = sum(mark in files.get(name, b"") for mark in hidden)
        verdict.ask("values that did not leave", not found, f"{name} holds {found} values that the data do not show")


def _ways(case: Case) -> dict[str, Callable[[list[str]], Any]]:
    recipes = {name: case.job["columns"][name].get("hierarchy") for name in case.sensitive}
    return {
        name: partial(levels_of, recipe, files=case.files) for name, recipe in recipes.items() if recipe is not None
    }


def _promises(
    case: Case,
    claims: list[dict[str, Any]],
    classes: Sequence[Sequence[Record]],
    whole: Sequence[Record],
    verdict: Verdict,
) -> None:
    verdict.ask("claims", len(claims) == len(case.promises), "there are not as many claims as promises")
    for promise, claim in zip(case.promises, claims, strict=False):
        model = promise["model"]
        try:
            asked = case.asked(promise)
            kept, reached = judged(asked, classes, whole, case.sensitive, _ways(case), case.files, case.records())
        except NotJudgedError as reason:
            verdict.not_judged[str(reason)] += 1
            continue
        verdict.ask(f"promise {model}", kept, "the released file does not keep it")
        verdict.ask("claim named", claim["model"] == model and claim["holds"] is True, f"of {model}")
        verdict.ask(f"achieved {model}", _same(reached, claim["achieved"]), f"is not {claim['achieved']}")


def _same(reached: Reached, stated: Any) -> bool:
    """Compare what is reached with what is stated: fractions as floats that were rounded once."""
    given = stated if isinstance(stated, dict) else dict.fromkeys(reached, stated)
    return given.keys() == reached.keys() and all(_equal(one, given[name]) for name, one in reached.items())


def _equal(own: Fraction | float | str, stated: Any) -> bool:
    if own == INFINITE or stated == INFINITE:
        return own == stated
    if isinstance(own, Fraction):
        return float(own) == stated
    return math.isclose(float(own), stated, rel_tol=_NEAR, abs_tol=_NEAR)


def _counts(case: Case, released: Released, verdict: Verdict) -> None:
    """Count records and classes: those of the file are what its reader sees, stars included."""
    stated, rows = released.certificate["records"], len(released.rows)
    quasi = [released.header.index(name) for name in case.quasi]
    sizes = Counter(tuple(row[place] for place in quasi) for row in released.rows)
    verdict.ask("records input", stated["input"] == len(case.rows), "is not the number of raw records")
    total = stated["released"] + stated["suppressed"]
    verdict.ask("records sum", total == stated["input"], "released and suppressed are not the input")
    starred = case.release("suppressed") == "star" and "clusters" not in released.certificate
    dropped = released.certificate["missing"]["dropped"]
    expected = stated["input"] - dropped if starred else stated["released"]
    verdict.ask("records of the file", rows == expected == released.certificate["file"]["records"], f"{rows} rows")
    verdict.ask(
        "records dropped", dropped == len(case.rows) - len(case.records()), "for missing values: another number"
    )
    limit = Fraction(str(case.search("max_suppressed", 0))) * (stated["input"] - dropped)
    verdict.ask("limit of suppression", stated["suppressed"] - dropped <= limit, "more were suppressed than allowed")
    found = {"count": len(sizes), "smallest": min(sizes.values(), default=0), "largest": max(sizes.values(), default=0)}
    told = released.certificate["classes"]
    verdict.ask("classes", all(told[key] == number for key, number in found.items()), f"{told} is not {found}")
    average = rows / len(sizes) if sizes else 0
    verdict.ask("classes average", math.isclose(told["average"] or 0, average, rel_tol=0.01), "is another number")
    if starred:
        stars = sizes[("*",) * len(quasi)]
        verdict.ask("stars", stars >= stated["suppressed"] - dropped, "fewer rows of stars than suppressed records")
    if case.entity is not None:
        _entities(case, released.records(), verdict)


def _entities(case: Case, records: Sequence[Record], verdict: Verdict) -> None:
    """Persons are numbered 1, 2, 3, ... in each class."""
    for one in classes_of(records, case.quasi, wildcard=False):
        found = {record[case.entity] for record in one if case.entity}
        verdict.ask("entities", found == {str(i + 1) for i in range(len(found))}, "are not numbered in each class")


def _covers(case: Case, values: Mapping[str, list[str]]) -> Callable[[tuple[str, ...], tuple[str, ...]], bool]:
    ways: list[Covers] = [
        covering(case.job["columns"][name].get("hierarchy"), values[name], case.files) for name in case.quasi
    ]
    return lambda cells, raw: all(way(cell, one) for way, cell, one in zip(ways, cells, raw, strict=True))


def _origin(case: Case, records: Sequence[Record], certificate: Mapping[str, Any], verdict: Verdict) -> None:
    """Match each released record with a raw one: the same open values, and quasi values that its cells cover."""
    raw, open_names = case.records(), case.names("sensitive", "insensitive")

    def part(record: Record, names: list[str]) -> tuple[str, ...]:
        return tuple(record[name] for name in names)

    covers = _covers(case, {name: [record[name] for record in raw] for name in case.quasi})
    if "clusters" in certificate:
        covers = lambda *_: True  # noqa: E731  (a centre is no cell)
        verdict.not_judged["how far centres are"] += 1
    pairs = [[(part(one, case.quasi), part(one, open_names)) for one in table] for table in (raw, records)]
    missed = unmatched(pairs[0], pairs[1], covers)
    verdict.ask("origin", missed == 0, f"{missed} released records have no raw record behind them")
    if case.release("order") == "input":
        fine = _in_order(pairs[0], pairs[1], covers)
        verdict.ask("order", fine, "the records do not stand in the order of the input")


def _in_order(raw: list[Any], released: list[Any], covers: Callable[..., bool]) -> bool:
    """Tell whether the released records are some of the raw ones, in their order: the first that fits is taken."""
    left: Iterator[Any] = iter(raw)
    return all(any(one[1] == other[1] and covers(one[0], other[0]) for other in left) for one in released)


def _clusters(case: Case, released: Released, verdict: Verdict) -> None:
    """Judge the table of clusters row by row; each multiset must be a part of the raw values."""
    size = next(name for name in released.clusters_header if name in ("records", "cluster_records"))
    rows = [dict(zip(released.clusters_header, row, strict=True)) for row in released.clusters]
    stated = released.certificate["clusters"]
    sizes = [int(row[size]) for row in rows]
    found = {"count": len(rows), "smallest": min(sizes, default=0), "largest": max(sizes, default=0)}
    verdict.ask("clusters", all(stated[key] == one for key, one in found.items()), f"is not {found}")
    if not released.header:
        released_records = released.certificate["records"]["released"]
        verdict.ask("records of the clusters", sum(sizes) == released_records, f"{sum(sizes)} in all")
    for name in case.sensitive:
        _cluster_values(case, name, [(row[name], number) for row, number in zip(rows, sizes, strict=True)], verdict)
    if released.header:
        centres: Counter[tuple[str, ...]] = Counter()
        for row, number in zip(rows, sizes, strict=True):
            centres[tuple(row[name] for name in case.quasi)] += number
        seen = Counter(tuple(record[name] for name in case.quasi) for record in released.records())
        verdict.ask("both tables", centres == seen, "the centres of the records and of the clusters differ")
    claims = stated.get("claims") or []
    promises = {one["model"]: one for one in case.promises if one.get("others") != "known"}
    for claim in claims:
        _cluster_claim(case, claim, promises, rows, sizes, verdict)


def _cluster_values(case: Case, name: str, cells: list[tuple[str, int]], verdict: Verdict) -> None:
    raw = Counter(record[name] for record in case.records())
    together: Counter[str] = Counter()
    for cell, number in cells:
        counts = multiset(cell)
        if counts is None:
            values = {"" if value is None else value for value in json.loads(cell)}
            verdict.ask("values of clusters", values <= raw.keys() and len(values) <= number, f"of {name!r}")
        else:
            verdict.ask("values of clusters", counts.total() == number, "are not as many as the records")
            together += counts
    verdict.ask("values of clusters", together <= raw, "are not among the raw ones")


def _cluster_claim(
    case: Case,
    claim: Mapping[str, Any],
    promises: Mapping[str, dict[str, Any]],
    rows: list[dict[str, str]],
    sizes: list[int],
    verdict: Verdict,
) -> None:
    """Put a promise to the rows of the table of clusters, each as a class."""
    same = [one for one in case.promises if one["model"] == claim["model"]]
    promise = promises.get(claim["model"])
    if promise is None or len(same) > 1:
        verdict.not_judged["a claim of clusters"] += 1
        return
    column = promise.get("column")
    classes: list[list[Record]] = []
    for row, number in zip(rows, sizes, strict=True):
        values = [""] * number
        if column is not None:
            counts = multiset(row[column])
            values = list(json.loads(row[column])) if counts is None else list(counts.elements())
        classes.append([{str(column): value or ""} for value in values])
    if column is not None and claim["model"] == "p-sensitive-k-anonymity":
        verdict.not_judged["a claim of clusters"] += 1
        return
    whole = [record for one in classes for record in one]
    try:
        kept, reached = judged(case.asked(promise), classes, whole, case.sensitive, _ways(case), case.files)
    except NotJudgedError as reason:
        verdict.not_judged[str(reason)] += 1
        return
    verdict.ask(f"promise {claim['model']} of clusters", kept, "the table of clusters does not keep it")
    verdict.ask(f"achieved {claim['model']} of clusters", _same(reached, claim["achieved"]), "is another")


def _losses(case: Case, released: Released, verdict: Verdict) -> None:
    """No loss is below its bound; loss and optimum are worked out again where the judge knows the prices."""
    loss, algorithm = released.certificate["loss"], released.certificate["algorithm"]
    if loss["bound"] is not None:
        slack = _NEAR * max(1.0, abs(loss["total"]))
        verdict.ask("bound", loss["total"] >= loss["bound"] - slack, f"{loss['total']} is below {loss['bound']}")
    else:
        verdict.not_judged["a release without a bound"] += 1
    if algorithm["recoding"] != "full-domain" or not released.header:
        return
    own = priced(case, released)
    if own is None:
        verdict.not_judged[f"loss {loss['measure']}"] += 1
        return
    verdict.ask(f"loss {loss['measure']}", math.isclose(own, loss["total"], rel_tol=_NEAR, abs_tol=_NEAR), f"{own}")
    if algorithm["guarantee"] != "optimal":
        return
    best = best_known(case, algorithm["name"])
    if best is None:
        verdict.not_judged["an optimum"] += 1
        return
    least = best.loss
    words = f"{loss['total']} is stated, {least} is possible"
    verdict.ask(
        "optimum", least is not None and math.isclose(least, loss["total"], rel_tol=_NEAR, abs_tol=_NEAR), words
    )
