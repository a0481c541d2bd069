"""Ports for the questionnaire: its records and those of submissions."""

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
    """The stored questionnaire. Nothing is ever deleted: questions that an edition leaves out become inactive."""

    def edition(self) -> str:
        """Return the name of the stored edition, or "" if there is none yet."""

    def lock(self) -> str:
        """Lock the questionnaire until the transaction ends, and return the name of its edition."""

    def list_all(self) -> Sequence[QuestionCategory]:
        """List all categories with all questions, including inactive ones, in order."""

    def list_categories(self) -> Sequence[ListedCategory]:
        """List the active categories, in order."""

    def find_by_slug(self, slug: str) -> QuestionCategory | None:
        """Return the active category with this slug and all its questions, or None."""

    def replace(self, edition: str, categories: Sequence[QuestionCategory]) -> None:
        """Replace the stored edition with one in which everything has an id; what it leaves out becomes inactive."""


class SubmissionRecords(Protocol):
    """The submissions of both environments."""

    def add(self, submission: Submission) -> bool:
        """Add a submission and return True, or return False if its reference is taken."""

    def find(self, reference: str) -> Submission | None:
        """Return the submission with this reference, or None."""

    def list_newest(
        self, *, limit: int, category: str | None = None, before: str | None = None
    ) -> Sequence[Submission]:
        """List submissions, newest first; optionally only for one category, or only those older than ``before``."""


class QuestionnairesWork(Protocol):
    """The part of a unit of work that the questionnaire needs."""

    @property
    def questionnaire(self) -> QuestionnaireRecords:
        """Return the questionnaire."""

    @property
    def submissions(self) -> SubmissionRecords:
        """Return the submissions."""

    @property
    def cases(self) -> CaseRecords:
        """Return the cases of diagnoses."""

    @property
    def vehicles(self) -> VehicleRecords:
        """Return the stored vehicles."""

    @property
    def problems(self) -> Problems:
        """Return the repair book."""

    @property
    def audit(self) -> AuditLog:
        """Return the audit log."""


OpenQuestionnairesWork: TypeAlias = Callable[[], AbstractContextManager[QuestionnairesWork]]
