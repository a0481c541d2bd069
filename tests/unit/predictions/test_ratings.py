from itertools import pairwise
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repaircore.kernel.rules import field_errors
from repaircore.predictions.past_predictions import Rating, Statistics, SubmitFeedback, opinion_change

RATINGS = st.lists(st.sampled_from(Rating))


@given(ratings=RATINGS)
def test_opinion_changes_add_up_to_the_latest_rating(ratings: list[Rating]) -> None:
    changes = [
        opinion_change(previous, rating)
        for previous, rating in pairwise([None, *ratings])
        if rating is not None
    ]
    good, wrong = (sum(change[side] for change in changes) for side in (0, 1))
    latest = ratings[-1:]

    assert (good, wrong) == (latest.count(Rating.GOOD), latest.count(Rating.WRONG))


@given(good=st.integers(0, 10_000), wrong=st.integers(0, 10_000))
def test_statistics_score_is_a_percentage_that_a_good_rating_never_lowers(good: int, wrong: int) -> None:
    score, better = (
        Statistics(session_id=UUID(int=1), good=count, wrong=wrong, latest=()).score
        for count in (good, good + 1)
    )

    assert 0 <= score <= better <= 100


def test_statistics_score_is_0_without_ratings() -> None:
    assert Statistics(session_id=UUID(int=1), good=0, wrong=0, latest=()).score == 0


@pytest.mark.parametrize(("comment", "errors"), [("", 0), ("ü" * 1000, 0), ("x" * 1001, 1)])
def test_submit_feedback_takes_comments_of_up_to_1000_characters(comment: str, errors: int) -> None:
    assert len(field_errors(SubmitFeedback, {"comment": comment})) == errors
