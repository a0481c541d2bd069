"""Changes to facilities, each recorded in the audit log."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from attrs import evolve, frozen

from repaircore.facilities.csv_file import read_facilities
from repaircore.facilities.model import Facility, FacilityFields, ZipPlace
from repaircore.facilities.normalization import audit_state, fields_of, home_zip, identity, normalized
from repaircore.facilities.ports import FacilitiesWork, ZipCodes
from repaircore.facilities.region import is_near
from repaircore.kernel.audit import difference
from repaircore.kernel.callers import Caller
from repaircore.kernel.errors import Invalid
from repaircore.kernel.geo import Point
from repaircore.kernel.imports import BatchCounts, RejectedRow
from repaircore.kernel.money import Cents, cents
from repaircore.kernel.rules import FieldErrors
from repaircore.kernel.types import Clock

Changes: TypeAlias = Mapping[str, Any]
"""Valid values for fields of ``CreateFacility``, by name; the other fields stay unchanged."""

BeforeAfter: TypeAlias = tuple[Facility | None, Facility | None]
"""A facility before and after a change; None before it is created and after it is deleted."""


@frozen(kw_only=True)
class FacilityEditor:
    """Applies valid changes on behalf of one caller."""

    zip_codes: ZipCodes
    clock: Clock
    caller: Caller

    def create(self, work: FacilitiesWork, changes: Changes) -> Facility:
        """Create a facility; its ZIP code determines its location.

        Raises:
            Invalid: on ``state``: the ZIP code is in another state.
        """
        self._require_one_state(_fields(changes))
        facility = self._create(work, changes)
        self.forget_prices_around(work, [(None, facility)])
        return facility

    def update(self, work: FacilitiesWork, facility: Facility, changes: Changes) -> Facility:
        """Update the given fields; nothing is written if none of them differs.

        Raises:
            Conflict: another request changed the facility at the same time.
            Invalid: on ``state``: the ZIP code is in another state.
        """
        if changes.keys() & {"state", "zip_code", "country"}:
            self._require_one_state(self._changed(fields_of(facility), changes))
        updated = self._update(work, facility, changes)
        self.forget_prices_around(work, [(facility, updated)])
        return updated

    def delete(self, work: FacilitiesWork, facility: Facility) -> bool:
        """Delete a facility; return whether it still existed."""
        if not work.facilities.remove(facility.id):
            return False
        self.forget_prices_around(work, [(facility, None)])
        before = audit_state(facility)
        work.audit.add(
            self.caller, "region.remove", _subject(facility.id), before=before, after=None, at=self.clock()
        )
        return True

    def replace(self, work: FacilitiesWork, old: Facility, new: Facility) -> Facility:
        """Save the next state of a facility.

        Raises:
            Conflict: another request changed the facility at the same time.
        """
        saved = work.facilities.replace(old, new)
        before, after = difference(audit_state(old), audit_state(saved))
        work.audit.add(
            self.caller, "region.change", _subject(old.id), before=before, after=after, at=self.clock()
        )
        return saved

    def read_rows(self, lines: Iterable[str]) -> Iterator[Changes | RejectedRow]:
        """Yield the fields that each row of a file sets, or the reasons for rejecting it.

        Raises:
            Invalid: on ``file``: it is not a table of facilities.
        """
        return read_facilities(lines, lambda changes: self._state_errors(_fields(changes)))

    def save_rows(self, work: FacilitiesWork, rows: Sequence[Changes]) -> BatchCounts:
        """Save the rows of a file, and return how many facilities were added and updated.

        A row updates the facility that it identifies, or creates it.
        """
        known: dict[tuple[str | None, ...], Facility] = {}
        for facility in work.facilities.named({row["facility_name"] for row in rows}):
            known.setdefault(identity(fields_of(facility)), facility)
        added = updated = 0
        changes: list[BeforeAfter] = []
        for row in rows:
            fields, _ = self._located(_fields(row))
            before = known.get(identity(fields))
            after = self._create(work, row) if before is None else self._update(work, before, row)
            changes.append((before, after))
            added += before is None
            updated += before is not None and after != before
            known[identity(fields)] = after
        self.forget_prices_around(work, changes)
        return BatchCounts(added=added, updated=updated)

    def forget_prices_around(self, work: FacilitiesWork, changes: Iterable[BeforeAfter]) -> None:
        """Drop cached predictions near facilities whose entered rate changed, so that the change shows at once."""
        points = {point for before, after in changes for point in _repriced_points(before, after)}
        if not points:
            return
        places = {code: self.zip_codes.find(code) for code in work.answers.zip_codes()}
        work.answers.forget_at(
            {
                code
                for code, place in places.items()
                if place is not None
                and place.point is not None
                and any(is_near(place.point, point) for point in points)
            }
        )

    def _create(self, work: FacilitiesWork, changes: Changes) -> Facility:
        fields, place = self._located(_fields(changes))
        facility = work.facilities.add(fields, point=None if place is None else place.point, at=self.clock())
        after = audit_state(facility)
        work.audit.add(
            self.caller, "region.add", _subject(facility.id), before=None, after=after, at=self.clock()
        )
        return facility

    def _update(self, work: FacilitiesWork, facility: Facility, changes: Changes) -> Facility:
        before = fields_of(facility)
        fields, place = self._located(self._changed(before, changes))
        return facility if fields == before else self.replace(work, facility, _next(facility, fields, place))

    def _located(self, fields: FacilityFields) -> tuple[FacilityFields, ZipPlace | None]:
        """Return normalized fields and the place of their ZIP code, which also supplies a missing state."""
        fields = normalized(fields)
        code = home_zip(fields)
        place = None if code is None else self.zip_codes.find(code)
        return (fields if place is None or fields.state else evolve(fields, state=place.state)), place

    def _require_one_state(self, fields: FacilityFields) -> None:
        errors = self._state_errors(fields)
        if errors:
            raise Invalid(errors)

    def _state_errors(self, fields: FacilityFields) -> FieldErrors:
        located, place = self._located(fields)
        if place is None or located.state == place.state:
            return {}
        return {
            "state": [f"The state field must match the ZIP code {place.zip_code}, which is in {place.state}."]
        }

    def _changed(self, before: FacilityFields, changes: Changes) -> FacilityFields:
        """Return the fields with the changes applied; a state that came from the ZIP code changes with it."""
        fields = evolve(before, **_attributes(changes))
        if "state" in changes or self._state_of(before) != before.state:
            return fields
        return evolve(fields, state=self._state_of(fields) or before.state)

    def _state_of(self, fields: FacilityFields) -> str | None:
        _, place = self._located(fields)
        return None if place is None else place.state


def _fields(changes: Changes) -> FacilityFields:
    return FacilityFields(**_attributes(changes))


def _attributes(changes: Changes) -> dict[str, Any]:
    """Return input fields as attributes of a facility, with money in cents."""
    attributes = {"name" if name == "facility_name" else name: value for name, value in changes.items()}
    if attributes.get("avg_labor_rate") is not None:
        attributes["avg_labor_rate"] = cents(attributes["avg_labor_rate"])
    return attributes


def _next(facility: Facility, fields: FacilityFields, place: ZipPlace | None) -> Facility:
    """Return the next state of a facility; a newly entered rate is not based on invoices."""
    same_rate = fields.avg_labor_rate == facility.avg_labor_rate
    return evolve(
        facility,
        name=fields.name,
        city=fields.city,
        state=fields.state,
        zip_code=fields.zip_code,
        country=fields.country,
        avg_labor_rate=fields.avg_labor_rate,
        sample_size=facility.sample_size if same_rate else 0,
        point=None if place is None else place.point,
    )


def _repriced_points(before: Facility | None, after: Facility | None) -> Iterable[Point]:
    """Return the points around which an entered rate appeared, disappeared or changed."""
    rates = [None if facility is None else _entered_rate(facility) for facility in (before, after)]
    return () if rates[0] == rates[1] else [rate[0] for rate in rates if rate is not None]


def _entered_rate(facility: Facility) -> tuple[Point, Cents] | None:
    if facility.point is None or not facility.avg_labor_rate or facility.sample_size:
        return None
    return facility.point, facility.avg_labor_rate


def _subject(facility_id: int) -> str:
    return f"regions/{facility_id}"
