"""Writing for people and for machines."""

import os
import shutil
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from attrs import frozen

from repaircore.json_text import one_line, pretty

if TYPE_CHECKING:
    from repaircore.kernel.paging import Page


_NARROWEST: Final = 40
_WIDEST: Final = 100
_USUAL: Final = 80
_LONGEST_WORD: Final = 48


@frozen(kw_only=True)
class Look:
    """The capabilities of the reader's terminal."""

    width: int
    unicode: bool
    color: bool


PLAIN: Final = Look(width=_USUAL, unicode=False, color=False)


def look() -> Look:
    """Return the capabilities of the standard output; a pipe gets 80 columns and no color."""
    dumb = os.environ.get("TERM", "") == "dumb"
    terminal = sys.stdout.isatty()
    width = shutil.get_terminal_size((_USUAL, 24)).columns if terminal else _USUAL
    return Look(
        width=max(_NARROWEST, min(_WIDEST, width)),
        unicode=not dumb and (sys.stdout.encoding or "").lower().replace("-", "").startswith("utf"),
        color=terminal and not dumb and not os.environ.get("NO_COLOR"),
    )


def as_json_text(value: Any) -> str:
    """Return a JSON document as it is printed, with a final newline."""
    return pretty(value, is_ascii=not look().unicode) + "\n"


def print_json(value: Any) -> None:
    """Print one JSON document."""
    sys.stdout.write(as_json_text(value))


def print_json_line(value: Any) -> None:
    """Print one of several JSON documents on a line of its own, and flush: the reader may respond to it."""
    sys.stdout.write(one_line(value, is_ascii=not look().unicode) + "\n")
    sys.stdout.flush()


def print_rows(heads: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Print a table on a terminal; into a pipe, tab-separated lines without a header."""
    if not sys.stdout.isatty():
        sys.stdout.writelines("\t".join(map(_flat, row)) + "\n" for row in rows)
        return
    from rich import box
    from rich.console import Console
    from rich.table import Table

    cells = [[*map(_flat, row)] for row in rows]
    table = Table(box=box.SIMPLE_HEAD if look().unicode else box.ASCII, pad_edge=False)
    for head, *column in zip(heads, *cells, strict=True):
        # A slug or a key that is cut cannot be copied.
        longest = max(len(word) for text in (head, *column) for word in (text.split() or [""]))
        table.add_column(head, overflow="fold", min_width=min(longest, _LONGEST_WORD))
    for row in cells:
        table.add_row(*row)
    Console(highlight=False, markup=False).print(table)


def print_left(found: "Page[Any]", options: str = "--page or --limit") -> None:
    """Print how many items follow a page, and which options show them."""
    left = found.total - (found.number - 1) * found.per_page - len(found.items)
    if found.items and left > 0:
        sys.stderr.write(f"{left:,} more: use {options}.\n")


def in_dollars(cents: int) -> str:
    """Return cents as dollars, for people."""
    from repaircore.kernel.money import dollars

    return f"{dollars(cents):,.2f}"


def _flat(value: object) -> str:
    return "" if value is None else " ".join(str(value).split())
