"""Safeguards against losing an installation's last admin."""

from repaircore.accounts.errors import LastAdmin, OwnAccount, UserNotFound
from repaircore.accounts.model import User
from repaircore.accounts.ports import AccountsWork
from repaircore.kernel.callers import Caller, Credential, Role
from repaircore.kernel.emails import fold_email


def lock_admins_and_find(work: AccountsWork, email: str) -> User:
    """Lock the admins and return the user; without the lock, two admins could demote each other at once.

    Raises:
        UserNotFound: no user has this e-mail.
    """
    work.users.lock_admins()
    user = work.users.find_by_email(fold_email(email))
    if user is None:
        raise UserNotFound(email)
    return user


def require_other_admin(work: AccountsWork, user: User, caller: Caller) -> None:
    """Require that another admin can still log in without this user, and that the user is not the caller.

    The command line is exempt from both: whoever can use it can create an admin at any time.

    Raises:
        OwnAccount: the user is the caller.
        LastAdmin: no admin who can log in would remain.
    """
    if caller.credential is Credential.LOCAL:
        return
    if user.id == caller.user_id:
        raise OwnAccount
    if user.role is Role.ADMIN and not user.is_locked and not work.users.has_other_admin(user.id):
        raise LastAdmin
