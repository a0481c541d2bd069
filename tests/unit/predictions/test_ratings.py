from itertools import pairwise
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repaircore.predictions.ratings import Rating, Statistics, opinion_change, validate_comment

RATINGS = st.lists(st.sampled_from(Rating))


@given(ratings=RATINGS)
def test_opinions_add_up_to_the_latest_rating(ratings: list[Rating]) -> None:
    changes = [opinion_change(before, now) for before, now in pairwise([None, *ratings]) if now is not None]
    good, wrong = (sum(change[side] for change in changes) for side in (0, 1))
    latest = ratings[-1:]
    assert (good, wrong) == (latest.count(Rating.GOOD), latest.count(Rating.WRONG))


@given(good=st.integers(0, 10_000), wrong=st.integers(0, 10_000))
def test_a_score_is_a_percentage_that_another_good_rating_never_lowers(good: int, wrong: int) -> None:
    told, better = (
        Statistics(session_id=UUID(int=1), good=count, wrong=wrong, latest=()) for count in (good, good + 1)
    )
    assert 0 <= told.score <= better.score <= 100


def test_the_score_without_ratings_is_0() -> None:
    assert Statistics(session_id=UUID(int=1), good=0, wrong=0, latest=()).score == 0


@pytest.mark.parametrize(("comment", "faults"), [(None, 0), ("", 0), ("ü" * 1000, 0), ("x" * 1001, 1)])
def test_a_comment_has_up_to_1000_characters(comment: str | None, faults: int) -> None:
    assert len(validate_comment(comment)) == faults
