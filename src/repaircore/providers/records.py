"""Keeping what is told of providers, each change with its entry in the audit."""

from collections.abc import Callable, Sequence
from typing import Generic, Protocol, TypeVar

from attrs import evolve, frozen

from repaircore.kernel.audit import AuditLog, AuditState, difference
from repaircore.kernel.callers import Caller, Environment
from repaircore.kernel.errors import Conflict
from repaircore.kernel.geo import Point, miles
from repaircore.kernel.imports import BatchCounts
from repaircore.kernel.references import reference
from repaircore.kernel.types import Clock, NewId
from repaircore.providers.csv_rows import shown
from repaircore.providers.model import NearbyProvider, P
from repaircore.providers.ports import Providers
from repaircore.providers.sandbox import stand_ins
from repaircore.providers.trade import Trade
from repaircore.providers.validation import Told


class AuditedWork(Protocol):
    """The part of a unit of work in which changes are written down."""

    @property
    def audit(self) -> AuditLog:
        """What was changed by whom."""


WorkT = TypeVar("WorkT", bound=AuditedWork)


@frozen(kw_only=True)
class ProviderEditor(Generic[P, WorkT]):
    """The keeping on behalf of one caller; what is told is judged already."""

    trade: Trade[P]
    kept_in: Callable[[WorkT], Providers[P]]
    new_id: NewId
    clock: Clock
    caller: Caller

    def add(self, work: WorkT, told: Told) -> P | None:
        """Keep a new one; None when one with this phone is known."""
        now = self.clock()
        new = self.trade.make(
            id=0,
            ref=reference(self.trade.kind, self.new_id()),
            environment=self.caller.environment,
            created_at=now,
            updated_at=now,
            **told,
        )
        added = self.kept_in(work).add(new)
        if added is not None:
            self._audit(work, "add", added, before=None, after=shown(self.trade, added))
        return added

    def change(self, work: WorkT, old: P, told: Told) -> P:
        """Change what is told; what is not told stays, and nothing is written when all of it does.

        Raises:
            Conflict: somebody else changed it at the same moment.
        """
        new = evolve(old, **told)
        if new == old:
            return old
        kept = self.kept_in(work).replace(old, evolve(new, updated_at=self.clock()))
        before, after = difference(shown(self.trade, old), shown(self.trade, kept))
        self._audit(work, "change", kept, before=before, after=after)
        return kept

    def remove(self, work: WorkT, old: P) -> None:
        """Forget one.

        Raises:
            Conflict: something refers to it by now.
        """
        self.kept_in(work).remove(old.id)
        self._audit(work, "remove", old, before=shown(self.trade, old), after=None)

    def take_over(self, work: WorkT, rows: Sequence[Told]) -> BatchCounts:
        """Keep the rows of a file: of who is known, by the phone, what they tell.

        Raises:
            Conflict: somebody else changed one of them at the same moment.
        """
        added = updated = 0
        for told in rows:
            if self.add(work, told) is not None:
                added += 1
                continue
            old = self.kept_in(work).by_phone(told["phone"], self.caller.environment)
            if old is None:
                raise Conflict(f"The {self.trade.word} {told['name']} was removed by somebody else.")
            updated += self.change(work, old, told) != old
        return BatchCounts(added=added, updated=updated)

    def _audit(
        self, work: WorkT, did: str, provider: P, *, before: AuditState | None, after: AuditState | None
    ) -> None:
        work.audit.add(
            self.caller,
            f"{self.trade.word}.{did}",
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

    def met(self, providers: Providers[P], place: Point) -> tuple[NearbyProvider[P], ...] | None:
        """Give the stand-ins around a place, as ``around`` does, by reading alone; None unless all of them are kept."""
        kept = [providers.standing_in(one.identity, Environment.TEST) for one in stand_ins(place)]
        near = tuple(
            NearbyProvider(provider=one, miles=miles(one.point, place)) for one in kept if one is not None
        )
        return near if len(near) == len(kept) else None

    def around(self, providers: Providers[P], place: Point) -> tuple[NearbyProvider[P], ...]:
        """Give the stand-ins around a place, in the caller's unit of work.

        They are kept in the directory of the test environment, each once, so that their references lead somewhere.
        """
        found = []
        for one in stand_ins(place):
            now = self.clock()
            kept = providers.stand_in(
                self.trade.make(
                    id=0,
                    ref=reference(self.trade.kind, self.new_id()),
                    environment=Environment.TEST,
                    name=f"{one.name} (sandbox {self.trade.word})",
                    phone=one.phone,
                    abilities=frozenset(self.trade.abilities),
                    point=one.point,
                    time_zone="UTC",
                    sandbox=True,
                    created_at=now,
                    updated_at=now,
                ),
                one.identity,
            )
            found.append(NearbyProvider(provider=kept, miles=miles(kept.point, place)))
        return tuple(found)
