import math
import random

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from repaircore.pricing.places import NO_CELLS, PlaceCells, PlacePrices, place_evidence, place_levels
from repaircore.pricing.price_index import DayLevels
from repaircore.transactions.evidence import NOTHING, NOWHERE, UNPLACED, Cell, Place, grains
from repaircore.transactions.levels import Level

SHOP = Place(state="NV", area="895", shop=7)
NATIONAL = 14_400
OFFSETS = st.floats(-0.5, 0.5)
COUNTS = st.integers(1, 3_000)


def cell(mean: float, count: int) -> Cell:
    y = grains(mean)
    return Cell(count, count * y, count * y * y)


def test_no_invoices_give_the_rate_of_the_table() -> None:
    levels = place_levels(NO_CELLS, table=0.1)

    assert (levels.rate, levels.parts, levels.hours) == (0.1, 0.0, 0.0)


def test_entered_rate_overrides_invoices_to_the_cent() -> None:
    cells = PlaceCells(rate_shop=cell(0.4, 500), rate_state=cell(0.4, 500))
    entered = math.log(18_000 / (NATIONAL * 1.07))
    levels = place_levels(cells, table=0.0, entered=entered)

    assert (
        PlacePrices(place=SHOP, levels=levels).market(NATIONAL, DayLevels(prices=1.2, wages=1.07)).rate
        == 18_000
    )


@given(OFFSETS, OFFSETS, COUNTS)
def test_rate_lies_between_the_table_and_the_invoices(table: float, mean: float, count: int) -> None:
    found = cell(mean, count)
    off = cell(mean - table, count)
    cells = PlaceCells(rate_country=off, rate_state=off, rate_area=found, rate_shop=found)
    rate = place_levels(cells, table=table).rate

    assert min(table, mean) - 1e-4 <= rate <= max(table, mean) + 1e-4


@given(st.floats(-0.3, 0.3), OFFSETS)
def test_one_invoice_moves_a_rate_less_the_further_away_it_is(off: float, table: float) -> None:
    one, here = cell(off, 1), cell(table + off, 1)
    moved = [
        place_levels(found, table=table).rate - table
        for found in (
            PlaceCells(rate_country=one, rate_state=one, rate_area=here, rate_shop=here),
            PlaceCells(rate_country=one, rate_state=one, rate_area=here),
            PlaceCells(rate_country=one, rate_state=one),
            PlaceCells(rate_country=one),
        )
    ]

    for (share, most), nearer in zip(
        zip(moved, (0.60, 0.30, 0.23, 0.12), strict=True), (off, *moved), strict=False
    ):
        assert abs(share) <= min(most * abs(off), abs(nearer)) + 1e-4
        assert share * off >= -1e-9


@given(OFFSETS, OFFSETS, COUNTS)
def test_invoices_at_the_rate_of_the_table_move_no_rate_of_their_state(
    table: float, other: float, count: int
) -> None:
    as_expected = cell(0.0, count)
    elsewhere = PlaceCells(rate_country=as_expected, rate_state=as_expected)

    assert math.isclose(place_levels(elsewhere, table=other).rate, other, abs_tol=1e-9)
    there = evolve(elsewhere, rate_area=cell(table, count), rate_shop=cell(table, count))

    assert math.isclose(place_levels(there, table=table).rate, table, abs_tol=1e-4)


def test_rate_learned_for_a_place_does_not_move_the_repair() -> None:
    unknown = PlacePrices(place=SHOP, levels=place_levels(NO_CELLS, table=0.0))
    known = PlacePrices(place=SHOP, levels=place_levels(PlaceCells(rate_shop=cell(0.0, 2_000)), table=0.0))
    market = unknown.market(NATIONAL, DayLevels(prices=1.0, wages=1.0))

    assert NATIONAL * 1.1 < unknown.standardizing_rate(market, 18_000, 1.0) < 18_000
    assert math.isclose(known.standardizing_rate(market, 18_000, 1.0), NATIONAL, rel_tol=0.001)
    assert unknown.standardizing_rate(market, 5_000, 0.05) == NATIONAL


def test_rate_of_a_state_counts_invoices_not_shops() -> None:
    few, many = (place_levels(PlaceCells(rate_shop=cell(0.3, n)), table=0.0).rate for n in (2, 40))

    assert few < 0.25
    assert 0.28 < many < 0.3


@given(OFFSETS, OFFSETS, COUNTS)
def test_more_expensive_shop_never_has_a_lower_level(one: float, other: float, count: int) -> None:
    low, high = (
        place_levels(PlaceCells(parts_shop=cell(x, count)), table=0.0).parts for x in sorted((one, other))
    )

    assert low <= high + 1e-12


def test_average_shop_has_no_level_and_an_expensive_one_does() -> None:
    usual = place_levels(PlaceCells(parts_shop=cell(0.05, 20)), table=0.0).parts
    dear = place_levels(PlaceCells(parts_shop=cell(0.27, 20)), table=0.0).parts
    sure = place_levels(PlaceCells(parts_shop=cell(0.27, 100)), table=0.0).parts

    assert 0 <= usual < 0.02
    assert 0.2 < dear < 0.27
    assert 0.26 < sure < 0.27


def test_shop_that_is_30_percent_above_is_learned_from_twenty_invoices() -> None:
    dice = random.Random(5)  # noqa: S311 - a simulation
    off = []
    for _ in range(200):
        residuals = [math.log(1.3) + dice.gauss(0, 0.25) for _ in range(20)]
        found = Cell()
        for residual in residuals:
            found = found.plus(grains(residual))
        off.append(place_levels(PlaceCells(parts_shop=found), table=0.0).parts - math.log(1.3))

    assert abs(sum(off) / len(off)) < 0.05


@given(st.floats(-0.15, 0.15), st.integers(0, 150))
def test_common_deviation_of_all_invoices_is_no_level_of_a_place(off: float, dear: int) -> None:
    others, shop = cell(off, 2_000), cell(off + math.log(1.3), dear)
    usual = cell(off, 100)
    like_others = place_levels(
        PlaceCells(parts_country=others.joined(shop), parts_state=usual, parts_shop=usual), table=0.0
    )

    assert abs(like_others.parts) < 0.02
    if dear >= 20:
        cells = PlaceCells(
            parts_country=others.joined(shop), parts_state=others.joined(shop), parts_shop=shop
        )

        assert abs(place_levels(cells, table=0.0).parts - math.log(1.3)) < 0.04


def test_deviation_of_the_only_shop_is_its_level() -> None:
    shop = cell(0.27, 100)
    alone = PlaceCells(parts_country=shop, parts_state=shop, parts_shop=shop)

    assert place_levels(alone, table=0.0).parts > 0.26


def test_invoice_without_a_place_teaches_from_its_own_rate() -> None:
    nowhere = PlacePrices(place=NOWHERE, levels=place_levels(NO_CELLS, table=0.0))

    assert nowhere.of_invoice(18_000, NATIONAL).levels.rate > 0.1
    known = PlacePrices(place=SHOP, levels=nowhere.levels)

    assert known.of_invoice(18_000, NATIONAL) == known


@pytest.mark.parametrize(
    ("labor_rate", "own"),
    [
        (999, 0.2),
        (1_000, -0.3),
        (18_000, math.log(18_000 / NATIONAL)),
        (100_000, 0.7),
        (100_001, 0.2),
    ],
)
def test_invoice_without_a_place_moves_the_rate_toward_its_own_by_a_plausible_amount(
    labor_rate: int, own: float
) -> None:
    levels = evolve(place_levels(NO_CELLS, table=0.0), rate=0.2)
    appraised = PlacePrices(place=NOWHERE, levels=levels).of_invoice(labor_rate, NATIONAL)

    assert math.isclose(appraised.levels.rate, 0.4 * 0.2 + 0.6 * own)


def test_rates_of_unknown_places_count_slowly_but_fully() -> None:
    one, some, many = (
        place_levels(PlaceCells(rate_unplaced=cell(0.3, n)), table=0.1).rate - 0.1 for n in (1, 200, 20_000)
    )

    assert 0 < one < 0.002
    assert abs(some - 0.15) < 0.001
    assert many > 0.29


def test_invoice_without_a_place_is_compared_with_no_table() -> None:
    nowhere = PlacePrices(place=NOWHERE, levels=place_levels(NO_CELLS, table=0.0))
    market = nowhere.market(NATIONAL, DayLevels(prices=1.0, wages=1.0))
    found = place_evidence(nowhere, market, labor_total=18_000, labor_hours=1.0, parts=None, hours=None)

    assert (found.rate_off_table, found.rate_drift) == (None, None)
    assert list(found.rates()) == [(Level.COUNTRY, UNPLACED, found.rate)]


def test_mistyped_rate_is_clipped_and_a_flat_fee_does_not_count() -> None:
    prices = PlacePrices(place=SHOP, levels=place_levels(NO_CELLS, table=0.0))
    market = prices.market(NATIONAL, DayLevels(prices=1.0, wages=1.0))

    def found(labor_total: int, hours: float) -> int | None:
        return place_evidence(
            prices, market, labor_total=labor_total, labor_hours=hours, parts=None, hours=None
        ).rate

    assert found(90_000, 1.0) == grains(0.5)
    assert found(90_000, 0.05) is None
    assert found(900, 1.0) is None
    assert NO_CELLS.rate_shop == NOTHING


KNOWN = PlaceCells(
    rate_country=cell(0.02, 90),
    rate_unplaced=cell(-0.05, 40),
    rate_state=cell(0.06, 30),
    rate_area=cell(0.15, 12),
    rate_shop=cell(0.2, 5),
    parts_country=cell(0.03, 200),
    parts_state=cell(0.05, 60),
    parts_shop=cell(0.2, 12),
    hours_country=cell(-0.02, 180),
    hours_state=cell(0.01, 50),
    hours_shop=cell(-0.15, 9),
    taken_country=cell(0.04, 10),
    taken_state=cell(0.18, 6),
    rate_drift=0.02,
)
LEVELS = place_levels(KNOWN, table=0.1)
MARKET = PlacePrices(place=SHOP, levels=LEVELS).market(NATIONAL, DayLevels(prices=1.2, wages=1.05))


def test_levels_of_a_place_with_all_cells_are_the_recorded_ones() -> None:
    assert (LEVELS.rate, LEVELS.learned, LEVELS.drift, LEVELS.table) == pytest.approx(
        (0.2104742, 0.1904742, 0.02, 0.1)
    )
    assert (LEVELS.parts, LEVELS.hours, LEVELS.credibility) == pytest.approx(
        (0.04098277, -0.02081794, 0.1383280)
    )
    entered = place_levels(KNOWN, table=0.1, entered=0.3)

    assert entered == evolve(LEVELS, rate=0.3, credibility=0.0)
    assert (MARKET.rate, MARKET.national_rate) == (18_662, NATIONAL)
    assert (MARKET.price_level, MARKET.wage_level) == (1.2, 1.05)
    assert (MARKET.parts_level, MARKET.hours_level) == pytest.approx((1.041834, 0.9793973))


@pytest.mark.parametrize(
    ("labor_total", "hours", "standardizing", "rates"),
    [
        (180_00, 1.0, 18_568.9957, (15_435, 5_435, -1_612)),
        (18_00, 0.1, 18_568.9957, (15_435, 5_435, -1_612)),
        (17_00, 0.099, 18_662, (None, None, None)),
        (9_99, 1.0, 18_662, (None, None, None)),
        (10_00, 1.0, 17_414.8860, (-30_953, -40_953, -15_000)),
        (1_000_00, 1.0, 19_998.4222, (69_047, 59_047, 15_000)),
        (1_000_01, 1.0, 18_662, (None, None, None)),
    ],
)
def test_rate_of_an_invoice_counts_from_ten_to_a_thousand_dollars_and_from_a_tenth_of_an_hour(
    labor_total: int, hours: float, standardizing: float, rates: tuple[int | None, ...]
) -> None:
    prices = PlacePrices(place=SHOP, levels=LEVELS)
    found = place_evidence(prices, MARKET, labor_total=labor_total, labor_hours=hours, parts=None, hours=None)

    assert prices.standardizing_rate(MARKET, labor_total, hours) == pytest.approx(standardizing, abs=1e-3)
    assert (found.rate, found.rate_off_table, found.rate_drift) == rates


@pytest.mark.parametrize(
    ("parts", "hours", "expected"),
    [(None, None, (None, None)), (0.3, -0.2, (30_000, -20_000)), (2.0, -2.0, (79_098, -77_082)), (-2.0, 2.0, (-70_902, 72_918)), (0.0, 0.0, (0, 0))],
)  # fmt: skip
def test_deviations_of_parts_and_hours_are_clipped_around_the_levels_of_the_place(
    parts: float | None, hours: float | None, expected: tuple[int | None, int | None]
) -> None:
    found = place_evidence(
        PlacePrices(place=SHOP, levels=LEVELS),
        MARKET,
        labor_total=180_00,
        labor_hours=1.0,
        parts=parts,
        hours=hours,
    )

    assert (found.parts, found.hours) == expected


def test_invoice_without_a_place_is_standardized_by_the_rate_of_the_market() -> None:
    assert PlacePrices(place=NOWHERE, levels=LEVELS).standardizing_rate(MARKET, 180_00, 1.0) == MARKET.rate


def test_rate_of_a_place_is_at_least_a_cent() -> None:
    levels = evolve(LEVELS, rate=-20.0)

    assert PlacePrices(place=SHOP, levels=levels).market(NATIONAL, DayLevels(prices=1, wages=1)).rate == 1


def test_shop_cells_of_another_area_leave_no_fewer_than_no_invoices() -> None:
    # The nearest shops may lie in the next area, whose cell has fewer invoices than they.
    here = PlaceCells(rate_area=cell(0.3, 2), rate_shop=cell(0.1, 5))

    assert (
        place_levels(here, table=0.0).rate
        == place_levels(evolve(here, rate_area=cell(0.9, 5)), table=0.0).rate
    )
