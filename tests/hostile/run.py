"""Runs the whole corpus, and prints the figures: `python -m tests.hostile.run [words of names]`."""

import sys
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.hostile.case import Case
from tests.hostile.child import Outcome, Runner
from tests.hostile.corpus import corpus
from tests.hostile.material import material

WORKERS = 2


def main() -> int:
    """Run the cases whose names have one of the words, all if there is none."""
    words = sys.argv[1:]
    cases = [case for case in corpus() if not words or any(word in str(case) for word in words)]
    material()
    with ThreadPoolExecutor(WORKERS) as pool:
        outcomes = [one for part in pool.map(_tried, (cases[n::WORKERS] for n in range(WORKERS))) for one in part]
    _tell(outcomes)
    return int(any(one.faults for one in outcomes))


def _tried(cases: Sequence[Case]) -> list[Outcome]:
    outcomes = []
    with Runner() as runner:
        for case in cases:
            with TemporaryDirectory(prefix="hostile-case-") as folder:
                outcome = runner.run(case, Path(folder))
            if outcome.faults:
                print(f"FAILED {case}: {', '.join(outcome.faults)}: {outcome.text.strip()[-300:]}", flush=True)
            outcomes.append(outcome)
    return outcomes


def _tell(outcomes: list[Outcome]) -> None:
    tried = Counter(one.case.kind for one in outcomes)
    failed = Counter(one.case.kind for one in outcomes if one.faults)
    print(f"\n{'kind':<12} {'tried':>6} {'failed':>6}  exit codes")
    for kind in tried:
        codes = Counter(one.code for one in outcomes if one.case.kind == kind)
        shown = ", ".join(f"{code}: {count}" for code, count in sorted(codes.items()))
        print(f"{kind:<12} {tried[kind]:>6} {failed[kind]:>6}  {shown}")
    print(f"{'all':<12} {len(outcomes):>6} {sum(failed.values()):>6}")
    for title, ordered in (
        ("slowest", sorted(outcomes, key=lambda one: -one.seconds)),
        ("largest", sorted(outcomes, key=lambda one: -one.megabytes)),
    ):
        print(title)
        for one in ordered[:5]:
            print(f"  {one.seconds:5.1f} s  {one.wall:5.1f} s wall  {one.megabytes:6.0f} MB  {one.case}")


if __name__ == "__main__":
    sys.exit(main())
