"""Screens: one file for each, with the addresses that it answers."""

from starlette.routing import Route

from shoal.web.screens import columns, looking, opening, rows, session, tasks

ROUTES: list[Route] = [route for screen in (opening, columns, looking, rows, session, tasks) for route in screen.ROUTES]
