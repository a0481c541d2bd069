"""Import recalls from files, and find them by make, model and year."""

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
from repaircore.recalls.model import Recall
from repaircore.recalls.model_names import matches_model
from repaircore.recalls.open_recalls import identity, merge_campaigns, merge_components
from repaircore.recalls.ports import ModelsListed, OpenWork, RecallsWork

_BATCH: Final = 100
"""How many campaigns are read at once; the largest cover a few hundred models."""


@frozen(kw_only=True)
class ImportedRecalls:
    """The recalls that may cover a vehicle, newest first, and its campaign years."""

    recalls: Sequence[Recall]
    years: CampaignYears


@frozen(kw_only=True)
class Recalls:
    """Use cases for recalls."""

    transaction: OpenWork
    read: OpenWork
    list_models: ModelsListed
    clock: Clock

    def of(self, make: str, model: str, year: int) -> Sequence[Recall]:
        """Return the recalls that may cover a vehicle, newest first, including those without a model year.

        Raises:
            RecallSourceUnavailable: no recalls were found, and none of the campaign years was imported.
        """
        return self.find(make, model, year).recalls

    def find(self, make: str, model: str, year: int) -> ImportedRecalls:
        """Return the recalls that may cover a vehicle, and which of its campaign years were imported.

        Raises:
            RecallSourceUnavailable: no recalls were found, and none of the campaign years was imported.
        """
        with self.read() as work:
            found = work.recalls.of(make=make, year=year)
            covered = work.recalls.covered_years()
        names = self.list_models(make, year) if found else ()
        recalls = [
            recall for recall in found if matches_model(model, recall.vehicle.model, make=make, listed=names)
        ]
        years = campaign_years(year, covered, today=self.clock().date())
        if not recalls and not years.covered:
            raise _not_covered(year, years, covered)
        return ImportedRecalls(recalls=recalls, years=years)

    def import_file(
        self, upload: Upload, options: ImportOptions = DEFAULT_OPTIONS, *, is_excerpt: bool = False
    ) -> ImportResult:
        """Import a file of recalls: add new campaigns and update those that differ.

        The file counts as complete from the year of its first campaign to that of its last, unless it is an excerpt (of
        some makes or campaigns), which covers no year.

        Raises:
            Conflict: the same file is being imported elsewhere.
            Invalid: ``file`` has the wrong format.
        """
        years = set[int]()
        result = FileImport(
            kind="recalls",
            read_rows=_reader(years),
            save_rows=_save,
            transaction=self.transaction,
            clock=self.clock,
        ).run(upload, options)
        if result.saved and not is_excerpt:
            # Only now, because an import that stopped halfway covers no year; running it again completes it.
            with self.transaction() as work:
                work.recalls.cover_years(years_between(years))
        return result

    def all(self) -> Iterator[Recall]:
        """Yield every recall by campaign, in batches, with no transaction open between them."""
        last = ""
        while True:
            with self.read() as work:
                batch = work.recalls.after(last, limit=_BATCH)
            if not batch:
                return
            yield from batch
            last = batch[-1].campaign.campaign


def _not_covered(year: int, years: CampaignYears, covered: Sequence[int]) -> RecallSourceUnavailable:
    if not covered:
        return RecallSourceUnavailable()
    return RecallSourceUnavailable(
        f"The imported recalls cover campaigns of {spans(covered)}. A {year} vehicle needs those from"
        f" {years.needed[0]} on. Import a file that has them with `repaircore import recalls`."
    )


def _reader(years: set[int]) -> Callable[[Iterable[str]], Iterator[Recall | RejectedRow]]:
    """Return a reader of recalls that also collects the years of the campaigns."""

    def read(lines: Iterable[str]) -> Iterator[Recall | RejectedRow]:
        for row in read_recalls(lines):
            year = None if isinstance(row, RejectedRow) else year_of_campaign(row.campaign.campaign)
            if year is not None:
                years.add(year)
            yield row

    return read


def _save(work: RecallsWork, rows: Sequence[Recall]) -> BatchCounts:
    numbers = {row.campaign.campaign for row in rows}
    campaigns = {campaign.campaign: campaign for campaign in work.recalls.campaigns(numbers)}
    vehicles = {identity(vehicle): vehicle for vehicle in work.recalls.vehicles(numbers)}
    changed_campaigns, changed_vehicles = set[str](), set[tuple[str, str, str, int | None]]()
    added = updated = 0
    for row in rows:
        number, key = row.campaign.campaign, identity(row.vehicle)
        old_campaign, old_vehicle = campaigns.get(number), vehicles.get(key)
        campaign = row.campaign if old_campaign is None else merge_campaigns(old_campaign, row.campaign)
        vehicle = row.vehicle if old_vehicle is None else merge_components(old_vehicle, row.vehicle)
        campaigns[number], vehicles[key] = campaign, vehicle
        if campaign != old_campaign:
            changed_campaigns.add(number)
        if vehicle != old_vehicle:
            changed_vehicles.add(key)
        added += old_vehicle is None
        updated += old_vehicle is not None and (vehicle != old_vehicle or campaign != old_campaign)
    # In a fixed order, so that concurrent imports do not deadlock.
    work.recalls.save_campaigns([campaigns[number] for number in sorted(changed_campaigns)])
    work.recalls.save_vehicles([vehicles[key] for key in sorted(changed_vehicles, key=str)])
    return BatchCounts(added=added, updated=updated)
