"""Rating predictions, and reading their ratings."""

from typing import Final
from uuid import UUID

from attrs import frozen

from repaircore.kernel.callers import LOCAL, Caller, owner_of, visible_owner
from repaircore.kernel.errors import Invalid, NotFound
from repaircore.kernel.rules import FieldErrors, field_errors
from repaircore.kernel.types import Clock
from repaircore.predictions.model import PastPrediction
from repaircore.predictions.ports import OpenWork, PredictionsWork
from repaircore.predictions.ratings import NO_SUCH_SESSION, Feedback, Rating, Statistics, SubmitFeedback

LISTED: Final = 500
"""How many of the newest ratings are listed; the counts are over all."""


@frozen(kw_only=True)
class Ratings:
    """The use cases of feedback. To a caller, other users' predictions do not exist."""

    transaction: OpenWork
    read: OpenWork
    clock: Clock

    def rate(
        self, session_id: UUID, rating: Rating, comment: str | None = None, caller: Caller = LOCAL
    ) -> Feedback:
        """Save what a user thinks of a prediction; each submission is a record of its own.

        Raises:
            Invalid: on ``session_id`` that the caller may not see, and on ``comment``.
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
        """Return what is wrong with ``session_id``; when it is absent it is not checked."""
        session_id = fields.get("session_id")
        if not isinstance(session_id, UUID):
            return {}
        with self.read() as work:
            prediction = _find(work, session_id, caller)
        return {} if prediction is not None else {"session_id": [NO_SUCH_SESSION]}

    def statistics(self, session_id: UUID, caller: Caller = LOCAL) -> Statistics:
        """Return the ratings of a prediction.

        Raises:
            NotFound: there is none that the caller may see.
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
