"""Who may talk to the app, and what every answer says to the browser."""

import asyncio
from typing import Any

import pytest

from shoal.web.guard import ENTER, FORM, HEADERS, Guard
from tests.web.asking import HOST, ORIGIN, PORT, Asking

FOREIGN = ["evil.example", f"evil.example:{PORT}", "127.0.0.1", "127.0.0.1:80", f"127.0.0.1.evil.example:{PORT}"]
FOREIGN += [f"[::1]:{PORT}", f"0.0.0.0:{PORT}", f"localhost.:{PORT}", f"LOCALHOST:{PORT}", f"localhost:{PORT}@evil", ""]
SITES = ["http://evil.example", "null", "", f"https://{HOST}", "http://127.0.0.1", f"http://127.0.0.1:{PORT + 1}"]
SITES += [f"{ORIGIN}.evil.example", f"{ORIGIN}/"]
PAGES = ["/", "/open", "/rows", "/columns", "/static/app.css", "/static/app.js", "/no/such/page", ENTER]


@pytest.mark.parametrize("host", FOREIGN)
@pytest.mark.parametrize("path", ["/", "/static/app.css", ENTER])
def test_a_name_that_leads_here_from_elsewhere_is_refused(opened: Asking, host: str, path: str) -> None:
    """DNS rebinding: the browser believes that the page is one of evil.example, and sends its name."""
    answer = opened.get(path, host=host)
    assert answer.status_code == 403
    assert "printed" in answer.text


def test_a_foreign_name_does_not_spend_the_token(stranger: Asking) -> None:
    token = stranger.session.token
    assert stranger.get(f"{ENTER}?token={token}", host=f"evil.example:{PORT}").status_code == 403
    assert stranger.session.token == token


def test_the_name_localhost_is_ours(known: Asking) -> None:
    cookie = f"{known.session.cookie_name}={known.session.cookie}"
    assert known.get("/open", host=f"localhost:{PORT}", cookie=cookie).status_code == 200


@pytest.mark.parametrize("site", SITES)
def test_a_page_of_another_site_is_refused(known: Asking, site: str) -> None:
    assert known.get("/open", origin=site).status_code == 403
    assert known.post("/language", {"language": "de"}, headers={"origin": site}).status_code == 403
    assert known.session.language == "en"


@pytest.mark.parametrize("site", ["cross-site", "same-site", "anything"])
def test_what_the_browser_says_of_another_site_is_believed(known: Asking, site: str) -> None:
    """A page on another port of this machine is of the same site, and gets the cookie sent along."""
    assert known.get("/open", sec_fetch_site=site).status_code == 403
    assert known.get("/static/app.js", sec_fetch_site=site).status_code == 403
    assert known.post("/language", {"language": "de"}, headers={"sec-fetch-site": site}).status_code == 403
    assert known.session.language == "en"


@pytest.mark.parametrize("site", ["same-origin", "none"])
def test_our_own_pages_and_the_address_bar_are_answered(known: Asking, site: str) -> None:
    assert known.get("/open", sec_fetch_site=site).status_code == 200


@pytest.mark.parametrize("path", PAGES)
def test_without_the_cookie_nothing_is_told(stranger: Asking, path: str) -> None:
    answer = stranger.get(path)
    assert answer.status_code == 403
    assert "set-cookie" not in answer.headers
    assert len(answer.text) < 200


def test_the_cookie_of_another_port_or_run_is_none(stranger: Asking) -> None:
    name, cookie = stranger.session.cookie_name, stranger.session.cookie
    assert name == f"shoal-{PORT}"
    for wrong in (f"shoal-{PORT + 1}={cookie}", f"{name}=", f"{name}={cookie[:-1]}", f"{name}={cookie}x", f"{name}=ä"):
        assert stranger.client.get("/open", headers={b"cookie": wrong.encode()}).status_code == 403
    assert stranger.get("/open", cookie=f"{name}={cookie}").status_code == 200


def test_the_token_is_exchanged_once(stranger: Asking) -> None:
    token = stranger.session.token
    first = stranger.get(f"{ENTER}?token={token}")
    said = first.headers["set-cookie"].lower()
    assert first.status_code == 200
    assert token not in first.text
    assert {"httponly", "samesite=strict", "path=/"} <= {one.strip() for one in said.split(";")}
    assert "domain" not in said
    assert "max-age" not in said  # it is gone with the browser
    assert stranger.get("/open").status_code == 200
    stranger.client.cookies.clear()
    assert stranger.get(f"{ENTER}?token={token}").status_code == 403
    assert stranger.get(f"{ENTER}?token=").status_code == 403


def test_who_has_the_cookie_may_open_the_printed_address_again(known: Asking) -> None:
    assert known.session.token == ""
    assert known.get(f"{ENTER}?token=used").status_code == 200


@pytest.mark.parametrize("wrong", ["", "x", "ä", "%00", "%ED%A0%80", "a" * 5000])
def test_a_wrong_token_is_refused_and_spends_nothing(stranger: Asking, wrong: str) -> None:
    token = stranger.session.token
    assert stranger.get(f"{ENTER}?token={wrong}").status_code == 403
    assert stranger.session.token == token


@pytest.mark.parametrize("method", ["HEAD", "POST"])
def test_only_a_browser_that_goes_there_spends_the_token(stranger: Asking, method: str) -> None:
    """Programs that look at links before a person does ask by HEAD."""
    token = stranger.session.token
    assert stranger.client.request(method, ENTER, params={"token": token}).status_code == 405
    assert stranger.session.token == token


def test_a_cookie_for_tls_is_for_tls_only(stranger: Asking) -> None:
    stranger.session.secure = True
    assert "secure" in stranger.get(f"{ENTER}?token={stranger.session.token}").headers["set-cookie"].lower()


@pytest.mark.parametrize("told", [None, "", "x", "ä"])
def test_a_form_without_our_token_is_refused(known: Asking, told: str | None) -> None:
    query = {} if told is None else {FORM: told}
    headers = {"origin": ORIGIN}
    answer = known.client.post("/language", params=query, data={"language": "de"}, headers=headers)
    assert answer.status_code == 403
    assert known.session.language == "en"


def test_a_form_that_does_not_say_where_it_comes_from_is_refused(known: Asking) -> None:
    assert known.client.post(f"/language?{FORM}={known.session.form}", data={"language": "de"}).status_code == 403
    assert known.session.language == "en"


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "PROPFIND"])
def test_other_methods_are_unknown(known: Asking, method: str) -> None:
    assert known.client.request(method, "/open", headers={"origin": ORIGIN}).status_code == 405


@pytest.mark.parametrize("path", [*PAGES, "/keep", "/tasks/9", "/static/../guard.py", "/static/%2e%2e/guard.py"])
def test_every_answer_has_every_header(known: Asking, path: str) -> None:
    """Pages, files, what leads on, what is missing, and what is refused."""
    answers = [known.get(path), known.get(path, host="evil.example"), known.get(path, origin="null"), known.post(path)]
    known.client.cookies.clear()
    for answer in (*answers, known.get(path), known.client.delete(path)):
        assert {name: answer.headers.get_list(name) for name in HEADERS} == {
            name: [told] for name, told in HEADERS.items()
        }
        assert "server" not in answer.headers
        assert not [name for name in answer.headers if name.startswith("access-control")]


def test_an_error_that_nobody_foresaw_has_every_header_and_no_value(
    known: Asking, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(*_: Any) -> Any:
        raise ZeroDivisionError("a value of the table")

    monkeypatch.setattr("shoal.web.screens.opening.page", broken)
    answer = known.get("/open")
    assert answer.status_code == 500
    assert "ZeroDivisionError at test_guard.py" in answer.text
    assert "a value of the table" not in answer.text + "".join(capsys.readouterr())
    assert all(answer.headers[name] == told for name, told in HEADERS.items())


def test_the_policy_knows_this_app_alone() -> None:
    told = dict(one.split(" ", 1) for one in HEADERS["Content-Security-Policy"].split("; "))
    assert told["default-src"] == told["base-uri"] == told["frame-ancestors"] == "'none'"
    assert {value for name, value in told.items() if value != "'none'"} == {"'self'"}
    assert "form-action" in told


def test_a_web_socket_is_not_answered(known: Asking) -> None:
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    async def app(*_: Any) -> None:
        raise AssertionError("it was let through")

    asyncio.run(Guard(app, known.session)({"type": "websocket", "headers": []}, send, send))  # type: ignore[arg-type]
    assert sent == []
