"""A sample is verified: what its file shows is derived again, and what is claimed follows from what is declared.

The delta is worked out by other code than that of the maker: for each size of a class, all numbers of kept records that
are too likely are summed up one by one, in numbers of 512 binary places that are rounded up.
"""

from collections.abc import Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from math import ceil, comb, exp, log
from pathlib import Path
from typing import Any

from shoal.actions.verification.verified import Verified
from shoal.certificate import Findings, examine_location
from shoal.foundation.errors import CertificateError, SpecError
from shoal.jobs.release_folder import ReleaseFolder
from shoal.releases.claims.manifest import PUBLIC_MANIFEST, Manifest, others_in
from shoal.releases.sampling.private_sample import evidence, promised
from shoal.releases.sampling.statement import SAMPLING, Statement, read_statement
from shoal.releases.signatures import checked_signatures
from shoal.tables.folder import location_of

DECLARED = (
    "no file can prove how it was drawn: that the rules do not depend on these persons, that the records were drawn at "
    "random with this share, and how many records a person has, is declared by who made it"
)
_ONE = 1 << 512
_MOST_DENOMINATOR = 10_000  # of a share, so that what is stated cannot take long
_LEAST_DISTANCE = 0.007
_LEAST = 1e-18  # no smaller delta is derived


def verified_sample(folder: Path, *, raw: Any, keys: Sequence[str | Path]) -> Verified:
    """Verify records that were drawn: what the file shows, and that no more is claimed than is declared."""
    if raw is not False:
        raise SpecError(
            "A sample cannot be derived from its raw table: how it was drawn was not stored, and comparing "
            "both would reveal something about the table. Verify it without --raw."
        )
    said, findings, manifest = _examined(folder)
    others = others_in(ReleaseFolder.in_one(folder, whole=False), [*manifest.files, manifest.name])
    told = {"claimed": said.claimed.model_dump(mode="json"), "declared": said.declared.model_dump(mode="json")}
    return Verified(
        findings,
        {"differential privacy": DECLARED},
        public=True,
        others=tuple(others),
        told=told,
        signatures=checked_signatures(folder, manifest, keys),
    )


def _examined(folder: Path) -> tuple[Statement, Findings, Manifest]:
    """Derive what the file of a sample shows; a CertificateError names all in which what is said differs."""
    manifest = Manifest.read(folder, PUBLIC_MANIFEST)
    if manifest is None:
        raise CertificateError(f"The sample in '{folder}' has no list of its files.")
    said = read_statement(folder)
    if said.file is None:
        raise CertificateError(f"{SAMPLING} names no file.")
    manifest.demand([said.file.name, SAMPLING])
    findings = examine_location(location_of(folder / said.file.name), promised(said), evidence(said.file.columns))
    findings.demand()
    pairs = [
        ("what it says of the file", findings.file, said.file.model_dump()),
        ("the number of records", findings.n_records, said.records),
        ("the classes", findings.classes, said.classes),
        ("what holds with earlier samples", _together(said), said.together.guarantee),
    ]
    different = [what for what, found, stated in pairs if found != stated]
    if different:
        raise CertificateError(f"The file and {SAMPLING} differ in {', '.join(different)}.")
    _check_claim(said)
    return said, findings, manifest


def _together(said: Statement) -> object:
    return sum((one.guarantee for one in said.earlier), start=said.claimed.guarantee)


def _check_claim(said: Statement) -> None:
    """Raise a CertificateError if the claim is more than what follows from how the records were drawn."""
    drawn, records = said.mechanism, said.mechanism.records_per_person
    claimed = said.claimed.guarantee
    one = claimed.epsilon / records
    found = largest_excess(Fraction(drawn.beta), drawn.k, one)
    least = Fraction(1) if found is None else for_all(found, one, records)
    if found is None or least > claimed.delta:
        told = f"{float(least):.3g}" if least < 1 else "1"
        raise CertificateError(f"{SAMPLING} claims more than follows from its share and k, by which delta is {told}.")


def for_all(excess: Fraction, epsilon: Fraction, records: int) -> Fraction:
    """Return the delta of so many records, each with an excess: `1 + e^epsilon + e^(2 epsilon) + ...` times as much.

    It is a little above it; where it would be more than 1, it is some number above 1, so that no sum gets long.
    """
    factor = power(epsilon, above=True)
    term, total = _ONE, 0
    for _ in range(records):
        total += term
        if total * excess > _ONE:
            break
        term = _up(term * factor.numerator, factor.denominator)
    return excess * total / _ONE


def power(epsilon: Fraction, *, above: bool) -> Fraction:
    """Return `e^epsilon` to 70 digits, a little above it or below."""
    with localcontext() as context:
        context.prec = 80
        near = (Decimal(epsilon.numerator) / Decimal(epsilon.denominator)).exp()
    return Fraction(near) * (1 + Fraction(1 if above else -1, 10**70))


def largest_excess(share: Fraction, k: int, epsilon: Fraction) -> Fraction | None:
    """Return the greatest delta of one record for any size of its class, a little above it; None if it may be 1.

    With `m` records in the class, `y` of them are kept with `P[y of m]`, and without this record with `P[y of m - 1]`.
    The first is `m (1 - share) / (m - y)` times the second, and what is above `e^epsilon` times is summed up. Classes
    so large that even the whole tail (Chernoff) is less than what was found are not looked at.
    """
    likelier = power(epsilon, above=False)
    if (1 - share) * likelier < 1 or share.denominator > _MOST_DENOMINATOR:
        return None
    beta, edge = float(share), float(1 - (1 - share) / likelier)
    distance = edge * log(edge / beta) + (1 - edge) * log((1 - edge) / (1 - beta)) if edge < 1 else 0.0
    if distance < _LEAST_DISTANCE:
        return None
    best, m = 0, k
    while max(best / _ONE, _LEAST) < (tail := exp(-m * distance * (1 - 1e-9))):
        best = max(best, _excess(share, k, likelier, m))
        m += 1
    return max(Fraction(max(best, 1), _ONE), Fraction(min(tail, _LEAST)))


def _excess(share: Fraction, k: int, likelier: Fraction, m: int) -> int:
    """Return the sum for a class of `m` records, beginning with the least number of kept ones that is too likely."""
    p, q, r = share.numerator, share.denominator, share.denominator - share.numerator
    ratio = likelier * q / (m * r)
    y = max(k, m - ceil(1 / ratio) + 1)
    chance, total = _up(comb(m, y) * p**y * r ** (m - y) * _ONE, q**m), 0
    while y <= m and chance > 1:
        gain = 1 - ratio * (m - y)
        total += _up(chance * gain.numerator, gain.denominator)
        chance = _up(chance * (m - y) * p, (y + 1) * r)
        y += 1
    return total + max(m + 1 - y, 0)


def _up(numerator: int, denominator: int) -> int:
    return -(-numerator // denominator)
