"""Makes with their years, models and engines."""

from collections.abc import Mapping
from enum import StrEnum
from typing import TypeAlias

from attrs import field, frozen

from repaircore.kernel.traits import Body, Drive

EARLIEST = 1984
"""The first model year that the catalog covers."""

Span: TypeAlias = tuple[int, int | None]
"""The first and the last model year; the last one is None if no end is known."""


class Fuel(StrEnum):
    """The fuel of an engine, under the name that owners use."""

    GASOLINE = "Gasoline"
    DIESEL = "Diesel"
    HYBRID = "Hybrid"
    PLUG_IN_HYBRID = "Plug-in Hybrid"
    ELECTRIC = "Electric"
    HYDROGEN = "Hydrogen"
    CNG = "CNG"
    PROPANE = "Propane"


@frozen(kw_only=True)
class Engine:
    """An engine. ``tenths`` is its displacement in tenths of a liter, as it is written on the car.

    None means unknown; an electric motor has no displacement and no cylinders, so both are None. A rotary engine has as
    many cylinders as rotors. ``hp`` is SAE net horsepower, for the whole system in hybrids.
    """

    tenths: int | None
    cylinders: int | None
    fuel: Fuel
    hp: int | None = None

    @property
    def liters(self) -> str:
        """Return the displacement as a string, such as "2.4L"; empty if there is none."""
        return f"{self.tenths / 10:.1f}L" if self.tenths else ""

    @property
    def kind(self) -> tuple[int, int, str]:
        """Return a key that is equal for the same engine in two sources."""
        return (self.tenths or 0, self.cylinders or 0, self.fuel.value)


@frozen(kw_only=True)
class Offer:
    """An engine, its first and last model year, and the trims it was sold in; no trims means all of them."""

    engine: Engine
    first: int
    last: int
    trims: tuple[str, ...] = ()


@frozen(kw_only=True)
class TrimOffer:
    """A trim, and its first and last model year."""

    name: str
    first: int
    last: int


@frozen(kw_only=True)
class ModelEngines:
    """The engines of a model. ``trims`` are those not tied to an engine, listed where vPIC has none."""

    name: str
    offers: tuple[Offer, ...]
    trims: tuple[TrimOffer, ...] = ()


@frozen(kw_only=True)
class Make:
    """A make of passenger vehicles, and the model years in which it sold any in the United States.

    ``also`` has other spellings of its name. ``names`` maps the key of a model's name in vPIC, which may end in ``*``
    as a wildcard, to the names that it is listed under: none for a model that is not a passenger vehicle, was not sold
    here, or is split by the engine table ("Silverado" into "Silverado 1500" and so on).
    """

    name: str
    years: tuple[Span, ...]
    also: tuple[str, ...] = ()
    names: Mapping[str, tuple[str, ...]] = field(factory=dict)


@frozen(kw_only=True)
class CatalogEntry:
    """A model in a model year, with one of its engines.

    ``model`` is the listed name, ``published`` is the name that the source uses ("F150 Pickup 2WD"), and ``trim`` is
    the part of that name that identifies the variant.
    """

    make: str
    model: str
    published: str
    year: int
    engine: Engine
    trim: str | None = None
    drive: Drive | None = None
    body: Body | None = None
