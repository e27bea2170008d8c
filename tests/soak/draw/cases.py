"""Random cases: a table with roles, and a job for it, drawn by a seed and a number."""

from random import Random
from typing import Any

from shoal.jobs.sections import ReleaseRequest
from shoal.measures import MEASURES
from shoal.models import MODELS
from shoal.search.algorithms import ALGORITHMS
from tests.soak.draw.columns import KINDS, NAMES, Drawn, column
from tests.soak.draw.fields import drawn_fields
from tests.soak.draw.recipes import recipe, tree_recipe
from tests.soak.judge.evidence import Case

NEVER = ("identifier", "omitted", "household")  # roles of columns that never leave
_SHARES = (0, 0, 0, 0.1, 0.2, 0.3, 0.5, "1/3")


def case(seed: int, number: int) -> Case:
    """Draw the case of this number: the same one whenever it is asked for."""
    draw = Random(f"{seed}:{number}")  # noqa: S311
    lattice = draw.random() < 0.2  # one that the judge can work out whole
    records = draw.randint(4, 12) if lattice else _records(draw)
    mark = f"Zq{draw.randrange(16**5):05x}"
    columns, files, header = _table(draw, records, mark)
    rows = [tuple(columns[name].values[i] for name in header) for i in range(records)]
    roles = {name: _role(name) for name in header}
    asked = {_plain(name): {"role": role} for name, role in roles.items()}
    plain = [_plain(name) for name in header]
    for name in header:
        _describe(draw, columns[name], _plain(name), asked, files, trees=lattice)
    job: dict[str, Any] = {"input": {}, "columns": asked, "require": [], "search": {}, "release": {}}
    _promises(draw, job, dict(zip(plain, columns.values(), strict=True)), rows, files)
    _settings(draw, job)
    if lattice:
        _as_lattice(draw, job)
    canaries = tuple(value for name in header if roles[name] in NEVER for value in columns[name].values)
    marks = tuple(
        sorted({v for one in columns.values() if one.kind == "word" for v in one.values if v.startswith(mark)})
    )
    return Case(tuple(plain), rows, job, files, canaries, marks, draw.choice(",,,;\t|"))


def _records(draw: Random) -> int:
    size = draw.random()
    if size < 0.72:
        return draw.randint(3, 14)
    if size < 0.97:
        return draw.randint(15, 60)
    return draw.randint(60, 300) if size < 0.997 else draw.randint(300, 2000)


def _role(name: str) -> str:
    return name.split(":", 1)[0]


def _plain(name: str) -> str:
    return name.split(":", 1)[1]


def _table(draw: Random, records: int, mark: str) -> tuple[dict[str, Drawn], dict[str, str], list[str]]:
    """Draw the columns, by names that begin with their role, in any order."""
    columns: dict[str, Drawn] = {}
    names = [f"{draw.choice(NAMES) if draw.random() < 0.4 else 'c'}{i}" for i in range(12)]
    if draw.random() < 0.05:
        names[0] = draw.choice(("records", "radius", "Records"))
    for _ in range(draw.choice((1, 1, 2, 2, 3))):
        columns[f"quasi:{names.pop()}"] = column(draw, draw.choice(KINDS), records, mark)
    for _ in range(draw.choice((0, 1, 1, 1, 2))):
        kind = draw.choice(("word", "word", "whole", "odd"))
        columns[f"sensitive:{names.pop()}"] = column(draw, kind, records, mark)
    if draw.random() < 0.3:
        columns[f"insensitive:{names.pop()}"] = column(draw, draw.choice(("word", "odd")), records, mark)
    if draw.random() < 0.8:
        values = [f"Canary{draw.randrange(16**8):08x}" for _ in range(records)]
        name = names.pop()
        columns[f"{NEVER[len(name) % 2]}:{name}"] = Drawn("identifier", values)
    if draw.random() < 0.1:
        persons = max(2, records // draw.choice((1, 2, 3)))
        columns[f"entity:{names.pop()}"] = Drawn("entity", [f"P{draw.randrange(persons)}" for _ in range(records)])
    elif draw.random() < 0.1:
        homes = max(2, records // draw.choice((1, 2)))
        canaries = [f"Canary{draw.randrange(16**8):08x}" for _ in range(homes)]
        columns[f"household:{names.pop()}"] = Drawn("household", [draw.choice(canaries) for _ in range(records)])
    header = list(columns)
    draw.shuffle(header)
    return {name: columns[name] for name in header}, {}, header


def _describe(
    draw: Random, drawn: Drawn, name: str, asked: dict[str, Any], files: dict[str, str], *, trees: bool
) -> None:
    place = f"h{len(files)}"
    if asked[name]["role"] == "quasi":
        values = sorted({value for value in drawn.values if value})
        made = tree_recipe(draw, values, place, files) if trees else recipe(draw, drawn, place, files)
        if made is not None:
            asked[name]["hierarchy"] = made
        if draw.random() < 0.15:
            asked[name]["weight"] = draw.choice((0.5, 2, 3))
    elif asked[name]["role"] == "sensitive" and draw.random() < 0.25:
        asked[name]["hierarchy"] = tree_recipe(draw, sorted({v for v in drawn.values if v}), place, files)


def _promises(
    draw: Random, job: dict[str, Any], columns: dict[str, Drawn], rows: list[tuple[str, ...]], files: dict[str, str]
) -> None:
    if draw.random() < 0.93:
        job["require"].append({"model": "k-anonymity", "k": draw.choice((1, 2, 2, 2, 3, 3, 4, 5))})
    sensitive = [name for name, one in job["columns"].items() if one["role"] == "sensitive"]
    wanted = draw.choice((0, 1, 1, 1, 2)) if job["require"] else 1
    for name in draw.sample(MODELS.names, min(wanted, len(MODELS.names))):
        member = MODELS[name]
        watched = draw.choice(sensitive) if sensitive else None
        given: dict[str, Any] = {
            "column": watched,
            "entity": None,
            "population": "population.csv",
            "distances": None,
            "others": "known" if draw.random() < 0.3 else None,
            "value": draw.choice(columns[watched].values) or None if watched else None,
        }
        if any(name == one["model"] for one in job["require"]):
            continue
        fields = drawn_fields(draw, member, given)
        if "column" in fields or watched is not None or not _needs_column(fields, member):
            _complete(draw, fields, columns, rows, files, list(job["columns"]))
            job["require"].append({"model": name, **fields})
    if not job["require"]:
        job["require"].append({"model": "k-anonymity", "k": 2})


def _needs_column(fields: dict[str, Any], member: type) -> bool:
    return "column" in getattr(member, "__dataclass_fields__", {}) and "column" not in fields


def _complete(
    draw: Random,
    fields: dict[str, Any],
    columns: dict[str, Drawn],
    rows: list[tuple[str, ...]],
    files: dict[str, str],
    header: list[str],
) -> None:
    """Write the files that a promise needs: distances along a line, or a population around the table."""
    if fields.get("distance") == "matrix":
        values = sorted(set(columns[fields["column"]].values))
        places = {value: place * draw.choice((1, 1, 2)) for place, value in enumerate(values)}
        lines = [",".join(_cell(one) for one in ["", *values])]
        for value in values:
            lines.append(",".join([_cell(value), *(str(abs(places[value] - places[other])) for other in values)]))
        files["distances.csv"] = "\n".join(lines) + "\n"
        fields["distances"] = "distances.csv"
    if "population" in fields:
        people = [row for row in rows for _ in range(draw.choice((1, 2, 3)))]
        lines = [",".join(_cell(cell) for cell in row) for row in [tuple(header), *people]]
        files["population.csv"] = "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    return '"' + text.replace('"', '""') + '"' if set(text) & set(',"\n\t;|') or not text else text


def _settings(draw: Random, job: dict[str, Any]) -> None:
    name = draw.choice([*ALGORITHMS.names, "auto"])
    member = None if name == "auto" else ALGORITHMS[name]
    fields = {} if member is None else drawn_fields(draw, member, {})
    search, release = job["search"], job["release"]
    search["algorithm"] = {"name": name, **fields} if fields else name
    search["seed"] = draw.randrange(100)
    clusters = member is not None and member.objective is not None
    if not clusters and draw.random() < 0.75:
        measure = draw.choice([*MEASURES.names, "lm", "stars", "stars"])
        sensitive = [one for one, asked in job["columns"].items() if asked["role"] == "sensitive"]
        given = {"column": draw.choice(sensitive) if sensitive else None}
        fields = drawn_fields(draw, MEASURES[measure], given, share=1.0)
        search["measure"] = {"name": measure, **fields} if fields else measure
    clusters = _fit(draw, job, clusters)
    search["max_suppressed"] = draw.choice(_SHARES)
    if draw.random() < 0.1:
        search["suppress"] = draw.choice(("records", "classes"))
    if draw.random() < 0.07:
        search["blind"] = True
    if draw.random() < 0.02:
        search["time_limit"] = 0.05
    if draw.random() < 0.4:
        job["input"]["missing"] = draw.choice(("wildcard", "drop", "category"))
    if draw.random() < 0.25 and not clusters:
        release["suppressed"] = "star"
    if draw.random() < 0.2:
        release["order"] = "input"
    if "escape_formulas" in ReleaseRequest.model_fields:
        release |= {"escape_formulas": True} if draw.random() < 0.1 else {}
    if clusters:
        _of_clusters(draw, job)


def _of_clusters(draw: Random, job: dict[str, Any]) -> None:
    release, search = job["release"], job["search"]
    shape = draw.choice(("both", "records", "clusters"))
    release |= {
        key: draw.choice(options)
        for key, options in (
            ("shape", (shape,)),
            ("radius", ("own", "largest")),
            ("values", ("multiset", "multiset", "set")),
        )
        if draw.random() < 0.5 and (key == "shape" or shape != "records" or draw.random() < 0.1)
    }
    if draw.random() < 0.3:
        search["metric"] = draw.choice(("l1", "l2"))


def _fit(draw: Random, job: dict[str, Any], clusters: bool) -> bool:
    """Leave out, most of the time, what is refused together, so that more is released; return if clusters are."""
    if draw.random() < 0.1:
        return clusters
    name = job["search"]["algorithm"]
    name = name if isinstance(name, str) else name["name"]
    member = None if name == "auto" else ALGORITHMS[name]
    alike = member is not None and not member.local and not member.alike and not clusters
    if any("population" in one for one in job["require"]) and member is not None and not alike:
        job["search"]["algorithm"] = draw.choice(("optimal", "exhaustive", "incognito", "auto"))
        job["search"].pop("measure", None)
        clusters = False
    if clusters:
        for asked in job["columns"].values():
            if asked["role"] == "entity":
                asked["role"] = "insensitive"
    return clusters


def _as_lattice(draw: Random, job: dict[str, Any]) -> None:
    """Ask for a full-domain release by a measure that the judge knows, of classes that it can try one by one."""
    full = [name for name in ALGORITHMS.names if not (one := ALGORITHMS[name]).local and not one.alike]
    name = draw.choice([one for one in full if ALGORITHMS[one].objective is None])
    search, release = job["search"], job["release"]
    search |= {"algorithm": name, "measure": draw.choice(("stars", "lm"))}
    for key in ("suppress", "blind", "time_limit", "metric"):
        search.pop(key, None)
    for key in ("shape", "radius", "values"):
        release.pop(key, None)
    if job["input"].get("missing") == "wildcard":
        job["input"]["missing"] = "category"
