"""Ports for personal data."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Protocol, TypeAlias

from repaircore.kernel.audit import AuditLog
from repaircore.persons.exported_marks import PersonalMarks
from repaircore.persons.model import Person, PersonalRow, Record


class PersonalData(Protocol):
    """All stored data, searchable for one person."""

    def identify(self, email: str) -> Person:
        """Return the person with a folded e-mail address, with the VINs and phone numbers stored for them."""

    def list_own(self, person: Person) -> Mapping[str, Sequence[Record]]:
        """Return the person's own rows by table, without secrets; tables without any are omitted."""

    def mentions(self, marks: PersonalMarks) -> Sequence[PersonalRow]:
        """Search all text and binary columns; return each row that mentions the person."""

    def read(self, mention: PersonalRow) -> Record:
        """Return the columns of a row that mention the person, with its table and key."""

    def erase_own(self, person: Person) -> tuple[Mapping[str, int], Mapping[str, int]]:
        """Delete the person's own rows, and anonymize those that statistics need.

        Return the counts of rows removed and changed, by table.
        """

    def redact(
        self, mentions: Iterable[PersonalRow], marks: PersonalMarks
    ) -> tuple[Mapping[str, int], Mapping[str, int]]:
        """Redact the marks in the rows where they were found; return counts as ``erase_own`` does.

        Rows that can be recomputed are deleted.
        """


class PersonsWork(Protocol):
    """The part of a unit of work that personal data needs."""

    @property
    def personal_data(self) -> PersonalData:
        """All stored data."""

    @property
    def audit(self) -> AuditLog:
        """The audit log."""


OpenWork: TypeAlias = Callable[[], AbstractContextManager[PersonsWork]]
"""Open a unit of work."""

Sweep: TypeAlias = Callable[[PersonalMarks], Sequence[str]]
"""Remove copies of erased data from the database's files; return a sentence for each file that could not be cleaned."""
