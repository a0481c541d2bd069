"""Model answers: the error for an unusable one, and the plausibility check for prices."""

from repaircore.book.model import Problem
from repaircore.kernel.errors import Unavailable
from repaircore.kernel.money import Cents, round_half_up
from repaircore.pricing.aggregation import is_plausible


class ModelFailed(Unavailable):
    """A model's answer is unusable; end users may see the message."""


def plausible_price(average: float, problem: Problem) -> Cents:
    """Return a model's price in whole cents.

    Args:
        average: the model's figure, in cents.
        problem: the repair; its price range in the book bounds plausible figures.

    Raises:
        ModelFailed: the figure is not finite, not positive or far from the book's range.
    """
    if not is_plausible(average, problem):
        raise ModelFailed("implausible figure")
    return round_half_up(average)
