"""Recalls: brought in from files, which cover some years of campaigns, and asked by make, model and year."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

from attrs import frozen

from repaircore.kernel.imports import (
    DEFAULT_OPTIONS,
    BatchCounts,
    FileImport,
    ImportOptions,
    ImportResult,
    RejectedRow,
    Upload,
)
from repaircore.kernel.types import Clock
from repaircore.recalls.campaign_years import (
    CampaignYears,
    campaign_years,
    spans,
    year_of_campaign,
    years_between,
)
from repaircore.recalls.errors import RecallSourceUnavailable
from repaircore.recalls.flat_file import read_recalls
from repaircore.recalls.model import RecallCampaign, RecallRow
from repaircore.recalls.model_names import is_meant
from repaircore.recalls.open_recalls import identity, merged, with_components
from repaircore.recalls.ports import ModelsListed, OpenWork, RecallsWork

_AT_ONCE: Final = 100
"""Campaigns; the largest are of some hundred vehicles."""


@frozen(kw_only=True)
class ImportedRecalls:
    """The recalls that may be of a vehicle, newest first, and the years whose campaigns count for it."""

    recalls: Sequence[RecallCampaign]
    years: CampaignYears


@frozen(kw_only=True)
class Recalls:
    """The use cases of recalls."""

    transaction: OpenWork
    read: OpenWork
    listed: ModelsListed
    clock: Clock

    def of(self, make: str, model: str, year: int) -> Sequence[RecallCampaign]:
        """List the recalls that may be of a vehicle, newest first; those that tell no model year are among them.

        Raises:
            RecallSourceUnavailable: as for ``find``, which says whether they are all.
        """
        return self.find(make, model, year).recalls

    def find(self, make: str, model: str, year: int) -> ImportedRecalls:
        """Return the recalls that may be of a vehicle, and which of the years that count for it were imported.

        Raises:
            RecallSourceUnavailable: there are none, and no campaigns of a year that counts for the vehicle were
                imported.
        """
        with self.read() as work:
            found = work.recalls.of(make=make, year=year)
            covered = work.recalls.covered_years()
        names = self.listed(make, year) if found else ()
        recalls = [one for one in found if is_meant(model, one.model, make=make, listed=names)]
        years = campaign_years(year, covered, today=self.clock().date())
        if not recalls and not years.covered:
            raise _not_covered(year, years, covered)
        return ImportedRecalls(recalls=recalls, years=years)

    def import_file(
        self, upload: Upload, options: ImportOptions = DEFAULT_OPTIONS, *, is_excerpt: bool = False
    ) -> ImportResult:
        """Import a file of recalls: add new campaigns and update those that differ.

        The file counts as holding every campaign from the year of its first one to that of its last, unless it
        is an excerpt (of some makes, or some campaigns), which covers no year.

        Raises:
            Conflict: the same file is being imported elsewhere.
            Invalid: on ``file``: the file has the wrong form.
        """
        years = set[int]()
        result = FileImport(
            kind="recalls",
            read_rows=_noting(years),
            save_rows=_kept,
            transaction=self.transaction,
            clock=self.clock,
        ).run(upload, options)
        if result.saved and not is_excerpt:
            # Only now: a file that broke off halfway covers nothing, and the same command ends what it began.
            with self.transaction() as work:
                work.recalls.cover_years(years_between(years))
        return result

    def all(self) -> Iterator[RecallCampaign]:
        """Give every recall, by campaign; few are held at once, and nothing waits while whoever asked does."""
        last = ""
        while True:
            with self.read() as work:
                some = work.recalls.after(last, limit=_AT_ONCE)
            if not some:
                return
            yield from some
            last = some[-1].campaign


def _not_covered(year: int, years: CampaignYears, covered: Sequence[int]) -> RecallSourceUnavailable:
    if not covered:
        return RecallSourceUnavailable()
    return RecallSourceUnavailable(
        f"The imported recalls are campaigns of {spans(covered)}. A vehicle of {year} needs those from"
        f" {years.needed[0]} on: import a newer file with `repaircore import recalls`."
    )


def _noting(years: set[int]) -> Callable[[Iterable[str]], Iterator[RecallRow | RejectedRow]]:
    """Return the reader of recalls, which also notes the years of the campaigns that it reads."""

    def read(lines: Iterable[str]) -> Iterator[RecallRow | RejectedRow]:
        for row in read_recalls(lines):
            year = None if isinstance(row, RejectedRow) else year_of_campaign(row.campaign.campaign)
            if year is not None:
                years.add(year)
            yield row

    return read


def _kept(work: RecallsWork, rows: Sequence[RecallRow]) -> BatchCounts:
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
    return BatchCounts(added=added, updated=updated)
