"""Vehicles of VINs: what is decoded, stored and found again."""

from collections.abc import Iterator

import pytest

from repaircore.core import Core
from repaircore.settings import Settings
from repaircore.testing.clock import FrozenClock
from repaircore.testing.core import a_core
from repaircore.vehicles.errors import VehicleNotFound

VIN = "1HGCM82633A004352"


@pytest.fixture
def core(sqlite_url: str) -> Iterator[Core]:
    made = a_core(Settings(database_url=sqlite_url), clock=FrozenClock())
    yield made
    made.close()


def test_new_vehicle_has_the_first_eleven_characters_of_its_vin(core: Core) -> None:
    unsaved = core.vehicles.resolve_unsaved(VIN)
    stored = core.vehicles.resolve(VIN)

    assert (unsaved.vin, stored.vin) == (VIN[:11], VIN[:11])
    assert unsaved.specs == stored.specs
    assert unsaved.id != stored.id
    assert core.vehicles.resolve_unsaved(VIN).id == core.vehicles.resolve(VIN).id == stored.id


def test_vin_that_no_decoder_knows_is_not_found(core: Core) -> None:
    for resolve in (core.vehicles.resolve, core.vehicles.resolve_unsaved):
        with pytest.raises(VehicleNotFound):
            resolve("ZZZ99999X99999999")
