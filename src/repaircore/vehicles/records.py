"""List, create, update and delete stored vehicles."""

from collections.abc import Sequence
from datetime import date
from typing import Final
from uuid import UUID

from attrs import asdict, evolve, frozen

from repaircore.kernel.audit import AuditState, difference
from repaircore.kernel.callers import LOCAL, Caller, require_operator
from repaircore.kernel.errors import Conflict, Invalid, Unavailable
from repaircore.kernel.paging import FIRST_PAGE, Page, PageRequest
from repaircore.kernel.rules import FieldErrors
from repaircore.kernel.spelling import make_name, model_name
from repaircore.kernel.types import Clock, NewId
from repaircore.kernel.wording import references_sentence
from repaircore.vehicle_facts.model import VehicleSpecs
from repaircore.vehicles import vin as vins
from repaircore.vehicles.errors import StoredVehicleNotFound, VinMaskTaken
from repaircore.vehicles.model import MotorType, Vehicle, VehicleCounts, VehicleFilter
from repaircore.vehicles.motor_types import BODY_MOTOR_TYPES
from repaircore.vehicles.ports import (
    ModelNames,
    OpenWork,
    VehiclesWork,
    VinDecoder,
)
from repaircore.vehicles.validation import (
    UNKNOWN_FACILITY,
    CreateVehicle,
    FindModelYear,
    VehicleChanges,
    normalize_plate,
    parse_motor_type,
    text_or_none,
    validate_create,
    validate_update,
)

OPERATOR: Final = "operator"
"""The source of a vehicle that an operator entered."""

_MONTHS: Final = 12
_MOST_OFFERED: Final = 1000


@frozen(kw_only=True)
class VehicleFormOptions:
    """The choices for a form: types, groups, and the ids and names of up to 1,000 facilities."""

    types: Sequence[str]
    groups: Sequence[str]
    facilities: Sequence[tuple[int, str]]


@frozen(kw_only=True)
class StoredVehicles:
    """Use cases for stored vehicles; both environments share them, so test keys may only read them."""

    transaction: OpenWork
    read: OpenWork
    decoder: VinDecoder
    names: ModelNames
    find_model_year: FindModelYear
    new_id: NewId
    clock: Clock

    def page(
        self, wanted: VehicleFilter | None = None, *, request: PageRequest = FIRST_PAGE
    ) -> Page[Vehicle]:
        """Return a page of vehicles, newest first unless another order is requested.

        Raises:
            Invalid: on ``sort`` and ``cursor``.
        """
        with self.read() as work:
            return work.vehicle_list.page(wanted or VehicleFilter(), request)

    def counts(self) -> VehicleCounts:
        """Count the vehicles: in total, by make, model year, source and type, and by the month they were stored."""
        months = _last_months(self.clock().date())
        with self.read() as work:
            return work.vehicle_list.counts(months)

    def options(self) -> VehicleFormOptions:
        """Return the choices for a form that describes a vehicle."""
        with self.read() as work:
            types, groups = work.vehicle_list.list_motor_types()
            facilities = work.vehicle_list.list_facilities(limit=_MOST_OFFERED)
        return VehicleFormOptions(
            types=sorted({*types, *(usual.name for usual in BODY_MOTOR_TYPES if usual.name)}),
            groups=sorted({*groups, *(usual.group for usual in BODY_MOTOR_TYPES if usual.group)}),
            facilities=facilities,
        )

    def get(self, vehicle_id: UUID) -> Vehicle:
        """Return a vehicle.

        Raises:
            StoredVehicleNotFound: no vehicle has this id.
        """
        with self.read() as work:
            return _require_vehicle(work, vehicle_id)

    def create(self, data: CreateVehicle, caller: Caller = LOCAL) -> Vehicle:
        """Create a vehicle from an operator's description; from then on, VINs that match its mask resolve to it.

        Raises:
            Forbidden: the caller is not an admin, or uses a key of the test environment.
            Invalid: with every bad field.
            VinMaskTaken: another record has the same whole VIN, or a mask that starts with the same 11 characters.
        """
        require_operator(caller)
        errors = self.validate_create(**asdict(data))
        if errors:
            raise Invalid(errors)
        vehicle = self._build(data)
        with self.transaction() as work:
            _require_free(work, vehicle)
            if vehicle.facility_id is not None and work.facilities.by_id(vehicle.facility_id) is None:
                raise Invalid({"seed_facility_id": [UNKNOWN_FACILITY]})
            stored = work.vehicles.add(vehicle)
            if stored.id != vehicle.id:  # another transaction was faster
                raise VinMaskTaken(stored.id)
            work.answers.invalidate(stored)
            after = _audit_state(stored)
            work.audit.add(caller, "vehicle.add", _subject(stored), before=None, after=after, at=self.clock())
            return stored

    def update(self, vehicle_id: UUID, changes: VehicleChanges, caller: Caller = LOCAL) -> Vehicle:
        """Update the given fields; leave the others unchanged.

        If the first 11 characters of the mask change, it stands for other VINs: cached answers about the old and new
        VINs are deleted, and so are the plates of the old VINs (docs/decisions/vehicle-records.md).

        Raises:
            Forbidden: the caller is not an admin, or uses a key of the test environment.
            Invalid: with every bad field.
            StoredVehicleNotFound: no vehicle has this id.
            VinMaskTaken: another record has the same whole VIN, or a mask that starts with the same 11 characters.
            Conflict: another request changed it at the same time.
        """
        require_operator(caller)
        errors = self.validate_update(**changes)
        with self.transaction() as work:
            old = _require_vehicle(work, vehicle_id)
            if errors:
                raise Invalid(errors)
            new = _apply(old, changes)
            if new == old:
                return old
            _require_free(work, new)
            stored = work.vehicles.replace(old, new)
            if old.answer_key != new.answer_key:
                work.answers.invalidate(old)
                work.answers.invalidate(new)
            if old.vin11 != new.vin11:
                work.plates.delete_for_vehicle(vehicle_id)
            before, after = difference(_audit_state(old), _audit_state(stored))
            work.audit.add(
                caller, "vehicle.change", _subject(old), before=before, after=after, at=self.clock()
            )
            return stored

    def delete(self, vehicle_id: UUID, caller: Caller = LOCAL) -> Vehicle:
        """Delete a vehicle that nothing refers to, and return it.

        Raises:
            Forbidden: the caller is not an admin, or uses a key of the test environment.
            StoredVehicleNotFound: no vehicle has this id.
            Conflict: transactions, predictions, plates or other records refer to it, or another request changed it or
                created a reference to it at the same time.
        """
        require_operator(caller)
        with self.transaction() as work:
            old = _require_vehicle(work, vehicle_id)
            references = references_sentence(**work.vehicle_list.count_references(vehicle_id))
            if references is not None:
                raise Conflict(references)
            work.vehicles.delete(old)
            work.answers.invalidate(old)
            before = _audit_state(old)
            work.audit.add(
                caller, "vehicle.remove", _subject(old), before=before, after=None, at=self.clock()
            )
            return old

    def validate_create(self, **fields: object) -> FieldErrors:
        """Return the errors in the given fields of a new vehicle, including a missing make, model or year."""
        return validate_create(fields, self.find_model_year)

    def validate_update(self, **fields: object) -> FieldErrors:
        """Return the errors in the given fields of an update."""
        return validate_update(fields)

    def _build(self, data: CreateVehicle) -> Vehicle:
        vin = vins.normalize(data.vin_mask)
        facility_id = text_or_none(data.seed_facility_id)
        plate_no, plate_state = normalize_plate(data.plate_no, data.plate_state)
        return Vehicle(
            id=self.new_id(),
            vin=vin,
            specs=self._specs(data, vin[:11]),
            created_at=self.clock(),
            motor_type=parse_motor_type(data.motor_vehicle_type, data.motor_vehicle_type_group),
            current_mileage=data.current_mileage,
            plate_no=plate_no,
            plate_state=plate_state,
            facility_id=None if facility_id is None else int(facility_id),
        )

    def _specs(self, data: CreateVehicle, vin11: str) -> VehicleSpecs:
        """Return the make, model and year that the operator entered, with what is known about that model."""
        model_id = text_or_none(data.vehicle_model_id)
        named = (None if model_id is None else self.find_model_year(model_id)) or VehicleSpecs(
            make=make_name(data.new_make or ""),
            model=model_name(data.new_model or ""),
            year=data.new_year or 0,
            source=OPERATOR,
        )
        known = self._decode(vin11)
        if known is None or not known.is_same_model(named):
            known = self.names.find(named.year, named.make, named.model)
        if known is None or not known.is_same_model(named):
            return evolve(named, source=OPERATOR)
        return evolve(known, make=named.make, model=named.model, source=OPERATOR)

    def _decode(self, vin11: str) -> VehicleSpecs | None:
        try:
            return self.decoder.decode(vin11)
        except Unavailable:  # operators may enter what only a remote decoder could confirm
            return None


def _last_months(today: date) -> list[date]:
    """Return the first days of the last twelve months, ending with the current month."""
    number = today.year * 12 + today.month - 1
    return [date(month // 12, month % 12 + 1, 1) for month in range(number - _MONTHS + 1, number + 1)]


def _require_vehicle(work: VehiclesWork, vehicle_id: UUID) -> Vehicle:
    found = work.vehicles.find(vehicle_id)
    if found is None:
        raise StoredVehicleNotFound
    return found


def _apply(old: Vehicle, changes: VehicleChanges) -> Vehicle:
    was = old.motor_type or MotorType(name=None)
    plate_no, plate_state = normalize_plate(
        changes.get("plate_no", old.plate_no), changes.get("plate_state", old.plate_state)
    )
    return evolve(
        old,
        vin=vins.normalize(changes["vin_mask"]) if "vin_mask" in changes else old.vin,
        current_mileage=changes.get("current_mileage", old.current_mileage),
        plate_no=plate_no,
        plate_state=plate_state,
        motor_type=parse_motor_type(
            changes.get("motor_vehicle_type", was.name), changes.get("motor_vehicle_type_group", was.group)
        ),
    )


def _require_free(work: VehiclesWork, vehicle: Vehicle) -> None:
    if vehicle.vin is None or vehicle.vin11 is None:
        return
    other = work.vehicles.find_by_vin(vehicle.vin if vehicle.is_whole else vehicle.vin11)
    if other is not None and other.id != vehicle.id and other.is_whole == vehicle.is_whole:
        raise VinMaskTaken(other.id)


def _subject(vehicle: Vehicle) -> str:
    return f"vehicles/{vehicle.id}"


def _audit_state(vehicle: Vehicle) -> AuditState:
    motor_type = vehicle.motor_type
    return {
        "display_name": vehicle.display_name,
        "vin_mask": vehicle.vin,
        "current_mileage": vehicle.current_mileage,
        "plate_no": vehicle.plate_no,
        "plate_state": vehicle.plate_state,
        "motor_vehicle_type": None if motor_type is None else motor_type.name,
        "motor_vehicle_type_group": None if motor_type is None else motor_type.group,
        "seed_facility_id": vehicle.facility_id,
    }
