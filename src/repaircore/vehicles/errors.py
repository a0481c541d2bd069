"""Errors for vehicles."""

from collections.abc import Sequence
from typing import ClassVar
from uuid import UUID

from repaircore.kernel.errors import Conflict, NotFound, Unavailable, Unresolvable
from repaircore.kernel.wording import join_words


class VehicleNotFound(NotFound):
    """No decoder and no record knows the VIN."""

    code: ClassVar[str | None] = "VEHICLE_NOT_FOUND"

    def __init__(self) -> None:
        super().__init__("Vehicle not found for the provided VIN.")


class NoVehicleForSpecs(NotFound):
    """No stored vehicle matches the specs, and the model is unknown for that year.

    ``last`` is the last year before, and ``first`` the first year after, in which the model was sold, if known, and
    ``similar`` are models whose names are spelled like the given ones; ``hint`` is a sentence that says so, or empty.
    """

    def __init__(
        self, *, last: int | None = None, first: int | None = None, similar: Sequence[str] = ()
    ) -> None:
        years = [
            *([] if last is None else [f"until {last}"]),
            *([] if first is None else [f"from {first}"]),
        ]
        sold = f" The model was sold {' and '.join(years)}, but not in this year." if years else ""
        self.hint = sold or (f" Did you mean {join_words(similar, 'or')}?" if similar else "")
        super().__init__(f"No vehicle matches these specs, and none could be created.{self.hint}")


class VinNotDecodable(Unresolvable):
    """The VIN is well-formed, but no decoder and no record knows it."""

    def __init__(self) -> None:
        super().__init__("This VIN cannot be decoded.")


class PlateNotFound(Unresolvable):
    """The plate, or the vehicle that carries it, is unknown."""


class NoPlateProvider(Unresolvable):
    """The plate is not stored, and no provider is configured."""

    def __init__(self) -> None:
        super().__init__("No vehicle is stored for this plate, and no plate provider is configured.")


class PlateSourceUnavailable(Unavailable):
    """The plate provider sent no valid response in time."""

    code: ClassVar[str | None] = "PLATE_SOURCE_UNAVAILABLE"


class NoVinInImage(Unresolvable):
    """No VIN can be read in the image."""

    def __init__(self) -> None:
        super().__init__("No valid 17-character VIN was found in the image.")


class StoredVehicleNotFound(NotFound):
    """No stored vehicle has this id."""

    def __init__(self) -> None:
        super().__init__("Vehicle not found.")


class VinMaskTaken(Conflict):
    """Another record has the same whole VIN, or a mask with the same first 11 characters."""

    def __init__(self, vehicle_id: UUID) -> None:
        super().__init__(
            f"The vehicle {vehicle_id} has a VIN mask with the same first 11 characters. Change that vehicle instead."
        )
