"""Schema: what may stand in a job file, or in the rules of a release, as JSON Schema."""

from typing import Any, Literal, get_args

from shoal.foundation.errors import SpecError
from shoal.foundation.given import checked
from shoal.jobs.job import Job
from shoal.releases.rules.rules import Rules

Described = Literal["job", "rules"]


@checked
def schema(what: Described = "job") -> dict[str, Any]:
    """Return the JSON schema of job files, or of rules."""
    if what not in get_args(Described):
        raise SpecError(f"There is no schema of '{what}': known are {', '.join(get_args(Described))}.")
    return (Job if what == "job" else Rules).model_json_schema()
