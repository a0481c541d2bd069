"""Wiring of accounts: users, sessions, keys, and the audit log."""

import os
from typing import TYPE_CHECKING

from repaircore.accounts.service import Accounts
from repaircore.adapters.crypto.passwords import Argon2Passwords
from repaircore.adapters.sql.credentials import SqlCredentials
from repaircore.audit.service import Audit

if TYPE_CHECKING:
    from repaircore.accounts.ports import PasswordHasher
    from repaircore.core import Core


def accounts(core: "Core") -> Accounts:
    """Wire users, sessions and keys."""
    return Accounts(
        transaction=core.storage.transaction,
        read=core.storage.read,
        credentials=SqlCredentials(core.storage.driver),
        hasher=core.password_hasher,
        gate=core.limits,
        random=os.urandom,
        clock=core.clock,
    )


def password_hasher(core: "Core") -> "PasswordHasher":
    """Wire the password hasher."""
    return Argon2Passwords(core.settings.state / "passwords.lock")


def audit(core: "Core") -> Audit:
    """Wire the audit log."""
    return Audit(read=core.storage.read)
