import pytest
from hypothesis import given
from hypothesis import strategies as st

from repaircore.valuation.upkeep import yearly_upkeep


@pytest.mark.parametrize(
    ("years", "spent"), [(0, 437_00), (5.9, 437_00), (6, 588_00), (20, 483_00), (26, 502_00), (40, 502_00)]
)
def test_yearly_upkeep_depends_on_the_age(years: float, spent: int) -> None:
    assert yearly_upkeep(years, parts_factor=1, price_level=1) == spent


@given(st.floats(0, 60), st.floats(0.5, 5), st.floats(0.5, 5), st.floats(1, 2))
def test_yearly_upkeep_never_falls_as_parts_and_prices_rise(
    years: float, parts: float, level: float, more: float
) -> None:
    now = yearly_upkeep(years, parts_factor=parts, price_level=level)

    assert now > 0
    assert yearly_upkeep(years, parts_factor=parts * more, price_level=level) >= now
    assert yearly_upkeep(years, parts_factor=parts, price_level=level * more) >= now
