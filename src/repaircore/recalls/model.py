"""Recall campaigns, and the vehicles that they cover."""

from datetime import date
from enum import StrEnum

from attrs import frozen


class RecallSource(StrEnum):
    """The source of a campaign. A brief source does not replace the details of a fuller one."""

    FLAT_FILE = "nhtsa_flat_file"
    """NHTSA's file of all recalls, FLAT_RCL."""
    LIST = "nhtsa_list"
    """A list of campaigns, vehicles and summaries, which may be truncated."""
    API = "nhtsa_api"
    """NHTSA's service for one model and year."""


@frozen(kw_only=True)
class Campaign:
    """A campaign, without the vehicles that it covers; None means unknown.

    ``park_it`` advises against driving before the repair, and ``park_outside`` against parking near buildings.
    ``reported_on`` is the day on which NHTSA received the report.
    """

    campaign: str
    summary: str | None
    consequence: str | None
    remedy: str | None
    park_it: bool | None
    park_outside: bool | None
    reported_on: date | None
    source: RecallSource


@frozen(kw_only=True)
class RecalledVehicle:
    """A model that a campaign covers, as the source names it; ``year`` is None if it has no model year."""

    campaign: str
    make: str
    model: str
    year: int | None
    component: str | None


@frozen(kw_only=True)
class Recall:
    """A campaign for one of the models that it covers."""

    campaign: Campaign
    vehicle: RecalledVehicle
