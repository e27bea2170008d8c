"""What may be asked of a release of clusters, and of which algorithms and promises."""

from collections.abc import Sequence

from shoal.clusters.cluster_table import Radius, Shape, ValuesOption
from shoal.models.model import PrivacyModel
from shoal.search.algorithms import ALGORITHMS
from shoal.search.algorithms.algorithm import Algorithm


def shape_errors(
    algorithm: Algorithm | None,
    promises: Sequence[PrivacyModel],
    shape: Shape | None,
    radius: Radius | None,
    values: ValuesOption | None,
) -> list[str]:
    """Say what is asked of a table of clusters that is not released, or that it cannot tell.

    Args:
        algorithm: The algorithm, or None for `auto`.
        promises: What is to be proven.
        shape: What is to be released, None if nothing was said; so `radius` and `values`.
        radius: Which radii it is to tell.
        values: How it is to tell sensitive values.
    """
    asked = {"shape": shape, "radius": radius, "values": values}
    given = [f"release.{key}" for key, value in asked.items() if value is not None]
    if algorithm is None or algorithm.objective is None:
        if not given:
            return []  # and no algorithm is imported to be listed
        known = ", ".join(f"'{member.name}'" for member in ALGORITHMS if member.objective is not None)
        name = "auto" if algorithm is None else algorithm.name
        return [
            f"{key} is for algorithms that publish clusters ({known}), and '{name}' publishes none: leave it out, or "
            "choose one of these"
            for key in given
        ]
    if shape == "records":
        return [f"{key} is for the table of clusters, which shape = 'records' leaves out" for key in given[1:]]
    if shape != "clusters":
        return []
    told = values or "multiset"
    return [
        f"{promise.name} cannot be proven from {told}s of each column alone: choose "
        + ("values = 'multiset' or shape = 'both'" if promise.told_by("multiset") else "shape = 'both' or 'records'")
        for promise in promises
        if not promise.told_by(told)
    ]
