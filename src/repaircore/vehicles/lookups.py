"""Look up vehicles by VIN or license plate."""

from collections.abc import Callable
from datetime import timedelta
from typing import Final

from attrs import frozen

from repaircore.kernel.callers import LOCAL, Caller, Environment
from repaircore.kernel.errors import Conflict, Invalid
from repaircore.kernel.rules import FieldErrors
from repaircore.kernel.types import Clock
from repaircore.vehicles import plates
from repaircore.vehicles import vin as vins
from repaircore.vehicles.errors import (
    NoPlateProvider,
    PlateNotFound,
    PlateSourceUnavailable,
    VehicleNotFound,
    VinNotDecodable,
)
from repaircore.vehicles.model import MotorType, Plate, Registration, StoredPlate, Vehicle
from repaircore.vehicles.ports import OpenWork, PlateProvider
from repaircore.vehicles.service import Vehicles

_TRUSTED: Final = timedelta(days=180)
"""How long a stored plate is used before the provider is called again; see docs/decisions/plates.md."""

_TRIES: Final = 3


@frozen(kw_only=True)
class VinLookup:
    """A vehicle that was looked up by ``vin``, and its plate.

    ``plate`` is the plate that a provider reported; it is None if there is none, and always for fewer than 17
    characters, which many vehicles share. ``plate_no`` and ``plate_state`` are from that plate, else, in the live
    environment, those that an operator entered for this whole VIN. ``warnings`` are as in a prediction.
    """

    vin: str
    vehicle: Vehicle
    plate: Plate | None
    plate_no: str | None
    plate_state: str | None
    warnings: tuple[str, ...]


@frozen(kw_only=True)
class PlateLookup:
    """A vehicle that was looked up by its plate: all 17 characters of its VIN, and its record."""

    plate: Plate
    vin: str
    vehicle: Vehicle


@frozen(kw_only=True)
class Lookups:
    """Use cases for lookups.

    ``provider`` is None if none is configured; ``sandbox`` serves only the test environment.
    """

    transaction: OpenWork
    read: OpenWork
    vehicles: Vehicles
    provider: PlateProvider | None
    sandbox: PlateProvider
    clock: Clock

    def find_by_vin(self, text: str, caller: Caller = LOCAL) -> VinLookup:
        """Look up a vehicle by the first 11 to 17 characters of its VIN, and store it if it is new.

        Raises:
            Invalid: on ``vin``.
            VinNotDecodable: no record or decoder knows the VIN.
            Unavailable: only a remote decoder could know the VIN, and it sent no valid response.
        """
        errors = self.validate(vin=text)
        if errors:
            raise Invalid(errors)
        vin = vins.normalize(text)
        whole = len(vin) == max(vins.LENGTHS)
        try:
            vehicle = self.vehicles.resolve(vin if whole else vin[:11])
        except VehicleNotFound:
            raise VinNotDecodable from None
        plate = self._plate_on(vin, caller.environment) if whole else None
        entered = _entered_plate(vehicle, caller.environment)
        return VinLookup(
            vin=vin,
            vehicle=vehicle,
            plate=plate,
            plate_no=entered[0] if plate is None else plate.number,
            plate_state=entered[1] if plate is None else plate.state,
            warnings=("vin_check_digit",) if vins.has_wrong_check_digit(vin) else (),
        )

    def find_by_plate(self, number: str, state: str, caller: Caller = LOCAL) -> PlateLookup:
        """Look up a vehicle by its plate: as an operator entered it, else as stored, else at the provider.

        What the provider finds is stored. An old stored plate is looked up again if there is a provider: if the
        provider does not respond, the stored plate still counts; if it no longer knows the plate, the stored plate is
        deleted.

        Raises:
            Invalid: on ``plate`` and ``state``.
            PlateNotFound: no vehicle carries it, or the VIN of that vehicle cannot be decoded.
            NoPlateProvider: it is not stored, and no provider is configured.
            PlateSourceUnavailable: only the provider could know it, and it sent no valid response.
            Unavailable: only a remote decoder could know the VIN, and it sent no valid response.
        """
        plate = plates.parse_plate(number, state)
        if plate is None:
            raise Invalid(self.validate(plate=number, state=state))
        entered = self._find_entered(plate, caller.environment)
        if entered is not None:
            return entered
        stored = self._find_stored(plate, caller.environment)
        provider = self._provider(caller.environment)
        if stored is not None and (provider is None or self.clock() - stored.reported_at < _TRUSTED):
            return self._resolve(stored)
        if provider is None:
            raise NoPlateProvider
        try:
            registration = provider.find(plate)
        except PlateSourceUnavailable:
            if stored is None:
                raise
            return self._resolve(stored)
        if registration is None:
            if stored is not None:  # the vehicle no longer carries it
                with self.transaction() as work:
                    work.plates.delete(plate, environment=caller.environment)
            raise PlateNotFound(_NOT_FOUND[caller.environment])
        return self._store(plate, registration, provider.source, caller.environment)

    def can_find_plates(self, caller: Caller = LOCAL) -> bool:
        """Return whether vehicles can be found by plate: a provider is configured, or plates are stored."""
        if self._provider(caller.environment) is not None:
            return True
        with self.read() as work:
            return work.plates.has_any(caller.environment)

    def validate(self, **fields: object) -> FieldErrors:
        """Return the errors in ``vin``, ``plate`` and ``state``, checking only the fields that are given."""
        errors = {name: check(str(fields[name])) for name, check in _CHECKS.items() if name in fields}
        return {name: sentences for name, sentences in errors.items() if sentences}

    def _provider(self, environment: Environment) -> PlateProvider | None:
        return self.sandbox if environment is Environment.TEST else self.provider

    def _find_entered(self, plate: Plate, environment: Environment) -> PlateLookup | None:
        """Return the vehicle for which an operator entered the plate, or None; always None in the test environment."""
        if environment is Environment.TEST:
            return None
        with self.read() as work:
            vehicle = work.vehicles.find_by_plate(plate)
        if vehicle is None or vehicle.vin is None:
            return None
        return PlateLookup(plate=plate, vin=vehicle.vin, vehicle=self.vehicles.resolve(vehicle.vin))

    def _find_stored(self, plate: Plate, environment: Environment) -> StoredPlate | None:
        with self.read() as work:
            return work.plates.find(plate, environment=environment)

    def _plate_on(self, vin: str, environment: Environment) -> Plate | None:
        with self.read() as work:
            return work.plates.find_newest(vin, environment=environment)

    def _resolve(self, stored: StoredPlate) -> PlateLookup:
        return PlateLookup(plate=stored.plate, vin=stored.vin, vehicle=self.vehicles.resolve(stored.vin))

    def _store(
        self, plate: Plate, registration: Registration, source: str, environment: Environment
    ) -> PlateLookup:
        # Test and live share the vehicle records, so sandbox data must never enter them.
        motor_type = registration.motor_type if environment is Environment.LIVE else None
        # Store the plate last, so that readers who find it also find the complete vehicle.
        vehicle = self._with_motor_type(self._vehicle_of(registration, environment), motor_type)
        stored = StoredPlate(
            environment=environment,
            plate=plate,
            vin=registration.vin,
            vehicle_id=vehicle.id,
            source=source,
            reported_at=self.clock(),
        )
        with self.transaction() as work:
            work.plates.save(stored)
        return PlateLookup(plate=plate, vin=registration.vin, vehicle=vehicle)

    def _vehicle_of(self, registration: Registration, environment: Environment) -> Vehicle:
        try:
            return self.vehicles.resolve(registration.vin)
        except VehicleNotFound:
            if registration.specs is None or environment is Environment.TEST:
                raise PlateNotFound("The VIN of the vehicle with this plate cannot be decoded.") from None
        return self.vehicles.add(registration.specs, vin=registration.vin)

    def _with_motor_type(self, vehicle: Vehicle, motor_type: MotorType | None) -> Vehicle:
        """Save a motor type in a record that has none, and return the record; retry if another request changes it."""
        for _ in range(_TRIES):
            new = vehicle.with_motor_type(motor_type)
            if new == vehicle:
                break
            try:
                with self.transaction() as work:
                    return work.vehicles.replace(vehicle, new)
            except Conflict:
                with self.read() as work:
                    vehicle = work.vehicles.find(vehicle.id) or vehicle
        return vehicle


def _entered_plate(vehicle: Vehicle, environment: Environment) -> tuple[str | None, str | None]:
    # Real plates must not appear in the test environment, whose plates are made up.
    is_visible = environment is Environment.LIVE and vehicle.is_whole
    return (vehicle.plate_no, vehicle.plate_state) if is_visible else (None, None)


_NOT_FOUND: Final = {
    Environment.LIVE: "No vehicle was found for this plate.",
    Environment.TEST: "No vehicle was found for this plate: test keys only know the plates of the sandbox.",
}

_CHECKS: Final[dict[str, Callable[[str], list[str]]]] = {
    "vin": vins.validate_lookup,
    "plate": plates.validate_number,
    "state": plates.validate_state,
}
