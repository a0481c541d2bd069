from hypothesis import given
from hypothesis import strategies as st

from repaircore.predictions.model import BAND, band_middle, mileage_band


def test_bands_are_25_000_miles_wide_and_unknown_mileage_has_its_own() -> None:
    assert [mileage_band(m) for m in (None, 0, 24_999, 25_000, 99_999)] == [None, 0, 0, 1, 3]
    assert [band_middle(b) for b in (None, 0, 3)] == [None, 12_500, 87_500]


@given(st.integers(0, 2_000_000))
def test_middle_lies_in_its_band_and_at_most_half_a_band_away(miles: int) -> None:
    middle = band_middle(mileage_band(miles))

    assert middle is not None
    assert mileage_band(middle) == mileage_band(miles)
    assert abs(middle - miles) <= BAND / 2
