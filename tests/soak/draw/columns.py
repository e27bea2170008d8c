"""Random columns: numbers, dates, codes, categories and odd texts, skewed, constant, doubled and with gaps."""

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from random import Random

ODD = (
    "ä ö ü", "日本",
    "a,b", "a;b", 'say "x"', "*", "**", "=1+1", "+2", "-3", "@x", "10 - 20", "20-24", "{a, b}", "[1, 2)",
    "<18", ">=65",
    " lead", "trail ", "NA", "null", "None", "nan", "inf", "0", "00", "1e5", "'", "a\tb", "a\nb", "ﬁ", "é",
    "e\u0301", "\u200b", "x" * 60, "<b>", "&amp;", "a - b", "a -- b", "a, b", "{", "}", "%s", "\\", "#", "true",
)  # fmt: skip
NAMES = ("age", "größe", "a,b", 'q"x', "col*", "=x", "<b>", "a b", "^a.*$", "records", "radius", "x.y", "日", "k")
KINDS = ("whole", "decimal", "day", "time", "code", "word", "odd", "constant", "large")


@dataclass(frozen=True)
class Drawn:
    """The values of a column, and what kind they are of."""

    kind: str
    values: list[str]


def column(draw: Random, kind: str, records: int, mark: str) -> Drawn:
    """Draw a column: few or many values, skewed or even, with gaps or without; words hold a mark of their own."""
    pool = _pool(draw, kind, draw.choice((2, 3, 4, 6, 10, max(3, records // 2))), mark)
    weights = [1.0] * len(pool) if draw.random() < 0.6 else [3.0**-i for i in range(len(pool))]
    values = draw.choices(pool, weights, k=records)
    if draw.random() < 0.25:
        values = ["" if draw.random() < draw.choice((0.05, 0.3)) else value for value in values]
    if draw.random() < 0.01:
        values = [""] * records
    return Drawn(kind, values)


def _pool(draw: Random, kind: str, number: int, mark: str) -> list[str]:
    if kind == "whole":
        low, high = draw.choice(((0, 9), (18, 90), (-20, 20), (1000, 90000)))
        return [str(draw.randint(low, high)) for _ in range(number)]
    if kind == "decimal":
        return [f"{draw.uniform(-5, 60):.{draw.choice((1, 2))}f}" for _ in range(number)]
    if kind == "large":
        return [str(2**60 + draw.choice((0, 1, 2, 100, 101, 10**6))) for _ in range(number)]
    if kind in ("day", "time"):
        first = datetime(1990, 1, 1) + timedelta(days=draw.randint(0, 9000))
        moments = [first + timedelta(hours=draw.randint(0, draw.choice((2000, 90000)))) for _ in range(number)]
        return [one.date().isoformat() if kind == "day" else one.isoformat(sep=" ") for one in moments]
    if kind == "code":
        return [f"{draw.randint(0, draw.choice((99, 99999))):05d}" for _ in range(number)]
    if kind == "odd":
        return draw.sample(ODD, min(number, 8))
    if kind == "constant":
        return [draw.choice(ODD)]
    return [f"{mark}{letter}" for letter in "abcdefghijklmnop"[:number]]


def day_in_words(value: str) -> str:
    """Write a day as people in some countries do."""
    return date.fromisoformat(value).strftime("%d/%m/%Y") if value else ""
