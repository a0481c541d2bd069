"""The directory of mechanics: who is there, when they work, and when they are free."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date, timedelta
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
from repaircore.mechanics.model import Mechanic
from repaircore.mechanics.ports import MechanicRecords, OpenWork
from repaircore.mechanics.profile import profile_of, service_word
from repaircore.mechanics.records import MechanicEditor
from repaircore.mechanics.sandbox import sandbox_mechanics
from repaircore.mechanics.slots import FARTHEST, Slot, first_free, free, local, slots_on, window

MOST_PER_PAGE: Final = 50
_LOOK_AHEAD_DAYS: Final = 60
_ROWS: Final = 250
_BATCH: Final = 500
_LONGEST_SERVICE: Final = 100


@frozen(kw_only=True)
class Mechanics:
    """The use cases of mechanics. Each environment has a directory of its own.

    That of the test environment has made-up mechanics in each state, kept when the state is first asked for.
    """

    transaction: OpenWork
    read: OpenWork
    zip_codes: ZipCodes
    new_id: NewId
    clock: Clock

    def search(
        self,
        environment: Environment,
        *,
        state: str,
        service: str | None = None,
        number: int = 1,
        per_page: int = PER_PAGE,
    ) -> Page[Mechanic]:
        """List the mechanics of a state; of those that offer a service, when one is named.

        Raises:
            Invalid: every bad field is named.
        """
        wrong = self.validate(state=state, service=service, page=number, per_page=per_page)
        if wrong:
            raise Invalid(wrong)
        code = state.upper()
        if environment is Environment.TEST:
            self._stock(code)
        with self.read() as work:
            return work.mechanics.page(
                environment,
                state=code,
                service=None if service is None else service_word(service),
                number=number,
                per_page=per_page,
            )

    def validate(self, **fields: object) -> Mapping[str, list[str]]:
        """Name what is wrong with what is searched for; what is not given is not judged."""
        told: dict[str, list[str]] = {}
        state, service = fields.get("state"), fields.get("service")
        number, per_page = fields.get("page"), fields.get("per_page")
        if isinstance(state, str) and state.upper() not in STATE_CODES:
            told["state"] = ["The state field must be the two letters of a state."]
        if isinstance(service, str) and (len(service) > _LONGEST_SERVICE or not service_word(service)):
            told["service"] = ["The service field must be a service like oil_change."]
        if isinstance(number, int) and number < 1:
            told["page"] = ["The page field must be at least 1."]
        if isinstance(per_page, int) and not 1 <= per_page <= MOST_PER_PAGE:
            told["per_page"] = [f"The per page field must be between 1 and {MOST_PER_PAGE}."]
        return told

    def find(self, environment: Environment, ref: str) -> Mechanic:
        """Give a mechanic.

        Raises:
            MechanicNotFound: there is none with this reference.
        """
        with self.read() as work:
            return active(work.mechanics, environment, ref)

    def next_available(self, mechanic: Mechanic) -> Slot | None:
        """Give the next free slot, None when there is none in the next 60 days."""
        now, schedule = self.clock(), mechanic.profile.schedule
        with self.read() as work:
            taken = work.seats.taken(mechanic.id, now, now + timedelta(days=_LOOK_AHEAD_DAYS + 2))
        return next(first_free(schedule, taken, now=now, since=now, days=_LOOK_AHEAD_DAYS), None)

    def slots(self, mechanic: Mechanic, day: date) -> Sequence[tuple[Slot, bool]]:
        """List the slots of a day, each with whether it is free.

        Raises:
            Invalid: on ``date``: it is past, or too far ahead.
        """
        now, schedule = self.clock(), mechanic.profile.schedule
        today, _ = local(now, ZoneInfo(schedule.time_zone))
        if not today <= day <= today + FARTHEST:
            raise Invalid({"date": [f"The date field must be within the next {FARTHEST.days} days."]})
        with self.read() as work:
            taken = work.seats.taken(mechanic.id, *window(schedule, day))
        found = slots_on(schedule, day)
        open_ones = set(free(found, taken, capacity=schedule.capacity, now=now))
        return [(slot, slot in open_ones) for slot in found]

    def page(
        self,
        environment: Environment = Environment.LIVE,
        *,
        state: str | None = None,
        number: int = 1,
        per_page: int = PER_PAGE,
    ) -> Page[Mechanic]:
        """List the directory as it is kept.

        Raises:
            Invalid: as ``require_page`` says; on ``state``: there is none.
        """
        require_page(number, per_page)
        wrong = self.validate(state=state)
        if wrong:
            raise Invalid(wrong)
        with self.read() as work:
            return work.mechanics.page(
                environment,
                state=None if state is None else state.upper(),
                service=None,
                number=number,
                per_page=per_page,
            )

    def add(self, environment: Environment = Environment.LIVE, **told: str) -> Mechanic:
        """Keep a mechanic, by what is told in words (see ``profile.FIELDS``).

        Raises:
            Invalid: every bad field is named.
        """
        profile = profile_of(told, self.zip_codes.find)
        with self.transaction() as work:
            return self._keeping(environment).add(work, profile)

    def remove(self, ref: str, environment: Environment = Environment.LIVE) -> Mechanic:
        """Take a mechanic out of the directory: nobody finds it any more, and what was booked is still told.

        Raises:
            MechanicNotFound: there is none with this reference.
            Conflict: appointments are yet to come.
        """
        with self.transaction() as work:
            kept = work.mechanics.hold(ref, environment) if is_reference(Kind.MECHANIC, ref) else None
            if kept is None or not kept.is_active:
                raise MechanicNotFound
            awaiting = work.mechanics.awaiting(kept.id, self.clock())
            if awaiting:
                plural = "s are" if awaiting > 1 else " is"
                raise Conflict(
                    f"The mechanic cannot be removed: {awaiting:,} appointment{plural} yet to come."
                )
            return self._keeping(environment).retire(work, kept)

    def import_file(self, upload: Upload, options: ImportOptions = DEFAULT_OPTIONS) -> ImportResult:
        """Import a file of mechanics: add new ones and update those that differ.

        Raises:
            Conflict: the same file is being imported elsewhere.
            Invalid: on ``file``: the file has the wrong form.
        """
        return FileImport(
            kind="mechanics",
            read_rows=lambda lines: read_mechanics(lines, self.zip_codes.find),
            save_rows=self._keeping(upload.environment).take_over,
            transaction=self.transaction,
            clock=self.clock,
            batch_size=_ROWS,
        ).run(upload, options)

    def all(self, environment: Environment = Environment.LIVE) -> Iterator[Mechanic]:
        """Give the whole directory, the older first; few are held at once."""
        last = 0
        while True:
            with self.read() as work:
                some = work.mechanics.after(last, environment, limit=_BATCH)
            if not some:
                return
            yield from some
            last = some[-1].id

    def _stock(self, state: str) -> None:
        """Keep the made-up mechanics of a state, once."""
        made = tuple(sandbox_mechanics(state))
        with self.read() as work:
            if work.mechanics.by_ref(made[-1][0], Environment.TEST) is not None:
                return
        at = self.clock()
        with self.transaction() as work:
            for ref, profile in made:
                work.mechanics.add_if_new(ref, profile, environment=Environment.TEST, at=at)

    def _keeping(self, environment: Environment) -> MechanicEditor:
        return MechanicEditor(environment=environment, new_id=self.new_id, clock=self.clock)


def active(mechanics: MechanicRecords, environment: Environment, ref: str) -> Mechanic:
    """Give the mechanic of the directory with this reference.

    Raises:
        MechanicNotFound: there is none.
    """
    found = mechanics.by_ref(ref, environment) if is_reference(Kind.MECHANIC, ref) else None
    if found is None or not found.is_active:
        raise MechanicNotFound
    return found
