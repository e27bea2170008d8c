"""Comparing: the tries of a project side by side, and as a picture of risk and loss."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from shoal.actions.comparison.outcomes import Standing
from shoal.reports.drawing.frontier import Point, frontier_picture
from shoal.web.figures import decimal, wording
from shoal.web.projects import Project
from shoal.web.settings import scale_of, setting_words
from shoal.web.texts import Translate
from shoal.web.tries import Try, folder_of, tried

THRESHOLD = Fraction("0.09")
"""The risk that the picture marks: the one that is often asked of data about health."""


@dataclass(frozen=True, slots=True)
class ComparedTry:
    """A try beside the others.

    Args:
        made: The try.
        words: What was changed of the job, in words.
        present: Whether it was made of the present state of the project.
        comparable: Whether its loss means the same as that of the project as it stands.
        beaten: Whether another one that it can be compared with is at least as good in everything, and better in one.
    """

    made: Try
    words: Sequence[str]
    present: bool
    comparable: bool
    beaten: bool = False

    @property
    def number(self) -> int:
        """The number of the try."""
        return self.made.number

    @property
    def figures(self) -> Mapping[str, Any]:
        """What came of it."""
        return self.made.told


def all_compared(project: Project, t: Translate) -> list[ComparedTry]:
    """Return all tries of settings, the newest first."""
    found, version, scale = tried(project), project.version, scale_of(project, {})
    standings = {number: _standing(one, found) for number, one in found.items()}
    return [
        ComparedTry(
            Try(number, folder_of(project, number), one),
            setting_words(one["setting"], t) or [t("trials.as_it_stands")],
            one["version"] == version,
            one["scale"] == scale,
            any(
                standings[other].dominates(standings[number])
                for other, rival in found.items()
                if rival["scale"] == one["scale"]
            ),
        )
        for number, one in sorted(found.items(), reverse=True)
    ]


def _standing(one: Mapping[str, Any], found: Mapping[int, Mapping[str, Any]]) -> Standing:
    """Return by what a release is compared; promises are told by their numbers among all that were asked of any."""
    promises = sorted({promise for other in found.values() for promise in other["promises"]})
    kept = frozenset(promises.index(promise) for promise in one["promises"])
    return Standing(loss=one["loss"]["share"], smallest=one["classes"]["smallest"], kept=kept)


def gap(one: Mapping[str, Any], t: Translate) -> str:
    """Return how far a release is proven to be from the least loss of its kind."""
    if one["algorithm"]["guarantee"] == "optimal":
        return t("trials.optimal")
    ratio = one["loss"]["ratio"]
    return t("trials.unknown") if ratio is None else t("trials.ratio", ratio=decimal(float(ratio), t))


def picture(tries: Sequence[ComparedTry], failed: int, t: Translate) -> str:
    """Return the comparable ones by risk and loss as SVG; each leads to its page."""
    shown = sorted((one for one in tries if one.comparable), key=lambda one: one.number)
    points = [
        Point(
            one.figures["algorithm"]["name"],
            f"{one.number}: k {one.figures['k']}" if one.figures["k"] else str(one.number),
            one.figures["classes"]["smallest"],
            one.figures["loss"]["share"],
            not one.beaten,
            tuple(one.figures["promises"]),
            f"/try/{one.number}",
        )
        for one in shown
    ]
    return frontier_picture(points, shown[0].figures["loss"]["measure"], THRESHOLD, failed, wording(t))
