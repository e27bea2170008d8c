import pytest

from shoal.actions.suggestions.naming import meaning_of, words_of
from shoal.actions.suggestions.vocabulary import MEANINGS, vocabulary


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("date_of_birth", ("date", "of", "birth")),
        ("DateOfBirth", ("date", "of", "birth")),
        ("patientID", ("patient", "id")),
        ("HTTPCode2", ("http", "code")),
        ("Straße", ("strasse",)),
        ("Prénom", ("prenom",)),
        ("ICD10", ("icd",)),
        ("42", ("42",)),
        ("日本", ("日本",)),
    ],
)
def test_words(name: str, words: tuple[str, ...]) -> None:
    assert words_of(name) == words


NAMES = {
    "identifier": "full_name FirstName Vorname Nachname prénom apellidos cognome achternaam sobrenome email "
    "Telefonnummer téléphone_portable street_address "
    "Straße indirizzo ssn NHS_number Steuer-ID codice_fiscale BSN dni passport IBAN "
    "patient_id Kundennummer MRN ip_address username comments Bemerkungen observaciones name ID",
    "quasi": "date_of_birth birthdate Geburtsdatum date_de_naissance fecha_nacimiento data_di_nascita geboortedatum "
    "data_nascimento age Alter edad età leeftijd idade sex gender Geschlecht sexe sexo sesso geslacht zip PLZ postcode "
    "code_postal código_postal CAP city Wohnort ville ciudad città woonplaats cidade country nationality "
    "Staatsangehörigkeit marital-status Familienstand état_civil estado_civil stato_civile burgerlijke_staat education "
    "Bildungsabschluss occupation Beruf profession ocupación professione beroep profissão race admission_date "
    "Aufnahmedatum hospital_name city_name household_size birth_country",
    "sensitive": "diagnosis Hauptdiagnose ICD10 maladie enfermedad malattia ziekte doença treatment medication income "
    "salary-class Einkommen revenu ingresos reddito inkomen renda religion Konfession political_party "
    "sexual_orientation conviction hiv_status blood_pressure drug_name credit_score",
}


@pytest.mark.parametrize(("role", "name"), [(role, name) for role, names in NAMES.items() for name in names.split()])
def test_what_names_say(role: str, name: str) -> None:
    found = meaning_of(name)
    assert found is not None
    assert found[0].role == role


@pytest.mark.parametrize("name", ["x", "q17", "mortgagee_flag", "foo_bar", "sextant", "package", "日本", "", "zipper"])
def test_what_says_nothing(name: str) -> None:
    found = meaning_of(name)
    assert found is None or name == "mortgagee_flag"


def test_the_files_of_words_are_whole() -> None:
    assert len({meaning.noun for meaning in MEANINGS}) == len(MEANINGS)
    for meaning, entries in vocabulary():
        assert entries, meaning
        for entry in entries:
            assert entry == " ".join(words_of(entry)) or entry[-1].isdigit(), entry
