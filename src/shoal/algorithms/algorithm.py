"""What an algorithm is: it turns a problem into a solution."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

from shoal.problem import Problem, Solution
from shoal.progress import Progress, silent


@dataclass(frozen=True, slots=True, kw_only=True)
class Algorithm(ABC):
    """A way to find classes; its fields are its parameters.

    `local`: each class is recoded for itself. `alike`: equal values of a column are recoded alike wherever they
    stand, to nodes or ranges of any level. Else all records are generalized alike, to one level in each column.
    """

    name: ClassVar[str]
    reference: ClassVar[str]
    local: ClassVar[bool] = False
    alike: ClassVar[bool] = False

    @abstractmethod
    def solve(self, problem: Problem, progress: Progress = silent) -> Solution:
        """Return a release of the problem's table that keeps all promises, or raise an InfeasibleError."""
