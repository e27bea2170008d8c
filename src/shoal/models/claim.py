"""A claim: a promise with what was asked and what is reached, as a certificate states it."""

from pathlib import PurePath

from shoal.models.model import Measured, PrivacyModel


def claim_of(
    model: PrivacyModel, achieved: Measured, *, holds: bool, strict: Measured | None = None
) -> dict[str, object]:
    """Return a promise with what was asked and achieved, as a certificate states it.

    A model with one threshold states it as a number; one with several, by their names. Files are named
    without their folders.

    Args:
        model: The promise.
        achieved: What is reached.
        holds: Whether that is enough.
        strict: What is reached if missing values count as values of their own, where they do not.
    """

    def plain(values: Measured) -> object:
        return next(iter(values.values())) if len(values) == 1 else dict(values)

    parameters = model.parameters
    for key in model.files:
        if key in parameters:
            parameters[key] = PurePath(str(parameters[key])).name
    return {
        "model": model.name,
        "parameters": parameters,
        "asked": plain(model.asked),
        "achieved": plain(achieved),
        **({} if strict is None else {"strict": plain(strict)}),
        "holds": holds,
        **({"estimated": True} if model.estimated else {}),
    }
