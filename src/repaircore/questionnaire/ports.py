"""What the questionnaire needs from outside."""

from abc import abstractmethod
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Protocol, TypeAlias

from repaircore.book.ports import Problems
from repaircore.diagnosis.ports import CaseRecords
from repaircore.kernel.audit import AuditLog
from repaircore.questionnaire.model import ListedCategory, QuestionCategory
from repaircore.questionnaire.submissions import Submission
from repaircore.vehicles.ports import VehicleRecords


class QuestionnaireRecords(Protocol):
    """The kept questionnaire. Nothing in it is ever deleted: what an edition leaves out is no longer active."""

    @abstractmethod
    def edition(self) -> str:
        """Name the edition that is kept; "" when there is none yet."""

    @abstractmethod
    def hold(self) -> str:
        """Name the edition, and let nobody else change it until this unit of work has ended."""

    @abstractmethod
    def all(self) -> Sequence[QuestionCategory]:
        """List every category with every question, those that are not active too, in their order."""

    @abstractmethod
    def listed(self) -> Sequence[ListedCategory]:
        """List the active categories, in their order."""

    @abstractmethod
    def by_slug(self, slug: str) -> QuestionCategory | None:
        """Give the active category with every question, in their order, or None."""

    @abstractmethod
    def replace(self, edition: str, categories: Sequence[QuestionCategory]) -> None:
        """Keep another edition, in this order. Each has its id; what is left out is no longer active."""


class SubmissionRecords(Protocol):
    """The kept submissions, of both environments."""

    @abstractmethod
    def add(self, submission: Submission) -> bool:
        """Keep one, and tell whether it was: not when its reference is somebody else's."""

    @abstractmethod
    def find(self, reference: str) -> Submission | None:
        """Give the one with a reference, or None."""

    @abstractmethod
    def newest(
        self, *, limit: int, category: str | None = None, before: str | None = None
    ) -> Sequence[Submission]:
        """List the newest ones, newest first; of a category by its slug, or from before the one with a reference."""


class QuestionnairesWork(Protocol):
    """The part of a unit of work that the questionnaire needs."""

    @property
    @abstractmethod
    def questionnaire(self) -> QuestionnaireRecords:
        """The kept questionnaire."""

    @property
    @abstractmethod
    def submissions(self) -> SubmissionRecords:
        """The kept submissions."""

    @property
    @abstractmethod
    def cases(self) -> CaseRecords:
        """The cases of diagnoses."""

    @property
    @abstractmethod
    def vehicles(self) -> VehicleRecords:
        """The kept vehicles."""

    @property
    @abstractmethod
    def problems(self) -> Problems:
        """The kept repair book."""

    @property
    @abstractmethod
    def audit(self) -> AuditLog:
        """What was changed by whom."""


OpenQuestionnairesWork: TypeAlias = Callable[[], AbstractContextManager[QuestionnairesWork]]
