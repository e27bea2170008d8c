"""The entry of the GitHub Action: `shoal check --require` by what the environment says, with its exit code."""

import json
import os
import subprocess
import sys


def main() -> int:
    """Check the table, print what a person reads in the log, and pass the figures on to later steps."""
    command = ["shoal", "check", "--quiet", "--json", f"--quasi={asked('QUASI')}"]
    for flag in ("sensitive", "entity"):
        if asked(flag.upper()):
            command.append(f"--{flag}={asked(flag.upper())}")
    promises = [line.strip() for line in asked("REQUIRE").splitlines() if line.strip()]
    if not promises:
        print("Nothing is required: give at least one promise, such as k-anonymity:k=5.", file=sys.stderr)
        return 2
    command += [f"--require={promise}" for promise in promises]
    ran = subprocess.run(  # noqa: S603  (arguments, and no line for a shell)
        [*command, "--", asked("FILE")], stdout=subprocess.PIPE, text=True, check=False
    )
    if ran.returncode in (0, 4):
        tell(json.loads(ran.stdout))
    return ran.returncode


def asked(name: str) -> str:
    """Return an input of the action."""
    return os.environ.get(f"SHOAL_{name}", "").strip()


def tell(found: dict[str, object]) -> None:
    """Print each promise, and hand k and the verdict to later steps."""
    claims = found["claims"]
    assert isinstance(claims, list)  # noqa: S101  (as `shoal check --json` writes it)
    for claim in claims:
        verdict = "holds" if claim["holds"] else "FAILS"
        print(f"{claim['model']}: asked {claim['asked']}, found {claim['achieved']}: {verdict}")
    target = os.environ.get("GITHUB_OUTPUT")
    if target:
        holds = all(claim["holds"] for claim in claims)
        with open(target, "a", encoding="utf-8") as file:  # noqa: PTH123  (the name is that of the runner)
            file.write(f"k={found['k']}\nholds={str(holds).lower()}\n")


if __name__ == "__main__":
    sys.exit(main())
