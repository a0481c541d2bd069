"""Audit log entries in words, and as CSV."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from repaircore.json_text import encode_text
from repaircore.kernel.audit import AuditEntry, AuditState
from repaircore_http.console.csv_lines import csv_line

COLUMNS: Final = (
    "id", "at", "environment", "user_id", "email", "key_id", "action", "subject", "before", "after", "actor",
)  # fmt: skip


def changes_of(entry: AuditEntry) -> Sequence[tuple[str, str | None, str | None]]:
    """Return the name of each field with its text before and after, which is None if it had no value."""
    before, after = entry.before or {}, entry.after or {}
    return [
        (str(name).replace("_", " "), _text(before, name), _text(after, name))
        for name in dict.fromkeys((*before, *after))
    ]


def csv_lines(entries: Iterable[AuditEntry]) -> Iterator[str]:
    """Yield the header line, then a line for each entry; states are JSON."""
    yield csv_line(COLUMNS)
    for entry in entries:
        yield csv_line((
            str(entry.id),
            entry.at.isoformat(timespec="seconds"),
            entry.environment.value,
            _number(entry.user_id),
            entry.email or "",
            _number(entry.key_id),
            entry.action,
            entry.subject,
            "" if entry.before is None else encode_text(entry.before),
            "" if entry.after is None else encode_text(entry.after),
            entry.actor,
        ))  # fmt: skip


def _text(state: AuditState, name: Any) -> str | None:
    value = state.get(name)
    if value is None or isinstance(value, str):
        return value
    return encode_text(value)


def _number(number: int | None) -> str:
    return "" if number is None else str(number)
