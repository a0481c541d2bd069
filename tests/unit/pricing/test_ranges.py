import math
from statistics import NormalDist

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repaircore.pricing.ranges import alpha_step, distribution
from repaircore.transactions.tally import BINS, NO_ERRORS, START_ALPHA, Tally, bin_of

TALLIES = st.lists(st.integers(0, 50), min_size=BINS, max_size=BINS).map(lambda counts: Tally(tuple(counts)))


def _tally(errors: list[float]) -> Tally:
    tally = NO_ERRORS
    for z in errors:
        tally = tally.plus(bin_of(z))
    return tally


def test_quantiles_without_errors_are_normal() -> None:
    low, middle, high = distribution(NO_ERRORS, NO_ERRORS).bounds(START_ALPHA)

    assert middle == 0
    assert round(high, 4) == 1.2816 == round(-low, 4)


@given(TALLIES, TALLIES, st.integers(2_000, 60_000))
def test_low_middle_and_high_stay_in_order(here: Tally, others: Tally, alpha: int) -> None:
    errors = distribution(here, Tally.merged([here, others]))
    low, middle, high = errors.bounds(alpha)

    assert low <= middle <= high
    assert low < high


@given(TALLIES, st.floats(0.001, 0.999))
def test_quantile_splits_the_errors_at_its_share(tally: Tally, p: float) -> None:
    errors = distribution(tally, tally)

    assert abs(errors.share_below(errors.quantile(p)) - p) < 1e-6


@given(TALLIES, st.integers(2_000, 50_000))
def test_smaller_alpha_never_narrows_the_range(tally: Tally, alpha: int) -> None:
    errors = distribution(tally, tally)
    wide, narrow = errors.bounds(alpha), errors.bounds(alpha + 5_000)

    assert wide[0] <= narrow[0]
    assert wide[2] >= narrow[2]


def test_many_errors_of_a_normal_shape_give_normal_quantiles() -> None:
    normal = NormalDist()
    tally = _tally([normal.inv_cdf((i + 0.5) / 3_000) for i in range(3_000)])
    low, middle, high = distribution(tally, tally).bounds(START_ALPHA)

    assert abs(low + 1.2816) < 0.02
    assert abs(middle) < 0.02
    assert abs(high - 1.2816) < 0.02


def test_few_errors_widen_the_range_beyond_many_of_the_same_shape() -> None:
    shape = [-1.5, -0.8, -0.3, 0.1, 0.5, 0.9, 1.4]
    few, many = _tally(shape), _tally(shape * 100)

    assert distribution(few, few).bounds(START_ALPHA)[2] > distribution(many, many).bounds(START_ALPHA)[2]


def test_problems_own_errors_outweigh_those_of_all() -> None:
    own, others = _tally([1.0] * 300), _tally([-1.0] * 2_000)

    assert distribution(own, Tally.merged([own, others])).quantile(0.5) > 0.8


def test_range_without_errors_is_as_wide_as_the_variances() -> None:
    wide, narrow = (
        distribution(NO_ERRORS, NO_ERRORS, normal=normal).bounds(START_ALPHA) for normal in (2, 1)
    )

    assert wide[2] == 2 * narrow[2]
    assert wide[0] == 2 * narrow[0]


def test_median_follows_the_shape_of_the_errors_and_not_their_bias() -> None:
    skewed = _tally([-0.15] * 600 + [1.5] * 60)

    assert -0.2 < distribution(skewed, skewed).bounds(START_ALPHA)[1] < -0.1
    stale = _tally([4.0] * 550 + [0.0] * 450)
    low, middle, high = distribution(stale, stale).bounds(START_ALPHA)

    assert low <= middle <= 0.3 < distribution(stale, stale).quantile(0.5) <= high


def test_narrower_range_raises_the_confidence_and_a_wider_one_lowers_it() -> None:
    tally = _tally([(i - 500) / 300 for i in range(1_000)])
    errors = distribution(tally, tally)

    def calibration(alpha: int) -> float:
        low, _, high = errors.bounds(alpha)
        return errors.calibration(low, high)

    assert calibration(START_ALPHA) == 1
    assert calibration(START_ALPHA + 10_000) < 1 < calibration(START_ALPHA - 10_000)


def test_share_within_a_quarter_grows_as_the_spread_shrinks() -> None:
    errors = distribution(NO_ERRORS, NO_ERRORS)

    assert errors.share_within(0.25, spread=0.1, middle=0) > 0.97
    assert errors.share_within(0.25, spread=0.5, middle=0) < 0.45


@given(st.lists(st.booleans(), max_size=400), st.data())
def test_alpha_depends_on_the_remaining_invoices_only(misses: list[bool], data: st.DataObject) -> None:
    alpha = START_ALPHA + sum(alpha_step(missed=missed) for missed in misses)
    gone = data.draw(st.lists(st.sampled_from(range(len(misses))), unique=True)) if misses else []
    alpha -= sum(alpha_step(missed=misses[one]) for one in gone)
    stayed = [missed for one, missed in enumerate(misses) if one not in gone]

    assert alpha == START_ALPHA + sum(alpha_step(missed=missed) for missed in stayed)


@given(TALLIES, st.integers(-(10**6), 10**6))
def test_range_leaves_out_2_to_60_percent_for_any_alpha(tally: Tally, alpha: int) -> None:
    errors = distribution(tally, tally)
    (widest, _, top), (low, middle, high) = errors.bounds(2_000), errors.bounds(alpha)
    narrow = errors.bounds(60_000)

    assert widest <= low <= narrow[0] <= middle <= narrow[2] <= high <= top


def test_invoice_set_aside_does_not_move_alpha() -> None:
    assert alpha_step(missed=True, aside=True) == 0


def test_one_gross_error_in_twenty_widens_no_range() -> None:
    normal = NormalDist()
    sound = [normal.inv_cdf((i + 0.5) / 1_900) for i in range(1_900)]
    clean, dirty = (
        distribution(tally, tally).bounds(START_ALPHA)
        for tally in (_tally(sound), _tally([*sound, *[7.0] * 100]))
    )

    assert dirty == pytest.approx(clean, abs=0.12)


@given(TALLIES, st.integers(2_000, 60_000))
def test_range_of_opposite_errors_is_the_opposite(tally: Tally, alpha: int) -> None:
    opposite = Tally(tally.counts[::-1])
    low, middle, high = distribution(tally, tally).bounds(alpha)

    assert distribution(opposite, opposite).bounds(alpha) == pytest.approx((-high, -middle, -low), abs=1e-6)


def test_errors_too_many_to_be_slips_count() -> None:
    normal = NormalDist()
    sound = [normal.inv_cdf((i + 0.5) / 1_000) for i in range(1_000)]
    tally = _tally([*sound, *[7.0] * 200])
    found = distribution(tally, tally)

    assert found.crowded
    assert found.bounds(START_ALPHA)[2] > 1.6
    assert not distribution(_tally(sound), _tally(sound)).crowded


def test_alpha_is_stable_when_one_of_five_is_missed() -> None:
    assert sum(alpha_step(missed=n % 5 == 0) for n in range(100)) == 0


def test_normal_errors_have_the_quantiles_and_shares_of_their_spread() -> None:
    wide = distribution(NO_ERRORS, NO_ERRORS, normal=2)

    assert [wide.quantile(p) for p in (0.1, 0.5, 0.9)] == pytest.approx([-2.563103, 0, 2.563103])
    assert wide.quantile(0.5) == 0
    assert wide.share_below(2) == pytest.approx(0.8413447)


@pytest.mark.parametrize(("z", "share"), [(-27.4, 0), (-27.2, 0), (27.2, 1), (27.4, 1)])
def test_all_errors_lie_between_the_outermost_edges(z: float, share: float) -> None:
    errors = distribution(_tally([0.0] * 50), _tally([0.0] * 50))

    assert errors.share_below(z) == pytest.approx(share, abs=1e-12)


def test_miss_and_hit_move_alpha_by_fixed_steps() -> None:
    assert (alpha_step(missed=True), alpha_step(missed=False)) == (-160, 40)


@pytest.mark.parametrize("normal", [0.8, 1.2])
@pytest.mark.parametrize("off", [0.1, -0.1, 0.3, -0.3, 0.5, -0.5, 0.9])
def test_middle_follows_the_median_up_to_a_limit_and_then_returns_to_zero(off: float, normal: float) -> None:
    errors = distribution(_tally([off] * 400), _tally([off] * 400), normal=normal)
    median = errors.quantile(0.5)
    limit = 0.3 * normal
    shrunk = abs(median) if abs(median) <= limit else max(0.0, 2 * limit - abs(median))

    assert errors.middle() == pytest.approx(math.copysign(shrunk, off) * errors.made / (errors.made + 100))
