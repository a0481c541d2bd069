"""Whose a record is that somebody asked for, and whose records a caller may see."""

from typing import Final

from repaircore.kernel.callers import Caller, Credential

__all__ = ["INSTALLATION", "owner_of", "reached_by", "seen_by"]

INSTALLATION: Final = 0
"""The owner of what nobody's account asked for: the command line, an embedding application."""


def owner_of(caller: Caller) -> int:
    """Give the owner of what a caller asks for: the user behind the credential."""
    return INSTALLATION if caller.user_id is None else caller.user_id


def seen_by(caller: Caller) -> int | None:
    """Give the owner whose records a caller may see; None are everybody's, for an admin."""
    return None if caller.is_admin else owner_of(caller)


def reached_by(caller: Caller) -> int | None:
    """Give the owner whose private records a caller reaches; None are everybody's, for the installation itself alone."""
    return None if caller.credential is Credential.LOCAL else owner_of(caller)
