"""shoal: release a table about persons so that every record hides in a shoal of at least k.

The front door: names are imported when they are first used, so that `import shoal` costs nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from shoal.actions.anonymize import anonymize, run
    from shoal.actions.apply import apply
    from shoal.actions.attack import attack
    from shoal.actions.check import check
    from shoal.actions.compare import compare
    from shoal.actions.frontier import frontier
    from shoal.actions.hierarchy import Sheet, hierarchy
    from shoal.actions.init import Proposal, init
    from shoal.actions.minimal import minimal_generalizations
    from shoal.actions.risk import risk, singling_out
    from shoal.actions.utility import utility
    from shoal.actions.verify import verify
    from shoal.foundation.errors import CertificateError, InfeasibleError, MissingExtraError, ShoalError, SpecError
    from shoal.jobs.job import Job
    from shoal.jobs.source import table
    from shoal.measures import *  # noqa: F403
    from shoal.models import *  # noqa: F403
    from shoal.releases.release import Release

_ROOMS = {
    "anonymize": "shoal.actions.anonymize",
    "apply": "shoal.actions.apply",
    "attack": "shoal.actions.attack",
    "check": "shoal.actions.check",
    "compare": "shoal.actions.compare",
    "frontier": "shoal.actions.frontier",
    "minimal_generalizations": "shoal.actions.minimal",
    "risk": "shoal.actions.risk",
    "singling_out": "shoal.actions.risk",
    "utility": "shoal.actions.utility",
    "init": "shoal.actions.init",
    "Proposal": "shoal.actions.init",
    "hierarchy": "shoal.actions.hierarchy",
    "Sheet": "shoal.actions.hierarchy",
    "verify": "shoal.actions.verify",
    "table": "shoal.jobs.source",
    "run": "shoal.actions.anonymize",
    "Job": "shoal.jobs.job",
    "Release": "shoal.releases.release",
    "ShoalError": "shoal.foundation.errors",
    "SpecError": "shoal.foundation.errors",
    "InfeasibleError": "shoal.foundation.errors",
    "CertificateError": "shoal.foundation.errors",
    "MissingExtraError": "shoal.foundation.errors",
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
    "table",
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
