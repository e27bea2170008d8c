from pathlib import Path

from shoal.jobs.sections import ColumnRequest, ReleaseRequest
from shoal.models import KAnonymity, PrivacyModel, TCloseness
from shoal.releases.claims.release_claims import Promised, ReleaseClaims
from shoal.tables.table import Role

ROLES = {"who": Role.ENTITY, "age": Role.QUASI, "illness": Role.SENSITIVE, "wage": Role.SENSITIVE, "zip": Role.QUASI}


def claims(*models: PrivacyModel) -> ReleaseClaims:
    return ReleaseClaims(
        certificate={"file": {"columns": ["wage", "zip", "illness", "age"]}},
        columns={name: ColumnRequest(role=role) for name, role in ROLES.items()},
        promised=tuple(Promised(None, model, model.name) for model in models),
        locations={},
        release=ReleaseRequest(),
        wildcard=False,
        folder=Path(),
    )


def test_only_columns_that_a_promise_is_about_are_needed() -> None:
    """All sensitive ones where an attacker knows the others; the quasi-identifiers in the order of the file."""
    close = TCloseness(t=1, column="wage")
    for models, expected in (
        ((KAnonymity(k=2),), ()),
        ((KAnonymity(k=2), close), ("wage",)),
        ((KAnonymity(k=2, entity="who"), close), ("wage", "who")),
        ((TCloseness(t=1, column="wage", others="known"),), ("illness", "wage")),
    ):
        evidence = claims(*models).evidence({})
        assert evidence.sensitive == expected
        assert evidence.quasi == ("zip", "age")
