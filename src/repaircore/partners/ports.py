"""Ports of partner accounts."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Protocol, TypeAlias

from repaircore.kernel.audit import AuditLog
from repaircore.kernel.callers import Environment
from repaircore.partners.model import Claims, KeyOwner, Partner, PartnerKey

RandomBytes: TypeAlias = Callable[[int], bytes]
"""Return this many bytes from a cryptographic source."""


class PartnerRecords(Protocol):
    """The stored partners."""

    def find_or_add(self, name: str, *, at: datetime) -> Partner:
        """Return the partner with a name, and store it when there is none; lock it until the unit of work ends.

        Concurrent calls with the same name return the same partner, one after the other.
        """

    def find(self, name: str) -> Partner | None:
        """Find a partner by name, with its keys."""

    def list_all(self) -> Sequence[Partner]:
        """List every partner with its keys, by id."""

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

    def revoke(self, partner_id: int, environment: Environment, *, at: datetime) -> int:
        """Revoke the key pairs of an environment from ``at`` on; return how many would have been good for longer."""

    def find_owner(self, public_hash: bytes) -> KeyOwner | None:
        """Find the owner of the public key with this SHA-256; revoked keys and suspended partners included."""


class PartnersWork(Protocol):
    """The part of a unit of work that partner accounts need."""

    @property
    def partners(self) -> PartnerRecords:
        """The stored partners."""

    @property
    def partner_keys(self) -> PartnerKeys:
        """The stored keys of partners."""

    @property
    def audit(self) -> AuditLog:
        """The changes made by operators."""


OpenWork: TypeAlias = Callable[[], AbstractContextManager[PartnersWork]]
"""Open a unit of work, which is committed when the block ends and rolled back when it raises."""


class SessionTokens(Protocol):
    """Session tokens: signed, so that they need not be stored."""

    def sign(self, claims: Claims, *, sdk_version: str) -> str:
        """Return a signed token; its times are whole seconds."""

    def read(self, token: str) -> Claims | None:
        """Return the claims of a genuine token, expired or not; None for any other text."""


class PartnerStatuses(Protocol):
    """Whether partners are active, read on every request."""

    def is_active(self, partner_id: int) -> bool:
        """Return whether there is such a partner, and it is not suspended.

        Once a suspension is committed, every worker sees it.

        Raises:
            Unavailable: the database does not answer.
        """
