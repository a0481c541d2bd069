from itertools import permutations

from hypothesis import given
from hypothesis import strategies as st

from repaircore.shop_tables.assignment import best_assignment

TABLES = st.integers(1, 4).flatmap(
    lambda columns: st.lists(
        st.lists(st.integers(0, 9).map(float), min_size=columns, max_size=columns), min_size=1, max_size=4
    )
)


@given(TABLES)
def test_assignment_has_the_greatest_sum_of_all(scores: list[list[float]]) -> None:
    found = best_assignment(scores)
    used = [column for column, _ in found if column is not None]
    padded = [row + [0.0] * len(scores) for row in scores]
    best = max(
        sum(padded[row][column] for row, column in enumerate(order))
        for order in permutations(range(len(padded[0])), len(scores))
    )

    assert sum(score for _, score in found) == best
    assert len(used) == len(set(used))


def test_table_without_columns_assigns_nothing() -> None:
    assert best_assignment([[], []]) == [(None, 0.0), (None, 0.0)]
