"""Screens: one file for each, with the addresses that it answers."""

from starlette.routing import Route

from shoal.web.screens import columns, handing_over, history, looking, next_time, opening, rows, session, tasks, words

_SCREENS = (opening, columns, words, looking, handing_over, next_time, history, rows, session, tasks)

ROUTES: list[Route] = [route for screen in _SCREENS for route in screen.ROUTES]
