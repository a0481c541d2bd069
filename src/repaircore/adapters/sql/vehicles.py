"""Vehicles and their plates in the database."""

from collections.abc import Sequence
from typing import Any, Final
from uuid import UUID

import sqlalchemy as sa
from attrs import evolve
from sqlalchemy.engine import Connection, Row
from typing_extensions import override

from repaircore.adapters.sql.engine.codec import changed, micros, moment
from repaircore.adapters.sql.engine.dialects import translating_errors, upsert
from repaircore.adapters.sql.schema.vehicles import plates, vehicles
from repaircore.json_text import NotJsonError, decoder_of, encode_text
from repaircore.kernel.callers import Environment
from repaircore.kernel.errors import Conflict
from repaircore.kernel.facts import NO_FACTS, VehicleFacts
from repaircore.kernel.spelling import key, make_key
from repaircore.kernel.traits import Body, Drive, Powertrain
from repaircore.vehicle_facts.model import VehicleSpecs
from repaircore.vehicles.model import MotorType, Plate, StoredPlate, Vehicle
from repaircore.vehicles.ports import PlateRecords, VehicleRecords

SPECS_COLUMNS: Final = (
    *("make", "model", "year", "trim", "engine", "powertrain", "drive", "body", "facts", "source"),
)
"""The columns that ``specs_of`` reads."""


def specs_of(row: "Row[Any]") -> VehicleSpecs:
    """Return the specs in a row with ``SPECS_COLUMNS``."""
    return VehicleSpecs(
        make=row.make,
        model=row.model,
        year=row.year,
        trim=row.trim,
        engine=row.engine,
        powertrain=None if row.powertrain is None else Powertrain(row.powertrain),
        drive=None if row.drive is None else Drive(row.drive),
        body=None if row.body is None else Body(row.body),
        facts=_facts_of(row.facts),
        source=row.source,
    )


def _facts_of(text: str | None) -> VehicleFacts:
    """Parse stored facts; any that a newer version wrote in another format count as missing and are looked up again."""
    if text is None:
        return NO_FACTS
    try:
        return decoder_of(VehicleFacts)(text)
    except NotJsonError:
        return NO_FACTS


def _facts_text(facts: VehicleFacts) -> str | None:
    return None if facts == NO_FACTS else encode_text(facts, is_sorted=True)


def vehicle_of(row: "Row[tuple[object, ...]]") -> Vehicle:
    """Return the vehicle in a row."""
    return Vehicle(
        id=UUID(row.id),
        vin=row.vin,
        specs=specs_of(row),
        created_at=moment(row.created_at),
        motor_type=None
        if row.motor_vehicle_type is None and row.motor_vehicle_type_group is None
        else MotorType(name=row.motor_vehicle_type, group=row.motor_vehicle_type_group),
        current_mileage=row.current_mileage,
        plate_no=row.plate_no,
        plate_state=row.plate_state,
        facility_id=row.facility_id,
        version=row.version,
    )


def _values(vehicle: Vehicle) -> dict[str, object]:
    specs, motor_type = vehicle.specs, vehicle.motor_type
    return {
        "id": str(vehicle.id),
        "vin": vehicle.vin,
        "vin11": None if vehicle.is_whole else vehicle.vin11,
        "make": specs.make,
        "model": specs.model,
        "year": specs.year,
        "trim": specs.trim,
        "engine": specs.engine,
        "powertrain": specs.powertrain,
        "drive": specs.drive,
        "body": specs.body,
        "source": specs.source,
        "created_at": micros(vehicle.created_at),
        "make_key": make_key(specs.make),
        "model_key": key(specs.model),
        "motor_vehicle_type": None if motor_type is None else motor_type.name,
        "motor_vehicle_type_group": None if motor_type is None else motor_type.group,
        "current_mileage": vehicle.current_mileage,
        "plate_no": vehicle.plate_no,
        "plate_state": vehicle.plate_state,
        "facts": _facts_text(specs.facts),
        "facility_id": vehicle.facility_id,
        "version": vehicle.version,
    }


_CONFLICT = "The vehicle was changed by another request. Reload it and try again."


class SqlVehicles(VehicleRecords):
    """The stored vehicles."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @override
    def find(self, vehicle_id: UUID) -> Vehicle | None:
        return self._find_one(vehicles.c.id == str(vehicle_id))

    @override
    def find_by_vin(self, vin: str) -> Vehicle | None:
        whole = self._find_one(sa.and_(vehicles.c.vin == vin, vehicles.c.vin11.is_(None)))
        return whole or self._find_one(vehicles.c.vin11 == vin[:11])

    @override
    def find_by_plate(self, plate: Plate) -> Vehicle | None:
        carries = sa.and_(
            vehicles.c.plate_state == plate.state,
            vehicles.c.plate_no == plate.number,
            vehicles.c.vin11.is_(None),
        )
        found = (
            sa.select(vehicles).where(carries).order_by(vehicles.c.created_at.desc(), vehicles.c.id.desc())
        )
        row = self._connection.execute(found.limit(1)).one_or_none()
        return None if row is None else vehicle_of(row)

    @override
    def list_by_model(self, *, year: int, make: str, model: str) -> Sequence[Vehicle]:
        alike = (
            vehicles.c.year == year,
            vehicles.c.make_key == make_key(make),
            vehicles.c.model_key == key(model),
        )
        found = sa.select(vehicles).where(*alike).order_by(vehicles.c.created_at, vehicles.c.id)
        return [vehicle_of(row) for row in self._connection.execute(found)]

    @override
    def add(self, vehicle: Vehicle) -> Vehicle:
        # Two workers may store the same VIN at once: the first record stands for both.
        insert = upsert(self._connection, vehicles).values(_values(vehicle))
        self._connection.execute(insert.on_conflict_do_nothing())
        # Its VIN may belong to one record and its id to another: the VIN identifies the vehicle.
        return self._same_vin(vehicle) or self._by_id(vehicle.id)

    @override
    def replace(self, old: Vehicle, new: Vehicle) -> Vehicle:
        stored = evolve(new, version=old.version + 1)
        unchanged = (vehicles.c.id == str(old.id), vehicles.c.version == old.version)
        with translating_errors():
            # Setting the id would make SQLite scan every prediction for references to the old one.
            values = changed(_values(old), _values(stored))
            done = self._connection.execute(sa.update(vehicles).where(*unchanged).values(values))
        if done.rowcount != 1:
            raise Conflict(_CONFLICT)
        return stored

    @override
    def delete(self, old: Vehicle) -> None:
        unchanged = (vehicles.c.id == str(old.id), vehicles.c.version == old.version)
        with translating_errors():
            done = self._connection.execute(sa.delete(vehicles).where(*unchanged))
        if done.rowcount != 1:
            raise Conflict(_CONFLICT)

    def _same_vin(self, vehicle: Vehicle) -> Vehicle | None:
        if vehicle.is_whole:
            return self._find_one(sa.and_(vehicles.c.vin == vehicle.vin, vehicles.c.vin11.is_(None)))
        return None if vehicle.vin11 is None else self._find_one(vehicles.c.vin11 == vehicle.vin11)

    def _by_id(self, vehicle_id: UUID) -> Vehicle:
        found = sa.select(vehicles).where(vehicles.c.id == str(vehicle_id))
        return vehicle_of(self._connection.execute(found).one())

    def _find_one(self, condition: "sa.ColumnElement[bool]") -> Vehicle | None:
        row = self._connection.execute(sa.select(vehicles).where(condition)).one_or_none()
        return None if row is None else vehicle_of(row)


_KEY = ("environment", "state", "number")
_VALUES = ("vin", "vehicle_id", "source", "reported_at")


class SqlPlates(PlateRecords):
    """The stored plates."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @override
    def find(self, plate: Plate, *, environment: Environment) -> StoredPlate | None:
        found = sa.select(plates).where(
            plates.c.environment == environment,
            plates.c.state == plate.state,
            plates.c.number == plate.number,
        )
        row = self._connection.execute(found).one_or_none()
        if row is None:
            return None
        return StoredPlate(
            environment=environment,
            plate=plate,
            vin=row.vin,
            vehicle_id=UUID(row.vehicle_id),
            source=row.source,
            reported_at=moment(row.reported_at),
        )

    @override
    def has_any(self, environment: Environment) -> bool:
        stored = sa.select(sa.literal(1)).where(plates.c.environment == environment).limit(1)
        entered = sa.select(sa.literal(1)).where(vehicles.c.plate_state.is_not(None)).limit(1)
        sources = [stored, entered] if environment is Environment.LIVE else [stored]
        return any(self._connection.execute(source).first() is not None for source in sources)

    @override
    def find_newest(self, vin: str, *, environment: Environment) -> Plate | None:
        found = (
            sa.select(plates.c.state, plates.c.number)
            .where(plates.c.environment == environment, plates.c.vin == vin)
            .order_by(plates.c.reported_at.desc(), plates.c.state, plates.c.number)
            .limit(1)
        )
        row = self._connection.execute(found).one_or_none()
        return None if row is None else Plate(state=row.state, number=row.number)

    @override
    def save(self, stored: StoredPlate) -> None:
        insert = upsert(self._connection, plates).values(
            environment=stored.environment,
            state=stored.plate.state,
            number=stored.plate.number,
            vin=stored.vin,
            vehicle_id=str(stored.vehicle_id),
            source=stored.source,
            reported_at=micros(stored.reported_at),
        )
        values = {name: insert.excluded[name] for name in _VALUES}
        self._connection.execute(insert.on_conflict_do_update(index_elements=list(_KEY), set_=values))

    @override
    def delete(self, plate: Plate, *, environment: Environment) -> None:
        self._connection.execute(
            sa.delete(plates).where(
                plates.c.environment == environment,
                plates.c.state == plate.state,
                plates.c.number == plate.number,
            )
        )

    @override
    def delete_for_vehicle(self, vehicle_id: UUID) -> None:
        self._connection.execute(sa.delete(plates).where(plates.c.vehicle_id == str(vehicle_id)))
