"""Messages about passwords. They omit the user's name, which was chosen by whoever registered the e-mail address."""

from collections.abc import Iterable
from typing import Final

from repaircore.accounts.model import User
from repaircore.kernel.callers import Environment
from repaircore.messages.model import Channel, NewMessage
from repaircore.passwords.model import PasswordReset

ABOUT: Final = "password"


def reset_mail(user: User, reset: PasswordReset, *, token: str, public_url: str) -> NewMessage:
    """Return the message with the link that a user requested to reset their password."""
    lines = (
        "Hello,",
        "",
        f"You asked for a new password for your account {user.email}. Open this link within 1 hour to choose one:",
        "",
        f"{public_url.rstrip('/')}/console/reset/{token}",
        "",
        "The link works once. If you ask for another one, only the latest link works.",
        "",
        "If you did not ask for this, ignore this e-mail. Your password stays as it is.",
        "",
    )
    return _link_mail(user, reset, subject="Choose a new password", lines=lines)


def invitation_mail(user: User, reset: PasswordReset, *, url: str) -> NewMessage:
    """Return the message with the link to choose the password of a new account."""
    lines = (
        "Hello,",
        "",
        f"An account was created for you: {user.email}. Open this link within 24 hours to choose its password:",
        "",
        url,
        "",
        "The link works once.",
        "",
        "If you do not know why you received this mail, ignore it. Nobody can use the account without the link.",
        "",
    )
    return _link_mail(user, reset, subject="Your new account", lines=lines)


def operator_reset_mail(user: User, reset: PasswordReset, *, url: str) -> NewMessage:
    """Return the message with a link, created by an operator, to choose a new password."""
    lines = (
        "Hello,",
        "",
        f"An administrator sent you this link to choose a new password for your account {user.email}. It works for 24 hours:",
        "",
        url,
        "",
        "The link works once. If you are sent another one, only the latest link works.",
        "",
        "If you did not expect this, ignore this e-mail. Your password stays as it is.",
        "",
    )
    return _link_mail(user, reset, subject="Choose a new password", lines=lines)


def _link_mail(user: User, reset: PasswordReset, *, subject: str, lines: Iterable[str]) -> NewMessage:
    return NewMessage(
        channel=Channel.EMAIL,
        environment=Environment.LIVE,
        recipient=user.email,
        subject=subject,
        body="\n".join(lines),
        about=ABOUT,
        expires_at=reset.expires_at,
    )


def changed_mail(user: User, *, public_url: str) -> NewMessage:
    """Return the message that notifies a user that their password was changed."""
    lines = (
        "Hello,",
        "",
        f"The password for your account {user.email} was just changed.",
        "",
        "If this was you, there is nothing left to do.",
        "",
        "If it was not you, someone else can log in as you. Choose a new password now:",
        "",
        f"{public_url.rstrip('/')}/console/forgot",
        "",
        "Then check your API keys: they keep working after a password change.",
        "",
    )
    return NewMessage(
        channel=Channel.EMAIL,
        environment=Environment.LIVE,
        recipient=user.email,
        subject="Your password was changed",
        body="\n".join(lines),
        about=ABOUT,
    )
