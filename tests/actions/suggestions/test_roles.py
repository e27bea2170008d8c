"""Names of columns are evidence, and values decide; what contradicts each other is never sure."""

import random

import polars as pl
import pytest

import shoal
from shoal.actions.init import Proposal
from shoal.actions.suggestions.roles import Suggestion

N = 200
DRAW = random.Random(7)  # noqa: S311


def told(name: str, values: list[str], **others: list[str]) -> Suggestion:
    columns = {name: values, "age": [str(20 + i % 37) for i in range(len(values))], **others}
    return shoal.init(pl.DataFrame(columns)).columns[0]


def drawn(*values: str) -> list[str]:
    return DRAW.choices(values, k=N)


@pytest.mark.parametrize(
    ("name", "values", "role", "noun"),
    [
        ("Saving accounts", drawn("little", "moderate", "rich"), "sensitive", "income or wealth"),
        ("sampling_weight", [f"{DRAW.uniform(80, 9000):.3f}" for _ in range(N)], "omitted", "sampling weight"),
        ("BPDia", [str(DRAW.randint(40, 110)) for _ in range(N)], "sensitive", "treatment or measurement"),
        ("two_year_recid", drawn("0", "1"), "sensitive", "offence"),
        ("c_charge_degree", drawn("F", "M"), "sensitive", "offence"),
        ("decile_score", [str(DRAW.randint(1, 10)) for _ in range(N)], "sensitive", "judgement of a person"),
    ],
)
def test_what_was_confident_and_wrong(name: str, values: list[str], role: str, noun: str) -> None:
    found = told(name, values)
    assert (str(found.role), noun in found.reason) == (role, True)


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("dia_x", [str(DRAW.randint(40, 110)) for _ in range(N)]),  # a day in Spanish
        ("year_flag", drawn("0", "1")),
        ("degree_x", [f"{DRAW.uniform(0, 90):.2f}" for _ in range(N)]),
        ("user_account", drawn("little", "moderate", "rich")),
        ("age_x", [str(DRAW.randint(1000, 90000)) for _ in range(N)]),
        ("sex_at", [str(i) for i in range(N)]),
        (
            "city",
            [f"{a} {b}" for a, b in zip(drawn("Kerstin", "Uwe", "Malte"), drawn("Schmitz", "Scholz"), strict=True)],
        ),
    ],
)
def test_a_contradiction_is_said_and_never_sure(name: str, values: list[str]) -> None:
    found = told(name, values)
    assert found.certainty == "undecided"
    assert ", but " in found.reason


def test_weights_are_found_by_their_values_too() -> None:
    found = told("weight", [f"{DRAW.uniform(300, 90000):.1f}" for _ in range(N)])
    assert (str(found.role), found.certainty) == ("omitted", "likely")
    assert str(told("weight", [f"{DRAW.uniform(45, 120):.1f}" for _ in range(N)]).role) == "quasi"


def test_given_names_beside_family_names_never_leave() -> None:
    rare = [f"{'Qrstuvwx'[i % 8]}{'aeiou'[i % 5]}{'bcdfgh'[i % 6]}o" for i in range(N)]  # in no list
    assert str(told("first", rare, last=rare[::-1]).role) == "identifier"
    assert str(told("x", rare * 1).role) == "identifier"  # by their form alone: short, capitals, many different
    assert str(told("first", [str(2000 + i % 9) for i in range(N)], last=drawn("2010", "2011")).role) != "identifier"


def test_values_tell_what_a_column_is() -> None:
    for values, role in (
        (drawn("married", "single", "divorced"), "quasi"),
        (drawn("Bayern", "Sachsen", "Hessen", "Berlin"), "quasi"),
        (drawn("Asthma", "Diabetes", "Hypertension"), "sensitive"),
        (drawn("Theft", "Burglary", "Fraud"), "sensitive"),
        (drawn("katholisch", "evangelisch", "muslimisch"), "sensitive"),
    ):
        found = told("q17", values)
        assert (str(found.role), found.certainty) == (role, "likely")


def test_free_text_is_left_out_with_a_hint() -> None:
    found = told("q18", [f"she came with her mother and asked for help {i}" for i in range(N)])
    assert str(found.role) == "identifier"
    assert "tools that find names in texts" in found.reason


def test_a_household_is_named() -> None:
    found = told("hhid", [str(i // 3) for i in range(N)])
    assert (str(found.role), "k counts households" in found.reason) == ("household", True)
    alone = told("hhid", [str(3 * i) for i in range(N)])
    assert (str(alone.role), "k counts persons or records" in alone.reason) == ("identifier", True)
    both = proposal({"hhid": [str(i // 3) for i in range(N)], "person_id": [str(i // 2) for i in range(N)]})
    assert [str(column.role) for column in both.columns] == [
        "identifier",
        "entity",
    ]  # though a job needs a quasi column


def proposal(columns: dict[str, list[str]]) -> Proposal:
    return shoal.init(pl.DataFrame(columns))


def test_persons_with_several_records_are_counted() -> None:
    ids = [str(5000 + i % 120) for i in range(N)]
    found = proposal({"SEQN": ids, "visit_id": [str(i) for i in range(N)], "age": drawn("30", "31", "45")})
    assert [str(column.role) for column in found.columns] == ["entity", "identifier", "quasi"]
    assert 'role = "entity"' in found.toml()
    assert str(proposal({"hhid": ids, "age": drawn("30", "31", "45")}).columns[0].role) == "household"


def test_an_index_without_a_name_is_left_out() -> None:
    for name in ("column 1", "Unnamed: 0", "index"):
        found = proposal({name: [str(i) for i in range(N)], "age": drawn("30", "31")})
        assert (str(found.columns[0].role), found.columns[0].certainty) == ("omitted", "sure")
    assert str(proposal({"index": drawn("3", "5"), "age": drawn("30", "31")}).columns[0].role) != "omitted"


def test_numbers_in_any_writing_and_what_is_none() -> None:
    commas = [f"{DRAW.uniform(0, 99):.1f}".replace(".", ",") for _ in range(N)]
    percents = [f"{DRAW.randint(0, 99)} %" for _ in range(N)]
    odd = [*("inf", "kaputt", "kaputt"), *(f"{DRAW.uniform(0, 99):.2f}" for _ in range(N - 3))]
    found = proposal({"a": commas, "b": percents, "c": odd})
    assert [column.profile.kind.name for column in found.columns] == ["number"] * 3
    (note,) = (words for words in found.warnings if "'c' holds numbers" in words)
    assert "in 3 records something else (2 different texts" in note
    assert "kaputt" not in note


def test_names_of_columns_are_made_and_told() -> None:
    found = proposal({"column 1": drawn("a", "b"), "age": drawn("30", "31"), "age (2)": drawn("30", "31")})
    assert "Without a name in the table, so that one was made: 'column 1'." in found.warnings
    assert "Names that stand in the table more than once are numbered: 'age (2)'." in found.warnings
