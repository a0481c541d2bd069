"""The questionnaire as owners use it: its questions, and submissions of answers."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from attrs import asdict, evolve, frozen

from repaircore.diagnosis.cases import Case, CaseSource
from repaircore.diagnosis.engine import diagnose
from repaircore.diagnosis.knowledge import Knowledge
from repaircore.diagnosis.model import Clues
from repaircore.kernel.callers import Caller, Environment
from repaircore.kernel.errors import Invalid
from repaircore.kernel.ids import parse_uuid
from repaircore.kernel.reference_numbers import claim_reference
from repaircore.kernel.rules import FieldErrors, field_errors
from repaircore.kernel.texts import stripped
from repaircore.kernel.types import Clock, Lazy, RandomBytes
from repaircore.questionnaire.answers import SubmitAnswers, validate_answers, validate_vehicle_id
from repaircore.questionnaire.errors import CategoryNotFound, SubmissionNotFound
from repaircore.questionnaire.model import ListedCategory, Option, QuestionCategory, findings_of
from repaircore.questionnaire.ports import OpenQuestionnairesWork
from repaircore.questionnaire.submissions import Submission, SubmissionResult, SubmittedAnswer, outcome_of
from repaircore.trouble_codes.model import codes_in
from repaircore.vehicles.model import Vehicle

_PREFIX: Final = "DR"


@frozen(kw_only=True)
class Questionnaire:
    """Use cases for the questionnaire."""

    transaction: OpenQuestionnairesWork
    read: OpenQuestionnairesWork
    knowledge: Lazy[Knowledge]
    random: RandomBytes
    clock: Clock

    def categories(self) -> Sequence[ListedCategory]:
        """List the active categories, in order."""
        with self.read() as work:
            return work.questionnaire.list_categories()

    def category(self, slug: str) -> QuestionCategory:
        """Return a category with its questions.

        Raises:
            CategoryNotFound: there is no such active category.
        """
        with self.read() as work:
            found = work.questionnaire.find_by_slug(slug)
        if found is None:
            raise CategoryNotFound
        return found

    def submit(self, request: SubmitAnswers, caller: Caller | None = None) -> Submission:
        """Store a submission with the repairs that its answers point to.

        A ``caller`` of None means a visitor without an account, whose submission is live.

        Raises:
            Invalid: each bad field under its dotted name, such as ``answers.0.question_id``.
        """
        category, vehicle = self._look_up(request.category_slug, request.vehicle_id)
        errors = field_errors(SubmitAnswers, asdict(request, recurse=False))
        errors |= _errors(category, vehicle, asdict(request))
        if errors or category is None:
            raise Invalid(errors)
        chosen = [*_chosen(request, category)]
        options = [option for _, option in chosen]
        return self._add(
            Submission(
                reference="",
                environment=Environment.LIVE if caller is None else caller.environment,
                user_id=None if caller is None else caller.user_id,
                category_slug=category.slug,
                category_name=category.name,
                vehicle_id=None if request.vehicle_id is None else str(request.vehicle_id),
                vehicle_info=stripped(request.vehicle_info),
                answers=tuple(answer for answer, _ in chosen),
                additional_notes=stripped(request.additional_notes),
                outcome=self._outcome(options, vehicle, request.additional_notes or ""),
                created_at=self.clock(),
            )
        )

    def validate(self, **fields: object) -> FieldErrors:
        """Return the errors that lookups find in well-typed fields of a submission; absent fields are not checked.

        ``answers`` may be any JSON value: malformed fields of an answer are skipped.
        """
        category, vehicle = self._look_up(fields.get("category_slug"), fields.get("vehicle_id"))
        return _errors(category, vehicle, fields)

    def submission(self, reference: str) -> Submission:
        """Return the submission with this reference, ignoring case.

        Raises:
            SubmissionNotFound: no submission has this reference.
        """
        with self.read() as work:
            found = work.submissions.find(reference.strip().upper())
        if found is None:
            raise SubmissionNotFound
        return found

    def submissions(
        self, *, limit: int, category: str | None = None, before: str | None = None
    ) -> Sequence[Submission]:
        """List submissions, newest first; ``before`` is the last reference of the previous page.

        Raises:
            SubmissionNotFound: no submission has the reference ``before``.
        """
        earlier = None if before is None else self.submission(before).reference
        with self.read() as work:
            return work.submissions.list_newest(limit=limit, category=category, before=earlier)

    def _look_up(self, slug: object, vehicle_id: object) -> tuple[QuestionCategory | None, Vehicle | None]:
        uuid = parse_uuid(vehicle_id)
        with self.read() as work:
            return (
                work.questionnaire.find_by_slug(slug) if isinstance(slug, str) else None,
                None if uuid is None else work.vehicles.find(uuid),
            )

    def _outcome(self, chosen: Sequence[Option], vehicle: Vehicle | None, notes: str) -> SubmissionResult:
        knowledge = self.knowledge()
        clues = Clues(
            findings=findings_of(chosen),
            codes=codes_in(notes),
            mileage=None if vehicle is None else vehicle.odometer,
        ).about(None if vehicle is None else vehicle.specs, knowledge.problems)
        return outcome_of(diagnose(knowledge, clues))

    def _add(self, submission: Submission) -> Submission:
        """Store a submission and its case under a new reference, and return it with the reference."""

        def add(reference: str) -> bool:
            numbered = evolve(submission, reference=reference)
            with self.transaction() as work:
                if not work.submissions.add(numbered):
                    return False
                work.cases.add(_case(numbered))
                return True

        reference = claim_reference(submission.created_at, self.random, add, prefix=_PREFIX)
        return evolve(submission, reference=reference)


def _case(submission: Submission) -> Case:
    """Return the case of a submission; its text consists of the notes, the category and the answers."""
    suggestions = submission.outcome.suggestions
    answers = (f"{each.question_text} {each.answer}." for each in submission.answers)
    text = " ".join((submission.additional_notes or "", submission.category_name, *answers)).strip()
    return Case(
        reference=submission.reference,
        environment=submission.environment,
        owner_id=submission.user_id,
        source=CaseSource.QUESTIONNAIRE,
        text=text,
        car=None,
        suggested=tuple(suggestion.repair for suggestion in suggestions),
        confidence=round(100 * suggestions[0].probability, 1) if suggestions else 0.0,
        created_at=submission.created_at,
    )


def _errors(
    category: QuestionCategory | None, vehicle: Vehicle | None, fields: Mapping[str, object]
) -> FieldErrors:
    errors: FieldErrors = {}
    if "category_slug" in fields and category is None:
        errors["category_slug"] = ["The selected category slug is invalid."]
    bad_vehicle = validate_vehicle_id(fields.get("vehicle_id"), exists=vehicle is not None)
    if bad_vehicle:
        errors["vehicle_id"] = bad_vehicle
    return errors if category is None else errors | validate_answers(category, fields.get("answers"))


def _chosen(request: SubmitAnswers, category: QuestionCategory) -> Iterator[tuple[SubmittedAnswer, Option]]:
    """Yield each valid answer as it will be stored, and the option that it means."""
    for sent in request.answers:
        question = category.question(sent.question_id)
        option = None if question is None else question.option(sent.answer)
        if option is not None:
            text = sent.question_text.strip()
            yield (
                SubmittedAnswer(question_id=sent.question_id, question_text=text, answer=option.answer),
                option,
            )
