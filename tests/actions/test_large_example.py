"""The example of ten million records runs by every engine, as its page says."""

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import shoal

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "insured"

pytestmark = pytest.mark.engines


def run(line: str, place: Path) -> None:
    """Run a line of the page; `shoal` and `python` are those of the tests."""
    program, *arguments = shlex.split(line)
    command = [sys.executable, *(["-m", "shoal"] if program == "shoal" else []), *arguments]
    ran = subprocess.run(command, cwd=place, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, f"{line}\n{ran.stderr}"


def test_ten_million_records_by_every_engine(tmp_path: Path) -> None:
    shutil.copytree(EXAMPLE, tmp_path / "examples/insured", ignore=shutil.ignore_patterns("members", "release"))
    (block,) = re.findall(r"^```bash\n(.*?)^```$", (EXAMPLE / "README.md").read_text(encoding="utf-8"), re.M | re.S)
    lines = block.splitlines()
    for line in lines:
        run(line, tmp_path)
    counted = tmp_path / "examples/insured/release"
    for engine in ("spark", "local"):
        other = lines[1].replace("insured/release", f"insured/{engine}") + f" --engine {engine}"
        run(other, tmp_path)
    certificates = [shoal.verify(tmp_path / "examples/insured" / name) for name in ("release", "spark", "local")]
    assert {one.verdict for one in certificates} == {"all claims hold"}
    for path in sorted((counted / "public/data").iterdir()):
        assert path.read_bytes() == (tmp_path / "examples/insured/spark/public/data" / path.name).read_bytes()
    quasi = ["age", "sex", "area", "marital_status", "plan"]
    found = [
        shoal.check(place, quasi=quasi, sensitive=["care"])
        for place in (counted / "public/data", tmp_path / "examples/insured/local/public/data.parquet")
    ]
    assert found[0] == found[1]
