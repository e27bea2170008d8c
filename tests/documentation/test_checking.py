"""Checking: a link to nowhere, and what a page would fetch from another host, are found."""

from pathlib import Path

from docs.site.checking import wrong


def page(folder: Path, name: str, body: str) -> None:
    (folder / name).write_text(f"<html><body>{body}</body></html>", encoding="utf-8")


def test_what_is_right_is_not_told(tmp_path: Path) -> None:
    page(
        tmp_path,
        "one.html",
        '<h1 id="top">a</h1><a href="two.html#there">b</a><a href="#top">c</a><a href="https://x.y">d</a>',
    )
    page(tmp_path, "two.html", '<p id="there"></p><img src="data:image/png;base64,AA">')
    assert wrong(tmp_path) == []


def test_links_to_nowhere_are_found(tmp_path: Path) -> None:
    page(tmp_path, "one.html", '<a href="no.html">a</a><a href="#no">b</a><img src="no.svg">')
    assert wrong(tmp_path) == [
        "one.html: 'no.svg' is not there.",
        "one.html: the link 'no.html' leads nowhere.",
        "one.html: the link '#no' leads to no heading.",
    ]


def test_what_is_fetched_from_another_host_is_found(tmp_path: Path) -> None:
    page(
        tmp_path,
        "one.html",
        '<script src="https://cdn.example/x.js"></script><link rel="stylesheet" href="//fonts.example/f.css">',
    )
    (tmp_path / "site.css").write_text("@font-face { src: url(https://fonts.example/f.woff) }", encoding="utf-8")
    assert wrong(tmp_path) == [
        "one.html: fetches 'https://cdn.example/x.js' from another host.",
        "one.html: fetches '//fonts.example/f.css' from another host.",
        "site.css: fetches from another host.",
    ]
