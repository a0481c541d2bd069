"""Find the assignment of rows to columns with the highest total score."""

from collections.abc import Sequence
from math import inf


def best_assignment(scores: Sequence[Sequence[float]]) -> list[tuple[int | None, float]]:
    """Return each row's column (or None if it gets none) and score in the assignment with the highest total.

    No column is used twice, nor with a score of zero. This is the Hungarian algorithm with potentials.
    """
    if not scores or not scores[0]:
        return [(None, 0.0)] * len(scores)
    rows, columns = len(scores), max(len(scores), len(scores[0]))
    cost = [[-value for value in row] + [0.0] * (columns - len(row)) for row in scores]
    row_potential, column_potential = [0.0] * (rows + 1), [0.0] * (columns + 1)
    owner = [0] * (columns + 1)
    for row in range(1, rows + 1):
        _augment(row, cost, row_potential, column_potential, owner)
    found: list[tuple[int | None, float]] = [(None, 0.0)] * rows
    for column in range(1, columns + 1):
        row = owner[column] - 1
        if row >= 0 and column <= len(scores[0]) and scores[row][column - 1] > 0:
            found[row] = (column - 1, scores[row][column - 1])
    return found


def _augment(
    row: int,
    cost: Sequence[Sequence[float]],
    row_potential: list[float],
    column_potential: list[float],
    owner: list[int],
) -> None:
    """Assign one more row along the cheapest augmenting path."""
    columns = len(owner) - 1
    owner[0] = row
    least, before, used = [inf] * (columns + 1), [0] * (columns + 1), [False] * (columns + 1)
    at = 0
    while owner[at]:
        used[at] = True
        current, delta, following = owner[at], inf, 0
        for column in range(1, columns + 1):
            if used[column]:
                continue
            reduced = cost[current - 1][column - 1] - row_potential[current] - column_potential[column]
            if reduced < least[column]:
                least[column], before[column] = reduced, at
            if least[column] < delta:
                delta, following = least[column], column
        for column in range(columns + 1):
            if used[column]:
                row_potential[owner[column]] += delta
                column_potential[column] -= delta
            else:
                least[column] -= delta
        at = following
    while at:
        owner[at] = owner[before[at]]
        at = before[at]
