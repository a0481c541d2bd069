"""``python -m tests.docs.architecture_drawing > docs/images/architecture.svg``: the rings of the import contracts."""

import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final
from xml.sax.saxutils import escape

_PROJECT: Final = Path(__file__).parents[2] / "pyproject.toml"
_WIDTH: Final = 900
_MARGIN: Final = 16
_LETTER: Final = 7.3
_CHIP: Final = 24
_GAP: Final = 8
_STYLE: Final = (
    "text{font:12px ui-monospace,monospace;fill:#1c2733}.ring{fill:#f3f6fa;stroke:#9fb0c3}"
    ".chip{fill:#fff;stroke:#5b7590}.page{fill:#fff}.note{fill:#44566b;font-family:sans-serif}"
)


def rings() -> list[list[str]]:
    """Return the packages of each ring, the outermost first."""
    contracts: list[dict[str, Any]] = tomllib.loads(_PROJECT.read_text(encoding="utf-8"))["tool"][
        "importlinter"
    ]["contracts"]
    (layers,) = (each["layers"] for each in contracts if each.get("containers") == ["repaircore"])
    (apart,) = (each["modules"] for each in contracts if each["type"] == "independence")
    inside = [[name.strip() for name in layer.replace(":", "|").split("|")] for layer in layers]
    return [apart, *inside]


def drawing() -> str:
    """Return the rings as SVG, each a box that may import those below it."""
    top = 2.0 * _MARGIN
    boxes = []
    for ring in rings():
        rows = list(_rows(ring))
        height = len(rows) * (_CHIP + _GAP) + _GAP
        boxes.append(_box(rows, top, height))
        top += height + _GAP
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {top + _MARGIN:g}" width="{_WIDTH}" role="img" '
        f'aria-label="The rings of repaircore: each may import those below it"><style>{_STYLE}</style>'
    )
    note = f'<text class="note" x="{_MARGIN}" y="20">A ring may import those below it, and nothing beside or above.</text>'
    return "\n".join([head, '<rect class="page" width="100%" height="100%"/>', note, *boxes, "</svg>", ""])


def _rows(names: list[str]) -> Iterator[list[tuple[str, float, float]]]:
    """Break names into rows of (name, left edge, width)."""
    row: list[tuple[str, float, float]] = []
    left = _MARGIN + float(_GAP)
    for name in names:
        width = round(len(name) * _LETTER + 2 * _GAP, 1)
        if row and left + width > _WIDTH - _MARGIN - _GAP:
            yield row
            row, left = [], _MARGIN + float(_GAP)
        row.append((name, left, width))
        left = round(left + width + _GAP, 1)
    yield row


def _box(rows: list[list[tuple[str, float, float]]], top: float, height: float) -> str:
    inner = _WIDTH - 2 * _MARGIN
    lines = [
        f'<rect class="ring" x="{_MARGIN}" y="{top:g}" width="{inner}" height="{height:g}" rx="6"/>',
    ]
    for number, row in enumerate(rows):
        y = top + _GAP + number * (_CHIP + _GAP)
        for name, left, width in row:
            lines += [
                f'<rect class="chip" x="{left:g}" y="{y:g}" width="{width:g}" height="{_CHIP}" rx="4"/>',
                f'<text x="{left + _GAP:g}" y="{y + 16:g}">{escape(name)}</text>',
            ]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.stdout.write(drawing())
