from pathlib import Path

from tests.cli.run import done, job_toml, shoal


def test_all_minimal_generalizations_are_listed(tmp_path: Path) -> None:
    job = job_toml(tmp_path)
    found = done("minimal", job, "--json").json["minimal"]
    made = done("anonymize", job, "--algorithm", "incognito", "--out", tmp_path / "out", "--json").json
    assert sorted(map(str, found)) == sorted(map(str, made["algorithm"]["minimal"]))
    assert made["algorithm"]["levels"] in found
    for one in found:
        for other in found:
            assert one is other or any(one[name] < other[name] for name in one)
    assert len(done("minimal", job).out.splitlines()) == len(found)


def test_a_job_that_is_not_there_is_refused(tmp_path: Path) -> None:
    assert shoal("minimal", tmp_path / "no.toml").code == 2


def test_a_strategy_has_one_locally_minimal_generalization(tmp_path: Path) -> None:
    job = job_toml(tmp_path)
    minimal = done("minimal", job, "--json").json["minimal"]
    (found,) = done("minimal", job, "--strategy", "age", "--json").json["minimal"]
    assert any(all(one[name] <= found[name] for name in one) for one in minimal)
    assert shoal("minimal", job, "--strategy", "nothing").code == 2
