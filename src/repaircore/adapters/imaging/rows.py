"""Join the pieces of text in a picture into rows, in reading order: pure geometry."""

from collections.abc import Sequence
from statistics import fmean, median
from typing import Final, Self

from attrs import frozen

Point = tuple[float, float]
Corners = Sequence[Sequence[float]]
"""The corners of a piece: top left, top right, bottom right and bottom left."""

_SAME_ROW: Final = 0.5
"""How far apart vertically, in letter heights, the centers of two pieces in one row may be."""

_WIDE: Final = 2.0
"""A piece that is this many times as wide as it is tall shows how its row slopes."""

_ENOUGH: Final = 6
"""With fewer pieces, the whole picture gets one slope, instead of one that changes from top to bottom."""


@frozen
class _Piece:
    text: str
    x: float
    y: float
    width: float
    height: float
    slope: float

    @classmethod
    def of(cls, corners: Corners, text: str) -> Self:
        (ax, ay), (bx, by), (cx, cy), (dx, dy) = corners
        across, down = (bx - ax + cx - dx) / 2, (by - ay + cy - dy) / 2
        return cls(
            text=text,
            x=fmean((ax, bx, cx, dx)),
            y=fmean((ay, by, cy, dy)),
            width=abs(across),
            height=abs(dy - ay + cy - by) / 2,
            slope=down / across if across else 0.0,
        )


def join_rows(pieces: Sequence[tuple[Corners, str]]) -> list[str]:
    """Return the rows from top to bottom, with the pieces of each row joined by spaces from left to right.

    Rows may slope, as in a photo taken at an angle, and rows at the top may slope differently from rows at the bottom.
    """
    found = [_Piece.of(corners, text) for corners, text in pieces]
    levels = _levels(found)
    rows: list[list[tuple[float, _Piece]]] = []
    for level, piece in sorted(zip(levels, found, strict=True), key=lambda item: (item[0], item[1].x)):
        if rows and _fits(rows[-1], level, piece):
            rows[-1].append((level, piece))
        else:
            rows.append([(level, piece)])
    return [
        " ".join(piece.text for piece in sorted((piece for _, piece in row), key=lambda piece: piece.x))
        for row in rows
    ]


def _fits(row: Sequence[tuple[float, _Piece]], level: float, piece: _Piece) -> bool:
    height = min(piece.height, *(other.height for _, other in row)) if row else piece.height
    return abs(level - fmean(other for other, _ in row)) < _SAME_ROW * height


def _levels(pieces: Sequence[_Piece]) -> list[float]:
    """Return how far down each piece would lie if its row did not slope."""
    wide = [piece for piece in pieces if piece.width > _WIDE * piece.height]
    if not wide:
        return [piece.y for piece in pieces]
    middle = fmean(piece.x for piece in pieces)
    usual, change, around = _slopes(wide)
    return [piece.y - (usual + change * (piece.y - around)) * (piece.x - middle) for piece in pieces]


def _slopes(pieces: Sequence[_Piece]) -> tuple[float, float, float]:
    """Return the slope of rows at one height in the picture, its change per pixel downward, and that height."""
    usual = median(piece.slope for piece in pieces for _ in range(max(1, round(piece.width / 20))))
    near = [piece for piece in pieces if abs(piece.slope - usual) < 3 * piece.height / piece.width]
    weight = sum(piece.width**2 for piece in near)
    if len(near) < _ENOUGH:
        return usual, 0.0, 0.0
    around = sum(piece.width**2 * piece.y for piece in near) / weight
    usual = sum(piece.width**2 * piece.slope for piece in near) / weight
    spread = sum(piece.width**2 * (piece.y - around) ** 2 for piece in near)
    if not spread:
        return usual, 0.0, 0.0
    change = sum(piece.width**2 * (piece.y - around) * (piece.slope - usual) for piece in near) / spread
    return usual, change, around
