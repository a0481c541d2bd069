"""Facilities, and the regions that labor rates are looked up in."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from attrs import asdict, evolve, frozen

from repaircore.facilities.editor import BeforeAfter, FacilityEditor
from repaircore.facilities.labor import ShopLabor, labor_of, three_years_before
from repaircore.facilities.labor_table import LaborRates
from repaircore.facilities.model import (
    CreateFacility,
    Facility,
    FacilityStats,
    RecalculationResult,
    Region,
    StateSummary,
    ZipPlace,
)
from repaircore.facilities.ports import FacilitiesWork, FacilityRecords, OpenWork, ZipCodes
from repaircore.facilities.region import NEAR, region_of
from repaircore.facilities.states import state_code
from repaircore.kernel.callers import LOCAL, Caller, require_operator
from repaircore.kernel.errors import Conflict, Invalid, NotFound
from repaircore.kernel.geo import MILES_PER_DEGREE
from repaircore.kernel.ids import is_possible_id
from repaircore.kernel.imports import DEFAULT_OPTIONS, FileImport, ImportOptions, ImportResult, Upload
from repaircore.kernel.paging import FIRST_PAGE, Page, PageRequest
from repaircore.kernel.rules import field_errors, require_valid
from repaircore.kernel.types import Clock
from repaircore.kernel.wording import references_sentence

_REACH: Final = NEAR / MILES_PER_DEGREE
_BATCH: Final = 500
_ROWS: Final = 250
"""Rows of a file per unit of work; few, because each adds an audit entry and other writers wait meanwhile."""


@frozen(kw_only=True)
class Facilities:
    """Use cases for facilities. ``rates`` is the table that applies if no facility is nearby.

    Both environments share the facilities, so a test key may read them but not change them.
    """

    transaction: OpenWork
    read: OpenWork
    zip_codes: ZipCodes
    rates: LaborRates
    clock: Clock

    def create(self, data: CreateFacility, caller: Caller = LOCAL) -> Facility:
        """Create a facility; its ZIP code determines its location.

        Raises:
            Forbidden: the caller is not an admin, or uses a key of the test environment.
            Invalid: with every bad field, or on ``state``: the ZIP code is in another state.
        """
        editor = self._editor(caller)
        require_valid(data)
        with self.transaction() as work:
            return editor.create(work, asdict(data))

    def update(self, facility_id: int, caller: Caller = LOCAL, **changes: Any) -> Facility:
        """Update fields of ``CreateFacility``, by name; the others stay unchanged.

        Raises:
            Conflict: another request changed the facility at the same time.
            Forbidden: the caller is not an admin, or uses a key of the test environment.
            Invalid: with every bad field, or on ``state``: the ZIP code is in another state.
            NotFound: the facility does not exist.
        """
        editor = self._editor(caller)
        with self.transaction() as work:
            facility = _require(work, facility_id)
            errors = field_errors(CreateFacility, changes)
            if errors:
                raise Invalid(errors)
            return editor.update(work, facility, changes)

    def delete(self, facility_id: int, caller: Caller = LOCAL) -> None:
        """Delete a facility.

        Raises:
            Conflict: other records refer to it; the message counts them.
            Forbidden: the caller is not an admin, or uses a key of the test environment.
            NotFound: the facility does not exist.
        """
        editor = self._editor(caller)
        with self.transaction() as work:
            facility = _require(work, facility_id)
            references = references_sentence(**work.facilities.referents(facility_id))
            if references is not None:
                raise Conflict(f"The region cannot be deleted: {references}")
            if not editor.delete(work, facility):
                raise _not_found()

    def get(self, facility_id: int) -> Facility:
        """Return a facility.

        Raises:
            NotFound: the facility does not exist.
        """
        with self.read() as work:
            return _require(work, facility_id)

    def page(
        self, *, search: str = "", state: str | None = None, request: PageRequest = FIRST_PAGE
    ) -> Page[Facility]:
        """List the facilities (of one state, if given) whose name, city or ZIP code matches ``search``.

        They are sorted by name, unless another order is requested.
        """
        with self.read() as work:
            return work.facilities.page(search=search, state=state_code(state), request=request)

    def states(self) -> tuple[StateSummary, ...]:
        """Summarize the facilities of each state, in alphabetical order."""
        with self.read() as work:
            return tuple(work.facilities.states())

    def stats(self, caller: Caller = LOCAL) -> FacilityStats:
        """Return statistics of all facilities, and of the invoices in the caller's environment that name one."""
        with self.read() as work:
            return work.facilities.stats(caller.environment)

    def recalculate(self, caller: Caller = LOCAL) -> RecalculationResult:
        """Compute each facility's rate from its live-environment invoices, if there are enough (see ``labor_of``).

        The invoices are read first; the rates that differ are then written in one short unit of work. A facility that
        was changed in between keeps that change.

        Raises:
            Forbidden: the caller is not an admin, or uses a key of the test environment.
        """
        editor, since = self._editor(caller), three_years_before(self.clock().date())
        facilities = with_labor = 0
        different: list[tuple[Facility, ShopLabor]] = []
        for batch in self._batches():
            facilities += len(batch)
            with self.read() as work:
                for facility in batch:
                    labor = labor_of(work.labor_bills.of(facility.id), since=since)
                    with_labor += labor is not None
                    if labor is not None and not _has_labor(facility, labor):
                        different.append((facility, labor))
        updated = with_labor - (self._set_rates(editor, different) if different else 0)
        return RecalculationResult(updated=updated, skipped=facilities - updated)

    def import_file(
        self, upload: Upload, options: ImportOptions = DEFAULT_OPTIONS, caller: Caller = LOCAL
    ) -> ImportResult:
        """Import a file of facilities: add new ones and update those that differ.

        Raises:
            Conflict: the same file is being imported elsewhere.
            Forbidden: the caller is not an admin, or uses a key of the test environment.
            Invalid: on ``file``: it is not a table of facilities.
        """
        editor = self._editor(caller)
        return FileImport(
            kind="facilities",
            read_rows=editor.read_rows,
            save_rows=editor.save_rows,
            transaction=self.transaction,
            clock=self.clock,
            batch_size=_ROWS,
            caller=caller,
        ).run(upload, options)

    def all(self) -> Iterator[Facility]:
        """Yield every facility, by id; only one batch is in memory, and no transaction stays open between batches."""
        for batch in self._batches():
            yield from batch

    def around(self, place: ZipPlace) -> Region:
        """Return the region of a place: the facilities within 50 miles, nearest first."""
        with self.read() as work:
            return region_around(work.facilities, place)

    def _editor(self, caller: Caller) -> FacilityEditor:
        require_operator(caller)
        return FacilityEditor(zip_codes=self.zip_codes, clock=self.clock, caller=caller)

    def _batches(self) -> Iterator[Sequence[Facility]]:
        last = 0
        while True:
            with self.read() as work:
                batch = work.facilities.after(last, limit=_BATCH)
            if not batch:
                return
            yield batch
            last = batch[-1].id

    def _set_rates(self, editor: FacilityEditor, found: Iterable[tuple[Facility, ShopLabor]]) -> int:
        """Save the rates; return how many facilities were skipped because other requests changed them meanwhile."""
        lost = 0
        changes: list[BeforeAfter] = []
        with self.transaction() as work:
            for facility, labor in found:
                new = evolve(facility, avg_labor_rate=labor.rate, sample_size=labor.sample_size)
                try:
                    changes.append((facility, editor.replace(work, facility, new)))
                except Conflict:
                    lost += 1
            editor.forget_prices_around(work, changes)
        return lost


def region_around(facilities: FacilityRecords, place: ZipPlace) -> Region:
    """Return the region of a place, within an open unit of work."""
    near = () if place.point is None else facilities.around(place.point, degrees=_REACH)
    return region_of(place, near)


def _require(work: FacilitiesWork, facility_id: int) -> Facility:
    found = work.facilities.by_id(facility_id) if is_possible_id(facility_id) else None
    if found is None:
        raise _not_found()
    return found


def _not_found() -> NotFound:
    return NotFound("Region not found.")


def _has_labor(facility: Facility, labor: ShopLabor) -> bool:
    return (facility.avg_labor_rate, facility.sample_size) == (labor.rate, labor.sample_size)
