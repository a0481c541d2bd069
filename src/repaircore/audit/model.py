"""Filters for the audit log."""

from datetime import date
from typing import Annotated, Final

from attrs import frozen

from repaircore.kernel.rules import Length

INSTALLATION: Final = "installation"
"""The author of changes made at the command line or by an embedding application."""


@frozen(kw_only=True)
class AuditFilter:
    """Selects changes by author (an e-mail, or ``installation``), action, and dates (in UTC, inclusive).

    None matches any.
    """

    who: Annotated[str, Length(0, 255)] | None = None
    action: Annotated[str, Length(0, 100)] | None = None
    date_from: date | None = None
    date_to: date | None = None


ALL_CHANGES: Final = AuditFilter()


@frozen(kw_only=True)
class AuditCriteria:
    """A validated filter: ``by_installation`` and ``user_id`` are mutually exclusive."""

    by_installation: bool = False
    user_id: int | None = None
    action: str | None = None
    date_from: date | None = None
    date_to: date | None = None
