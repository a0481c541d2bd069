"""Quotes on paper for tests: photos of printed ones, PDFs, and files that pretend to be PDFs."""

import io
import zlib
from collections.abc import Sequence

from PIL import Image, ImageDraw, ImageFilter, ImageFont

Row = tuple[str, str, str, str, str]

HEADER: Row = ("Description", "Parts", "Hours", "Rate", "Total")
QUOTE: tuple[Row, ...] = (
    ("Front brake pads & rotors", "$289.00", "2.0", "$145.00", "$579.00"),
    ("Alternator replacement", "$412.50", "1.8", "$145.00", "$673.50"),
    ("Oil change full synthetic", "$62.00", "0.5", "$145.00", "$134.50"),
    ("Shop supplies", "", "", "", "$28.75"),
    ("Sales tax 8.25%", "", "", "", "$63.02"),
)
TOTAL: Row = ("TOTAL", "", "", "", "$1,478.77")
VIN = "1HGCM82633A004352"
LINES = tuple(" ".join(filter(None, row)) for row in (HEADER, *QUOTE, TOTAL))
"""The rows of the quote, as a reader should return them."""

_COLUMNS = (0.07, 0.47, 0.59, 0.68, 0.82)


def printed_quote(rows: Sequence[Row] = (HEADER, *QUOTE, TOTAL), *, width: int = 1400) -> Image.Image:
    """Print a quote on a letter page."""
    page = Image.new("L", (width, round(width * 11 / 8.5)), 250)
    draw = ImageDraw.Draw(page)
    size = width // 56
    y = width // 14
    for text, times in (("Ada's Auto Repair", 2), (f"2003 Honda Accord   VIN {VIN}", 1)):
        draw.text((_COLUMNS[0] * width, y), text, 10, ImageFont.load_default(size * times))
        y += size * times * 2
    for row in rows:
        for left, text in zip(_COLUMNS, row, strict=True):
            draw.text((left * width, y), text, 10, ImageFont.load_default(size))
        y += round(size * 1.9)
    return page


def photographed(page: Image.Image, *, degrees: float = 0.0, noise: float = 0.15) -> Image.Image:
    """Photograph a page on a gray table, a little out of focus and grainy."""
    photo = page.rotate(degrees, Image.Resampling.BICUBIC, expand=True, fillcolor=150)
    return Image.blend(photo, Image.effect_noise(photo.size, 60), noise).filter(ImageFilter.GaussianBlur(0.7))


def pdf(
    pages: Sequence[bytes],
    *,
    catalog: str = "",
    page: str = "",
    objects: Sequence[bytes] = (),
    trailer: str = "",
) -> bytes:
    """Write a PDF with these page contents; ``objects`` have the numbers from 4 + twice the pages on."""
    count = len(pages)
    kids = " ".join(f"{4 + 2 * number} 0 R" for number in range(count))
    bodies = [
        f"<< /Type /Catalog /Pages 2 0 R {catalog} >>".encode(),
        f"<< /Type /Pages /Kids [{kids}] /Count {count} >>".encode(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for number, content in enumerate(pages):
        bodies += [
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {5 + 2 * number} 0 R"
            f" {page or '/Resources << /Font << /F1 3 0 R >> >>'} >>".encode(),
            stream(content),
        ]
    return _written([*bodies, *objects], trailer)


def stream(content: bytes, dictionary: str = "") -> bytes:
    """Write a stream object."""
    return f"<< /Length {len(content)} {dictionary} >>\nstream\n".encode() + content + b"\nendstream"


def quote_page(rows: Sequence[Row] = (HEADER, *QUOTE, TOTAL)) -> bytes:
    """Write the content of a page with a quote, a text for each cell."""
    shown = []
    for number, row in enumerate(rows):
        for left, text in zip(_COLUMNS, row, strict=True):
            escaped = text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
            if text:
                shown.append(
                    f"BT /F1 10 Tf 1 0 0 1 {left * 612:.1f} {720 - 18 * number} Tm ({escaped}) Tj ET"
                )
    return "\n".join(shown).encode()


def quote_pdf() -> bytes:
    """Write a quote as a shop's program prints it."""
    return pdf([quote_page()])


def scanned_pdf(image: Image.Image, *, pages: int = 1, compressed: bool = False) -> bytes:
    """Write a scan: each page is a picture, as JPEG or compressed pixels."""
    if compressed:
        content, kind = zlib.compress(image.tobytes()), "/FlateDecode"
    else:
        file = io.BytesIO()
        image.save(file, "JPEG")
        content, kind = file.getvalue(), "/DCTDecode"
    picture = stream(
        content,
        f"/Type /XObject /Subtype /Image /Width {image.width} /Height {image.height}"
        f" /ColorSpace /DeviceGray /BitsPerComponent 8 /Filter {kind}",
    )
    number = 4 + 2 * pages
    return pdf(
        [b"q 612 0 0 792 0 0 cm /Im0 Do Q"] * pages,
        page=f"/Resources << /XObject << /Im0 {number} 0 R >> >>",
        objects=[picture],
    )


def encrypted_pdf() -> bytes:
    """Write a PDF that claims to be encrypted."""
    encryption = (
        f"<< /Filter /Standard /V 2 /R 3 /Length 128 /P -4 /O <{'00' * 32}> /U <{'00' * 32}> >>".encode()
    )
    return pdf([quote_page()], objects=[encryption], trailer="/Encrypt 6 0 R /ID [<00> <00>]")


def inflating_pdf(megabytes: int = 300) -> bytes:
    """Write a PDF with a page of a few kilobytes that inflates to a great many."""
    packer = zlib.compressobj(9)
    content = b"".join(packer.compress(b" " * 2**20) for _ in range(megabytes)) + packer.flush()
    bodies = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [4 0 R] /Count 1 >>",
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        b"<< /Type /Page /Parent 2 0 R /Contents 5 0 R /Resources << /Font << /F1 3 0 R >> >> >>",
        stream(content, "/Filter /FlateDecode"),
    ]
    return _written(bodies, "")


def _written(bodies: Sequence[bytes], trailer: str) -> bytes:
    file = io.BytesIO()
    file.write(b"%PDF-1.7\n")
    starts = []
    for number, body in enumerate(bodies, 1):
        starts.append(file.tell())
        file.write(f"{number} 0 obj\n".encode() + body + b"\nendobj\n")
    start = file.tell()
    file.write(f"xref\n0 {len(bodies) + 1}\n0000000000 65535 f \n".encode())
    file.writelines(f"{at:010} 00000 n \n".encode() for at in starts)
    file.write(f"trailer\n<< /Size {len(bodies) + 1} /Root 1 0 R {trailer} >>\n".encode())
    file.write(f"startxref\n{start}\n%%EOF\n".encode())
    return file.getvalue()
