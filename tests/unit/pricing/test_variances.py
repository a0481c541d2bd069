import pytest

from repaircore.pricing.variances import Variances, variances_of

ONE = Variances(
    within=1.0,
    book=2.0,
    make=3.0,
    model=4.0,
    years=5.0,
    make_index=6.0,
    model_index=7.0,
    unit=8.0,
    center=9,
    root=10,
)


def test_variances_scale_with_the_square_of_the_spread_and_their_unit_with_the_spread() -> None:
    scaled = ONE.of_spread(3.0)

    assert scaled == Variances(
        within=9.0,
        book=18.0,
        make=27.0,
        model=36.0,
        years=45.0,
        make_index=54.0,
        model_index=63.0,
        unit=24.0,
        center=9,
        root=10,
    )


def test_variances_around_each_mean_are_those_of_all_finer_ones() -> None:
    assert (ONE.around_model, ONE.around_make, ONE.around, ONE.untaught) == (6.0, 10.0, 13.0, 14.0)


def test_scale_grows_with_the_doubt_about_an_estimate() -> None:
    assert ONE.scale(0.0) == 8.0
    assert ONE.scale(3.0) == 16.0
    assert ONE.normal == 1 / 8


@pytest.mark.parametrize("spread", [0.1, 0.3, 2.0])
def test_variances_before_any_invoice_add_up_to_the_spread_of_the_book(spread: float) -> None:
    found = variances_of(spread)

    assert found.untaught + found.within == pytest.approx(spread**2)
    assert found.within == pytest.approx(spread**2 * variances_of(1.0).within)
    assert found.normal == pytest.approx(1.0)
