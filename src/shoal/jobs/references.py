"""References: what may be asked beside a promise that compares classes with the input."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from shoal.tables.table import Role

if TYPE_CHECKING:
    from shoal.jobs.job import Job


def reference_errors(job: "Job") -> Iterator[str]:
    """Say what stands in the way of comparing classes with the input, of which a release holds a part."""
    asked = [promise for promise in job.require if promise.of_input]
    if not asked or job.search.max_suppressed == 0:
        return
    said = f"{asked[0].name} compares classes with the input (against = 'input')"
    for promise in job.require:
        if promise.relative and not promise.of_input:
            yield f"{said}, and {promise.name} looks at what is released: ask both for the same, or for one of them"
        if promise.population_file is not None:
            yield f"{said}, and the suppressed records are no cell of the outside table of {promise.name}"
    others = {
        "missing = 'wildcard' lets classes overlap": job.input.missing == "wildcard",
        "blind = true suppresses classes by their values": bool(job.search.blind),
        "the algorithm publishes clusters": job.objective is not None,
        "a series compares its releases": job.series is not None,
        "a column has the role 'entity', so that classes have persons in common": bool(job.names(Role.ENTITY)),
    }
    yield from (f"{said}, and {words}: choose one of them" for words, given in others.items() if given)
