"""Share checked quotes through unguessable links that expire."""

from collections.abc import Sequence
from typing import Final

from attrs import frozen

from repaircore.kernel.callers import Caller, Credential, owner_of
from repaircore.kernel.errors import NotFound
from repaircore.kernel.keys import BASE62_DIGITS, KEY_BYTES, base62, digest
from repaircore.kernel.types import Clock, RandomBytes
from repaircore.shared_quotes.model import LIFETIME, SharedQuote, ShareLink
from repaircore.shared_quotes.ports import OpenWork
from repaircore.shared_quotes.report import QuoteReport

_DIGITS: Final = 33  # 62**33 > 2**192


@frozen(kw_only=True)
class SharedQuotes:
    """Use cases for shared quotes."""

    transaction: OpenWork
    read: OpenWork
    random: RandomBytes
    clock: Clock

    def share(self, report: QuoteReport, caller: Caller) -> ShareLink:
        """Mask what could identify a vehicle or a person in a report, store it, and return the link to it."""
        token, deletion_secret, now = self._secret(), self._secret(), self.clock()
        shared = SharedQuote(
            token_hash=digest(token),
            deletion_hash=digest(deletion_secret),
            owner_id=None if caller.credential is Credential.ANONYMOUS else owner_of(caller),
            report=report.masked(),
            created_at=now,
            expires_at=now + LIFETIME,
        )
        with self.transaction() as work:
            work.shared_quotes.add(shared)
        return ShareLink(token=token, deletion_secret=deletion_secret, expires_at=shared.expires_at)

    def get(self, token: str) -> SharedQuote:
        """Return the shared quote with this token.

        Raises:
            NotFound: no shared quote has this token, or it has expired or was deleted.
        """
        with self.read() as work:
            found = work.shared_quotes.find(_hash_of(token), self.clock())
        return _require(found)

    def get_by_deletion(self, deletion_secret: str) -> SharedQuote:
        """Return the shared quote with this deletion secret; raise as ``get`` does."""
        with self.read() as work:
            found = work.shared_quotes.find_by_deletion(_hash_of(deletion_secret), self.clock())
        return _require(found)

    def is_owner(self, shared: SharedQuote, caller: Caller) -> bool:
        """Return whether the caller's account shared a quote."""
        return caller.credential is not Credential.ANONYMOUS and shared.owner_id == owner_of(caller)

    def list_for(self, caller: Caller) -> Sequence[SharedQuote]:
        """List the shared quotes of the caller's account that can still be opened, newest first."""
        with self.read() as work:
            return work.shared_quotes.list_for(owner_of(caller), self.clock())

    def stop(self, token_hash: bytes, caller: Caller) -> None:
        """Delete the shared quote with this token hash if ``list_for`` lists it; otherwise, do nothing."""
        if any(shared.token_hash == token_hash for shared in self.list_for(caller)):
            with self.transaction() as work:
                work.shared_quotes.delete(token_hash)

    def delete(self, token: str, caller: Caller) -> None:
        """Delete a shared quote of the caller's account.

        Raises:
            NotFound: there is no such shared quote, or another account shared it.
        """
        shared = self.get(token)
        if not self.is_owner(shared, caller):
            raise _not_found()
        self._delete(shared)

    def delete_by_secret(self, deletion_secret: str) -> None:
        """Delete the shared quote with this deletion secret; raise as ``get`` does."""
        self._delete(self.get_by_deletion(deletion_secret))

    def prune(self) -> int:
        """Delete the expired shared quotes, and return how many there were."""
        with self.transaction() as work:
            return work.shared_quotes.prune(self.clock())

    def _delete(self, shared: SharedQuote) -> None:
        with self.transaction() as work:
            work.shared_quotes.delete(shared.token_hash)

    def _secret(self) -> str:
        return base62(int.from_bytes(self.random(KEY_BYTES)), _DIGITS)


def _hash_of(secret: str) -> bytes:
    """Return the hash of a token or a deletion secret that a client presented.

    Raises:
        NotFound: it is not in the form of a token or a secret.
    """
    if len(secret) != _DIGITS or not BASE62_DIGITS.issuperset(secret):
        raise _not_found()
    return digest(secret)


def _require(found: SharedQuote | None) -> SharedQuote:
    if found is None:
        raise _not_found()
    return found


def _not_found() -> NotFound:
    return NotFound("This link does not exist or is no longer valid.")
