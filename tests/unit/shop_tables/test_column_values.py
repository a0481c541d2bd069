import pytest

from repaircore.shop_tables.amounts import NumberStyle
from repaircore.shop_tables.column_values import ColumnProfile
from repaircore.shop_tables.dates import DateOrder


def profile(*cells: str) -> ColumnProfile:
    made = ColumnProfile()
    for cell in cells:
        made.add(cell)
    return made


def test_mean_is_that_of_the_numbers_without_signs() -> None:
    found = profile("0", "0.00", "-$3.50", "(2.50)", "none", " ")

    assert found.mean == 1.5
    assert (found.filled, found.numeric, found.fractions) == (5, 0.8, 2)


def test_column_without_numbers_has_a_mean_of_zero() -> None:
    assert (profile("none").mean, profile().mean, profile().numeric) == (0.0, 0.0, 0.0)


def test_numbers_with_decimal_commas_count() -> None:
    found = profile("1.240,50", "759,50")

    assert (found.style, found.mean) == (NumberStyle.COMMA, 1000.0)


@pytest.mark.parametrize(
    ("cell", "counted"),
    [
        ("1HGCM82633A004352", {"vins", "checked_vins", "words"}),
        ("1hgcm82633a004353", {"vins", "words"}),
        ("2015", {"years"}),
        ("43215", {"zips", "serials"}),
        ("43215-1234", {"zips"}),
        ("432151234", set()),
        ("Honda", {"makes", "words", "letters"}),
        ("2015 Honda Accord", {"vehicles", "words", "letters"}),
        ("120,000 km", {"kilometers", "words", "letters"}),
        ("Labor", {"kinds", "words", "letters"}),
        ("12.5", {"fractions"}),
        ("#", set()),
    ],
)
def test_cell_is_counted_as_what_it_may_be(cell: str, counted: set[str]) -> None:
    found = profile(cell)
    counts = {name: value for name, value in vars(found).items() if isinstance(value, int) and value}
    del counts["filled"]

    assert set(counts) == counted


def test_order_of_dates_follows_from_the_cells() -> None:
    found = profile("25/12/2025", "03/04/2025", "x")

    assert found.order is DateOrder.DAY_FIRST
    assert found.dated == pytest.approx(2 / 3)
    assert found.variety == 1.0
