"""Flags that several commands share, and how they become a job."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from shoal.cli import completion
from shoal.foundation.documents import decimal_of, toml_of
from shoal.foundation.errors import SpecError

Source = Annotated[
    str | None,
    typer.Argument(help="Job file (.toml), or a table to use with --quasi and the other flags: a file, or a URL."),
]
Input = Annotated[
    str | None, typer.Option("--input", help="The table: a file, or the URL of a database, with --table.")
]
Table = Annotated[
    str | None, typer.Option(help="Table of the database: table or schema.table; without a URL, a Spark table.")
]
Sheet = Annotated[str | None, typer.Option(help="Sheet of an Excel workbook; the first if not given.")]
Raw = Annotated[str | None, typer.Option(help="The table from which the release was made; default that of its job.")]
RawTable = Annotated[str | None, typer.Option(help="Table of the database that --raw is.")]
RawSheet = Annotated[str | None, typer.Option(help="Sheet of the workbook that --raw is.")]
Quasi = Annotated[str | None, typer.Option(help="Columns that an attacker may know: a,b,c.")]
Sensitive = Annotated[str | None, typer.Option(help="Columns to protect: a,b,c.")]
Insensitive = Annotated[str | None, typer.Option(help="Columns to publish as they are: a,b,c.")]
Drop = Annotated[str | None, typer.Option(help="Columns that identify a person (identifiers); not released: a,b,c.")]
Omit = Annotated[str | None, typer.Option(help="Columns that nobody needs; not released: a,b,c. Also with a job file.")]
Entity = Annotated[
    str | None, typer.Option(help="Column that says whose record it is; k then counts persons instead of records.")
]
Household = Annotated[
    str | None, typer.Option(help="Column that says who lives together; k then counts households. Not released.")
]
Pseudonyms = Annotated[
    list[str] | None,
    typer.Option(
        "--pseudonym",
        help="Identifier to release as a pseudonym: patient, or patient=person with the name by which tables are "
        "linked; may be repeated.",
    ),
]
Masks = Annotated[
    list[str] | None,
    typer.Option(
        "--mask",
        help="Part of an identifier to keep as a quasi column: iban=iban keeps the country; may be repeated.",
        autocompletion=completion.after_column(completion.masks),
    ),
]
PseudonymKey = Annotated[
    Path | None,
    typer.Option(help="Key file for pseudonyms; if not given, a key is drawn for this release and not stored."),
]
Series = Annotated[
    str | None,
    typer.Option(
        help="Joint requirement for all releases of a changing table: m-invariance:m=3,person=patient,key=clinic.key.",
        autocompletion=completion.one_of("m-invariance", "companions"),
    ),
]
After = Annotated[Path | None, typer.Option(help="Folder of the previous release, whose series is continued.")]
Forget = Annotated[
    Path | None,
    typer.Option(help="Table of the persons who asked to be forgotten, with the column that identifies them."),
]
K = Annotated[int | None, typer.Option(help="Require k-anonymity with this k, the smallest size of a class.", min=1)]
R = Annotated[int | None, typer.Option(help="Another name for --k: the smallest size of a cluster.", min=1)]
Require = Annotated[
    list[str] | None,
    typer.Option(
        help="A privacy model to require, e.g. t-closeness:t=0.2,column=disease; may be repeated.",
        autocompletion=completion.one_of(completion.models),
    ),
]
Hierarchies = Annotated[
    list[str] | None,
    typer.Option(
        "--hierarchy",
        help="Hierarchy of a column: age=ages.csv (levels), job=jobs.toml (taxonomy), zip=masking, or "
        "age='{ type = \"intervals\", widths = [5, 10] }'; may be repeated.",
        autocompletion=completion.after_column(completion.hierarchies),
    ),
]
Distances = Annotated[
    list[str] | None,
    typer.Option(
        "--distance",
        help="Distance between values of a column, for clusters: age=number, city=km.csv (matrix), or "
        "age='{ type = \"number\", unit = 10 }'; may be repeated.",
        autocompletion=completion.after_column(completion.distances),
    ),
]
Weights = Annotated[
    list[str] | None,
    typer.Option("--weight", help="Weight of a column in the loss and in distances: age=2; may be repeated."),
]
SamplingWeights = Annotated[
    str | None,
    typer.Option(help="Column that says how many persons of the population a record represents; weights the loss."),
]
Delimiter = Annotated[str | None, typer.Option(help="Delimiter of the fields; detected if not given.")]
Metric = Annotated[
    str | None,
    typer.Option(
        help="How the distances of columns are combined, for clusters: l2 or l1.",
        autocompletion=completion.one_of("l2", "l1"),
    ),
]
Missing = Annotated[
    str | None,
    typer.Option(help="category, wildcard or drop.", autocompletion=completion.one_of("category", "wildcard", "drop")),
]
Suppressed = Annotated[str | None, typer.Option(help="drop or star.", autocompletion=completion.one_of("drop", "star"))]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Output = Annotated[
    str | None,
    typer.Option("--output", help="URL of a database to write the data to, as the table --output-table."),
]
OutputTable = Annotated[str | None, typer.Option("--output-table", help="Table to create: table or schema.table.")]
ReleaseFormat = Annotated[
    str | None,
    typer.Option(
        "--format",
        help="Output format: csv, or another that can be written; default parquet if the table is Parquet, else csv.",
        autocompletion=completion.one_of(completion.formats),
    ),
]
Types = Annotated[
    str | None,
    typer.Option(
        help="Columns that keep their type: as-is, keep (also unchanged quasi columns) or text (none).",
        autocompletion=completion.one_of("as-is", "keep", "text"),
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.")]


def names(text: str | None) -> list[str]:
    """Split a list of columns."""
    return [name.strip() for name in (text or "").split(",") if name.strip()]


def roles(
    quasi: str | None,
    sensitive: str | None,
    insensitive: str | None,
    drop: str | None,
    entity: str | None = None,
    omit: str | None = None,
    household: str | None = None,
) -> dict[str, list[str]]:
    """Return the columns of each role."""
    given = {
        "quasi": quasi,
        "sensitive": sensitive,
        "insensitive": insensitive,
        "identifier": drop,
        "entity": entity,
        "omitted": omit,
        "household": household,
    }
    return {role: names(text) for role, text in given.items()}


def details(
    hierarchies: list[str] | None,
    distances: list[str] | None,
    weights: list[str] | None,
    pseudonyms: list[str] | None = None,
    masks: list[str] | None = None,
) -> dict[str, dict[str, Any]]:
    """Return the pseudonym, the mask, the hierarchy, the distance and the weight of columns, by name."""
    return {
        "pseudonym": dict(map(pseudonym, pseudonyms or [])),
        "mask": dict(map(mask, masks or [])),
        "hierarchy": dict(map(hierarchy, hierarchies or [])),
        "distance": dict(map(distance, distances or [])),
        "weight": dict(map(weight, weights or [])),
    }


def several(text: str | None, flag: str) -> list[str]:
    """Split a list with commas; `name:key=value,key=value` stays one entry."""
    if text is not None and not names(text):
        raise SpecError(f"--{flag} is empty: name at least one, with commas between several, or leave it out.")
    found: list[str] = []
    for part in names(text):
        if found and ":" in found[-1] and "=" in part.partition(":")[0]:
            found[-1] += f",{part}"
        else:
            found.append(part)
    return found


def promise(text: str) -> dict[str, Any]:
    """Read `model:key=value,key=value`; a file that the model needs starts from where we are."""
    from shoal.jobs.arguments import fields_in, files_of

    fields = fields_in(text, "--require", "model")
    for key in files_of(fields["model"]) & fields.keys():
        fields[key] = str(Path(fields[key]).absolute())
    return fields


def least_size(k: int | None, r: int | None) -> list[dict[str, Any]]:
    """Return the promise of a least size, by either name, if one is given."""
    if k is None and r is None:
        return []
    from shoal.jobs.job import least_size

    return [{"model": "k-anonymity", "k": least_size(k, r)}]


def named(text: str | None, flag: str) -> str | dict[str, Any] | None:
    """Read a name, or a name with parameters: `name:key=value,key=value`."""
    return text if text is None or ":" not in text else fields(text, flag)


def fields(text: str, flag: str) -> dict[str, Any]:
    """Read a name, or a name with parameters, as a table; see `named`."""
    from shoal.jobs.arguments import fields_in

    return fields_in(text, f"--{flag}", "name")


def series(text: str | None, after: Path | None, forget: Path | None) -> dict[str, dict[str, Any]]:
    """Read what is asked of a series, as a section of the request if anything is; paths start from where we are."""
    from shoal.jobs.arguments import fields_in

    told = {} if text is None else fields_in(text, "--series", "promise")
    files = {"key": told.get("key"), "after": after, "forget": forget}
    told |= {name: str(Path(path).absolute()) for name, path in files.items() if path is not None}
    return {"series": told} if told else {}


def hierarchy(text: str) -> tuple[str, dict[str, Any]]:
    """Read `column=file`, `column=type` or `column={ type = ..., ... }`."""
    return _recipe(text, "hierarchy", {".csv": "levels", ".toml": "taxonomy", ".json": "taxonomy"})


def distance(text: str) -> tuple[str, dict[str, Any]]:
    """Read `column=file`, `column=type` or `column={ type = ..., ... }`."""
    return _recipe(text, "distance", {".csv": "matrix"})


def _recipe(text: str, flag: str, files: Mapping[str, str]) -> tuple[str, dict[str, Any]]:
    """Read a column and its recipe; a file starts from where we are, and its ending tells the type."""
    column, equals, recipe = (part.strip() for part in text.partition("="))
    if not equals or not recipe:
        raise SpecError(f"Cannot read '--{flag} {text}'. Write: column=file, column=type or column={{ type = ... }}.")
    if recipe.startswith("{"):
        try:
            return column, toml_of(f"recipe = {recipe}", decimal_of)["recipe"]
        except ValueError:
            raise SpecError(f"Cannot read '--{flag} {text}': what follows '=' is not a table of a job file.") from None
    kind = files.get(Path(recipe).suffix.lower())
    return column, {"type": recipe} if kind is None else {"type": kind, "path": str(Path(recipe).absolute())}


def check_named(recipes: Mapping[str, Any], names: list[str]) -> None:
    """Raise a SpecError if a hierarchy is given for a column that has no role."""
    for name in recipes:
        if name not in names:
            raise SpecError(
                f"--hierarchy names column '{name}', which is neither in --quasi nor in --sensitive. The "
                "hierarchies of a release of shoal are in its job."
            )


def pseudonym(text: str) -> tuple[str, Any]:
    """Read `column` or `column=name`."""
    from shoal.jobs.arguments import pseudonym_of

    column, equals, linked = (part.strip() for part in text.partition("="))
    return column, pseudonym_of(linked if equals else None)


def mask(text: str) -> tuple[str, str]:
    """Read `column=mask`."""
    column, equals, kept = (part.strip() for part in text.partition("="))
    if not equals:
        raise SpecError(f"Cannot read '--mask {text}'. Write: column=mask, such as iban=iban.")
    return column, kept


def weight(text: str) -> tuple[str, str]:
    """Read `column=number`."""
    column, equals, number = (part.strip() for part in text.partition("="))
    if not equals:
        raise SpecError(f"Cannot read '--weight {text}'. Write: column=number.")
    return column, number


def separator(text: str | None) -> str | None:
    """Read a tab as people write it."""
    return "\t" if text in ("\\t", "tab") else text


def read_from(text: str | None, table: str | None, sheet: str | None) -> Any:
    """Return where a table is that is read as it is; a job or a release is not in a database, nor in a workbook."""
    from shoal.jobs.given_table import table as table_at

    if table is None and sheet is None:
        return text
    if text is None or Path(text).is_dir() or text.lower().endswith(".toml"):
        raise SpecError("A table is named for the URL of a database, and a sheet for the file of a workbook.")
    return table_at(text, table=table, sheet=sheet)
