"""Comparison: several settings of one table side by side, and those that no other dominates."""

from dataclasses import dataclass
from fractions import Fraction
from html import escape
from pathlib import Path
from typing import Any

import polars as pl

from shoal.actions.comparison.outcomes import Figures, SettingOutcome, dominators
from shoal.audits.risk.thresholds import k_for
from shoal.foundation.atomic_write import check_folder, write_folder
from shoal.foundation.given import checked
from shoal.reports.drawing.drawing import Drawing
from shoal.reports.drawing.frontier import Point, frontier_picture


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """The outcomes of several settings of one table.

    Args:
        outcomes: One for each setting, in the order of the grid; not all if it was interrupted.
        measure: The measure of all losses.
        threshold: The risk threshold of `above`.
        seed: The seed of all settings.
        n_settings: The number of settings in total.
        n_promises: The number of promises that differ among them, except k-anonymity.
    """

    outcomes: tuple[SettingOutcome, ...]
    measure: str
    threshold: Fraction
    seed: int | None
    n_settings: int
    n_promises: int = 0

    @property
    def undominated(self) -> tuple[SettingOutcome, ...]:
        """The outcomes that no other dominates."""
        beaten = dominators(self.outcomes)
        return tuple(one for one, by in zip(self.outcomes, beaten, strict=True) if one.figures is not None and not by)

    def as_dict(self) -> dict[str, Any]:
        """Return the comparison as JSON."""
        judged = ["highest prosecutor risk", f"loss by {self.measure}"]
        return {
            "measure": self.measure,
            "threshold": {"risk": float(self.threshold), "k": k_for(self.threshold)},
            "judged_by": [*judged, *(["promises kept"] if self.n_promises else [])],
            "seed": self.seed,
            "complete": len(self.outcomes) == self.n_settings,
            "settings": [
                _told(one, by) | {"message": one.message, "diagnosis": dict(one.diagnosis)}
                for one, by in zip(self.outcomes, dominators(self.outcomes), strict=True)
            ],
        }

    @property
    def frame(self) -> pl.DataFrame:
        """The comparison as a table: a row for each setting."""
        rows = [_told(one, by) for one, by in zip(self.outcomes, dominators(self.outcomes), strict=True)]
        texts = {"promises": "; ", "dominated_by": " "}
        return pl.DataFrame(
            [
                {key: texts[key].join(map(str, value)) if key in texts else value for key, value in row.items()}
                for row in rows
            ],
            infer_schema_length=None,
        )

    def svg(self) -> str:
        """Return a picture of the releases by risk and loss, the undominated ones joined; it shows no data."""
        best = set(map(id, self.undominated))
        points = [
            Point(
                one.setting.algorithm,
                one.setting.short,
                one.figures.smallest,
                one.figures.loss,
                id(one) in best,
                one.figures.kept,
            )
            for one in self.outcomes
            if one.figures is not None
        ]
        return frontier_picture(points, self.measure, self.threshold, len(self.outcomes) - len(points))

    @checked
    def plot(self, path: str | Path | None = None) -> Drawing:
        """Return the same picture, which a notebook shows.

        Args:
            path: Where to write it, too.
        """
        drawn = Drawing(self.svg())
        if path is not None:
            drawn.write(path)
        return drawn

    @checked
    def write(self, folder: str | Path, *, force: bool = False) -> None:
        """Write `frontier.csv`, `frontier.svg` and a job file that makes each release, into a folder.

        Args:
            folder: The folder to create.
            force: Whether an existing folder may be replaced.
        """
        target = Path(folder)
        kept = [path for one in self.outcomes for path in one.setting.job.untouched()]
        check_folder(target, kept, force=force)
        write_folder(target, lambda draft: self._write_into(draft, target.absolute() / "jobs"), force=force)

    def _write_into(self, draft: Path, jobs: Path) -> None:
        self.frame.write_csv(draft / "frontier.csv")
        (draft / "frontier.svg").write_text(self.svg(), encoding="utf-8")
        (draft / "jobs").mkdir()
        for one in self.outcomes:
            if one.figures is not None:
                (draft / "jobs" / f"{one.setting.number}.toml").write_bytes(one.made_by.job.toml(jobs).encode())

    def __repr__(self) -> str:
        best = ", ".join(f"'{one.setting.label}'" for one in self.undominated)
        return f"<Comparison: {len(self.outcomes)} settings; not beaten by another: {best or 'none'}>"

    def _repr_html_(self) -> str:
        """Show the picture and the figures in a notebook."""
        shown = (
            "number",
            "setting",
            "verdict",
            "loss",
            "ratio",
            "smallest_class",
            "suppressed",
            "risk_highest",
            "above",
        )
        head = "".join(f"<th>{escape(name)}</th>" for name in shown)
        rows = "".join(
            "<tr>" + "".join(f"<td>{escape(_cell(row[name]))}</td>" for name in shown) + "</tr>"
            for row in self.frame.iter_rows(named=True)
        )
        return f"{self.svg()}<table><tr>{head}</tr>{rows}</table>"


def _cell(value: Any) -> str:
    return "" if value is None else f"{value:.4g}" if isinstance(value, float) else str(value)


def _told(outcome: SettingOutcome, dominated_by: list[int]) -> dict[str, Any]:
    """Return a setting and its figures, each on one line."""
    setting, figures = outcome.setting, outcome.figures
    verdict = outcome.failed or ("dominated" if dominated_by else "undominated")
    return {
        "number": setting.number,
        "setting": setting.label,
        "k": setting.k,
        "algorithm": setting.algorithm,
        "lowered": figures.lowered if figures is not None else setting.measure,
        "max_suppressed": float(setting.job.search.max_suppressed),
        "promises": setting.promises,
        "verdict": verdict,
        "found_by": outcome.made_by.number if figures is not None else None,
        "dominated_by": dominated_by,
        **_numbers(figures),
        "remark": "" if figures is None else figures.remark,
        "reason": outcome.reason,
    }


def _numbers(figures: Figures | None) -> dict[str, Any]:
    names = (
        *("made_by", "recoding", "guarantee", "loss", "lowered_share", "lowered_total", "bound", "ratio"),
        *("records", "released", "suppressed", "classes", "smallest_class", "risk_highest", "risk_average", "above"),
        *("above_share", "seconds"),
    )
    if figures is None:
        return dict.fromkeys(names)
    one = figures
    told = (
        *(one.algorithm, one.recoding, one.guarantee, one.loss, one.lowered_share, one.lowered_total),
        *(one.bound, one.ratio, one.records, one.released, one.suppressed, one.classes, one.smallest),
        *(float(one.highest), float(one.average), one.above, one.above / one.shown, round(one.seconds, 6)),
    )
    return dict(zip(names, told, strict=True))
