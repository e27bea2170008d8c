"""`shoal schema`."""

from shoal.cli.show import print_json


def schema() -> None:
    """Print the JSON schema of job files."""
    from shoal.job import Job

    print_json(Job.model_json_schema())
