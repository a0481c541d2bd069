"""Whether the catalog or a stored vehicle matches specs."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, cast

import pytest
from attrs import evolve
from typing_extensions import override

from repaircore.kernel.facts import Engine
from repaircore.testing.builders import a_vehicle
from repaircore.testing.clock import FrozenClock
from repaircore.testing.ids import CountingIds
from repaircore.vehicle_facts.model import VehicleSpecs
from repaircore.vehicles.matching import MatchSource, sold_as
from repaircore.vehicles.model import Vehicle
from repaircore.vehicles.ports import ModelNames
from repaircore.vehicles.service import Vehicles

LISTED = evolve(a_vehicle().specs, trim="LX", source="catalog")


class SingleCatalog(ModelNames):
    """A catalog of one vehicle."""

    @override
    def find(
        self, year: int, make: str, model: str, trim: str | None = None, engine: str | None = None
    ) -> VehicleSpecs | None:
        return LISTED

    @override
    def list_engines(self, year: int, make: str, model: str) -> tuple[Engine, ...]:
        return ()


def vehicles(stored: Vehicle) -> Vehicles:
    class Stored:
        vehicles = property(lambda self: self)

        def list_by_model(self, **_: object) -> list[Vehicle]:
            return [stored]

    @contextmanager
    def read() -> Iterator[Any]:
        yield Stored()

    unused = cast("Any", None)
    return Vehicles(
        transaction=unused,
        read=read,
        decoder=unused,
        names=SingleCatalog(),
        extraction=unused,
        new_id=CountingIds(),
        clock=FrozenClock(),
    )


@pytest.mark.parametrize(
    ("vin", "trim", "source"),
    [
        ("1HGCV1F30JA", "EX", MatchSource.CATALOG),
        (None, "EX", MatchSource.CATALOG),
        ("1HGCV1F30JA", "LX", MatchSource.DATABASE),
        (None, "LX", MatchSource.DATABASE),
    ],
)
def test_catalog_wins_over_a_stored_vehicle_that_matches_less(
    vin: str | None, trim: str, source: MatchSource
) -> None:
    stored = a_vehicle(vin=vin, specs=evolve(LISTED, trim=trim))
    found = vehicles(stored).find_match(year=2018, make="Honda", model="Accord", trim="LX", engine=None)

    assert found.source is source
    assert found.vehicle.specs.trim == "LX"


@pytest.mark.parametrize(
    ("year", "make", "model", "sold"),
    [
        (2015, "Dodge", "Ram", ("Ram", "1500")),
        (2011, "DODGE", "RAM", ("Ram", "1500")),
        (2010, "Dodge", "Ram 1500", ("Dodge", "Ram 1500")),
        (2015, "Dodge", "Ram 2500", ("Ram", "2500")),
        (2015, "Dodge", "Ram Laramie", ("Ram", "1500 laramie")),
        (2015, "Dodge", "Ram ProMaster City", ("Ram", "promaster city")),
        (2015, "Dodge", "Charger", ("Dodge", "Charger")),
        (2008, "Dodge", "Caravan", ("Dodge", "Grand Caravan")),
        (2007, "Dodge", "Caravan", ("Dodge", "Caravan")),
        (2015, "Dodge", "Grand Caravan", ("Dodge", "Grand Caravan")),
        (2015, "Ram", "Ram 2500", ("Ram", "Ram 2500")),
        (2015, "Toyota", "Caravan", ("Toyota", "Caravan")),
    ],
)
def test_dodges_that_changed_their_name_are_found_under_the_new_one(
    year: int, make: str, model: str, sold: tuple[str, str]
) -> None:
    assert sold_as(year, make, model) == sold
