"""Wiring of accounts: users, sessions, keys, passwords, and the audit log."""

import os
from typing import TYPE_CHECKING

from repaircore.accounts.administration import UserAdministration
from repaircore.accounts.first_admin import FirstAdmin, SetupLink
from repaircore.accounts.service import Accounts
from repaircore.adapters.crypto.passwords import Argon2Passwords
from repaircore.adapters.sql.credentials import SqlCredentials
from repaircore.audit.service import Audit
from repaircore.passwords.operator_links import OperatorLinks
from repaircore.passwords.service import Passwords
from repaircore.settings import SETUP_LINK

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


def user_administration(core: "Core") -> UserAdministration:
    """Wire account administration by operators."""
    return UserAdministration(transaction=core.storage.transaction, read=core.storage.read, clock=core.clock)


def passwords(core: "Core") -> Passwords:
    """Wire password changes and resets."""
    settings = core.settings
    return Passwords(
        transaction=core.storage.transaction,
        read=core.storage.read,
        hasher=core.password_hasher,
        gate=core.limits,
        random=os.urandom,
        clock=core.clock,
        sends_mails=settings.mail.is_on,
        has_pages=settings.console,
        public_url=settings.public_url,
    )


def operator_links(core: "Core") -> OperatorLinks:
    """Wire the links that operators create for other users."""
    settings = core.settings
    return OperatorLinks(
        transaction=core.storage.transaction,
        hasher=core.password_hasher,
        random=os.urandom,
        clock=core.clock,
        sends_mails=settings.mail.is_on,
        has_pages=settings.console,
        public_url=settings.public_url,
    )


def first_admin(core: "Core") -> FirstAdmin:
    """Wire the creation of the first admin; the setup link comes from the server whose worker this process is."""
    return FirstAdmin(
        transaction=core.storage.transaction,
        read=core.storage.read,
        hasher=core.password_hasher,
        gate=core.limits,
        random=os.urandom,
        clock=core.clock,
        link=SetupLink.parse(os.environ.get(SETUP_LINK, "")),
    )


def password_hasher(core: "Core") -> "PasswordHasher":
    """Wire the password hasher."""
    return Argon2Passwords(core.settings.state / "passwords.lock")


def audit(core: "Core") -> Audit:
    """Wire the audit log."""
    return Audit(read=core.storage.read)
