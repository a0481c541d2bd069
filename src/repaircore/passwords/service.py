"""Change passwords, and reset forgotten ones."""

from datetime import datetime
from typing import Final

from attrs import frozen

from repaircore.accounts import tokens
from repaircore.accounts.model import User
from repaircore.accounts.ports import PasswordHasher, RandomBytes
from repaircore.accounts.rules import NewPassword, require_unlike_email
from repaircore.kernel.callers import Caller, Credential, Environment
from repaircore.kernel.emails import fold_email
from repaircore.kernel.errors import Unauthenticated
from repaircore.kernel.keys import digest
from repaircore.kernel.rules import require_valid
from repaircore.kernel.types import Clock
from repaircore.passwords.errors import ResetLinkEnded, ResetsOff, WrongPassword
from repaircore.passwords.letters import changed_mail, reset_mail
from repaircore.passwords.model import LINK_LIFETIME, PasswordReset, ResetRequest
from repaircore.passwords.ports import OpenWork, PasswordGate, PasswordsWork
from repaircore.passwords.rules import ForgotPassword

_BATCH: Final = 50


@frozen(kw_only=True)
class Passwords:
    """Use cases for passwords.

    ``sends_mails`` is whether mail is sent; ``has_pages`` is whether ``public_url`` serves the page that a link opens.
    """

    transaction: OpenWork
    read: OpenWork
    hasher: PasswordHasher
    gate: PasswordGate
    random: RandomBytes
    clock: Clock
    sends_mails: bool
    has_pages: bool
    public_url: str

    @property
    def sends_links(self) -> bool:
        """Whether a forgotten password can be reset by mail."""
        return self.sends_mails and self.has_pages

    def request_link(self, *, email: str, address: str) -> None:
        """Request a link for a forgotten password; ``address`` is the client's IP address, for the limit.

        The result does not reveal whether the e-mail address has an account: ``mail_links`` looks it up later.

        Raises:
            ResetsOff: there is no page for a link to open, or it cannot be mailed.
            Invalid: on ``email``.
            TooMany: the limit for this e-mail address or this IP address is used up.
            Unavailable: requests cannot be counted right now.
        """
        if not self.sends_links:
            raise ResetsOff
        require_valid(ForgotPassword(email=email))
        folded = fold_email(email)
        self.gate.count_reset_request(folded, address)
        with self.transaction() as work:
            work.reset_requests.add(ResetRequest(email=folded, requested_at=self.clock()))

    def mail_links(self) -> int:
        """Mail a batch of requested links, and return how many were mailed; for a background job."""
        with self.transaction() as work:
            now = self.clock()
            requests = work.reset_requests.take(_BATCH)
            emails = {request.email for request in requests if now - request.requested_at < LINK_LIFETIME}
            users = [user for email in sorted(emails) if (user := work.users.find_by_email(email))]
            usable = [user for user in users if not user.is_locked]
            for user in usable:
                self._mail_link(work, user, now)
        return len(usable)

    def require_link(self, token: str) -> None:
        """Require that ``token`` belongs to a link that still works.

        Raises:
            ResetLinkEnded: the token is unknown, or its link was used or replaced, or has expired.
        """
        self._email_of(token)

    def reset(self, *, token: str, password: str) -> None:
        """Set a new password for a link's user, end all of their sessions, and notify them by mail if mail is sent.

        Raises:
            Invalid: on ``password``; the link still works.
            ResetLinkEnded: the link no longer works, or the account is locked.
            TooMany: the machine is busy hashing; the link still works.
        """
        require_valid(NewPassword(password=password))
        require_unlike_email(password, self._email_of(token))
        password_hash = self.hasher.hash(password)  # slow by design, so done before the unit of work opens
        with self.transaction() as work:
            user_id = work.password_resets.take(digest(token), now=self.clock())
            user = None if user_id is None else work.users.find(user_id)
            if user is None or user.is_locked:
                raise ResetLinkEnded
            work.users.set_password(user.id, password_hash)
            work.sessions.delete_for_user(user.id)
            self._record_change(work, user, "user.reset_own_password")

    def change(
        self, *, current_password: str, password: str, token: str, caller: Caller, address: str
    ) -> None:
        """Change the caller's password, and end all of their sessions except that of ``token``.

        They are notified by mail, if mail is sent. ``address`` is the client's IP address, for the limit on wrong
        passwords.

        Raises:
            Invalid: on ``password``.
            Unauthenticated: the caller has no account, or it is locked.
            WrongPassword: the current password is wrong.
            TooMany: too many wrong passwords, which count like failed logins, or the machine is busy hashing.
            Unavailable: wrong passwords cannot be counted right now.
        """
        require_valid(NewPassword(password=password))
        while True:
            user = self._verify(caller, current_password, address)
            require_unlike_email(password, user.email)
            password_hash = self.hasher.hash(password)
            with self.transaction() as work:
                if work.users.replace_password(user.id, old=user.password_hash, new=password_hash):
                    work.sessions.delete_for_user(user.id, except_hash=digest(token))
                    work.password_resets.delete_for_user(user.id)
                    self._record_change(work, user, "user.change_password")
                    return
            # The password or the lock changed while the hash was compared: verify again.

    def confirm(self, password: str, caller: Caller, *, address: str) -> None:
        """Require the caller's current password, for actions that a stolen session must not allow.

        ``address`` is the client's IP address, for the limit on wrong passwords.

        Raises:
            Unauthenticated: the caller has no account, or it is locked.
            WrongPassword: the password is wrong.
            TooMany: too many wrong passwords, which count like failed logins, or the machine is busy hashing.
            Unavailable: wrong passwords cannot be counted right now.
        """
        self._verify(caller, password, address)

    def _email_of(self, token: str) -> str:
        """Return the e-mail address of a link's user; raise ResetLinkEnded if there is none."""
        with self.read() as work:
            user_id = work.password_resets.find_user(digest(token), now=self.clock())
            user = None if user_id is None else work.users.find(user_id)
        if user is None:
            raise ResetLinkEnded
        return user.email

    def _verify(self, caller: Caller, password: str, address: str) -> User:
        with self.read() as work:
            user = None if caller.user_id is None else work.users.find(caller.user_id)
        if user is None or user.is_locked:
            raise Unauthenticated
        # A stolen session must not make it easier to guess the password.
        self.gate.check_login(user.email, address)
        queue = self.gate.login_queue(user.email, address)
        if not self.hasher.verify(user.password_hash, password, subject=queue):
            self.gate.count_failed_login(user.email, address)
            raise WrongPassword
        return user

    def _mail_link(self, work: PasswordsWork, user: User, now: datetime) -> None:
        token = tokens.reset_token(self.random(tokens.LINK_BYTES))
        reset = PasswordReset(user_id=user.id, token_hash=digest(token), expires_at=now + LINK_LIFETIME)
        work.password_resets.put(reset)
        work.messages.add(reset_mail(user, reset, token=token, public_url=self.public_url), now)

    def _record_change(self, work: PasswordsWork, user: User, action: str) -> None:
        now = self.clock()
        owner = Caller(
            user_id=user.id, role=user.role, environment=Environment.LIVE, credential=Credential.SESSION
        )
        work.audit.add(owner, action, f"users/{user.id}", before=None, after=None, at=now)
        if self.sends_mails:
            work.messages.add(changed_mail(user, public_url=self.public_url), now)
