"""Accept a figure, or say why not."""

from repaircore.adapters.ai.failures import ModelFailed
from repaircore.book.model import Problem
from repaircore.kernel.money import Cents, round_half_up
from repaircore.pricing.aggregation import is_plausible


def accepted(average: float, problem: Problem) -> Cents:
    """Round a model's price to whole cents, when it counts.

    Args:
        average: what the model says, in cents.
        problem: the repair that was asked about; its range in the book says what is plausible.

    Raises:
        ModelFailed: the figure is not finite, not positive or far from the book's range.
    """
    if not is_plausible(average, problem):
        raise ModelFailed("implausible figure")
    return round_half_up(average)
