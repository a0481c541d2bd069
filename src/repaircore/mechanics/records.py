"""Keeping the directory, each change with its entry in the audit."""

from collections.abc import Sequence

from attrs import evolve, frozen

from repaircore.kernel.audit import AuditState, difference
from repaircore.kernel.callers import LOCAL, Caller, Environment
from repaircore.kernel.imports import BatchCounts
from repaircore.kernel.references import Kind, reference
from repaircore.kernel.types import Clock, NewId
from repaircore.mechanics.csv_file import MechanicRow
from repaircore.mechanics.model import Mechanic, Profile
from repaircore.mechanics.ports import MechanicsWork
from repaircore.mechanics.profile import identity, told_of


@frozen(kw_only=True)
class MechanicEditor:
    """The keeping in one environment, on behalf of whoever runs the installation."""

    environment: Environment
    new_id: NewId
    clock: Clock

    def add(self, work: MechanicsWork, profile: Profile, *, ref: str | None = None) -> Mechanic:
        """Keep a new mechanic."""
        kept = work.mechanics.add(
            ref or reference(Kind.MECHANIC, self.new_id()),
            profile,
            environment=self.environment,
            at=self.clock(),
        )
        self._note(work, "add", kept, before=None, after=_shown(kept))
        return kept

    def change(self, work: MechanicsWork, kept: Mechanic, profile: Profile) -> Mechanic:
        """Put a profile in the place of the kept one, and make the mechanic active; nothing is written when it says the same."""
        new = evolve(kept, profile=profile, is_active=True)
        return kept if new == kept else self._replace(work, kept, new, "change")

    def retire(self, work: MechanicsWork, kept: Mechanic) -> Mechanic:
        """Take a mechanic out of the directory; appointments that were go on telling of it."""
        return self._replace(work, kept, evolve(kept, is_active=False), "remove")

    def take_over(self, work: MechanicsWork, rows: Sequence[MechanicRow]) -> BatchCounts:
        """Keep the rows of a file: of a mechanic that is known, by reference or by name and place, what they tell of it."""
        known: dict[tuple[str, ...], Mechanic] = {}
        names = {row.profile.name for row in rows}
        for mechanic in work.mechanics.named(names, self.environment):
            known.setdefault(identity(mechanic.profile), mechanic)
        added = updated = 0
        for row in rows:
            named = identity(row.profile)
            before = self._by_ref(work, row.ref) or known.get(named)
            if before is None:
                after = self.add(work, row.profile, ref=self._free(work, row.ref))
            else:
                after = self.change(work, before, row.profile)
            added += before is None
            updated += before is not None and after != before
            known[named] = after
        return BatchCounts(added=added, updated=updated)

    def _by_ref(self, work: MechanicsWork, ref: str | None) -> Mechanic | None:
        return None if ref is None else work.mechanics.by_ref(ref, self.environment)

    def _free(self, work: MechanicsWork, ref: str | None) -> str | None:
        """Give a reference that is nobody's: the file of one environment may be brought into the other."""
        if ref is None or any(work.mechanics.by_ref(ref, one) for one in Environment):
            return None
        return ref

    def _replace(self, work: MechanicsWork, old: Mechanic, new: Mechanic, action: str) -> Mechanic:
        kept = work.mechanics.replace(old, evolve(new, updated_at=self.clock()))
        before, after = difference(_shown(old), _shown(kept))
        self._note(work, action, kept, before=before, after=after)
        return kept

    def _note(
        self,
        work: MechanicsWork,
        action: str,
        mechanic: Mechanic,
        *,
        before: AuditState | None,
        after: AuditState,
    ) -> None:
        work.audit.add(
            self._caller(),
            f"mechanic.{action}",
            f"mechanics/{mechanic.ref}",
            before=before,
            after=after,
            at=self.clock(),
        )

    def _caller(self) -> Caller:
        return evolve(LOCAL, environment=self.environment)


def _shown(mechanic: Mechanic) -> AuditState:
    return {**told_of(mechanic.profile), "active": mechanic.is_active}
