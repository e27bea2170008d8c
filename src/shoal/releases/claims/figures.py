"""Figures of a certificate that contradict each other: no other file is needed to see that one of them is false."""

from collections.abc import Iterator, Mapping
from math import isclose
from typing import Any

from shoal.foundation.errors import CertificateError
from shoal.measures import MEASURES, CellMeasure

ROUNDED = 1e-9
"""The relative difference of two ways to add up a loss."""
SIX_DIGITS = 2e-5
"""The relative difference of two figures that were rounded to six digits, one up and one down."""


def check_figures(certificate: Mapping[str, Any], name: str) -> None:
    """Raise a CertificateError that names every part of a certificate whose figures contradict each other.

    Args:
        certificate: A certificate of either kind that follows its schema.
        name: The name of its file, for messages.
    """
    different = [*_counts(certificate), *_recoding(certificate)]
    if "told" in certificate:
        different += [*_stewards_counts(certificate), *_loss(certificate), *_witness(certificate)]
    if different:
        raise CertificateError(f"The figures of {name} contradict each other: {'; '.join(different)}.")


def agree(one: float, other: float, within: float = ROUNDED, least: float = 0.0) -> bool:
    """Tell whether two figures are the same but for rounding.

    Args:
        one: A figure.
        other: Another one.
        within: Their largest relative difference.
        least: A difference that is rounding in any case.
    """
    return isclose(one, other, rel_tol=within, abs_tol=least)


def _counts(certificate: Mapping[str, Any]) -> Iterator[str]:
    """Compare the numbers of records, of the file, of classes and of clusters."""
    records, file, classes = certificate["records"], certificate["file"], certificate["classes"]
    starred = file["records"] - records["released"]
    if starred < 0 or (records["suppressed"] is not None and starred > records["suppressed"]):
        yield "the records of the file and those that were released"
    if not _adds_up(classes, file["records"]) or not agree(classes["average"] * classes["count"], file["records"]):
        yield "the classes and the records of the file"
    clusters = certificate.get("clusters")
    if clusters is not None and "file" in clusters:
        held = clusters["file"]
        if held.get("clusters") != clusters["count"] or not _adds_up(clusters, held["records"]):
            yield "the clusters and their records"
        if clusters["shape"] != "clusters" and held["records"] != file["records"]:
            yield "the records of the clusters and those of the file"


def _adds_up(classes: Mapping[str, Any], n_records: int) -> bool:
    """Tell whether classes of a least and a largest size may hold so many records."""
    others, smallest, largest = classes["count"] - 1, classes["smallest"], classes["largest"]
    return smallest <= largest and others * smallest + largest <= n_records <= others * largest + smallest


def _recoding(certificate: Mapping[str, Any]) -> Iterator[str]:
    """Compare how values were recoded with what is told of it."""
    algorithm = certificate["algorithm"]
    if (algorithm["recoding"] == "full-domain") != bool(algorithm["levels"]):
        yield "the recoding and the levels"
    if (algorithm["recoding"] == "centres") != ("clusters" in certificate):
        yield "the recoding and the clusters"


def _stewards_counts(certificate: Mapping[str, Any]) -> Iterator[str]:
    """Compare the numbers of records of the input."""
    records, missing = certificate["records"], certificate["missing"]
    fakes = certificate.get("series", {}).get("counterfeits", 0)
    if records["input"] + fakes != records["released"] + records["suppressed"]:
        yield "the records of the input, released and suppressed"
    if (
        "withheld" in certificate
        and sum(certificate["withheld"]["records"]) != records["suppressed"] - missing["dropped"]
    ):
        yield "the suppressed records and those whose values are told"
    if missing["dropped"] > (records["suppressed"] if missing["reading"] == "drop" else 0):
        yield "the records that were dropped and suppressed"
    rules = certificate.get("rules")
    if rules is not None and rules["outside"] + rules["failing"] != records["suppressed"] - missing["dropped"]:
        yield "the records that the rules suppressed and all that were"


def _loss(certificate: Mapping[str, Any]) -> Iterator[str]:
    """Compare the loss with its columns, its share, its bound and the objectives of clusters."""
    loss, algorithm, clusters = certificate["loss"], certificate["algorithm"], certificate.get("clusters")
    total, bound, within = loss["total"], loss["bound"], SIX_DIGITS if loss["measure"] == "radius" else ROUNDED
    measure = MEASURES.find(loss["measure"])
    if measure is not None and issubclass(measure, CellMeasure) and not agree(sum(loss["columns"].values()), total):
        yield "the loss and its columns"
    if (total == 0 and loss["share"] > 0) or (total > 0 and loss["share"] == 0 and clusters is None):
        yield "the loss and its share"
    if bound is not None and bound > total * (1 + within):
        yield "the loss and its bound"
    ratio = 1.0 if total == 0 else total / bound if bound else None
    if (ratio is None) != (loss["ratio"] is None) or (ratio is not None and not agree(loss["ratio"], ratio, within)):
        yield "the loss, its bound and their ratio"
    if algorithm["guarantee"] == "optimal" and algorithm["factor"] != 1:
        yield "the guarantee and the factor"
    if any(set(levels) != set(algorithm["levels"]) for levels in algorithm["minimal"]):
        yield "the levels and the minimal generalizations"
    if clusters is not None:
        objective = clusters["objectives"].get(loss["measure"])
        more = objective is not None and loss["measure"] == "cellular" and total > objective  # the cost of the centres
        if clusters["bound"] != bound or objective is None or not (more or agree(total, objective, within)):
            yield "the loss and the objectives of the clusters"
    if "rules" in certificate and (bound is not None or algorithm["guarantee"] != "none"):
        yield "the rules and the bound"


def _witness(certificate: Mapping[str, Any]) -> Iterator[str]:
    """Compare what the charges prove with the bound."""
    bound, proven = certificate["loss"]["bound"], certificate["loss"].get("witness", 0.0)
    if proven > (bound or 0.0) * (1 + ROUNDED):
        yield "the bound and what proves it"
