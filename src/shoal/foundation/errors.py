"""Every exception that shoal raises on purpose."""

from collections.abc import Mapping
from typing import Any


class ShoalError(Exception):
    """The parent of all of them; `exit_code` is what the command line returns."""

    exit_code = 1


class SpecError(ShoalError):
    """The request or the input is at fault: what, where, what is allowed, what to do."""

    exit_code = 2


class EmptyTableError(SpecError):
    """A table has no records; a part of a larger one may have none."""


class FieldError(SpecError, ValueError):
    """A parameter of a member of a shelf is at fault; pydantic gathers it with all else that is wrong in a job."""


class MissingExtraError(SpecError):
    """A package of an extra is not installed."""

    def __init__(self, package: str, extra: str) -> None:
        super().__init__(f"This needs the package '{package}'. Install it with: pip install 'shoal[{extra}]'")


class InfeasibleError(ShoalError):
    """No release exists that meets the request; `diagnosis` carries what was best."""

    exit_code = 3

    def __init__(self, message: str, diagnosis: Mapping[str, Any] | None = None) -> None:
        super().__init__(message)
        self.diagnosis = dict(diagnosis or {})


class SolverError(ShoalError):
    """The solver of programs gave up for a reason that is neither its time limit nor the program."""


class CertificateError(ShoalError):
    """The written file does not keep what was promised, so nothing is published; `diagnosis` tells more, in figures."""

    exit_code = 4

    def __init__(self, message: str, diagnosis: Mapping[str, Any] | None = None) -> None:
        super().__init__(message)
        self.diagnosis = dict(diagnosis or {})


class PluginWarning(UserWarning):
    """A member that another package adds to a shelf cannot be used, and is left out."""
