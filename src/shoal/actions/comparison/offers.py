"""Offers: every release of a comparison is offered to every other setting that it meets."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from shoal.actions.comparison.outcomes import DECIMALS, Figures, SettingOutcome
from shoal.actions.comparison.settings import Grid
from shoal.models.k_anonymity import KAnonymity


def with_offers(outcomes: Sequence[SettingOutcome], grid: Grid) -> tuple[SettingOutcome, ...]:
    """Return the outcomes, each with the release that loses least of all that meet its setting.

    A search proves no optimum as a rule, and may find less under a setting that asks for more. Such a release is taken
    from another setting if that asks for the same algorithm and the same measure; its classes, its suppressed records
    and the promises that it keeps are those that the setting asks for; and what the search lowers is lower. The job of
    that setting makes it, and is kept for both. The bound remains that of the setting: it holds for all releases that
    meet it. Of those that lose equally little the own one stays, then the first is taken. Blind releases and clusters
    stay as they are: which blind one is released must not depend on what was suppressed.

    Args:
        outcomes: The outcomes, in any number.
        grid: The settings.
    """
    return tuple(_best(one, outcomes, grid) for one in outcomes)


def _best(own: SettingOutcome, outcomes: Sequence[SettingOutcome], grid: Grid) -> SettingOutcome:
    best, least = own, None if own.figures is None else _lost(own.figures)
    if own.failed == "refused" or own.setting.job.search.blind:
        return own
    for other in outcomes:
        if other.figures is not None and _meets(other, other.figures, own, grid):
            lost = _lost(other.figures)
            if least is None or lost < least:
                best, least = _taken(own, other, other.figures), lost
    return best


def _lost(figures: Figures) -> float:
    """Return what the search lowers, rounded for comparisons."""
    return round(figures.lowered_share, DECIMALS)


def _meets(other: SettingOutcome, figures: Figures, own: SettingOutcome, grid: Grid) -> bool:
    """Tell whether the release of a setting is one that another setting allows."""
    mine, asked = other.setting, own.setting
    if (mine.algorithm, mine.measure) != (asked.algorithm, asked.measure) or figures.recoding == "centres":
        return False
    least = max((one.least_size for one in asked.job.require if isinstance(one, KAnonymity)), default=1)
    few = figures.gone <= Fraction(asked.job.search.max_suppressed)
    return few and figures.smallest >= least and figures.kept >= grid.asked(asked.number)


def _taken(own: SettingOutcome, other: SettingOutcome, figures: Figures) -> SettingOutcome:
    """Return the outcome of a setting with the release of another one."""
    before = own.figures
    bound = None if before is None else before.bound
    told = replace(
        figures,
        bound=bound,
        ratio=figures.lowered_total / bound if bound else None,
        guarantee="none" if before is None else before.guarantee,
        remark=f"found by setting {other.setting.number}, {other.setting.label}, whose job makes it",
    )
    return SettingOutcome(own.setting, told, found_by=other.setting)
