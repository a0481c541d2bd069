"""Input for the garage, and its validation."""

from collections.abc import Callable, Mapping, Sequence
from datetime import date, timedelta
from typing import Annotated, Any, Final, TypeAlias

from attrs import frozen

from repaircore.facilities.zip_code import zip5
from repaircore.fleet.validation import Mileage
from repaircore.garage.model import DueFilter, Labels
from repaircore.kernel.rules import (
    DateRange,
    Described,
    FieldErrors,
    Length,
    Pattern,
    PlainText,
    Range,
    sentence,
)
from repaircore.kernel.texts import stripped
from repaircore.kernel.views import UNSET, UnsetType
from repaircore.vehicles import plates
from repaircore.vehicles import vin as vins

MOST_AT_ONCE: Final = 200
"""The maximum number of vehicles that can be added at once."""

NO_SUCH_ZIP: Final = "must be a US ZIP code that is in use"
_WHOLE: Final = max(vins.LENGTHS)
_FIRST: Final = date(1950, 1, 1)
_DAYS_AHEAD: Final = 366
_STATE: Final = 2

_Text: TypeAlias = Annotated[str, PlainText(0, 100)] | None
_Zip: TypeAlias = Annotated[str, Pattern(r"\s*\d{5}(-\d{4})?\s*", "must be a US ZIP code")] | None
Day: TypeAlias = Annotated[date, DateRange(_FIRST, date(2100, 12, 31))] | None


@frozen(kw_only=True)
class AddGarageVehicle:
    """A vehicle by its VIN, or by its license plate and state, with the labels that its owner gives it."""

    vin: str | None = None
    plate: str | None = None
    state: str | None = None
    unit_number: _Text = None
    nickname: _Text = None
    department: _Text = None
    zip_code: _Zip = None
    odometer: Mileage | None = None
    in_service_on: Day = None

    def labels(self) -> Labels:
        """Return the labels, with None for empty ones."""
        return Labels(
            unit_number=stripped(self.unit_number),
            nickname=stripped(self.nickname),
            department=stripped(self.department),
            zip_code=stripped(self.zip_code),
            in_service_on=self.in_service_on,
        )


@frozen(kw_only=True)
class AddGarageVehicles:
    """Up to 200 vehicles, each as in a request to add one. An invalid one gets its own error; the others are added."""

    vehicles: Annotated[
        list[dict[str, Any]],
        Length(1, MOST_AT_ONCE),
        Described("Vehicles, each with the fields of a vehicle that is added alone."),
    ]


@frozen(kw_only=True)
class UpdateGarageVehicle:
    """Changes to a vehicle's labels; null or an empty string removes one. They are based on ``version``."""

    unit_number: _Text | UnsetType = UNSET
    nickname: _Text | UnsetType = UNSET
    department: _Text | UnsetType = UNSET
    zip_code: _Zip | UnsetType = UNSET
    in_service_on: Day | UnsetType = UNSET
    version: int | None = None


@frozen(kw_only=True)
class RecordOdometer:
    """An odometer reading in miles, taken today unless ``on`` is given."""

    miles: Mileage
    on: Day = None


@frozen(kw_only=True)
class CompleteService:
    """When a service was done (today unless ``on`` is given), and at how many miles."""

    on: Day = None
    miles: Mileage | None = None


@frozen(
    kw_only=True, slots=False
)  # so that the query of a list can inherit from it and from the page's query
class FilterGarage:
    """Which vehicles to include: ``search`` matches VINs, names, unit numbers, nicknames and departments."""

    search: Annotated[str, Length(0, 200)] | None = None
    department: Annotated[str, Length(0, 100)] | None = None
    make: Annotated[str, Length(0, 100)] | None = None
    model: Annotated[str, Length(0, 100)] | None = None
    due: DueFilter | None = None
    recalls: bool | None = None
    health_below: Annotated[float, Range(0, 100)] | None = None


@frozen(kw_only=True)
class SaveGarageSettings:
    """The settings of a garage; fields that are left out are reset."""

    zip_code: _Zip = None
    mail_reminders: bool = False


@frozen(kw_only=True)
class GarageChecks:
    """Checks input whose validity depends on lookups or on today's date."""

    is_zip_in_use: Callable[[str], bool]
    today: Callable[[], date]

    def errors(self, **fields: object) -> FieldErrors:
        """Return the errors in the given fields, other than type errors; absent fields are not checked."""
        found: FieldErrors = {}
        zip_code, latest = fields.get("zip_code"), self.today() + timedelta(days=1)
        code = zip5(zip_code) if isinstance(zip_code, str) else None
        if code is not None and not self.is_zip_in_use(code):
            found["zip_code"] = [sentence("zip_code", NO_SUCH_ZIP)]
        for name, most in (("on", latest), ("in_service_on", latest + timedelta(days=_DAYS_AHEAD))):
            day = fields.get(name)
            predicate = DateRange(_FIRST, most).broken_by(day) if isinstance(day, date) else None
            if predicate is not None:
                found[name] = [sentence(name, predicate)]
        return found | self._identity(fields)

    @staticmethod
    def _identity(fields: Mapping[str, object]) -> FieldErrors:
        vin, plate, state = (fields.get(name) for name in ("vin", "plate", "state"))
        found: FieldErrors = {}
        if isinstance(vin, str) and vin.strip():
            found["vin"] = validate_whole_vin(vin)
        elif isinstance(plate, str) and plate.strip():
            found["plate"] = plates.validate_number(plate)
            found["state"] = plates.validate_state(state if isinstance(state, str) else "")
        return {name: sentences for name, sentences in found.items() if sentences}


def validate_whole_vin(text: str) -> list[str]:
    """Return the errors in a VIN that must be complete: a shorter one stands for all vehicles built alike."""
    length = len(vins.normalize(text))
    if length != _WHOLE:
        return [f"A VIN has {_WHOLE} characters; this one has {length:,}."]
    return vins.validate(text)


def pasted_vins(text: str) -> Sequence[str]:
    """Return the distinct VINs of a pasted list: one per line, or separated by commas, semicolons or tabs."""
    parts = text.replace(",", "\n").replace(";", "\n").replace("\t", "\n").splitlines()
    return [*dict.fromkeys(vins.normalize(part) for part in parts if part.strip())]
