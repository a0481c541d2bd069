"""Progress bars."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from repaircore.kernel.progress import OverallProgress
from repaircore_cli.terminal import look

if TYPE_CHECKING:
    from rich.progress import Progress


@contextmanager
def bar(text: str) -> Iterator[Callable[[int, int | None], None]]:
    """Yield a callback that takes the amount done and the total, which is None while unknown.

    It draws a bar on a terminal, and does nothing elsewhere.
    """
    if not sys.stderr.isatty():
        yield lambda _done, _total: None
        return
    with bars() as progress:
        task = progress.add_task(text, total=None)
        yield lambda done, total: progress.update(task, completed=done, total=total)


@contextmanager
def phases() -> Iterator[Callable[[str, int, int | None], None]]:
    """Yield a callback that takes a phase, the amount done and the phase's total, which is None while unknown.

    It draws one bar for all phases on a terminal, and does nothing elsewhere.
    """
    if not sys.stderr.isatty():
        yield lambda _phase, _done, _total: None
        return
    overall = OverallProgress()
    with bars() as progress:
        task = progress.add_task("Starting", total=1.0)

        def report(phase: str, done: int, total: int | None) -> None:
            share = overall.advance(phase, done, total)
            progress.update(task, description=phase.capitalize(), completed=share)

        yield report


def bars() -> "Progress":
    """Return terminal progress bars that disappear when done."""
    from rich.console import Console
    from rich.progress import Progress

    return Progress(console=Console(stderr=True, no_color=not look().color), transient=True)
