"""Ports of vehicles."""

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
        """Return the name of the decoder: ``vpic``, ``vpic_remote``."""

    def decode(self, vin: str) -> VehicleSpecs | None:
        """Decode a VIN of 11 or 17 allowed characters in upper case; return None if it is unknown.

        The check digit is not validated. The answer always has make, model and year. Safe to call from many threads at once.

        Raises:
            Unavailable: a remote decoder gives no valid answer within its deadline. Nothing else is ever raised.
        """


class ModelNames(Protocol):
    """Finds the models of a year by name."""

    def find(
        self, year: int, make: str, model: str, trim: str | None = None, engine: str | None = None
    ) -> VehicleSpecs | None:
        """Return the vehicle that matches the words best, ignoring case and punctuation, or None.

        A whole name is preferred to a part of it: an "F-150 Lightning" is not an F-150. ``trim`` and ``engine`` only choose
        among the model's variants: the trim of the answer is None unless it is a known one, and its facts have every engine
        that is still possible. Safe to call from many threads at once.
        """

    def list_engines(self, year: int, make: str, model: str) -> Sequence[Engine]:
        """List every known engine of a model in a year, smallest first."""


class PlateProvider(Protocol):
    """Finds the vehicle that carries a license plate."""

    @property
    def source(self) -> str:
        """Return the name of the provider: ``provider``, ``sandbox``."""

    def find(self, plate: Plate) -> Registration | None:
        """Return the vehicle that carries a plate, or None.

        The VIN has 17 characters and a valid check digit. A call may cost money. Safe to call from many threads at once.

        Raises:
            PlateSourceUnavailable: the provider is not responding within its deadline, or its answer is invalid.
                Nothing else is ever raised, and the message contains neither plate nor VIN.
        """


class OpenedImage(Protocol):
    """An image that passed the checks of ``VinReader.open``."""

    def scans(self) -> Iterator[Sequence[Reading]]:
        """Yield the findings of each further scan, possibly none; each scan costs more than the last.

        Raises:
            Invalid: on ``image``: a scan takes too much time or memory.
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
        """Open an image from untrusted bytes, which can be scanned within the block.

        Its content alone decides its type: JPEG, PNG or WebP. Nothing of it is stored. Safe to call from many threads at
        once.

        Raises:
            Invalid: on ``image``: it is of another type, damaged, or has too many pixels or frames.
            Unresolvable: the software that reads images is not installed.
            TooMany: too many images are being read.
        """


class VisionModel(Protocol):
    """A model that reads text in a photo."""

    def read_vin(self, photo: bytes) -> str | None:
        """Return the VIN in a JPEG as the model reads it, unchecked, or None.

        Raises:
            Unavailable: there is no answer in time, or it is invalid.
        """


class VehicleRecords(Protocol):
    """Stored vehicles."""

    def find(self, vehicle_id: UUID) -> Vehicle | None:
        """Return the vehicle, or None."""

    def find_by_vin(self, vin: str) -> Vehicle | None:
        """Return the record of this whole VIN, else the record for VINs with its first 11 characters, or None.

        A record of a whole VIN is returned for no other VIN, nor for its own first 11 characters.
        """

    def find_by_plate(self, plate: Plate) -> Vehicle | None:
        """Return the newest record of a whole VIN for which an operator entered this plate, or None."""

    def list_by_model(self, *, year: int, make: str, model: str) -> Sequence[Vehicle]:
        """List the vehicles of a year, make and model (case and punctuation aside), oldest record first."""

    def add(self, vehicle: Vehicle) -> Vehicle:
        """Store a vehicle and return it; if its VIN or id is already stored, return the existing record.

        Whole VINs are compared whole, masks by their first 11 characters; the two never conflict with each other.
        """

    def replace(self, old: Vehicle, new: Vehicle) -> Vehicle:
        """Replace ``old`` with ``new``, which has the same id; return it with its next version.

        Raises:
            Conflict: the stored one is no longer ``old``, or another one has the same VIN, as ``add`` compares
                them; nothing is changed.
        """

    def delete(self, old: Vehicle) -> None:
        """Delete a vehicle.

        Raises:
            Conflict: the stored one is no longer ``old``, or something refers to it; nothing is changed.
        """


class VehicleList(Protocol):
    """Lists and counts of stored vehicles."""

    def page(self, wanted: VehicleFilter, request: PageRequest) -> Page[Vehicle]:
        """List vehicles in pages, newest first unless another order is requested; a page beyond the last is empty.

        Raises:
            Invalid: on ``sort`` and ``cursor``.
        """

    def counts(self, months: Sequence[date]) -> VehicleCounts:
        """Count the vehicles; ``months`` are first days of months."""

    def list_motor_types(self) -> tuple[Sequence[str], Sequence[str]]:
        """List the motor vehicle types and the groups that were entered, each once, in alphabetical order."""

    def list_facilities(self, *, limit: int) -> Sequence[tuple[int, str]]:
        """List the ids and names of facilities, by name."""

    def count_references(self, vehicle_id: UUID) -> Mapping[str, int]:
        """Count the records that refer to a vehicle, in both environments, by their kind in the singular."""


class CachedAnswers(Protocol):
    """Cached answers about vehicles."""

    def invalidate(self, vehicle: Vehicle) -> None:
        """Delete the cached answers about a vehicle, by its VIN and by its id, in both environments."""


class FacilityLookup(Protocol):
    """The look-up of facilities that vehicles need."""

    def by_id(self, facility_id: int) -> object | None:
        """Return the facility, or None."""


class PlateRecords(Protocol):
    """Stored plates; test and live plates are separate."""

    def find(self, plate: Plate, *, environment: Environment) -> StoredPlate | None:
        """Return a stored plate, or None."""

    def has_any(self, environment: Environment) -> bool:
        """Return whether any plate is stored; in the live environment, those entered by operators count too."""

    def find_newest(self, vin: str, *, environment: Environment) -> Plate | None:
        """Return the plate that the vehicle with a whole VIN carried when a provider last reported it, or None."""

    def save(self, stored: StoredPlate) -> None:
        """Store a plate, replacing its earlier record even if another vehicle carried it."""

    def delete(self, plate: Plate, *, environment: Environment) -> None:
        """Delete a plate, if it is stored."""

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
