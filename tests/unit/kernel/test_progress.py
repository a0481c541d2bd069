"""Overall progress over phases that are not known in advance."""

from hypothesis import given
from hypothesis import strategies as st

from repaircore.kernel.progress import OverallProgress

PHASES = st.sampled_from(["reading", "matching", "checking", "learning"])
REPORTS = st.lists(st.tuples(PHASES, st.integers(0, 100), st.none() | st.integers(0, 100)), max_size=30)


def test_phases_advance_one_after_another() -> None:
    overall = OverallProgress({"reading": 0.5})

    assert overall.advance("reading", 0, 10) == 0
    assert overall.advance("reading", 5, 10) == 0.25
    assert overall.advance("saving", 0, 4) == 0.5  # the unreported rest of the first phase counts as done
    assert overall.advance("saving", 2, 4) == 0.75
    assert overall.advance("saving", 4, 4) == 1


def test_unknown_total_stays_at_the_start_of_its_phase() -> None:
    overall = OverallProgress({"reading": 0.5})
    overall.advance("reading", 10, 10)

    assert overall.advance("saving", 7, None) == 0.5


@given(REPORTS)
def test_progress_never_goes_back_and_stays_within_0_and_1(
    reports: list[tuple[str, int, int | None]],
) -> None:
    overall = OverallProgress()
    shares = [overall.advance(*report) for report in reports]

    assert shares == sorted(shares)
    assert all(0 <= share <= 1 for share in shares)
