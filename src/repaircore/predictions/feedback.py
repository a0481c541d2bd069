"""Rating predictions, and reading what others said of them."""

from typing import Final
from uuid import UUID

from attrs import frozen

from repaircore.kernel.callers import LOCAL, Caller, owner_of, visible_owner
from repaircore.kernel.errors import Invalid, NotFound
from repaircore.kernel.types import Clock
from repaircore.predictions.ports import OpenWork
from repaircore.predictions.ratings import NO_SUCH_SESSION, Feedback, Rating, Statistics, validate_comment

LISTED: Final = 500
"""So many submissions are listed, the newest; the counts are over all."""


@frozen(kw_only=True)
class Ratings:
    """The use cases of feedback. Whose a prediction is not, for them it does not exist."""

    transaction: OpenWork
    read: OpenWork
    clock: Clock

    def rate(
        self, session_id: UUID, rating: Rating, comment: str | None = None, caller: Caller = LOCAL
    ) -> Feedback:
        """Keep what a user thinks of a prediction; each submission is a record of its own.

        Raises:
            Invalid: on ``session_id`` that the caller may not see, and on ``comment``.
        """
        if validate_comment(comment):
            raise Invalid(self.validate(caller, session_id=session_id, comment=comment))
        with self.transaction() as work:
            rated = work.past_predictions.by_session(
                session_id, environment=caller.environment, owner_id=visible_owner(caller)
            )
            if rated is None:
                raise Invalid({"session_id": [NO_SUCH_SESSION]})
            return work.ratings.add(
                rated.id, user_id=owner_of(caller), rating=rating, comment=comment, at=self.clock()
            )

    def validate(self, caller: Caller = LOCAL, **fields: object) -> dict[str, list[str]]:
        """Name what is wrong with ``session_id`` and ``comment``; those that are not given are not judged."""
        told: dict[str, list[str]] = {}
        session_id, comment = fields.get("session_id"), fields.get("comment")
        if isinstance(session_id, UUID) and not self._sees(session_id, caller):
            told["session_id"] = [NO_SUCH_SESSION]
        if isinstance(comment, str) and validate_comment(comment):
            told["comment"] = validate_comment(comment)
        return told

    def statistics(self, session_id: UUID, caller: Caller = LOCAL) -> Statistics:
        """Tell what was said of a prediction.

        Raises:
            NotFound: there is none that the caller may see.
        """
        with self.read() as work:
            rated = work.past_predictions.by_session(
                session_id, environment=caller.environment, owner_id=visible_owner(caller)
            )
            if rated is None:
                raise NotFound("Prediction not found.")
            good, wrong = work.ratings.counts(rated.id)
            latest = work.ratings.latest(rated.id, limit=LISTED)
        return Statistics(session_id=session_id, good=good, wrong=wrong, latest=latest)

    def _sees(self, session_id: UUID, caller: Caller) -> bool:
        with self.read() as work:
            found = work.past_predictions.by_session(
                session_id, environment=caller.environment, owner_id=visible_owner(caller)
            )
        return found is not None
