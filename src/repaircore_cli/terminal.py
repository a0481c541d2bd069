"""Output for people and for programs."""

import os
import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Final

from attrs import frozen

from repaircore.json_text import one_line, pretty

if TYPE_CHECKING:
    from typing import TextIO

    from repaircore.kernel.paging import Page


_NARROWEST: Final = 40
_WIDEST: Final = 100
_USUAL: Final = 80
_WITH_HEADER: Final = ContextVar("header", default=False)


@frozen(kw_only=True)
class Look:
    """The capabilities of the reader's terminal."""

    width: int
    unicode: bool
    color: bool


PLAIN: Final = Look(width=_USUAL, unicode=False, color=False)


def look() -> Look:
    """Return the capabilities of standard output; a pipe gets 80 columns and no color."""
    dumb = os.environ.get("TERM", "") == "dumb"
    terminal = sys.stdout.isatty()
    width = shutil.get_terminal_size((_USUAL, 24)).columns if terminal else _USUAL
    return Look(
        width=max(_NARROWEST, min(_WIDEST, width)),
        unicode=not dumb and (sys.stdout.encoding or "").lower().replace("-", "").startswith("utf"),
        color=terminal and not dumb and not os.environ.get("NO_COLOR"),
    )


def as_json_text(value: Any) -> str:
    """Return a value as the JSON that is printed, with a final newline."""
    return pretty(value, is_ascii=not look().unicode) + "\n"


def print_json(value: Any) -> None:
    """Print one JSON document."""
    sys.stdout.write(as_json_text(value))


def print_json_line(value: Any) -> None:
    """Print one of several JSON documents on its own line, and flush: the reader may respond to it."""
    sys.stdout.write(one_line(value, is_ascii=not look().unicode) + "\n")
    sys.stdout.flush()


def print_rows(heads: Sequence[str], rows: Sequence[Sequence[object]], *, none: str = "") -> None:
    """Print a table on a terminal, or tab-separated lines into a pipe, with a header if ``--header`` is given.

    If there are no rows, print ``none`` to standard error.
    """
    if not rows and none:
        print_note(none)
    cells = [[*map(_flat, row)] for row in rows]
    if not sys.stdout.isatty():
        head = [heads] if _WITH_HEADER.get() else []
        sys.stdout.writelines(_writable("\t".join(line)) for line in (*head, *cells))
    elif rows:
        from repaircore_cli.tables import table_lines

        rule = "─" if look().unicode else "-"
        sys.stdout.writelines(map(_writable, table_lines(heads, cells, width=_columns(), rule=rule)))


def print_text(text: str, *, indent: str = "") -> None:
    """Print a sentence, wrapped between words with a hanging indent on a terminal."""
    sys.stdout.write(_writable(in_columns(text, sys.stdout, indent=indent)))
    sys.stdout.flush()  # someone may be waiting to read it


def print_note(text: str) -> None:
    """Print a sentence to standard error, wrapped on a terminal."""
    sys.stderr.write(in_columns(text, sys.stderr) + "\n")


def in_columns(text: str, stream: "TextIO", *, indent: str = "") -> str:
    """Return ``text`` with its lines wrapped between words if ``stream`` is a terminal, or unchanged otherwise."""
    if not stream.isatty():
        return text
    from repaircore_cli.tables import paragraph

    width = _columns()
    lines = (line for each in text.split("\n") for line in paragraph(each, width, indent=indent))
    return "\n".join(lines)


def print_fields(fields: Sequence[tuple[str, str]]) -> None:
    """Print a line for each label and its value; on a terminal, values are wrapped between words."""
    if not sys.stdout.isatty():
        sys.stdout.writelines(_writable(f"{label:26}{value}") for label, value in fields)
        return
    from repaircore_cli.tables import field_lines

    sys.stdout.writelines(map(_writable, field_lines(fields, width=_columns())))


def _columns() -> int:
    return shutil.get_terminal_size((_USUAL, 24)).columns


@contextmanager
def header(*, shown: bool) -> Iterator[None]:
    """Within the block, print table headers even into pipes if ``shown``."""
    token = _WITH_HEADER.set(shown)
    try:
        yield
    finally:
        _WITH_HEADER.reset(token)


def none_of(things: str, *filters: object) -> str:
    """Return the sentence for an empty list, which depends on whether a filter was given."""
    return f"No {things} {'match' if any(each not in {None, '', False} for each in filters) else 'yet'}."


def print_left(found: "Page[Any]", options: str = "--page or --limit") -> None:
    """Print how many items follow a page, if any, and which options show them."""
    left = found.total - (found.number - 1) * found.per_page - len(found.items)
    if found.items:
        print_more(left, options)


def print_more(left: int, options: str = "--limit") -> None:
    """Print how many items a limit leaves out, if any, and which options show them."""
    if left > 0:
        print_note(f"{left:,} more: use {options}.")


def in_dollars(cents: int) -> str:
    """Format cents as dollars, without a dollar sign: ``1,234.50``."""
    from repaircore.kernel.money import dollars

    return f"{dollars(cents):,.2f}"


def _flat(value: object) -> str:
    return "" if value is None else " ".join(str(value).split())


def _writable(line: str) -> str:
    """Return ``line`` with a newline; characters that the output's encoding lacks become question marks."""
    encoding = sys.stdout.encoding or "utf-8"
    return line.encode(encoding, "replace").decode(encoding) + "\n"
