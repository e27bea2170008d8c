"""Trials: what was tried of a project, side by side: in words, as figures, and as a picture of risk and loss."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from shoal.actions.comparison.outcomes import Standing
from shoal.reports.frontier import Point, frontier_picture
from shoal.web.figures import decimal, percent
from shoal.web.projects import Project
from shoal.web.settings import Setting, scale_of, tried
from shoal.web.texts import Translate

THRESHOLD = Fraction("0.09")
"""The risk that the picture marks: the one that is often asked of data about health."""


@dataclass(frozen=True, slots=True)
class TriedSetting:
    """A setting that has a release.

    Args:
        number: The number of its folder.
        words: What was changed of the job, in words.
        figures: What came of it, as it was kept.
        present: Whether it was made of the present state of the project.
        comparable: Whether its loss means the same as that of the project as it stands.
        beaten: Whether another one that it can be compared with is at least as good in everything, and better in one.
    """

    number: int
    words: Sequence[str]
    figures: Mapping[str, Any]
    present: bool
    comparable: bool
    beaten: bool = False


def all_tried(project: Project, t: Translate) -> list[TriedSetting]:
    """Return all settings that have a release, the newest first."""
    found, version, scale = tried(project), project.version, scale_of(project, {})
    standings = {number: _standing(one, found) for number, one in found.items()}
    return [
        TriedSetting(
            number,
            setting_words(one["setting"], t) or [t("trials.as_it_stands")],
            one,
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


def setting_words(setting: Setting, t: Translate) -> list[str]:
    """Return what a setting changes of the job, a few words for each."""
    words = []
    if "k" in setting:
        words.append(f"k = {setting['k']}")
    words += [str(setting[name]) for name in ("algorithm", "measure") if name in setting]
    if "max_suppressed" in setting:
        words.append(t("trials.at_most", share=percent(setting["max_suppressed"], t)))
    return words + [t("trials.without", name=name) for name in setting.get("omit", ())]


def gap(one: Mapping[str, Any], t: Translate) -> str:
    """Return how far a release is proven to be from the least loss of its kind."""
    if one["algorithm"]["guarantee"] == "optimal":
        return t("trials.optimal")
    ratio = one["loss"]["ratio"]
    return t("trials.unknown") if ratio is None else t("trials.ratio", ratio=decimal(float(ratio), t))


def picture(trials: Sequence[TriedSetting], failed: int) -> str:
    """Return the comparable ones by risk and loss as SVG; each leads to its page."""
    shown = sorted((one for one in trials if one.comparable), key=lambda one: one.number)
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
    return frontier_picture(points, shown[0].figures["loss"]["measure"], THRESHOLD, failed)
