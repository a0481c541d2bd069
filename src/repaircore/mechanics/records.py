"""Change the directory, with an audit entry for each change."""

from collections.abc import Sequence

from attrs import evolve, frozen

from repaircore.kernel.audit import AuditState, difference
from repaircore.kernel.callers import LOCAL, Environment
from repaircore.kernel.imports import BatchCounts
from repaircore.kernel.references import Kind, reference
from repaircore.kernel.types import Clock, NewId
from repaircore.mechanics.csv_file import MechanicRow
from repaircore.mechanics.model import Mechanic, Profile
from repaircore.mechanics.ports import MechanicsWork
from repaircore.mechanics.profile import format_profile, identity


@frozen(kw_only=True)
class MechanicEditor:
    """Changes the directory of one environment, on behalf of the operator."""

    environment: Environment
    new_id: NewId
    clock: Clock

    def add(self, work: MechanicsWork, profile: Profile, *, ref: str | None = None) -> Mechanic:
        """Add a mechanic."""
        added = work.mechanics.add(
            ref or reference(Kind.MECHANIC, self.new_id()),
            profile,
            environment=self.environment,
            at=self.clock(),
        )
        self._audit(work, "add", added, before=None, after=_state(added))
        return added

    def update(self, work: MechanicsWork, old: Mechanic, profile: Profile) -> Mechanic:
        """Replace a mechanic's profile, and make the mechanic active; nothing is written if nothing changes."""
        new = evolve(old, profile=profile, is_active=True)
        return old if new == old else self._replace(work, old, new, "change")

    def deactivate(self, work: MechanicsWork, old: Mechanic) -> Mechanic:
        """Remove a mechanic from the directory; its row stays for past appointments."""
        return self._replace(work, old, evolve(old, is_active=False), "remove")

    def save_rows(self, work: MechanicsWork, rows: Sequence[MechanicRow]) -> BatchCounts:
        """Save the rows of a file.

        A row updates the mechanic with the same reference, or else the one with the same name and place. If there is
        neither, a mechanic is added.
        """
        by_identity: dict[tuple[str, ...], Mechanic] = {}
        names = {row.profile.name for row in rows}
        for mechanic in work.mechanics.list_by_name(names, self.environment):
            by_identity.setdefault(identity(mechanic.profile), mechanic)
        added = updated = 0
        for row in rows:
            row_identity = identity(row.profile)
            before = self._find(work, row.ref) or by_identity.get(row_identity)
            if before is None:
                after = self.add(work, row.profile, ref=self._unused(work, row.ref))
            else:
                after = self.update(work, before, row.profile)
            added += before is None
            updated += before is not None and after != before
            by_identity[row_identity] = after
        return BatchCounts(added=added, updated=updated)

    def _find(self, work: MechanicsWork, ref: str | None) -> Mechanic | None:
        return None if ref is None else work.mechanics.find(ref, self.environment)

    def _unused(self, work: MechanicsWork, ref: str | None) -> str | None:
        """Return the reference, or None if it is taken: the file may be an export of the other environment."""
        if ref is None or any(work.mechanics.find(ref, environment) for environment in Environment):
            return None
        return ref

    def _replace(self, work: MechanicsWork, old: Mechanic, new: Mechanic, action: str) -> Mechanic:
        saved = work.mechanics.replace(old, evolve(new, updated_at=self.clock()))
        before, after = difference(_state(old), _state(saved))
        self._audit(work, action, saved, before=before, after=after)
        return saved

    def _audit(
        self,
        work: MechanicsWork,
        action: str,
        mechanic: Mechanic,
        *,
        before: AuditState | None,
        after: AuditState,
    ) -> None:
        work.audit.add(
            evolve(LOCAL, environment=self.environment),
            f"mechanic.{action}",
            f"mechanics/{mechanic.ref}",
            before=before,
            after=after,
            at=self.clock(),
        )


def _state(mechanic: Mechanic) -> AuditState:
    return {**format_profile(mechanic.profile), "active": mechanic.is_active}
