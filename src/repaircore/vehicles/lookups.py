"""Looking a vehicle up by its VIN, or by the license plate that it carries."""

from collections.abc import Callable
from datetime import timedelta
from typing import Final

from attrs import frozen

from repaircore.kernel.callers import LOCAL, Caller, Environment
from repaircore.kernel.errors import Conflict, Invalid
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
"""How long a stored plate answers before a provider is asked again; see docs/decisions/plates.md."""

_TRIES: Final = 3


@frozen(kw_only=True)
class VinLookup:
    """A vehicle that was looked up by ``vin``, and the plate that it carries.

    ``plate`` is what a provider told of it: None when none is known, and always for fewer than 17
    characters, which many vehicles share. ``plate_no`` and ``plate_state`` are that plate's, else, in the live
    environment, those that an operator told of this whole VIN. ``warnings`` are those of a prediction.
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
    """The use cases. ``provider`` None: none is configured; ``sandbox`` answers for test keys alone."""

    transaction: OpenWork
    read: OpenWork
    vehicles: Vehicles
    provider: PlateProvider | None
    sandbox: PlateProvider
    clock: Clock

    def find_by_vin(self, text: str, caller: Caller = LOCAL) -> VinLookup:
        """Say what vehicle a VIN belongs to, as far as 11 to 17 characters tell; one that is new is kept.

        Raises:
            Invalid: on ``vin``.
            Undecodable: no record and no decoder knows it.
            Unavailable: only a remote decoder could know it, and it does not answer.
        """
        told = self.validate(vin=text)
        if told:
            raise Invalid(told)
        vin = vins.normalize(text)
        whole = len(vin) == max(vins.LENGTHS)
        try:
            vehicle = self.vehicles.resolve(vin if whole else vin[:11])
        except VehicleNotFound:
            raise VinNotDecodable from None
        plate = self._plate_on(vin, caller.environment) if whole else None
        told_plate = _told_plate(vehicle, caller.environment)
        return VinLookup(
            vin=vin,
            vehicle=vehicle,
            plate=plate,
            plate_no=told_plate[0] if plate is None else plate.number,
            plate_state=told_plate[1] if plate is None else plate.state,
            warnings=("vin_check_digit",) if vins.has_wrong_check_digit(vin) else (),
        )

    def find_by_plate(self, number: str, state: str, caller: Caller = LOCAL) -> PlateLookup:
        """Say which vehicle carries a plate: the one of which an operator told it, a stored one, else the one that the provider names.

        What the provider names is kept. A plate that was kept long ago is asked about again, where there
        is somebody to ask; when they do not answer, what is kept still counts.

        Raises:
            Invalid: on ``plate`` and ``state``.
            PlateUnknown: no vehicle carries it, or nobody can decode the VIN of the one that does.
            NoPlateProvider: it is not kept, and no provider is configured.
            PlateSourceUnavailable: only the provider could know it, and it does not answer.
            Unavailable: only a remote decoder could know the VIN, and it does not answer.
        """
        plate = plates.parse_plate(number, state)
        if plate is None:
            raise Invalid(self.validate(plate=number, state=state))
        told = self._told(plate, caller.environment)
        if told is not None:
            return told
        kept = self._kept(plate, caller.environment)
        provider = self._provider(caller.environment)
        if kept is not None and (provider is None or self.clock() - kept.told_at < _TRUSTED):
            return self._found(kept)
        if provider is None:
            raise NoPlateProvider
        try:
            registration = provider.find(plate)
        except PlateSourceUnavailable:
            if kept is None:
                raise
            return self._found(kept)
        if registration is None:
            if kept is not None:  # the vehicle carries it no longer
                with self.transaction() as work:
                    work.plates.delete(plate, environment=caller.environment)
            raise PlateNotFound(_UNKNOWN[caller.environment])
        return self._keep(plate, registration, provider.source, caller.environment)

    def validate(self, **fields: object) -> dict[str, list[str]]:
        """Name what is wrong with ``vin``, ``plate`` and ``state``; those that are not given are not judged."""
        told = {name: judge(str(fields[name])) for name, judge in _JUDGES.items() if name in fields}
        return {name: texts for name, texts in told.items() if texts}

    def _provider(self, environment: Environment) -> PlateProvider | None:
        return self.sandbox if environment is Environment.TEST else self.provider

    def _told(self, plate: Plate, environment: Environment) -> PlateLookup | None:
        """Return the one vehicle of which an operator told the plate; what operators tell is nothing for test keys."""
        if environment is Environment.TEST:
            return None
        with self.read() as work:
            vehicle = work.vehicles.find_by_plate(plate)
        if vehicle is None or vehicle.vin is None:
            return None
        return PlateLookup(plate=plate, vin=vehicle.vin, vehicle=self.vehicles.resolve(vehicle.vin))

    def _kept(self, plate: Plate, environment: Environment) -> StoredPlate | None:
        with self.read() as work:
            return work.plates.find(plate, environment=environment)

    def _plate_on(self, vin: str, environment: Environment) -> Plate | None:
        with self.read() as work:
            return work.plates.find_newest(vin, environment=environment)

    def _found(self, kept: StoredPlate) -> PlateLookup:
        return PlateLookup(plate=kept.plate, vin=kept.vin, vehicle=self.vehicles.resolve(kept.vin))

    def _keep(
        self, plate: Plate, registration: Registration, source: str, environment: Environment
    ) -> PlateLookup:
        # Records of vehicles are shared by test and live: what is made up in the sandbox never enters them.
        told = registration.motor_type if environment is Environment.LIVE else None
        # The plate comes last: who finds it finds the vehicle with all that was told of it.
        vehicle = self._enriched(self._vehicle_of(registration, environment), told)
        kept = StoredPlate(
            environment=environment,
            plate=plate,
            vin=registration.vin,
            vehicle_id=vehicle.id,
            source=source,
            told_at=self.clock(),
        )
        with self.transaction() as work:
            work.plates.save(kept)
        return PlateLookup(plate=plate, vin=registration.vin, vehicle=vehicle)

    def _vehicle_of(self, registration: Registration, environment: Environment) -> Vehicle:
        try:
            return self.vehicles.resolve(registration.vin)
        except VehicleNotFound:
            if registration.specs is None or environment is Environment.TEST:
                raise PlateNotFound("The VIN of the vehicle with this plate cannot be decoded.") from None
        return self.vehicles.add(registration.specs, vin=registration.vin)

    def _enriched(self, vehicle: Vehicle, motor_type: MotorType | None) -> Vehicle:
        """Add what was told to the record; somebody else may be changing it at the same moment."""
        for _ in range(_TRIES):
            new = vehicle.told(motor_type)
            if new == vehicle:
                break
            try:
                with self.transaction() as work:
                    return work.vehicles.replace(vehicle, new)
            except Conflict:
                with self.read() as work:
                    vehicle = work.vehicles.find(vehicle.id) or vehicle
        return vehicle


def _told_plate(vehicle: Vehicle, environment: Environment) -> tuple[str | None, str | None]:
    # What stands on a vehicle in the street is nothing for the test environment, whose plates are made up.
    shown = environment is Environment.LIVE and vehicle.is_whole
    return (vehicle.plate_no, vehicle.plate_state) if shown else (None, None)


_UNKNOWN: Final = {
    Environment.LIVE: "No vehicle was found for this plate.",
    Environment.TEST: "No vehicle was found for this plate: test keys know the plates of the sandbox alone.",
}

_JUDGES: Final[dict[str, Callable[[str], list[str]]]] = {
    "vin": vins.validate_lookup,
    "plate": plates.validate_number,
    "state": plates.validate_state,
}
