"""Which mechanics a search lists, in which order and on which page."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, date, datetime
from typing import Any

import pytest
from attrs import define, evolve, field

from repaircore.facilities.model import ZipPlace
from repaircore.kernel.callers import Environment
from repaircore.kernel.errors import Invalid
from repaircore.kernel.geo import MILES_PER_DEGREE, Point, miles
from repaircore.kernel.hours import parse_weekly
from repaircore.kernel.paging import Page
from repaircore.mechanics.model import Mechanic, Offer, Profile, Schedule
from repaircore.mechanics.ports import MechanicFilter
from repaircore.mechanics.search import (
    MOST_COMPARED,
    MOST_MECHANICS,
    RADIUS_MILES,
    FoundMechanic,
    ListAvailability,
    MechanicSearch,
    SearchMechanics,
)

NOW = datetime(2026, 3, 2, 12, tzinfo=UTC)  # a Monday
HERE = Point(40.0, -83.0)
AROUND = SearchMechanics(latitude=HERE.latitude, longitude=HERE.longitude)
PLACES = {
    "43215": ZipPlace(zip_code="43215", state="OH", point=HERE, time_zone="America/New_York"),
    "09012": ZipPlace(zip_code="09012", state="AE", point=None, time_zone=None),
}


def mechanic(number: int, hours: str = "mon-sun 08:00-18:00", *services: str) -> Mechanic:
    return Mechanic(
        id=number,
        ref=f"mec_{number}",
        environment=Environment.LIVE,
        profile=Profile(
            name="Garage",
            state="OH",
            schedule=Schedule(time_zone="UTC", weekly=parse_weekly(hours)),
            offers=tuple(Offer(service=service, minutes=300) for service in services),
        ),
        is_active=True,
        created_at=NOW,
        updated_at=NOW,
    )


@define
class Directory:
    """A directory of mechanics at places, with ratings, none of whose seats is taken; records what is looked for."""

    located: Sequence[tuple[Mechanic, Point | None, float]]
    wanted: list[MechanicFilter] = field(factory=list)
    sandboxes: list[str] = field(factory=list)
    pages: list[tuple[bool, int, int]] = field(factory=list)

    @property
    def mechanics(self) -> "Directory":
        return self

    @property
    def seats(self) -> "Directory":
        return self

    def list_located(
        self, _environment: Environment, wanted: MechanicFilter
    ) -> Sequence[tuple[int, Point | None, float]]:
        self.wanted.append(wanted)
        return [(each.id, at, best) for each, at, best in self.located]

    def list_page(
        self,
        _environment: Environment,
        wanted: MechanicFilter,
        *,
        best_first: bool,
        number: int,
        per_page: int,
    ) -> Page[Mechanic]:
        self.wanted.append(wanted)
        self.pages.append((best_first, number, per_page))
        return Page(items=(self.located[0][0],), number=number, per_page=per_page, total=77)

    def list_by_id(self, ids: Collection[int]) -> Sequence[Mechanic]:
        return [each for each, _, _ in self.located if each.id in ids]

    def count_taken(
        self, ids: Collection[int], _since: datetime, _until: datetime, *, at: datetime
    ) -> Mapping[int, Mapping[datetime, int]]:
        assert at == NOW
        return {each: {} for each in ids}


def search_of(directory: Directory) -> MechanicSearch:
    @contextmanager
    def read() -> Iterator[Any]:
        yield directory

    class ZipCodes:
        def find(self, zip5: str) -> ZipPlace | None:
            return PLACES.get(zip5)

    return MechanicSearch(
        read=read, zip_codes=ZipCodes(), add_sandbox=directory.sandboxes.append, clock=lambda: NOW
    )


def find(
    directory: Directory, query: SearchMechanics, environment: Environment = Environment.LIVE
) -> Page[FoundMechanic]:
    return search_of(directory).find(environment, query)


def numbers(found: Page[FoundMechanic]) -> list[int]:
    return [each.mechanic.id for each in found]


def north(distance: float) -> Point:
    """Return a point so many degrees north of the place."""
    return Point(HERE.latitude + distance, HERE.longitude)


def in_a_row(count: int) -> Directory:
    """Return mechanics, each a little farther north than the one before, the farthest the oldest."""
    return Directory(
        [(mechanic(number), north((count - number) / 1000), 0.0) for number in range(1, count + 1)]
    )


@pytest.mark.parametrize(
    ("page", "per_page", "ids"), [(1, 2, [5, 4]), (2, 2, [3, 2]), (3, 2, [1]), (4, 2, []), (2, 3, [2, 1])]
)
@pytest.mark.parametrize("sort", [None, "distance", "-rating", "next_free"])
def test_pages_follow_one_another_from_the_nearest_on(
    page: int, per_page: int, ids: list[int], sort: str | None
) -> None:
    found = find(in_a_row(5), evolve(AROUND, page=page, per_page=per_page, sort=sort))

    assert numbers(found) == ids
    assert (found.total, found.number, found.per_page) == (5, page, per_page)
    assert [each.distance_miles for each in found] == [
        pytest.approx(miles(HERE, north((5 - number) / 1000))) for number in ids
    ]


def test_mechanic_at_the_edge_of_the_radius_is_found() -> None:
    at = north(0.1)
    distance = miles(HERE, at)
    directory = Directory([(mechanic(1), at, 0.0)])

    assert numbers(find(directory, evolve(AROUND, radius_miles=distance))) == [1]
    assert numbers(find(directory, evolve(AROUND, radius_miles=distance * 0.9999))) == []


@pytest.mark.parametrize(("degrees", "ids"), [(24.9 / 69.1, [1]), (25.1 / 69.0, [])])
def test_usual_radius_is_twenty_five_miles(degrees: float, ids: list[int]) -> None:
    assert numbers(find(Directory([(mechanic(1), north(degrees), 0.0)]), AROUND)) == ids


def test_best_rated_come_first_then_the_nearest_then_those_without_a_place() -> None:
    directory = Directory(
        [
            (mechanic(1), None, 4.0),
            (mechanic(2), north(0.2), 4.0),
            (mechanic(3), north(0.1), 4.0),
            (mechanic(4), north(0.3), 4.5),
            (mechanic(5), HERE, 0.0),
        ]
    )

    assert numbers(find(directory, evolve(AROUND, sort="-rating"))) == [4, 3, 2, 1, 5]
    assert numbers(find(directory, AROUND)) == [5, 3, 2, 4, 1]


def test_first_free_come_first_and_those_without_a_free_time_last() -> None:
    directory = Directory(
        [
            (mechanic(1, "mon closed"), HERE, 0.0),
            (mechanic(2, "wed 08:00-10:00"), HERE, 0.0),
            (mechanic(3, "tue 08:00-10:00"), north(0.1), 0.0),
            (mechanic(4, "tue 08:00-10:00"), HERE, 0.0),
        ]
    )
    found = find(directory, evolve(AROUND, sort="next_free"))

    assert numbers(found) == [4, 3, 2, 1]
    assert [each.next_free and each.next_free.day.day for each in found] == [3, 3, 4, None]


def test_next_free_time_is_that_of_the_service() -> None:
    directory = Directory([(mechanic(1, "mon-sun 08:00-15:00", "engine"), HERE, 0.0)])
    usual, of_service = (find(directory, query) for query in (AROUND, evolve(AROUND, service="Engine")))

    assert [(each.next_free and each.next_free.time) for each in (*usual, *of_service)] == ["13:00", "08:00"]
    assert directory.wanted[1].service == "engine"


def test_free_times_of_two_hundred_mechanics_are_compared() -> None:
    query = evolve(AROUND, sort="next_free", per_page=1)

    assert find(in_a_row(MOST_COMPARED), query).total == MOST_COMPARED
    with pytest.raises(Invalid) as refused:
        find(in_a_row(MOST_COMPARED + 1), query)
    assert refused.value.fields.keys() == {"sort"}


@pytest.mark.parametrize(("sort", "best_first"), [(None, False), ("created_at", False), ("-rating", True)])
def test_search_of_a_state_reads_one_page_of_the_directory(sort: str | None, best_first: bool) -> None:  # noqa: FBT001
    directory = in_a_row(1)
    found = find(directory, SearchMechanics(state="oh", sort=sort, page=3, per_page=7))

    assert directory.pages == [(best_first, 3, 7)]
    assert directory.wanted == [MechanicFilter(state="OH")]
    assert (found.total, numbers(found)) == (77, [1])
    assert [each.distance_miles for each in found] == [None]


def test_search_of_a_state_by_free_time_lists_the_oldest_first_on_a_tie() -> None:
    found = find(in_a_row(3), SearchMechanics(state="OH", sort="next_free"))

    assert numbers(found) == [1, 2, 3]
    assert [each.distance_miles for each in found] == [None] * 3


@pytest.mark.parametrize(
    ("query", "state", "added", "nowhere_in"),
    [
        (SearchMechanics(state="tx"), "TX", ["TX"], "TX"),
        (SearchMechanics(zip="43215"), None, ["OH"], "OH"),
        (SearchMechanics(zip="43215", state="TX"), "TX", ["TX"], "TX"),
        (AROUND, None, [], None),
    ],
)
def test_search_of_the_test_environment_adds_the_sandbox_of_its_state(
    query: SearchMechanics, state: str | None, added: list[str], nowhere_in: str | None
) -> None:
    test, live = in_a_row(1), in_a_row(1)
    find(test, query, Environment.TEST)
    find(live, query, Environment.LIVE)

    assert (test.sandboxes, live.sandboxes) == (added, [])
    assert [(wanted.state, wanted.nowhere_in) for wanted in (*test.wanted, *live.wanted)] == [
        (state, nowhere_in),
        (state, None),
    ]


@pytest.mark.parametrize(
    ("point", "radius", "box"),
    [
        (Point(0.0, 10.0), 69.0, (-1.0, 1.0, 10 - 1.000152, 10 + 1.000152)),
        (Point(59.0, 10.0), 69.0, (58.0, 60.0, 8.0, 12.0)),
        (Point(-59.0, 10.0), 69.0, (-60.0, -58.0, 8.0, 12.0)),
        (Point(59.0, -178.0), 69.0, (58.0, 60.0, -180.0, -176.0)),
        (Point(59.0, 178.0), 69.0, (58.0, 60.0, 176.0, 180.0)),
        (Point(59.0, -178.1), 69.0, (58.0, 60.0, -180.0, 180.0)),
        (Point(59.0, 178.1), 69.0, (58.0, 60.0, -180.0, 180.0)),
        (Point(89.5, 10.0), 69.0, (88.5, 90.5, -180.0, 180.0)),
        (Point(-90.0, 10.0), 69.0, (-91.0, -89.0, -180.0, 180.0)),
    ],
)
def test_search_reads_the_box_around_its_circle(
    point: Point, radius: float, box: tuple[float, float, float, float]
) -> None:
    directory = Directory([])
    find(directory, SearchMechanics(latitude=point.latitude, longitude=point.longitude, radius_miles=radius))

    assert directory.wanted[0].box == pytest.approx(box, abs=1e-6)


def test_box_of_a_search_has_the_usual_radius() -> None:
    directory = Directory([])
    find(directory, SearchMechanics(zip="43215"))
    (wanted,) = directory.wanted

    assert wanted.box is not None
    assert wanted.box[1] - wanted.box[0] == pytest.approx(2 * RADIUS_MILES / MILES_PER_DEGREE)


def test_filters_are_looked_for_as_they_are_stored() -> None:
    directory = Directory([])
    find(directory, evolve(AROUND, service="Oil change", language="Spanish", min_rating=4.5))

    assert [(one.service, one.language, one.min_rating) for one in directory.wanted] == [
        ("oil_change", "es", 4.5)
    ]


@pytest.mark.parametrize("zip_code", [None, "43215"])
def test_free_times_are_of_the_nearest_mechanics(zip_code: str | None) -> None:
    directory = in_a_row(MOST_MECHANICS + 1)
    query = ListAvailability(state="OH", zip=zip_code, date_from=date(2026, 3, 2), date_to=date(2026, 3, 3))
    listed = search_of(directory).list_free(Environment.LIVE, query)
    oldest = [*range(1, MOST_MECHANICS + 2)]

    assert [each.id for each, _ in listed] == (oldest[::-1] if zip_code else oldest)[:-1]
    assert [(slot.day.day, slot.time) for slot in listed[0][1]] == [
        *((2, f"{hour}:00") for hour in range(13, 18)),
        *((3, f"{hour:02}:00") for hour in range(8, 18)),
    ]


@pytest.mark.parametrize(
    ("query", "errors"),
    [
        (SearchMechanics(latitude=1.0), {"longitude": ["The longitude field is required with latitude."]}),
        (SearchMechanics(longitude=1.0), {"latitude": ["The latitude field is required with longitude."]}),
        (
            SearchMechanics(zip="43215", latitude=1.0),
            {"longitude": ["The longitude field is required with latitude."]},
        ),
        (
            evolve(AROUND, zip="43215"),
            {"zip": ["Send either a zip, or a latitude and longitude, not both."]},
        ),
        (SearchMechanics(zip="09012"), {"zip": ["The zip field must be a US ZIP code that is in use."]}),
        (
            SearchMechanics(state="OH", longitude=1.0, radius_miles=5.0),
            {
                "latitude": ["The latitude field is required with longitude."],
                "radius_miles": ["A radius requires a zip, or a latitude and longitude."],
            },
        ),
    ],
)
def test_refused_places_are_explained(query: SearchMechanics, errors: dict[str, list[str]]) -> None:
    with pytest.raises(Invalid) as refused:
        find(Directory([]), query)

    assert {name: list(texts) for name, texts in refused.value.fields.items()} == errors
