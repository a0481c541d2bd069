"""Write providers, with an audit log entry for each change."""

from collections.abc import Callable, Sequence
from typing import Any, Generic, Protocol, TypeVar

from attrs import evolve, frozen

from repaircore.kernel.audit import AuditLog, AuditState, difference
from repaircore.kernel.callers import Caller, Environment
from repaircore.kernel.errors import Conflict
from repaircore.kernel.geo import Point, miles
from repaircore.kernel.imports import BatchCounts
from repaircore.kernel.references import reference
from repaircore.kernel.types import Clock, NewId
from repaircore.providers.model import NearbyProvider, OfferMode, P
from repaircore.providers.ports import Providers
from repaircore.providers.sandbox import SandboxProvider, sandbox_providers
from repaircore.providers.trade import Trade
from repaircore.providers.validation import ProviderFields, contact_columns


class AuditedWork(Protocol):
    """The part of a unit of work that has the audit log."""

    @property
    def audit(self) -> AuditLog:
        """The audit log of changes by operators."""


WorkT = TypeVar("WorkT", bound=AuditedWork)


@frozen(kw_only=True)
class ProviderEditor(Generic[P, WorkT]):
    """Writes providers on behalf of one caller; the fields are already validated."""

    trade: Trade[P]
    providers_in: Callable[[WorkT], Providers[P]]
    new_id: NewId
    clock: Clock
    caller: Caller

    def add(self, work: WorkT, fields: ProviderFields) -> P | None:
        """Add a provider and return it, or return None if there is already one with this phone number."""
        now = self.clock()
        provider = self.trade.make(
            id=0,
            ref=reference(self.trade.kind, self.new_id()),
            environment=self.caller.environment,
            created_at=now,
            updated_at=now,
            **{"offers": _default_mode(self.caller.environment), **fields},
        )
        added = self.providers_in(work).add(provider)
        if added is not None:
            self._audit(work, "add", added, before=None, after=self._state(added))
        return added

    def update(self, work: WorkT, old: P, fields: ProviderFields, *, action: str = "change") -> P:
        """Update the given fields; write nothing if none of them changes.

        ``action`` names the change in the audit log.

        Raises:
            Conflict: the provider was changed concurrently.
        """
        new = evolve(old, **fields)
        if new == old:
            return old
        saved = self.providers_in(work).replace(old, evolve(new, updated_at=self.clock()))
        before, after = difference(self._state(old), self._state(saved))
        self._audit(work, action, saved, before=before, after=after)
        return saved

    def remove(self, work: WorkT, old: P) -> None:
        """Delete a provider.

        Raises:
            Conflict: other records refer to it.
        """
        self.providers_in(work).delete(old.id)
        self._audit(work, "remove", old, before=self._state(old), after=None)

    def save_rows(self, work: WorkT, rows: Sequence[ProviderFields]) -> BatchCounts:
        """Save the rows of a file: update the provider with the same phone number, or add one.

        Raises:
            Conflict: one of the providers was changed or removed concurrently.
        """
        added = updated = 0
        for fields in rows:
            if self.add(work, fields) is not None:
                added += 1
                continue
            old = self.providers_in(work).find_by_phone(fields["phone"], self.caller.environment)
            if old is None:
                raise Conflict(
                    f"The {self.trade.word} {fields['name']} was removed by another request. Try again."
                )
            updated += self.update(work, old, fields) != old
        return BatchCounts(added=added, updated=updated)

    def _state(self, provider: P) -> AuditState:
        state: dict[str, Any] = {
            "name": provider.name,
            "phone": provider.phone,
            self.trade.abilities_column: sorted(provider.abilities),
            self.trade.text_column: getattr(provider, self.trade.text_column),
            "latitude": provider.point.latitude,
            "longitude": provider.point.longitude,
            "radius_miles": provider.radius_miles,
            "time_zone": provider.time_zone,
            "hours": provider.hours,
            "active": provider.active,
            **{name: getattr(provider, name) for name in contact_columns(self.trade)},
        }
        return state

    def _audit(
        self, work: WorkT, action: str, provider: P, *, before: AuditState | None, after: AuditState | None
    ) -> None:
        work.audit.add(
            self.caller,
            f"{self.trade.word}.{action}",
            f"{self.trade.plural}/{provider.ref}",
            before=before,
            after=after,
            at=self.clock(),
        )


@frozen(kw_only=True)
class SandboxFleet(Generic[P]):
    """The sandbox fleet of one kind of provider."""

    trade: Trade[P]
    new_id: NewId
    clock: Clock

    def find(self, providers: Providers[P], place: Point) -> tuple[NearbyProvider[P], ...] | None:
        """Return the fleet around a place without writing, or None if any of it is not stored."""
        wanted = sandbox_providers(place)
        found = [providers.find_sandbox(provider.identity, Environment.TEST) for provider in wanted]
        fleet = tuple(_nearby(provider, place) for provider in found if provider is not None)
        return fleet if len(fleet) == len(wanted) else None

    def find_or_add(self, providers: Providers[P], place: Point) -> tuple[NearbyProvider[P], ...]:
        """Return the fleet around a place, stored in the test environment's directory so that its references exist."""
        return tuple(
            _nearby(providers.find_or_add_sandbox(self._provider(wanted), wanted.identity), place)
            for wanted in sandbox_providers(place)
        )

    def _provider(self, sandbox: SandboxProvider) -> P:
        now = self.clock()
        return self.trade.make(
            id=0,
            ref=reference(self.trade.kind, self.new_id()),
            environment=Environment.TEST,
            name=f"{sandbox.name} (sandbox {self.trade.word})",
            phone=sandbox.phone,
            abilities=frozenset(self.trade.abilities),
            point=sandbox.point,
            time_zone="UTC",
            sandbox=True,
            created_at=now,
            updated_at=now,
        )


def _default_mode(environment: Environment) -> OfferMode:
    """Return the default offer mode of a new provider (docs/decisions/dispatch.md)."""
    return OfferMode.ASKED if environment is Environment.LIVE else OfferMode.AUTOMATIC


def _nearby(provider: P, place: Point) -> NearbyProvider[P]:
    return NearbyProvider(provider=provider, miles=miles(provider.point, place))
