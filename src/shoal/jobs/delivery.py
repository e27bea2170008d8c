"""Delivery: what a release consists of, and where its parts go: files in its folder, or tables of a database."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import polars as pl

from shoal.clusters.cluster_table import Shape, own_names
from shoal.foundation.errors import SpecError
from shoal.jobs.job import Job
from shoal.jobs.sections import ColumnRequest
from shoal.tables.databases.address import sibling_table
from shoal.tables.databases.database import Database, Session
from shoal.tables.folder import FolderLocation, folder_target
from shoal.tables.formats import FORMATS
from shoal.tables.formats.codebook import Codebook
from shoal.tables.formats.column_type import ColumnType, Types
from shoal.tables.formulas import quoted, quoted_frame
from shoal.tables.location import FileLocation, Location, OpenTable, TableLocation, Target
from shoal.tables.masks import masked
from shoal.tables.table import Role

Part = Literal["records", "clusters"]
Targets = Callable[[Part, Codebook, Types], Target]
"""Tells where a part is to be put, with what its columns and values are called, and of which type they are."""

_FILES = {"records": "data", "clusters": "clusters"}


@dataclass(frozen=True, slots=True)
class Delivery:
    """The parts of a release.

    A row for each record and one for each cluster are two parts, since one may be passed on without the other. So they
    are two files, in any format. In a database they are two tables: the clusters are in the one that has `_clusters`
    at the end of its name. If they are the only part, they have the name itself.

    Args:
        job: The request.
        folder: The folder of the release.
        moved: The database that the tables are in now, if it is not the job's.
    """

    job: Job
    folder: Path
    moved: Database | None = None

    @property
    def parts(self) -> tuple[Part, ...]:
        """What is released."""
        return parts_of_shape(self.job.release.shape)

    def columns(self, part: Part) -> list[str]:
        """Return the columns of a part."""
        return columns_of_part(part, self.job.columns)

    def location(self, part: Part) -> Location:
        """Return where a part is, or will be."""
        return self._table(part) or self._folder(part) or self._file(part)

    def records(self) -> Location:
        """Return where the records are, or raise a SpecError if only clusters are released."""
        if "records" not in self.parts:
            raise SpecError(
                f"The release in '{self.folder}' contains clusters only, and none of their records, which are "
                "needed here. Release both (shape = 'both')."
            )
        return self.location("records")

    def _table(self, part: Part) -> TableLocation | None:
        target = self.job.target
        if target is None:
            return None
        own = part == "records" or self.parts == (part,)
        return TableLocation(
            self.moved or target.database, target.table if own else sibling_table(target.table, "_clusters")
        )

    def _folder(self, part: Part) -> FolderLocation | None:
        if not self.job.parted:
            return None
        form, escaped = FORMATS[self.job.release.format], bool(self.job.release.escape_formulas)
        given = self.job.input.delimiter or "," if form.delimited else None
        return FolderLocation(self.folder / _FILES[part], given, quoted=escaped)

    def _file(self, part: Part) -> FileLocation:
        path = self.folder / f"{_FILES[part]}{FORMATS[self.job.release.format].suffixes[0]}"
        return FileLocation(path, self.job.input.delimiter or ",", quoted=bool(self.job.release.escape_formulas))

    def fitted(self, frame: pl.DataFrame, n_records: int) -> pl.DataFrame:
        """Return a table with texts as the format keeps them, or raise a SpecError if it cannot hold its release."""
        if self.job.target is None:
            writer = FORMATS[self.job.release.format]()
            for part in self.parts:
                writer.check(self.columns(part), n_records)
        return self.kept_texts(frame)

    def kept_texts(self, frame: pl.DataFrame) -> pl.DataFrame:
        """Return a table with what the release keeps of its texts: masks, and no spaces at the end in some formats.

        What leaves as a pseudonym stays as it is: its pseudonym is the same in all formats.
        """
        padded = self.job.target is None and FORMATS[self.job.release.format].padded
        masks = {name: one.mask for name, one in self.job.columns.items() if one.mask is not None}
        if not padded and not masks:
            return frame
        columns = [masked(column, masks[column.name]) if column.name in masks else column for column in frame]
        whole = self.job.pseudonyms
        return pl.DataFrame([_without_spaces(one) if padded and one.name not in whole else one for one in columns])

    def keeps(self, kind: ColumnType, values: Sequence[str]) -> bool:
        """Tell whether a column is written in its type, as far as what is written has types: CSV is text alone."""
        target = self.job.target
        if target is not None:
            return target.database.keeps(kind, values)
        writer = FORMATS[self.job.release.format]()
        return writer.delimited or writer.keeps(kind, values)

    def check_free(self, *, force: bool = False) -> None:
        """Raise a SpecError if the release is to be tables of a database that may not be made."""
        source = self.job.input.location(self.job.folder)
        for part in self.parts:
            target = self._table(part)
            if target is None:
                return
            if source is not None and target.same(source):
                raise SpecError("The release cannot replace its input table. Choose another name.")
            target.check_free(self.columns(part), force=force)

    @contextmanager
    def writing(self, *, force: bool = False) -> Iterator[Targets]:
        """Tell where the parts are to be put; tables of a database last if all goes well until this is left.

        Args:
            force: Whether earlier tables may be replaced.
        """
        target = self.job.target
        if target is None:
            yield self._new_file
            return
        self.check_free(force=force)
        with target.database.session(writes=True) as session:

            def table(part: Part, codebook: Codebook, types: Types) -> Target:
                name = self.location(part).name
                location = OpenTable(session, target.database, name)
                return Target(location, lambda parts: session.write_typed(_whole(parts), name, types, replace=force))

            yield table
            if force and self._left(session):
                session.drop(sibling_table(target.table, "_clusters"))
            session.commit()

    def _left(self, session: Session) -> bool:
        """Tell whether an earlier release left a table of clusters that is none of this one's."""
        target, source = self.job.target, self.job.input.location(self.job.folder)
        if target is None or len(self.parts) > 1:
            return False
        left = TableLocation(target.database, sibling_table(target.table, "_clusters"))
        if (source is not None and left.same(source)) or not session.exists(left.table):
            return False
        return set(session.columns(left.table)) == set(self.columns("clusters"))

    def _new_file(self, part: Part, codebook: Codebook, types: Types) -> Target:
        parted = self._folder(part)
        if parted is not None:
            return folder_target(parted, self.job.release.format, types)
        file, writer = self._file(part), FORMATS[self.job.release.format]()

        def put(parts: Iterator[pl.DataFrame]) -> None:
            frame = _whole(parts)
            if file.quoted:
                frame, named = quoted_frame(frame), {quoted(name): one for name, one in types.items()}
            else:
                named = dict(types)
            writer.write_typed(frame, file.path, named, file.given, codebook)

        return Target(file, put)


def parts_of_shape(shape: Shape | None) -> tuple[Part, ...]:
    """Return what is released in a shape; None is one without clusters."""
    return ("records", "clusters") if shape == "both" else (shape or "records",)


def columns_of_part(part: Part, columns: Mapping[str, ColumnRequest]) -> list[str]:
    """Return the columns of a part, by the roles of those of the table."""
    if part == "records":
        return [name for name, column in columns.items() if column.leaves]
    told = [name for role in (Role.QUASI, Role.SENSITIVE) for name, column in columns.items() if column.role is role]
    return [*told, *own_names(told)]


def _whole(parts: Iterator[pl.DataFrame]) -> pl.DataFrame:
    """Return a table that comes in parts."""
    return pl.concat(list(parts), how="vertical")


def _without_spaces(column: pl.Series) -> pl.Series:
    """Return a column without the spaces at the end of its texts, and without texts of spaces alone."""
    plain = column.alias("")  # its own name may be a pattern to polars
    different = plain.unique().drop_nulls().cast(pl.String)
    changed = different.str.strip_chars_end(" ").replace("", None)
    if changed.equals(different):
        return column
    texts = plain.cast(pl.String).replace_strict(different, changed, default=None, return_dtype=pl.String)
    return texts.cast(column.dtype).alias(column.name)
