"""Logos: only pixels are stored, and bad files give a readable error."""

import io
import struct
import zlib
from pathlib import Path

import pytest
from PIL import Image

from repaircore.adapters.imaging.concurrency import ImageLimit
from repaircore.adapters.imaging.logo import ChildLogoReader
from repaircore.kernel.errors import Invalid


@pytest.fixture
def reader(tmp_path: Path) -> ChildLogoReader:
    return ChildLogoReader(ImageLimit(tmp_path))


def encoded(image: Image.Image, kind: str, **options: object) -> bytes:
    file = io.BytesIO()
    image.save(file, kind, **options)
    return file.getvalue()


def _chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def _bomb() -> bytes:
    """Return a small PNG of 3,900 by 3,900 pixels in 16-bit color."""
    row = b"\0" * (1 + 3_900 * 8)
    pixels = zlib.compress(row * 3_900, 9)
    head = struct.pack(">IIBBBBB", 60_000, 60_000, 16, 6, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", head) + _chunk(b"IDAT", pixels) + _chunk(b"IEND", b"")


@pytest.mark.parametrize("kind", ["PNG", "JPEG"])
def test_logo_is_reencoded(reader: ChildLogoReader, kind: str) -> None:
    sent = encoded(Image.new("RGB", (40, 20), "navy"), kind) + b"<script>alert(1)</script>"

    logo = reader.read(io.BytesIO(sent))

    assert (logo.width, logo.height) == (40, 20)
    assert b"script" not in logo.png
    with Image.open(io.BytesIO(logo.png)) as stored:
        assert (stored.format, stored.size) == ("PNG", (40, 20))


def test_logo_keeps_transparency_and_loses_metadata(reader: ChildLogoReader) -> None:
    exif = Image.Exif()
    exif[0x010E] = "taken at home"
    sent = encoded(Image.new("RGBA", (8, 8), (0, 0, 0, 0)), "PNG", exif=exif)
    assert b"taken at home" in sent

    logo = reader.read(io.BytesIO(sent))

    with Image.open(io.BytesIO(logo.png)) as stored:
        assert stored.mode == "RGBA"
    assert b"taken at home" not in logo.png


def test_large_logo_is_scaled_down(reader: ChildLogoReader) -> None:
    logo = reader.read(io.BytesIO(encoded(Image.new("RGB", (3_000, 3_000), "red"), "PNG")))

    assert (logo.width, logo.height) == (600, 600)


@pytest.mark.parametrize(
    "sent",
    [
        b"",
        b"GIF89a",
        b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>",
        encoded(Image.new("RGB", (40, 20)), "PNG")[:60],
        encoded(Image.new("RGB", (40, 20)), "GIF"),
        encoded(Image.new("RGB", (40, 20)), "PDF"),
        encoded(Image.new("1", (5_000, 10)), "PNG"),
        encoded(
            Image.new("RGB", (9, 9)), "PNG", save_all=True, append_images=[Image.new("RGB", (9, 9), "red")]
        ),
        _bomb(),
    ],
    ids=["empty", "gif start", "svg", "half", "gif", "pdf", "too long", "animated", "bomb"],
)
def test_bad_file_gives_a_readable_error(reader: ChildLogoReader, sent: bytes) -> None:
    with pytest.raises(Invalid) as refused:
        reader.read(io.BytesIO(sent))

    assert refused.value.fields["logo"][0].startswith("The logo must be a complete PNG or JPEG")
