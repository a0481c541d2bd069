"""What partner accounts need from outside."""

from abc import abstractmethod
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Protocol, TypeAlias

from repaircore.kernel.audit import AuditLog
from repaircore.kernel.callers import Environment
from repaircore.partners.model import Claims, KeyOwner, Partner, PartnerKey

RandomBytes: TypeAlias = Callable[[int], bytes]
"""Give so many bytes that nobody can guess."""


class PartnerRecords(Protocol):
    """The kept partners."""

    @abstractmethod
    def add_or_find(self, name: str, *, at: datetime) -> Partner:
        """Keep a new partner, or give the one that has this name; one of them also when two ask at once.

        Whoever else asks for the same name waits until this unit of work ends.
        """

    @abstractmethod
    def by_name(self, name: str) -> Partner | None:
        """Give the partner with its keys, or None."""

    @abstractmethod
    def all(self) -> Sequence[Partner]:
        """List every partner with its keys, by id."""

    @abstractmethod
    def set_suspended(self, partner_id: int, at: datetime | None) -> bool:
        """Suspend, or resume with None, felt at once by every worker; False when it was so already.

        A partner that is suspended already keeps the time since when.
        """


class PartnerKeys(Protocol):
    """The kept keys of partners."""

    @abstractmethod
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
        """Keep a new pair."""

    @abstractmethod
    def revoke(self, partner_id: int, environment: Environment, *, at: datetime) -> int:
        """Let the pairs of an environment count no longer than ``at``; give how many ended earlier by it."""

    @abstractmethod
    def opener(self, public_hash: bytes) -> KeyOwner | None:
        """Give whose public key has this SHA-256, revoked ones and those of suspended partners included."""


class PartnersWork(Protocol):
    """The part of a unit of work that partner accounts need."""

    @property
    @abstractmethod
    def partners(self) -> PartnerRecords:
        """The kept partners."""

    @property
    @abstractmethod
    def partner_keys(self) -> PartnerKeys:
        """The kept keys of partners."""

    @property
    @abstractmethod
    def audit(self) -> AuditLog:
        """The kept changes."""


OpenWork: TypeAlias = Callable[[], AbstractContextManager[PartnersWork]]
"""Open a unit of work: it is kept when the block ends well, and leaves nothing when it raises.

Services hold two: ``begin`` may write, ``look`` only reads and never waits for a writer.
"""


class SessionTokens(Protocol):
    """Session tokens: signed, so that nothing needs to be kept of them."""

    @abstractmethod
    def sign(self, claims: Claims, *, sdk_version: str) -> str:
        """Spell a token; times are kept as whole seconds."""

    @abstractmethod
    def read(self, token: str) -> Claims | None:
        """Give what a genuine token says; None for any other text. Whether it counts now is not judged here."""


class PartnerStatuses(Protocol):
    """Whether partners may use what they have, as every request asks for it."""

    @abstractmethod
    def is_active(self, partner_id: int) -> bool:
        """Tell whether there is such a partner, and it is not suspended, as it is kept now.

        A suspension counts from the moment that it was acknowledged, in every worker.

        Raises:
            Unavailable: the place where partners are kept does not answer.
        """
