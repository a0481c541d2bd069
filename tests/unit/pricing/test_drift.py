"""Drift of prices and rates since the invoices of a history."""

import math
import random
from collections.abc import Callable, Iterable
from functools import reduce

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repaircore.pricing.drift import drift, rate_drift
from repaircore.transactions.evidence import Cell, Grain, grains

MONTHS = [f"{2020 + number // 12}-{number % 12 + 1:02}" for number in range(72)]


def cell(mean: float, count: int) -> Cell:
    y = grains(mean)
    return Cell(count, count * y, count * y * y)


def residuals(found: Iterable[Grain]) -> Cell:
    return reduce(Cell.plus, found, Cell())


def months_with_trend(mean_of: Callable[[int], float], *, each: int) -> list[tuple[str, Cell]]:
    return [(month, cell(mean_of(number), each)) for number, month in enumerate(MONTHS)]


def test_no_invoices_give_no_drift() -> None:
    assert drift([]) == rate_drift([]) == 0


@pytest.mark.parametrize("yearly", [-0.03, 0.02])
def test_steady_trend_is_followed_to_its_end(yearly: float) -> None:
    found = drift(months_with_trend(lambda number: yearly * number / 12, each=30))

    assert found == pytest.approx(yearly * 71 / 12, abs=0.01)


def test_few_invoices_give_only_a_part_of_the_trend() -> None:
    found = drift(months_with_trend(lambda number: 0.02 * number / 12, each=3))

    assert 0.05 < found < 0.02 * 71 / 12


def test_many_invoices_follow_a_step_in_the_last_half_year() -> None:
    found = drift(months_with_trend(lambda number: 0.12 * (number >= 66), each=300))

    assert found == pytest.approx(0.12, abs=0.01)


def test_first_invoices_set_the_level_of_the_book_and_no_drift() -> None:
    assert drift([("2026-01", cell(0.4, 20))]) == 0
    assert drift([("2026-02", cell(0.0, 40)), ("2026-01", cell(0.4, 20))]) == 0


def test_rates_vary_less_and_need_fewer_invoices() -> None:
    months = months_with_trend(lambda _: 0.05, each=2)

    assert drift(months) < rate_drift(months) < 0.05 + 1e-9


def test_trend_is_found_through_the_noise() -> None:
    dice = random.Random(7)  # noqa: S311 - a simulation
    off = []
    for _ in range(60):
        months = [
            (month, residuals(grains(0.02 * number / 12 + dice.gauss(0, 0.25)) for _ in range(8)))
            for number, month in enumerate(MONTHS)
        ]
        off.append(drift(months) - 0.02 * 71 / 12)

    assert abs(sum(off) / len(off)) < 0.03
    assert math.sqrt(sum(one * one for one in off) / len(off)) < 0.05


@given(
    st.dictionaries(
        st.sampled_from(MONTHS), st.builds(cell, st.floats(-1, 1), st.integers(0, 500)), max_size=20
    ),
    st.randoms(),
)
def test_drift_is_bounded_and_does_not_depend_on_the_order_of_months(
    found: dict[str, Cell], dice: random.Random
) -> None:
    months = list(found.items())
    shuffled = dice.sample(months, len(months))

    assert drift(months) == pytest.approx(drift(shuffled), abs=1e-12)
    assert -0.5 <= drift(months) <= 0.5
    empty = [*months, ("2019-12", Cell())]

    assert drift(empty) == pytest.approx(drift(months), abs=1e-12)


@given(st.floats(-0.4, 0.4), st.floats(0, 0.3), st.integers(1, 300))
def test_higher_invoices_in_the_latest_month_never_lower_the_drift(
    mean: float, more: float, count: int
) -> None:
    before = [(month, cell(mean, 20)) for month in MONTHS[:-1]]
    one, other = (drift([(MONTHS[-1], cell(mean + extra, count)), *before]) for extra in (0, more))

    assert other >= one - 1e-9


HISTORY = [
    ("2025-01", cell(0.05, 12)),
    ("2025-03", cell(-0.02, 9)),
    ("2024-11", cell(0.3, 19)),
    ("2025-04", Cell()),
    ("2025-06", cell(0.04, 14)),
    ("2025-09", cell(0.08, 30)),
    ("2025-12", cell(0.12, 11)),
    ("2026-01", cell(0.2, 8)),
    ("2026-02", cell(0.15, 5)),
    ("2026-03", cell(0.1, 3)),
]
"""The first two months have fewer than twenty invoices before them, and one month has none."""


@pytest.mark.parametrize(
    ("months", "of_prices", "of_rates"),
    [
        (HISTORY, 0.084855319139, 0.101444527696),
        (HISTORY[::-1], 0.084855319139, 0.101444527696),
        (HISTORY[:3], -0.007537387836, -0.013846153846),
    ],
)
def test_drift_of_a_short_history_is_the_recorded_one(
    months: list[tuple[str, Cell]], of_prices: float, of_rates: float
) -> None:
    assert drift(months) == pytest.approx(of_prices)
    assert rate_drift(months) == pytest.approx(of_rates)


@pytest.mark.parametrize(
    ("first", "count", "mean", "expected"),
    [(19, 1, 0.2, 0.0), (20, 1, 0.2, 0.0114630468), (20, 90_000, 2.0, 0.5), (20, 90_000, -2.0, -0.5)],
)
def test_drift_counts_after_twenty_invoices_and_up_to_a_half(
    first: int, count: int, mean: float, expected: float
) -> None:
    found = drift([("2025-01", cell(0.2, first)), ("2025-02", cell(mean, count))])

    assert found == pytest.approx(expected)
