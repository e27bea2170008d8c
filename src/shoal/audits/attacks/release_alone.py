"""The attacks that need the release alone, and nothing that an attacker knows beside it."""

from collections.abc import Sequence
from fractions import Fraction

from shoal.audits.attacks.background_knowledge import BackgroundKnowledge, background_knowledge
from shoal.audits.attacks.homogeneity import Homogeneity, homogeneity
from shoal.audits.attacks.similarity import WIDTHS, Similarity, similarity
from shoal.audits.attacks.skewness import GAINS, Skewness, skewness
from shoal.classes.observed import Observed
from shoal.foundation.errors import SpecError

Seen = Homogeneity | BackgroundKnowledge | Skewness | Similarity


def against_column(
    observed: Observed,
    quasi: Sequence[str],
    column: str,
    *,
    wanted: Sequence[str] = (),
    rule_out: int = 2,
    gain: Fraction = GAINS[-1],
    width: Fraction = WIDTHS[2],
    others_known: bool = False,
    categories: bool = False,
) -> tuple[list[Seen], str | None]:
    """Run the attacks that need the release alone on one of its sensitive columns.

    Args:
        observed: The release.
        quasi: The names of its quasi columns.
        column: The sensitive column.
        wanted: The attacks to run, by name; all if empty.
        rule_out: The largest number of values that are ruled out.
        gain: The gain from which a class counts as exposed by skewness.
        width: The share of the whole range within which a class counts as exposed by similarity.
        others_known: Whether the other sensitive columns of a person are known.
        categories: Whether the values of the column are names, though they may look like numbers.

    Returns:
        What was found, and why similarity could not be tried, if it could not.
    """
    found: list[Seen] = []
    reason = None
    if not wanted or Homogeneity.name in wanted:
        found.append(homogeneity(observed, quasi, column, others_known=others_known))
    if not wanted or BackgroundKnowledge.name in wanted:
        found.append(background_knowledge(observed, quasi, column, rule_out=rule_out, others_known=others_known))
    if not wanted or Skewness.name in wanted:
        found.append(skewness(observed, quasi, column, gain=gain, others_known=others_known))
    if not wanted or Similarity.name in wanted:
        try:
            found += similarity(observed, quasi, column, width=width, others_known=others_known, categories=categories)
        except SpecError as error:
            reason = str(error)
    return found, reason
