"""Screens: one file for each, with the addresses that it answers."""

from starlette.routing import Route

from shoal.web.screens import columns, exposure, opening, promises, rows, session, tasks, trying

ROUTES: list[Route] = [
    route for screen in (opening, columns, exposure, promises, rows, session, tasks, trying) for route in screen.ROUTES
]
