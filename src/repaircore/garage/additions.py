"""Add vehicles to a garage: one, or many at once, each with its own result or error."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from attrs import evolve, frozen

from repaircore.fleet.model import FleetVehicle
from repaircore.fleet.signals import SignalReading, SignalSource
from repaircore.garage.errors import MOST_VEHICLES, AlreadyInGarage, GarageFull
from repaircore.garage.model import GarageVehicle
from repaircore.garage.outlooks import Outlooks
from repaircore.garage.ports import GarageWork, OpenWork
from repaircore.garage.validation import MOST_AT_ONCE, AddGarageVehicle, GarageChecks
from repaircore.garage.vehicle_file import read_vehicles
from repaircore.kernel.callers import LOCAL, Caller, owner_of
from repaircore.kernel.errors import Failure, Invalid, Unavailable
from repaircore.kernel.rules import FieldErrors, sentence
from repaircore.kernel.types import Clock, Lazy, NewId, Timer
from repaircore.structuring import structure_partially
from repaircore.vehicles import vin as vins
from repaircore.vehicles.lookups import Lookups
from repaircore.vehicles.service import Vehicles

_NO_TIME: Final = "Time ran out before this vehicle was added. Add it again."

Item = Mapping[str, Any]


@frozen(kw_only=True)
class AddedVehicle:
    """The result of adding a vehicle: the vehicle, or why it could not be added. ``line`` is its line in a file."""

    vehicle: GarageVehicle | None
    failure: Failure | None
    line: int | None = None


@frozen(kw_only=True)
class Additions:
    """Use cases for adding vehicles. ``seconds`` limits the time for all lookups; vehicles left over fail."""

    transaction: OpenWork
    read: OpenWork
    vehicles: Lazy[Vehicles]
    lookups: Lazy[Lookups]
    outlooks: Outlooks
    checks: GarageChecks
    seconds: float
    timer: Timer
    new_id: NewId
    clock: Clock

    def add(self, request: AddGarageVehicle, caller: Caller = LOCAL) -> GarageVehicle:
        """Add a vehicle, and compute its outlook.

        Raises:
            AlreadyInGarage: it is already there.
            Conflict: the record that it shares with others was deleted meanwhile.
            GarageFull: there is no room for it.
            Invalid: with every bad field.
            NoPlateProvider, PlateNotFound: as for ``Lookups.find_by_plate``.
            VehicleNotFound: the VIN is unknown.
            Unavailable: only an outside service could look it up, and it is not responding.
        """
        found = self._find(request, caller)
        with self.transaction() as work:
            self._require_room(work, caller, 1)
            added = self._store(work, found, request)
        self.outlooks.compute(added)
        return added

    def add_many(self, items: Sequence[Item], caller: Caller = LOCAL) -> Sequence[AddedVehicle]:
        """Add up to 200 vehicles, and return the result for each in order; one that fails does not affect the others.

        Vehicles that are found are stored in one transaction, after the last one has been looked up.

        Raises:
            Conflict: the shared record of one was deleted meanwhile; none is added.
            GarageFull: there is no room for all of them; none is added.
            Invalid: there are more than 200, or none.
            Unavailable: the database is not responding.
        """
        if not 1 <= len(items) <= MOST_AT_ONCE:
            raise Invalid({"vehicles": [sentence("vehicles", f"must have 1 to {MOST_AT_ONCE} items")]})
        found = [*self._find_each(items, caller)]
        with self.transaction() as work:
            self._require_room(work, caller, sum(not isinstance(addition, Failure) for addition in found))
            results = [self._stored(work, addition) for addition in found]
        self.outlooks.compute_all([result.vehicle for result in results if result.vehicle is not None])
        return results

    def add_file(
        self,
        lines: Iterable[str],
        caller: Caller = LOCAL,
        report: Callable[[int], None] = lambda _: None,
    ) -> Iterator[AddedVehicle]:
        """Add the vehicles of a CSV file and yield the result for each; ``report`` receives the number of rows done.

        Vehicles are added in batches of 200; if an error stops the file, the earlier batches stay added.

        Raises:
            Conflict, GarageFull, Unavailable: as for ``add_many``.
            Invalid: on ``file``, which is not a table of vehicles, or has none or too many of them.
        """
        rows = [*read_vehicles(lines)]
        if not 1 <= len(rows) <= MOST_VEHICLES:
            raise Invalid({"file": [f"The file must have 1 to {MOST_VEHICLES:,} vehicles."]})
        for start in range(0, len(rows), MOST_AT_ONCE):
            batch = rows[start : start + MOST_AT_ONCE]
            results = self.add_many([row.item for row in batch], caller)
            yield from (evolve(result, line=row.line) for row, result in zip(batch, results, strict=True))
            report(start + len(batch))

    def validate(self, **fields: object) -> FieldErrors:
        """Return the errors in the given fields, other than type errors; absent fields are not checked."""
        return self.checks.errors(**fields)

    def _find_each(
        self, items: Sequence[Item], caller: Caller
    ) -> Iterator["tuple[FleetVehicle, AddGarageVehicle] | Failure"]:
        until = self.timer() + self.seconds
        for item in items:
            if self.timer() > until:
                yield Unavailable(_NO_TIME)
                continue
            try:
                request = self._parse(item)
                yield self._find(request, caller), request
            except Failure as failure:
                yield failure

    def _parse(self, item: Item) -> AddGarageVehicle:
        good, errors = structure_partially(AddGarageVehicle, item)
        if errors:
            raise Invalid({**errors, **self.validate(**good)})
        return AddGarageVehicle(**good)

    def _find(self, request: AddGarageVehicle, caller: Caller) -> FleetVehicle:
        """Look up a vehicle, store its shared record, and return the vehicle, not yet stored for the caller."""
        vin = self._vin_of(request, caller)
        return FleetVehicle(
            id=self.new_id(),
            environment=caller.environment,
            owner_id=owner_of(caller),
            vin=vin,
            vehicle=self.vehicles().resolve(vin),
            created_at=self.clock(),
        )

    def _vin_of(self, request: AddGarageVehicle, caller: Caller) -> str:
        errors = self.validate(
            vin=request.vin,
            plate=request.plate,
            state=request.state,
            zip_code=request.zip_code,
            in_service_on=request.in_service_on,
        )
        is_named = any(text and text.strip() for text in (request.vin, request.plate))
        if not is_named:
            errors["vin"] = ["The vin field is required when plate is not present."]
        if errors:
            raise Invalid(errors)
        if request.vin and request.vin.strip():
            return vins.normalize(request.vin)
        return self.lookups().find_by_plate(request.plate or "", request.state or "", caller).vin

    def _stored(
        self, work: GarageWork, found: "tuple[FleetVehicle, AddGarageVehicle] | Failure"
    ) -> AddedVehicle:
        if isinstance(found, Failure):
            return AddedVehicle(vehicle=None, failure=found)
        try:
            return AddedVehicle(vehicle=self._store(work, *found), failure=None)
        except AlreadyInGarage as failure:  # found before anything is written
            return AddedVehicle(vehicle=None, failure=failure)

    def _store(self, work: GarageWork, found: FleetVehicle, request: AddGarageVehicle) -> GarageVehicle:
        now = self.clock()
        vehicle = work.fleet_vehicles.register(found)
        added = GarageVehicle(vehicle=vehicle, labels=request.labels(), added_at=now)
        if not work.garage.add(added):
            raise AlreadyInGarage
        if request.odometer is not None:
            reading = SignalReading(odometer=request.odometer)
            work.signals.add(vehicle.id, reading, source=SignalSource.OWNER, at=now)
        return added

    @staticmethod
    def _require_room(work: GarageWork, caller: Caller, number: int) -> None:
        held = work.garage.count(environment=caller.environment, owner_id=owner_of(caller))
        if held + number > MOST_VEHICLES:
            raise GarageFull
