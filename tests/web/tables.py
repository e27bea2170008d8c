"""A small table, and a project of it."""

from pathlib import Path
from random import Random
from typing import Any

import tomli_w

from shoal.web.projects import Project


def project_of(folder: Path, **changes: Any) -> Project:
    """Write a table of 200 patients and a project beside it."""
    draw = Random(1)  # noqa: S311
    rows = [
        f"{draw.randrange(20, 80)},{draw.choice('mf')},{draw.randrange(4)},{draw.choice(['flu', 'cold', 'gout'])}"
        for _ in range(200)
    ]
    (folder / "table.csv").write_text("\n".join(["age,sex,ward,illness", *rows, ""]))
    content = {
        "input": {"path": "../table.csv"},
        "columns": {
            "age": {"role": "quasi", "hierarchy": {"type": "intervals", "widths": [5, 10, 20]}},
            "sex": {"role": "quasi"},
            "ward": {"role": "quasi"},
            "illness": {"role": "sensitive"},
        },
        "require": [{"model": "k-anonymity", "k": 3}, {"model": "distinct-l-diversity", "l": 2, "column": "illness"}],
        "search": {"max_suppressed": 0.02, "algorithm": "mondrian"},
        **changes,
    }
    project = Project(folder / "project")
    project.folder.mkdir(mode=0o700)
    project.job_file.write_text(tomli_w.dumps(content))
    return project
