"""Find mechanics near a place, and compare the free times of several."""

from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime, timedelta
from math import cos, radians
from typing import Annotated, Final

from attrs import asdict, frozen

from repaircore.facilities.model import ZipPlace
from repaircore.facilities.ports import ZipCodes
from repaircore.facilities.states import STATE_CODES
from repaircore.facilities.zip_code import zip5
from repaircore.kernel.callers import Environment
from repaircore.kernel.errors import Invalid
from repaircore.kernel.geo import MILES_PER_DEGREE, Point, miles
from repaircore.kernel.paging import PER_PAGE, Page
from repaircore.kernel.references import Kind, is_reference
from repaircore.kernel.rules import Described, FieldErrors, OneOf, Range, field_errors
from repaircore.kernel.types import Clock
from repaircore.mechanics.free_times import find_next_slots, list_free_slots
from repaircore.mechanics.model import Mechanic
from repaircore.mechanics.offers import language_code, service_word
from repaircore.mechanics.ports import MechanicFilter, MechanicsWork, OpenWork
from repaircore.mechanics.slots import BOOKING_HORIZON, Slot

RADIUS_MILES: Final = 25.0
"""The default radius around a place."""

MOST_COMPARED: Final = 200
"""The maximum number of mechanics that may match a search that compares their free times."""

MOST_MECHANICS: Final = 25
MOST_DAYS: Final = 14
"""The limits of an availability request: see docs/decisions/calendar.md."""

_MOST_PER_PAGE: Final = 50
_LONGEST_SERVICE: Final = 100
_DISTANCE, _RATING, _NEXT_FREE, _AGE = "distance", "-rating", "next_free", "created_at"
_NO_PLACE: Final = "The state field is required unless a zip, or a latitude and longitude, is given."

AddSandbox = Callable[[str], None]
"""Add a state's sandbox mechanics to the test environment, unless they exist."""


@frozen(kw_only=True)
class PlaceQuery:
    """Selects mechanics in a state, or around a ZIP code or a point, that offer a service and speak a language."""

    state: str | None = None
    zip: str | None = None
    latitude: Annotated[float, Range(-90, 90)] | None = None
    longitude: Annotated[float, Range(-180, 180)] | None = None
    radius_miles: Annotated[float, Range(1, 200)] | None = None
    service: str | None = None
    language: str | None = None
    min_rating: Annotated[float, Range(1, 5)] | None = None


@frozen(kw_only=True)
class SearchMechanics(PlaceQuery):
    """A search for mechanics: the place, the filters, the order and the page."""

    sort: Annotated[str, OneOf(_DISTANCE, _RATING, _NEXT_FREE, _AGE)] | None = None
    page: Annotated[int, Range(1)] = 1
    per_page: Annotated[int, Range(1, _MOST_PER_PAGE)] = PER_PAGE


@frozen(kw_only=True)
class ListAvailability(PlaceQuery):
    """A request for free times: the first and last day, and mechanics by reference, or else the nearest to a place."""

    date_from: date
    date_to: date
    mechanics: Annotated[str, Described("References of mechanics, separated by commas.")] | None = None


@frozen(kw_only=True)
class FoundMechanic:
    """A mechanic that was found, its distance from the place, and its next free slot; either may be None."""

    mechanic: Mechanic
    distance_miles: float | None
    next_free: Slot | None


@frozen(kw_only=True)
class MechanicSearch:
    """Use cases for finding mechanics and comparing their free times."""

    read: OpenWork
    zip_codes: ZipCodes
    add_sandbox: AddSandbox
    clock: Clock

    def find(self, environment: Environment, query: SearchMechanics) -> Page[FoundMechanic]:
        """List a page of mechanics, by default the nearest to a place first, or without a place the oldest first.

        Raises:
            Invalid: with every bad field; on ``sort``: more mechanics match than can be compared.
        """
        errors = {**field_errors(SearchMechanics, asdict(query)), **self._errors(query)}
        if query.sort == _DISTANCE and not _has_place(query):
            errors["sort"] = ["Sorting by distance requires a zip, or a latitude and longitude."]
        if errors:
            raise Invalid(errors)
        search = self._prepare(environment, query)
        with self.read() as work:
            total, found = search.page(work, query, self.clock())
        return Page(items=tuple(found), number=query.page, per_page=query.per_page, total=total)

    def list_free(
        self, environment: Environment, query: ListAvailability
    ) -> Sequence[tuple[Mechanic, Sequence[Slot]]]:
        """List the free slots of several mechanics on the given days, for a service if one is given.

        Mechanics that do not offer the service are left out.

        Raises:
            Invalid: with every bad field, including unknown references.
        """
        errors = {**field_errors(ListAvailability, asdict(query)), **self._range_errors(query)}
        errors |= self._errors(query, needs_place=query.mechanics is None)
        refs = [ref.strip() for ref in (query.mechanics or "").split(",") if ref.strip()]
        if query.mechanics is not None and not 1 <= len(set(refs)) <= MOST_MECHANICS:
            errors["mechanics"] = [f"The mechanics field must have 1 to {MOST_MECHANICS} references."]
        if errors:
            raise Invalid(errors)
        service = None if query.service is None else service_word(query.service)
        search = None if refs else self._prepare(environment, query)
        with self.read() as work:
            mechanics = (
                search.nearest(work)
                if search is not None
                else _by_reference(work, refs, environment, service=service)
            )
            return [
                *list_free_slots(
                    work.seats,
                    mechanics,
                    first=query.date_from,
                    last=query.date_to,
                    service=service,
                    now=self.clock(),
                )
            ]

    def validate(
        self,
        *,
        state: str | None = None,
        zip: str | None = None,  # noqa: A002 - the name of the parameter
        service: str | None = None,
        language: str | None = None,
        **_others: object,
    ) -> FieldErrors:
        """Return the errors in the given search fields, each checked on its own; None is skipped."""
        errors: FieldErrors = {}
        if state is not None and state.upper() not in STATE_CODES:
            errors["state"] = ["The state field must be a two-letter state code."]
        if zip is not None and self._zip_place(zip) is None:
            errors["zip"] = ["The zip field must be a US ZIP code that is in use."]
        if service is not None and (len(service) > _LONGEST_SERVICE or not service_word(service)):
            errors["service"] = ["The service field must be a service such as oil_change."]
        if language is not None and language_code(language) is None:
            errors["language"] = ["The language field must be a language such as Spanish or es."]
        return errors

    def _errors(self, query: PlaceQuery, *, needs_place: bool = True) -> FieldErrors:
        errors = self.validate(**asdict(query))
        point = {"latitude": query.latitude, "longitude": query.longitude}
        missing = [name for name, value in point.items() if value is None]
        if len(missing) == 1:
            other = next(name for name in point if name not in missing)
            errors[missing[0]] = [f"The {missing[0]} field is required with {other}."]
        elif needs_place and missing and query.state is None and query.zip is None:
            errors["state"] = [_NO_PLACE]
        if not missing and query.zip is not None:
            errors["zip"] = ["Send either a zip, or a latitude and longitude, not both."]
        if query.radius_miles is not None and not _has_place(query):
            errors["radius_miles"] = ["A radius requires a zip, or a latitude and longitude."]
        return errors

    def _range_errors(self, query: ListAvailability) -> FieldErrors:
        # In some time zones it is still yesterday; a mechanic has no free slots on days that are over in theirs.
        today = self.clock().date()
        first, last = today - timedelta(days=1), today + BOOKING_HORIZON
        errors: FieldErrors = {}
        if not first <= query.date_from <= last:
            errors["date_from"] = [f"The first day must be within the next {BOOKING_HORIZON.days} days."]
        days = (query.date_to - query.date_from).days + 1
        if days < 1:
            errors["date_to"] = ["The last day must not be before the first day."]
        elif days > MOST_DAYS:
            errors["date_to"] = [f"The period must be at most {MOST_DAYS} days. Choose an earlier last day."]
        return errors

    def _zip_place(self, text: str) -> ZipPlace | None:
        code = zip5(text)
        place = None if code is None else self.zip_codes.find(code)
        return None if place is None or place.point is None else place

    def _prepare(self, environment: Environment, query: PlaceQuery) -> "_Search":
        """Return the search for a valid query; in the test environment, add the sandbox mechanics of its state."""
        place = None if query.zip is None else self._zip_place(query.zip)
        point = place.point if place else _point(query)
        state = None if query.state is None else query.state.upper()
        around = state or (place.state if place else None)
        is_test = environment is Environment.TEST
        if is_test and around is not None:
            self.add_sandbox(around)
        radius = query.radius_miles or RADIUS_MILES
        return _Search(
            environment=environment,
            point=point,
            radius=radius,
            wanted=MechanicFilter(
                state=state,
                box=None if point is None else _box(point, radius),
                nowhere_in=around if is_test else None,
                service=None if query.service is None else service_word(query.service),
                language=None if query.language is None else language_code(query.language),
                min_rating=query.min_rating,
            ),
        )


@frozen(kw_only=True)
class _Search:
    """A valid search: the filter, and the point to search around."""

    environment: Environment
    wanted: MechanicFilter
    point: Point | None
    radius: float

    def page(
        self, work: MechanicsWork, query: SearchMechanics, now: datetime
    ) -> tuple[int, Sequence[FoundMechanic]]:
        """Return how many mechanics match, and the ones on the page."""
        sort = query.sort or (_AGE if self.point is None else _DISTANCE)
        if sort == _NEXT_FREE:
            return self._find_soonest(work, query, now)
        if self.point is None:
            page = work.mechanics.list_page(
                self.environment,
                self.wanted,
                best_first=sort == _RATING,
                number=query.page,
                per_page=query.per_page,
            )
            return page.total, self._to_found(work, page.items, {}, now)
        located = self._located(work, sort)
        start = (query.page - 1) * query.per_page
        mechanics = _load(work, [row_id for row_id, _ in located[start : start + query.per_page]])
        return len(located), self._to_found(work, mechanics, dict(located), now)

    def nearest(self, work: MechanicsWork) -> Sequence[Mechanic]:
        """Return the nearest mechanics (the oldest without a point), up to ``MOST_MECHANICS``."""
        located = self._located(work, _AGE if self.point is None else _DISTANCE)
        return _load(work, [row_id for row_id, _ in located[:MOST_MECHANICS]])

    def _find_soonest(
        self, work: MechanicsWork, query: SearchMechanics, now: datetime
    ) -> tuple[int, Sequence[FoundMechanic]]:
        located = self._located(work, _AGE if self.point is None else _DISTANCE)
        if len(located) > MOST_COMPARED:
            text = f"At most {MOST_COMPARED} mechanics can be sorted by next_free. Narrow the search."
            raise Invalid({"sort": [text]})
        mechanics = _load(work, [row_id for row_id, _ in located])
        found = self._to_found(work, mechanics, dict(located), now)
        latest = datetime.max.replace(tzinfo=now.tzinfo)
        ordered = sorted(found, key=lambda each: each.next_free.starts_at if each.next_free else latest)
        start = (query.page - 1) * query.per_page
        return len(located), ordered[start : start + query.per_page]

    def _located(self, work: MechanicsWork, sort: str) -> Sequence[tuple[int, float | None]]:
        """Return the ids and distances of all that match, in order; those without a location come last."""
        rows = [
            (row_id, None if self.point is None or at is None else miles(self.point, at), best)
            for row_id, at, best in work.mechanics.list_located(self.environment, self.wanted)
        ]
        near = [row for row in rows if row[1] is None or row[1] <= self.radius]
        if sort == _DISTANCE:
            near.sort(key=lambda row: (row[1] is None, row[1]))
        elif sort == _RATING:
            near.sort(key=lambda row: (-row[2], row[1] is None, row[1]))
        return [(row_id, distance) for row_id, distance, _ in near]

    def _to_found(
        self,
        work: MechanicsWork,
        mechanics: Sequence[Mechanic],
        distances: Mapping[int, float | None],
        now: datetime,
    ) -> Sequence[FoundMechanic]:
        slots = find_next_slots(work.seats, mechanics, service=self.wanted.service, now=now)
        return [
            FoundMechanic(
                mechanic=mechanic, distance_miles=distances.get(mechanic.id), next_free=slots[mechanic.id]
            )
            for mechanic in mechanics
        ]


def _by_reference(
    work: MechanicsWork, refs: Sequence[str], environment: Environment, *, service: str | None
) -> Sequence[Mechanic]:
    """Return the mechanics with these references in order, without those that do not offer the service."""
    valid = [ref for ref in refs if is_reference(Kind.MECHANIC, ref)]
    found = {mechanic.ref: mechanic for mechanic in work.mechanics.list_by_ref(valid, environment)}
    unknown = [ref for ref in refs if ref not in found]
    if unknown:
        text = f"The mechanics field has unknown references: {', '.join(unknown)[:200]}."
        raise Invalid({"mechanics": [text]})
    mechanics = [found[ref] for ref in dict.fromkeys(refs)]
    return [each for each in mechanics if service is None or each.profile.offer_of(service) is not None]


def _load(work: MechanicsWork, ids: Sequence[int]) -> Sequence[Mechanic]:
    loaded = {mechanic.id: mechanic for mechanic in work.mechanics.list_by_id(ids)}
    return [loaded[row_id] for row_id in ids if row_id in loaded]


def _has_place(query: PlaceQuery) -> bool:
    return query.zip is not None or _point(query) is not None


def _point(query: PlaceQuery) -> Point | None:
    if query.latitude is None or query.longitude is None:
        return None
    return Point(query.latitude, query.longitude)


def _box(point: Point, radius: float) -> tuple[float, float, float, float]:
    """Return the southern, northern, western and eastern bounds of a circle."""
    high = radius / MILES_PER_DEGREE
    north, south = point.latitude + high, point.latitude - high
    # Meridians are closest together at the end that is nearer to a pole; beyond a pole, the scale is negative.
    scale = cos(radians(max(abs(north), abs(south))))
    wide = high / scale if scale > high / 180 else 180.0
    west, east = point.longitude - wide, point.longitude + wide
    if west < -180 or east > 180:  # noqa: PLR2004 - degrees
        west, east = -180.0, 180.0
    return south, north, west, east
