"""Screens: one file for each, with the addresses that it answers."""

from starlette.routing import Route

from shoal.web.screens import columns, handing_over, looking, opening, rows, session, tasks

ROUTES: list[Route] = [
    route for screen in (opening, columns, looking, handing_over, rows, session, tasks) for route in screen.ROUTES
]
