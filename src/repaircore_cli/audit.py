"""``repaircore audit``."""

from typing import TYPE_CHECKING, Annotated

import typer

from repaircore.audit.model import AuditFilter
from repaircore.audit.views import AuditEntryView
from repaircore_cli.options import an_id, parse_day
from repaircore_cli.session import Output, commands, reading
from repaircore_cli.terminal import none_of, print_rows

if TYPE_CHECKING:
    from repaircore.core import Core
    from repaircore.kernel.audit import AuditEntry, AuditState


app = commands("Show the audit log.")


@app.command(epilog="Example: repaircore audit --limit 20", opening=reading, rows=True)
def audit(
    core: "Core",
    *,
    limit: Annotated[
        int, typer.Option("--limit", metavar="N", min=1, max=1000, help="The maximum number of entries.")
    ] = 50,
    before: Annotated[
        int | None,
        typer.Option("--before", metavar="ID", callback=an_id, help="Continue after the entry with this id."),
    ] = None,
    who: Annotated[
        str | None,
        typer.Option("--by", metavar="EMAIL", help="Only changes by this user, or by the `installation`."),
    ] = None,
    action: Annotated[
        str | None,
        typer.Option("--action", metavar="ACTION", help="Only changes of this kind, such as user.set_role."),
    ] = None,
    since: Annotated[
        str | None, typer.Option("--from", metavar="DATE", help="The first day, in UTC.")
    ] = None,
    until: Annotated[str | None, typer.Option("--to", metavar="DATE", help="The last day, in UTC.")] = None,
) -> Output:
    """Show the audit log, newest first."""
    wanted = AuditFilter(
        who=who,
        action=action,
        date_from=parse_day(since, "--from"),
        date_to=parse_day(until, "--to"),
    )
    entries = core.audit.list_newest(wanted, limit=limit, before_id=before)
    yield [AuditEntryView.of(entry) for entry in entries]
    print_rows(
        ("id", "time (UTC)", "by", "change", "before", "after"),
        [
            (
                entry.id,
                f"{entry.at:%Y-%m-%d %H:%M:%S}",
                _author(entry),
                f"{entry.action} {entry.subject}",
                _state(entry.before),
                _state(entry.after),
            )
            for entry in entries
        ],
        none=none_of("changes", who, action, since, until, before),
    )


def _author(entry: "AuditEntry") -> str:
    if entry.actor != "user":
        return f"the {entry.actor}"
    user = entry.email or f"user {entry.user_id}"
    return user if entry.key_id is None else f"{user} (key {entry.key_id})"


def _state(state: "AuditState | None") -> str:
    """Return an audit state as text, without empty fields; a value that was removed appears in the earlier state."""
    pairs = ((name, _value(value)) for name, value in (state or {}).items())
    return ", ".join(f"{name} {text}" for name, text in pairs if text)


def _value(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple):
        return " ".join(map(str, value))
    return str(value)
