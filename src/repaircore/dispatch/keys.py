"""Keys for providers' own programs: created by operators, stored as hashes."""

from collections.abc import Callable
from typing import Final

from attrs import frozen

from repaircore.dispatch.errors import BadProviderKey
from repaircore.dispatch.model import ProviderKey
from repaircore.dispatch.ports import OpenWork
from repaircore.kernel.callers import LOCAL, Caller, ProviderCaller, require_admin
from repaircore.kernel.keys import KEY_BYTES, digest, encode_key, is_valid_key
from repaircore.kernel.types import Clock

PREFIX: Final = "prv_"
"""The prefix of providers' keys."""


@frozen(kw_only=True)
class CreatedProviderKey:
    """A new key. ``text`` is the key itself, which is shown once and not stored."""

    key: ProviderKey
    text: str


@frozen(kw_only=True)
class ProviderKeys:
    """Use cases for providers' keys."""

    transaction: OpenWork
    read: OpenWork
    random: Callable[[int], bytes]
    clock: Clock

    def create(self, provider_ref: str, caller: Caller = LOCAL) -> CreatedProviderKey:
        """Create a key for a provider in the caller's environment, and record it in the audit log.

        Raises:
            Forbidden: the caller is not an admin.
        """
        require_admin(caller)
        text = encode_key(PREFIX, self.random(KEY_BYTES))
        with self.transaction() as work:
            at = self.clock()
            key = work.provider_keys.add(
                provider_ref, caller.environment, key_hash=digest(text), last4=text[-4:], at=at
            )
            after = {"provider_ref": provider_ref, "last4": key.last4}
            work.audit.add(
                caller, "provider_key.create", f"providers/{provider_ref}", before=None, after=after, at=at
            )
        return CreatedProviderKey(key=key, text=text)

    def list_for(self, provider_ref: str, caller: Caller = LOCAL) -> list[ProviderKey]:
        """List the keys of a provider, oldest first.

        Raises:
            Forbidden: the caller is not an admin.
        """
        require_admin(caller)
        with self.read() as work:
            return [*work.provider_keys.list_for(provider_ref, caller.environment)]

    def revoke(self, provider_ref: str, caller: Caller = LOCAL) -> int:
        """Revoke all keys of a provider, record it in the audit log, and return how many keys were valid.

        Raises:
            Forbidden: the caller is not an admin.
        """
        require_admin(caller)
        with self.transaction() as work:
            at = self.clock()
            revoked = work.provider_keys.revoke_all(provider_ref, caller.environment, at=at)
            if revoked:
                after = {"provider_ref": provider_ref, "revoked": revoked}
                work.audit.add(
                    caller,
                    "provider_key.revoke",
                    f"providers/{provider_ref}",
                    before=None,
                    after=after,
                    at=at,
                )
            return revoked

    def authenticate(self, key: str) -> ProviderCaller:
        """Return the provider that a key belongs to.

        Raises:
            BadProviderKey: the key is malformed, unknown or revoked.
        """
        if not key.startswith(PREFIX) or not is_valid_key(key, len(PREFIX)):
            raise BadProviderKey
        with self.read() as work:
            owner = work.provider_keys.find_owner(digest(key))
        if owner is None:
            raise BadProviderKey
        return owner
