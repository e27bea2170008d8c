"""Reports: what each audience is told, and what it is not."""

import hashlib
import random
import re
import shutil
import subprocess
from base64 import b64encode
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from typing import Literal

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.certificate import text_of
from shoal.foundation.errors import SpecError
from shoal.releases.release import Release
from shoal.reports.people import _Below, _histogram
from shoal.tables.location import file_digest

STEWARD = [
    "context",
    "verdict",
    "signatures",
    "request",
    "claims",
    "classes",
    "risk",
    "columns",
    "loss",
    "attacks",
    "methods",
    "printed",
    "questions",
    "hipaa",
    "not-tested",
    "rows",
    "origin",
    "job",
]
KEPT = ("context", "signatures", "attacks", "hipaa", "rows", "job")  # not in the public report
SEED = 987654321


def table(n: int = 60, seed: int = 1) -> pl.DataFrame:
    draw = random.Random(seed)  # noqa: S311
    return pl.DataFrame(
        {
            "name": [f"person{i}x" for i in range(n)],
            "age": [20 + draw.randrange(60) for _ in range(n)],
            "city": [draw.choice(["Aachen", "Bonn", "Duren"]) for _ in range(n)],
            "illness": [draw.choice(["flu", "cold", "asthma", "gout"]) for _ in range(n)],
            "visits": [draw.randrange(4) for _ in range(n)],
        }
    )


def released(frame: pl.DataFrame | None = None, **given: object) -> Release:
    request: dict[str, object] = {
        "quasi": ["age", "city"],
        "sensitive": ["illness"],
        "insensitive": ["visits"],
        "drop": ["name"],
        "k": 4,
        "seed": SEED,
    }
    return shoal.anonymize(table() if frame is None else frame, **{**request, **given})  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def plain() -> Release:
    """A release of the table as it is; a report does not change it."""
    return released()


class Reader(HTMLParser):
    """Reads a page: its tags, the sections, and all texts and attributes."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.open: list[str] = []
        self.sections: list[str] = []
        self.values: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.values += [value or "" for _, value in attrs]
        if tag == "section":
            self.sections += [value or "" for name, value in attrs if name == "id"]
        if tag not in ("meta", "br"):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.values += [value or "" for _, value in attrs]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.values.append(data)


@pytest.mark.parametrize("audience", ["steward", "public"])
def test_a_browser_is_told_to_allow_nothing_but_the_style_of_the_page(
    plain: Release, audience: Literal["steward", "public"]
) -> None:
    page = plain.report(audience=audience)
    [style] = re.findall("<style>(.*?)</style>", page, re.DOTALL)
    digest = b64encode(hashlib.sha256(style.encode()).digest()).decode()
    [policy] = re.findall('<meta http-equiv="Content-Security-Policy" content="(.*?)">', page)
    assert policy == f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    assert page.index("Content-Security-Policy") < page.index("<style>")
    assert " style=" not in page  # it would be ignored


@pytest.mark.parametrize("algorithm", ["tightest", "optimal", "k-optimize", "r-gather"])
@pytest.mark.parametrize("audience", ["steward", "public"])
def test_one_page_that_needs_nothing_else(algorithm: str, audience: Literal["steward", "public"]) -> None:
    measure = "discernibility" if algorithm == "k-optimize" else None
    page = released(algorithm=algorithm, measure=measure).report(audience=audience)
    read = Reader(page)
    assert read.open == []
    left = {
        *(KEPT if audience == "public" else []),
        *(["printed"] if algorithm == "optimal" else []),
    }
    assert read.sections == [key for key in STEWARD if key not in left]
    assert not {"script", "link", "img", "iframe"} & set(read.tags)
    assert set(re.findall(r"[a-z]+://[^\"<\s]+", page)) <= {"http://www.w3.org/2000/svg"}
    assert "url(" not in page.replace("url(#frame)", "")


def test_the_verdict_comes_first_with_the_figures_of_the_certificate(plain: Release) -> None:
    release = released(require=[{"model": "distinct-l-diversity", "l": 2, "column": "illness"}], algorithm="mondrian")
    text = _text(release.report())
    found = release.certificate
    assert text.index("Safe: all claims hold") < text.index("what an attacker may know")
    assert f"{found['records']['released']} records are released" in text
    assert f"at most 1 in {found['classes']['smallest']}" in text
    assert "No promise limits" not in text
    assert "No promise limits what a class tells about illness" in _text(plain.report())


def _text(page: str) -> str:
    return unescape(re.sub(r"<[^>]+>", " ", re.sub(r"<style>.*?</style>", "", page, flags=re.DOTALL)))


def test_the_steward_is_told_how_to_repeat_it_and_the_public_is_not(plain: Release) -> None:
    release = plain
    steward, public = release.report(), release.report(audience="public")
    assert str(SEED) in steward
    assert "shoal anonymize job.toml" in steward
    assert "[columns.name]" in steward
    for secret in (str(SEED), "job.toml", "shoal anonymize", "times what the best", "candidates", "identifier"):
        assert secret not in _text(public)
    assert release.certificate["file"].get("sha256", "") in public


def test_the_officer_sees_which_files_were_read_and_signs(tmp_path: Path) -> None:
    table().write_csv(tmp_path / "people.csv")
    (tmp_path / "city.csv").write_text("Aachen;west;*\nBonn;east;*\nDuren;west;*\n")
    release = shoal.anonymize(
        tmp_path / "people.csv",
        quasi={"age": None, "city": {"type": "levels", "path": str(tmp_path / "city.csv")}},
        drop=["name", "illness", "visits"],
        k=4,
        algorithm="optimal",
    )
    steward, public = (_text(release.report(audience=audience)) for audience in ("steward", "public"))
    for name in ("people.csv", "city.csv"):
        assert f"read: {name}" in steward
        assert file_digest(tmp_path / name) in steward
        assert file_digest(tmp_path / name) not in public
    assert "polars" in steward
    assert "data protection officer" in steward.partition("Signatures")[2]
    assert "Signatures" not in public


def test_a_level_is_shown_by_its_most_frequent_cell() -> None:
    page = _text(released(quasi={"age": None, "city": "suppression"}, algorithm="optimal").report(audience="public"))
    assert re.search(r"to level \d+ for all records alike: such as \d+", page)


def test_a_public_report_counts_nothing_below_k() -> None:
    """Two records lie far from all others, and are suppressed."""
    frame = pl.concat([table(), table(2).with_columns(age=pl.Series([400, 900]))])
    release = released(
        frame,
        algorithm="optimal",
        max_suppressed=0.05,
        quasi={"age": {"type": "intervals", "widths": [20, 40]}, "city": "suppression"},
    )
    assert 0 < release.certificate["records"]["suppressed"] < 4
    assert f"{release.certificate['records']['suppressed']} were suppressed" in _text(release.report())
    assert "Fewer than 4 were suppressed" in _text(release.report(audience="public"))


def test_a_public_report_of_clusters_tells_no_radius() -> None:
    release = released(algorithm="r-gather")
    radius = release.certificate["loss"]["total"]
    assert f"{radius:.6g}" in _text(release.report())
    assert f"{radius:.6g}" not in _text(release.report(audience="public"))
    assert "microaggregation" in release.report(audience="public")
    assert "<svg" in release.report()


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 10**6), algorithm=st.sampled_from(["tightest", "optimal", "mondrian"]))
def test_no_raw_value_that_the_release_does_not_hold_is_in_a_public_file(seed: int, algorithm: str) -> None:
    """Neither in the report nor in the certificate, though a promise and a hierarchy name values."""
    draw = random.Random(seed)  # noqa: S311
    n = 40
    words = [f"w{draw.randrange(10**9)}z" for _ in range(12)]
    frame = pl.DataFrame(
        {
            "name": [f"n{draw.randrange(10**9)}z" for _ in range(n)],
            "number": [f"{draw.randrange(10**6)}.{draw.randrange(100, 999)}" for _ in range(n)],
            "word": [draw.choice(words) for _ in range(n)],
            "ill": [*(draw.choice(words[:5]) + "s" for _ in range(n - 1)), "w1once2z"],
        }
    )
    known = sorted(set(frame["ill"]))
    close = {"model": "t-closeness", "t": 1, "column": "ill", "distance": "ordered"}
    named = [{"model": "alpha-k-anonymity", "alpha": 1, "k": 2, "column": "ill", "value": value} for value in known]
    release = shoal.anonymize(
        frame,
        quasi=["number", "word"],
        sensitive={"ill": {"type": "order", "fanout": 2, "order": known}},
        drop=["name"],
        k=5,
        require=[close, *named],
        algorithm=algorithm,
        seed=1,
        max_suppressed=0.1,
    )
    held = {text for name in release.data.columns for text in release.data[name].to_list()}
    page = release.report(audience="public") + text_of(release.public_certificate).decode()
    shown = {
        value
        for name in frame.columns
        for value in frame[name].to_list()
        if value in page and not any(value in str(text) for text in held)
    }
    assert shown == set()


def test_a_steward_report_names_no_identifier_and_no_rare_value() -> None:
    frame = pl.concat([table(), table(1).with_columns(city=pl.lit("Zzyzx"))])
    page = released(frame, algorithm="mondrian").report()
    assert "Zzyzx" not in page
    assert "Bonn" in page
    assert not any(name in page for name in frame["name"])


def test_reports_stand_beside_a_release(tmp_path: Path, plain: Release) -> None:
    plain.write(tmp_path / "out")
    steward, public = (tmp_path / "out" / name for name in ("private/report.html", "public/report-public.html"))
    assert "keep it" in _text(steward.read_text(encoding="utf-8"))
    assert "keep it" not in _text(public.read_text(encoding="utf-8"))


def test_a_report_where_one_is_asked_for(tmp_path: Path, plain: Release) -> None:
    page = plain.report(tmp_path / "mine.html", audience="public")
    assert (tmp_path / "mine.html").read_text(encoding="utf-8") == page
    with pytest.raises(SpecError, match="known are steward, public"):
        plain.report(audience="press")  # type: ignore[arg-type]


@given(sizes=st.lists(st.integers(1, 60), min_size=1, max_size=30), k=st.integers(1, 20))
def test_shares_of_records_in_small_classes(sizes: list[int], k: int) -> None:
    below = _Below.of(np.array(sizes))
    records = [size for size in sizes for _ in range(size)]
    assert below.share(k) == sum(size < k for size in records) / len(records)
    assert below.average == pytest.approx(sum(1 / size for size in records) / len(records))
    ends, shares = _histogram(np.array(sizes), k)
    assert sum(shares) == pytest.approx(1)
    for (low, high), share in zip(ends, shares, strict=True):
        held = [size for size in records if low <= size <= high]
        assert share == pytest.approx(len(held) / len(records))


def shown_width(page: str, folder: Path, width: int) -> re.Match[str] | None:
    """Open a copy of a page that says how wide it is, if its script may run; the page itself has none."""
    measure = "<script>document.title = 'wide ' + document.documentElement.scrollWidth + ' of ' + innerWidth;</script>"
    copy = folder / "page.html"
    copy.write_text(page.replace("</body>", f"{measure}</body>"), encoding="utf-8")
    ran = subprocess.run(
        [str(shutil.which("chromium")), "--headless=new", "--no-sandbox", "--disable-gpu",
         f"--user-data-dir={folder / 'profile'}", f"--window-size={width},900", "--dump-dom", copy.as_uri()],
        capture_output=True, text=True, timeout=120, check=True,
    )  # fmt: skip
    return re.search(r"wide (\d+) of (\d+)", ran.stdout)


needs_a_browser = pytest.mark.skipif(
    shutil.which("chromium") is None, reason="needs the browser chromium (Debian: chromium)"
)


@needs_a_browser
@pytest.mark.parametrize("width", [1280, 390])
def test_nothing_is_wider_than_the_window(width: int, tmp_path: Path) -> None:
    frame = table().rename({"age": "a_column_with_a_rather_long_name_indeed"})
    release = released(frame, quasi=["a_column_with_a_rather_long_name_indeed", "city"], algorithm="optimal")
    page = release.report().replace("default-src 'none';", "default-src 'none'; script-src 'unsafe-inline';")
    found = shown_width(page, tmp_path, width)
    assert found is not None
    assert int(found[1]) <= int(found[2])


@needs_a_browser
def test_no_script_runs_in_a_page(plain: Release, tmp_path: Path) -> None:
    assert shown_width(plain.report(), tmp_path, 800) is None
