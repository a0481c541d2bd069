from hypothesis import given
from hypothesis import strategies as st

from repaircore.transactions.car_numbers import car_of

VINS = st.text("ABCDEFGHJKLMNPRSTUVWXYZ0123456789", min_size=17, max_size=17)


def test_car_has_the_same_number_everywhere() -> None:
    assert car_of("1HGCM82633A004352") == 8844795750259442509


def test_partial_vin_identifies_no_car() -> None:
    assert car_of(None) is None
    assert car_of("1HGCM82633A") is None


@given(VINS, VINS)
def test_different_vins_have_different_numbers(one: str, other: str) -> None:
    assert (car_of(one) == car_of(other)) == (one == other)


@given(VINS)
def test_number_fits_a_64_bit_integer(vin: str) -> None:
    number = car_of(vin)

    assert number is not None
    assert 0 <= number < 2**63
