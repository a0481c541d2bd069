"""What vehicles need from outside."""

from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import date
from typing import BinaryIO, Protocol, TypeAlias
from uuid import UUID

from repaircore.kernel.audit import AuditLog
from repaircore.kernel.callers import Environment
from repaircore.kernel.facts import Engine
from repaircore.kernel.paging import Page
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
    """Someone who knows what the first 11 characters of a VIN mean."""

    @property
    @abstractmethod
    def source(self) -> str:
        """Name the decoder: ``vpic``, ``vpic_remote``."""

    @abstractmethod
    def decode(self, vin: str) -> VehicleSpecs | None:
        """Read a VIN of 11 or 17 allowed characters in upper case; None when nothing is known of it.

        The check digit is not judged. An answer always has make, model and year. Safe to be called
        by many threads at once.

        Raises:
            Unavailable: when the decoder is a remote one and does not answer within its deadline, or
                answers nonsense. Nothing else is ever raised.
        """


class ModelNames(Protocol):
    """Someone who knows the models that were made in a year by name."""

    @abstractmethod
    def find(
        self, year: int, make: str, model: str, trim: str | None = None, engine: str | None = None
    ) -> VehicleSpecs | None:
        """Find the vehicle that fits the words best, whatever their case and punctuation.

        None when no such model of this make is known for the year. A whole name is preferred to any part of it: an "F-150
        Lightning" is no F-150. ``trim`` and ``engine`` only choose
        among the model's variants: the answer's trim is None when none of the known ones is meant, and its facts keep every
        engine that is still possible. Safe to be called by many threads at once.
        """

    @abstractmethod
    def list_engines(self, year: int, make: str, model: str) -> Sequence[Engine]:
        """List every engine that the model is known to have had in the year, the smallest first; empty when none is known."""


class PlateProvider(Protocol):
    """Someone who knows which vehicle carries a license plate."""

    @property
    @abstractmethod
    def source(self) -> str:
        """Name the provider: ``provider``, ``sandbox``."""

    @abstractmethod
    def find(self, plate: Plate) -> Registration | None:
        """Say which vehicle carries a plate; None when no vehicle does.

        The VIN of an answer has 17 characters and a check digit that holds. Asking may cost money. Safe
        to be called by many threads at once.

        Raises:
            PlateSourceUnavailable: the provider does not answer within its deadline, or answers nonsense.
                Nothing else is ever raised, and the message names neither plate nor VIN.
        """


class OpenedImage(Protocol):
    """An image that was found fit to be looked at."""

    @abstractmethod
    def scans(self) -> Iterator[Sequence[Reading]]:
        """Look at the image again and again, each look costing more than the one before.

        Each gives what it found, maybe nothing; whoever has found what they seek stops asking.

        Raises:
            Invalid: on ``image``, when looking takes too much time or memory.
        """

    @abstractmethod
    def to_jpeg(self) -> bytes:
        """Give the image as a JPEG of moderate size that holds nothing but pixels.

        Raises:
            Invalid: as for ``looks``.
        """


class VinReader(Protocol):
    """Someone who finds texts in images that strangers send."""

    @abstractmethod
    def open(self, image: BinaryIO) -> AbstractContextManager[OpenedImage]:
        """Open an image, whatever bytes the file holds; it can be looked at within the block.

        What type it has is told by its content alone: JPEG, PNG or WebP. Nothing of it is kept. Safe to be
        called by many threads at once.

        Raises:
            Invalid: on ``image``, for what is no such image, is damaged, or has too many pixels or frames.
            Unresolvable: what is needed to look at images is not installed.
            TooMany: too many images are being looked at.
        """


class VisionModel(Protocol):
    """A model that reads what stands in a photo."""

    @abstractmethod
    def read_vin(self, photo: bytes) -> str | None:
        """Give the VIN in a JPEG as the model reads it, unchecked; None when it sees none.

        Raises:
            Unavailable: there is no answer within its time, or none that can be understood.
        """


class VehicleRecords(Protocol):
    """The kept vehicles."""

    @abstractmethod
    def find(self, vehicle_id: UUID) -> Vehicle | None:
        """Give the vehicle, or None."""

    @abstractmethod
    def find_by_vin(self, vin: str) -> Vehicle | None:
        """Return the record of this whole VIN, else the one that stands for VINs with its first 11 characters, or None.

        A record of a whole VIN answers for no other VIN, nor for its own first 11 characters.
        """

    @abstractmethod
    def find_by_plate(self, plate: Plate) -> Vehicle | None:
        """Return the newest record of a whole VIN of which an operator told this plate, or None."""

    @abstractmethod
    def list_by_model(self, *, year: int, make: str, model: str) -> Sequence[Vehicle]:
        """List the vehicles of a year, make and model (case and punctuation aside), oldest record first."""

    @abstractmethod
    def add(self, vehicle: Vehicle) -> Vehicle:
        """Keep a vehicle and give the kept one: the earlier record when its VIN or its id is kept already.

        Whole VINs are compared whole, masks by their first 11 characters; the two do not stand in each other's way.
        """

    @abstractmethod
    def replace(self, old: Vehicle, new: Vehicle) -> Vehicle:
        """Keep ``new`` in the place of ``old``, which has its id, and give the kept one with its next version.

        Raises:
            Conflict: the kept one is no longer ``old``, or another one has the same VIN, as ``add`` compares
                them; nothing is changed.
        """

    @abstractmethod
    def delete(self, old: Vehicle) -> None:
        """Forget a vehicle.

        Raises:
            Conflict: the kept one is no longer ``old``, or something refers to it; nothing is changed.
        """


class VehicleList(Protocol):
    """The kept vehicles as a whole."""

    @abstractmethod
    def page(self, wanted: VehicleFilter, *, number: int, per_page: int) -> Page[Vehicle]:
        """List vehicles, the newest first, in pages; beyond the last page there are none."""

    @abstractmethod
    def counts(self, months: Sequence[date]) -> VehicleCounts:
        """Count them; each of the ``months`` is named by its first day."""

    @abstractmethod
    def list_motor_types(self) -> tuple[Sequence[str], Sequence[str]]:
        """List the motor vehicle types and groups that were told of any vehicle, each once, by the alphabet."""

    @abstractmethod
    def list_facilities(self, *, limit: int) -> Sequence[tuple[int, str]]:
        """List the shops where vehicles may be first seen, id and name, by name."""

    @abstractmethod
    def count_references(self, vehicle_id: UUID) -> Mapping[str, int]:
        """Count the records that refer to a vehicle, in both environments, by their kind in the singular."""


class CachedAnswers(Protocol):
    """What was answered about vehicles and is still remembered."""

    @abstractmethod
    def invalidate(self, vehicle: Vehicle) -> None:
        """Forget what is remembered, in both environments, under the VIN of a vehicle and under its id."""


class FacilityLookup(Protocol):
    """The kept shops, as far as it matters whether there is one."""

    @abstractmethod
    def by_id(self, facility_id: int) -> object | None:
        """Give the shop, or None."""


class PlateRecords(Protocol):
    """The kept plates; test and live have their own, and neither finds the other's."""

    @abstractmethod
    def find(self, plate: Plate, *, environment: Environment) -> StoredPlate | None:
        """Give what is kept of a plate, or None."""

    @abstractmethod
    def find_newest(self, vin: str, *, environment: Environment) -> Plate | None:
        """Give the plate that a vehicle of 17 characters carried when it was last told of, or None."""

    @abstractmethod
    def save(self, kept: StoredPlate) -> None:
        """Keep a plate; what was kept of it before is forgotten, also when another vehicle carried it."""

    @abstractmethod
    def delete(self, plate: Plate, *, environment: Environment) -> None:
        """Keep nothing of a plate any more; one that is not kept is fine."""

    @abstractmethod
    def delete_for_vehicle(self, vehicle_id: UUID) -> None:
        """Keep nothing of the plates that refer to a vehicle's record any more, in both environments."""


class VehiclesWork(Protocol):
    """The part of a unit of work that vehicles need."""

    @property
    @abstractmethod
    def vehicles(self) -> VehicleRecords:
        """The kept vehicles."""

    @property
    @abstractmethod
    def vehicle_list(self) -> VehicleList:
        """The kept vehicles as a whole."""

    @property
    @abstractmethod
    def plates(self) -> PlateRecords:
        """The kept plates."""

    @property
    @abstractmethod
    def answers(self) -> CachedAnswers:
        """What was answered about them."""

    @property
    @abstractmethod
    def facilities(self) -> FacilityLookup:
        """The kept shops."""

    @property
    @abstractmethod
    def audit(self) -> AuditLog:
        """What was changed by whom."""


OpenWork: TypeAlias = Callable[[], AbstractContextManager[VehiclesWork]]
"""Open a unit of work, which is committed when the block ends and rolled back when it raises."""
