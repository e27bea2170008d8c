"""Samples: what is drawn, what is refused, what is said, and what verify sees."""

import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import shoal
from shoal.actions.verification.sampled import largest_excess
from shoal.certificate import sealed, text_of
from shoal.foundation.errors import CertificateError, InfeasibleError, SpecError
from shoal.releases.claims.manifest import PUBLIC_MANIFEST, Manifest
from shoal.releases.sampling.drawing import kept, one_of_each
from shoal.releases.sampling.privacy import delta_of
from shoal.releases.sampling.private_sample import PrivateSample

ASKED: dict[str, Any] = {"epsilon": 1, "delta": "1e-5", "independent": "made of other persons"}


def people(seed: int, n: int) -> pl.DataFrame:
    """Return a table of persons: their age, where they live, whether they are ill."""
    rng = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "id": [f"p{number}" for number in range(n)],
            "age": [str(age) for age in rng.integers(0, 40, n)],
            "town": rng.choice(["north", "south"], n),
            "ill": [("yes", "no", None)[code] for code in rng.integers(0, 3, n)],
        }
    )


def rules_of(**more: Any) -> shoal.Release:
    """Return a full-domain release of other persons."""
    quasi = {"age": {"type": "intervals", "widths": [10, 20]}, "town": "suppression"}
    given: dict[str, Any] = {"quasi": quasi, "sensitive": ["ill"], "drop": ["id"], "k": 60, "algorithm": "optimal"}
    return shoal.anonymize(people(1, 600), **(given | more), seed=1)


@pytest.fixture(scope="module")
def rules() -> shoal.Release:
    return rules_of()


@pytest.fixture(scope="module")
def written(rules: shoal.Release, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("samples") / "sample"
    shoal.sample(rules, people(2, 3000), **ASKED).write(folder)
    return folder


def test_a_sample_is_a_part_of_the_recoded_records_without_small_classes(rules: shoal.Release) -> None:
    raw = people(2, 3000)
    made = shoal.sample(rules, raw, **ASKED)
    level = made.statement.recoding.levels["age"]
    width = {0: 1, 1: 10, 2: 20}[level]
    low = raw["age"].cast(int) // width * width
    whole = raw.with_columns(low.alias("low")).group_by("low", "town", "ill").len()
    drawn = made.data.group_by("age", "town", "ill").len()
    assert drawn["len"].min() >= made.statement.mechanism.k
    assert set(drawn["age"]) <= {f"{one}-{one + width - 1}" for one in set(low)}
    joined = drawn.with_columns(pl.col("age").str.extract(r"^(\d+)").cast(int).alias("low")).join(
        whole, on=["low", "town", "ill"], nulls_equal=True
    )
    assert joined.height == drawn.height
    assert (joined["len"] <= joined["len_right"]).all()
    assert made.data.equals(made.data.sort(made.data.columns, nulls_last=True))  # the order tells nothing
    assert 0.15 < made.data.height / 3000 <= 0.3


def test_each_record_is_recoded_by_itself(rules: shoal.Release) -> None:
    """What a record becomes does not depend on which others are in the table."""
    raw = people(3, 6000).vstack(pl.DataFrame({"id": ["x"], "age": ["strange"], "town": ["north"], "ill": ["no"]}))
    all_kept: dict[str, Any] = {**ASKED, "epsilon": 8, "beta": "0.9", "k": None}
    together = set(shoal.sample(rules, raw, **all_kept).data.iter_rows())
    for part in (raw.filter(pl.col("town") == "north"), raw.filter(pl.col("age").cast(int, strict=False) < 20)):
        assert set(shoal.sample(rules, part, **all_kept).data.iter_rows()) <= together
    assert "strange" not in {value for row in together for value in row}


def test_of_each_person_one_record_is_drawn() -> None:
    raw = people(2, 900)
    twice = pl.concat([raw, raw])
    rules = rules_of(drop=[], entity="id")
    made = shoal.sample(rules, twice, **ASKED)
    assert "id" not in made.data.columns
    assert made.statement.declared.records_per_person == "by the entity column"
    assert made.data.height <= 0.45 * raw.height


def test_draws_have_the_share_and_nobody_is_drawn_twice(seeds: Callable[[int], range]) -> None:
    for _ in seeds(6):
        n, share = 60_000, Fraction(3, 10)
        found = kept(share, n)
        assert abs(found.mean() - 0.3) < 5 * np.sqrt(0.21 / n)
        persons = np.random.default_rng(1).integers(0, 500, 2000)
        assert (
            np.bincount(persons[one_of_each(persons)], minlength=500) == (np.bincount(persons, minlength=500) > 0)
        ).all()


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"seed": 3}, "takes no seed"),
        ({"independent": None}, "made without these persons"),
        ({"independent": "  "}, "made without these persons"),
        ({"epsilon": "0.01"}, "'epsilon' is 0.01"),
        ({"epsilon": "much"}, "'epsilon' is not a number"),
        ({"delta": 0.5}, "'delta' is 0.5"),
        ({"beta": "0.7"}, r"must be below 0\.632"),
        ({"beta": 1}, "above 0 and below 1"),
        ({"k": 3}, "that needs k = 11"),
        ({"k": 0}, "'k' is 0"),
        ({"records_per_person": 0}, "a person has at least 1"),
        ({"after": ["nowhere"]}, "holds no sample"),
    ],
)
def test_what_cannot_be_promised_is_refused(rules: shoal.Release, more: dict[str, Any], words: str) -> None:
    with pytest.raises(SpecError, match=words):
        shoal.sample(rules, people(2, 300), **(ASKED | more))


def test_rules_that_look_at_other_records_are_refused(tmp_path: Path) -> None:
    local = shoal.anonymize(
        people(1, 600), quasi=["age", "town"], sensitive=["ill"], drop=["id"], k=60, algorithm="mondrian"
    )
    with pytest.raises(SpecError, match="which records share a class depends on the others"):
        shoal.sample(local, people(2, 300), **ASKED)
    with pytest.raises(SpecError, match="leave out 'records_per_person'"):
        shoal.sample(rules_of(drop=[], entity="id"), people(2, 300), **ASKED, records_per_person=2)
    with pytest.raises(SpecError, match="protects persons, not households"):
        shoal.sample(rules_of(drop=[], household="id"), people(2, 300), **ASKED)


def test_a_table_that_is_too_small_gives_nothing(rules: shoal.Release) -> None:
    with pytest.raises(InfeasibleError, match="No class has 11 drawn records"):
        shoal.sample(rules, people(2, 30), **ASKED)


def test_verify_derives_what_the_file_shows_and_names_what_is_declared(written: Path) -> None:
    for place in (written, written / "data.csv", written / "sampling.json"):
        found = shoal.verify(place)
        assert [(claim.model.name, claim.holds) for claim in found.findings.claims] == [("k-anonymity", True)]
        assert list(found.not_derived) == ["differential privacy"]
        assert found.told["declared"]["rules"] == "made of other persons"
    with pytest.raises(SpecError, match="cannot be derived from its raw table"):
        shoal.verify(written, raw=True)


def test_nothing_of_the_table_is_in_the_files(written: Path) -> None:
    assert sorted(path.name for path in written.iterdir()) == ["data.csv", PUBLIC_MANIFEST, "sampling.json"]
    told = (written / "sampling.json").read_text()
    assert "3000" not in told
    assert "suppressed" not in told
    assert "seed" not in told.replace("no seed was kept", "")


def _claim(said: dict[str, Any], key: str, value: Any) -> None:
    said["claimed"][key] = said["together"][key] = value


def _claim_for_many(said: dict[str, Any], records: int) -> None:
    _claim(said, "epsilon", records)
    said["mechanism"]["records_per_person"] = records


CHANGES: dict[str, Callable[[dict[str, Any]], object]] = {
    "a smaller delta": lambda said: _claim(said, "delta", said["claimed"]["delta"] / 2),
    "a smaller epsilon": lambda said: _claim(said, "epsilon", 0.9),
    "a smaller k": lambda said: said["mechanism"].update(k=said["mechanism"]["k"] - 1),
    "a larger k": lambda said: said["mechanism"].update(k=500),
    "a larger share": lambda said: said["mechanism"].update(beta=0.6),
    "a share that no epsilon allows": lambda said: said["mechanism"].update(beta=0.99),
    "more records of a person": lambda said: said["mechanism"].update(records_per_person=2),
    "more records than can be added up": lambda said: _claim_for_many(said, 100_000),
    "a sum that forgets": lambda said: said["earlier"].append({"sha256": "0" * 64, "epsilon": 1, "delta": 1e-6}),
    "other numbers of records": lambda said: said.update(records=said["records"] + 1),
    "other classes": lambda said: said["classes"].update(count=1),
    "another verdict": lambda said: said.update(verdict="safe"),
    "a key that is none": lambda said: said.update(seed=1),
    "no columns": lambda said: said["file"].pop("columns"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_what_is_claimed_too_much_is_seen(written: Path, tmp_path: Path, change: str) -> None:
    folder = tmp_path / "changed"
    folder.mkdir()
    for path in written.iterdir():
        (folder / path.name).write_bytes(path.read_bytes())
    said = json.loads((folder / "sampling.json").read_text())
    del said["seal"]
    CHANGES[change](said)
    (folder / "sampling.json").write_bytes(text_of(sealed(said)))
    Manifest.of(folder, PUBLIC_MANIFEST, ["data.csv", "sampling.json"]).write(folder)
    with pytest.raises(CertificateError):
        shoal.verify(folder)


@pytest.mark.parametrize("name", ["data.csv", "sampling.json", PUBLIC_MANIFEST])
def test_a_changed_byte_is_seen(written: Path, tmp_path: Path, name: str) -> None:
    for path in written.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    bytes_ = bytearray((tmp_path / name).read_bytes())
    bytes_[len(bytes_) // 2] ^= 1
    (tmp_path / name).write_bytes(bytes_)
    with pytest.raises(CertificateError):
        shoal.verify(tmp_path)


def test_samples_of_the_same_persons_add_up(rules: shoal.Release, written: Path, tmp_path: Path) -> None:
    second = shoal.sample(rules, people(2, 3000), **ASKED, after=[written])
    second.write(tmp_path / "second")
    third = shoal.sample(
        rules, people(2, 3000), epsilon="0.5", delta="1e-6", independent="x", after=[tmp_path / "second"]
    )
    assert third.statement.together.guarantee.epsilon == Fraction(5, 2)
    expected = 2 * Fraction(second.statement.claimed.delta) + Fraction(third.statement.claimed.delta)
    assert third.statement.together.guarantee.delta == expected
    third.write(tmp_path / "third")
    assert shoal.verify(tmp_path / "third").findings.claims[0].holds


def test_persons_with_several_records_have_less_of_each(rules: shoal.Release, tmp_path: Path) -> None:
    made = shoal.sample(rules, people(2, 9000), epsilon=2, delta="1e-5", independent="x", records_per_person=3)
    assert made.epsilon == 2
    assert made.statement.mechanism.k > shoal.sample(rules, people(2, 3000), **ASKED).statement.mechanism.k
    made.write(tmp_path / "three")
    shoal.verify(tmp_path / "three")


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_frames_and_formats(rules: shoal.Release, tmp_path: Path, form: str) -> None:
    made = shoal.sample(rules, people(2, 3000).to_pandas(), **ASKED, format=form)
    assert type(made.data).__module__.startswith("pandas")
    made.write(tmp_path / "out")
    assert shoal.verify(tmp_path / "out").findings.n_records == len(made.data)


@settings(max_examples=60, deadline=None)
@given(
    share=st.fractions(min_value=Fraction(1, 50), max_value=Fraction(3, 5), max_denominator=50),
    k=st.integers(1, 60),
    epsilon=st.fractions(min_value=Fraction(19, 20), max_value=6, max_denominator=20),
)
def test_maker_and_checker_work_out_the_same_delta(share: Fraction, k: int, epsilon: Fraction) -> None:
    made, checked = delta_of(share, k, epsilon), largest_excess(share, k, epsilon)
    assert checked is not None
    assert checked <= made + Fraction(1, 1 << 190)
    assert float(checked) == pytest.approx(float(made), rel=1e-12, abs=2e-18)


def test_it_holds_nothing_else() -> None:
    assert set(PrivateSample.__slots__) == {"frame", "statement", "job", "kind"}


def sizes_drawn(rules: shoal.Release, n_records: int, k: int, times: int) -> NDArray[np.int64]:
    """Draw from a table whose records are all alike; return how often so many records were released."""
    table = pl.DataFrame({"id": ["p"] * n_records, "age": ["5"] * n_records, "town": ["north"] * n_records})
    table = table.with_columns(pl.lit("yes").alias("ill"))
    found = np.zeros(n_records + 1, dtype=np.int64)
    for _ in range(times):
        try:
            drawn = shoal.sample(rules, table, **{**ASKED, "delta": "0.01"}, beta="0.25", k=k).data.height
        except InfeasibleError:  # the class was dropped, and there was no other
            drawn = 0
        found[drawn] += 1
    return found


def test_an_attack_on_neighbouring_tables_wins_no_more_than_is_claimed(
    rules: shoal.Release, request: pytest.FixtureRequest
) -> None:
    """One table has a person more. Of all events, "at least so many" tells them apart best; all are tried, both ways.

    Each event is allowed what is claimed and 4.1 standard errors: all forty of them hold at once with 99.9% confidence.
    """
    times = 5_000 if request.config.getoption("--hypothesis-profile") == "deep" else 150
    k = 5
    epsilon, delta = 1.0, float(delta_of(Fraction(1, 4), k, Fraction(1)))
    assert delta < 0.01
    larger, smaller = (sizes_drawn(rules, n, k, times)[::-1].cumsum()[::-1] / times for n in (12, 11))
    smaller = np.append(smaller, 0.0)
    for one, other in ((larger, smaller), (smaller, larger), (1 - larger, 1 - smaller), (1 - smaller, 1 - larger)):
        error = np.sqrt((one * (1 - one) + np.exp(2 * epsilon) * other * (1 - other)) / times)
        assert (one - np.exp(epsilon) * other <= delta + 4.1 * error + 1 / times).all()
