"""What an algorithm is: it turns a problem into a solution."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

from shoal.clusters.objectives import Objective
from shoal.foundation.checked_fields import check_fields
from shoal.foundation.progress import Progress, silent
from shoal.search.problem import Problem, Solution


@dataclass(frozen=True, slots=True, kw_only=True)
class Algorithm(ABC):
    """A way to find classes; its fields are its parameters.

    `local`: each class is recoded on its own. `alike`: equal values of a column are recoded alike in all classes, to
    nodes or ranges of any level. If neither is set, all records are generalized alike, to one level in each column.

    `one_level`: each column is published at one level, or, in some classes, as a star; a `local` recoding with no other
    cells, so that its bound and its optimum are those of such releases.

    `objective`: what is minimized by an algorithm that publishes each class as a cluster: its centre instead of a
    coarser cell. Otherwise it is the measure of the problem.

    `whole`: a column is published as it is, or starred as a whole.

    `most_k`: the largest k that it takes, if there is one.

    `weighs`: with sampling weights, its search and its bound go by the weighted loss.
    """

    name: ClassVar[str]
    reference: ClassVar[str]
    local: ClassVar[bool] = False
    alike: ClassVar[bool] = False
    one_level: ClassVar[bool] = False
    whole: ClassVar[bool] = False
    most_k: ClassVar[int | None] = None
    weighs: ClassVar[bool] = False
    objective: ClassVar[Objective | None] = None

    def __post_init__(self) -> None:
        """Check the parameters where they are written."""
        check_fields(self)

    @property
    def centre_places(self) -> str:
        """Where the centres of clusters may lie, of those that its bound is compared with."""
        return "anywhere"

    @property
    def cluster_cost(self) -> float:
        """What each cluster costs beside the distances of its records."""
        return 0.0

    @property
    def by_class(self) -> bool:
        """Whether it looks at one class at a time, and not at all classes of a generalization together."""
        return self.local or self.alike or self.objective is not None

    def answer(self, problem: Problem, progress: Progress = silent) -> Solution:
        """Solve a problem whatever its promises look at: see `search/by_class.py` for those about the whole release."""
        from shoal.search.by_class import answered  # needs bounds, which full-domain algorithms do not

        return answered(self.solve, problem, progress) if self.by_class else self.solve(problem, progress)

    @abstractmethod
    def solve(self, problem: Problem, progress: Progress = silent) -> Solution:
        """Return a release of the problem's table that keeps all promises, or raise an InfeasibleError."""
