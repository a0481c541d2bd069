"""The first admin of an installation, who registers through a link that the server prints when it starts."""

import hmac
from datetime import UTC, datetime, timedelta
from typing import Final, Self

from attrs import evolve, frozen

from repaircore.accounts import tokens
from repaircore.accounts.errors import SetupLinkEnded
from repaircore.accounts.model import NewSession
from repaircore.accounts.ports import LoginGate, OpenWork, PasswordHasher, RandomBytes
from repaircore.accounts.rules import Registration, require_valid_registration
from repaircore.accounts.sign_in import start_session
from repaircore.kernel.callers import LOCAL, Role
from repaircore.kernel.emails import fold_email
from repaircore.kernel.keys import digest
from repaircore.kernel.types import Clock

LIFETIME: Final = timedelta(hours=24)


@frozen(kw_only=True)
class SetupLink:
    """The hash of a link's token, and when the link expires. A server's workers get it through their environment."""

    token_hash: bytes
    ends_at: datetime

    @classmethod
    def parse(cls, text: str) -> Self | None:
        """Parse a string that ``text()`` returned; return None for any other string."""
        token_hash, _, ends_at = text.partition(" ")
        try:
            return cls(
                token_hash=bytes.fromhex(token_hash), ends_at=datetime.fromtimestamp(int(ends_at), UTC)
            )
        except (ValueError, OverflowError, OSError):
            return None

    def text(self) -> str:
        """Return the link as a string, from which the token cannot be computed."""
        return f"{self.token_hash.hex()} {int(self.ends_at.timestamp())}"


@frozen(kw_only=True)
class NewSetupLink:
    """A new link and its token, which is shown only once."""

    link: SetupLink
    token: str


def new_setup_link(*, random: RandomBytes, now: datetime) -> NewSetupLink:
    """Return a new setup link, which expires after ``LIFETIME``."""
    token = tokens.setup_token(random(tokens.LINK_BYTES))
    return NewSetupLink(link=SetupLink(token_hash=digest(token), ends_at=now + LIFETIME), token=token)


@frozen(kw_only=True)
class FirstAdmin:
    """Use cases for creating the first admin. ``link`` is the setup link that this server printed, or None."""

    transaction: OpenWork
    read: OpenWork
    hasher: PasswordHasher
    gate: LoginGate
    random: RandomBytes
    clock: Clock
    link: SetupLink | None

    def require_link(self, token: str) -> None:
        """Require that the token belongs to the link and that the link still works.

        Raises:
            SetupLinkEnded: the token is not the link's, the link has expired, or there already is an admin.
        """
        if not self._is_open(token) or self._has_admin():
            raise SetupLinkEnded

    def register(
        self, token: str, *, name: str, email: str, password: str, address: str, user_agent: str = ""
    ) -> NewSession:
        """Create the first admin and sign in.

        Raises:
            SetupLinkEnded: the link does not work, or another visitor became the admin first.
            Invalid: on ``name``, ``email``, ``password``.
            TooMany: the limit for this IP address is used up, or the machine is busy hashing passwords.
            Unavailable: registrations cannot be counted at the moment.
        """
        self.require_link(token)
        require_valid_registration(Registration(name=name, email=email, password=password))
        self.gate.count_registration(address)
        password_hash = self.hasher.hash(password)  # slow by design, so before the unit of work is open
        now = self.clock()
        with self.transaction() as work:
            work.users.lock_admins()
            if work.users.has_admin():
                raise SetupLinkEnded
            user = work.users.add(
                name=name.strip(), email=fold_email(email), password_hash=password_hash, at=now
            )
            work.users.set_role(user.id, Role.ADMIN)
            work.audit.add(
                LOCAL,
                "user.create_first_admin",
                f"users/{user.id}",
                before=None,
                after={"role": Role.ADMIN.value},
                at=now,
            )
            return start_session(
                work,
                evolve(user, role=Role.ADMIN),
                random=self.random,
                now=now,
                address=address,
                user_agent=user_agent,
            )

    def _is_open(self, token: str) -> bool:
        link = self.link
        return (
            link is not None
            and hmac.compare_digest(link.token_hash, digest(token))
            and self.clock() < link.ends_at
        )

    def _has_admin(self) -> bool:
        with self.read() as work:
            return work.users.has_admin()
