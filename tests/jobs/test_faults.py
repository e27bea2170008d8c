from pathlib import Path

import pytest

from shoal.foundation.errors import SpecError
from shoal.jobs.job import Job
from shoal.jobs.requests import faults_in


def test_what_is_wrong_is_told_by_its_place_in_the_words_of_the_job() -> None:
    content = {
        "input": {"path": "x.csv"},
        "columns": {"a": {"role": "quasi"}},
        "require": [{"model": "k-anonymity", "k": 0}, {"model": "k-anonimity"}],
    }
    found = faults_in(content, Path())
    assert [place for place, _ in found] == [("require", 0, "k-anonymity", "k"), ("require", 1)]
    with pytest.raises(SpecError) as refused:
        Job.of(content, Path())
    assert all(words in str(refused.value) for _, words in found)
    good = {**content, "require": [{"model": "k-anonymity", "k": 2}]}
    assert faults_in(good, Path()) == []
