"""Screens: one file for each, with the addresses that it answers."""

from starlette.routing import Route

from shoal.web.screens import columns, opening, rows, session, tasks, trying

ROUTES: list[Route] = [route for screen in (opening, columns, rows, session, tasks, trying) for route in screen.ROUTES]
