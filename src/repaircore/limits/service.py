"""The limits of both services."""

from collections.abc import Callable, Mapping

from attrs import frozen

from repaircore.kernel.callers import Caller, Credential, Environment
from repaircore.kernel.errors import TooMany, Unavailable
from repaircore.limits.model import Limit, Verdict, WindowStatus
from repaircore.limits.network import network_of
from repaircore.limits.ports import Windows
from repaircore.limits.window import unused, used_up


@frozen(kw_only=True)
class Limits:
    """How often a key or a partner may ask, how often a login may fail, and how many may register.

    ``requests`` is for each API key (or management session's user), ``predictions`` for each publishable key,
    which may sit in a browser, ``logins`` for failed logins with one e-mail from one address, ``all_logins`` for those
    with any e-mail from one client, ``registrations`` for each client; ``partners``
    for each partner by the environment, ``strangers`` for each client that asks the partner service and is no
    known partner. Those two are kept in ``partner_windows``. ``wall`` tells nanoseconds since 1970.
    """

    windows: Windows
    requests: Limit
    predictions: Limit
    logins: Limit
    all_logins: Limit
    registrations: Limit
    partner_windows: Windows
    partners: Mapping[Environment, Limit]
    strangers: Limit
    wall: Callable[[], int]

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

    def check(self, email: str, address: str) -> None:
        """Let another login be tried with an e-mail from an address.

        Raises:
            TooMany: as many have failed as are allowed, with this e-mail or with any.
            Unavailable: failures cannot be counted at the moment.
        """
        for subject, limit in self._logins(email, address):
            _admit(self.windows.peek(subject, limit))

    def failed(self, email: str, address: str) -> None:
        """Count a failed login.

        Raises:
            TooMany: others failed at the same moment and used the limit up.
            Unavailable: failures cannot be counted at the moment.
        """
        for subject, limit in self._logins(email, address):
            _admit(self.windows.take(subject, limit))

    def registering(self, address: str) -> None:
        """Count a registration from an address.

        Raises:
            TooMany: as many were tried as are allowed.
            Unavailable: registrations cannot be counted at the moment; as with logins, nobody may then flood.
        """
        _admit(self.windows.take(f"registration {network_of(address)}", self.registrations))

    def _logins(self, email: str, address: str) -> tuple[tuple[str, Limit], ...]:
        return (
            (f"login {email} {address}", self.logins),
            (f"logins {network_of(address)}", self.all_logins),
        )

    def partner(self, partner_id: int, environment: Environment) -> WindowStatus:
        """Count a request of a partner, and tell how its window stands.

        Whoever is refused is told so by ``admitted``; nothing is raised. While windows cannot be kept,
        requests go on uncounted, and the window is told as if it were unused.
        """
        limit = self.partners[environment]
        try:
            return self.partner_windows.hit(f"partner {environment} {partner_id}", limit)
        except Unavailable:
            return unused(limit, self.wall())

    def stranger(self, address: str) -> WindowStatus:
        """Count a request to the partner service by a client that is no known partner, and tell how its window stands.

        Raises:
            Unavailable: requests cannot be counted at the moment; as with logins, nobody may then guess at will.
        """
        return self.partner_windows.hit(f"stranger {network_of(address)}", self.strangers)

    def stranger_uncounted(self) -> WindowStatus:
        """Tell how the window of a stranger stands whose requests cannot be counted: asking at once is not worth it."""
        return used_up(self.strangers, self.wall())

    def _take(self, what: str, caller: Caller, limit: Limit) -> None:
        whose = f"key {caller.key_id}" if caller.key_id is not None else f"user {caller.user_id}"
        try:
            verdict = self.windows.take(f"{what} {whose}", limit)
        except Unavailable:
            return  # uncounted is better than unanswered; only logins and strangers insist on their count
        _admit(verdict)


def _admit(verdict: Verdict) -> None:
    if not verdict.admitted:
        raise TooMany(verdict.retry_after)
