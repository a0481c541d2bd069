"""The contract of VIN decoders."""

from collections.abc import Callable

import pytest
from tests.adapters.lookups.conftest import answer, clock
from tests.threads import at_once

from repaircore.adapters.lookups.chain import DecoderChain
from repaircore.adapters.lookups.vpic_local import VpicVinDecoder
from repaircore.adapters.lookups.vpic_remote import VpicRemoteDecoder
from repaircore.adapters.shipped.mechanics import shipped_mechanics
from repaircore.kernel.traits import Powertrain
from repaircore.testing.upstream import MisbehavingUpstream
from repaircore.vehicles.ports import VinDecoder

SENTRA = "3N1CB51D94L812345"
UNKNOWN = "ZZZZZ00Z0ZZZ00000"


@pytest.fixture(params=["vpic", "vpic_remote", "chain"])
def decoder(request: pytest.FixtureRequest, service: MisbehavingUpstream) -> VinDecoder:
    sentra = answer(Make="NISSAN", Model="Sentra", ModelYear="2004", FuelTypePrimary="Gasoline")
    for known in (SENTRA[:11], f"{SENTRA[:8]}X{SENTRA[9:11]}"):
        service.behave(f"/DecodeVinValues/{known}", sentra)
    remote = VpicRemoteDecoder.at(service.url, clock=clock, mechanics=shipped_mechanics, seconds=20)
    made: dict[str, Callable[[], VinDecoder]] = {
        "vpic": lambda: VpicVinDecoder(clock, shipped_mechanics),
        "vpic_remote": lambda: remote,
        "chain": lambda: DecoderChain([VpicVinDecoder(clock, shipped_mechanics), remote]),
    }
    return made[request.param]()


def test_known_vin_gives_make_model_and_year(decoder: VinDecoder) -> None:
    known = decoder.decode(SENTRA)

    assert known is not None
    assert (known.make, known.model, known.year) == ("Nissan", "Sentra", 2004)
    assert known.powertrain is Powertrain.GAS
    assert known.source in decoder.source


def test_eleven_characters_give_the_same_as_seventeen(decoder: VinDecoder) -> None:
    assert decoder.decode(SENTRA[:11]) == decoder.decode(SENTRA)


def test_check_digit_is_not_validated(decoder: VinDecoder) -> None:
    assert decoder.decode(f"{SENTRA[:8]}X{SENTRA[9:]}") == decoder.decode(SENTRA)


@pytest.mark.parametrize("vin", [UNKNOWN, UNKNOWN[:11]])
def test_unknown_vin_is_none(decoder: VinDecoder, vin: str) -> None:
    assert decoder.decode(vin) is None


def test_threads_can_decode_at_once(decoder: VinDecoder) -> None:
    result = at_once(8, lambda: [decoder.decode(vin) for vin in (SENTRA, UNKNOWN) * 5])
    answers = [one for answers in result for one in answers]

    assert answers.count(None) == 40
    assert len({known for known in answers if known is not None}) == 1
    assert len(answers) == 80
