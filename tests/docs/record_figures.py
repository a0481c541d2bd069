"""``python -m tests.docs.record_figures``: update the amounts in the pages to those that the examples print now.

Only lines that differ only in figures change, and only when an amount ("12.50") or a percentage is among them: ids,
ports and times would differ at every run. Arguments select pages; by default all are run.
"""

import re
import sys
import tempfile
from itertools import dropwhile
from pathlib import Path
from typing import Final

from tests.docs.examples import ROOT, Page, blocks, pages, plain, require_match

_SCALE: Final = re.compile(r"[\sAB]+")
_AMOUNT: Final = re.compile(r"\d+(?:,\d+)*\.\d\d(?!\d)|\d+(?= %)")


def recorded(shown: str, printed: str) -> str:
    """Return the output as shown, with the amounts that were printed."""
    left = iter(printed.splitlines())
    lines = []
    for line in shown.splitlines():
        rest = list(left)
        found = next(dropwhile(lambda one: plain(one) != plain(line), rest), None)  # noqa: B023 - used at once
        left = iter(rest if found is None else rest[rest.index(found) + 1 :])
        lines.append(line if found is None or _shows_the_same(line, found) else found.rstrip())
    return "\n".join(lines)


def _shows_the_same(shown: str, printed: str) -> bool:
    if _SCALE.fullmatch(shown):  # marks on a scale move with the figures
        return shown.rstrip() == printed.rstrip()
    return _AMOUNT.findall(shown) == _AMOUNT.findall(printed)


def record(page: Path) -> None:
    """Run the examples of a page and write their amounts into it."""
    text = page.read_text(encoding="utf-8")
    if not any(block.language in {"python", "console"} for block in blocks(text)):
        return
    changes: list[tuple[str, str]] = []

    def note(example: str, printed: str, shown: str | None) -> None:
        require_match(example, printed, shown)
        if shown is not None:
            changes.append((shown, recorded(shown, printed)))

    with tempfile.TemporaryDirectory() as folder, Page(Path(folder), note) as opened:
        opened.run(blocks(text))
    for shown, now in changes:
        text = text.replace(shown.rstrip("\n"), now.rstrip("\n"))
    page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    for path in [Path(name).resolve() for name in sys.argv[1:]] or pages():
        print(path.relative_to(ROOT), flush=True)  # noqa: T201 - it is a command
        try:
            record(path)
        except AssertionError as failed:
            print(f"  not recorded: {str(failed)[:300]}")  # noqa: T201 - it is a command
