"""What may stand in a certificate: nothing else, and no figure against another."""

from contextlib import nullcontext
from copy import deepcopy
from pathlib import Path
from typing import Any, get_args

import pytest

import shoal
from shoal.certificate import BY_WILDCARDS, CERTIFICATE, SCHEMA, VERDICT
from shoal.foundation.errors import CertificateError
from shoal.jobs.disclosure import PUBLIC
from shoal.releases.claims.schema import PublicSchema, StewardSchema, check_schema
from tests.forging import file_in, forge, made_first, stated
from tests.jobs.test_disclosure import released
from tests.releases.test_cluster_release import released as clusters


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made")
    released().write(folder / "cells")
    clusters().write(folder / "clusters")
    return folder


def test_the_words_are_those_that_are_written() -> None:
    for schema in (StewardSchema, PublicSchema):
        assert get_args(schema.model_fields["verdict"].annotation) == (VERDICT, BY_WILDCARDS)
        assert get_args(schema.model_fields["schema_"].annotation) == (SCHEMA,)


def places(part: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    found = [at]
    for key in part if isinstance(part, dict) else range(len(part)) if isinstance(part, list) else ():
        found += places(part[key], (*at, key))
    return found


def at(content: Any, way: tuple[Any, ...]) -> Any:
    for key in way:
        content = content[key]
    return content


FREE = ("parameters", "asked", "achieved", "strict", "grid", "columns", "levels", "hierarchy")
"""Parts whose keys are names of columns, or that a model decides: the derived claims are compared with them."""


@pytest.mark.parametrize("kind", ["cells", "clusters"])
@pytest.mark.parametrize("name", [CERTIFICATE, PUBLIC])
def test_no_other_key_stands_anywhere(made: Path, kind: str, name: str) -> None:
    content = stated(file_in(made / kind, name))
    check_schema(content, name, public=name == PUBLIC)
    tried = 0
    for way in places(content):
        if isinstance(at(content, way), dict) and not (way and way[-1] in FREE):
            changed = deepcopy(content)
            at(changed, way)["more"] = 1
            with pytest.raises(CertificateError, match=r"is unknown|is not what may stand there"):
                check_schema(changed, name, public=name == PUBLIC)
            tried += 1
    assert tried > 6


@pytest.mark.parametrize("kind", ["cells", "clusters"])
@pytest.mark.parametrize("name", [CERTIFICATE, PUBLIC])
def test_every_key_has_its_type(made: Path, kind: str, name: str) -> None:
    content = stated(file_in(made / kind, name))
    for way in places(content):
        if way in ((), ("schema",)) or any(key in FREE for key in way[:-1]) or way[-1] in ("asked", "achieved"):
            continue
        changed = deepcopy(content)
        at(changed, way[:-1])[way[-1]] = object()
        with pytest.raises(CertificateError, match=f"'{'.'.join(map(str, way))}"):
            check_schema(changed, name, public=name == PUBLIC)


@pytest.mark.parametrize("key", ["labels", "rules", "clusters"])
def test_what_says_nothing_is_left_out_and_never_null(made: Path, key: str) -> None:
    with pytest.raises(CertificateError, match="is not what may stand there"):
        check_schema({**stated(made / "cells" / "private" / CERTIFICATE), key: None}, CERTIFICATE, public=False)


def test_a_hierarchy_may_be_withheld(made: Path) -> None:
    content = stated(made / "cells" / "public" / PUBLIC)
    content["columns"]["ill"]["hierarchy"] = None
    check_schema(content, PUBLIC, public=True)


@pytest.mark.parametrize(
    ("role", "pseudonym", "holds"),
    [
        ("identifier", True, True),
        ("entity", True, True),
        ("entity", None, True),
        ("identifier", None, False),
        ("sensitive", True, False),
    ],
)
def test_what_names_somebody_leaves_as_a_pseudonym_alone(
    made: Path, role: str, pseudonym: bool | None, holds: bool
) -> None:
    content = stated(file_in(made / "cells", PUBLIC))
    content["columns"]["id"] = {"role": role, **({} if pseudonym is None else {"pseudonym": pseudonym})}
    content["pseudonyms"] = {"id": {"persons": 3, "records": 1, "key": "release"}}
    with nullcontext() if holds else pytest.raises(CertificateError, match=r"'columns\.id'"):
        check_schema(content, PUBLIC, public=True)


@pytest.mark.parametrize("schema", [1, 3, "2", True, None, 2.5])
def test_a_schema_that_is_not_known_is_refused(made: Path, schema: Any) -> None:
    with pytest.raises(CertificateError, match="has a schema that this version of shoal does not support"):
        check_schema({**stated(made / "cells" / "private" / CERTIFICATE), "schema": schema}, CERTIFICATE, public=False)


def test_only_some_places_are_named(made: Path) -> None:
    content = {**stated(made / "cells" / "private" / CERTIFICATE), **{f"x{i}": 1 for i in range(7)}}
    with pytest.raises(CertificateError, match=r"'x4' is unknown, and 2 more\.$"):
        check_schema(content, CERTIFICATE, public=False)
    content = {**stated(made / "cells" / "private" / CERTIFICATE), **{f"x{i}": 1 for i in range(5)}}
    with pytest.raises(CertificateError, match=r"'x4' is unknown\.$"):
        check_schema(content, CERTIFICATE, public=False)
    del content["loss"]
    with pytest.raises(CertificateError, match="'loss' is missing"):
        check_schema(content, CERTIFICATE, public=False)


@pytest.mark.parametrize(
    ("key", "figure"), [("total", float("inf")), ("total", float("nan")), ("share", 1.5), ("share", float("nan"))]
)
def test_figures_are_numbers_and_shares_at_most_one(made: Path, key: str, figure: float) -> None:
    content = stated(made / "cells" / "private" / CERTIFICATE)
    content["loss"][key] = figure
    with pytest.raises(CertificateError, match=rf"'loss\.{key}' is not what may stand there"):
        check_schema(content, CERTIFICATE, public=False)


@pytest.mark.parametrize(
    ("way", "allowed", "refused"),
    [
        (("records", "suppressed"), (0, 1), (-1, 0.0, "0", None)),
        (("loss", "total"), (0.0, 0, 0.5), (-0.5, "0", None)),
        (("loss", "share"), (0.0, 0.5, 1.0, 0, 1), (-0.001, 1.001, 2, "0")),
        (("loss", "bound"), (0.0, None), (-0.5, float("inf"))),
        (("blind",), (True, False), (0, "true")),
    ],
)
def test_figures_are_of_their_kind_and_within_their_limits(
    made: Path, way: tuple[str, ...], allowed: tuple[Any, ...], refused: tuple[Any, ...]
) -> None:
    content = stated(file_in(made / "cells", CERTIFICATE))
    part = at(content, way[:-1])
    for figure in allowed:
        part[way[-1]] = figure
        check_schema(content, CERTIFICATE, public=False)
    for figure in refused:
        part[way[-1]] = figure
        with pytest.raises(CertificateError, match=f"'{'.'.join(way)}' is not what may stand there"):
            check_schema(content, CERTIFICATE, public=False)


def test_a_certificate_cannot_be_made_an_earlier_one(tmp_path: Path) -> None:
    released().write(tmp_path / "out")
    forge(tmp_path / "out" / "private" / CERTIFICATE, lambda told: told.pop("schema"))
    with pytest.raises(CertificateError, match=r"says less than one beside manifest\.json: it has no schema"):
        shoal.verify(tmp_path / "out")
    (tmp_path / "out/private/manifest.json").unlink()
    forge(tmp_path / "out" / "private" / CERTIFICATE, lambda told: told.update(schema=2))
    with pytest.raises(CertificateError, match=r"it has no manifest\.json"):
        shoal.verify(tmp_path / "out")


def test_those_who_got_the_data_may_have_no_list(tmp_path: Path) -> None:
    released().write(tmp_path / "out")
    for name in ("certificate.json", "job.toml", "rules.json", "report.html", "manifest.json"):
        file_in(tmp_path / "out", name).unlink()
    assert shoal.verify(tmp_path / "out").others == ()
    (tmp_path / "out/public/manifest-public.json").unlink()
    assert shoal.verify(tmp_path / "out").others == ("report-public.html",)
    (tmp_path / "out/public/report-public.html").unlink()
    (tmp_path / "out/public/note.txt").write_text("mine", encoding="utf-8")
    assert shoal.verify(tmp_path / "out").others == ("note.txt",)
    assert shoal.verify(tmp_path / "out/public/data.csv").others == ()


def test_what_is_beside_a_release_of_the_first_schema_is_named(tmp_path: Path) -> None:
    released().write(tmp_path / "out")
    made_first(tmp_path / "out")
    assert shoal.verify(tmp_path / "out").others == ()
    (tmp_path / "out/note.txt").write_text("mine", encoding="utf-8")
    assert shoal.verify(tmp_path / "out").others == ("note.txt",)


def test_the_public_one_says_all_that_may_be_said(tmp_path: Path) -> None:
    released().write(tmp_path / "out")
    forge(tmp_path / "out" / "public" / PUBLIC, lambda told: told.pop("delimiter"))
    with pytest.raises(CertificateError, match="it differs in delimiter"):
        shoal.verify(tmp_path / "out")
