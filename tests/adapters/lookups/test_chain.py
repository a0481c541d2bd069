import pytest
from attrs import frozen
from typing_extensions import override

from repaircore.adapters.lookups.chain import DecoderChain
from repaircore.kernel.errors import Unavailable
from repaircore.vehicle_facts.model import VehicleSpecs
from repaircore.vehicles.ports import VinDecoder

VIN = "1HGCM82633A"


@frozen
class ScriptedDecoder(VinDecoder):
    name: str
    answer: VehicleSpecs | Unavailable | None

    @property
    @override
    def source(self) -> str:
        return self.name

    @override
    def decode(self, vin: str) -> VehicleSpecs | None:
        if isinstance(self.answer, Unavailable):
            raise self.answer
        return self.answer


def accord(source: str) -> VehicleSpecs:
    return VehicleSpecs(make="Honda", model="Accord", year=2003, source=source)


FIRST, SECOND = ScriptedDecoder("first", accord("first")), ScriptedDecoder("second", accord("second"))
SILENT = ScriptedDecoder("silent", None)
BROKEN = ScriptedDecoder("broken", Unavailable("timed out"))


def test_first_answer_wins() -> None:
    assert DecoderChain([SILENT, FIRST, SECOND]).decode(VIN) == accord("first")


def test_failure_is_reported_when_another_answers() -> None:
    reports: list[tuple[str, str]] = []
    chain = DecoderChain([BROKEN, SECOND], lambda source, failure: reports.append((source, failure.message)))

    assert chain.decode(VIN) == accord("second")
    assert reports == [("broken", "timed out")]


def test_decoders_after_an_answer_are_not_called() -> None:
    reports: list[str] = []
    DecoderChain([FIRST, BROKEN], lambda source, _: reports.append(source)).decode(VIN)

    assert reports == []


def test_failure_is_raised_when_no_decoder_answers() -> None:
    with pytest.raises(Unavailable, match="timed out"):
        DecoderChain([BROKEN, SILENT], lambda *_: None).decode(VIN)


def test_vin_unknown_to_all_decoders_is_none() -> None:
    assert DecoderChain([SILENT, SILENT]).decode(VIN) is None
    assert DecoderChain([]).decode(VIN) is None
