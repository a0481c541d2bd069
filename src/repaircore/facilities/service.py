"""Shops, and what an hour of labor costs around a ZIP code."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, Unpack

from attrs import evolve, frozen

from repaircore.facilities.csv_file import read_shops
from repaircore.facilities.labor import ShopLabor, labor_of, three_years_before
from repaircore.facilities.labor_table import LaborRates
from repaircore.facilities.model import (
    Facility,
    FacilityInput,
    FacilityStats,
    RecalculationResult,
    Region,
    StateSummary,
    ZipPlace,
)
from repaircore.facilities.ports import FacilitiesWork, FacilityRecords, OpenWork, ZipCodes
from repaircore.facilities.records import Change, FacilityEditor
from repaircore.facilities.region import NEAR, region_of
from repaircore.facilities.states import state_code
from repaircore.facilities.validation import validate_shop
from repaircore.kernel.callers import LOCAL, Caller, require_operator
from repaircore.kernel.errors import Conflict, Invalid, NotFound
from repaircore.kernel.geo import MILES_PER_DEGREE
from repaircore.kernel.ids import is_possible_id
from repaircore.kernel.imports import DEFAULT_OPTIONS, FileImport, ImportOptions, ImportResult, Upload
from repaircore.kernel.paging import PER_PAGE, Page
from repaircore.kernel.types import Clock
from repaircore.kernel.wording import references_sentence

_REACH: Final = NEAR / MILES_PER_DEGREE
_BATCH: Final = 500
_ROWS: Final = 250
"""Of a file, in one unit of work: each has an entry in the audit, and others wait meanwhile."""


@frozen(kw_only=True)
class Facilities:
    """The use cases of facilities. ``rates`` is the table that a place without shops goes by.

    Both environments share the shops, so a test key may look at them, and not change them.
    """

    transaction: OpenWork
    read: OpenWork
    zip_codes: ZipCodes
    rates: LaborRates
    clock: Clock

    def validate(self, **fields: Unpack[FacilityInput]) -> dict[str, list[str]]:
        """Name what is wrong with what is told of a shop; what is not told is not judged."""
        return validate_shop(**fields)

    def add(self, caller: Caller = LOCAL, **fields: Unpack[FacilityInput]) -> Facility:
        """Keep a shop; its ZIP code says where it stands.

        Raises:
            Forbidden: the caller is not an admin, or shows a key of the test environment.
            Invalid: every bad field is named, ``name`` as ``facility_name``.
        """
        keeping = self._keeping(caller)
        _judge({"name": "", **fields})
        with self.transaction() as work:
            return keeping.add(work, fields)

    def change(self, facility_id: int, caller: Caller = LOCAL, **fields: Unpack[FacilityInput]) -> Facility:
        """Change what is told of a shop; what is not told stays as it is.

        Raises:
            Conflict: somebody else changed it at the same moment.
            Forbidden: the caller is not an admin, or shows a key of the test environment.
            Invalid: every bad field is named, ``name`` as ``facility_name``.
            NotFound: there is no such shop.
        """
        keeping = self._keeping(caller)
        with self.transaction() as work:
            kept = _kept(work, facility_id)
            _judge(fields)
            return keeping.change(work, kept, fields)

    def remove(self, facility_id: int, caller: Caller = LOCAL) -> None:
        """Forget a shop.

        Raises:
            Conflict: something refers to it; what, is told.
            Forbidden: the caller is not an admin, or shows a key of the test environment.
            NotFound: there is no such shop.
        """
        keeping = self._keeping(caller)
        with self.transaction() as work:
            kept = _kept(work, facility_id)
            told = references_sentence(**work.facilities.referents(facility_id))
            if told is not None:
                raise Conflict(f"The region cannot be deleted: {told}")
            if not keeping.remove(work, kept):
                raise _not_found()

    def show(self, facility_id: int) -> Facility:
        """Give a shop.

        Raises:
            NotFound: there is no such shop.
        """
        with self.read() as work:
            return _kept(work, facility_id)

    def page(
        self, *, search: str = "", state: str | None = None, number: int = 1, per_page: int = PER_PAGE
    ) -> Page[Facility]:
        """List shops by name: those that ``search`` is found in, and that stand in ``state``."""
        with self.read() as work:
            return work.facilities.page(
                search=search, state=state_code(state), number=number, per_page=per_page
            )

    def states(self) -> tuple[StateSummary, ...]:
        """Sum the shops up by state, in the order of the alphabet."""
        with self.read() as work:
            return tuple(work.facilities.states())

    def stats(self, caller: Caller = LOCAL) -> FacilityStats:
        """Sum all shops up, and the invoices of the caller's environment that name one."""
        with self.read() as work:
            return work.facilities.stats(caller.environment)

    def recalculate(self, caller: Caller = LOCAL) -> RecalculationResult:
        """Set each shop's rate to what its live invoices say, where enough do (see ``labor.labor_of``).

        The invoices are read first; then what came out different is written in one short unit of work. A shop that somebody
        changed in between is left as they wanted it.

        Raises:
            Forbidden: the caller is not an admin, or shows a key of the test environment.
        """
        keeping, since = self._keeping(caller), three_years_before(self.clock().date())
        shops = told = 0
        different: list[tuple[Facility, ShopLabor]] = []
        for some in self._batches():
            shops += len(some)
            with self.read() as work:
                for shop in some:
                    labor = labor_of(work.labor_bills.of(shop.id), since=since)
                    told += labor is not None
                    if labor is not None and not _tells(shop, labor):
                        different.append((shop, labor))
        updated = told - (self._set_rates(keeping, different) if different else 0)
        return RecalculationResult(updated=updated, skipped=shops - updated)

    def import_file(
        self, upload: Upload, options: ImportOptions = DEFAULT_OPTIONS, caller: Caller = LOCAL
    ) -> ImportResult:
        """Import a file of facilities: add new ones and update those that differ.

        Raises:
            Conflict: the same file is being imported elsewhere.
            Forbidden: the caller is not an admin, or shows a key of the test environment.
            Invalid: on ``file``: the file has the wrong form.
        """
        return FileImport(
            kind="facilities",
            read_rows=read_shops,
            save_rows=self._keeping(caller).take_over,
            transaction=self.transaction,
            clock=self.clock,
            batch_size=_ROWS,
            caller=caller,
        ).run(upload, options)

    def all(self) -> Iterator[Facility]:
        """Give every shop, by id; few are held at once, and nothing waits while whoever asked does."""
        for some in self._batches():
            yield from some

    def around(self, place: ZipPlace) -> Region:
        """Return the region of a place: the shops within 50 miles, nearest first."""
        with self.read() as work:
            return region_around(work.facilities, place)

    def _keeping(self, caller: Caller) -> FacilityEditor:
        require_operator(caller)
        return FacilityEditor(zip_codes=self.zip_codes, clock=self.clock, caller=caller)

    def _batches(self) -> Iterator[Sequence[Facility]]:
        last = 0
        while True:
            with self.read() as work:
                some = work.facilities.after(last, limit=_BATCH)
            if not some:
                return
            yield some
            last = some[-1].id

    def _set_rates(self, keeping: FacilityEditor, found: Iterable[tuple[Facility, ShopLabor]]) -> int:
        """Keep the rates that were found, and count the shops that were changed by somebody meanwhile."""
        lost = 0
        changes: list[Change] = []
        with self.transaction() as work:
            for shop, labor in found:
                new = evolve(shop, avg_labor_rate=labor.rate, sample_size=labor.sample_size)
                try:
                    changes.append((shop, keeping.replace(work, shop, new)))
                except Conflict:
                    lost += 1
            keeping.forget_around(work, changes)
        return lost


def region_around(facilities: FacilityRecords, place: ZipPlace) -> Region:
    """Return the region of a place, for those who have a unit of work open."""
    near = () if place.point is None else facilities.around(place.point, degrees=_REACH)
    return region_of(place, near)


def _judge(fields: FacilityInput) -> None:
    wrong = validate_shop(**fields)
    if wrong:
        raise Invalid(wrong)


def _kept(work: FacilitiesWork, facility_id: int) -> Facility:
    found = work.facilities.by_id(facility_id) if is_possible_id(facility_id) else None
    if found is None:
        raise _not_found()
    return found


def _not_found() -> NotFound:
    return NotFound("Region not found.")


def _tells(shop: Facility, labor: ShopLabor) -> bool:
    return (shop.avg_labor_rate, shop.sample_size) == (labor.rate, labor.sample_size)
