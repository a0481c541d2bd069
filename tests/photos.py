"""Photos for tests: VINs in print and in bar codes, in good and in bad light, and pictures without any."""

import io
import random
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import barcode
import segno
import zxingcpp
from barcode.writer import ImageWriter
from PIL import Image, ImageDraw, ImageFilter, ImageFont

from repaircore.vehicles.vin import check_digit_holds

_WORLD = (
    "1HG",
    "1FT",
    "2T1",
    "3VW",
    "4T1",
    "5YJ",
    "JHM",
    "KMH",
    "WBA",
    "WDD",
    "SAL",
    "YV1",
    "1G1",
    "1C4",
    "KNA",
)
_ALLOWED = "ABCDEFGHJKLMNPRSTUVWXYZ0123456789"
_DEJAVU = Path("/usr/share/fonts/truetype/dejavu")
_CARRIED = Path(barcode.__file__).with_name("fonts") / "DejaVuSansMono.ttf"

FONTS: tuple[Path | None, ...] = (
    None,  # the one that Pillow carries
    _CARRIED,
    *(
        path
        for name in ("DejaVuSans-Bold", "DejaVuSerif", "DejaVuSansCondensed", "DejaVuSerif-Bold")
        if (path := _DEJAVU / f"{name}.ttf").exists()
    ),
)

Maker = Callable[[str], Image.Image]


def chance_of(what: str) -> random.Random:
    """Give chance that falls the same way each time."""
    return random.Random(what)  # noqa: S311 - pictures, no secrets


def vin(chance: random.Random) -> str:
    """Make a VIN whose check digit holds."""
    while True:
        made = (
            chance.choice(_WORLD)
            + "".join(chance.choices(_ALLOWED, k=5))
            + chance.choice("0123456789X")
            + chance.choice("ABCDEFGHJKLMNPRSTVWXY123456789")
            + "".join(chance.choices(_ALLOWED, k=2))
            + "".join(chance.choices("0123456789", k=5))
        )
        if check_digit_holds(made):
            return made


@cache
def _font(path: Path | None, size: int) -> ImageFont.ImageFont | ImageFont.FreeTypeFont:
    return ImageFont.load_default(size) if path is None else ImageFont.truetype(str(path), size)


def label(text: str, chance: random.Random, *, font: Path | None = None) -> Image.Image:
    """Print a line on a label among others, somewhere."""
    image = Image.new("L", (1200, 900), chance.randint(120, 235))
    draw = ImageDraw.Draw(image)
    size = chance.randint(28, 56)
    width = draw.textlength(text, font=_font(font, size))
    x, y = chance.randint(20, max(21, int(1180 - width))), chance.randint(120, 700)
    draw.text(
        (x, y - size - 8), chance.choice(("VIN", "V.I.N.", "TYPE: PASSENGER CAR")), 25, _font(font, size // 2)
    )
    draw.text((x, y), text, chance.randint(0, 40), _font(font, size))
    draw.text((x, y + size + 20), "MFD 03/19 GVWR 4299 LB GAWR FRT 2250 LB", 25, _font(font, size // 2))
    return image


def harmed(image: Image.Image, how: str, chance: random.Random) -> Image.Image:
    """Take the photo badly."""
    return HARMS[how](image, chance)


def _blurred(image: Image.Image, chance: random.Random) -> Image.Image:
    return image.filter(ImageFilter.GaussianBlur(chance.uniform(0.8, 1.8)))


def _noisy(image: Image.Image, chance: random.Random) -> Image.Image:
    return Image.blend(image, Image.effect_noise(image.size, 90), chance.uniform(0.15, 0.35))


def _tilted(image: Image.Image, chance: random.Random) -> Image.Image:
    return image.rotate(chance.uniform(-12, 12), Image.Resampling.BICUBIC, expand=True, fillcolor=120)


def _faint(image: Image.Image, chance: random.Random) -> Image.Image:
    bottom, depth = chance.randint(60, 160), chance.uniform(0.1, 0.2)
    return image.point([int(bottom + depth * level) for level in range(256)])


def _aslant(image: Image.Image, chance: random.Random) -> Image.Image:
    width, height = image.size

    def near(x: float, y: float) -> tuple[float, float]:
        return x + chance.uniform(-0.05, 0.05) * width, y + chance.uniform(-0.05, 0.05) * height

    corners = (*near(0, 0), *near(0, height), *near(width, height), *near(width, 0))
    return image.transform(image.size, Image.Transform.QUAD, corners, Image.Resampling.BICUBIC, fillcolor=120)


HARMS: dict[str, Callable[[Image.Image, random.Random], Image.Image]] = {
    "plain": lambda image, _: image,
    "blurred": _blurred,
    "noisy": _noisy,
    "tilted": _tilted,
    "faint": _faint,
    "aslant": _aslant,
    "upside down": lambda image, _: image.rotate(180),
    "lying": lambda image, _: image.rotate(90, expand=True),
}


def _lines(kind: str) -> Maker:
    def make(text: str) -> Image.Image:
        options = {"add_checksum": False} if kind == "code39" else {}
        made = barcode.get_barcode_class(kind)(text, writer=ImageWriter(), **options)
        image: Image.Image = made.render({"write_text": False, "module_width": 0.25, "module_height": 12})
        return image.convert("L")

    return make


def _qr(text: str) -> Image.Image:
    file = io.BytesIO()
    segno.make(text, micro=False).save(file, kind="png", scale=6, border=4)
    return Image.open(file).convert("L")


def _data_matrix(text: str) -> Image.Image:
    made: Any = zxingcpp.create_barcode(text, zxingcpp.BarcodeFormat.DataMatrix).to_image(scale=8)
    height, width = made.shape
    return Image.frombytes("L", (width, height), bytes(made))


def pdf417(text: str) -> Image.Image:
    """Make the bar code of a registration card."""
    made: Any = zxingcpp.create_barcode(text, zxingcpp.BarcodeFormat.PDF417).to_image(scale=4)
    height, width = made.shape
    return Image.frombytes("L", (width, height), bytes(made))


CODES: dict[str, Maker] = {
    "Code 39": _lines("code39"),
    "Code 128": _lines("code128"),
    "QR": _qr,
    "DataMatrix": _data_matrix,
}


def code(kind: str, text: str) -> Image.Image:
    """Make a bar code, without its text in print."""
    return CODES[kind](text)


def on_table(image: Image.Image, degrees: float = 0, *, size: int = 1600) -> Image.Image:
    """Photograph something from above, turned."""
    table = Image.new("L", (size, size), 205)
    table.paste(image, ((size - image.width) // 2, (size - image.height) // 2))
    return table.rotate(degrees, Image.Resampling.BICUBIC, fillcolor=205)


def jpeg(image: Image.Image, **options: object) -> bytes:
    """Write a JPEG file."""
    return _written(image, "JPEG", **options)


def png(image: Image.Image) -> bytes:
    """Write a PNG file."""
    return _written(image, "PNG")


def _written(image: Image.Image, kind: str, **options: object) -> bytes:
    file = io.BytesIO()
    image.save(file, kind, **options)
    return file.getvalue()


def _serial(chance: random.Random) -> str:
    """Make a serial number as long as a VIN whose check digit fails."""
    while True:
        made = "".join(chance.choices(_ALLOWED + "IOQ", k=17))
        if not any(check_digit_holds(variant) for variant in _spelled(made)):
            return made


def _spelled(text: str) -> list[str]:
    plain = text.replace("I", "1").replace("O", "0")
    return [plain.replace("Q", "0"), plain.replace("Q", "9")]


def picture_without_vin(chance: random.Random, number: int) -> Image.Image:
    """Make the picture of this number of a series: texts, codes and patterns that hold no VIN."""
    font = FONTS[number % len(FONTS)]
    match number % 6:
        case 0:
            return label("NOTARY PUBLIC STATE OF OHIO 2024", chance, font=font)
        case 1:
            return label(_serial(chance), chance, font=font)
        case 2:
            return label("".join(chance.choices("0123456789", k=17)), chance, font=font)
        case 3:
            return on_table(
                code("Code 128", "9400 1118 9922 3397 4561 23"), chance.uniform(0, 360), size=1000
            )
        case 4:
            return Image.effect_noise((600, 450), 80)
        case _:
            both = Image.new("L", (1100, 420), 255)
            number_of_part = _serial(chance).replace("Q", "9")
            both.paste(code("Code 39", number_of_part), (20, 20))
            ImageDraw.Draw(both).text((60, 330), number_of_part, 0, _font(font, 50))
            return both
