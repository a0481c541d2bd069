"""Tool arguments that differ from those of endpoints.

Agents describe vehicles as people do: by VIN, or by year, make and model.
"""

from typing import Annotated

from attrs import field, frozen

from repaircore.facilities.zip_code import ZipCode
from repaircore.kernel.rules import Described, Length, PlainText, Range
from repaircore.vehicles.description import VehicleDescription

_Repair = Annotated[
    str, Length(1, 200), Described("The slug of the repair, as `search` and `diagnose` give it.")
]
_Miles = Annotated[int, Range(0, 2_000_000), Described("The odometer, in miles.")]


@frozen(kw_only=True)
class EstimateRepair(VehicleDescription):
    """A repair of one vehicle at a place. ``force`` also estimates a repair that does not fit the vehicle."""

    zip_code: ZipCode
    repair: _Repair
    mileage: _Miles | None = None
    parts_tier: Annotated[str, Described("The grade of the parts: economy, aftermarket or oem.")] | None = (
        None
    )
    force: bool = False


@frozen(kw_only=True)
class DiagnoseComplaint(VehicleDescription):
    """What is wrong, in the words of the driver or by trouble codes, with the answers to questions so far."""

    words: Annotated[str, PlainText(2, 2000, lines=True), Described("What the driver says.")] | None = None
    codes: Annotated[str, Length(0, 200), Described("Trouble codes, separated by commas.")] | None = None
    zip_code: ZipCode | None = None
    mileage: _Miles | None = None
    answers: Annotated[
        list[Annotated[str, Length(1, 100)]],
        Length(0, 25),
        Described("All answers so far, each the id of a question, a colon, and yes, no or unsure."),
    ] = field(factory=list)


@frozen(kw_only=True)
class ExplainCode:
    """A trouble code; the meaning of some codes depends on the manufacturer."""

    code: Annotated[str, Length(1, 20), Described("The code, such as P0420.")]
    make: Annotated[str, Length(1, 100)] | None = None


@frozen(kw_only=True)
class ListRecalls:
    """A vehicle by its VIN."""

    vin: str
