"""What every decoder promises."""

import threading
from collections.abc import Callable, Iterator

import pytest

from repaircore.adapters.lookups.chain import DecoderChain
from repaircore.adapters.lookups.structure import StructureDecoder
from repaircore.adapters.lookups.vpic_local import VpicData, VpicVinDecoder
from repaircore.adapters.lookups.vpic_remote import VpicRemoteDecoder
from repaircore.kernel.traits import Powertrain
from repaircore.vehicles.model import Decoded
from repaircore.vehicles.ports import VinDecoder

from .conftest import LoopbackServer, Script, answer, clock

SENTRA = "3N1CB51D94L812345"
UNKNOWN = "ZZZZZ00Z0ZZZ00000"


def sentra_or_nothing(path: str, _: int) -> Script:
    if SENTRA[:8] in path:
        return answer(Make="NISSAN", Model="Sentra", ModelYear="2004", FuelTypePrimary="Gasoline")
    return answer(Make="", Model="", ModelYear="", ErrorCode="7,11")


@pytest.fixture(params=["vpic", "vpic_remote", "structure", "chain"])
def decoder(request: pytest.FixtureRequest, data: VpicData, server: LoopbackServer) -> Iterator[VinDecoder]:
    remote = VpicRemoteDecoder(clock=clock, base_url=server.chooses(sentra_or_nothing), seconds=20)
    made: dict[str, Callable[[], VinDecoder]] = {
        "vpic": lambda: VpicVinDecoder(data, clock),
        "vpic_remote": lambda: remote,
        "structure": lambda: StructureDecoder(clock),
        "chain": lambda: DecoderChain([VpicVinDecoder(data, clock), remote, StructureDecoder(clock)]),
    }
    yield made[request.param]()
    remote.close()


def test_a_known_vin_gives_make_model_and_year(decoder: VinDecoder) -> None:
    known = decoder.decode(SENTRA)
    assert known is not None
    assert (known.make, known.model, known.year) == ("Nissan", "Sentra", 2004)
    assert known.powertrain is Powertrain.GAS
    assert known.source in decoder.source


def test_eleven_characters_say_as_much_as_seventeen(decoder: VinDecoder) -> None:
    assert decoder.decode(SENTRA[:11]) == decoder.decode(SENTRA)


def test_the_check_digit_is_not_judged(decoder: VinDecoder) -> None:
    assert decoder.decode(f"{SENTRA[:8]}X{SENTRA[9:]}") == decoder.decode(SENTRA)


@pytest.mark.parametrize("vin", [UNKNOWN, UNKNOWN[:11]])
def test_an_unknown_vin_is_nothing(decoder: VinDecoder, vin: str) -> None:
    assert decoder.decode(vin) is None


def test_many_threads_may_ask_at_once(decoder: VinDecoder) -> None:
    start = threading.Barrier(8)
    answers: list[Decoded | None] = []

    def ask() -> None:
        start.wait()
        answers.extend(decoder.decode(vin) for vin in (SENTRA, UNKNOWN) * 5)

    threads = [threading.Thread(target=ask, daemon=True) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not any(thread.is_alive() for thread in threads)
    assert answers.count(None) == 40
    assert len({known for known in answers if known is not None}) == 1
    assert len(answers) == 80
