"""What is needed to find and erase a person."""

from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Protocol, TypeAlias

from repaircore.kernel.audit import AuditLog
from repaircore.persons.exported_marks import PersonalMarks
from repaircore.persons.model import Person, PersonalRow, Record


class PersonalData(Protocol):
    """Everything that is kept, looked at for what it tells of one person."""

    @abstractmethod
    def person(self, email: str) -> Person:
        """Tell who a folded e-mail is: their account, the whole VINs that they asked about, and their phones as a customer."""

    @abstractmethod
    def kept(self, person: Person) -> Mapping[str, Sequence[Record]]:
        """Return the rows that are theirs, by table, without secrets; tables without any are left out."""

    @abstractmethod
    def mentions(self, marks: PersonalMarks) -> Sequence[PersonalRow]:
        """Search every text and every byte that is kept; a row is one mention."""

    @abstractmethod
    def shown(self, mention: PersonalRow) -> Record:
        """Return what stands in the columns of a mention."""

    @abstractmethod
    def release(self, person: Person) -> tuple[Mapping[str, int], Mapping[str, int]]:
        """Remove the rows that are theirs alone, and make nobody's what statistics need.

        Gives how many rows of each table were removed, and how many were changed.
        """

    @abstractmethod
    def strike(
        self, mentions: Iterable[PersonalRow], marks: PersonalMarks
    ) -> tuple[Mapping[str, int], Mapping[str, int]]:
        """Strike the marks from where they were found; give the numbers as ``release`` does.

        What can be computed anew is removed as a whole.
        """


class PersonsWork(Protocol):
    """The part of a unit of work that is needed."""

    @property
    @abstractmethod
    def personal_data(self) -> PersonalData:
        """Everything that is kept."""

    @property
    @abstractmethod
    def audit(self) -> AuditLog:
        """The kept changes."""


OpenWork: TypeAlias = Callable[[], AbstractContextManager[PersonsWork]]
"""Open a unit of work; ``look`` only reads and never waits for a writer."""

Sweep: TypeAlias = Callable[[PersonalMarks], Sequence[str]]
"""Make sure that what was erased is not left in files of ours; name those that it may still lie in."""
