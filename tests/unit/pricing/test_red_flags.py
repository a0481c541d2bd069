import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repaircore.pricing.red_flags import THRESHOLD, Evidence, Flag, distance, flag, threshold_of

AMOUNTS = st.integers(100, 10**7)
VARIANCES = st.floats(0, 1)
COUNTS = st.integers(0, 30)


def _flag(
    local: int, ai: int | None, *, local_variance: float = 0.005, invoices: int = 14, of_all: int = 14
) -> Flag:
    return flag(
        local,
        ai,
        local_variance=local_variance,
        ai_variance=0.015,
        evidence=Evidence(invoices=invoices, of_all=of_all),
    )


def test_flag_states_its_reason_in_figures() -> None:
    assert _flag(54_000, 82_000).reason == (
        "AI $820 against $540 from 14 local repairs (+52%); jobs like this normally vary by ±19%. "
        "Check the vehicle and the repair first; if both are right, compare an itemized quote."
    )


def test_usual_difference_raises_no_flag() -> None:
    assert not _flag(54_000, 66_000).raised
    assert _flag(54_000, 66_000).text.endswith("That is not a red flag.")


@given(AMOUNTS, AMOUNTS, VARIANCES, VARIANCES, st.integers(0, 50))
def test_flag_is_symmetric(one: int, other: int, v: float, w: float, n: int) -> None:
    evidence = Evidence(invoices=n, of_all=2 * n)
    there = flag(one, other, local_variance=v, ai_variance=w, evidence=evidence)
    back = flag(other, one, local_variance=v, ai_variance=w, evidence=evidence)

    assert there.raised == back.raised


@given(AMOUNTS, AMOUNTS, VARIANCES, st.integers(2, 50))
def test_flag_does_not_depend_on_a_common_factor(local: int, ai: int, v: float, factor: int) -> None:
    assert (
        _flag(local, ai, local_variance=v).raised
        == _flag(local * factor, ai * factor, local_variance=v).raised
    )


@given(
    st.tuples(AMOUNTS, AMOUNTS), VARIANCES, VARIANCES, st.tuples(COUNTS, COUNTS), st.tuples(COUNTS, COUNTS)
)
def test_weaker_history_never_turns_no_flag_into_a_flag(
    figures: tuple[int, int], v: float, more: float, invoices: tuple[int, int], of_all: tuple[int, int]
) -> None:
    strong = _flag(*figures, local_variance=v, invoices=max(invoices), of_all=max(of_all))
    weak = _flag(*figures, local_variance=v + more, invoices=min(invoices), of_all=min(of_all))

    assert strong.raised or not weak.raised


def test_ratio_within_a_quarter_is_never_flagged() -> None:
    result = flag(50_000, 62_500, local_variance=0, ai_variance=0, evidence=Evidence(invoices=99, of_all=99))

    assert not result.raised


def test_explanation_says_that_the_first_invoices_are_too_few() -> None:
    result = _flag(54_000, 200_000, invoices=2, of_all=19)

    assert not result.raised
    assert not result.compared
    assert "2 local invoices for this job and 19 in total" in result.text
    assert _flag(54_000, 200_000, invoices=3, of_all=3).raised


def test_repair_without_invoices_is_flagged_by_the_book_once_others_have_invoices() -> None:
    result = _flag(54_000, 200_000, invoices=0, of_all=20, local_variance=0.06)

    assert result.raised
    assert result.reason is not None
    assert result.reason.startswith("AI $2,000 against $540 from the repair book (+270%)")
    assert result.reason.endswith("get an itemized quote before relying on either figure.")
    assert not _flag(54_000, 82_000, invoices=0, of_all=20, local_variance=0.06).raised
    one = _flag(54_000, 200_000, invoices=1, of_all=200)

    assert "from 1 local repair and the repair book (" in one.text


def test_no_models_give_no_flag() -> None:
    assert not _flag(54_000, None).raised


def test_threshold_is_exceeded_by_about_one_in_twenty_past_differences() -> None:
    assert threshold_of([]) == THRESHOLD
    past = [n / 100 for n in range(300)]

    assert THRESHOLD < threshold_of(past) < 2.86
    assert sum(one > threshold_of(past * 20) for one in past) in range(10, 16)


@pytest.mark.parametrize(
    ("count", "place"),
    [(1, 1), (2, 2), (24, 24), (25, 25), (48, 48), (49, 48), (50, 49), (74, 72), (100, 97)],
)
def test_threshold_is_a_past_difference_weighed_against_sixty_times_the_default(
    count: int, place: int
) -> None:
    past = [float(number) for number in range(count, 0, -1)]

    assert threshold_of(past) == pytest.approx((count * place + 60 * THRESHOLD) / (count + 60))


@given(st.lists(st.floats(0, 5), max_size=300), st.floats(0, 5))
def test_threshold_lies_between_past_differences_and_the_default(past: list[float], more: float) -> None:
    found = threshold_of([*past, more])

    assert min(THRESHOLD, *past, more) - 1e-9 <= found <= max(THRESHOLD, *past, more) + 1e-9


@pytest.mark.parametrize(
    ("invoices", "of_all", "is_enough", "words"),
    [
        (0, 0, False, "the repair book"),
        (0, 19, False, "the repair book"),
        (0, 20, True, "the repair book"),
        (1, 20, True, "1 local repair and the repair book"),
        (2, 19, False, "2 local repairs and the repair book"),
        (3, 3, True, "3 local repairs"),
        (1_234, 2_000, True, "1,234 local repairs"),
    ],
)
def test_models_may_be_doubted_after_three_invoices_of_a_repair_or_twenty_in_all(
    *, invoices: int, of_all: int, is_enough: bool, words: str
) -> None:
    evidence = Evidence(invoices=invoices, of_all=of_all)

    assert evidence.is_enough is is_enough
    assert evidence.words == words
    assert ("compare an itemized" in evidence.next_step) is (invoices >= 3)


def test_amounts_below_a_hundred_dollars_have_cents() -> None:
    assert "AI $99.99 against $100 from" in _flag(100_00, 99_99).text


@pytest.mark.parametrize(
    ("ai", "is_raised"), [(625_00, False), (625_01, True), (400_00, False), (399_99, True)]
)
def test_flag_needs_a_factor_above_one_and_a_quarter(*, ai: int, is_raised: bool) -> None:
    found = flag(
        500_00, ai, local_variance=0, ai_variance=0, evidence=Evidence(invoices=3, of_all=3), threshold=1.0
    )

    assert (found.raised, found.compared) == (is_raised, True)


def test_figure_at_the_threshold_is_not_flagged() -> None:
    apart = distance(500_00, 700_00, local_variance=0.02, ai_variance=0.03)
    found = [
        flag(
            500_00,
            700_00,
            local_variance=0.02,
            ai_variance=0.03,
            evidence=Evidence(invoices=3, of_all=3),
            threshold=threshold,
        ).raised
        for threshold in (apart, math.nextafter(apart, 0))
    ]

    assert apart == pytest.approx(math.log(1.4) / math.sqrt(0.06))
    assert found == [False, True]


def test_figure_without_enough_to_compare_says_so() -> None:
    assert not _flag(540_00, None).compared
    assert not _flag(540_00, 900_00, invoices=0, of_all=19).compared
    assert _flag(540_00, 540_00).compared
