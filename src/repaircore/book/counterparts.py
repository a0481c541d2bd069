"""The same work on different vehicles: the oil change of a diesel, the A/C compressor of an electric car."""

from collections.abc import Sequence
from typing import Final

from repaircore.book.fit import FitOutcome, alternatives, check_fit
from repaircore.book.model import Problem
from repaircore.kernel.profile import VehicleProfile

SAME_WORK: Final = tuple(
    frozenset(slugs.split())
    for slugs in (
        "oil-change oil-change-synthetic oil-change-high-mileage oil-change-diesel",
        "transmission-fluid-service manual-transmission-fluid",
        "automatic-transmission-replacement-used cvt-replacement",
        "steering-rack electric-steering-rack",
        "ac-compressor electric-ac-compressor",
        "coolant-flush hv-coolant-service",
        "fuel-injector diesel-fuel-injector",
        "high-pressure-fuel-pump diesel-injection-pump",
        "struts-front shock-absorbers-front",
        "struts-rear shock-absorbers-rear",
        "hybrid-battery plug-in-hybrid-battery ev-battery",
    )
)
"""Repairs that people call by the same name; usually, one repair of each group fits a vehicle."""

_NEAREST: Final = 3


def counterpart(problem: Problem, problems: Sequence[Problem], vehicle: VehicleProfile) -> Problem:
    """Return the one repair for the same work that certainly fits the vehicle, if ``problem`` does not fit.

    Return ``problem`` itself if it fits or may fit, or if there is no such repair or more than one.
    """
    if check_fit(problem, vehicle).outcome is not FitOutcome.DOES_NOT_FIT:
        return problem
    fitting = [
        other
        for other in problems
        if are_same_work(problem.slug, other.slug) and check_fit(other, vehicle).outcome is FitOutcome.FITS
    ]
    return fitting[0] if len(fitting) == 1 else problem


def are_same_work(slug: str, other: str) -> bool:
    """Return whether two different repairs are the same work on different vehicles."""
    return slug != other and any({slug, other} <= group for group in SAME_WORK)


def nearest_fitting(
    problem: Problem, problems: Sequence[Problem], vehicle: VehicleProfile
) -> Sequence[Problem]:
    """List up to three of the closest repairs that fit a vehicle; one for the same work comes first."""
    same, near = counterpart(problem, problems, vehicle), alternatives(problem, problems, vehicle)
    return near if same is problem else [same, *(other for other in near if other.id != same.id)][:_NEAREST]
