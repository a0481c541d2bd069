"""Past predictions: list, show, link to a customer's e-mail address, rate, and compare with invoices."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Annotated, Final
from uuid import UUID

from attrs import frozen

from repaircore.kernel.callers import (
    LOCAL,
    Caller,
    Credential,
    Environment,
    owner_of,
    require_admin,
    visible_owner,
)
from repaircore.kernel.emails import Email, fold_email
from repaircore.kernel.errors import Forbidden, Invalid, NotFound
from repaircore.kernel.paging import FIRST_PAGE, Page, PageRequest, require_page
from repaircore.kernel.rules import FieldErrors, field_errors
from repaircore.kernel.types import Clock
from repaircore.predictions.model import MemorySource, Prediction
from repaircore.predictions.past_predictions import (
    ALL_PREDICTIONS,
    NO_SUCH_SESSION,
    RED_FLAGS_LIMIT,
    Feedback,
    HistoryEntry,
    HistoryFilter,
    PastPrediction,
    PastPredictionDetail,
    PastPredictionRecord,
    Rating,
    Statistics,
    SubmitFeedback,
)
from repaircore.predictions.ports import OpenWork, PredictionsWork
from repaircore.predictions.track_record import (
    Accuracy,
    AnsweredPrediction,
    Reliability,
    accuracy_of,
    by_problem,
    reliability_of,
)
from repaircore.vehicles.vin import has_wrong_check_digit

_AT_ONCE: Final = 500
"""How many predictions an export reads in each unit of work."""


@frozen(kw_only=True)
class LinkEmail:
    """An e-mail address to link to a prediction."""

    session_id: UUID
    email: Annotated[str, Email()]


@frozen(kw_only=True)
class PastPredictions:
    """Use cases for past predictions. Users see their own, and admins see all predictions in their environment."""

    transaction: OpenWork
    read: OpenWork
    clock: Clock

    def page(
        self,
        wanted: HistoryFilter = ALL_PREDICTIONS,
        *,
        request: PageRequest = FIRST_PAGE,
        caller: Caller = LOCAL,
    ) -> Page[HistoryEntry]:
        """List predictions, newest first unless another order is requested; a page beyond the last is empty.

        Raises:
            Forbidden: the credential is a publishable key, which anyone can find in a web page.
            Invalid: ``page``, ``per_page``, ``sort`` or ``cursor`` is invalid.
        """
        _require_secret(caller)
        require_page(request.number, request.per_page)
        with self.read() as work:
            return work.past_predictions.page(
                environment=caller.environment,
                owner_id=visible_owner(caller),
                request=request,
                wanted=wanted,
            )

    def list_each(
        self, wanted: HistoryFilter = ALL_PREDICTIONS, caller: Caller = LOCAL
    ) -> Iterator[HistoryEntry]:
        """Yield all selected predictions, newest first, in short units of work, so that a slow client holds none open.

        Raises:
            Forbidden: the credential is a publishable key.
        """
        _require_secret(caller)
        return self._each(wanted, caller)

    def _each(self, wanted: HistoryFilter, caller: Caller) -> Iterator[HistoryEntry]:
        before_id: int | None = None
        while True:
            with self.read() as work:
                entries = work.past_predictions.list_before(
                    before_id,
                    environment=caller.environment,
                    owner_id=visible_owner(caller),
                    wanted=wanted,
                    limit=_AT_ONCE,
                )
            yield from entries
            if len(entries) < _AT_ONCE:
                return
            before_id = entries[-1].id

    def red_flags(self, caller: Caller = LOCAL) -> Sequence[HistoryEntry]:
        """List the newest 50 predictions with a red flag, newest first.

        Raises:
            Forbidden: the credential is a publishable key.
        """
        _require_secret(caller)
        with self.read() as work:
            return work.past_predictions.list_red_flags(
                environment=caller.environment, owner_id=visible_owner(caller), limit=RED_FLAGS_LIMIT
            )

    def get(self, session_id: UUID, caller: Caller = LOCAL) -> PastPredictionDetail:
        """Return a past prediction with the current price adjustment applied; nothing is computed again.

        Raises:
            Forbidden: the credential is a publishable key.
            NotFound: there is no such prediction, or the caller may not see it.
        """
        _require_secret(caller)
        with self.read() as work:
            record = work.past_predictions.find_record(
                session_id, environment=caller.environment, owner_id=visible_owner(caller)
            )
            percent = work.adjustment.get()
        if record is None:
            raise NotFound("Prediction not found.")
        return PastPredictionDetail(record=record, prediction=_cached(record, percent, now=self.clock()))

    def link_email(self, session_id: UUID, email: str, caller: Caller = LOCAL) -> str:
        """Link one of the caller's predictions to an e-mail address, replacing any earlier one; return the stored one.

        Raises:
            Invalid: ``session_id`` is not one of the caller's own predictions, or ``email`` is invalid.
        """
        errors = field_errors(LinkEmail, {"email": email})
        with self.transaction() as work:
            if not _owns(work, session_id, caller):
                errors = {"session_id": [NO_SUCH_SESSION], **errors}
            if errors:
                raise Invalid(errors)
            folded = fold_email(email)
            work.past_predictions.link_email(session_id, folded)
        return folded

    def validate_link(self, caller: Caller = LOCAL, **fields: object) -> FieldErrors:
        """Return the errors in ``session_id``, if it is given."""
        session_id = fields.get("session_id")
        if not isinstance(session_id, UUID):
            return {}
        with self.read() as work:
            is_own = _owns(work, session_id, caller)
        return {} if is_own else {"session_id": [NO_SUCH_SESSION]}


def _owns(work: PredictionsWork, session_id: UUID, caller: Caller) -> bool:
    prediction = work.past_predictions.find(
        session_id, environment=caller.environment, owner_id=owner_of(caller)
    )
    return prediction is not None


def _cached(record: PastPredictionRecord, percent: float, *, now: datetime) -> Prediction | None:
    """Return the whole prediction while its answer is cached, or None once that has expired."""
    answer = record.answer
    if answer is None or answer.expires_at <= now:
        return None
    is_vin_doubtful = record.vin is not None and has_wrong_check_digit(record.vin)
    return Prediction(
        session_id=record.entry.session_id,
        source=MemorySource.CACHED,
        computed_at=answer.computed_at,
        expires_at=answer.expires_at,
        now=now,
        figures=answer.figures.adjusted(percent),
        warnings=(("vin_check_digit",) if is_vin_doubtful else ()) + answer.figures.warnings,
    )


def _require_secret(caller: Caller) -> None:
    if caller.credential is Credential.PUBLISHABLE:
        raise Forbidden


LISTED: Final = 500
"""How many of the newest ratings are listed; the counts include older ones."""


@frozen(kw_only=True)
class Ratings:
    """Use cases for feedback. Users can rate only their own predictions; admins can rate all."""

    transaction: OpenWork
    read: OpenWork
    clock: Clock

    def rate(
        self, session_id: UUID, rating: Rating, comment: str | None = None, caller: Caller = LOCAL
    ) -> Feedback:
        """Save a user's rating of a prediction; each submission is a separate record.

        Raises:
            Invalid: ``session_id`` names no prediction that the caller may see, or ``comment`` is too long.
        """
        errors = field_errors(SubmitFeedback, {"comment": comment})
        if errors:
            raise Invalid({**self.validate(caller, session_id=session_id), **errors})
        with self.transaction() as work:
            prediction = _find(work, session_id, caller)
            if prediction is None:
                raise Invalid({"session_id": [NO_SUCH_SESSION]})
            return work.ratings.add(
                prediction.id, user_id=owner_of(caller), rating=rating, comment=comment, at=self.clock()
            )

    def validate(self, caller: Caller = LOCAL, **fields: object) -> FieldErrors:
        """Return the errors in ``session_id``, if it is given."""
        session_id = fields.get("session_id")
        if not isinstance(session_id, UUID):
            return {}
        with self.read() as work:
            prediction = _find(work, session_id, caller)
        return {} if prediction is not None else {"session_id": [NO_SUCH_SESSION]}

    def statistics(self, session_id: UUID, caller: Caller = LOCAL) -> Statistics:
        """Return the ratings of a prediction.

        Raises:
            NotFound: there is no such prediction, or the caller may not see it.
        """
        with self.read() as work:
            prediction = _find(work, session_id, caller)
            if prediction is None:
                raise NotFound("Prediction not found.")
            good, wrong = work.ratings.count(prediction.id)
            latest = work.ratings.list_latest(prediction.id, limit=LISTED)
        return Statistics(session_id=session_id, good=good, wrong=wrong, latest=latest)


def _find(work: PredictionsWork, session_id: UUID, caller: Caller) -> PastPrediction | None:
    return work.past_predictions.find(
        session_id, environment=caller.environment, owner_id=visible_owner(caller)
    )


INVOICES_READ: Final = 10_000
"""How many of the newest linked invoices a report covers."""


@frozen(kw_only=True)
class ProblemAccuracy:
    """The accuracy of one repair's predictions."""

    id: int
    slug: str
    display_name: str
    invoices: int
    accuracy: Accuracy


@frozen(kw_only=True)
class AccuracyReport:
    """The accuracy of predictions with linked invoices: overall, and by repair, the one with the most invoices first.

    ``answered`` are the predictions, in the order in which their invoices were entered.
    """

    environment: Environment
    invoices: int
    overall: Accuracy
    problems: Sequence[ProblemAccuracy]
    reliability: Sequence[Reliability]
    answered: Sequence[AnsweredPrediction]


@frozen(kw_only=True)
class AccuracyReports:
    """Accuracy reports on past predictions, for admins."""

    read: OpenWork

    def report(self, caller: Caller = LOCAL) -> AccuracyReport:
        """Compare predictions in the caller's environment with the newest 10,000 invoices linked to them.

        Raises:
            Forbidden: the caller is not an admin.
        """
        require_admin(caller)
        with self.read() as work:
            answered = work.past_predictions.list_answered(caller.environment, limit=INVOICES_READ)
            groups = by_problem(answered)
            problems = {problem_id: work.problems.find(problem_id) for problem_id in groups}
        return AccuracyReport(
            environment=caller.environment,
            invoices=len(answered),
            answered=answered,
            overall=accuracy_of(answered),
            reliability=reliability_of(answered),
            problems=[
                ProblemAccuracy(
                    id=problem.id,
                    slug=problem.slug,
                    display_name=problem.display_name,
                    invoices=len(groups[problem_id]),
                    accuracy=accuracy_of(groups[problem_id]),
                )
                for problem_id, problem in problems.items()
                if problem is not None
            ],
        )
