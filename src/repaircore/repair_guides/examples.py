"""The example vehicles and the city whose prices the guides show, both chosen by hand."""

from typing import Final

from attrs import frozen


@frozen(kw_only=True)
class ExampleVehicle:
    """A common vehicle of its kind, described by year, make, model and, where it matters, engine."""

    kind: str
    year: int
    make: str
    model: str
    engine: str | None = None

    @property
    def name(self) -> str:
        """Return the year, make and model as one string."""
        return f"{self.year} {self.make} {self.model}"


MIDSIZE: Final = ExampleVehicle(
    kind="Mid-size car", year=2018, make="Toyota", model="Camry", engine="2.5L I4 (Dynamic Force 2.5)"
)

EXAMPLES: Final = (
    ExampleVehicle(kind="Compact car", year=2018, make="Honda", model="Civic", engine="2.0L I4 (K-series)"),
    MIDSIZE,
    ExampleVehicle(kind="Compact SUV", year=2018, make="Toyota", model="RAV4", engine="2.5L I4 (2AR-FE)"),
    ExampleVehicle(
        kind="Full-size pickup", year=2018, make="Ford", model="F-150", engine="5.0L V8 (5.0 Coyote)"
    ),
    ExampleVehicle(
        kind="Diesel pickup", year=2018, make="Ram", model="2500", engine="6.7L I6 turbo diesel (Cummins 6.7)"
    ),
    ExampleVehicle(kind="Older compact car", year=2008, make="Toyota", model="Corolla"),
    ExampleVehicle(kind="Luxury car", year=2018, make="BMW", model="530i"),
    ExampleVehicle(kind="Hybrid", year=2018, make="Toyota", model="Prius"),
    ExampleVehicle(kind="Electric car", year=2018, make="Tesla", model="Model 3"),
)

SPARE_EXAMPLES: Final = (
    ExampleVehicle(kind="Minivan", year=2015, make="Honda", model="Odyssey"),
    ExampleVehicle(
        kind="Diesel pickup",
        year=2018,
        make="Ford",
        model="F-250 Super Duty",
        engine="6.7L V8 turbo diesel (6.7 Power Stroke)",
    ),
    ExampleVehicle(kind="Plug-in hybrid", year=2017, make="Chevrolet", model="Volt"),
    ExampleVehicle(
        kind="Pickup with a pushrod V8", year=2018, make="Chevrolet", model="Silverado 1500", engine="5.3L V8"
    ),
    ExampleVehicle(kind="Compact car of the 1990s", year=1997, make="Honda", model="Civic"),
)
"""The examples for a repair that fits none of the others."""

PLACE_ZIP: Final = "37203"
PLACE: Final = "Nashville, Tennessee"
"""A city with about the national labor rate, in a state without its own inspections."""
