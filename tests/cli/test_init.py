import os
import pty
import select
import subprocess
import sys
import time
import tomllib
from pathlib import Path
from signal import SIGINT

import pytest

import shoal as library
from shoal.cli.dialogue import confirmed
from tests.cli.run import done, entries, files_of, shoal, write_csv


@pytest.fixture
def table(tmp_path: Path) -> Path:
    rows = [(f"p{i}@x.org", 20 + i % 40, "MF"[i % 2], ["flu", "gout", "cold"][i % 3], f"g{i % 4}") for i in range(60)]
    return write_csv(tmp_path / "t.csv", ("mail", "age", "sex", "disease", "foo"), rows)


def test_a_job_for_a_table_and_what_it_says(table: Path, tmp_path: Path) -> None:
    ran = done("init", table, "--out", tmp_path / "job")
    assert "This is no terminal, so nothing is asked" in ran.err
    for words in ("identifier", "unique without", "age + sex", "undecided: foo", "shoal anonymize"):
        assert words in ran.out, words
    assert entries(tmp_path / "job") == {"job.toml", "hierarchies"}
    text = (tmp_path / "job/job.toml").read_text(encoding="utf-8")
    assert 'reason = "Neither the name nor the values say what it is; taken as known to an attacker' in text
    assert "g1" not in text
    content = tomllib.loads(text)
    assert content["input"]["path"] == "../t.csv"
    assert [column["role"] for column in content["columns"].values()] == [
        "identifier",
        "quasi",
        "quasi",
        "sensitive",
        "quasi",
    ]
    done("anonymize", tmp_path / "job/job.toml", "--algorithm", "mondrian", "--out", tmp_path / "out")
    done("verify", tmp_path / "out")


def test_the_job_as_it_is_serves_next_year_too(tmp_path: Path) -> None:
    """Dates and codes that the first table has not need a recipe, not a file."""

    def table(year: int) -> Path:
        rows = [
            (
                f"{1 + i % 28:02}.{1 + i % 12:02}.{year}",
                80331 + year + i % 40,
                f"{7 + i % 12:02}:{i % 60:02}",
                "xyz"[i % 3],
            )
            for i in range(360)
        ]
        return write_csv(tmp_path / f"{year}.csv", ("Datum", "PLZ", "Uhrzeit", "Diagnose"), rows, ";")

    done("init", table(2023), "--out", tmp_path / "job", "--yes")
    assert entries(tmp_path / "job/hierarchies") == {"Datum.csv", "PLZ.csv", "Uhrzeit.csv"}
    done("anonymize", tmp_path / "job/job.toml", "--algorithm", "optimal", "--out", tmp_path / "out")
    flags = ("--failing", "suppress", "--max-suppressed", "0.1", "--out", tmp_path / "next", "--json")
    assert done("apply", tmp_path / "out", table(2024), *flags).json["rules"]["outside"] == 0


def test_many_columns_have_a_limit_of_time(tmp_path: Path) -> None:
    names = [f"q{number:02}" for number in range(14)]
    rows = [["yes" if i % (number + 2) else "no" for number in range(14)] for i in range(60)]
    ran = done("init", write_csv(tmp_path / "t.csv", names, rows), "--out", tmp_path / "job", "--yes")
    assert "and 2 more columns by themselves, which tell less" in ran.out
    assert tomllib.loads((tmp_path / "job/job.toml").read_text(encoding="utf-8"))["search"]["time_limit"] == 60


def test_as_json_with_roles_given(table: Path, tmp_path: Path) -> None:
    flags = ("--quasi", "age", "--insensitive", "foo", "--drop", "sex", "--k", "3", "--json")
    found = done("init", table, "--out", tmp_path / "job", *flags)
    assert found.err == ""
    assert found.json["undecided"] == []
    assert found.json["k"] == 3
    assert {one["column"]: one["role"] for one in found.json["columns"]} == {
        "mail": "identifier",
        "age": "quasi",
        "sex": "identifier",
        "disease": "sensitive",
        "foo": "insensitive",
    }
    assert found.json["singling_out"]["columns"][0]["columns"] == ["age"]


def test_what_stands_is_not_replaced_unasked(table: Path, tmp_path: Path) -> None:
    done("init", table, "--out", tmp_path / "job", "--yes")
    before = (tmp_path / "job/job.toml").read_bytes()
    assert "exists already" in shoal("init", table, "--out", tmp_path / "job", "--yes", "--k", "9").err
    assert (tmp_path / "job/job.toml").read_bytes() == before
    assert done("init", table, "--out", tmp_path / "job", "--yes", "--k", "9", "--force").err == ""
    assert "k = 9" in (tmp_path / "job/job.toml").read_text(encoding="utf-8")
    ran = shoal("init", table, "--out", tmp_path, "--yes", "--force")
    assert (ran.code, "would delete" in ran.err) == (2, True)


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (("--quasi", "agee"), "No column 'agee' in the table. Did you mean 'age'?"),
        (("--quasi", "age", "--drop", "age"), "Column 'age' is given two roles"),
        (("--groups", "foo"), "Write: column=file"),
        (("--groups", "foo=none.csv"), "does not exist"),
        (("--k", "0"), ""),
    ],
)
def test_wrong_requests_write_nothing(table: Path, tmp_path: Path, flags: tuple[str, ...], words: str) -> None:
    ran = shoal("init", table, "--out", tmp_path / "job", *flags)
    assert ran.code == 2
    assert words in ran.err
    assert entries(tmp_path) == {"t.csv"}


def test_groups_from_a_file(table: Path, tmp_path: Path) -> None:
    (tmp_path / "g.csv").write_text("g0;even\ng2;even\n", encoding="utf-8")
    done("init", table, "--out", tmp_path / "job", "--groups", f"foo={tmp_path / 'g.csv'}", "-y")
    assert "g2;even;*\n" in (tmp_path / "job/hierarchies/foo.csv").read_text(encoding="utf-8")


CTRL_C = "\x03"


def spoken(answers: list[tuple[str, str]], *arguments: object) -> tuple[int, str]:
    """Run a command on a terminal of its own, and answer each question once it is asked."""
    master, slave = pty.openpty()
    command = [sys.executable, "-m", "shoal", *map(str, arguments)]
    environment = os.environ | {"COLUMNS": "200", "TERM": "dumb"}
    with subprocess.Popen(command, stdin=slave, stdout=slave, stderr=slave, env=environment) as process:
        os.close(slave)
        heard, asked = "", 0
        until = time.monotonic() + 120
        while time.monotonic() < until:
            if answers and answers[0][0] in heard[asked:]:
                asked = len(heard)
                answer = answers.pop(0)[1]
                if answer == CTRL_C:
                    time.sleep(0.7)  # a person is slower than the step from the question to the reading of its answer
                    process.send_signal(SIGINT)
                else:
                    os.write(master, answer.encode())
            if not select.select([master], [], [], 0.1)[0]:
                continue
            try:
                heard += os.read(master, 4096).decode(errors="replace")
            except OSError:  # the other end is closed
                break
        code = process.wait(timeout=60)
    os.close(master)
    return code, heard


def test_a_dialogue_on_a_terminal(table: Path, tmp_path: Path) -> None:
    answers = [
        ("Column to change", "nonsense\n"),
        ("Column to change", "5\n"),
        ("Role of 'foo'", "insensitive\n"),
        ("Column to change", "\n"),
        ("k, the least", "4\n"),
        ("Different values of 'disease'", "2\n"),
        ("What is the data set called?", "Visits\n"),
        ("Who answers for the data", "\n"),
        ("What is the release for?", "research\n"),
        ("Who gets it?", "\n"),
        ("On what terms", "anybody\n"),
        ("On what terms", "contract\n"),
        ("On what legal basis", ".\n"),
        ("Write the job", "y\n"),
    ]
    code, heard = spoken(answers, "init", table, "--out", tmp_path / "job")
    assert code == 0, heard
    assert "Input should be 'public', 'contract' or 'in-house'" in heard
    assert "There is no column 'nonsense'" in heard
    content = tomllib.loads((tmp_path / "job/job.toml").read_text(encoding="utf-8"))
    assert content["columns"]["foo"]["role"] == "insensitive"
    told = {key: value for key, value in content["context"].items() if value}
    assert told == {"dataset": "Visits", "purpose": "research", "release_model": "contract"}
    assert len(content["context"]) == 13  # those that are open, and the date
    assert [promise.get("k", promise.get("l")) for promise in content["require"]] == [4, 2]


def test_ctrl_c_at_a_question_ends_it(table: Path, tmp_path: Path) -> None:
    code, heard = spoken([("Column to change", CTRL_C)], "init", table, "--out", tmp_path / "job")
    assert (code, "Interrupted: nothing was written." in heard) == (130, True)
    assert entries(tmp_path) == {"t.csv"}


@pytest.mark.parametrize("how", ["end of input", "no"])
def test_who_says_no_gets_nothing(table: Path, monkeypatch: pytest.MonkeyPatch, how: str) -> None:
    found = library.init(table)
    answers = iter([""] if how == "end of input" else ["", "", "", ".", "n"])

    def answer(*_: object, **__: object) -> str:
        for text in answers:
            return text
        raise EOFError

    monkeypatch.setattr("rich.console.Console.input", answer)
    with pytest.raises(KeyboardInterrupt):
        confirmed(found, found.telling)


def test_the_reason_of_a_role_reaches_the_officer_and_nobody_else(table: Path, tmp_path: Path) -> None:
    done("init", table, "--yes", "--out", tmp_path / "job")
    why = "Neither the name nor the values say what it is"
    done("anonymize", tmp_path / "job/job.toml", "--algorithm", "optimal", "--out", tmp_path / "release")
    holding = {
        path
        for path in files_of(tmp_path / "release")
        if why in (tmp_path / "release" / path).read_text(encoding="utf-8")
    }
    assert holding == {"private/report.html", "private/job.toml", "private/rules.json"}
