"""The questionnaire as owners use it: what is asked, and taking answers."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from attrs import evolve, frozen

from repaircore.diagnosis.cases import Case, CaseSource
from repaircore.diagnosis.engine import diagnose
from repaircore.diagnosis.knowledge import Knowledge
from repaircore.diagnosis.model import Clues
from repaircore.kernel.callers import Caller, Environment
from repaircore.kernel.errors import Invalid
from repaircore.kernel.ids import parse_uuid
from repaircore.kernel.reference_numbers import claim_reference
from repaircore.kernel.traits import Traits
from repaircore.kernel.types import Clock, Lazy, RandomBytes
from repaircore.questionnaire.answers import AnswerSent, FilledIn
from repaircore.questionnaire.errors import CategoryNotFound, SubmissionNotFound
from repaircore.questionnaire.model import ListedCategory, Option, QuestionCategory, findings_of
from repaircore.questionnaire.ports import OpenQuestionnairesWork, QuestionnairesWork
from repaircore.questionnaire.submissions import GivenAnswer, Submission, SubmissionResult, outcome_of
from repaircore.trouble_codes.model import codes_in
from repaircore.vehicles.model import Vehicle

_PREFIX: Final = "DR"


@frozen(kw_only=True)
class Questionnaire:
    """The use cases of the questionnaire."""

    transaction: OpenQuestionnairesWork
    read: OpenQuestionnairesWork
    knowledge: Lazy[Knowledge]
    random: RandomBytes
    clock: Clock

    def categories(self) -> Sequence[ListedCategory]:
        """List the categories that are asked about, in their order."""
        with self.read() as work:
            return work.questionnaire.listed()

    def category(self, slug: str) -> QuestionCategory:
        """Give a category with its questions.

        Raises:
            CategoryNotFound: there is none, or it is no longer asked about.
        """
        with self.read() as work:
            found = work.questionnaire.by_slug(slug)
        if found is None:
            raise CategoryNotFound
        return found

    def submit(
        self,
        category_slug: str,
        answers: Sequence[AnswerSent],
        *,
        vehicle_id: object = None,
        vehicle_info: str | None = None,
        additional_notes: str | None = None,
        caller: Caller | None = None,
    ) -> Submission:
        """Take a filled-in questionnaire, and keep it with the repairs that it points to.

        ``caller`` None is somebody without an account; what they send counts as live.

        Raises:
            Invalid: each bad field under its dotted name, such as ``answers.0.question_id``.
        """
        filled = self._filled(
            category_slug=category_slug,
            answers=answers,
            vehicle_id=vehicle_id,
            vehicle_info=vehicle_info,
            additional_notes=additional_notes,
        )
        told = filled.validate()
        if told or filled.category is None:
            raise Invalid(told)
        chosen = tuple(_chosen(filled.category, answers))
        new = Submission(
            reference="",
            environment=Environment.LIVE if caller is None else caller.environment,
            user_id=None if caller is None else caller.user_id,
            category_slug=filled.category.slug,
            category_name=filled.category.name,
            vehicle_id=None if vehicle_id is None else str(vehicle_id),
            vehicle_info=_or_none(vehicle_info),
            answers=tuple(given for given, _ in chosen),
            additional_notes=_or_none(additional_notes),
            outcome=self._outcome([option for _, option in chosen], filled.vehicle, additional_notes or ""),
            created_at=self.clock(),
        )
        return self._add(new)

    def validate(self, **fields: object) -> dict[str, list[str]]:
        """Name what is wrong with the fields of a submission; those that are not given are not judged.

        Of ``answers`` one that is None is not judged, nor what is None in one.
        """
        return self._filled(**fields).validate()

    def submission(self, reference: str) -> Submission:
        """Give the submission with a reference, in whatever case it is typed.

        Raises:
            SubmissionNotFound: there is none.
        """
        with self.read() as work:
            found = work.submissions.find(reference.strip().upper())
        if found is None:
            raise SubmissionNotFound
        return found

    def submissions(
        self, *, limit: int, category: str | None = None, before: str | None = None
    ) -> Sequence[Submission]:
        """List the newest submissions, newest first; ``before`` goes on after a list that ended with a reference.

        Raises:
            SubmissionNotFound: nothing has that reference.
        """
        earlier = None if before is None else self.submission(before).reference
        with self.read() as work:
            return work.submissions.newest(limit=limit, category=category, before=earlier)

    def _filled(self, **sent: Any) -> FilledIn:
        slug = sent.get("category_slug")
        with self.read() as work:
            return FilledIn(
                category=work.questionnaire.by_slug(slug) if isinstance(slug, str) else None,
                vehicle=_kept_vehicle(work, sent.get("vehicle_id")),
                sent=sent,
            )

    def _outcome(self, chosen: Sequence[Option], vehicle: Vehicle | None, notes: str) -> SubmissionResult:
        clues = Clues(
            findings=findings_of(chosen),
            codes=codes_in(notes),
            mileage=None if vehicle is None else vehicle.odometer,
            traits=Traits() if vehicle is None else vehicle.specs.traits,
        )
        return outcome_of(diagnose(self.knowledge(), clues))

    def _add(self, submission: Submission) -> Submission:
        """Store a submission and its case under a reference of their own."""

        def add(reference: str) -> bool:
            named = evolve(submission, reference=reference)
            with self.transaction() as work:
                if not work.submissions.add(named):
                    return False
                work.cases.add(_case(named))
                return True

        reference = claim_reference(submission.created_at, self.random, add, prefix=_PREFIX)
        return evolve(submission, reference=reference)


def _case(submission: Submission) -> Case:
    """Return the case of a submission; what was answered is its text."""
    suggestions = submission.outcome.suggestions
    said = (f"{one.question_text} {one.answer}." for one in submission.answers)
    text = " ".join((submission.additional_notes or "", submission.category_name, *said)).strip()
    return Case(
        reference=submission.reference,
        environment=submission.environment,
        owner_id=submission.user_id,
        source=CaseSource.QUESTIONNAIRE,
        text=text,
        car=None,
        suggested=tuple(one.repair for one in suggestions),
        confidence=round(100 * suggestions[0].probability, 1) if suggestions else 0.0,
        created_at=submission.created_at,
    )


def _kept_vehicle(work: QuestionnairesWork, vehicle_id: object) -> Vehicle | None:
    uuid = parse_uuid(vehicle_id)
    return None if uuid is None else work.vehicles.find(uuid)


def _chosen(
    category: QuestionCategory, answers: Sequence[AnswerSent]
) -> Iterator[tuple[GivenAnswer, Option]]:
    """Pair each answer with the option that it means; the answers have been found good."""
    for sent in answers:
        question = category.question(sent.question_id or 0)
        option = None if question is None else question.option(sent.answer or "")
        if question is not None and option is not None:
            shown = (sent.question_text or "").strip()
            yield (
                GivenAnswer(question_id=question.id, question_text=shown, answer=option.answer),
                option,
            )


def _or_none(text: str | None) -> str | None:
    return (text or "").strip() or None
