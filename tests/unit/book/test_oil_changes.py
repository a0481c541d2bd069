"""The oil change a vehicle usually gets when the oil is not named."""

import pytest

from repaircore.book.oil_changes import CONVENTIONAL, DIESEL, SYNTHETIC, usual_oil_change
from repaircore.kernel.facts import Engine, VehicleFacts
from repaircore.kernel.profile import VehicleProfile
from repaircore.kernel.traits import Powertrain, Traits

GAS, DIESEL_ENGINE = Engine(powertrain=Powertrain.GAS), Engine(powertrain=Powertrain.DIESEL)


@pytest.mark.parametrize(
    ("year", "engines", "expected"),
    [
        (2003, (GAS,), CONVENTIONAL),
        (2010, (), CONVENTIONAL),
        (2011, (GAS,), SYNTHETIC),
        (2012, (DIESEL_ENGINE,), DIESEL),
        (2012, (GAS, DIESEL_ENGINE), None),
    ],
)
def test_oil_change_depends_on_model_year_and_fuel(
    year: int, engines: tuple[Engine, ...], expected: str | None
) -> None:
    car = VehicleProfile(make="Ford", model="F-250", year=year, facts=VehicleFacts(engines=engines))

    assert usual_oil_change(car) == expected


def test_traits_count_when_the_engines_are_unknown() -> None:
    traits = Traits(powertrain=Powertrain.DIESEL)

    assert usual_oil_change(VehicleProfile(make="Ford", model="F-250", year=2015, traits=traits)) == DIESEL
