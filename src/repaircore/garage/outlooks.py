"""Compute and store what vehicles need and cost; lists and sums read what is stored."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date, timedelta
from typing import Final

from attrs import evolve, frozen

from repaircore.batches.bulk_prices import BulkPrices, PriceList, VehiclePrices
from repaircore.book.equipment import possible_powertrains
from repaircore.book.model import Problem
from repaircore.facilities.zip_code import zip5
from repaircore.garage.driving import Driving, driving_of
from repaircore.garage.expenses import YEAR, cost_per_mile, unplanned_cost
from repaircore.garage.forecast import Forecast, forecast, usual_year
from repaircore.garage.model import (
    DueService,
    GarageVehicle,
    Outlook,
    OutlookWarning,
    VehicleRecords,
    VehicleValueRange,
)
from repaircore.garage.ports import HealthOf, OpenWork, UpkeepOf, ValueOf
from repaircore.health.service import HealthReport
from repaircore.kernel.callers import Caller, Environment, owner_of
from repaircore.kernel.money import PriceRange
from repaircore.kernel.types import Clock, Lazy
from repaircore.pricing.sums import CostSum
from repaircore.schedules.due import add_months
from repaircore.vehicles import vin as vins

_PAST_MONTHS: Final = 24
_BATCH: Final = 200
_MOST_PER_READ: Final = 500
"""The number of outdated outlooks to recompute before a list is shown; the nightly job recomputes the others."""

_STALE_AFTER: Final = timedelta(days=7)
"""An outlook this old is recomputed when it is viewed, because the nightly job does not seem to be running."""


@frozen(kw_only=True)
class Outlooks:
    """Use cases for outlooks. ``live_health`` calls outside services to score a vehicle; ``health`` does not."""

    transaction: OpenWork
    read: OpenWork
    problems: Lazy[Sequence[Problem]]
    prices: BulkPrices
    health: HealthOf
    live_health: HealthOf
    upkeep: UpkeepOf
    value: ValueOf
    clock: Clock

    def refresh(self, caller: Caller) -> None:
        """Recompute the outdated outlooks of the caller's vehicles, but only some if there are many."""
        self._refresh(
            before=self.clock().date() - _STALE_AFTER,
            environment=caller.environment,
            owner_id=owner_of(caller),
            most=_MOST_PER_READ,
        )

    def refresh_all(self) -> int:
        """Compute the outlooks of all owners' vehicles that were not computed today; return how many."""
        return self._refresh(before=self.clock().date(), environment=None, owner_id=None, most=None)

    def refresh_one(self, vehicle: GarageVehicle) -> None:
        """Compute the outlook of a vehicle, using every source of recalls, unless today's outlook is still valid."""
        with self.read() as work:
            is_valid = work.garage_outlooks.is_valid(vehicle.id, on=self.clock().date())
        if not is_valid:
            self.compute(vehicle)

    def compute(self, vehicle: GarageVehicle) -> None:
        """Compute the outlook of one vehicle now, using every source of recalls."""
        self._compute([vehicle], self.live_health)

    def compute_all(self, vehicles: Sequence[GarageVehicle]) -> None:
        """Compute the outlooks of the given vehicles, without calling outside services."""
        for start in range(0, len(vehicles), _BATCH):
            self._compute(vehicles[start : start + _BATCH], self.health)

    def _refresh(
        self, *, before: date, environment: Environment | None, owner_id: int | None, most: int | None
    ) -> int:
        count = 0
        while most is None or count < most:
            with self.read() as work:
                found = work.garage_outlooks.list_outdated(
                    before=before, environment=environment, owner_id=owner_id, limit=_BATCH
                )
            if not found:
                break
            self._compute(found, self.health)
            count += len(found)
        return count

    def _compute(self, vehicles: Sequence[GarageVehicle], health: HealthOf) -> None:
        today = self.clock().date()
        reports = {vehicle.id: health(vehicle.vehicle) for vehicle in vehicles}
        book = {problem.slug: problem for problem in self.problems()}
        with self.read() as work:
            records = work.garage_outlooks.load_records(vehicles, since=add_months(today, -_PAST_MONTHS))
        outlooks = []
        for environment in Environment:
            with self.prices.open(environment) as prices:
                outlooks += [
                    self._outlook(
                        vehicle,
                        records[vehicle.id],
                        book,
                        prices=prices,
                        report=reports[vehicle.id],
                        today=today,
                    )
                    for vehicle in vehicles
                    if vehicle.vehicle.environment is environment and vehicle.id in records
                ]
        added = {vehicle.id: vehicle.added_at.date() for vehicle in vehicles}
        with self.transaction() as work:
            for outlook in outlooks:
                if outlook.driving.is_read:
                    miles = outlook.driving.miles_on(added[outlook.vehicle_id])
                    work.garage.track_from(outlook.vehicle_id, miles)
            work.garage_outlooks.save(outlooks)

    def _outlook(
        self,
        vehicle: GarageVehicle,
        records: VehicleRecords,
        book: Mapping[str, Problem],
        *,
        prices: PriceList,
        report: HealthReport,
        today: date,
    ) -> Outlook:
        driving = driving_of(records.readings, started_on=vehicle.started_on, today=today)
        found = forecast(vehicle, records, book, driving=driving, today=today)
        priced = _priced(vehicle, records, found, prices)
        costs = records.paid.merged()
        recalls, listed = report.recalls, report.listed
        return Outlook(
            vehicle_id=vehicle.id,
            computed_on=today,
            driving=driving,
            services=found.services if priced is None else _with_prices(found, priced),
            unplanned=None if priced is None else self._unplanned(vehicle, found, priced),
            health=report.health.score,
            grade=report.health.grade,
            open_recalls=None if recalls is None else recalls.count,
            recall_coverage=None if listed is None else listed.years.coverage,
            value=self._value(vehicle, driving, today),
            past_year=sum(cost.amount for cost in costs if cost.on >= add_months(today, -YEAR)),
            cost_per_mile=cost_per_mile(costs, records.readings, today=today),
            warnings=tuple(_warnings(vehicle, driving, priced)),
        )

    def _unplanned(self, vehicle: GarageVehicle, found: Forecast, priced: VehiclePrices) -> CostSum:
        by_slug = _by_slug(found, priced)
        powertrains = possible_powertrains(vehicle.vehicle.specs.profile) or frozenset()
        return unplanned_cost(
            upkeep=self.upkeep(vehicle.vehicle.specs),
            planned=usual_year(found.services, by_slug, found.driving.pace),
            pace=found.driving.pace,
            powertrain=next(iter(powertrains)) if len(powertrains) == 1 else None,
            labor_level=priced.labor_level,
        )

    def _value(self, vehicle: GarageVehicle, driving: Driving, today: date) -> VehicleValueRange:
        miles = driving.miles_on(today) if driving.is_read else None
        found = self.value(vehicle.vehicle.specs, miles)
        return VehicleValueRange(low=found.low, middle=found.middle, high=found.high)


def _priced(
    vehicle: GarageVehicle, records: VehicleRecords, found: Forecast, prices: PriceList
) -> VehiclePrices | None:
    """Return the prices of a vehicle's services, or None if it has no ZIP code or one that is no longer in use."""
    zip_code = zip5(vehicle.labels.zip_code or records.default_zip or "")
    if zip_code is None:
        return None
    specs = vehicle.vehicle.specs
    try:
        return prices.of(str(vehicle.vehicle.vehicle.id), specs, zip_code, [*found.problems.values()])
    except LookupError:  # a ZIP code that was in use when it was entered
        return None


def _by_slug(found: Forecast, priced: VehiclePrices) -> Mapping[str, PriceRange]:
    return {slug: priced.prices[problem.id] for slug, problem in found.problems.items()}


def _with_prices(found: Forecast, priced: VehiclePrices) -> tuple[DueService, ...]:
    by_slug = _by_slug(found, priced)
    return tuple(evolve(service, price=by_slug.get(service.slug or "")) for service in found.services)


def _warnings(
    vehicle: GarageVehicle, driving: Driving, priced: VehiclePrices | None
) -> Iterator[OutlookWarning]:
    if priced is None:
        yield OutlookWarning.NO_ZIP_CODE
    elif priced.is_outside_book:
        yield OutlookWarning.OUTSIDE_BOOK
    if not driving.is_read:
        yield OutlookWarning.NO_ODOMETER
    if vins.has_wrong_check_digit(vehicle.vehicle.vin):
        yield OutlookWarning.CHECK_DIGIT
