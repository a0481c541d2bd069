"""Links to estimates. Nothing is stored: a link holds its estimate, and a seal that nobody else can make."""

from attrs import frozen

from repaircore.kernel.errors import NotFound
from repaircore.kernel.types import Clock, Lazy
from repaircore.predictions.model import Prediction
from repaircore.predictions.service import DOES_NOT_FIT
from repaircore.shared_estimates.model import SharedEstimate
from repaircore.shared_estimates.ports import EstimateSeal


@frozen(kw_only=True)
class SharedEstimates:
    """The use cases."""

    seal: Lazy[EstimateSeal]
    clock: Clock

    def share(self, prediction: Prediction) -> tuple[str, SharedEstimate]:
        """Return the token of a prediction that its owner looks at, and what it shows."""
        figures = prediction.figures
        estimate = SharedEstimate.of(
            figures,
            computed_at=prediction.computed_at,
            now=self.clock(),
            misfit=figures.fit.reason if figures.fit.outcome == DOES_NOT_FIT else None,
        )
        return self.seal().seal(estimate), estimate

    def get(self, token: str) -> SharedEstimate:
        """Return the estimate of a link.

        Raises:
            NotFound: the token was guessed or changed, or its time is over.
        """
        estimate = self.seal().open(token)
        if estimate is None or estimate.expires_at <= self.clock():
            raise NotFound("This link does not work. It may have ended, or part of it is missing.")
        return estimate
