"""The limits of the main service."""

from attrs import frozen

from repaircore.kernel.callers import Caller, Credential
from repaircore.kernel.errors import TooMany, Unavailable
from repaircore.limits.model import Limit
from repaircore.limits.ports import Windows

__all__ = ["Limits"]


@frozen(kw_only=True)
class Limits:
    """How often a key may ask, and how often a login may fail.

    ``requests`` is for each API key (or management session's user), ``predictions`` for each publishable key,
    which may sit in a browser, ``logins`` for failed logins with one e-mail from one address.
    """

    windows: Windows
    requests: Limit
    predictions: Limit
    logins: Limit

    def request(self, caller: Caller) -> None:
        """Count a request of the caller.

        Raises:
            TooMany: with the seconds to wait.
        """
        self._take("request", caller, self.requests)

    def prediction(self, caller: Caller) -> None:
        """Count a prediction; only publishable keys have this limit.

        Raises:
            TooMany: with the seconds to wait.
        """
        if caller.credential is Credential.PUBLISHABLE:
            self._take("prediction", caller, self.predictions)

    def check(self, subject: str) -> None:
        """Let another login be tried.

        Raises:
            TooMany: as many have failed as are allowed.
            Unavailable: failures cannot be counted at the moment.
        """
        verdict = self.windows.peek(f"login {subject}", self.logins)
        if not verdict.admitted:
            raise TooMany(verdict.retry_after)

    def failed(self, subject: str) -> None:
        """Count a failed login.

        Raises:
            TooMany: others failed at the same moment and used the limit up.
            Unavailable: failures cannot be counted at the moment.
        """
        verdict = self.windows.take(f"login {subject}", self.logins)
        if not verdict.admitted:
            raise TooMany(verdict.retry_after)

    def _take(self, what: str, caller: Caller, limit: Limit) -> None:
        whose = f"key {caller.key_id}" if caller.key_id is not None else f"user {caller.user_id}"
        try:
            verdict = self.windows.take(f"{what} {whose}", limit)
        except Unavailable:
            return  # uncounted is better than unanswered; only logins insist on their count
        if not verdict.admitted:
            raise TooMany(verdict.retry_after)
