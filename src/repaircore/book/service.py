"""Export the repair book as open data; import and reset an installation's changes."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from attrs import frozen

from repaircore.book.changes import BookChange, apply_change, parse_changes, with_belt_hours
from repaircore.book.identifiers import edition_of
from repaircore.book.model import Category, Problem
from repaircore.book.open_data import VehicleTables
from repaircore.book.ports import BookWork, OpenWork
from repaircore.kernel.callers import LOCAL, Caller, require_operator
from repaircore.kernel.types import Clock, Lazy

ShippedBook: TypeAlias = tuple[str, Sequence[Category], Sequence[Problem]]
"""The edition that ships with this version, its categories and its repairs."""


@frozen(kw_only=True)
class BookRevisions:
    """Use cases for the repair book. Changes are stored in the database, so that all workers use them at once.

    ``vehicle_tables`` reads the book's shipped data about vehicles.
    """

    transaction: OpenWork
    read: OpenWork
    shipped: Lazy[ShippedBook]
    vehicle_tables: Lazy[VehicleTables]
    clock: Clock

    def publish(self) -> None:
        """Store the shipped edition in the database, with the installation's changes."""
        with self.transaction() as work:
            self._publish(work)

    def list_changes(self) -> Mapping[str, BookChange]:
        """Return all changes, by the slug of their repair."""
        with self.read() as work:
            return work.book_changes.get_all()

    def export(self) -> tuple[Sequence[Problem], Mapping[str, BookChange], str]:
        """Return the current repairs, the changes in them, and the name of the edition."""
        with self.read() as work:
            return work.problems.list_all(), work.book_changes.get_all(), work.problems.edition()

    def vehicles(self) -> VehicleTables:
        """Return the book's data about vehicles: segments, tiers, part grades, amounts, and factors for repairs."""
        return self.vehicle_tables()

    def import_changes(self, rows: Sequence[Any], caller: Caller = LOCAL) -> Sequence[BookChange]:
        """Import and return changes, each replacing any earlier change of its repair; record them in the audit log.

        Raises:
            Forbidden: the caller is not an admin, or uses a key of the test environment.
            Invalid: with every bad field; nothing was changed.
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
                work,
                caller,
                "book.import",
                sorted(before),
                sorted({*before, *(change.slug for change in found)}),
            )
        return found

    def reset(self, slug: str | None = None, caller: Caller = LOCAL) -> int:
        """Delete the change of one repair, or all changes; record it in the audit log and return how many were deleted.

        Raises:
            Forbidden: the caller is not an admin, or uses a key of the test environment.
        """
        require_operator(caller)
        with self.transaction() as work:
            before = work.book_changes.get_all()
            deleted = [changed for changed in before if slug in {None, changed}]
            for changed in deleted:
                work.book_changes.delete(changed)
            self._publish(work)
            if deleted:
                self._audit(work, caller, "book.reset", sorted(before), sorted({*before} - {*deleted}))
        return len(deleted)

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
