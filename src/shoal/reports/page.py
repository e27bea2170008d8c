"""Page: a self-contained HTML file, for screens of any width and for paper."""

import hashlib
from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from importlib.resources import files
from typing import Any


class Html(str):
    """A text that is HTML already, and is not escaped again."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class PageSection:
    """A part of a page.

    Args:
        key: Its anchor in links.
        title: Its title.
        parts: Its content.
        told: The figures and words behind it, as JSON, for those who show them in another form.
    """

    key: str
    title: str
    parts: tuple[Html, ...]
    told: Mapping[str, Any] = field(default_factory=dict)


def html(value: object) -> Html:
    """Return a value as HTML: escaped unless it is HTML already."""
    return value if isinstance(value, Html) else Html(escape(str(value)))


def paragraph(*parts: object) -> Html:
    """Return a paragraph."""
    return Html(f"<p>{''.join(html(part) for part in parts)}</p>")


def strong(value: object) -> Html:
    """Return a value in bold."""
    return Html(f"<b>{html(value)}</b>")


def code(value: object) -> Html:
    """Return a value as inline code."""
    return Html(f"<code>{html(value)}</code>")


def listing(text: str) -> Html:
    """Return preformatted lines."""
    return Html(f"<pre>{html(text)}</pre>")


def bullets(items: Iterable[object]) -> Html:
    """Return a list."""
    return Html("<ul>" + "".join(f"<li>{html(item)}</li>" for item in items) + "</ul>")


def html_table(
    header: Sequence[object], rows: Iterable[Sequence[object]], numbers: Iterable[int] = (), *, stacked: bool = False
) -> Html:
    """Return a table.

    Args:
        header: The titles of its columns.
        rows: Its rows.
        numbers: The columns of numbers, which are aligned to the right.
        stacked: Whether a narrow screen shows the cells of a row below each other, each with its title.
    """
    right = set(numbers)
    titles = [f' data-title="{html(title)}"' if stacked else "" for title in header]

    def row(cells: Sequence[object], kind: str, own: Sequence[str]) -> str:
        return "".join(
            f"<{kind}{' class=n' if number in right else ''}{own[number]}>{html(cell)}</{kind}>"
            for number, cell in enumerate(cells)
        )

    body = "".join(f"<tr>{row(cells, 'td', titles)}</tr>" for cells in rows)
    head = row(header, "th", [""] * len(header))
    kind = ' class="stacked"' if stacked else ""
    return Html(f'<div class="wide"><table{kind}><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>')


def facts(pairs: Iterable[tuple[object, object]]) -> Html:
    """Return a list of names with their values."""
    return Html(
        "<dl>" + "".join(f"<div><dt>{html(name)}</dt><dd>{html(value)}</dd></div>" for name, value in pairs) + "</dl>"
    )


def figure(picture: str, caption: object) -> Html:
    """Return a picture with a caption."""
    return Html(f"<figure>{picture}<figcaption>{html(caption)}</figcaption></figure>")


def figure_row(pictures: Iterable[Html]) -> Html:
    """Return pictures side by side, as many as fit into the width of the page."""
    return Html(f'<div class="figures">{"".join(pictures)}</div>')


def document(title: str, note: object, sections: Sequence[PageSection], head: object = "") -> str:
    """Return the page.

    Args:
        title: Its title.
        note: A note on its audience.
        sections: Its sections, in order.
        head: What stands below its title, before the note.
    """
    style = files("shoal.reports").joinpath("report.css").read_text(encoding="utf-8")
    links = "".join(f'<li><a href="#{one.key}">{html(one.title)}</a></li>' for one in sections)
    body = "\n".join(
        f'<section id="{one.key}"><h2>{html(one.title)}</h2>\n{chr(10).join(one.parts)}\n</section>' for one in sections
    )
    style = f"\n{style}"
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_policy(style)}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{html(title)}</title>\n<style>{style}</style>\n</head>\n<body>\n<main>\n"
        f"<h1>{html(title)}</h1>\n{html(head)}<p class=note>{html(note)}</p>\n"
        f"<nav><ul>{links}</ul></nav>\n{body}\n</main>\n"
        "</body>\n</html>\n"
    )


def _policy(style: str) -> str:
    """Return a content security policy that allows nothing but this style: no cell of a table can make a page act."""
    digest = b64encode(hashlib.sha256(style.encode()).digest()).decode()
    return f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
