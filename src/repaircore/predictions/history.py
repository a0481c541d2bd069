"""Past predictions: listed, and linked to a customer's e-mail."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from attrs import frozen

from repaircore.kernel.callers import LOCAL, Caller, Credential, owner_of, visible_owner
from repaircore.kernel.emails import email_errors, fold_email
from repaircore.kernel.errors import Forbidden, Invalid, NotFound
from repaircore.kernel.paging import PER_PAGE, Page, require_page
from repaircore.kernel.types import Clock
from repaircore.predictions.model import (
    RED_FLAGS_LISTED,
    HistoryEntry,
    MemorySource,
    PastPredictionDetail,
    PastPredictionRecord,
    Prediction,
)
from repaircore.predictions.ports import OpenWork, PredictionsWork
from repaircore.predictions.ratings import NO_SUCH_SESSION
from repaircore.vehicles.vin import has_wrong_check_digit


@frozen(kw_only=True)
class PastPredictions:
    """The use cases of the history: users see their own, admins everybody's, each in its environment."""

    transaction: OpenWork
    read: OpenWork
    clock: Clock

    def page(
        self, *, number: int = 1, per_page: int = PER_PAGE, caller: Caller = LOCAL
    ) -> Page[HistoryEntry]:
        """List predictions, newest first; a page beyond the last is empty.

        Raises:
            Forbidden: the credential is a publishable key, which anybody may have found in a web page.
            Invalid: on ``page`` below 1, and on ``per_page`` that is not within 1 and 100.
        """
        _require_secret(caller)
        require_page(number, per_page)
        with self.read() as work:
            return work.past_predictions.page(
                environment=caller.environment,
                owner_id=visible_owner(caller),
                number=number,
                per_page=per_page,
            )

    def red_flags(self, caller: Caller = LOCAL) -> Sequence[HistoryEntry]:
        """List the newest 50 predictions with a red flag, newest first.

        Raises:
            Forbidden: the credential is a publishable key.
        """
        _require_secret(caller)
        with self.read() as work:
            return work.past_predictions.red_flags(
                environment=caller.environment, owner_id=visible_owner(caller), limit=RED_FLAGS_LISTED
            )

    def show(self, session_id: UUID, caller: Caller = LOCAL) -> PastPredictionDetail:
        """Give a prediction again, under the price adjustment in force now; nothing is computed for it.

        Raises:
            Forbidden: the credential is a publishable key.
            NotFound: there is none that the caller may see.
        """
        _require_secret(caller)
        with self.read() as work:
            asked = work.past_predictions.asked(
                session_id, environment=caller.environment, owner_id=visible_owner(caller)
            )
            percent = work.adjustment.get()
        if asked is None:
            raise NotFound("Prediction not found.")
        return PastPredictionDetail(asked=asked, prediction=_told_again(asked, percent, now=self.clock()))

    def link_email(self, session_id: UUID, email: str, caller: Caller = LOCAL) -> str:
        """Link one of the caller's own predictions to an e-mail, in the place of an earlier one; give it folded.

        Raises:
            Invalid: on ``session_id`` that is not the caller's own, and on ``email``.
        """
        told = email_errors(email)
        with self.transaction() as work:
            if not _owns(work, session_id, caller):
                told = {"session_id": [NO_SUCH_SESSION], **told}
            if told:
                raise Invalid(told)
            folded = fold_email(email)
            work.past_predictions.link_email(session_id, folded)
        return folded

    def validate_link(self, caller: Caller = LOCAL, **fields: object) -> dict[str, list[str]]:
        """Name what is wrong with ``session_id`` and ``email``; those that are not given are not judged."""
        session_id, email = fields.get("session_id"), fields.get("email")
        told = email_errors(email) if isinstance(email, str) else {}
        if isinstance(session_id, UUID):
            with self.read() as work:
                owned = _owns(work, session_id, caller)
            if not owned:
                told["session_id"] = [NO_SUCH_SESSION]
        return told


def _owns(work: PredictionsWork, session_id: UUID, caller: Caller) -> bool:
    own = work.past_predictions.by_session(
        session_id, environment=caller.environment, owner_id=owner_of(caller)
    )
    return own is not None


def _told_again(asked: PastPredictionRecord, percent: float, *, now: datetime) -> Prediction | None:
    answer = asked.answer
    if answer is None or answer.expires_at <= now:
        return None
    doubtful = asked.vin is not None and has_wrong_check_digit(asked.vin)
    return Prediction(
        session_id=asked.entry.session_id,
        source=MemorySource.CACHED,
        computed_at=answer.computed_at,
        expires_at=answer.expires_at,
        now=now,
        figures=answer.figures.adjusted(percent),
        warnings=(("vin_check_digit",) if doubtful else ()) + answer.figures.warnings,
    )


def _require_secret(caller: Caller) -> None:
    if caller.credential is Credential.PUBLISHABLE:
        raise Forbidden
