"""``repaircore doctor``."""

import shutil
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import typer
from attrs import frozen

from repaircore_cli.opening import unopened
from repaircore_cli.options import AsJson, Database, commands
from repaircore_cli.terminal import print_json

if TYPE_CHECKING:
    from repaircore.bootstrap import Core

__all__ = ["app"]

app = commands("Check the installation.")

_LEAST_DISK: Final = 200 * 1024 * 1024
_BOOK_YEAR: Final = datetime(2025, 1, 1, tzinfo=UTC)
_SKEW: Final = timedelta(minutes=5)
_NO_SETTINGS: Final = ("REPAIRCORE_DEBUG", "REPAIRCORE_TEST_")
"""How variables begin that are for developers."""


@frozen
class _Finding:
    name: str
    value: str
    wrong: str | None = None


@app.command(epilog="Example: repaircore doctor --json")
def doctor(ctx: typer.Context, *, database: Database = None, as_json: AsJson = False) -> None:
    """Check the installation: exit status 1 when something is wrong."""
    with unopened(ctx, database) as core:
        settings = core.settings.shown()
        findings = [
            *_settings(settings),
            *_database(core),
            *_clock(core),
            *_disk(core),
            *_secret(core),
            *_models(core),
        ]
    wrong = [finding for finding in findings if finding.wrong]
    if as_json:
        print_json({"ok": not wrong, "settings": settings, "findings": [_shape(one) for one in findings]})
    else:
        for name, value in settings.items():
            typer.echo(f"  {name} = {'' if value is None else value}")
        for finding in findings:
            mark = "!!" if finding.wrong else "ok"
            typer.echo(
                f"{mark} {finding.name}: {finding.value}{f' - {finding.wrong}' if finding.wrong else ''}"
            )
        typer.echo(
            f"{len(wrong)} of {len(findings)} checks found something wrong." if wrong else "All is well."
        )
    if wrong:
        raise typer.Exit(1)


def _shape(finding: _Finding) -> dict[str, Any]:
    return {"name": finding.name, "value": finding.value, "wrong": finding.wrong}


def _settings(shown: Mapping[str, object]) -> Iterator[_Finding]:
    import os

    from repaircore.settings import OFF, OFFLINE, PREFIX

    for name in sorted(name for name in os.environ if name.startswith(PREFIX)):
        if name not in shown and not name.startswith(_NO_SETTINGS):
            yield _Finding(name, "set", "there is no such setting")
    for name, kind in shown.items():
        url = name.removesuffix("_KIND") + "_URL"
        if name.endswith("_KIND") and kind in {OFF, OFFLINE} and shown[url] is not None:
            yield _Finding(url, "set", f"nothing is asked there as long as {name} is {kind}")


def _database(core: "Core") -> Iterator[_Finding]:
    from repaircore.kernel.errors import Unavailable

    try:
        standing = core.storage.standing()
        obstacle = core.storage.obstacle()
        if standing is None and core.settings.is_embedded:
            yield _Finding("database", "none yet; the first command makes it", obstacle)
            return
        behind = None if standing == core.storage.head else obstacle or "run `repaircore db upgrade`"
        yield _Finding("database revision", f"{standing} of {core.storage.head}", behind)
        edition = core.storage.edition() or "none"
        stale = None if edition == core.book_edition else "run `repaircore db upgrade`"
        yield _Finding("repair book edition", f"{edition} of {core.book_edition}", stale)
        for durable in core.storage.durability():
            wanted = None if durable.holds else f"should be {' or '.join(durable.fine)}"
            yield _Finding(durable.name, durable.value, wanted)
    except Unavailable as error:
        yield _Finding("database", "unreachable", error.message)
    except ModuleNotFoundError as error:
        yield _Finding("database", "unreachable", f"{error}: install repaircore[postgres]")


def _clock(core: "Core") -> Iterator[_Finding]:
    from repaircore.kernel.errors import Unavailable

    now = datetime.now(UTC)
    try:
        newest = core.storage.newest()
    except (Unavailable, ModuleNotFoundError):
        newest = None
    wrong = None
    if now < _BOOK_YEAR:
        wrong = "the clock is behind the years that the repair book tells of"
    elif newest is not None and newest - now > _SKEW:
        wrong = f"answers were computed at {newest:%Y-%m-%dT%H:%M:%SZ}, which is yet to come"
    yield _Finding("clock", f"{now:%Y-%m-%dT%H:%M:%SZ}", wrong)


def _disk(core: "Core") -> Iterator[_Finding]:
    kept = [core.settings.state, *([core.storage.path.parent] if core.storage.path else [])]
    for folder in dict.fromkeys(map(_nearest, kept)):
        free = shutil.disk_usage(folder).free
        wrong = None if free >= _LEAST_DISK else "less than 200 MB are left"
        yield _Finding(f"free disk at {folder}", f"{free / 1024**3:.1f} GB", wrong)
        yield _Finding(f"may write in {folder}", *_writable(folder))


def _nearest(wanted: Path) -> Path:
    """Give what there is of a folder that the first command makes."""
    return next(path for path in (wanted.absolute(), *wanted.absolute().parents) if path.exists())


def _writable(folder: Path) -> tuple[str, str | None]:
    import os

    if not folder.is_dir():
        return "no", "this is a file, where a folder is needed"
    return ("yes", None) if os.access(folder, os.W_OK) else ("no", "this user may not")


def _secret(core: "Core") -> Iterator[_Finding]:
    file = core.settings.secret_file
    if core.settings.secret_key is not None or file is None or not file.exists():
        return
    mode = file.stat().st_mode & 0o777
    wrong = f"others may read it: chmod 600 {file}" if mode & 0o077 else None
    yield _Finding("secret key", f"kept in {file}, mode {mode:04o}", wrong)


def _models(core: "Core") -> Iterator[_Finding]:
    from repaircore.kernel.errors import Invalid

    chosen = f"A {core.settings.model_a.kind}, B {core.settings.model_b.kind}"
    try:
        core.prepare_models()
    except Invalid as error:
        yield _Finding("models", chosen, error.message)
    else:
        yield _Finding("models", chosen)
