"""Runs the tests for dbt in a project of its own on DuckDB, and compares each verdict with `shoal check`.

python tests/bridges/dbt_run.py build/dbt/bin/dbt
"""

import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path

import shoal

PACKAGE = Path(__file__).parents[2] / "packages" / "dbt"
QUASI = ["age", "town"]
PROFILE = "shop:\n  target: here\n  outputs:\n    here: {type: duckdb, path: shop.duckdb}\n"
PROJECT = "name: shop\nversion: 1.0.0\nconfig-version: 2\nprofile: shop\nmodel-paths: [models]\nseed-paths: [seeds]\n"


def table(seed: int) -> list[tuple[str, str, str]]:
    """Draw records; some quasi and some sensitive values are missing."""
    draw = random.Random(seed)  # noqa: S311
    towns, ills = ("Bern", "Genf", ""), ("flu", "cold", "ulcer", "")
    return [(str(draw.choice((30, 40))), draw.choice(towns), draw.choice(ills)) for _ in range(60)]


def main(dbt: Path) -> None:
    """Write a project, run its tests, and end with an error if a verdict differs from ours."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        wanted = written(place)
        for line in (["deps"], ["seed"], ["test"]):
            options = ["--project-dir", folder, "--profiles-dir", folder, "--no-send-anonymous-usage-stats"]
            ran = subprocess.run(
                [dbt.absolute(), *options[4:], *line, *options[:4]],
                cwd=place,
                capture_output=True,
                text=True,
                check=False,
            )
            if line != ["test"] and ran.returncode:
                sys.exit(f"dbt {line[0]} ended with {ran.returncode}:\n{ran.stdout[-3000:]}")
        results = json.loads((place / "target" / "run_results.json").read_text(encoding="utf-8"))["results"]
        statuses = {one["unique_id"].split(".")[2]: one["status"] for one in results}
    wrong = {name: status for name, status in statuses.items() if (status == "pass") != wanted[name]}
    odd = {name: status for name, status in statuses.items() if status not in ("pass", "fail")}
    if wrong or odd or set(statuses) != set(wanted):
        sys.exit(f"These are not as `shoal check` says: {wrong or odd or set(wanted) ^ set(statuses)}")
    passed = sum(wanted.values())
    print(f"{len(wanted)} tests of dbt, {passed} passed and {len(wanted) - passed} failed, each as `shoal check` says")


def written(place: Path) -> dict[str, bool]:
    """Write the project, and return which of its tests should pass."""
    (place / "seeds").mkdir()
    (place / "profiles.yml").write_text(PROFILE, encoding="utf-8")
    (place / "dbt_project.yml").write_text(PROJECT, encoding="utf-8")
    (place / "packages.yml").write_text(f"packages:\n  - local: {PACKAGE}\n", encoding="utf-8")
    described, wanted = ["version: 2", "seeds:"], {}
    for seed in range(3):
        rows, name = table(seed), f"persons_{seed}"
        text = "\n".join(["age,town,ill", *(",".join(row) for row in rows)]) + "\n"
        path = place / "seeds" / f"{name}.csv"
        path.write_text(text, encoding="utf-8")
        found = shoal.check(path, quasi=QUASI, sensitive=["ill"])
        k, shown = int(found["k"]), int(found["sensitive"]["ill"]["distinct_l"])
        described += [f"  - name: {name}", "    data_tests:"]
        for number in (k, k + 1):
            test = f"{name}_k_{number}"
            described.append(f"      - shoal.k_anonymous: {{name: {test}, quasi: {QUASI}, k: {number}}}")
            wanted[test] = number <= k
        described += ["    columns:", "      - name: ill", "        data_tests:"]
        for number in (shown, shown + 1):
            test = f"{name}_l_{number}"
            described.append(f"          - shoal.distinct_l_diverse: {{name: {test}, quasi: {QUASI}, l: {number}}}")
            wanted[test] = number <= shown
    (place / "seeds" / "described.yml").write_text("\n".join(described) + "\n", encoding="utf-8")
    return wanted


if __name__ == "__main__":
    main(Path(sys.argv[1]))
