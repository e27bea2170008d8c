"""SAS files are read: a data set and a transport file."""

import builtins
from datetime import date
from pathlib import Path
from typing import Any

import polars as pl
import pyreadstat
import pytest

from shoal.foundation.errors import MissingExtraError, SpecError
from shoal.tables.formats.sas import Sas

VISITS = Path(__file__).parent / "visits.sas7bdat"


def test_a_data_set_is_read() -> None:
    frame = Sas().read(VISITS)
    assert frame.cast(pl.String).to_dict(as_series=False) == {
        "age": ["34", "35", None, ".B", "71"],
        "sex": ["F", "M", None, "F", "M"],
        "seen": ["2024-05-31", "2024-06-01", "2024-06-02", None, "2017-06-30"],
        "weight": ["70.5", "0.1", "82", "0.0000001", "123456789"],
    }
    book = Sas().codebook(VISITS, frame)
    assert book["age"].label == "Age in years"
    assert book["age"].codes == {".B"}
    assert Sas().read(VISITS, keep=["sex"], text=["sex"]).dtypes == [pl.String]


def test_a_transport_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "visits.xpt"
    table = pl.DataFrame({"age": [34.0, None], "sex": ["F", "M"], "seen": [date(2024, 5, 31), None]})
    pyreadstat.write_xport(table, path, column_labels={"age": "Age in years"})
    frame = Sas().read(path)
    assert frame.rows() == [("34", "F", "2024-05-31"), (None, "M", None)]
    assert Sas().codebook(path, frame)["age"].label == "Age in years"


def test_it_is_not_written(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="SAS files are read and not written"):
        Sas().write(pl.DataFrame({"a": ["1"]}), tmp_path / "a.xpt")


def test_a_missing_package_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    load = builtins.__import__

    def without(name: str, *args: Any, **others: Any) -> Any:
        if name == "pyreadstat":
            raise ImportError(name)
        return load(name, *args, **others)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(MissingExtraError, match=r"pip install 'shoal\[stats\]'"):
        Sas().read(VISITS)
