"""Screens: one file for each, with the addresses that it answers."""

from starlette.routing import Route

from shoal.web.screens import (
    columns,
    exposure,
    handing_over,
    history,
    looking,
    next_time,
    opening,
    promises,
    rows,
    session,
    tasks,
    trying,
    words,
)

_STEPS = (opening, columns, exposure, words, promises, trying, looking, handing_over, next_time, history)

ROUTES: list[Route] = [route for screen in (*_STEPS, rows, session, tasks) for route in screen.ROUTES]
