import pytest

from repaircore.book.model import Fits
from repaircore.kernel.traits import Body, Drive, Powertrain, Traits

TRUCK = Fits(
    powertrains=frozenset({Powertrain.DIESEL}),
    drives=frozenset({Drive.RWD, Drive.FOUR_WD}),
    bodies=frozenset({Body.PICKUP}),
)


@pytest.mark.parametrize(
    ("traits", "allowed"),
    [
        (Traits(), True),
        (Traits(powertrain=Powertrain.DIESEL, drive=Drive.RWD, body=Body.PICKUP), True),
        (Traits(powertrain=Powertrain.GAS), False),
        (Traits(powertrain=Powertrain.DIESEL, drive=Drive.FWD), False),
        (Traits(body=Body.CAR), False),
        (Traits(drive=Drive.FOUR_WD), True),
    ],
)
def test_repair_is_ruled_out_only_by_known_traits(traits: Traits, *, allowed: bool) -> None:
    assert TRUCK.allows(traits) is allowed


def test_repair_without_conditions_fits_everything() -> None:
    assert all(Fits().allows(Traits(powertrain=one)) for one in Powertrain)
