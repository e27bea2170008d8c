"""Regions of a small problem whose tally is in memory."""

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from shoal.measures.measure import CellMeasure
from shoal.search.engines.part_tally import counted_part
from shoal.search.local.forms import forms_of
from shoal.search.problem import Border, PointCharges, Problem
from shoal.search.regions.box import LeafBox, leaving_prices, places_of
from shoal.search.regions.coarse import Block, filled
from shoal.search.regions.cutting import TableRegion, regions_of


def block_of(problem: Problem) -> Block:
    """Return all points, each as one row."""
    tally = problem.tally
    places = [places_of(column) for column in tally.quasi]
    positions = [own[tally.codes[:, j]] for j, own in enumerate(places)]
    return Block(positions, tally.profiles, tally.counts)


def profile_problem(problem: Problem) -> Problem:
    """Return the problem with one point for each sensitive tuple."""
    tally = problem.tally
    n_profiles = len(tally.profile_codes)
    points = replace(
        tally,
        codes=np.zeros((n_profiles, len(tally.quasi)), dtype=np.int32),
        profiles=np.arange(n_profiles, dtype=np.int32),
        counts=tally.totals,
    )
    return replace(problem, tally=points)


def regions(problem: Problem, most: int) -> list[TableRegion]:
    return regions_of(profile_problem(problem), most, lambda tallies: filled(tallies, [block_of(problem)]))


def part(problem: Problem, box: LeafBox, charged: Callable[[PointCharges], object] = id) -> Problem:
    """Return the problem of the points in a box."""
    tally = problem.tally
    inside = np.flatnonzero(box.holds(block_of(problem).positions))
    leaves = [np.ascontiguousarray(tally.codes[inside, j]) for j in range(len(tally.quasi))]
    counted = counted_part(tally, leaves, tally.profiles[inside], tally.counts[inside])
    measure = problem.measure
    assert isinstance(measure, CellMeasure)
    leaving = leaving_prices(tally.quasi, forms_of(tally.quasi, measure), box)
    return replace(problem, tally=counted.tally, border=Border(leaving, charged))


def parts(problem: Problem, most: int) -> Iterator[Problem]:
    return (part(problem, region.box) for region in regions(problem, most))
