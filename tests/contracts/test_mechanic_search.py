"""Which searches for mechanics, and for their free times, are refused."""

from datetime import timedelta
from typing import Any

import pytest
from attrs import evolve
from tests.contracts.appointments import MONDAY, a_mechanic

from repaircore.core import Core
from repaircore.kernel.callers import Environment
from repaircore.kernel.errors import Invalid
from repaircore.mechanics.search import MOST_DAYS, MOST_MECHANICS, ListAvailability, SearchMechanics
from repaircore.mechanics.slots import BOOKING_HORIZON
from repaircore.testing.clock import FrozenClock

LIVE = Environment.LIVE
_TODAY, _DAY = MONDAY.date(), timedelta(days=1)


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock(MONDAY)


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    """Use SQLite only: hardly anything is read."""
    return sqlite_url


@pytest.mark.parametrize(
    ("query", "fields"),
    [
        ({"state": "OH"}, set()),
        ({"zip": "43215", "radius_miles": 1.0}, set()),
        ({"latitude": 40.0, "longitude": -83.0, "sort": "distance"}, set()),
        ({"state": "OH", "sort": "-rating", "min_rating": 5.0, "language": "Spanish"}, set()),
        ({}, {"state"}),
        ({"latitude": 40.0}, {"longitude"}),
        ({"longitude": -83.0, "state": "OH"}, {"latitude"}),
        ({"latitude": 40.0, "longitude": -83.0, "zip": "43215"}, {"zip"}),
        ({"state": "OH", "radius_miles": 5.0}, {"radius_miles"}),
        ({"state": "OH", "sort": "distance"}, {"sort"}),
        ({"zip": "00000"}, {"zip"}),
        ({"zip": "09012"}, {"zip"}),
        ({"state": "OH", "service": "x" * 101}, {"service"}),
        ({"state": "OH", "service": "x" * 100}, set()),
        ({"state": "OH", "language": "klingon"}, {"language"}),
        ({"state": "OH", "min_rating": 0.9, "sort": "name"}, {"min_rating", "sort"}),
    ],
)
def test_search_needs_one_place_and_valid_filters(
    core: Core, query: dict[str, Any], fields: set[str]
) -> None:
    if not fields:
        assert core.mechanic_search.find(LIVE, SearchMechanics(**query)).total == 0
        return
    with pytest.raises(Invalid) as caught:
        core.mechanic_search.find(LIVE, SearchMechanics(**query))

    assert caught.value.fields.keys() == fields


@pytest.mark.parametrize(
    ("starts_in", "days", "fields"),
    [
        (-1, 1, set()),
        (-2, 1, {"date_from"}),
        (BOOKING_HORIZON.days, 1, set()),
        (BOOKING_HORIZON.days + 1, 1, {"date_from"}),
        (0, MOST_DAYS, set()),
        (0, MOST_DAYS + 1, {"date_to"}),
        (0, 0, {"date_to"}),
    ],
)
def test_free_times_are_listed_for_two_weeks_within_a_year(
    core: Core, *, starts_in: int, days: int, fields: set[str]
) -> None:
    first = _TODAY + _DAY * starts_in
    query = ListAvailability(state="OH", date_from=first, date_to=first + _DAY * (days - 1))
    if not fields:
        assert core.mechanic_search.list_free(LIVE, query) == []
        return
    with pytest.raises(Invalid) as caught:
        core.mechanic_search.list_free(LIVE, query)

    assert caught.value.fields.keys() == fields


def test_free_times_are_of_mechanics_by_reference_in_their_order(core: Core) -> None:
    tires, brakes = (a_mechanic(core, LIVE, name=name, services=name) for name in ("tires", "brakes"))
    query = ListAvailability(
        date_from=_TODAY, date_to=_TODAY, mechanics=f"{brakes.ref}, {tires.ref},{brakes.ref}"
    )
    found = core.mechanic_search.list_free(LIVE, query)
    of_service = core.mechanic_search.list_free(LIVE, evolve(query, service="Tires"))

    assert [each.ref for each, _ in found] == [brakes.ref, tires.ref]
    assert [each.ref for each, _ in of_service] == [tires.ref]
    for wrong in ("", " , ", "nobody", f"{tires.ref},mec_01m7wx6s0ce2jsmdd4rhxwsq51"):
        with pytest.raises(Invalid) as caught:
            core.mechanic_search.list_free(LIVE, evolve(query, mechanics=wrong))
        assert caught.value.fields.keys() == {"mechanics"}


def test_free_times_are_of_twenty_five_mechanics_at_most(core: Core) -> None:
    refs = [a_mechanic(core, LIVE, name=f"Garage {number}").ref for number in range(MOST_MECHANICS + 1)]
    query = ListAvailability(date_from=_TODAY, date_to=_TODAY, mechanics=",".join(refs[:MOST_MECHANICS]))

    assert len(core.mechanic_search.list_free(LIVE, query)) == MOST_MECHANICS
    assert (
        len(core.mechanic_search.list_free(LIVE, evolve(query, mechanics=None, state="OH"))) == MOST_MECHANICS
    )
    with pytest.raises(Invalid):
        core.mechanic_search.list_free(LIVE, evolve(query, mechanics=",".join(refs)))
