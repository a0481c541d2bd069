"""Stored vehicles as operators see and change them."""

from collections.abc import Sequence
from datetime import date
from typing import Final
from uuid import UUID

from attrs import asdict, evolve, frozen

from repaircore.kernel.audit import AuditState, difference
from repaircore.kernel.callers import LOCAL, Caller, require_operator
from repaircore.kernel.errors import Conflict, Invalid, Unavailable
from repaircore.kernel.paging import PER_PAGE, Page
from repaircore.kernel.spelling import make_name, model_name
from repaircore.kernel.types import Clock, NewId
from repaircore.kernel.wording import references_sentence
from repaircore.vehicle_facts.enrichment import is_same_model
from repaircore.vehicle_facts.model import VehicleSpecs
from repaircore.vehicles.errors import StoredVehicleNotFound, VinMaskTaken
from repaircore.vehicles.masks import normalize_mask
from repaircore.vehicles.model import MotorType, Vehicle
from repaircore.vehicles.motor_types import BODY_MOTOR_TYPES
from repaircore.vehicles.ports import (
    ModelNames,
    OpenWork,
    VehicleCounts,
    VehicleFilter,
    VehiclesWork,
    VinDecoder,
)
from repaircore.vehicles.validation import (
    CreateVehicle,
    ModelYears,
    VehicleChange,
    faults_of,
    motor_type_told,
    plate_told,
    text_told,
)

OPERATOR: Final = "operator"
"""The source of a vehicle that an operator described."""


_MONTHS: Final = 12
_MOST_OFFERED: Final = 1000


@frozen(kw_only=True)
class VehicleFormOptions:
    """What a form may offer: types, groups, and the first thousand shops with their ids."""

    types: Sequence[str]
    groups: Sequence[str]
    facilities: Sequence[tuple[int, str]]


@frozen(kw_only=True)
class StoredVehicles:
    """The use cases. Both environments share vehicles, so a test key may look at them only."""

    transaction: OpenWork
    read: OpenWork
    decoder: VinDecoder
    names: ModelNames
    sold: ModelYears
    new_id: NewId
    clock: Clock

    def page(
        self, wanted: VehicleFilter | None = None, *, number: int = 1, per_page: int = PER_PAGE
    ) -> Page[Vehicle]:
        """List vehicles, the newest first, in pages."""
        with self.read() as work:
            return work.vehicle_list.page(wanted or VehicleFilter(), number=number, per_page=per_page)

    def counts(self) -> VehicleCounts:
        """Count the vehicles: all, by make, model year, source and type, and those that came in a month."""
        months = _last_months(self.clock().date())
        with self.read() as work:
            return work.vehicle_list.counts(months)

    def options(self) -> VehicleFormOptions:
        """List what a form that describes a vehicle may offer."""
        with self.read() as work:
            types, groups = work.vehicle_list.list_motor_types()
            facilities = work.vehicle_list.list_facilities(limit=_MOST_OFFERED)
        return VehicleFormOptions(
            types=sorted({*types, *(usual.name for usual in BODY_MOTOR_TYPES if usual.name)}),
            groups=sorted({*groups, *(usual.group for usual in BODY_MOTOR_TYPES if usual.group)}),
            facilities=facilities,
        )

    def get(self, vehicle_id: UUID) -> Vehicle:
        """Give a vehicle.

        Raises:
            VehicleGone: there is none with this id.
        """
        with self.read() as work:
            return _kept(work, vehicle_id)

    def create(self, told: CreateVehicle, caller: Caller = LOCAL) -> Vehicle:
        """Keep a vehicle as an operator describes it; VINs that fit its mask mean it from now on.

        Raises:
            Forbidden: the caller is no admin, or shows a key of the test environment.
            Invalid: every bad field is named.
            MaskTaken: another record's VIN begins with the same 11 characters.
        """
        require_operator(caller)
        wrong = self.validate_create(**asdict(told))
        if wrong:
            raise Invalid(wrong)
        vehicle = self._described(told)
        with self.transaction() as work:
            _require_free(work, vehicle)
            if vehicle.facility_id is not None and work.facilities.by_id(vehicle.facility_id) is None:
                raise Invalid({"seed_facility_id": [_NO_FACILITY]})
            kept = work.vehicles.add(vehicle)
            if kept.id != vehicle.id:  # somebody else's came first
                raise VinMaskTaken(kept.id)
            work.answers.invalidate(kept)
            work.audit.add(
                caller, "vehicle.add", _subject(kept), before=None, after=_shown(kept), at=self.clock()
            )
            return kept

    def update(self, vehicle_id: UUID, told: VehicleChange, caller: Caller = LOCAL) -> Vehicle:
        """Put what an operator tells in the place of what was told before; what is not told stays.

        When its mask begins otherwise than before, it stands for other VINs: what was answered about either
        is forgotten, and so are the plates of the VINs that it stood for (docs/decisions/vehicle-records.md).

        Raises:
            Forbidden: the caller is no admin, or shows a key of the test environment.
            Invalid: every bad field is named.
            VehicleGone: there is none with this id.
            MaskTaken: another record's VIN begins with the same 11 characters.
            Conflict: somebody else changed it at the same moment.
        """
        require_operator(caller)
        wrong = self.validate_update(**told)
        with self.transaction() as work:
            old = _kept(work, vehicle_id)
            if wrong:
                raise Invalid(wrong)
            new = _changed(old, told)
            if new == old:
                return old
            _require_free(work, new)
            kept = work.vehicles.replace(old, new)
            if old.answer_key != new.answer_key:
                for one in (old, new):
                    work.answers.invalidate(one)
            if old.vin11 != new.vin11:
                work.plates.delete_for_vehicle(vehicle_id)
            before, after = difference(_shown(old), _shown(kept))
            work.audit.add(
                caller, "vehicle.change", _subject(old), before=before, after=after, at=self.clock()
            )
            return kept

    def delete(self, vehicle_id: UUID, caller: Caller = LOCAL) -> Vehicle:
        """Forget a vehicle that nothing refers to, and give it as it was.

        Raises:
            Forbidden: the caller is no admin, or shows a key of the test environment.
            VehicleGone: there is none with this id.
            Conflict: transactions, predictions, plates or other records refer to it, as is told; or somebody
                else changed it, or began to refer to it, at the same moment.
        """
        require_operator(caller)
        with self.transaction() as work:
            old = _kept(work, vehicle_id)
            told = references_sentence(**work.vehicle_list.count_references(vehicle_id))
            if told is not None:
                raise Conflict(told)
            work.vehicles.delete(old)
            work.answers.invalidate(old)
            work.audit.add(
                caller, "vehicle.remove", _subject(old), before=_shown(old), after=None, at=self.clock()
            )
            return old

    def validate_create(self, **fields: object) -> dict[str, list[str]]:
        """Name what is wrong with the fields of a new vehicle; what may not be left out and is, is named too."""
        return faults_of(fields, new=True, sold=self.sold)

    def validate_update(self, **fields: object) -> dict[str, list[str]]:
        """Name what is wrong with some fields of a change; those that are not given are not judged."""
        return faults_of(fields, new=False, sold=self.sold)

    def _described(self, told: CreateVehicle) -> Vehicle:
        vin = normalize_mask(told.vin_mask)
        facility = text_told(told.seed_facility_id)
        return Vehicle(
            id=self.new_id(),
            vin=vin,
            specs=self._about(told, vin[:11]),
            created_at=self.clock(),
            motor_type=motor_type_told(told.motor_vehicle_type, told.motor_vehicle_type_group),
            current_mileage=told.current_mileage,
            plate_no=plate_told(told.plate_no, told.plate_state)[0],
            plate_state=plate_told(told.plate_no, told.plate_state)[1],
            facility_id=None if facility is None else int(facility),
        )

    def _about(self, told: CreateVehicle, vin11: str) -> VehicleSpecs:
        """Say what the vehicle is: what the operator named, and what is known of such ones besides."""
        model_id = text_told(told.vehicle_model_id)
        named = (None if model_id is None else self.sold(model_id)) or VehicleSpecs(
            make=make_name(told.new_make or ""),
            model=model_name(told.new_model or ""),
            year=told.new_year or 0,
            source=OPERATOR,
        )
        known = self._decoded(vin11)
        if known is None or not is_same_model(known, named):
            known = self.names.find(named.year, named.make, named.model)
        if known is None or not is_same_model(known, named):
            return evolve(named, source=OPERATOR)
        return evolve(known, make=named.make, model=named.model, source=OPERATOR)

    def _decoded(self, vin11: str) -> VehicleSpecs | None:
        try:
            return self.decoder.decode(vin11)
        except Unavailable:  # what only somebody far away knows is no reason to refuse what an operator knows
            return None


_NO_FACILITY: Final = "The selected seed facility id is invalid."


def _last_months(today: date) -> list[date]:
    """Give the first days of the last twelve months, this one's the last."""
    number = today.year * 12 + today.month - 1
    return [date(month // 12, month % 12 + 1, 1) for month in range(number - _MONTHS + 1, number + 1)]


def _kept(work: VehiclesWork, vehicle_id: UUID) -> Vehicle:
    found = work.vehicles.find(vehicle_id)
    if found is None:
        raise StoredVehicleNotFound
    return found


def _changed(old: Vehicle, told: VehicleChange) -> Vehicle:
    was = old.motor_type or MotorType(name=None)
    plate_no, plate_state = plate_told(
        told.get("plate_no", old.plate_no), told.get("plate_state", old.plate_state)
    )
    return evolve(
        old,
        vin=normalize_mask(told["vin_mask"]) if "vin_mask" in told else old.vin,
        current_mileage=told.get("current_mileage", old.current_mileage),
        plate_no=plate_no,
        plate_state=plate_state,
        motor_type=motor_type_told(
            told.get("motor_vehicle_type", was.name), told.get("motor_vehicle_type_group", was.group)
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


def _shown(vehicle: Vehicle) -> AuditState:
    told = vehicle.motor_type
    return {
        "display_name": vehicle.display_name,
        "vin_mask": vehicle.vin,
        "current_mileage": vehicle.current_mileage,
        "plate_no": vehicle.plate_no,
        "plate_state": vehicle.plate_state,
        "motor_vehicle_type": None if told is None else told.name,
        "motor_vehicle_type_group": None if told is None else told.group,
        "seed_facility_id": vehicle.facility_id,
    }
