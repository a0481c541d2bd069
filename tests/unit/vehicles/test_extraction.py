"""Order of readers for the VIN in an image, and when reading stops."""

import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import BinaryIO

import pytest
from attrs import evolve
from typing_extensions import override

from repaircore.kernel.callers import LOCAL, Environment
from repaircore.kernel.errors import Invalid, Unavailable
from repaircore.vehicle_facts.model import VehicleSpecs
from repaircore.vehicles.errors import NoVinInImage
from repaircore.vehicles.extraction import MAX_IMAGE_BYTES, Extraction
from repaircore.vehicles.ports import OpenedImage, VinDecoder, VinReader, VisionModel
from repaircore.vehicles.vin_readings import ExtractedVin, Reading, ReadingSource

ACCORD = "1HGCM82633A004352"
EUROPEAN = "WVWZZZ1KZAW123456"
TEST = evolve(LOCAL, environment=Environment.TEST)


class _ScriptedReader(VinReader, OpenedImage):
    """A reader with given scans; ``looked`` counts them, ``copied`` the reduced photos."""

    def __init__(self, *looks: Sequence[Reading]) -> None:
        self._looks = looks
        self.looked = self.copied = 0

    @property
    @override
    def is_installed(self) -> bool:
        return True

    @override
    @contextmanager
    def open(self, image: BinaryIO) -> Iterator[OpenedImage]:
        yield self

    @override
    def scans(self) -> Iterator[Sequence[Reading]]:
        for scan in self._looks:
            self.looked += 1
            yield scan

    @override
    def to_jpeg(self) -> bytes:
        self.copied += 1
        return b"reduced"


class _ScriptedModel(VisionModel):
    """A model with a scripted answer; ``shown`` lists the photos."""

    def __init__(self, answer: str | Unavailable | None) -> None:
        self._answer = answer
        self.photos: list[bytes] = []

    @override
    def read_vin(self, photo: bytes) -> str | None:
        self.photos.append(photo)
        if isinstance(self._answer, Unavailable):
            raise self._answer
        return self._answer


class _Decoder(VinDecoder):
    """A decoder that knows every VIN, or fails."""

    def __init__(self, failure: Unavailable | None = None) -> None:
        self._failure = failure

    @property
    @override
    def source(self) -> str:
        return "scripted"

    @override
    def decode(self, vin: str) -> VehicleSpecs | None:
        if self._failure is not None:
            raise self._failure
        return VehicleSpecs(make="Volkswagen", model="Golf", year=2010, source="scripted")


def text(content: str, scan: int) -> Reading:
    return Reading(text=content, source=ReadingSource.TEXT, scan=scan)


def bar(content: str) -> Reading:
    return Reading(text=content, source=ReadingSource.BAR_CODE)


def photo() -> BinaryIO:
    return io.BytesIO(b"photo")


def test_extraction_stops_scanning_once_a_vin_is_read() -> None:
    reader, model = _ScriptedReader([], [bar(ACCORD)], [text(EUROPEAN, 2)]), _ScriptedModel(EUROPEAN)
    found = Extraction(reader=reader, decoder=_Decoder(), vision=model).extract(photo(), LOCAL)

    assert found == ExtractedVin(vin=ACCORD)
    assert (reader.looked, reader.copied, model.photos) == (2, 0, [])


def test_extraction_requires_two_readings_with_a_wrong_check_digit() -> None:
    reader = _ScriptedReader([bar(EUROPEAN)], [], [text(EUROPEAN, 2)], [])
    found = Extraction(reader=reader, decoder=_Decoder()).extract(photo(), LOCAL)

    assert found == ExtractedVin(vin=EUROPEAN, warnings=("vin_check_digit",))
    assert reader.looked == 4


def test_extraction_treats_a_maker_as_unknown_when_the_decoder_fails() -> None:
    reader = _ScriptedReader([bar(EUROPEAN)], [text(EUROPEAN, 1)])
    with pytest.raises(NoVinInImage):
        Extraction(reader=reader, decoder=_Decoder(Unavailable("resting"))).extract(photo(), LOCAL)


def test_extraction_calls_the_model_for_unreadable_images() -> None:
    reader, model = _ScriptedReader([], []), _ScriptedModel(f" {ACCORD.lower()} ")
    found = Extraction(reader=reader, decoder=_Decoder(), vision=model).extract(photo(), LOCAL)

    assert found == ExtractedVin(vin=ACCORD)
    assert model.photos == [b"reduced"]


def test_extraction_accepts_a_models_answer_with_a_check_digit_or_a_second_reading() -> None:
    alone, agreeing = _ScriptedReader([]), _ScriptedReader([text(EUROPEAN, 0)])
    model = _ScriptedModel(EUROPEAN)
    with pytest.raises(NoVinInImage):
        Extraction(reader=alone, decoder=_Decoder(), vision=model).extract(photo(), LOCAL)
    found = Extraction(reader=agreeing, decoder=_Decoder(), vision=model).extract(photo(), LOCAL)

    assert found.warnings == ("vin_check_digit",)


def test_extraction_calls_no_model_in_the_test_environment() -> None:
    reader, model = _ScriptedReader([]), _ScriptedModel(ACCORD)
    with pytest.raises(NoVinInImage):
        Extraction(reader=reader, decoder=_Decoder(), vision=model).extract(photo(), TEST)

    assert (reader.copied, model.photos) == (0, [])


@pytest.mark.parametrize("answer", [None, "", "no vin here", Unavailable("resting")])
def test_extraction_ignores_a_model_without_an_answer(answer: str | Unavailable | None) -> None:
    with pytest.raises(NoVinInImage, match="No valid 17-character VIN was found in the image"):
        Extraction(reader=_ScriptedReader([]), decoder=_Decoder(), vision=_ScriptedModel(answer)).extract(
            photo(), LOCAL
        )


def test_extraction_rejects_a_file_that_is_too_large() -> None:
    reader = _ScriptedReader([bar(ACCORD)])
    extraction = Extraction(reader=reader, decoder=_Decoder())
    assert extraction.extract(io.BytesIO(bytes(MAX_IMAGE_BYTES)), LOCAL) == ExtractedVin(vin=ACCORD)
    with pytest.raises(Invalid) as content:
        extraction.extract(io.BytesIO(bytes(MAX_IMAGE_BYTES + 1)), LOCAL)

    assert set(content.value.fields) == {"image"}
    assert reader.looked == 1
