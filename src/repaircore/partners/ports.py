"""Ports for partner accounts."""

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Protocol, TypeAlias

from repaircore.kernel.audit import AuditLog
from repaircore.kernel.callers import Environment, PartnerCaller
from repaircore.kernel.paging import Page
from repaircore.partners.model import Claims, KeyOwner, Partner, PartnerKey, PartnerMember

RandomBytes: TypeAlias = Callable[[int], bytes]
"""Return the given number of bytes from a cryptographically secure source."""


class PartnerRecords(Protocol):
    """The stored partners."""

    def find_or_add(self, name: str, *, at: datetime) -> Partner:
        """Return the partner with this name, creating it if needed; lock it until the unit of work ends.

        Concurrent calls with the same name wait for each other and return the same partner.
        """

    def find(self, name: str) -> Partner | None:
        """Return the partner with this name and its keys, or None."""

    def find_by_id(self, partner_id: int) -> Partner | None:
        """Return the partner with this id and its keys, or None."""

    def list_page(self, *, number: int, per_page: int, search: str = "", sort: str = "") -> Page[Partner]:
        """List a page of partners, with their keys, that have each word of ``search`` in their name or a public key.

        ``sort`` is ``created_at``, the default, or ``name``; a leading "-" reverses the order.

        Raises:
            Invalid: on ``sort``.
        """

    def list_names(self, partner_ids: Collection[int]) -> Mapping[int, str]:
        """Return the names of the given partners, by id."""

    def set_suspended(self, partner_id: int, at: datetime | None) -> bool:
        """Suspend a partner as of ``at``, or resume it if ``at`` is None; return whether this changed anything.

        All workers see the change at once. The time of an earlier suspension is not overwritten.
        """


class PartnerKeys(Protocol):
    """The stored partner keys."""

    def add(
        self,
        *,
        partner_id: int,
        environment: Environment,
        public_key: str,
        secret_hash: bytes,
        secret_last4: str,
        at: datetime,
    ) -> PartnerKey:
        """Store a new key pair."""

    def end_sessions(self, partner_id: int, environment: Environment, *, at: datetime) -> None:
        """End the partner's sessions in an environment that were opened before ``at``; all workers see this at once."""

    def revoke(self, partner_id: int, environment: Environment, *, at: datetime) -> int:
        """Revoke a partner's keys for an environment as of ``at``; return how many would have been valid longer."""

    def find_owner(self, public_hash: bytes) -> KeyOwner | None:
        """Return the owner of the public key with this SHA-256, even if the key is revoked, or None."""

    def find_secret_owner(self, secret_hash: bytes) -> KeyOwner | None:
        """Return the owner of the secret key with this SHA-256, even if the key is revoked, or None."""


class PartnerMembers(Protocol):
    """The stored partner members. E-mail addresses are folded."""

    def add(self, partner_id: int, email: str, *, at: datetime) -> PartnerMember | None:
        """Make the account with this e-mail address a member; return the member, or None if there is no account.

        An account that is already a member is returned unchanged, even if it belongs to another partner.
        """

    def find(self, user_id: int) -> PartnerMember | None:
        """Return an account's membership, or None if it is not a member of a partner."""

    def list_for(self, *partner_ids: int) -> Sequence[PartnerMember]:
        """List the members of the given partners, sorted by e-mail address, in one query."""

    def remove(self, partner_id: int, email: str) -> bool:
        """Remove a member; return whether there was one."""


class PartnersWork(Protocol):
    """The part of a unit of work that partner accounts need."""

    @property
    def partners(self) -> PartnerRecords:
        """The stored partners."""

    @property
    def partner_keys(self) -> PartnerKeys:
        """The stored partner keys."""

    @property
    def partner_members(self) -> PartnerMembers:
        """The stored partner members."""

    @property
    def audit(self) -> AuditLog:
        """The audit log."""


OpenWork: TypeAlias = Callable[[], AbstractContextManager[PartnersWork]]
"""Open a unit of work, which is committed when the block ends and rolled back when it raises."""


class SessionTokens(Protocol):
    """Signs and reads session tokens, which need not be stored because they are signed."""

    def sign(self, claims: Claims, *, sdk_version: str) -> str:
        """Return a signed token; its times are whole seconds."""

    def read(self, token: str) -> Claims | None:
        """Return the claims of a genuine token, expired or not, or None for any other string."""


class PartnerStatuses(Protocol):
    """Reports whether partners' sessions are open; every request reads this."""

    def last_end(self, caller: PartnerCaller) -> int:
        """Return when the partner's sessions in this environment were last ended, in microseconds, or 0 if never.

        Raises:
            Unavailable: the database is not responding.
        """

    def is_open(self, claims: Claims) -> bool:
        """Return whether the partner exists, is not suspended, and has not ended its sessions since this one began.

        A session has ended if ``last_end`` is no longer the ``ended_before`` in its token. If the token has none, the
        session has ended unless the token was issued after the last end. Once a suspension or an end is committed,
        every worker sees it.

        Raises:
            Unavailable: the database is not responding.
        """
