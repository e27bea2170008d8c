"""Guard: who may talk to the app, and what every answer says to the browser."""

from collections.abc import MutableMapping
from secrets import compare_digest
from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from shoal.web.sessions import AppSession

ENTER = "/enter"
"""Where the one-time token of the printed address is exchanged for a cookie."""

FORM = "form"
"""The query parameter of a form's address that proves that the form is ours."""

_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
)
HEADERS = {
    "Content-Security-Policy": _POLICY,
    "Referrer-Policy": "same-origin",  # with "no-referrer", browsers send forms with `Origin: null`
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
"""What every answer says to the browser, errors and static files as well."""

_ON = (
    '<!doctype html><html lang="en"><title>shoal</title><link rel="icon" href="/static/icon.svg">'
    '<meta http-equiv="refresh" content="0;url=/">'
)
"""Leads on from the printed address. A redirect would not do: who comes by a link of another page (of a notebook, say)
is sent on without the cookie, since that page began it."""


class Guard:
    """Lets requests through that come from the browser which was given the address, and from a page of ours.

    A name that leads here from elsewhere (DNS rebinding) is told by the header Host; a page of another site by Origin
    and by the missing form token; another user of the machine by the missing cookie. Cookies do not know ports, so the
    name of ours holds the port.
    """

    def __init__(self, app: ASGIApp, session: AppSession) -> None:
        self._app, self._session = app, session

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                _with_headers(message)
            await send(message)

        request = Request(scope, receive)
        refused = self._refusal(request)
        if refused is not None:
            await refused(scope, receive, guarded)
            return
        self._session.seen()
        await self._app(scope, receive, guarded)

    def _refusal(self, request: Request) -> Response | None:
        session = self._session
        if request.headers.get("host") not in session.hosts:
            return _refused("This address is not the one that shoal printed.")
        if request.method not in ("GET", "HEAD", "POST"):
            return PlainTextResponse("Only GET and POST are known here.", 405)
        if "origin" in request.headers and request.headers["origin"] not in session.origins:
            return _refused("This comes from a page of another site.")
        known = _same(request.cookies.get(session.cookie_name, ""), session.cookie)
        if request.url.path == ENTER:
            return self._entered(request, known=known)
        if not known:
            return _refused("Open the address that shoal printed when it was started: it holds a key for one browser.")
        if request.headers.get("sec-fetch-site", "none") not in ("same-origin", "none"):
            return _refused("This comes from a page of another site.")
        if request.method == "POST" and not self._ours(request):
            return _refused("This form is not one of this app, or an older one: reload the page, and try again.")
        return None

    def _entered(self, request: Request, *, known: bool) -> Response:
        """Exchange the token for a cookie, once; a browser that has the cookie just goes on."""
        session = self._session
        if request.method != "GET":
            return PlainTextResponse("Only GET is known here.", 405)
        if not known and not session.take(request.query_params.get("token", "")):
            return _refused("This address was used already, and holds good once. Start shoal ui again for a new one.")
        answer = HTMLResponse(_ON)
        answer.set_cookie(
            session.cookie_name, session.cookie, path="/", httponly=True, samesite="strict", secure=session.secure
        )
        return answer

    def _ours(self, request: Request) -> bool:
        """Tell whether a form is ours: it says where it comes from, and knows the form token."""
        told = request.query_params.get(FORM, "")
        return "origin" in request.headers and _same(told, self._session.form)


def _same(told: str, kept: str) -> bool:
    """Compare two secrets; how long it takes tells nothing."""
    return compare_digest(told.encode("utf-8", "surrogatepass"), kept.encode())


def _refused(words: str) -> Response:
    return PlainTextResponse(words, 403)


def _with_headers(message: MutableMapping[str, Any]) -> None:
    given = {name.lower() for name, _ in message.get("headers", [])}
    message["headers"] = [
        *message.get("headers", []),
        *(
            (name.lower().encode(), value.encode())
            for name, value in HEADERS.items()
            if name.lower().encode() not in given
        ),
    ]
