import math

import pytest

from repaircore.pricing.aggregation import PLAUSIBLE, is_plausible
from repaircore.testing.builders import a_problem

BRAKES = a_problem(low=200_00, high=400_00)


@pytest.mark.parametrize("average", [200_00 / PLAUSIBLE, 300_00, 400_00 * PLAUSIBLE])
def test_figures_around_the_books_range_count(average: float) -> None:
    assert is_plausible(average, BRAKES)


@pytest.mark.parametrize(
    "average",
    [200_00 / PLAUSIBLE - 1, 400_00 * PLAUSIBLE + 1, 0, -300_00, math.nan, math.inf, -math.inf],
)
def test_figures_far_from_the_books_range_do_not_count(average: float) -> None:
    assert not is_plausible(average, BRAKES)


def test_less_than_a_cent_is_no_price() -> None:
    assert not is_plausible(0.5, a_problem(low=1, high=10))
