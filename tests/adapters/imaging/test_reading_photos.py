"""VINs are read in photos, and nothing is read in photos without one."""

import io
from collections.abc import Sequence

import pytest
from attrs import frozen
from PIL import Image
from tests import photos
from typing_extensions import override

from repaircore.adapters.imaging.reader import ChildVinReader
from repaircore.kernel.callers import LOCAL
from repaircore.vehicle_facts.model import VehicleSpecs
from repaircore.vehicles.errors import NoVinInImage
from repaircore.vehicles.extraction import Extraction
from repaircore.vehicles.ports import VinDecoder

VIN = "1HGCM82633A004352"
EUROPEAN = "WVWZZZ1KZAW123456"  # its ninth character is no check digit


@frozen
class _PrefixDecoder(VinDecoder):
    """A decoder that knows VINs with the given prefixes."""

    beginnings: tuple[str, ...] = ("WVW",)

    @property
    @override
    def source(self) -> str:
        return "known"

    @override
    def decode(self, vin: str) -> VehicleSpecs | None:
        known = vin.startswith(self.beginnings)
        return VehicleSpecs(make="Volkswagen", model="Golf", year=2010, source="known") if known else None


@pytest.fixture
def extraction(reader: ChildVinReader) -> Extraction:
    return Extraction(reader=reader, decoder=_PrefixDecoder())


def _read(extraction: Extraction, file: bytes) -> str | None:
    try:
        return extraction.extract(io.BytesIO(file), LOCAL).vin
    except NoVinInImage:
        return None


def _misread(extraction: Extraction, cases: Sequence[tuple[str, str, bytes]]) -> list[str]:
    readings = [(name, vin, _read(extraction, file)) for name, vin, file in cases]
    return [f"{name}: {read} for {vin}" for name, vin, read in readings if read != vin]


@pytest.mark.long
@pytest.mark.parametrize("how", photos.HARMS)
def test_printed_vins_are_read_exactly(extraction: Extraction, how: str) -> None:
    chance = photos.chance_of(f"print {how}")
    cases = []
    first = list(photos.HARMS).index(how)
    for font in (photos.FONTS * 2)[first % len(photos.FONTS) :][:3]:
        vin = photos.vin(chance)
        photo = photos.harmed(photos.label(vin, chance, font=font), how, chance)
        cases.append((f"{how} {font}", vin, photos.jpeg(photo, quality=85)))

    assert _misread(extraction, cases) == []


@pytest.mark.parametrize("kind", photos.CODES)
def test_bar_codes_are_read_at_any_angle(extraction: Extraction, kind: str) -> None:
    chance = photos.chance_of(f"code {kind}")
    cases = []
    for degrees in range(0, 360, 36):
        vin = photos.vin(chance)
        cases.append(
            (f"{kind} at {degrees}", vin, photos.png(photos.on_table(photos.code(kind, vin), degrees)))
        )

    assert _misread(extraction, cases) == []


@pytest.mark.long
@pytest.mark.parametrize("kind", photos.CODES)
@pytest.mark.parametrize("how", ["blurred", "noisy", "faint", "aslant"])
def test_bar_codes_are_read_in_bad_photos(extraction: Extraction, kind: str, how: str) -> None:
    chance = photos.chance_of(f"{kind} {how}")
    vin = photos.vin(chance)
    photo = photos.harmed(photos.on_table(photos.code(kind, vin)), how, chance)

    assert _misread(extraction, [(f"{kind} {how}", vin, photos.jpeg(photo, quality=80))]) == []


@pytest.mark.long
@pytest.mark.thorough
def test_nothing_is_read_in_pictures_without_a_vin(extraction: Extraction) -> None:
    chance = photos.chance_of("nothing")
    pictures = [photos.jpeg(photos.picture_without_vin(chance, number)) for number in range(30)]

    assert [read for picture in pictures if (read := _read(extraction, picture)) is not None] == []


def test_vin_without_a_check_digit_counts_when_code_and_print_agree(extraction: Extraction) -> None:
    photo = Image.new("L", (1400, 1300), 255)
    photo.paste(photos.code("Code 39", EUROPEAN), (20, 20))
    alone = photos.png(photo)
    photo.paste(photos.label(EUROPEAN, photos.chance_of("one")), (0, 350))
    assert _read(extraction, alone) is None
    agreed = extraction.extract(io.BytesIO(photos.png(photo)), LOCAL)

    assert (agreed.vin, agreed.warnings) == (EUROPEAN, ("vin_check_digit",))


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGB", "RGBA", "CMYK", "I;16"])
def test_every_pixel_mode_is_read(extraction: Extraction, mode: str) -> None:
    gray = photos.on_table(photos.code("QR", VIN), size=400)
    if mode == "I;16":
        file = photos.png(gray.convert("I").point(lambda level: level * 256).convert("I;16"))
    else:
        file = photos.jpeg(gray.convert(mode)) if mode == "CMYK" else photos.png(gray.convert(mode))

    assert _read(extraction, file) == VIN


def test_transparent_background_is_read_as_white(extraction: Extraction) -> None:
    dark = photos.code("QR", VIN).point(lambda level: 255 - level)
    photo = Image.new("RGBA", dark.size, (0, 0, 0, 0))
    photo.putalpha(dark)

    assert _read(extraction, photos.png(photo)) == VIN


def test_webp_is_read(extraction: Extraction) -> None:
    file = io.BytesIO()
    photos.on_table(photos.code("DataMatrix", VIN), size=500).save(file, "WEBP")

    assert _read(extraction, file.getvalue()) == VIN


def test_second_frame_of_a_phone_photo_is_ignored(extraction: Extraction) -> None:
    file = io.BytesIO()
    photo = photos.on_table(photos.code("QR", VIN), size=500).convert("RGB")
    photo.save(file, "MPO", save_all=True, append_images=[Image.new("RGB", (50, 50))])

    assert _read(extraction, file.getvalue()) == VIN


def test_photo_with_an_exif_orientation_is_read(extraction: Extraction) -> None:
    exif = Image.Exif()
    exif[0x0112] = 3
    photo = photos.label(VIN, photos.chance_of("seven")).rotate(180)

    assert _read(extraction, photos.jpeg(photo, exif=exif)) == VIN


def test_damaged_exif_data_is_ignored(extraction: Extraction) -> None:
    photo = photos.on_table(photos.code("QR", VIN), size=500)

    assert _read(extraction, photos.jpeg(photo, exif=b"Exif\x00\x00MM\x00\x2a\xff\xff\xff\xff")) == VIN
