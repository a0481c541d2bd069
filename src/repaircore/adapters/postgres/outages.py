"""Describe server failures to users."""

from collections.abc import Mapping
from typing import Final

from repaircore.kernel.errors import Unavailable

_NO_ANSWER: Final = "The database is not responding."
_LOCKED: Final = "The database is busy: another operation holds a lock."
_SLOW: Final = "The database is busy: the operation took too long."
BUSY: Final = "The database is busy: all of this process's connections to it are in use."

_BY_STATE: Final[Mapping[str, str]] = {"55P03": _LOCKED, "57014": _SLOW}
"""Error messages by SQLSTATE: 55P03 is lock_not_available, 57014 is query_canceled."""

# A server that rejects a connection also sends an SQLSTATE (53300), but libpq passes on only the text.
_ALL_TAKEN: Final = "too many clients already"
_REST_RESERVED: Final = "remaining connection slots are reserved"
_USED_UP: Final = (
    _ALL_TAKEN,
    _REST_RESERVED,
    "too many connections for",  # of a role or a database
    "no more connections allowed",  # PgBouncer's
)

_slots: dict[tuple[str | None, str | None], tuple[int, int]] = {}
"""How many connections each server accepts, and how many are reserved for superusers, as of the last connection."""


def remember_slots(server: Mapping[str, str], *, most: int, reserved: int) -> None:
    """Remember how many connections a server accepts, for the message when all are in use."""
    _slots[_place(server)] = most, reserved


def outage(error: BaseException | None, server: Mapping[str, str]) -> Unavailable:
    """Return the failure to show to users for a driver error."""
    text = str(error)
    if any(refusal in text for refusal in _USED_UP):
        return Unavailable(_connections_used_up(text, _slots.get(_place(server))))
    return Unavailable(_BY_STATE.get(getattr(error, "sqlstate", None) or "", _NO_ANSWER))


def _connections_used_up(text: str, slots: tuple[int, int] | None) -> str:
    used = None
    if slots is not None and _ALL_TAKEN in text:
        used = slots[0]
    elif slots is not None and _REST_RESERVED in text:
        used = slots[0] - slots[1]
    figures = "" if slots is None or used is None else f" ({used:,} of {slots[0]:,})"
    return f"The database server's connections are all in use{figures}."


def _place(server: Mapping[str, str]) -> tuple[str | None, str | None]:
    return server.get("hostaddr") or server.get("host"), server.get("port")
