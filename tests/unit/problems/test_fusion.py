import pytest
from hypothesis import given
from hypothesis import strategies as st

from repaircore.book.model import Problem
from repaircore.problems.fusion import SearchHit, fuse
from repaircore.testing.builders import a_problem

_REPAIRS = [a_problem(id=number, slug=f"repair-{number}") for number in range(1, 9)]
_LISTS = st.lists(
    st.tuples(
        st.lists(st.sampled_from(_REPAIRS), unique_by=lambda one: one.id).map(
            lambda repairs: [SearchHit(one, 1.0 / rank) for rank, one in enumerate(repairs, start=1)]
        ),
        st.floats(0.1, 3.0),
    ),
    max_size=4,
)


@given(_LISTS)
def test_fuse_returns_each_repair_once_with_falling_scores(
    lists: list[tuple[list[SearchHit], float]],
) -> None:
    merged = fuse(lists)

    scores = [one.score for one in merged]
    ids = [one.problem.id for one in merged]

    assert scores == sorted(scores, reverse=True)
    assert len(ids) == len(set(ids))
    assert set(ids) == {one.problem.id for found, _ in lists for one in found}


@given(st.lists(st.sampled_from(_REPAIRS), unique_by=lambda one: one.id))
def test_fuse_keeps_a_single_list(repairs: list[Problem]) -> None:
    found = [SearchHit(one, 1.0 / rank) for rank, one in enumerate(repairs, start=1)]

    assert fuse([(found, 2.0)]) == found


def test_fuse_prefers_repairs_of_both_lists() -> None:
    one, other, both = _REPAIRS[:3]
    first = [SearchHit(one, 0.9), SearchHit(both, 0.8)]
    second = [SearchHit(other, 0.9), SearchHit(both, 0.7)]

    merged = fuse([(first, 1.0), (second, 1.0)])

    assert [found.problem.id for found in merged] == [both.id, one.id, other.id]
    assert merged[0].score == 0.8


def test_fuse_follows_the_heavier_list() -> None:
    one, other = _REPAIRS[:2]

    merged = fuse([([SearchHit(one, 0.9)], 1.0), ([SearchHit(other, 0.5)], 1.5)])

    assert [found.problem.id for found in merged] == [other.id, one.id]


def test_score_of_a_repair_is_its_best_one_but_never_above_one_before_it() -> None:
    one, other, third = _REPAIRS[:3]
    first = [SearchHit(one, 0.5), SearchHit(other, 0.4), SearchHit(third, 0.2)]
    second = [SearchHit(one, 0.6), SearchHit(third, 0.9)]

    merged = fuse([(first, 1.0), (second, 1.0)])

    assert [(found.problem.id, found.score) for found in merged] == [
        (one.id, 0.6),
        (third.id, 0.6),
        (other.id, 0.4),
    ]


@pytest.mark.parametrize(("weight", "winner"), [(61.0, 1), (61.01, 2)])
def test_second_of_a_list_is_worth_a_sixty_second_of_its_weight(weight: float, winner: int) -> None:
    second, alone, first = _REPAIRS[:3]
    long, short = [SearchHit(first, 1.0), SearchHit(second, 0.9)], [SearchHit(alone, 0.9)]

    merged = fuse([(long, 62.0), (short, weight)])

    assert [found.problem.id for found in merged] == [first.id, winner, 3 - winner]
