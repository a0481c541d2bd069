"""Ports of partner accounts."""

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Protocol, TypeAlias

from repaircore.kernel.audit import AuditLog
from repaircore.kernel.callers import Environment, PartnerCaller
from repaircore.kernel.paging import Page
from repaircore.partners.model import Claims, KeyOwner, Partner, PartnerKey, PartnerMember

RandomBytes: TypeAlias = Callable[[int], bytes]
"""Return this many bytes from a cryptographic source."""


class PartnerRecords(Protocol):
    """The stored partners."""

    def find_or_add(self, name: str, *, at: datetime) -> Partner:
        """Return the partner with a name, and store it when there is none; lock it until the unit of work ends.

        Concurrent calls with the same name wait for each other and return the same partner.
        """

    def find(self, name: str) -> Partner | None:
        """Find a partner by name, with its keys."""

    def find_by_id(self, partner_id: int) -> Partner | None:
        """Find a partner by id, with its keys."""

    def list_page(self, *, number: int, per_page: int, search: str = "", sort: str = "") -> Page[Partner]:
        """List a page of the partners with their keys whose name or a public key has each word of ``search``.

        Sorted by id (``created_at``) or by ``name``; "-" before it reverses the order.

        Raises:
            Invalid: on ``sort``.
        """

    def list_names(self, partner_ids: Collection[int]) -> Mapping[int, str]:
        """Return the names of partners by id."""

    def set_suspended(self, partner_id: int, at: datetime | None) -> bool:
        """Suspend a partner, or resume it with None; return False when nothing changed.

        All workers see the change at once. The time of an earlier suspension is not overwritten.
        """


class PartnerKeys(Protocol):
    """The stored keys of partners."""

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
        """End the sessions of an environment that were opened up to ``at``. All workers see it at once."""

    def revoke(self, partner_id: int, environment: Environment, *, at: datetime) -> int:
        """Revoke the key pairs of an environment from ``at`` on; return how many would have been valid for longer."""

    def find_owner(self, public_hash: bytes) -> KeyOwner | None:
        """Find the owner of the public key with this SHA-256; revoked keys and suspended partners included."""

    def find_secret_owner(self, secret_hash: bytes) -> KeyOwner | None:
        """Find the owner of the secret key with this SHA-256; revoked keys and suspended partners included."""


class PartnerMembers(Protocol):
    """The stored members of partners. Emails are folded."""

    def add(self, partner_id: int, email: str, *, at: datetime) -> PartnerMember | None:
        """Make the account with an email a member, and return it; None if there is no such account.

        An account that is already a member is returned unchanged, even if it belongs to another partner.
        """

    def find(self, user_id: int) -> PartnerMember | None:
        """Find the membership of an account."""

    def list_for(self, *partner_ids: int) -> Sequence[PartnerMember]:
        """List the members of partners, by email, in one query."""

    def remove(self, partner_id: int, email: str) -> bool:
        """Remove a member; return False when there was none."""


class PartnersWork(Protocol):
    """The part of a unit of work that partner accounts need."""

    @property
    def partners(self) -> PartnerRecords:
        """The stored partners."""

    @property
    def partner_keys(self) -> PartnerKeys:
        """The stored keys of partners."""

    @property
    def partner_members(self) -> PartnerMembers:
        """The stored members of partners."""

    @property
    def audit(self) -> AuditLog:
        """The audit log of changes by operators."""


OpenWork: TypeAlias = Callable[[], AbstractContextManager[PartnersWork]]
"""Open a unit of work, which is committed when the block ends and rolled back when it raises."""


class SessionTokens(Protocol):
    """Session tokens: signed, so that they need not be stored."""

    def sign(self, claims: Claims, *, sdk_version: str) -> str:
        """Return a signed token; its times are whole seconds."""

    def read(self, token: str) -> Claims | None:
        """Return the claims of a genuine token, expired or not; None for any other text."""


class PartnerStatuses(Protocol):
    """Whether the sessions of partners are open; read on every request."""

    def last_end(self, caller: PartnerCaller) -> int:
        """Return the number of the last end of the partner's sessions in its environment; 0 before any.

        Raises:
            Unavailable: the database is not responding.
        """

    def is_open(self, claims: Claims) -> bool:
        """Return whether the partner exists, is not suspended, and has not ended its sessions since this one was opened.

        Ends of sessions are compared by number, not by time.

        Once a suspension or an end is committed, every worker sees it.

        Raises:
            Unavailable: the database is not responding.
        """
