"""Checking: links of the built pages lead to pages and headings of the site, and nothing is fetched from elsewhere."""

from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

_FETCHED = {
    "script": "src",
    "img": "src",
    "link": "href",
    "iframe": "src",
    "source": "src",
    "object": "data",
    "embed": "src",
}


class Links(NamedTuple):
    """What a page leads to, what it fetches, and the places in it that links may name."""

    leads: tuple[str, ...]
    fetched: tuple[str, ...]
    places: frozenset[str]


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.leads: list[str] = []
        self.fetched: list[str] = []
        self.places: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.places.update(given[name] for name in ("id", "name") if name in given)
        if tag == "a" and "href" in given:
            self.leads.append(given["href"])
        if tag in _FETCHED and _FETCHED[tag] in given and given.get("rel") != "canonical":
            self.fetched.append(given[_FETCHED[tag]])


@cache
def links_of(page: Path) -> Links:
    """Read a page."""
    reader = _Reader()
    reader.feed(page.read_text(encoding="utf-8"))
    return Links(tuple(reader.leads), tuple(reader.fetched), frozenset(reader.places))


def wrong(site: Path) -> list[str]:
    """Return what is wrong with the pages and style sheets of a site, each in a sentence."""
    pages = sorted(site.rglob("*.html"))
    return [line for page in pages for line in _wrong_with(page, site)] + [
        f"{sheet.relative_to(site)}: fetches from another host."
        for sheet in sorted(site.rglob("*.css"))
        if any(
            mark in sheet.read_text(encoding="utf-8")
            for mark in ("url(http", "url(//", 'url("http', '@import "http', "@import url")
        )
    ]


def _wrong_with(page: Path, site: Path) -> Iterator[str]:
    found, name = links_of(page), page.relative_to(site)
    for link in dict.fromkeys(found.fetched):
        if urlsplit(link).scheme in ("http", "https") or link.startswith("//"):
            yield f"{name}: fetches '{link}' from another host."
        elif urlsplit(link).scheme != "data" and _target(page, link) is None:
            yield f"{name}: '{link}' is not there."
    for link in dict.fromkeys(found.leads):
        given = urlsplit(link)
        if given.scheme or given.netloc:
            continue
        target = _target(page, link)
        if target is None:
            yield f"{name}: the link '{link}' leads nowhere."
        elif given.fragment and target.suffix == ".html" and unquote(given.fragment) not in links_of(target).places:
            yield f"{name}: the link '{link}' leads to no heading."


def _target(page: Path, link: str) -> Path | None:
    """Return the file that a relative link leads to."""
    path = unquote(urlsplit(link).path)
    found = (page.parent / path).resolve() if path else page
    return found if found.is_file() else None
