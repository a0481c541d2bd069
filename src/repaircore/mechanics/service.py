"""The directory of mechanics, and their free slots."""

from collections.abc import Iterator, Sequence
from datetime import date
from typing import Final
from zoneinfo import ZoneInfo

from attrs import frozen

from repaircore.facilities.ports import ZipCodes
from repaircore.facilities.states import STATE_CODES
from repaircore.kernel.callers import Environment
from repaircore.kernel.errors import Conflict, Invalid
from repaircore.kernel.imports import DEFAULT_OPTIONS, FileImport, ImportOptions, ImportResult, Upload
from repaircore.kernel.paging import PER_PAGE, Page, require_page
from repaircore.kernel.references import Kind, is_reference
from repaircore.kernel.types import Clock, NewId
from repaircore.mechanics.csv_file import read_mechanics
from repaircore.mechanics.errors import MechanicNotFound
from repaircore.mechanics.free_times import find_next_slots
from repaircore.mechanics.model import Mechanic
from repaircore.mechanics.ports import MechanicFilter, MechanicRecords, OpenWork
from repaircore.mechanics.profile import parse_profile
from repaircore.mechanics.records import MechanicEditor
from repaircore.mechanics.sandbox import sandbox_mechanics
from repaircore.mechanics.slots import (
    BOOKING_HORIZON,
    Slot,
    free_slots,
    local,
    slots_on,
    window,
)

_IMPORT_BATCH: Final = 250
_EXPORT_BATCH: Final = 500


@frozen(kw_only=True)
class Mechanics:
    """Use cases for mechanics. Each environment has its own directory.

    In the test environment each state has sandbox mechanics, which are added when the state is first searched.
    """

    transaction: OpenWork
    read: OpenWork
    zip_codes: ZipCodes
    new_id: NewId
    clock: Clock

    def get(self, environment: Environment, ref: str) -> Mechanic:
        """Return an active mechanic by reference.

        Raises:
            MechanicNotFound: no active mechanic has this reference.
        """
        with self.read() as work:
            return get_active(work.mechanics, environment, ref)

    def find_next_slot(self, mechanic: Mechanic) -> Slot | None:
        """Return the next free slot, or None if there is none in the next 60 days."""
        with self.read() as work:
            return find_next_slots(work.seats, [mechanic], now=self.clock())[mechanic.id]

    def list_slots(self, mechanic: Mechanic, day: date) -> Sequence[tuple[Slot, bool]]:
        """List the slots of a day, each with whether it is free.

        Raises:
            Invalid: on ``date``: it is in the past, or too far ahead.
        """
        now, schedule = self.clock(), mechanic.profile.schedule
        today, _ = local(now, ZoneInfo(schedule.time_zone))
        if not today <= day <= today + BOOKING_HORIZON:
            raise Invalid({"date": [f"The date field must be within the next {BOOKING_HORIZON.days} days."]})
        with self.read() as work:
            taken = work.seats.count_taken([mechanic.id], *window(schedule, day), at=now)[mechanic.id]
        slots = slots_on(schedule, day)
        free = set(free_slots(slots, taken, capacity=schedule.capacity, now=now))
        return [(slot, slot in free) for slot in slots]

    def list_page(
        self,
        environment: Environment = Environment.LIVE,
        *,
        state: str | None = None,
        number: int = 1,
        per_page: int = PER_PAGE,
    ) -> Page[Mechanic]:
        """List a page of the directory, including sandbox mechanics once they have been added.

        Raises:
            Invalid: on ``page`` or ``per_page``, or on ``state``: there is no such state.
        """
        require_page(number, per_page)
        if state is not None and state.upper() not in STATE_CODES:
            raise Invalid({"state": ["The state field must be a two-letter state code."]})
        with self.read() as work:
            return work.mechanics.list_page(
                environment,
                MechanicFilter(state=None if state is None else state.upper()),
                number=number,
                per_page=per_page,
            )

    def add(self, environment: Environment = Environment.LIVE, **cells: str) -> Mechanic:
        """Add a mechanic; ``cells`` are its fields as text (see ``profile.FIELDS``).

        Raises:
            Invalid: with every bad field.
        """
        profile = parse_profile(cells, self.zip_codes.find)
        with self.transaction() as work:
            return self._editor(environment).add(work, profile)

    def remove(self, ref: str, environment: Environment = Environment.LIVE) -> Mechanic:
        """Remove a mechanic from the directory, and return it; past appointments still show it.

        Raises:
            MechanicNotFound: no active mechanic has this reference.
            Conflict: it has upcoming appointments.
        """
        with self.transaction() as work:
            mechanic = work.mechanics.lock(ref, environment) if is_reference(Kind.MECHANIC, ref) else None
            if mechanic is None or not mechanic.is_active:
                raise MechanicNotFound
            upcoming = work.mechanics.count_upcoming(mechanic.id, self.clock())
            if upcoming:
                plural = "s" if upcoming > 1 else ""
                raise Conflict(
                    f"The mechanic cannot be removed. First cancel its {upcoming:,} upcoming appointment{plural}."
                )
            return self._editor(environment).deactivate(work, mechanic)

    def import_file(self, upload: Upload, options: ImportOptions = DEFAULT_OPTIONS) -> ImportResult:
        """Import a file of mechanics, adding new ones and updating those that differ.

        Raises:
            Conflict: the same file is being imported elsewhere, or a mechanic was changed concurrently.
            Invalid: on ``file``: it is not a table of mechanics.
        """
        return FileImport(
            kind="mechanics",
            read_rows=lambda lines: read_mechanics(lines, self.zip_codes.find),
            save_rows=self._editor(upload.environment).save_rows,
            transaction=self.transaction,
            clock=self.clock,
            batch_size=_IMPORT_BATCH,
        ).run(upload, options)

    def iter_all(self, environment: Environment = Environment.LIVE) -> Iterator[Mechanic]:
        """Yield every mechanic in the directory, oldest first, reading them in batches."""
        last = 0
        while True:
            with self.read() as work:
                batch = work.mechanics.list_after(last, environment, limit=_EXPORT_BATCH)
            if not batch:
                return
            yield from batch
            last = batch[-1].id

    def add_sandbox(self, state: str) -> None:
        """Add the sandbox mechanics of a state, unless they exist."""
        sandbox = tuple(sandbox_mechanics(state))
        with self.read() as work:
            if work.mechanics.find(sandbox[-1][0], Environment.TEST) is not None:
                return
        at = self.clock()
        with self.transaction() as work:
            for ref, profile in sandbox:
                work.mechanics.add_if_new(ref, profile, environment=Environment.TEST, at=at)

    def _editor(self, environment: Environment) -> MechanicEditor:
        return MechanicEditor(environment=environment, new_id=self.new_id, clock=self.clock)


def get_active(mechanics: MechanicRecords, environment: Environment, ref: str) -> Mechanic:
    """Return the active mechanic with this reference.

    Raises:
        MechanicNotFound: no active mechanic has this reference.
    """
    found = mechanics.find(ref, environment) if is_reference(Kind.MECHANIC, ref) else None
    if found is None or not found.is_active:
        raise MechanicNotFound
    return found
