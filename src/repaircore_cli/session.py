"""Opening an installation for a command, and closing it after."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from repaircore.core import Core
    from repaircore.settings import Settings


def chosen(ctx: typer.Context, database: str | None) -> "Settings":
    """Read the environment; ``--database`` counts more, after the command most of all.

    Raises:
        Invalid: a setting cannot be read.
    """
    from repaircore.settings import PREFIX, Settings

    url = database or ctx.find_root().obj
    environ = dict(os.environ)
    if url:
        environ[PREFIX + "DATABASE_URL"] = url
    return Settings.from_env(environ)


@contextmanager
def unopened(ctx: typer.Context, database: str | None) -> "Iterator[Core]":
    """Give the installation as it stands; an empty or older database is left so."""
    from repaircore.core import Core

    core = Core(chosen(ctx, database))
    try:
        yield core
    finally:
        core.close()


@contextmanager
def opened(ctx: typer.Context, database: str | None) -> "Iterator[Core]":
    """Give the installation, its database brought up to date when it is embedded.

    Raises:
        Unavailable: the database does not answer, or is not at this version's revision.
    """
    with unopened(ctx, database) as core:
        if core.settings.is_embedded:
            core.upgrade(progress)
        else:
            _require_ready(core)
        yield core


def _require_ready(core: "Core") -> None:
    from repaircore.kernel.errors import Unavailable

    for obstacle in core.ready():
        raise Unavailable(obstacle)


def progress(text: str) -> None:
    """Say on a terminal what takes a moment; the next line overwrites it, and an empty one erases it."""
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\x1b[K{text}" if os.environ.get("TERM") != "dumb" else f"{text}\n" * bool(text))
        sys.stderr.flush()
