"""What a vehicle is worth, and how likely it is to cost its insurer much."""

from collections.abc import Callable, Sequence
from datetime import date, datetime
from enum import StrEnum
from typing import Final, TypeAlias

from attrs import frozen

from repaircore.fleet.model import CoverageItem, FleetVehicle
from repaircore.fleet.service import Fleet
from repaircore.fleet.signals import Signal, SignalKind
from repaircore.fleet.validation import validate_mileage
from repaircore.health.score import burden_value
from repaircore.kernel.callers import LOCAL, Caller
from repaircore.kernel.errors import Invalid
from repaircore.kernel.factors import Factor
from repaircore.kernel.money import dollars
from repaircore.kernel.types import Clock, Lazy
from repaircore.valuation.depreciation import (
    PER_TEN_THOUSAND_MILES,
    PER_YEAR,
    SALES_FITTED,
    MarketAt,
    Valuation,
    valued,
)
from repaircore.valuation.insurance import Risk, risk_of
from repaircore.valuation.upkeep import SURVEYED, yearly_upkeep
from repaircore.valuation.value_levels import Levels, ModelLevel
from repaircore.vehicle_facts.model import Segment, Tier, VehicleSpecs
from repaircore.vehicle_facts.segments import FactorTable

HealthOf: TypeAlias = Callable[[FleetVehicle], float | None]
"""Give a vehicle's health from 0 to 100; None when nothing is known of it."""

PriceLevel: TypeAlias = Callable[[date, date], float]
"""Give how dear repairs are on the first day, relative to the second (1.0)."""

_PLAIN: Final = 1.0
_HALF: Final = 0.5


class OdometerSource(StrEnum):
    """Who told the odometer."""

    QUERY = "query"
    OWNER = "owner"
    CONNECTED_CAR = "connected_car"


@frozen(kw_only=True)
class Odometer:
    """A reading in miles, who told it, and when it was told."""

    miles: float
    source: OdometerSource
    at: datetime


@frozen(kw_only=True)
class VehicleValue:
    """What a vehicle is worth. A factor's weight is its coefficient, its effect dollars; together they make the middle.

    ``odometer`` is None when nobody told it: then it is taken as usual for the age.
    """

    vehicle: FleetVehicle
    as_of: date
    worth: Valuation
    odometer: Odometer | None
    sample_size: int
    factors: Sequence[Factor]


@frozen(kw_only=True)
class InsuranceReport:
    """How a vehicle stands beside others. A factor's weight is its exponent, its effect points of the score."""

    vehicle: FleetVehicle
    as_of: date
    risk: Risk
    factors: Sequence[Factor]


@frozen(kw_only=True)
class Valuations:
    """The use cases of value and insurance. Both go by the vehicle alone, never by a person."""

    fleet: Fleet
    levels: Lazy[Levels]
    market: MarketAt
    table: Lazy[FactorTable]
    health: HealthOf
    price_level: PriceLevel
    clock: Clock

    def valuation(self, vehicle: str, caller: Caller = LOCAL, *, mileage: int | None = None) -> VehicleValue:
        """Say what a vehicle is worth; ``mileage`` counts before what was told of its odometer.

        Raises:
            Invalid: on ``vin`` and ``mileage``.
            FleetVehicleNotFound: the caller has no vehicle of this id.
            VehicleNotFound: nobody knows the VIN.
            Unavailable: only a remote decoder could know it, and it does not answer.
        """
        found, odometer = self._found(vehicle, caller, mileage)
        now = self.clock()
        worth = self._worth(found.specs, odometer, now.date())
        return VehicleValue(
            vehicle=found,
            as_of=now.date(),
            worth=worth,
            odometer=odometer,
            sample_size=SALES_FITTED,
            factors=self._value_factors(found.specs, worth),
        )

    def insurance_risk(
        self, vehicle: str, caller: Caller = LOCAL, *, mileage: int | None = None
    ) -> InsuranceReport:
        """Say how likely a vehicle is to cost its insurer much, beside others.

        Raises:
            Invalid, FleetVehicleNotFound, VehicleNotFound, Unavailable: as for ``valuation``.
        """
        found, odometer = self._found(vehicle, caller, mileage)
        today = self.clock().date()
        worth, health = self._worth(found.specs, odometer, today), self.health(found)
        segment, parts = self._segment(found.specs), self.table().factors_for(found.specs).parts
        risk = risk_of(segment, parts_factor=parts, value=worth.middle, health=health)
        told = (
            ("segment", segment.value, _PLAIN, risk.frequency),
            ("parts_cost", round(parts, 3), _HALF, risk.severity),
            ("value", dollars(worth.middle), _HALF, risk.value),
            ("health", health, _HALF, risk.health),
        )
        return InsuranceReport(
            vehicle=found,
            as_of=today,
            risk=risk,
            factors=[
                Factor(name=name, value=value, weight=weight, effect=risk.points(factor))
                for name, value, weight, factor in told
            ],
        )

    def value_covered(self, vehicle: FleetVehicle) -> CoverageItem:
        """Say what the value of a vehicle rests on."""
        told = SignalKind.ODOMETER in self.fleet.signals(vehicle)
        miles = "its odometer" if told else "the miles that are usual for its age: nobody told its odometer"
        return CoverageItem(
            name="valuation",
            answered=True,
            source="editorial levels",
            detail=f"From its segment, make and model, the market, its age and {miles}.",
        )

    def risk_covered(self, vehicle: FleetVehicle) -> CoverageItem:
        """Say what the insurance risk of a vehicle rests on."""
        segment = self._segment(vehicle.specs).value.replace("_", " ")
        return CoverageItem(
            name="insurance_risk",
            answered=True,
            source="editorial weights",
            detail=f"As a {segment.replace('suv', 'SUV')}, from its value, what its parts cost and its health.",
        )

    def _found(
        self, vehicle: str, caller: Caller, mileage: int | None
    ) -> tuple[FleetVehicle, Odometer | None]:
        told = validate_mileage(mileage)
        try:
            found = self.fleet.resolve(vehicle, caller, field="vin")
        except Invalid as bad:
            raise Invalid({**bad.fields, **({"mileage": told} if told else {})}) from None
        if told:
            raise Invalid({"mileage": told})
        if mileage is not None:
            return found, Odometer(miles=mileage, source=OdometerSource.QUERY, at=self.clock())
        return found, _odometer(self.fleet.signals(found).get(SignalKind.ODOMETER))

    def burden(self, vehicle: FleetVehicle, miles: int | None) -> float:
        """Judge, 0 to 1, what repairs cost a year beside what a vehicle with these miles is worth."""
        about, today = vehicle.specs, self.clock().date()
        worth = self._valued(about, miles, today)
        spent = yearly_upkeep(
            worth.age,
            parts_factor=self.table().factors_for(about).parts,
            price_level=self.price_level(today, SURVEYED),
        )
        return burden_value(yearly_repairs=spent, value=worth.middle)

    def _worth(self, about: VehicleSpecs, odometer: Odometer | None, today: date) -> Valuation:
        return self._valued(about, None if odometer is None else odometer.miles, today)

    def _valued(self, about: VehicleSpecs, miles: float | None, today: date) -> Valuation:
        level = self._level(about).level
        return valued(level, model_year=about.year, miles=miles, today=today, market=self.market)

    def _level(self, about: VehicleSpecs) -> ModelLevel:
        return self.levels().of(about.make, about.model, self._segment(about), self._tier(about))

    def _segment(self, about: VehicleSpecs) -> Segment:
        return self.table().segment_of(about)

    def _tier(self, about: VehicleSpecs) -> Tier:
        return self.table().tier_of(about.make)

    def _value_factors(self, about: VehicleSpecs, worth: Valuation) -> Sequence[Factor]:
        segment, tier, level = self._segment(about), self._tier(about), self._level(about)
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
                value=about.make,
                weight=level.brand_factor,
                effect=dollars(level.brand - level.tier),
            ),
            Factor(name="model", value=about.model, weight=weight, effect=dollars(level.level - level.brand)),
            Factor(
                name="market",
                value=round(worth.market, 4),
                weight=_PLAIN,
                effect=dollars(worth.market_adjustment),
            ),
            Factor(name="age", value=worth.age, weight=PER_YEAR, effect=dollars(worth.age_adjustment)),
            Factor(
                name="mileage",
                value=worth.miles,
                weight=PER_TEN_THOUSAND_MILES,
                effect=dollars(worth.mileage_adjustment),
            ),
        )


def _odometer(signal: Signal | None) -> Odometer | None:
    if signal is None or not isinstance(signal.value, int | float):
        return None
    return Odometer(miles=signal.value, source=OdometerSource(signal.source.value), at=signal.at)
