"""Links that operators create for users: for a new account, or a forgotten password."""

from datetime import datetime

from attrs import frozen

from repaircore.accounts import tokens
from repaircore.accounts.errors import UserNotFound
from repaircore.accounts.model import User
from repaircore.accounts.ports import PasswordHasher, RandomBytes
from repaircore.kernel.callers import LOCAL, Caller, require_operator
from repaircore.kernel.emails import fold_email
from repaircore.kernel.keys import digest
from repaircore.kernel.rules import require_valid
from repaircore.kernel.types import Clock
from repaircore.passwords.errors import LockedAccount, ResetsOff
from repaircore.passwords.letters import invitation_mail, operator_reset_mail
from repaircore.passwords.model import OPERATOR_LINK_LIFETIME, NewLink, PasswordReset
from repaircore.passwords.ports import OpenWork, PasswordsWork
from repaircore.passwords.rules import InviteUser


@frozen(kw_only=True)
class OperatorLinks:
    """Use cases for links that operators create. A link replaces its user's earlier one, and works once.

    ``sends_mails`` is whether mail is sent; ``has_pages`` is whether ``public_url`` serves the page that a link opens.
    """

    transaction: OpenWork
    hasher: PasswordHasher
    random: RandomBytes
    clock: Clock
    sends_mails: bool
    has_pages: bool
    public_url: str

    @property
    def can_mail(self) -> bool:
        """Whether links can be mailed; otherwise operators pass them on."""
        return self.sends_mails and self.has_pages

    def invite(self, *, name: str, email: str, mail: bool = False, caller: Caller = LOCAL) -> NewLink:
        """Create an account whose user sets the password with a link; return the link, and mail it if ``mail`` is set.

        Raises:
            Forbidden: the caller is not an admin of the live environment.
            ResetsOff: there is no page for a link to open, or it cannot be mailed.
            Invalid: on ``name`` and ``email``.
            TooMany: the machine is busy hashing.
        """
        require_operator(caller)
        self._require_links(mail=mail)
        require_valid(InviteUser(name=name, email=email))
        # Nobody knows this password. Hashing is slow by design, so it is done before a unit of work opens.
        password_hash = self.hasher.hash(self._new_token())
        with self.transaction() as work:
            now = self.clock()
            user = work.users.add(
                name=name.strip(), email=fold_email(email), password_hash=password_hash, at=now
            )
            after = {"role": user.role.value, "mailed": mail}
            work.audit.add(caller, "user.invite", f"users/{user.id}", before=None, after=after, at=now)
            link, reset = self._put(work, user, now)
            if mail:
                work.messages.add(invitation_mail(user, reset, url=link.url), now)
        return link

    def create(self, email: str, *, mail: bool = False, caller: Caller = LOCAL) -> NewLink:
        """Create a link for a user to set a new password; return it, and mail it if ``mail`` is set.

        Raises:
            Forbidden: the caller is not an admin of the live environment.
            ResetsOff: there is no page for a link to open, or it cannot be mailed.
            UserNotFound: no user has this e-mail address.
            LockedAccount: the account is locked.
        """
        require_operator(caller)
        self._require_links(mail=mail)
        with self.transaction() as work:
            user, now = work.users.find_by_email(fold_email(email)), self.clock()
            if user is None:
                raise UserNotFound(email)
            if user.is_locked:
                raise LockedAccount
            after = {"mailed": mail}
            work.audit.add(caller, "user.create_link", f"users/{user.id}", before=None, after=after, at=now)
            link, reset = self._put(work, user, now)
            if mail:
                work.messages.add(operator_reset_mail(user, reset, url=link.url), now)
        return link

    def _require_links(self, *, mail: bool) -> None:
        if not self.has_pages or (mail and not self.sends_mails):
            raise ResetsOff

    def _put(self, work: PasswordsWork, user: User, now: datetime) -> tuple[NewLink, PasswordReset]:
        token = self._new_token()
        reset = PasswordReset(
            user_id=user.id, token_hash=digest(token), expires_at=now + OPERATOR_LINK_LIFETIME
        )
        work.password_resets.put(reset)
        url = f"{self.public_url.rstrip('/')}/console/reset/{token}"
        return NewLink(user=user, url=url, expires_at=reset.expires_at), reset

    def _new_token(self) -> str:
        return tokens.reset_token(self.random(tokens.LINK_BYTES))
