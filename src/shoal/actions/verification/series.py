"""Series: what a certificate says of the releases before it, derived from files, states, and the raw table."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from shoal.actions.continuing.persons import SeriesPersons
from shoal.actions.verification.cells import cells_of
from shoal.actions.verification.raw_table import RawTable
from shoal.foundation.errors import CertificateError, SpecError
from shoal.foundation.progress import silent
from shoal.jobs.job import Job
from shoal.jobs.series_request import SeriesRequest
from shoal.jobs.source import quasi_column
from shoal.releases.claims.reading import claims_in
from shoal.releases.claims.release_claims import ReleaseClaims
from shoal.releases.series.classes import ShownClasses
from shoal.releases.series.continuation import ATTACKER, ever, link_of, reached
from shoal.releases.series.link import check_cells, check_file, check_step, check_table
from shoal.releases.series.state import SeriesState
from shoal.tables.hierarchies.hierarchy import Label
from shoal.tables.table import Role

_TOLD = ("number", "records", "counterfeits", "withheld", "posterior")
"""What is told of each release of a chain."""


@dataclass(frozen=True, slots=True, eq=False)
class VerifiedSeries:
    """What was derived of a series.

    Args:
        number: The number of the release.
        posterior: The bound on the posterior of everybody ever published.
        compared: The numbers of the earlier releases that were compared with the chain.
        linked: The numbers of those whose persons were followed into this one, by the states.
        table: Whether the raw table was put to the state.
        promise: What the series promises, with its parameters.
        releases: What the chain says of each release, this one last.
    """

    number: int
    posterior: str
    compared: tuple[int, ...]
    linked: tuple[int, ...]
    table: bool
    promise: str
    releases: tuple[dict[str, Any], ...]

    def as_dict(self) -> dict[str, Any]:
        """Return it as JSON."""
        return {name: list(one) if isinstance(one, tuple) else one for name, one in self._items()}

    def _items(self) -> Iterator[tuple[str, Any]]:
        for name in ("promise", "number", "posterior", "compared", "linked", "table", "releases"):
            yield name, getattr(self, name)

    def words(self) -> str:
        """Return it in a few words."""
        before = self.number - 1
        told = f"{self.promise}, release {self.number}; everybody's posterior is at most {self.posterior}"
        if before:
            told += f"; {len(self.compared)} of {before} earlier releases compared, {len(self.linked)} linked by states"
        return told + ("; the raw table was put to the state" if self.table else "")


def verify_series(
    claims: ReleaseClaims, earlier: Sequence[str | Path], raw: RawTable | None
) -> tuple[VerifiedSeries | None, dict[str, str]]:
    """Derive what the certificate says of its series; also say what could not be derived here.

    Args:
        claims: What the release claims.
        earlier: The folders of earlier releases, besides those that the steward's jobs name.
        raw: The raw table, if it is to be looked at.

    Raises:
        CertificateError: Something of it does not hold.
    """
    stated = claims.certificate.get("series")
    if stated is None:
        if earlier:
            raise SpecError("The release is none of a series, so that there are no earlier ones to compare.")
        return None, {}
    shown = _shown(claims, stated)
    compared = _compared(claims, stated, earlier)
    lacking = {}
    absent = [str(link["number"]) for link in stated["earlier"] if link["number"] not in compared]
    if absent:
        lacking["series"] = f"the earlier releases {', '.join(absent)} are not at hand (--earlier)"
    linked: tuple[int, ...] = ()
    if claims.job is None:
        lacking["series (link)"] = "who is in which class is the steward's to tell"
    else:
        state = _state(claims, stated, shown)
        linked = tuple(sorted(_linked(claims, state)))
        if stated["number"] - 1 not in (*linked, 0):
            lacking["series (link)"] = "the state of the release before is not where the job says"
        if raw is not None:
            reason = _by_table(claims, state, raw)
            lacking |= {} if reason is None else {"series (raw table)": reason}
    table = raw is not None and "series (raw table)" not in lacking
    terms = f" with m = {stated['m']} on '{stated['column']}'" if stated["promise"] == "m-invariance" else ""
    own = {"records": claims.certificate["file"]["records"], **{name: stated[name] for name in _TOLD if name in stated}}
    found = VerifiedSeries(
        number=stated["number"],
        posterior=stated["posterior"],
        compared=tuple(sorted(compared)),
        linked=linked,
        table=table,
        promise=f"{stated['promise']}{terms}",
        releases=tuple({name: one[name] for name in _TOLD} for one in (*stated["earlier"], own)),
    )
    return found, lacking


def _shown(claims: ReleaseClaims, stated: Mapping[str, Any]) -> ShownClasses:
    """Put the promise to the file, and compare the figures that follow from it and from the chain."""
    columns, quasi = claims.names(Role.SENSITIVE), claims.evidence({}).quasi
    links, terms = stated["earlier"], stated.keys() & {"m", "column"}
    if [link["number"] for link in links] != list(range(1, stated["number"])):
        raise CertificateError("The chain of the series lacks a link, or has one too many.")
    shown = ShownClasses.of(claims.locations["records"].counted((*quasi, *columns))[0], quasi, columns)
    if stated["promise"] == "m-invariance":
        if columns != (stated.get("column"),) or "m" not in terms:
            raise CertificateError("The certificate's series is about another column than the sensitive one.")
        least = shown.demand_equal(stated["m"])
        fits = least == stated["least"]["values"] and ever(Fraction(1, least), links) == Fraction(stated["posterior"])
    else:  # those who left together are not in the file
        bound = ever(shown.likeliest(), links)
        fits = not terms and bound <= Fraction(stated["posterior"]) and shown.sizes.min() >= stated["least"]["persons"]
    if not fits or stated["attacker"] != ATTACKER:
        raise CertificateError("The file and its certificate differ in what is said of the series.")
    return shown


def _compared(claims: ReleaseClaims, stated: Mapping[str, Any], earlier: Sequence[str | Path]) -> set[int]:
    """Compare earlier releases with the chain; return their numbers."""
    known = {link["number"]: link for link in stated["earlier"]}
    paths = [Path(one) for one in earlier]
    found = set()
    for path in (
        *paths,
        *(one for one in _before(claims.job) if not paths or one.resolve() not in map(Path.resolve, paths)),
    ):
        others = claims_in(path)
        links, own = link_of(others.where.public)
        number = own["number"]
        if links != tuple(known.get(one["number"]) for one in links):
            raise CertificateError(
                f"The release in '{path}' is not the one of number {number} in the chain of the series."
            )
        if any(own.get(name) != stated.get(name) for name in ("promise", "m", "column")):
            raise CertificateError(f"The release in '{path}' promises something else than the series.")
        found.add(number)
    return found


def _before(job: Job | None) -> Iterator[Path]:
    """Yield the folders of the releases before, as far as the jobs of the steward lead to them."""
    seen = set[Path]()
    while job is not None and job.series is not None and job.series.after is not None:
        path = job.folder / job.series.after
        if not path.is_dir():
            return
        if path.resolve() in seen:
            raise CertificateError(f"The series does not hold: '{path}' follows itself.")
        seen.add(path.resolve())
        yield path
        job = claims_in(path).job


def _state(claims: ReleaseClaims, stated: Mapping[str, Any], shown: ShownClasses) -> SeriesState:
    """Compare the state with the file, the job and the certificate."""
    state, asked = SeriesState.read(claims.where.private), _asked(claims)
    check_file(state, shown, claims.evidence({}).quasi)
    told = (asked.promise, asked.m, state.promise, state.number, len(state.fakes), len(state.persons))
    said = (stated["promise"], stated.get("m"), stated["promise"], stated["number"], stated["counterfeits"])
    if told != (*said, stated["persons"]):
        raise CertificateError("The certificate, the job and the state of the series differ in their figures.")
    k = max(promise.least_size for promise in (claims.job.require if claims.job else []))
    if state.least_persons < k:
        raise CertificateError(f"A class has {state.least_persons} persons, counterfeits left out, and k is {k}.")
    return state


def _asked(claims: ReleaseClaims) -> SeriesRequest:
    """Return what the job asks of the series."""
    if claims.job is None or claims.job.series is None:
        raise CertificateError("The certificate tells of a series, and the job beside it asks for none.")
    return claims.job.series


def _linked(claims: ReleaseClaims, state: SeriesState) -> Iterator[int]:
    """Follow everybody back from state to state; yield the numbers of the releases."""
    stated, first = claims.certificate["series"], True
    for path in _before(claims.job):
        found = claims_in(path)
        if found.job is None:  # its steward kept the public half alone
            return
        before = SeriesState.read(found.where.private)
        check_step(state, before)
        if first:
            _check_reached(claims, state, before, stated)
        first = False
        yield before.number
        state = before
    if first and state.number == 1:
        _check_reached(claims, state, None, stated)


def _check_reached(
    claims: ReleaseClaims, state: SeriesState, before: SeriesState | None, stated: Mapping[str, Any]
) -> None:
    """Compare what the certificate says of the least companions, or values, and of posteriors with the states."""
    promises = claims.job.require if claims.job else []
    least, posterior = reached(state, before, promises, claims.names(Role.SENSITIVE))
    if (least, ever(posterior, stated["earlier"])) != (stated["least"], Fraction(stated["posterior"])):
        raise CertificateError("The states and the certificate differ in what the series has reached.")


def _by_table(claims: ReleaseClaims, state: SeriesState, raw: RawTable) -> str | None:
    """Put the raw table to the state; return why that cannot be done, or None."""
    asked = _asked(claims)
    if not (raw.job.folder / asked.key).is_file():
        return f"needs the key '{raw.job.folder / asked.key}'"
    persons = SeriesPersons.of(raw.job, asked, raw.data, silent)
    source, columns, table = persons.source, claims.names(Role.SENSITIVE), persons.source.table
    values = table.columns[columns[0]].texts(columns[0]) if state.promise == "m-invariance" else None
    places = check_table(state, persons.pseudonyms.to_list(), values, persons.marks(columns))
    for name in table.names(Role.QUASI):
        coded, quasi = table.columns[name], quasi_column(source, name)
        occurring: list[Label] = [*coded.values, *((None,) if coded.missing else ())]
        leaves = quasi.hierarchy.encode(occurring, name)[coded.codes]
        check_cells(state, places, name, leaves, quasi.hierarchy, cells_of(quasi.hierarchy, state.columns[name], name))
    told, left_out = claims.certificate["series"], int((places < 0).sum())
    if told["withheld"] + told["waiting"] != left_out:
        raise CertificateError("The raw table and the certificate differ in how many persons are not published.")
    return None
