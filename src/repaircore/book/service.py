"""The repair book in and out: exported as open data, changed by an installation, and set back."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from attrs import frozen

from repaircore.book.changes import BookChange, apply_change, parse_changes, with_belt_hours
from repaircore.book.editions import edition_of
from repaircore.book.model import Category, Problem
from repaircore.book.open_data import VehicleTables
from repaircore.book.ports import BookWork, OpenWork
from repaircore.kernel.callers import LOCAL, Caller, require_operator
from repaircore.kernel.types import Clock, Lazy

ShippedBook: TypeAlias = tuple[str, Sequence[Category], Sequence[Problem]]
"""The edition that this version ships, its categories and its repairs."""


@frozen(kw_only=True)
class BookRevisions:
    """The use cases. The changes lie in the database, so that all workers price by them at once.

    ``vehicle_tables`` reads what the book says of vehicles, as it ships.
    """

    transaction: OpenWork
    read: OpenWork
    shipped: Lazy[ShippedBook]
    vehicle_tables: Lazy[VehicleTables]
    clock: Clock

    def publish(self) -> None:
        """Read the shipped edition into the database, with the installation's changes on top."""
        with self.transaction() as work:
            self._publish(work)

    def list_changes(self) -> Mapping[str, BookChange]:
        """Map the changed repairs by slug to their changes."""
        with self.read() as work:
            return work.book_changes.get_all()

    def export(self) -> tuple[Sequence[Problem], Mapping[str, BookChange], str]:
        """Return the repairs as they are priced now, the changes in them, and the name of the edition."""
        with self.read() as work:
            return work.problems.list_all(), work.book_changes.get_all(), work.problems.edition()

    def vehicles(self) -> VehicleTables:
        """Return what the book says of vehicles: segments, tiers, grades of parts, amounts, and repairs that cost otherwise."""
        return self.vehicle_tables()

    def import_changes(self, rows: Sequence[Any], caller: Caller = LOCAL) -> Sequence[BookChange]:
        """Take changes in, each in the place of an earlier one of its repair, and return them. The change is audited.

        Raises:
            Forbidden: the caller is not an admin, or shows a key of the test environment.
            Invalid: every bad field is named, and nothing is changed.
        """
        require_operator(caller)
        found = parse_changes(rows, self.shipped()[2])
        at = self.clock()
        with self.transaction() as work:
            before = work.book_changes.get_all()
            for change in found:
                work.book_changes.save(change, at=at)
            self._publish(work)
            self._audit(
                work, caller, "book.import", sorted(before), sorted({*before, *(one.slug for one in found)})
            )
        return found

    def reset(self, slug: str | None = None, caller: Caller = LOCAL) -> int:
        """Take the change of one repair, or all changes, back, and return how many there were. The change is audited.

        Raises:
            Forbidden: the caller is not an admin, or shows a key of the test environment.
        """
        require_operator(caller)
        with self.transaction() as work:
            before = work.book_changes.get_all()
            gone = [one for one in before if slug in {None, one}]
            for one in gone:
                work.book_changes.delete(one)
            self._publish(work)
            if gone:
                self._audit(work, caller, "book.reset", sorted(before), sorted({*before} - {*gone}))
        return len(gone)

    def _publish(self, work: BookWork) -> None:
        edition, categories, problems = self.shipped()
        changes = work.book_changes.get_all()
        work.problems.publish(
            edition_of(edition, changes),
            categories,
            with_belt_hours(apply_change(problem, changes.get(problem.slug)) for problem in problems),
        )

    def _audit(
        self, work: BookWork, caller: Caller, action: str, before: Sequence[str], after: Sequence[str]
    ) -> None:
        work.audit.add(
            caller,
            action,
            "book",
            before={"changed": ", ".join(before)},
            after={"changed": ", ".join(after)},
            at=self.clock(),
        )
