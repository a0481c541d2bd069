"""Recalls as clients see them, over HTTP and on the command line."""

from datetime import date, datetime
from typing import Self

from repaircore.fleet.model import FleetVehicle
from repaircore.fleet.views import FleetVehicleView, vin_warnings
from repaircore.kernel.views import Count, view
from repaircore.recalls.campaign_years import CampaignCoverage, CampaignYears
from repaircore.recalls.model import Recall, RecalledVehicle, RecallSource
from repaircore.recalls.open_recalls import ListedRecall
from repaircore.recalls.service import ImportedRecalls
from repaircore.recalls.vehicle_recalls import RecallsOfVehicle, SourceStatus


@view
class RecallSourcesView:
    """The status of each recall source."""

    imported: SourceStatus
    live: SourceStatus


@view
class RecallModelView:
    """A recalled model, as the source names it."""

    make: str
    model: str
    year: int | None

    @classmethod
    def of(cls, vehicle: RecalledVehicle) -> Self:
        """Return the view of a recalled model."""
        return cls(make=vehicle.make, model=vehicle.model, year=vehicle.year)


@view
class RecallView:
    """A campaign for the make, model and year. Only the manufacturer knows whether it covers this VIN."""

    campaign: str
    component: str | None
    summary: str | None
    consequence: str | None
    remedy: str | None
    park_it: bool | None
    park_outside: bool | None
    reported_on: date | None
    named: RecallModelView
    confirmed_for_vin: bool = False
    dealt_with: bool
    dealt_with_at: datetime | None
    sources: list[RecallSource]

    @classmethod
    def of(cls, recall: ListedRecall) -> Self:
        """Return the view of a recall."""
        campaign = recall.campaign
        return cls(
            campaign=recall.number,
            component=recall.vehicle.component,
            summary=campaign.summary,
            consequence=campaign.consequence,
            remedy=campaign.remedy,
            park_it=campaign.park_it,
            park_outside=campaign.park_outside,
            reported_on=campaign.reported_on,
            named=RecallModelView.of(recall.vehicle),
            dealt_with=not recall.is_open,
            dealt_with_at=recall.dealt_with_at,
            sources=[*recall.sources],
        )


@view
class CampaignYearsView:
    """The years whose campaigns may cover the vehicle, those that a source covers, and those that no source covers."""

    needed: list[int]
    covered: list[int]
    missing: list[int]

    @classmethod
    def of(cls, years: CampaignYears) -> Self:
        """Return the view of campaign years."""
        return cls(needed=[*years.needed], covered=[*years.covered], missing=[*years.missing])


@view
class RecallsView:
    """The campaigns for a vehicle's make, model and year, newest first.

    ``open_count`` is null if no recall is open in the covered years but some years are not covered.
    """

    vin: str
    vehicle: FleetVehicleView
    open_count: Count | None
    park_it: bool
    park_outside: bool
    recalls: list[RecallView]
    coverage: CampaignCoverage
    campaign_years: CampaignYearsView
    sources: RecallSourcesView
    as_of: datetime
    warnings: list[str]

    @classmethod
    def of(cls, found: RecallsOfVehicle) -> Self:
        """Return the view of a vehicle's recalls."""
        open_recalls = found.open_recalls
        is_live_down = found.live is SourceStatus.UNAVAILABLE
        return cls(
            vin=found.vehicle.vin,
            vehicle=FleetVehicleView.of(found.vehicle),
            open_count=found.open_count,
            park_it=any(recall.campaign.park_it for recall in open_recalls),
            park_outside=any(recall.campaign.park_outside for recall in open_recalls),
            recalls=[RecallView.of(recall) for recall in found.recalls],
            coverage=found.years.coverage,
            campaign_years=CampaignYearsView.of(found.years),
            sources=RecallSourcesView(imported=found.imported, live=found.live),
            as_of=found.as_of,
            warnings=[
                *vin_warnings(found.vehicle),
                *(["live_recall_source_unavailable"] if is_live_down else []),
                *([] if found.is_complete else ["recalls_partly_covered"]),
            ],
        )


@view
class MarkedRecallView:
    """A campaign that was marked as done, or as open again."""

    vin: str
    vehicle: FleetVehicleView
    recall: RecallView

    @classmethod
    def of(cls, vehicle: FleetVehicle, recall: ListedRecall) -> Self:
        """Return the view of a vehicle's recall."""
        return cls(vin=vehicle.vin, vehicle=FleetVehicleView.of(vehicle), recall=RecallView.of(recall))


@view
class ImportedRecallView:
    """An imported campaign for one model."""

    campaign: str
    make: str
    model: str
    year: int | None
    component: str | None
    summary: str | None
    consequence: str | None
    remedy: str | None
    park_it: bool | None
    park_outside: bool | None
    reported_on: date | None
    source: RecallSource

    @classmethod
    def of(cls, recall: Recall) -> Self:
        """Return the view of an imported recall."""
        campaign, vehicle = recall.campaign, recall.vehicle
        return cls(
            campaign=campaign.campaign,
            make=vehicle.make,
            model=vehicle.model,
            year=vehicle.year,
            component=vehicle.component,
            summary=campaign.summary,
            consequence=campaign.consequence,
            remedy=campaign.remedy,
            park_it=campaign.park_it,
            park_outside=campaign.park_outside,
            reported_on=campaign.reported_on,
            source=campaign.source,
        )


@view
class ImportedRecallsView:
    """The imported recalls for a make, model and year, and the campaign years that they cover."""

    recalls: list[ImportedRecallView]
    coverage: CampaignCoverage
    campaign_years: CampaignYearsView

    @classmethod
    def of(cls, imported: ImportedRecalls) -> Self:
        """Return the view of imported recalls."""
        return cls(
            recalls=[ImportedRecallView.of(recall) for recall in imported.recalls],
            coverage=imported.years.coverage,
            campaign_years=CampaignYearsView.of(imported.years),
        )
