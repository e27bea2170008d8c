"""Hive: columns that the names of folders tell, as in `year=2026/part.parquet`."""

from collections.abc import Collection, Sequence

from shoal.foundation.errors import SpecError


def told_alone(told: Sequence[str], own: Collection[str], where: str) -> list[str]:
    """Return the columns that folders tell and files do not have; those of a file are taken as they stand there.

    Args:
        told: The columns that folders tell.
        own: The columns of the files.
        where: The name of the table.

    Raises:
        SpecError: Some are in both: DuckDB and Spark read all that folders tell, or nothing.
    """
    alone = [name for name in told if name not in own]
    if alone and len(alone) < len(told):
        both = next(name for name in told if name in own)
        raise SpecError(
            f"The column '{both}' of {where} is in its files and in the names of its folders, and "
            f"'{alone[0]}' in these names alone: DuckDB and Spark read all columns from folder names, or "
            "none. Rename one of the two."
        )
    return alone
