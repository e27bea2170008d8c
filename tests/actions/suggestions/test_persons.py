"""Names of persons are found by what they are, and other words are not taken for them."""

import pytest

from shoal.actions.suggestions.naming import words_pair
from shoal.actions.suggestions.persons import are_places, are_word_like, persons_among

NAMES = {
    "English": "Deja Tyrell Marcus Latisha Brandon Olivia Kevin Darnell",
    "German": "Annegret Uwe Kerstin Detlef Wiebke Malte Heike",
    "French": "Solène Thibault Clémence Loïc Yvette Corentin",
    "Spanish": "Encarnación Pablo Jimena Rocío Gonzalo Nuria",
    "Polish": "Grażyna Zbigniew Agnieszka Wojciech Bożena",
    "Turkish": "Ayşe Mehmet Gökhan Zeynep Hüseyin Elif",
    "Indian": "Rajesh Priya Sunita Vikram Anjali Suresh",
    "Russian": "Екатерина Сергей Наталья Дмитрий Ольга",
    "Arabic": "محمد فاطمة يوسف خديجة إبراهيم",
    "Chinese": "王伟 李娜 张敏 刘洋 陈静",
    "Korean": "김민준 이서연 박지훈 최수빈 정하윤",
    "family": "Washington Okafor Ramirez Kowalski Nguyen Schmidt Lefebvre Bianchi",
    "endings": "Brzozowski Karapanagopoulos Stojadinovic Gunnlaugsson Yanukhovenko",
    "capitals": "JOHNSON RODRIGUEZ WILLIAMS THOMPSON HERNANDEZ",
    "small": "johnson rodriguez williams thompson hernandez",
}
OTHERS = {
    "cities": "Berlin Hamburg Charlotte Austin Houston Florence Madison Phoenix",
    "countries": "Germany France Jordan Georgia Chad Spain Portugal",
    "colours": "Black White Brown Green Gray Rose Violet Olive",
    "months": "April May June August January March",
    "brands": "Ford Mercedes Honda Toyota Audi Tesla",
    "jobs": "Baker Cook Farmer Miller Carpenter Teacher Nurse",
    "diseases": "Asthma Parkinson Alzheimer Crohn Hodgkin Diabetes",
    "levels": "Low Medium High Basic Premium",
    "flowers": "setosa versicolor virginica",
    "codes": "A12 B77 C31",
    "schools": "Einstein-Gymnasium Marie-Curie-Schule Anna-Freud-Schule",
}


@pytest.mark.parametrize("kind", NAMES)
def test_names_are_found(kind: str) -> None:
    assert persons_among(NAMES[kind].split()).likely


@pytest.mark.parametrize("kind", OTHERS)
def test_other_words_are_no_names(kind: str) -> None:
    assert not persons_among(OTHERS[kind].split()).likely


def test_whole_names_in_any_order_and_with_titles() -> None:
    assert persons_among(
        ["Braund, Mr. Owen", "Heikkinen, Miss. Laina", "Futrelle, Mrs. Jacques", "Moran, Mr. James"] * 2
    ).likely
    assert persons_among(["Dr. Schmidt", "Dr. Xqz", "Prof. Uvw", "Frau Abc", "Herr Def"]).likely
    assert persons_among(
        ["von der Heide, Uwe", "de la Cruz, Rocío", "van den Berg, Kees", "da Silva, Thaís", "Le Goff, Loïc"]
    ).likely
    assert not persons_among(["St. Mary Hospital", "Anna Clinic", "Johnson Inc", "Peter Street", "Maria School"]).likely


def test_few_names_may_be_chance() -> None:
    assert persons_among(["Kerstin", "Detlef"]).few
    assert not persons_among(["Kerstin", "blue"]).likely


@pytest.mark.parametrize(
    ("name", "others", "pair"),
    [
        ("first", ("first", "last"), True),
        ("last", ("first", "last"), True),
        ("first", ("first", "second_half"), False),
        ("Name", ("Vorname", "Name"), True),
        ("nom", ("prenom", "nom"), True),
        ("nom", ("nom",), False),
        ("age", ("first", "last"), False),
    ],
)
def test_pairs(name: str, others: tuple[str, ...], pair: bool) -> None:
    assert words_pair(name, (*others, name)) is pair


def test_places_and_words() -> None:
    assert are_places(["Berlin", "Hamburg", "Köln", "Anytown"])
    assert not are_places(["Berlin", "Kerstin", "Uwe", "Malte"])
    assert are_word_like(["Abc", "Def Ghi"])
    assert not are_word_like(["Abc 1", "Def 2"])
