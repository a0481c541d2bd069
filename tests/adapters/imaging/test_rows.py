"""Joining pieces of text into rows for any slope of the paper."""

from collections.abc import Sequence
from math import cos, radians, sin
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from repaircore.adapters.imaging.rows import Point, join_rows

_COLUMNS = (60.0, 700.0, 900.0, 1100.0)
_HEIGHT = 24.0


def _corners(left: float, top: float, width: float) -> list[Point]:
    return [(left, top), (left + width, top), (left + width, top + _HEIGHT), (left, top + _HEIGHT)]


def _turned(corners: Sequence[Point], degrees: float) -> list[Point]:
    c, s = cos(radians(degrees)), sin(radians(degrees))
    return [(x * c - y * s, x * s + y * c) for x, y in corners]


def _table(rows: int) -> list[tuple[list[Point], str]]:
    return [
        (_corners(left, 100 + 48 * row, 400 if column == 0 else 90), f"{row}.{column}")
        for row in range(rows)
        for column, left in enumerate(_COLUMNS)
    ]


def _rows(rows: int) -> list[str]:
    return [" ".join(f"{row}.{column}" for column in range(len(_COLUMNS))) for row in range(rows)]


@given(rows=st.integers(1, 25), degrees=st.floats(-15, 15), order=st.randoms(use_true_random=False))
def test_rows_of_a_table_are_joined_at_any_angle(rows: int, degrees: float, order: Random) -> None:
    pieces = [(_turned(corners, degrees), text) for corners, text in _table(rows)]
    order.shuffle(pieces)

    assert join_rows(pieces) == _rows(rows)


@given(rows=st.integers(4, 25), top=st.floats(-0.05, 0.05), bottom=st.floats(-0.05, 0.05))
def test_rows_may_slope_differently_at_the_top_and_bottom(rows: int, top: float, bottom: float) -> None:
    def slope(y: float) -> float:
        return top + (bottom - top) * (y - 100) / (48 * rows)

    pieces = [([(x, y + slope(y) * (x - 600)) for x, y in corners], text) for corners, text in _table(rows)]

    assert join_rows(pieces) == _rows(rows)


def test_no_pieces_give_no_row_and_a_point_gives_one() -> None:
    assert join_rows([]) == []
    assert join_rows([([(5.0, 5.0)] * 4, "x")]) == ["x"]
