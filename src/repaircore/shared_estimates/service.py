"""Share estimates through unguessable links, which expire or are ended by their owners."""

from collections.abc import Sequence
from uuid import UUID

from attrs import frozen

from repaircore.kernel.callers import LOCAL, Caller, owner_of
from repaircore.kernel.errors import NotFound
from repaircore.kernel.link_tokens import SEED_BYTES, LinkTokens, may_be_token
from repaircore.kernel.types import Clock, Lazy, RandomBytes
from repaircore.predictions.model import Prediction
from repaircore.predictions.service import DOES_NOT_FIT
from repaircore.shared_estimates.model import LIFETIME, EstimateLink, OwnLink, SharedEstimate
from repaircore.shared_estimates.ports import OpenWork


@frozen(kw_only=True)
class SharedEstimates:
    """Use cases for shared estimates."""

    transaction: OpenWork
    read: OpenWork
    tokens: Lazy[LinkTokens]
    random: RandomBytes
    clock: Clock

    def share(self, prediction: Prediction, caller: Caller = LOCAL) -> OwnLink:
        """Return the link to one of the caller's predictions; sharing it again returns the same link until that ends.

        The shared estimate is stored with the link, so it does not change or disappear with the prediction.
        """
        figures, now, seed = prediction.figures, self.clock(), self.random(SEED_BYTES)
        tokens = self.tokens()
        link = EstimateLink(
            session_id=prediction.session_id,
            environment=caller.environment,
            owner_id=owner_of(caller),
            token_hash=tokens.hash_of(tokens.token_of(seed)),
            seed=seed,
            estimate=SharedEstimate.of(
                figures,
                computed_at=prediction.computed_at,
                misfit=figures.fit.reason if figures.fit.outcome == DOES_NOT_FIT else None,
            ),
            created_at=now,
            expires_at=now + LIFETIME,
        )
        with self.transaction() as work:
            return self._own(work.estimate_links.add(link, now))

    def find(self, session_id: UUID, caller: Caller = LOCAL) -> OwnLink | None:
        """Return the caller's link to a prediction, or None if there is none or it has ended."""
        with self.read() as work:
            link = work.estimate_links.find(session_id, owner_of(caller), self.clock())
        return None if link is None else self._own(link)

    def list_for(self, caller: Caller = LOCAL) -> Sequence[OwnLink]:
        """List the caller's links that still work, newest first."""
        with self.read() as work:
            links = work.estimate_links.list_for(owner_of(caller), caller.environment, self.clock())
        return [self._own(link) for link in links]

    def stop(self, session_id: UUID, caller: Caller = LOCAL) -> bool:
        """End the caller's link to a prediction, and return whether there was one; sharing again creates a new link."""
        with self.transaction() as work:
            return work.estimate_links.delete(session_id, owner_of(caller))

    def get(self, token: str) -> EstimateLink:
        """Return the link with this token.

        Raises:
            NotFound: no link has this token, or it has ended.
        """
        link = None
        if may_be_token(token):
            with self.read() as work:
                link = work.estimate_links.find_by_token(self.tokens().hash_of(token), self.clock())
        if link is None:
            raise NotFound(
                "This link does not work. It may have expired or been deleted, or part of it may be missing."
            )
        return link

    def prune(self) -> int:
        """Delete the expired links, and return how many there were."""
        with self.transaction() as work:
            return work.estimate_links.prune(self.clock())

    def _own(self, link: EstimateLink) -> OwnLink:
        return OwnLink(
            token=self.tokens().token_of(link.seed),
            session_id=link.session_id,
            estimate=link.estimate,
            created_at=link.created_at,
            expires_at=link.expires_at,
        )
