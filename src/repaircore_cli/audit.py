"""``repaircore audit``."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from repaircore.kernel.views import iso_utc
from repaircore_cli.options import an_id
from repaircore_cli.session import Output, commands
from repaircore_cli.terminal import print_rows

if TYPE_CHECKING:
    from repaircore.core import Core
    from repaircore.kernel.audit import AuditEntry, AuditState


app = commands("List what was changed by whom.")


@app.command(epilog="Example: repaircore audit --limit 20")
def audit(
    core: "Core",
    *,
    limit: Annotated[
        int, typer.Option("--limit", metavar="N", min=1, max=1000, help="How many at most.")
    ] = 50,
    before: Annotated[
        int | None,
        typer.Option(
            "--before", metavar="ID", callback=an_id, help="Go on after a list that ended with this id."
        ),
    ] = None,
) -> Output:
    """List what was changed by whom, newest first."""
    entries = core.audit.list_newest(limit=limit, before_id=before)
    yield [_shape(entry) for entry in entries]
    print_rows(
        ("id", "when (UTC)", "who", "what", "before", "after"),
        [
            (
                entry.id,
                f"{entry.at:%Y-%m-%d %H:%M:%S}",
                _who(entry),
                f"{entry.action} {entry.subject}",
                _state(entry.before),
                _state(entry.after),
            )
            for entry in entries
        ],
    )


def _who(entry: "AuditEntry") -> str:
    if entry.user_id is None:
        return "the installation"
    who = entry.email or f"user {entry.user_id}"
    return who if entry.key_id is None else f"{who} (key {entry.key_id})"


def _state(state: "AuditState | None") -> str:
    return "" if state is None else ", ".join(f"{name} {value}" for name, value in state.items())


def _shape(entry: "AuditEntry") -> dict[str, Any]:
    return {
        "id": entry.id,
        "at": iso_utc(entry.at),
        "environment": entry.environment.value,
        "user_id": entry.user_id,
        "email": entry.email,
        "key_id": entry.key_id,
        "action": entry.action,
        "subject": entry.subject,
        "before": entry.before,
        "after": entry.after,
    }
