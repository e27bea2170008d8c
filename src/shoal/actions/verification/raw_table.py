"""RawTable: the table that a release was made of, at hand again, and what the certificate tells of it derived."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from shoal.actions.verification.cells import AmbiguousCellError
from shoal.actions.verification.published_loss import published_loss
from shoal.foundation.errors import CertificateError, SpecError
from shoal.jobs.arguments import frame_of, input_from_here
from shoal.jobs.job import Job
from shoal.jobs.keys.pseudonyms import PseudonymKey
from shoal.jobs.source import Source, quasi_column, read
from shoal.releases.claims.figures import agree
from shoal.releases.claims.release_claims import ReleaseClaims
from shoal.releases.grids import KEY, grids_of
from shoal.releases.retracing import retraced
from shoal.releases.series.counterfeits import with_counterfeits
from shoal.releases.series.state import SeriesState
from shoal.releases.statement import labels_of
from shoal.tables.rows import Rows
from shoal.tables.table import Role

_NOTHING = 1e-12  # a share of all that may be lost which is rounding


@dataclass(frozen=True, eq=False)
class RawTable:
    """The raw table of a release, and what the release claims.

    Args:
        claims: What the release claims, by the files of its steward.
        job: Its job, with the place of the table.
        data: The table, if it is in memory.
    """

    claims: ReleaseClaims
    job: Job
    data: Any = None

    @classmethod
    def of(cls, claims: ReleaseClaims, raw: Any) -> "RawTable":
        """Return the raw table of a release.

        Args:
            claims: What the release claims.
            raw: True if it is where the job says; else a frame, or where it is now.
        """
        if claims.job is None:
            raise SpecError(
                "Comparing with the raw table needs the private certificate and job, but only public files are "
                "here. Give the steward's folder."
            )
        if raw is True:
            return cls(claims, claims.job)
        place = input_from_here(raw)
        kept = claims.job.input.model_dump(include={"missing", "missing_values", "delimiter"})
        kept |= {"delimiter": None} if "url" in place else {}
        moved = type(claims.job.input).model_validate({**kept, **place})
        return cls(claims, claims.job.model_copy(update={"input": moved}), frame_of(raw))

    @property
    def certificate(self) -> Mapping[str, Any]:
        """What is stated."""
        return self.claims.certificate

    @cached_property
    def _released(self) -> Rows:
        """The records of the release as they are read back, by the columns that decide the loss.

        Weights that did not leave are those of the raw records that are published alike.
        """
        weights = self.job.search.sampling_weights
        looked = {*self.job.names(Role.QUASI), *self.job.search.measure.sensitive_columns, weights}
        location = self.claims.locations["records"]
        rows = location.counted([name for name in location.columns() if name in looked])[0]
        if weights is None or self.job.columns[weights].leaves:
            return rows
        quasi = list(self.job.names(Role.QUASI))
        try:
            return retraced(rows.select(quasi), self.job, quasi, self.certificate["algorithm"]["levels"], [weights])
        except SpecError as error:
            raise CertificateError(f"The weighted loss cannot be derived. {error}") from None

    @property
    def _weights_untold(self) -> bool:
        """Whether nothing tells which record of the release has which sampling weight.

        Weights did not leave, and each class was recoded for itself, so that a raw record may be in several of them.
        """
        weights, levels = self.job.search.sampling_weights, self.certificate["algorithm"]["levels"]
        return weights is not None and not self.job.columns[weights].leaves and (not levels or self.data is not None)

    @cached_property
    def key(self) -> PseudonymKey | None:
        """The key of the pseudonyms, if it is in a file that is still there; else nobody has it."""
        path = self.job.key_file
        return None if path is None or not path.is_file() else PseudonymKey.read(path)

    def source(self, key: PseudonymKey | None = None) -> Source:
        """Read the table, with the hierarchies over its values; without a key its pseudonyms are others."""
        return read(self.job, self.data, key=key, apart=True)

    def check(self) -> bool:
        """Derive what the certificate tells of the records and the loss of a release of cells.

        Returns:
            Whether the loss was derived; else the release does not tell enough for that.

        Raises:
            CertificateError: The certificate tells something else.
        """
        source = self.source()
        demand([*self._counts(source), *self._withheld(source)])
        if "clusters" in self.certificate or self._weights_untold:
            return False
        source = self._with_counterfeits(source)
        try:
            demand([*self.loss(source, self._released), *self._labels(source), *self._grids(source)])
        except AmbiguousCellError:
            return False
        return True

    def _with_counterfeits(self, source: Source) -> Source:
        """Return the table with the records of nobody that were published with it."""
        if "series" not in self.certificate:
            return source
        fakes = SeriesState.read(self.claims.where.private).fakes
        rows, values = [row for _, _, row in fakes], [value for _, value, _ in fakes]
        if any(not 0 <= row < source.table.n_records for row in rows):
            raise CertificateError("The state of the series copies records that the raw table does not have.")
        column = self.certificate["series"].get("column", "")
        return replace(source, table=with_counterfeits(source.table.single(), column, rows, values))

    def _counts(self, source: Source) -> Iterator[str]:
        """Compare the numbers of records, and what became of missing values."""
        records, missing = self.certificate["records"], self.certificate["missing"]
        if source.n_input != records["input"]:
            yield "the number of records of the input"
        if source.n_input - source.table.n_records != missing["dropped"]:
            yield "the number of records that were dropped"
        if list(source.missing_codes.cleared) != missing.get("merged", []):
            yield "the columns whose missing values were merged"

    def _withheld(self, source: Source) -> Iterator[str]:
        """Compare the values of the suppressed records that are told with those of the input less the released ones."""
        told = self.certificate.get("withheld", {"columns": [], "values": [], "records": []})
        for at, name in enumerate(told["columns"]):
            column = source.table.columns[name]
            counts = source.table.histogram(name).tolist()
            left = Counter(dict(zip([*column.values, None], counts, strict=True)))
            rows, _ = self.claims.locations["records"].counted([name])
            left.subtract(dict(zip(rows.frame[name].to_list(), rows.counts.tolist(), strict=True)))
            for values, number in zip(told["values"], told["records"], strict=True):
                left[values[at]] -= number
            if any(left.values()):
                yield f"the values of the suppressed records in column '{name}'"

    def loss(self, source: Source, released: Rows) -> Iterator[str]:
        """Compare the loss, in total, by column and as a share, with that of the released rows."""
        records, stated = self.certificate["records"], self.certificate["loss"]
        stars = self.job.release.suppressed == "star"
        starred = records["suppressed"] - self.certificate["missing"]["dropped"] if stars else 0
        loss = published_loss(source, released, self.certificate["algorithm"]["levels"], starred)
        worst = loss.total / loss.share if loss.share > 0 else stated["total"]
        if not agree(loss.total, stated["total"], least=_NOTHING * worst):
            yield "the loss"
        if not agree(loss.share, stated["share"], least=_NOTHING):
            yield "the share of the loss"
        columns = stated["columns"]
        if loss.columns.keys() != columns.keys() or any(
            not agree(lost, columns[name], least=_NOTHING * worst) for name, lost in loss.columns.items()
        ):
            yield "the loss of the columns"

    def _grids(self, source: Source) -> Iterator[str]:
        """Compare the grids, and whether they are as fine as the values; earlier certificates tell of none."""
        columns = [quasi_column(source, name) for name in source.table.names(Role.QUASI)]
        derived = grids_of(self.job, columns, self.certificate["algorithm"]["recoding"])
        if "schema" in self.certificate and derived.get(KEY) != self.certificate.get(KEY):
            yield "the grids"

    def _labels(self, source: Source) -> Iterator[str]:
        """Compare the columns whose values kept their labels."""
        location = self.claims.locations["records"]
        frame = location.rows().frame if source.codebook.labelled else self._released.frame
        derived = labels_of(self.job, source.codebook, frame, None)
        if derived.get("labels") != self.certificate.get("labels"):
            yield "the labels"


def demand(different: Sequence[str]) -> None:
    """Raise a CertificateError that names what differs."""
    if different:
        raise CertificateError(f"The raw table and the certificate differ in {', '.join(different)}.")


def different_parts(derived: Any, stated: Any, place: str = "") -> list[str]:
    """Return the places in which two parts of a certificate differ; numbers with a fraction are compared as rounded."""
    if isinstance(derived, dict) and isinstance(stated, dict):
        keys = dict.fromkeys((*derived, *stated))
        return [
            found
            for key in keys
            for found in (
                different_parts(derived[key], stated[key], f"{place}{key}.")
                if key in derived and key in stated
                else [f"{place}{key}"]
            )
        ]
    if isinstance(derived, list) and isinstance(stated, list) and len(derived) == len(stated):
        return [
            found
            for number, pair in enumerate(zip(derived, stated, strict=True))
            for found in different_parts(*pair, f"{place}{number}.")
        ]
    if isinstance(derived, float) and isinstance(stated, float | int) and not isinstance(stated, bool):
        return [] if agree(derived, stated) else [place.rstrip(".")]
    return [] if derived == stated and type(derived) is type(stated) else [place.rstrip(".")]
