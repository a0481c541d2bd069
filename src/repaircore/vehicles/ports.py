"""Ports for vehicles."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import date
from typing import BinaryIO, Protocol, TypeAlias
from uuid import UUID

from repaircore.kernel.audit import AuditLog
from repaircore.kernel.callers import Environment
from repaircore.kernel.facts import Engine
from repaircore.kernel.paging import Page, PageRequest
from repaircore.vehicle_facts.model import VehicleSpecs
from repaircore.vehicles.model import (
    Plate,
    Registration,
    StoredPlate,
    Vehicle,
    VehicleCounts,
    VehicleFilter,
)
from repaircore.vehicles.vin_readings import Reading


class VinDecoder(Protocol):
    """Decodes the first 11 characters of a VIN."""

    @property
    def source(self) -> str:
        """Return the name of the decoder, such as ``vpic`` or ``vpic_remote``."""

    def decode(self, vin: str) -> VehicleSpecs | None:
        """Decode a VIN of 11 or 17 valid uppercase characters; return None if it is unknown.

        The check digit is not validated. The result always has make, model and year. It is safe to call from many
        threads at once.

        Raises:
            Unavailable: a remote decoder sent no valid response within its deadline. Nothing else is ever raised.
        """


class ModelNames(Protocol):
    """Finds the models of a year by name."""

    def find(
        self, year: int, make: str, model: str, trim: str | None = None, engine: str | None = None
    ) -> VehicleSpecs | None:
        """Return the vehicle that best matches the names, ignoring case and punctuation, or None.

        A whole name is preferred to a part of it: an "F-150 Lightning" is not an F-150. ``trim`` and ``engine`` only
        choose among the model's variants: the trim of the result is None unless it is known, and its facts have every
        engine that is still possible. It is safe to call from many threads at once.
        """

    def list_engines(self, year: int, make: str, model: str) -> Sequence[Engine]:
        """List every known engine of a model in a year, smallest first."""


class PlateProvider(Protocol):
    """Finds the vehicle that carries a license plate."""

    @property
    def source(self) -> str:
        """Return the name of the provider, such as ``provider`` or ``sandbox``."""

    def find(self, plate: Plate) -> Registration | None:
        """Return the vehicle that carries a plate, or None.

        Its VIN has 17 characters and a valid check digit. A call may cost money. It is safe to call from many threads
        at once.

        Raises:
            PlateSourceUnavailable: the provider sent no valid response within its deadline. Nothing else is ever
                raised, and the message contains neither plate nor VIN.
        """


class OpenedImage(Protocol):
    """An image that passed the checks of ``VinReader.open``."""

    def scans(self) -> Iterator[Sequence[Reading]]:
        """Scan the image repeatedly, each time at a higher cost, and yield the readings of each scan, possibly none.

        Raises:
            Invalid: on ``image``: a scan took too much time or memory.
        """

    def to_jpeg(self) -> bytes:
        """Return the image as a JPEG of moderate size that contains nothing but pixels.

        Raises:
            Invalid: as for ``scans``.
        """


class VinReader(Protocol):
    """Finds text in images from untrusted sources."""

    @property
    def is_installed(self) -> bool:
        """Return whether the software that reads images is installed."""

    def open(self, image: BinaryIO) -> AbstractContextManager[OpenedImage]:
        """Open an image from untrusted bytes for scanning inside the block.

        Only the content determines the type: JPEG, PNG or WebP. The image is not stored. It is safe to call this from
        many threads at once.

        Raises:
            Invalid: on ``image``: it is of another type, damaged, or has too many pixels or frames.
            Unresolvable: the software that reads images is not installed.
            TooMany: too many images are being read.
        """


class VisionModel(Protocol):
    """A model that reads text in a photo."""

    def read_vin(self, photo: bytes) -> str | None:
        """Return the VIN in a JPEG as the model reads it, without validation, or None.

        Raises:
            Unavailable: the model sent no valid response in time.
        """


class VehicleRecords(Protocol):
    """The stored vehicles."""

    def find(self, vehicle_id: UUID) -> Vehicle | None:
        """Return the vehicle with an id, or None."""

    def find_by_vin(self, vin: str) -> Vehicle | None:
        """Return the record of this whole VIN, else the record for VINs with its first 11 characters, or None.

        A record of a whole VIN is never returned for any other VIN, nor for its own first 11 characters.
        """

    def find_by_plate(self, plate: Plate) -> Vehicle | None:
        """Return the newest record of a whole VIN for which an operator entered this plate, or None."""

    def list_by_model(self, *, year: int, make: str, model: str) -> Sequence[Vehicle]:
        """List the vehicles of a year, make and model (ignoring case and punctuation), oldest record first."""

    def add(self, vehicle: Vehicle) -> Vehicle:
        """Store a vehicle and return it; if its VIN or id is already stored, return the existing record.

        Whole VINs are compared whole, and masks by their first 11 characters; the two never conflict with each other.
        """

    def replace(self, old: Vehicle, new: Vehicle) -> Vehicle:
        """Replace ``old`` with ``new``, which has the same id, and return the latter with its next version.

        Raises:
            Conflict: the stored vehicle is no longer ``old``, or another vehicle has the same VIN (compared as in
                ``add``); nothing is changed.
        """

    def delete(self, old: Vehicle) -> None:
        """Delete a vehicle.

        Raises:
            Conflict: the stored vehicle is no longer ``old``, or something refers to it; nothing is changed.
        """


class VehicleList(Protocol):
    """Lists and counts of stored vehicles."""

    def page(self, wanted: VehicleFilter, request: PageRequest) -> Page[Vehicle]:
        """Return a page of vehicles, newest first unless another order is requested; a page beyond the last is empty.

        Raises:
            Invalid: on ``sort`` and ``cursor``.
        """

    def counts(self, months: Sequence[date]) -> VehicleCounts:
        """Count the vehicles by make, year, source, type and month; ``months`` are the first days of those months."""

    def list_motor_types(self) -> tuple[Sequence[str], Sequence[str]]:
        """List the motor vehicle types that were entered, and the groups, each sorted and without duplicates."""

    def list_facilities(self, *, limit: int) -> Sequence[tuple[int, str]]:
        """List the ids and names of up to ``limit`` facilities, sorted by name."""

    def count_references(self, vehicle_id: UUID) -> Mapping[str, int]:
        """Count the records in both environments that refer to a vehicle, by their kind (in the singular)."""


class CachedAnswers(Protocol):
    """The cached answers about vehicles."""

    def invalidate(self, vehicle: Vehicle) -> None:
        """Delete the cached answers about a vehicle, by its VIN and its id, in both environments."""


class FacilityLookup(Protocol):
    """The stored facilities, as far as vehicles need them."""

    def by_id(self, facility_id: int) -> object | None:
        """Return the facility with an id, or None."""


class PlateRecords(Protocol):
    """The stored plates; test and live plates are separate."""

    def find(self, plate: Plate, *, environment: Environment) -> StoredPlate | None:
        """Return the stored record of a plate, or None."""

    def has_any(self, environment: Environment) -> bool:
        """Return whether any plate is stored; in the live environment, plates entered by operators count too."""

    def find_newest(self, vin: str, *, environment: Environment) -> Plate | None:
        """Return the plate that a provider last reported for the vehicle with a whole VIN, or None."""

    def save(self, stored: StoredPlate) -> None:
        """Store a plate, replacing any earlier record of it even if another vehicle carried it."""

    def delete(self, plate: Plate, *, environment: Environment) -> None:
        """Delete a plate if it is stored."""

    def delete_for_vehicle(self, vehicle_id: UUID) -> None:
        """Delete the plates that refer to a vehicle's record, in both environments."""


class VehiclesWork(Protocol):
    """The part of a unit of work that vehicles need."""

    @property
    def vehicles(self) -> VehicleRecords:
        """Return the stored vehicles."""

    @property
    def vehicle_list(self) -> VehicleList:
        """Return the lists and counts of vehicles."""

    @property
    def plates(self) -> PlateRecords:
        """Return the stored plates."""

    @property
    def answers(self) -> CachedAnswers:
        """Return the cached answers about vehicles."""

    @property
    def facilities(self) -> FacilityLookup:
        """Return the facilities."""

    @property
    def audit(self) -> AuditLog:
        """Return the audit log."""


OpenWork: TypeAlias = Callable[[], AbstractContextManager[VehiclesWork]]
"""Open a unit of work, which is committed when the block ends and rolled back when it raises."""
