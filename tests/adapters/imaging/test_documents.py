"""Reading the text of quotes: photos, PDFs and scans, and refused files."""

import io
import resource
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image
from tests import papers, photos

from repaircore.adapters.imaging.child import Child
from repaircore.adapters.imaging.concurrency import ImageLimit
from repaircore.adapters.imaging.documents import ChildDocumentReader
from repaircore.kernel.errors import Invalid, TooMany, Unresolvable
from repaircore.text_extraction.model import DocumentFormat

_LONG_TIMEOUT = 120.0


@pytest.fixture
def reader(tmp_path: Path) -> ChildDocumentReader:
    return ChildDocumentReader(ImageLimit(tmp_path), open_seconds=_LONG_TIMEOUT, seconds=_LONG_TIMEOUT)


def _lines(reader: ChildDocumentReader, content: bytes) -> list[str]:
    return list(reader.read_lines(io.BytesIO(content)))


def _refusal(reader: ChildDocumentReader, content: bytes) -> str:
    with pytest.raises(Invalid) as error:
        _lines(reader, content)
    assert set(error.value.fields) == {"file"}
    return " ".join(error.value.fields["file"])


def test_pdf_gives_a_line_for_each_row_of_its_table(reader: ChildDocumentReader) -> None:
    assert _lines(reader, papers.quote_pdf()) == list(papers.LINES)


def test_pdf_with_several_pages_gives_all_of_them(reader: ChildDocumentReader) -> None:
    pages = [papers.quote_page([row]) for row in papers.QUOTE]

    assert _lines(reader, papers.pdf(pages)) == list(papers.LINES[1:-1])


@pytest.mark.long
@pytest.mark.parametrize("degrees", [0.0, 2.5, -3.0])
def test_photo_gives_a_line_for_each_row_however_it_is_held(
    reader: ChildDocumentReader, degrees: float
) -> None:
    photo = papers.photographed(papers.printed_quote(), degrees=degrees)

    assert _readable(_lines(reader, photos.jpeg(photo)))[2:] == _readable(papers.LINES)


@pytest.mark.long
@pytest.mark.parametrize("degrees", [90, 180, 270])
def test_photo_that_lies_or_stands_on_its_head_is_read_upright(
    reader: ChildDocumentReader, degrees: int
) -> None:
    photo = papers.photographed(papers.printed_quote(), degrees=degrees)

    assert _readable(_lines(reader, photos.png(photo)))[2:] == _readable(papers.LINES)


@pytest.mark.long
def test_photo_from_aslant_is_read_by_rows(reader: ChildDocumentReader) -> None:
    photo = photos.harmed(papers.printed_quote(), "aslant", photos.chance_of("a quote"))

    assert _readable(_lines(reader, photos.jpeg(photo)))[2:] == _readable(papers.LINES)


@pytest.mark.parametrize("compressed", [False, True])
def test_scan_is_read_from_its_images(reader: ChildDocumentReader, *, compressed: bool) -> None:
    scan = papers.scanned_pdf(papers.printed_quote(), compressed=compressed)

    assert _readable(_lines(reader, scan))[2:] == _readable(papers.LINES)


def _readable(lines: object) -> list[str]:
    """Return lines without the spaces between words, which recognition may lose."""
    assert isinstance(lines, list | tuple)
    return [line.replace(" ", "") for line in lines]


def _javascript() -> bytes:
    return papers.pdf(
        [papers.quote_page()], catalog="/OpenAction << /S /JavaScript /JS (app.alert\\(1\\)) >>"
    )


def _named_javascript() -> bytes:
    return papers.pdf(
        [papers.quote_page()],
        catalog="/Names << /JavaScript << /Names [(a) 6 0 R] >> >>",
        objects=[b"<< /S /JavaScript /JS (app.alert\\(1\\)) >>"],
    )


def _launching_annotation() -> bytes:
    return papers.pdf(
        [papers.quote_page()],
        page="/Resources << /Font << /F1 3 0 R >> >> /Annots [6 0 R]",
        objects=[b"<< /Type /Annot /Subtype /Link /Rect [0 0 9 9] /A << /S /Launch /F (calc) >> >>"],
    )


def _zip_behind() -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("evil.html", "<script>alert(1)</script>" * 200)
    return papers.quote_pdf() + file.getvalue()


def _pdf_in_a_photo() -> bytes:
    plain = photos.jpeg(papers.printed_quote(width=400))
    comment = papers.quote_pdf()[:900]
    return plain[:2] + b"\xff\xfe" + (len(comment) + 2).to_bytes(2, "big") + comment + plain[2:]


def _looping_pages() -> bytes:
    return papers.quote_pdf().replace(b"/Kids [4 0 R]", b"/Kids [2 0 R]")


def _with_object(content: bytes) -> bytes:
    return papers.pdf([papers.quote_page()], catalog="/Extra 6 0 R", objects=[content])


def _huge_picture() -> bytes:
    return papers.scanned_pdf(papers.printed_quote(width=100)).replace(b"/Width 100 ", b"/Width 99999999 ")


REFUSED: dict[str, tuple[Callable[[], bytes], str]] = {
    "encrypted": (papers.encrypted_pdf, "encrypted"),
    "500 pages": (lambda: papers.pdf([papers.quote_page()] * 500), "20 pages"),
    "script": (_javascript, "scripts"),
    "named script": (_named_javascript, "scripts"),
    "launching": (_launching_annotation, "scripts"),
    "archive behind it": (_zip_behind, "after its end"),
    "photo that is a PDF": (_pdf_in_a_photo, "another format"),
    "looping pages": (_looping_pages, "PDF"),
    "huge picture": (_huge_picture, "megapixels"),
    "no pages": (lambda: papers.quote_pdf().replace(b"/Pages 2 0 R", b"/Sages 2 0 R"), "PDF"),
    "half a PDF": (lambda: papers.quote_pdf()[:300], "complete PDF"),
    "head alone": (lambda: b"%PDF-1.7", "complete PDF"),
    "scan of many pages": (lambda: papers.scanned_pdf(papers.printed_quote(width=200), pages=4), "3 pages"),
    "nothing": (lambda: b"", "complete PDF"),
    "text": (lambda: b"Front brake pads $279.00\n", "complete PDF"),
    "image that is too large": (lambda: photos.png(Image.new("L", (12_000, 9_000))), "50 megapixels"),
    "nested too deep": (lambda: _with_object(b"[" * 100_000 + b"]" * 100_000), "complete PDF"),
    "too many parts": (lambda: _with_object(b"[ " + b"<< /B 1 >> " * 30_000 + b"]"), "PDF"),
    "page without anything": (lambda: papers.pdf([b""]), "No text"),
    "photo of nothing": (lambda: photos.png(papers.printed_quote([]).crop((0, 900, 900, 1400))), "No text"),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_unreadable_file_gives_a_readable_error(reader: ChildDocumentReader, kind: str) -> None:
    make, word = REFUSED[kind]

    assert word in _refusal(reader, make())


def test_pdf_bomb_is_refused_with_bounded_memory(reader: ChildDocumentReader) -> None:
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss

    refused = _refusal(reader, papers.inflating_pdf())

    after = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    assert "PDF" in refused or "time or memory" in refused
    assert after <= max(before, 800 * 1024)


def test_file_that_takes_too_long_is_refused_and_the_next_is_read(tmp_path: Path) -> None:
    hasty = ChildDocumentReader(ImageLimit(tmp_path), open_seconds=0.0001)

    assert "time or memory" in _refusal(hasty, papers.quote_pdf())


def test_dying_child_refuses_only_its_file(tmp_path: Path) -> None:
    gone = ChildDocumentReader(
        ImageLimit(tmp_path),
        open_seconds=_LONG_TIMEOUT,
        start=lambda: Child("repaircore.adapters.imaging.rows"),
    )

    assert "time or memory" in _refusal(gone, papers.quote_pdf())


def test_reader_without_a_library_names_the_extra_to_install(tmp_path: Path) -> None:
    bare = ChildDocumentReader(ImageLimit(tmp_path), is_installed=lambda name: name != "pypdf")

    assert list(bare.formats) == [DocumentFormat.PHOTO]
    with pytest.raises(Unresolvable, match=r"repaircore\[documents\]"):
        _lines(bare, papers.quote_pdf())


def test_reader_without_any_library_reads_no_format(tmp_path: Path) -> None:
    bare = ChildDocumentReader(ImageLimit(tmp_path), is_installed=lambda _: False)

    assert list(bare.formats) == []
    with pytest.raises(Unresolvable, match=r"repaircore\[images\]"):
        _lines(bare, b"\x89PNG")


def test_files_beyond_the_concurrency_limit_are_refused(tmp_path: Path) -> None:
    limit = ImageLimit(tmp_path)
    reader = ChildDocumentReader(limit)
    limit._places.acquire()
    limit._places.acquire()

    with pytest.raises(TooMany):
        _lines(reader, papers.quote_pdf())
