"""Rate limits for both APIs."""

from collections.abc import Callable, Mapping
from contextlib import suppress

from attrs import frozen

from repaircore.kernel.callers import Caller, Credential, Environment, ProviderCaller
from repaircore.kernel.errors import TooMany, Unavailable
from repaircore.limits.model import Limit, Verdict, WindowStatus
from repaircore.limits.network import network_of
from repaircore.limits.ports import Windows
from repaircore.limits.window import unused_status, used_up_status


@frozen(kw_only=True)
class Limits:
    """Rate limits for requests, logins and registrations.

    ``requests`` is for each API key (or management session's user), ``predictions`` for each publishable key, which may
    be used in a browser. ``logins`` is for failed logins with one e-mail address from one IP address, ``all_logins``
    for those with any e-mail address from one client. ``registrations`` is for each client, and also for its requests
    for password reset links; each e-mail address gets at most ``resets`` links on requests from one IP address, and
    ``all_resets`` from any. ``partners`` is for each partner, by environment, ``anonymous`` for each client that calls
    the partner API without a valid token; these two are in ``partner_windows``. ``visitors`` is for what the public
    pages compute for each client without an account. ``wall`` returns nanoseconds since 1970.
    """

    windows: Windows
    requests: Limit
    predictions: Limit
    logins: Limit
    all_logins: Limit
    registrations: Limit
    resets: Limit
    all_resets: Limit
    visitors: Limit
    partner_windows: Windows
    partners: Mapping[Environment, Limit]
    anonymous: Limit
    wall: Callable[[], int]

    def count_request(self, caller: Caller) -> None:
        """Count a request from the caller.

        Raises:
            TooMany: the limit is used up; ``retry_after`` is how long to wait.
        """
        self._acquire("request", caller, self.requests)

    def count_provider(self, caller: ProviderCaller) -> None:
        """Count a request from a provider; the limit is that of an API key.

        Raises:
            TooMany: the limit is used up; ``retry_after`` is how long to wait.
        """
        with suppress(Unavailable):  # better uncounted than refused
            _admit(self.windows.acquire(f"provider {caller.provider_ref}", self.requests))

    def count_prediction(self, caller: Caller) -> None:
        """Count a prediction; only publishable keys have this limit, and the fast lane relies on that.

        Raises:
            TooMany: the limit is used up; ``retry_after`` is how long to wait.
        """
        if caller.credential is Credential.PUBLISHABLE:
            self._acquire("prediction", caller, self.predictions)

    def check_login(self, email: str, address: str) -> None:
        """Check that another login with an e-mail address may be attempted from an IP address, without counting it.

        Raises:
            TooMany: the limit on failed logins is used up, with this e-mail address or with any from this client.
            Unavailable: failures cannot be counted at the moment.
        """
        for subject, limit in self._logins(email, address):
            _admit(self.windows.peek(subject, limit))

    def login_queue(self, email: str, address: str) -> str:
        """Return the hashing queue's subject for a login: its own, or that of its network if the network is suspected.

        Raises:
            Unavailable: failures cannot be counted at the moment.
        """
        network = f"suspect {network_of(address)}"
        return f"{email} {address}" if self.windows.peek(network, self._suspicion).admitted else network

    def count_failed_login(self, email: str, address: str) -> None:
        """Count a failed login.

        Raises:
            TooMany: other logins failed at the same moment and used up the limit.
            Unavailable: failures cannot be counted at the moment.
        """
        self.windows.acquire(f"suspect {network_of(address)}", self._suspicion)  # this alone refuses no one
        for subject, limit in self._logins(email, address):
            _admit(self.windows.acquire(subject, limit))

    @property
    def _suspicion(self) -> Limit:
        """The failures after which a network is suspected: twice as many as one person may have."""
        return Limit(2 * self.logins.count, self.logins.seconds)

    def count_registration(self, address: str) -> None:
        """Count a registration from the client behind an IP address.

        Raises:
            TooMany: the limit for this client is used up.
            Unavailable: registrations cannot be counted at the moment; none is admitted until they can be.
        """
        _admit(self.windows.acquire(f"registration {network_of(address)}", self.registrations))

    def count_reset_request(self, email: str, address: str) -> None:
        """Count a request for a password reset link, for an e-mail address with or without an account.

        Raises:
            TooMany: the limit is used up, for this e-mail address or for this IP address.
            Unavailable: requests cannot be counted at the moment; none is admitted until they can be.
        """
        _admit(self.windows.acquire(f"resets {network_of(address)}", self.registrations))
        _admit(self.windows.acquire(f"reset {email} {address}", self.resets))
        _admit(self.windows.acquire(f"resets of {email}", self.all_resets))

    def count_bad_provider_key(self, address: str) -> None:
        """Count a request with an unknown provider key, apart from requests without a key.

        Raises:
            TooMany: the limit for this client is used up.
            Unavailable: requests cannot be counted at the moment; none is admitted until they can be.
        """
        _admit(self.windows.acquire(f"bad key {network_of(address)}", self.visitors))

    def count_visitor(self, address: str) -> None:
        """Count a computation that a public page makes for a visitor without an account.

        Raises:
            TooMany: the limit for this client is used up.
            Unavailable: visitors cannot be counted at the moment; none is admitted until they can be.
        """
        _admit(self.windows.acquire(f"visitor {network_of(address)}", self.visitors))

    def count_link(self, token: str) -> None:
        """Count the use of an existing link, whatever the IP address: phones on one network share one.

        The limit is that of ``visitors``.

        Raises:
            TooMany: the limit for this link is used up.
        """
        with suppress(Unavailable):  # better uncounted than refused: the link cannot be guessed
            _admit(self.windows.acquire(f"link {token}", self.visitors))

    def _logins(self, email: str, address: str) -> tuple[tuple[str, Limit], ...]:
        return (
            (f"login {email} {address}", self.logins),
            (f"logins {network_of(address)}", self.all_logins),
        )

    def count_partner_request(self, partner_id: int, environment: Environment) -> WindowStatus:
        """Count a request from a partner, and return the status of the partner's window.

        A refused request has ``admitted`` False; nothing is raised. While the store is not responding,
        requests are not counted, and the window is reported as unused.
        """
        limit = self.partners[environment]
        try:
            return self.partner_windows.hit(f"partner {environment} {partner_id}", limit)
        except Unavailable:
            return unused_status(limit, self.wall())

    def count_session(self, partner_id: int, environment: Environment, address: str) -> WindowStatus:
        """Count a request for a partner session, and return the status of the window for the client's IP address.

        These requests have their own window, so that a stranger who has the partner's public key cannot use up the
        partner's requests.

        Raises:
            Unavailable: requests cannot be counted at the moment; none is admitted until they can be.
        """
        subject = f"sessions {environment} {partner_id} {network_of(address)}"
        return self.partner_windows.hit(subject, self.partners[environment])

    def count_anonymous(self, address: str) -> WindowStatus:
        """Count a request to the partner API without a valid token, and return the status of the client's window.

        Raises:
            Unavailable: requests cannot be counted at the moment; none is admitted until they can be.
        """
        return self.partner_windows.hit(f"stranger {network_of(address)}", self.anonymous)

    def anonymous_status(self) -> WindowStatus:
        """Return the status for a client without a token while requests cannot be counted: the window is full."""
        return used_up_status(self.anonymous, self.wall())

    def _acquire(self, action: str, caller: Caller, limit: Limit) -> None:
        subject = f"key {caller.key_id}" if caller.key_id is not None else f"user {caller.user_id}"
        try:
            verdict = self.windows.acquire(f"{action} {subject}", limit)
        except Unavailable:
            return  # better uncounted than refused; only logins and anonymous requests need their count
        _admit(verdict)


def _admit(verdict: Verdict) -> None:
    if not verdict.admitted:
        raise TooMany(verdict.retry_after)
