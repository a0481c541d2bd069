"""Stored records of garage vehicles: odometer readings, schedules, completed services and payments."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, time
from typing import Final
from uuid import UUID

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from repaircore.adapters.sql.engine.codec import micros, moment
from repaircore.adapters.sql.schema.accounts import users
from repaircore.adapters.sql.schema.fleet import fleet_signals as signals
from repaircore.adapters.sql.schema.fleet import fleet_vehicles, service_schedules
from repaircore.adapters.sql.schema.garage import garage_settings, vehicle_bills
from repaircore.adapters.sql.schema.problems import problems
from repaircore.adapters.sql.schema.shops import shops
from repaircore.adapters.sql.schema.transactions import transactions
from repaircore.adapters.sql.schema.visits import visits
from repaircore.adapters.sql.service_schedules import SCHEDULES, schedule_of
from repaircore.adapters.sql.visits import VISITS
from repaircore.fleet.model import FleetVehicle
from repaircore.fleet.signals import SignalKind
from repaircore.garage.cadence import Done
from repaircore.garage.driving import Reading
from repaircore.garage.expenses import PastCost
from repaircore.garage.model import DoneService, PaidCosts
from repaircore.json_text import decode
from repaircore.kernel.callers import INSTALLATION, Environment, Role
from repaircore.schedules.model import ServiceSchedule, Stage
from repaircore.transactions.car_numbers import car_of

_ODOMETER: Final = signals.c.kind == SignalKind.ODOMETER.value


class GarageHistory:
    """The records of many vehicles, read in a few queries."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def readings(self, ids: Collection[str], *, since: date) -> Mapping[str, Sequence[Reading]]:
        """Return each vehicle's first odometer reading since a day and its newest one, by vehicle id, oldest first."""
        of_vehicle = (signals.c.fleet_vehicle_id == fleet_vehicles.c.id, _ODOMETER)
        one = sa.select(signals.c.id).where(*of_vehicle).limit(1).correlate(fleet_vehicles)
        newest = one.order_by(signals.c.at.desc(), signals.c.id.desc()).scalar_subquery()
        first = (
            one.where(signals.c.at >= _micros(since)).order_by(signals.c.at, signals.c.id).scalar_subquery()
        )
        ends = sa.select(first.label("first"), newest.label("newest")).where(fleet_vehicles.c.id.in_(ids))
        wanted = {number for row in self._connection.execute(ends) for number in row if number is not None}
        found: dict[str, list[Reading]] = defaultdict(list)
        columns = (signals.c.fleet_vehicle_id, signals.c.value, signals.c.at)
        query = sa.select(*columns).where(signals.c.id.in_(wanted)).order_by(signals.c.at, signals.c.id)
        for vehicle_id, value, at in self._connection.execute(query):
            found[vehicle_id].append(Reading(day=moment(at).date(), miles=round(decode(value))))
        return found

    def planned(self, ids: Collection[str]) -> Mapping[str, Sequence[ServiceSchedule]]:
        """Return the vehicles' planned services, by vehicle id."""
        found: dict[str, list[ServiceSchedule]] = defaultdict(list)
        query = SCHEDULES.where(
            service_schedules.c.fleet_vehicle_id.in_(ids), service_schedules.c.stage == Stage.PLANNED.value
        )
        for row in self._connection.execute(query):
            found[row.schedule_fleet_vehicle_id].append(schedule_of(row))
        return found

    def completed(self, ids: Collection[str]) -> Mapping[str, Sequence[DoneService]]:
        """Return the vehicles' completed services that are repairs in the book, by vehicle id."""
        columns = service_schedules.c
        query = (
            sa.select(
                columns.fleet_vehicle_id, problems.c.slug, columns.completed_on, columns.completed_mileage
            )
            .join(problems, problems.c.id == columns.problem_id)
            .where(columns.fleet_vehicle_id.in_(ids), columns.stage == Stage.COMPLETED.value)
        )
        found: dict[str, list[DoneService]] = defaultdict(list)
        for vehicle_id, slug, on, miles in self._connection.execute(query):
            found[vehicle_id].append(_done(slug, on, miles))
        return found

    def paid(
        self, vehicles: Collection[FleetVehicle], *, since: date
    ) -> tuple[Mapping[UUID, PaidCosts], Mapping[UUID, Sequence[DoneService]]]:
        """Return what was paid for the vehicles since a day, and the repairs that were paid for, both by vehicle id."""
        costs: dict[UUID, dict[str, list[PastCost]]] = defaultdict(lambda: defaultdict(list))
        done: dict[UUID, list[DoneService]] = defaultdict(list)
        for kind, found in (
            ("visits", self._visits(vehicles, since)),
            ("transactions", self._transactions(vehicles, since)),
            ("bills", self._bills(vehicles, since)),
        ):
            for vehicle_id, cost, services in found:
                costs[vehicle_id][kind].append(cost)
                done[vehicle_id] += services
        paid = {
            number: PaidCosts(**{kind: tuple(found) for kind, found in by_kind.items()})
            for number, by_kind in costs.items()
        }
        return paid, done

    def default_zips(self, owners: Collection[tuple[Environment, int]]) -> Mapping[tuple[str, int], str]:
        """Return ZIP codes for prices by environment and owner: from garage settings, or else from the owner's shop."""
        ids = {owner for _, owner in owners}
        of_shops = sa.select(shops.c.owner_id, shops.c.zip_code).where(shops.c.owner_id.in_(ids))
        found = {
            (environment.value, owner): zip_code
            for owner, zip_code in self._connection.execute(of_shops)
            for environment in Environment
            if zip_code
        }
        columns = (garage_settings.c.environment, garage_settings.c.owner_id, garage_settings.c.zip_code)
        saved = sa.select(*columns).where(
            garage_settings.c.environment.in_([*Environment]), garage_settings.c.owner_id.in_(ids)
        )
        found |= {
            (row.environment, row.owner_id): row.zip_code
            for row in self._connection.execute(saved)
            if row.zip_code
        }
        return found

    def _visits(
        self, vehicles: Collection[FleetVehicle], since: date
    ) -> Iterator[tuple[UUID, PastCost, Sequence[DoneService]]]:
        for (environment, owner), by_vin in _by_owner(vehicles).items():
            query = sa.select(visits).where(
                visits.c.environment == environment,
                visits.c.owner_id == owner,
                visits.c.status == sa.literal_column("'invoiced'"),
                visits.c.vin.in_(by_vin),
            )
            for row in self._connection.execute(query):
                visit = VISITS.read(row)
                on = visit.updated_at.date()
                cost = PastCost(on=on, amount=visit.estimate.totals.total, label=f"Visit {visit.number}")
                miles = visit.estimate.mileage
                services = [
                    DoneService(slug=line.problem_slug, done=Done(on=on, miles=miles))
                    for line in visit.lines
                    if line.problem_slug is not None
                ]
                if on >= since:
                    yield by_vin[row.vin], cost, services

    def _transactions(
        self, vehicles: Collection[FleetVehicle], since: date
    ) -> Iterator[tuple[UUID, PastCost, Sequence[DoneService]]]:
        admins = self._admins({vehicle.owner_id for vehicle in vehicles})
        for (environment, owner), by_vin in _by_owner(vehicles).items():
            cars = {number: by_vin[vin] for vin in by_vin if (number := car_of(vin)) is not None}
            if owner not in admins or not cars:
                continue
            columns = (
                transactions.c.car,
                transactions.c.performed_on,
                transactions.c.mileage,
                transactions.c.total,
            )
            query = (
                sa.select(*columns, problems.c.slug, problems.c.name)
                .join(problems, problems.c.id == transactions.c.problem_id)
                .where(
                    transactions.c.environment == environment,
                    transactions.c.car.is_not(None),
                    transactions.c.car.in_(cars),
                    transactions.c.performed_on >= since.isoformat(),
                )
            )
            for row in self._connection.execute(query):
                on = date.fromisoformat(row.performed_on)
                cost = PastCost(on=on, amount=row.total, label=row.name)
                yield cars[row.car], cost, [_done(row.slug, row.performed_on, row.mileage)]

    def _bills(
        self, vehicles: Collection[FleetVehicle], since: date
    ) -> Iterator[tuple[UUID, PastCost, Sequence[DoneService]]]:
        query = sa.select(vehicle_bills).where(
            vehicle_bills.c.fleet_vehicle_id.in_([str(vehicle.id) for vehicle in vehicles]),
            vehicle_bills.c.paid_on >= since.isoformat(),
        )
        for row in self._connection.execute(query):
            label = row.title if row.shop_name is None else f"{row.title}, {row.shop_name}"
            cost = PastCost(on=date.fromisoformat(row.paid_on), amount=row.total, label=label)
            slug = row.problem_slug
            yield (
                UUID(row.fleet_vehicle_id),
                cost,
                [] if slug is None else [_done(slug, row.paid_on, row.mileage)],
            )

    def _admins(self, owners: Collection[int]) -> Collection[int]:
        query = sa.select(users.c.id).where(users.c.id.in_(owners), users.c.role == Role.ADMIN.value)
        return {INSTALLATION, *self._connection.execute(query).scalars()}


def _by_owner(vehicles: Collection[FleetVehicle]) -> Mapping[tuple[str, int], Mapping[str, UUID]]:
    found: dict[tuple[str, int], dict[str, UUID]] = defaultdict(dict)
    for vehicle in vehicles:
        found[vehicle.environment.value, vehicle.owner_id][vehicle.vin] = vehicle.id
    return found


def _done(slug: str, on: str, miles: int | None) -> DoneService:
    return DoneService(slug=slug, done=Done(on=date.fromisoformat(on), miles=miles))


def _micros(day: date) -> int:
    return micros(datetime.combine(day, time(), tzinfo=UTC))
