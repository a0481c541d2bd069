"""The catalog as clients see it."""

from typing import Annotated, Self

from repaircore.catalog.model import Engine
from repaircore.catalog.model_years import ModelYear
from repaircore.kernel.rules import Described
from repaircore.kernel.views import view


@view
class CatalogEngineView:
    """An engine as strings: ``2.4L``, ``160``, ``4``, ``Gasoline``. Unknown or inapplicable values are empty."""

    displacement: str
    hp: str
    cylinders: str
    fuel: str

    @classmethod
    def of(cls, engine: Engine) -> Self:
        """Return the view of an engine."""
        return cls(
            displacement=engine.liters,
            hp=str(engine.hp or ""),
            cylinders=str(engine.cylinders or ""),
            fuel=engine.fuel.value,
        )


@view
class ModelYearView:
    """A model in a model year; its ID never changes."""

    id: Annotated[str, Described("The `vehicle_model_id` of a new vehicle.")]
    display_name: str
    make: str
    model: str
    year: int

    @classmethod
    def of(cls, found: ModelYear) -> Self:
        """Return the view of a model in a model year."""
        return cls(
            id=found.id, display_name=found.display_name, make=found.make, model=found.model, year=found.year
        )
