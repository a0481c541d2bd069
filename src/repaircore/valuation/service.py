"""Estimate the value of a vehicle, and its insurance risk."""

from collections.abc import Callable, Sequence
from datetime import date, datetime
from enum import StrEnum
from typing import Final, TypeAlias

from attrs import frozen

from repaircore.fleet.model import CoverageItem, FleetVehicle
from repaircore.fleet.service import Fleet
from repaircore.fleet.signals import Signal, SignalKind
from repaircore.fleet.usage import age_of
from repaircore.fleet.validation import validate_mileage
from repaircore.health.score import burden_value
from repaircore.kernel.callers import LOCAL, Caller
from repaircore.kernel.errors import Invalid
from repaircore.kernel.factors import Factor
from repaircore.kernel.money import Cents, dollars
from repaircore.kernel.types import Clock, Lazy
from repaircore.valuation.depreciation import (
    PER_TEN_THOUSAND_MILES,
    PER_YEAR,
    SALES_FITTED,
    MarketAt,
    Valuation,
    value_vehicle,
)
from repaircore.valuation.insurance import Risk, risk_of
from repaircore.valuation.upkeep import SURVEYED, yearly_upkeep
from repaircore.valuation.value_levels import Levels, ModelLevel
from repaircore.vehicle_facts.model import Segment, Tier, VehicleSpecs
from repaircore.vehicle_facts.segments import FactorTable

HealthOf: TypeAlias = Callable[[FleetVehicle], float | None]
"""Return a vehicle's health from 0 to 100, or None if it is unknown."""

PriceLevel: TypeAlias = Callable[[date, date], float]
"""Return the price of repairs on the first day, relative to the second day (1.0)."""

_PLAIN: Final = 1.0
_HALF: Final = 0.5


class OdometerSource(StrEnum):
    """The source of an odometer reading."""

    QUERY = "query"
    OWNER = "owner"
    CONNECTED_CAR = "connected_car"


@frozen(kw_only=True)
class Odometer:
    """An odometer reading in miles, its source and its time."""

    miles: float
    source: OdometerSource
    at: datetime


@frozen(kw_only=True)
class VehicleValue:
    """The value of a vehicle.

    A factor's weight is its coefficient; the effects, in dollars, add up to the middle value. ``odometer`` is None if
    the mileage is unknown; then the usual mileage for the age is assumed.
    """

    vehicle: FleetVehicle
    as_of: date
    valuation: Valuation
    odometer: Odometer | None
    sample_size: int
    factors: Sequence[Factor]


@frozen(kw_only=True)
class InsuranceReport:
    """The insurance risk of a vehicle. A factor's weight is its exponent, and its effect is in points of the score."""

    vehicle: FleetVehicle
    as_of: date
    risk: Risk
    factors: Sequence[Factor]


@frozen(kw_only=True)
class Valuations:
    """Use cases for value and insurance risk; both rate the vehicle, never a person."""

    fleet: Fleet
    levels: Lazy[Levels]
    market: MarketAt
    table: Lazy[FactorTable]
    health: HealthOf
    price_level: PriceLevel
    clock: Clock

    def valuation(self, vehicle: str, caller: Caller = LOCAL, *, mileage: int | None = None) -> VehicleValue:
        """Estimate the value of a vehicle; ``mileage`` takes precedence over the newest odometer signal.

        Raises:
            Invalid: on ``vin`` or ``mileage``.
            FleetVehicleNotFound, VehicleNotFound, Unavailable: as for ``Fleet.resolve``.
        """
        found, odometer = self._found(vehicle, caller, mileage)
        now = self.clock()
        valuation = self._value(found.specs, None if odometer is None else odometer.miles, now.date())
        return VehicleValue(
            vehicle=found,
            as_of=now.date(),
            valuation=valuation,
            odometer=odometer,
            sample_size=SALES_FITTED,
            factors=self._value_factors(found.specs, valuation),
        )

    def insurance_risk(
        self, vehicle: str, caller: Caller = LOCAL, *, mileage: int | None = None
    ) -> InsuranceReport:
        """Score how much a vehicle is likely to cost its insurer, compared with others.

        Raises:
            Invalid, FleetVehicleNotFound, VehicleNotFound, Unavailable: as for ``valuation``.
        """
        found, odometer = self._found(vehicle, caller, mileage)
        today = self.clock().date()
        value = self._value(found.specs, None if odometer is None else odometer.miles, today).middle
        health = self.health(found)
        segment, parts = self._segment(found.specs), self.table().factors_for(found.specs).parts
        risk = risk_of(segment, parts_factor=parts, value=value, health=health)
        factors = (
            ("segment", segment.value, _PLAIN, risk.frequency),
            ("parts_cost", round(parts, 3), _HALF, risk.severity),
            ("value", dollars(value), _HALF, risk.value),
            ("health", health, _HALF, risk.health),
        )
        return InsuranceReport(
            vehicle=found,
            as_of=today,
            risk=risk,
            factors=[
                Factor(name=name, value=known, weight=weight, effect=risk.points(factor))
                for name, known, weight, factor in factors
            ],
        )

    def value_coverage(self, vehicle: FleetVehicle) -> CoverageItem:
        """Return what the value of a vehicle is based on."""
        is_known = SignalKind.ODOMETER in self.fleet.signals(vehicle)
        miles = "its odometer" if is_known else "the usual miles for its age, as its odometer is unknown"
        return CoverageItem(
            name="valuation",
            answered=True,
            source="editorial levels",
            detail=f"From its segment, make and model, the market, its age and {miles}.",
        )

    def risk_coverage(self, vehicle: FleetVehicle) -> CoverageItem:
        """Return what the insurance risk of a vehicle is based on."""
        segment = self._segment(vehicle.specs).value.replace("_", " ")
        return CoverageItem(
            name="insurance_risk",
            answered=True,
            source="editorial weights",
            detail=f"As a {segment.replace('suv', 'SUV')}, from its value, the cost of its parts and its health.",
        )

    def _found(
        self, vehicle: str, caller: Caller, mileage: int | None
    ) -> tuple[FleetVehicle, Odometer | None]:
        mileage_errors = validate_mileage(mileage)
        errors = {"mileage": mileage_errors} if mileage_errors else {}
        try:
            found = self.fleet.resolve(vehicle, caller, field="vin")
        except Invalid as invalid:
            raise Invalid({**invalid.fields, **errors}) from None
        if errors:
            raise Invalid(errors)
        if mileage is not None:
            return found, Odometer(miles=mileage, source=OdometerSource.QUERY, at=self.clock())
        return found, _odometer(self.fleet.signals(found).get(SignalKind.ODOMETER))

    def value_of(self, specs: VehicleSpecs, miles: float | None) -> Valuation:
        """Estimate today's value of a vehicle; if ``miles`` is None, the usual mileage for its age is assumed."""
        return self._value(specs, miles, self.clock().date())

    def upkeep_of(self, specs: VehicleSpecs) -> Cents:
        """Return the yearly cost of a vehicle's services, repairs and tires at its current age, in cents."""
        today = self.clock().date()
        return yearly_upkeep(
            age_of(specs.year, today),
            parts_factor=self.table().factors_for(specs).parts,
            price_level=self.price_level(today, SURVEYED),
        )

    def burden(self, vehicle: FleetVehicle, miles: int | None) -> float:
        """Rate the yearly upkeep of a vehicle against its value at a mileage, from 0 (worst) to 1."""
        value = self.value_of(vehicle.specs, miles).middle
        return burden_value(yearly_repairs=self.upkeep_of(vehicle.specs), value=value)

    def _value(self, specs: VehicleSpecs, miles: float | None, today: date) -> Valuation:
        level = self._level(specs).level
        return value_vehicle(level, model_year=specs.year, miles=miles, today=today, market=self.market)

    def _level(self, specs: VehicleSpecs) -> ModelLevel:
        return self.levels().of(specs.make, specs.model, self._segment(specs), self._tier(specs))

    def _segment(self, specs: VehicleSpecs) -> Segment:
        return self.table().segment_of(specs)

    def _tier(self, specs: VehicleSpecs) -> Tier:
        return self.table().tier_of(specs.make)

    def _value_factors(self, specs: VehicleSpecs, valuation: Valuation) -> Sequence[Factor]:
        segment, tier, level = self._segment(specs), self._tier(specs), self._level(specs)
        weight = self.levels().weight if level.is_listed else 0.0
        return (
            Factor(name="segment", value=segment.value, weight=_PLAIN, effect=dollars(level.segment)),
            Factor(
                name="make_tier",
                value=tier.value,
                weight=level.tier_factor,
                effect=dollars(level.tier - level.segment),
            ),
            Factor(
                name="make",
                value=specs.make,
                weight=level.brand_factor,
                effect=dollars(level.brand - level.tier),
            ),
            Factor(name="model", value=specs.model, weight=weight, effect=dollars(level.level - level.brand)),
            Factor(
                name="market",
                value=round(valuation.market, 4),
                weight=_PLAIN,
                effect=dollars(valuation.market_adjustment),
            ),
            Factor(
                name="age", value=valuation.age, weight=PER_YEAR, effect=dollars(valuation.age_adjustment)
            ),
            Factor(
                name="mileage",
                value=valuation.miles,
                weight=PER_TEN_THOUSAND_MILES,
                effect=dollars(valuation.mileage_adjustment),
            ),
        )


def _odometer(signal: Signal | None) -> Odometer | None:
    if signal is None or not isinstance(signal.value, int | float):
        return None
    return Odometer(miles=signal.value, source=OdometerSource(signal.source.value), at=signal.at)
