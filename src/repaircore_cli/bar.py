"""A bar for what takes long."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from repaircore_cli.terminal import look

__all__ = ["bar"]


@contextmanager
def bar(text: str) -> Iterator[Callable[[int, int], None]]:
    """Give what is told how much is done, and of how much; on a terminal it draws, elsewhere it is silent."""
    if not sys.stderr.isatty():
        yield lambda _done, _total: None
        return
    from rich.console import Console
    from rich.progress import Progress

    shown = Console(stderr=True, no_color=not look().color)
    with Progress(console=shown, transient=True) as progress:
        task = progress.add_task(text, total=None)
        yield lambda done, total: progress.update(task, completed=done, total=total)
