"""What diagnostics need from outside."""

from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime, timedelta
from typing import Protocol, TypeAlias
from uuid import UUID

from repaircore.diagnostics.cases import Case, ConfirmedBy, InvoicedRepair
from repaircore.diagnostics.chat import Chat, ListedChat, Message, Status
from repaircore.diagnostics.interpretation import Interpretation
from repaircore.diagnostics.questionnaire import ListedCategory, QuestionCategory
from repaircore.diagnostics.submissions import Submission
from repaircore.kernel.audit import AuditLog
from repaircore.kernel.callers import Environment
from repaircore.kernel.money import PriceRange
from repaircore.kernel.paging import Page
from repaircore.problems.ports import Problems
from repaircore.vehicles.model import Decoded
from repaircore.vehicles.ports import VehicleRecords

__all__ = [
    "BeginCases",
    "BeginChats",
    "BeginDiagnoses",
    "BeginQuestionnaires",
    "CaseRecords",
    "CasesWork",
    "ChatRecords",
    "ChatsWork",
    "DiagnosesWork",
    "Interpreter",
    "LightReader",
    "PricesOf",
    "QuestionnaireRecords",
    "QuestionnairesWork",
    "Random",
    "SubmissionRecords",
    "WordModels",
]


class CaseRecords(Protocol):
    """The cases of diagnoses."""

    @abstractmethod
    def add(self, case: Case) -> bool:
        """Add a case, and return whether it was: not when its reference is taken."""

    @abstractmethod
    def find(self, reference: str) -> Case | None:
        """Return the case with a reference, or None."""

    @abstractmethod
    def confirm(self, reference: str, repair: str, by: ConfirmedBy, at: datetime) -> bool:
        """Set which repair it was, and return whether it was set.

        It is not when the case is gone, nor when an invoice would replace what is known already.
        """

    @abstractmethod
    def confirmed(self, environment: Environment, *, limit: int | None = None) -> Sequence[Case]:
        """List the cases whose repair is known, newest first: the newest ``limit``, or all."""

    @abstractmethod
    def waiting(self, environment: Environment, *, since: datetime) -> Sequence[Case]:
        """List the cases of known cars since a time whose repair is not known, oldest first."""

    @abstractmethod
    def invoiced(self, case: Case, *, within: timedelta) -> Sequence[InvoicedRepair]:
        """List the repairs on invoices for the case's car that are dated so long after the case at most, oldest first."""

    @abstractmethod
    def count(self, environment: Environment) -> int:
        """Return how many cases there are."""

    @abstractmethod
    def delete(self, reference: str) -> None:
        """Delete the case with a reference, if there is one."""

    @abstractmethod
    def delete_unconfirmed(self, *, before: datetime) -> int:
        """Delete the cases from before a time whose repair is not known, and return how many there were."""


class WordModels(Protocol):
    """The word model that the installation has learned."""

    @abstractmethod
    def edition(self) -> str:
        """Return what names the model; "" when none was learned."""

    @abstractmethod
    def text(self) -> str:
        """Return the model as ``weights_text`` writes it; "" when none was learned."""

    @abstractmethod
    def replace(self, text: str) -> None:
        """Set the model; "" deletes it. The edition changes with the text and not otherwise."""


class ChatRecords(Protocol):
    """The kept conversations, an environment at a time; ``owner_id`` None are everybody's."""

    @abstractmethod
    def hold_starts(self, owner_id: int) -> None:
        """Let nobody else start one for an owner until this unit of work has ended, however many try."""

    @abstractmethod
    def nth_newest_start(self, nth: int, *, environment: Environment, owner_id: int) -> datetime | None:
        """Tell when the ``nth`` newest of an owner was started, from 1; None when there are fewer.

        One that was reset since counts.
        """

    @abstractmethod
    def add(self, chat: Chat, said: Sequence[Message]) -> None:
        """Keep a new conversation with what was said in it.

        Raises:
            Conflict: its vehicle is gone.
        """

    @abstractmethod
    def find(self, session_id: UUID, *, environment: Environment, owner_id: int | None) -> Chat | None:
        """Give the conversation of a session, or None; those of others are not seen."""

    @abstractmethod
    def messages(self, session_id: UUID) -> Sequence[Message]:
        """List what was said, in its order."""

    @abstractmethod
    def replace(self, old: Chat, new: Chat, said: Sequence[Message]) -> Chat:
        """Keep what became of a conversation, and what was said then.

        Raises:
            Conflict: it is no longer as ``old`` has it, or its vehicle is gone.
        """

    @abstractmethod
    def clear(self, chat: Chat) -> None:
        """Keep a conversation without its messages, whatever somebody else made of it in between; one that is gone stays gone."""

    @abstractmethod
    def page(
        self,
        *,
        environment: Environment,
        owner_id: int | None,
        email: str | None,
        status: Status | None,
        now: datetime,
        number: int,
        per_page: int,
    ) -> Page[ListedChat]:
        """List a page, newest first; one beyond the last is empty. ``email`` and ``status`` None are all.

        The status is the one at ``now``.
        """


class ChatsWork(Protocol):
    """The part of a unit of work that conversations need."""

    @property
    @abstractmethod
    def chats(self) -> ChatRecords:
        """The kept conversations."""

    @property
    @abstractmethod
    def cases(self) -> CaseRecords:
        """The cases of diagnoses."""

    @property
    @abstractmethod
    def audit(self) -> AuditLog:
        """What was changed by whom."""


BeginChats: TypeAlias = Callable[[], AbstractContextManager[ChatsWork]]


class DiagnosesWork(Protocol):
    """The part of a unit of work that a diagnosis needs."""

    @property
    @abstractmethod
    def problems(self) -> Problems:
        """The kept categories and repairs."""

    @property
    @abstractmethod
    def cases(self) -> CaseRecords:
        """The cases of diagnoses."""

    @property
    @abstractmethod
    def word_models(self) -> WordModels:
        """The word model that the installation has learned."""


class CasesWork(DiagnosesWork, Protocol):
    """The part of a unit of work that outcomes need."""

    @property
    @abstractmethod
    def audit(self) -> AuditLog:
        """What was changed by whom."""


BeginCases: TypeAlias = Callable[[], AbstractContextManager[CasesWork]]


BeginDiagnoses: TypeAlias = Callable[[], AbstractContextManager[DiagnosesWork]]

PricesOf: TypeAlias = Callable[[Environment, str, Decoded | None, Iterable[int]], Mapping[int, PriceRange]]
"""Say what some repairs, by their ids, will cost in the place of a ZIP code that is in use.

No vehicle is a typical one. The repairs exist.
"""


class Interpreter(Protocol):
    """A language model that reads what people write, and words questions. It decides nothing."""

    @abstractmethod
    def read(self, text: str, *, symptoms: Mapping[str, str], seconds: float) -> Interpretation:
        """Say which symptoms (names by slug) and trouble codes a text speaks of.

        Nothing in the answer is checked: the text may talk a model into anything.

        Raises:
            Unavailable: with a short reason; nothing else is ever raised, and never later than ``seconds``
                plus a small grace.
        """

    @abstractmethod
    def word(self, symptom: str, *, seconds: float) -> str:
        """Ask in one plain sentence, which ends with a question mark, whether a symptom (its name) is there.

        Nothing that a user wrote is told to the model. The same symptom commonly has the same sentence.

        Raises:
            Unavailable: as for ``read``.
        """


class LightReader(Protocol):
    """A vision model that looks for warning lights in a photo of a dashboard."""

    @abstractmethod
    def read(self, photo: bytes, *, lights: Mapping[str, str]) -> Sequence[str]:
        """Give those of the ``lights`` (names by slug) that are lit in a JPEG; none when it shows none.

        Raises:
            Unavailable: the model does not answer, or answers nonsense. Nothing else is ever raised.
        """


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


BeginQuestionnaires: TypeAlias = Callable[[], AbstractContextManager[QuestionnairesWork]]

Random: TypeAlias = Callable[[int], bytes]
"""Give so many bytes that nobody can guess."""
