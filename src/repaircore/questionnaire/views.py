"""The questionnaire and its submissions as clients see them, over HTTP and on the command line."""

from datetime import datetime
from typing import Self

from repaircore.diagnosis.views import ReasonView
from repaircore.kernel.callers import Environment
from repaircore.kernel.views import Count, view
from repaircore.questionnaire.model import AnswerType, ListedCategory, Question
from repaircore.questionnaire.submissions import Submission, SubmittedAnswer, Suggestion


@view
class QuestionCategoryView:
    """A category of questions; ``icon`` is a class of an icon font."""

    id: int
    slug: str
    name: str
    description: str
    icon: str

    @classmethod
    def of(cls, category: ListedCategory) -> Self:
        """Return the view of a category."""
        return cls(
            id=category.id,
            slug=category.slug,
            name=category.name,
            description=category.description,
            icon=category.icon,
        )


@view
class CategoryQuestionView:
    """A question in a category."""

    id: int
    question_text: str
    answer_type: AnswerType
    options: list[str]
    order: Count

    @classmethod
    def of(cls, question: Question, order: int) -> Self:
        """Return the view of a question with its position, counted from 1."""
        return cls(
            id=question.id,
            question_text=question.text,
            answer_type=question.type,
            options=[option.answer for option in question.options],
            order=order,
        )


@view
class CategoryNameView:
    """The name of a category."""

    slug: str
    name: str


@view
class SubmissionReceiptView:
    """The receipt for a submission, with its reference number."""

    reference_number: str
    category: CategoryNameView
    created_at: datetime

    @classmethod
    def of(cls, submission: Submission) -> Self:
        """Return the receipt for a submission."""
        category = CategoryNameView(slug=submission.category_slug, name=submission.category_name)
        return cls(reference_number=submission.reference, category=category, created_at=submission.created_at)


@view
class SubmittedAnswerView:
    """An answer, with the question as it was shown."""

    question_id: int
    question_text: str
    answer: str

    @classmethod
    def of(cls, answer: SubmittedAnswer) -> Self:
        """Return the view of an answer."""
        return cls(question_id=answer.question_id, question_text=answer.question_text, answer=answer.answer)


@view
class SuggestionView:
    """A repair that the answers point to, and how likely it is in percent."""

    repair: str
    name: str
    confidence: float
    why: list[ReasonView]

    @classmethod
    def of(cls, suggestion: Suggestion) -> Self:
        """Return the view of a suggestion."""
        return cls(
            repair=suggestion.repair,
            name=suggestion.name,
            confidence=round(100 * suggestion.probability, 2),
            why=ReasonView.list_of(suggestion.reasons),
        )


@view
class SubmissionView:
    """A submission with its answers and the repairs that they point to."""

    reference_number: str
    created_at: datetime
    environment: Environment
    user_id: int | None
    category: CategoryNameView
    vehicle_id: str | None
    vehicle_info: str | None
    answers: list[SubmittedAnswerView]
    additional_notes: str | None
    enough: bool
    suggestions: list[SuggestionView]

    @classmethod
    def of(cls, submission: Submission) -> Self:
        """Return the view of a submission."""
        return cls(
            reference_number=submission.reference,
            created_at=submission.created_at,
            environment=submission.environment,
            user_id=submission.user_id,
            category=CategoryNameView(slug=submission.category_slug, name=submission.category_name),
            vehicle_id=submission.vehicle_id,
            vehicle_info=submission.vehicle_info,
            answers=[SubmittedAnswerView.of(answer) for answer in submission.answers],
            additional_notes=submission.additional_notes,
            enough=submission.outcome.enough,
            suggestions=[SuggestionView.of(suggestion) for suggestion in submission.outcome.suggestions],
        )
