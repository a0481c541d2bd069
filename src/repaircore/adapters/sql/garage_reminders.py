"""Garage settings and service reminders in the database."""

from collections.abc import Sequence
from datetime import date, datetime
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection
from typing_extensions import override

from repaircore.adapters.sql.engine.codec import RowCodec, micros
from repaircore.adapters.sql.engine.dialects import upsert
from repaircore.adapters.sql.garage_outlooks import listed_service
from repaircore.adapters.sql.outdated_outlooks import outdate_all
from repaircore.adapters.sql.schema.accounts import users
from repaircore.adapters.sql.schema.fleet import fleet_vehicles
from repaircore.adapters.sql.schema.garage import garage_reminders as reminders
from repaircore.adapters.sql.schema.garage import garage_services as services
from repaircore.adapters.sql.schema.garage import garage_settings as settings
from repaircore.adapters.sql.schema.garage import garage_vehicles as garage
from repaircore.garage.model import GarageSettings, ListedService, Reminder
from repaircore.garage.ports import GarageReminders
from repaircore.kernel.callers import Environment

_settings: Final = RowCodec(GarageSettings)
_KEY: Final = ("fleet_vehicle_id", "name", "period")
_MARKED: Final = (
    sa.select(reminders.c.name)
    .where(*(reminders.c[name] == services.c[name] for name in _KEY))
    .correlate(services)
    .exists()
)
_GARAGED: Final = services.join(garage, garage.c.fleet_vehicle_id == services.c.fleet_vehicle_id).join(
    fleet_vehicles, fleet_vehicles.c.id == garage.c.fleet_vehicle_id
)


class SqlGarageReminders(GarageReminders):
    """The stored settings, and a mark for each claimed reminder."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @override
    def settings(self, *, environment: Environment, owner_id: int) -> GarageSettings:
        found = sa.select(settings).where(
            settings.c.environment == environment, settings.c.owner_id == owner_id
        )
        row = self._connection.execute(found).one_or_none()
        return GarageSettings() if row is None else _settings.read(row)

    @override
    def save_settings(self, settings_: GarageSettings, *, environment: Environment, owner_id: int) -> None:
        old = self.settings(environment=environment, owner_id=owner_id)
        values = _settings.write(settings_)
        insert = upsert(self._connection, settings).values(
            environment=environment, owner_id=owner_id, **values
        )
        self._connection.execute(
            insert.on_conflict_do_update(index_elements=["environment", "owner_id"], set_=values)
        )
        if old.zip_code != settings_.zip_code:
            outdate_all(self._connection, environment=environment, owner_id=owner_id)

    @override
    def list_owners(self, *, due_by: date) -> Sequence[tuple[Environment, int]]:
        found = (
            sa.select(fleet_vehicles.c.environment, fleet_vehicles.c.owner_id)
            .select_from(_GARAGED.join(users, users.c.id == fleet_vehicles.c.owner_id))
            .where(*_unmarked(due_by), users.c.locked_at.is_(None))
            .distinct()
        )
        owners = [(Environment(row.environment), row.owner_id) for row in self._connection.execute(found)]
        return sorted(owners, key=lambda owner: (owner[1], owner[0].value))

    @override
    def claim(
        self, environment: Environment, owner_id: int, *, due_by: date, at: datetime, limit: int
    ) -> Reminder | None:
        user = self._connection.execute(
            sa.select(users.c.name, users.c.email).where(users.c.id == owner_id, users.c.locked_at.is_(None))
        ).one_or_none()
        if user is None:
            return None
        due = self._due(environment, owner_id, due_by, limit)
        claimed = tuple(service for row, service in due if self._mark(row, at))
        if not claimed:
            return None
        wants_mail = self.settings(environment=environment, owner_id=owner_id).mail_reminders
        return Reminder(
            owner_id=owner_id,
            environment=environment,
            name=user.name,
            email=user.email if wants_mail and environment is Environment.LIVE else None,
            services=claimed,
        )

    def _due(
        self, environment: Environment, owner_id: int, due_by: date, limit: int
    ) -> Sequence[tuple[Any, ListedService]]:
        labels = (column for column in garage.c if column.name not in {"fleet_vehicle_id", "version"})
        found = (
            sa.select(fleet_vehicles.c.id.label("vehicle_id"), fleet_vehicles.c.vin, *labels, services)
            .select_from(_GARAGED)
            .where(
                *_unmarked(due_by),
                fleet_vehicles.c.environment == environment,
                fleet_vehicles.c.owner_id == owner_id,
            )
            .order_by(services.c.due_on, services.c.id)
            .limit(limit)
        )
        return [(row, listed_service(row)) for row in self._connection.execute(found)]

    def _mark(self, row: Any, at: datetime) -> bool:
        """Mark a service's reminder as claimed and return True, or return False if it was already claimed."""
        insert = upsert(self._connection, reminders).values(
            {name: getattr(row, name) for name in _KEY} | {"reminded_at": micros(at)}
        )
        inserted = insert.on_conflict_do_nothing().returning(reminders.c.name)
        return self._connection.execute(inserted).one_or_none() is not None


def _unmarked(due_by: date) -> tuple["sa.ColumnElement[bool]", ...]:
    return services.c.turn == 1, services.c.due_on <= due_by.isoformat(), sa.not_(_MARKED)
