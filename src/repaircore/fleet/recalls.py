"""Recalls: brought in from files, and asked by make, model and year."""

from collections.abc import Iterator, Sequence

from attrs import frozen

from repaircore.fleet.errors import RecallSourceUnavailable
from repaircore.fleet.flat_file import read_recalls
from repaircore.fleet.matching import is_meant
from repaircore.fleet.merging import identity, merged, with_components
from repaircore.fleet.model import RecallCampaign, RecallRow
from repaircore.fleet.ports import Begin, FleetWork, ModelsListed
from repaircore.kernel.intake import Taken
from repaircore.kernel.taking_over import AS_USUAL, Delivery, Kept, TakeOver, Terms
from repaircore.kernel.types import Clock

__all__ = ["Recalls"]


@frozen(kw_only=True)
class Recalls:
    """The use cases of recalls."""

    begin: Begin
    look: Begin
    listed: ModelsListed
    clock: Clock

    def of(self, make: str, model: str, year: int) -> Sequence[RecallCampaign]:
        """List the recalls that may be of a vehicle, newest first; those that tell no model year are among them.

        Raises:
            RecallSourceUnavailable: no recalls were imported.
        """
        with self.look() as work:
            found = work.recalls.of(make=make, year=year)
            if not found and work.recalls.is_empty():
                raise RecallSourceUnavailable
        names = self.listed(make, year) if found else ()
        return [one for one in found if is_meant(model, one.model, make=make, listed=names)]

    def bring_in(self, delivery: Delivery, terms: Terms = AS_USUAL) -> Taken:
        """Take a file of recalls over; of what is known what is told anew is changed.

        Raises:
            Conflict: somebody else is taking the same file over.
            Invalid: on ``file``: it is no such file.
        """
        return TakeOver(
            kind="recalls", read=read_recalls, keep=_kept, begin=self.begin, clock=self.clock
        ).run(delivery, terms)

    def all(self) -> Iterator[RecallCampaign]:
        """Give every recall; however many there are, few are in memory."""
        with self.look() as work:
            yield from work.recalls.all()


def _kept(work: FleetWork, rows: Sequence[RecallRow]) -> Kept:
    numbers = {row.campaign.campaign for row in rows}
    campaigns = {one.campaign: one for one in work.recalls.campaigns(numbers)}
    vehicles = {identity(one): one for one in work.recalls.vehicles(numbers)}
    changed_campaigns, changed_vehicles = set[str](), set[tuple[str, str, str, int | None]]()
    added = updated = 0
    for row in rows:
        number, which = row.campaign.campaign, identity(row.vehicle)
        before, was = campaigns.get(number), vehicles.get(which)
        after = row.campaign if before is None else merged(before, row.campaign)
        now = row.vehicle if was is None else with_components(was, row.vehicle)
        campaigns[number], vehicles[which] = after, now
        if after != before:
            changed_campaigns.add(number)
        if now != was:
            changed_vehicles.add(which)
        added += was is None
        updated += was is not None and (now != was or after != before)
    # In one order, so that two files that are taken over at once wait for one another rather than in a ring.
    work.recalls.keep_campaigns([campaigns[number] for number in sorted(changed_campaigns)])
    work.recalls.keep_vehicles([vehicles[which] for which in sorted(changed_vehicles, key=str)])
    return Kept(added=added, updated=updated)
