"""Oil capacities of common engines, with a new filter, from general knowledge of owners' manuals."""

import tomllib
from importlib.resources import files

import pytest
from tests.adapters.shipped.decoded import vehicle

from repaircore.adapters.shipped.vehicle_factors import shipped_factor_table
from repaircore.kernel.traits import Powertrain
from repaircore.vehicle_facts.model import VehicleSpecs

TABLE = shipped_factor_table()
CLOSE = 0.5
"""Quarts; a shop opens whole bottles."""


@pytest.mark.parametrize(
    ("about", "quarts"),
    [
        (vehicle(2016, "Ram", "1500", liters=3.0, cylinders=6, powertrain=Powertrain.DIESEL), 10.5),
        (vehicle(2021, "Ram", "1500", liters=3.0, cylinders=6, powertrain=Powertrain.DIESEL), 9.0),
        (vehicle(1998, "Chevrolet", "C1500", liters=5.7, cylinders=8), 5.0),
        (vehicle(1998, "Chevrolet", "Express", liters=4.3, cylinders=6), 4.5),
        (vehicle(2005, "Chevrolet", "Express", liters=4.8, cylinders=8), 6.0),
        (vehicle(2016, "GMC", "Yukon", liters=6.2, cylinders=8), 8.0),
        (vehicle(2010, "Chevrolet", "Express", liters=6.6, cylinders=8, powertrain=Powertrain.DIESEL), 10.0),
        (vehicle(2003, "Buick", "LeSabre", liters=3.8, cylinders=6), 4.5),
        (vehicle(2008, "Chevrolet", "Impala", liters=3.5, cylinders=6), 4.0),
        (vehicle(1997, "Chevrolet", "Suburban", liters=6.5, cylinders=8, powertrain=Powertrain.DIESEL), 7.0),
        (vehicle(2005, "Ford", "E-350", liters=6.0, cylinders=8, powertrain=Powertrain.DIESEL), 15.0),
        (vehicle(2009, "Ford", "F-350", liters=6.4, cylinders=8, powertrain=Powertrain.DIESEL), 15.0),
        (vehicle(2005, "Ford", "Mustang", liters=4.6, cylinders=8), 6.0),
        (vehicle(2004, "Ford", "Explorer", liters=4.0, cylinders=6), 5.0),
        (vehicle(2003, "Ford", "Taurus", liters=3.0, cylinders=6), 4.5),
        (vehicle(2021, "Ford", "F-350", liters=7.3, cylinders=8), 8.0),
        (vehicle(2017, "Ford", "Escape", liters=2.0, cylinders=4), 5.7),
        (vehicle(2015, "Dodge", "Challenger", liters=6.4, cylinders=8), 7.0),
        (vehicle(2005, "Jeep", "Liberty", liters=3.7, cylinders=6), 5.0),
        (vehicle(1999, "Dodge", "Ram 1500", liters=5.2, cylinders=8), 5.0),
        (vehicle(2018, "Jeep", "Grand Cherokee", liters=3.6, cylinders=6), 5.0),
        (vehicle(2015, "Dodge", "Charger", liters=3.6, cylinders=6), 6.0),
        (vehicle(2007, "Lexus", "IS", liters=2.5, cylinders=6), 6.7),
        (vehicle(2005, "Toyota", "Camry", liters=2.4, cylinders=4), 4.0),
        (vehicle(2019, "Honda", "Pilot", liters=3.5, cylinders=6), 5.7),
        (vehicle(2012, "Acura", "TL", liters=3.5, cylinders=6), 4.5),
        (vehicle(2008, "Nissan", "Altima", liters=3.5, cylinders=6), 5.1),
        (vehicle(2012, "Nissan", "Xterra", liters=4.0, cylinders=6), 5.4),
        (vehicle(2012, "Subaru", "Outback", liters=3.6, cylinders=6), 6.9),
        (vehicle(2019, "Volkswagen", "Tiguan", liters=2.0, cylinders=4), 6.0),
        (vehicle(2014, "BMW", "X3", liters=2.0, cylinders=4), 5.3),
        (vehicle(2018, "BMW", "540i", liters=3.0, cylinders=6), 6.9),
        (vehicle(2003, "Mercedes-Benz", "E-Class", liters=3.2, cylinders=6), 8.5),
        (vehicle(2008, "Mercedes-Benz", "C-Class", liters=1.8, cylinders=4), 5.8),
        (vehicle(2015, "Volvo", "S60", liters=2.0, cylinders=4), 6.2),
    ],
    ids=lambda value: value.display_name if isinstance(value, VehicleSpecs) else str(value),
)
def test_oil_of_a_common_engine_matches_its_manual(about: VehicleSpecs, quarts: float) -> None:
    oil = TABLE.factors_for(about).amounts.oil

    assert oil is not None
    assert abs(oil - quarts) <= CLOSE


def test_every_row_names_its_makes_once_and_its_source() -> None:
    text = (files("repaircore") / "data" / "vehicle_amounts.toml").read_text("utf-8")
    rows = [row for listed in tomllib.loads(text).values() if isinstance(listed, list) for row in listed]
    bad = [row for row in rows if ("make" in row) == ("makes" in row) or not row["source"]]

    assert bad == []
