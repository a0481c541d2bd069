"""The contract of plate providers, for the sandbox and the HTTP client."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import TypeAlias

import pytest
from tests.adapters.lookups.conftest import clock

from repaircore.adapters.lookups.plates_remote import RemotePlates
from repaircore.adapters.lookups.sandbox import FAILING_PLATE, PLATES, SandboxPlates
from repaircore.adapters.lookups.vpic_local import VpicVinDecoder
from repaircore.adapters.shipped.mechanics import shipped_mechanics
from repaircore.testing.plate_provider import PlateServer
from repaircore.testing.plates import ScriptedPlates
from repaircore.vehicles.errors import PlateSourceUnavailable
from repaircore.vehicles.model import Plate, Registration
from repaircore.vehicles.plates import STATES
from repaircore.vehicles.ports import PlateProvider
from repaircore.vehicles.vin import check_digit_holds

Build: TypeAlias = Callable[[ExitStack], PlateProvider]


def remote(stack: ExitStack) -> PlateProvider:
    known = {plate: {"vin": vin} for plate, vin in PLATES.items()}
    server = stack.enter_context(PlateServer(known, key="k"))
    return RemotePlates.at(server.url, api_key="k", clock=clock)


def scripted(_: ExitStack) -> PlateProvider:
    return ScriptedPlates({plate: Registration(vin=vin) for plate, vin in PLATES.items()})


def scripted_down(_: ExitStack) -> PlateProvider:
    provider = ScriptedPlates({})
    provider.down = True
    return provider


def no_listener(_: ExitStack) -> PlateProvider:
    with PlateServer({}) as server:
        address = server.url
    return RemotePlates.at(address, api_key=None, clock=clock)


PROVIDERS: dict[str, Build] = {"sandbox": lambda _: SandboxPlates(), "http": remote, "scripted": scripted}


@pytest.fixture(params=PROVIDERS)
def provider(request: pytest.FixtureRequest) -> Iterator[PlateProvider]:
    with ExitStack() as stack:
        yield PROVIDERS[request.param](stack)


@pytest.mark.parametrize("plate", PLATES, ids=lambda plate: plate.state)
def test_known_plate_gives_a_valid_vin(provider: PlateProvider, plate: Plate) -> None:
    found = provider.find(plate)

    assert found is not None
    assert found.vin == PLATES[plate]
    assert check_digit_holds(found.vin)


@pytest.mark.parametrize(
    "plate",
    [Plate(state="WY", number="TEST123"), Plate(state="CA", number="1"), Plate(state="CA", number="0" * 10)],
)
def test_unassigned_plate_is_none(provider: PlateProvider, plate: Plate) -> None:
    assert provider.find(plate) is None


def test_provider_has_a_name(provider: PlateProvider) -> None:
    assert provider.source


@pytest.mark.parametrize(
    "build", [lambda _: SandboxPlates(), no_listener, scripted_down], ids=["sandbox", "http", "scripted"]
)
def test_failing_provider_raises_without_the_plate(build: Build) -> None:
    with ExitStack() as stack, pytest.raises(PlateSourceUnavailable) as failed:
        build(stack).find(FAILING_PLATE)

    assert failed.value.code == "PLATE_SOURCE_UNAVAILABLE"
    assert FAILING_PLATE.number not in failed.value.message


def test_every_sandbox_plate_has_a_state_and_a_decodable_vehicle() -> None:
    decoder = VpicVinDecoder(clock, shipped_mechanics)
    assert {plate.state for plate in PLATES} <= STATES
    decoded = [decoder.decode(vin) for vin in PLATES.values()]

    assert [one.body for one in decoded if one is not None] == ["car", "car", "pickup", "suv", "van"]
