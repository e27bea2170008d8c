"""shoal: release a table about persons so that every record hides in a shoal of at least k.

The front door: names are imported when they are first used, so that `import shoal` costs nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from shoal.api import anonymize, attack, check, frontier, minimal_generalizations
    from shoal.applying import apply
    from shoal.errors import CertificateError, InfeasibleError, MissingExtraError, ShoalError, SpecError
    from shoal.exposure import risk, singling_out
    from shoal.job import Job
    from shoal.measures import *  # noqa: F403
    from shoal.models import *  # noqa: F403
    from shoal.pipeline import run
    from shoal.release import Release
    from shoal.suggestions.proposal import Proposal, init
    from shoal.suggestions.sheet import Sheet, hierarchy
    from shoal.trial import compare
    from shoal.usefulness import utility
    from shoal.verification import verify

_ROOMS = {
    "anonymize": "shoal.api",
    "apply": "shoal.applying",
    "attack": "shoal.api",
    "check": "shoal.api",
    "compare": "shoal.trial",
    "frontier": "shoal.api",
    "minimal_generalizations": "shoal.api",
    "risk": "shoal.exposure",
    "singling_out": "shoal.exposure",
    "utility": "shoal.usefulness",
    "init": "shoal.suggestions.proposal",
    "Proposal": "shoal.suggestions.proposal",
    "hierarchy": "shoal.suggestions.sheet",
    "Sheet": "shoal.suggestions.sheet",
    "verify": "shoal.verification",
    "run": "shoal.pipeline",
    "Job": "shoal.job",
    "Release": "shoal.release",
    "ShoalError": "shoal.errors",
    "SpecError": "shoal.errors",
    "InfeasibleError": "shoal.errors",
    "CertificateError": "shoal.errors",
    "MissingExtraError": "shoal.errors",
}
_SHELVES = ("shoal.models", "shoal.measures")

__all__ = [
    "CertificateError",
    "InfeasibleError",
    "Job",
    "MissingExtraError",
    "Proposal",
    "Release",
    "Sheet",
    "ShoalError",
    "SpecError",
    "anonymize",
    "apply",
    "attack",
    "check",
    "compare",
    "frontier",
    "hierarchy",
    "init",
    "minimal_generalizations",
    "risk",
    "run",
    "singling_out",
    "utility",
    "verify",
]


def __getattr__(name: str) -> Any:
    """Import the room of a name, or find it on the shelves of models and measures."""
    if name.startswith("_"):
        raise AttributeError(f"module 'shoal' has no attribute '{name}'")
    for room in (_ROOMS[name],) if name in _ROOMS else _SHELVES:
        module = import_module(room)
        if name in _ROOMS or name in module.__all__:
            return getattr(module, name)
    raise AttributeError(f"module 'shoal' has no attribute '{name}'")


def __dir__() -> list[str]:
    shelves = [name for room in _SHELVES for name in import_module(room).__all__]
    return sorted({*__all__, *shelves})
