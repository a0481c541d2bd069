"""Read PDFs: their text, and the pictures on scanned pages. Nothing in a PDF is executed."""

import io
import re
import warnings
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, BinaryIO, Final

from pypdf import PageObject, PdfReader
from pypdf.generic import ArrayObject, DictionaryObject, IndirectObject, StreamObject

if TYPE_CHECKING:
    from PIL import Image

_END: Final = b"%%EOF"
_MOST_AFTER_END: Final = 1024
_MOST_PAGES: Final = 20
_MOST_SCANNED: Final = 3
"""How many pages a scan may have: each takes seconds to read."""

_MOST_OBJECTS: Final = 20_000
_MOST_PIXELS: Final = 25_000_000
_LEAST_LETTERS: Final = 20
"""A document with fewer characters is treated as a scan with a stamp or a page number."""

_SCRIPTS: Final = frozenset({"/JavaScript", "/Launch", "/ImportData", "/SubmitForm", "/Rendition"})
_TABLE: Final = re.compile(r"[ \t\xa0]+")

NO_PDF: Final = "The file must be a complete PDF, or a JPEG, PNG or WebP photo."


_TOO_MUCH: Final = (
    "The PDF takes too much memory to read. Save only the pages with prices, or paste its text."
)


class UnreadablePdf(Exception):
    """A PDF that cannot be accepted; the message is for users."""


class Pdf:
    """A validated PDF."""

    def __init__(self, file: BinaryIO) -> None:
        """Open a PDF.

        Raises:
            UnreadablePdf: it is damaged or encrypted, is too large, contains scripts, or has extra data after its end.
        """
        warnings.simplefilter("ignore")
        with _TranslateErrors():
            _require_single(file)
            self._reader = PdfReader(file, strict=False)
            _require_plain(self._reader)

    def lines(self) -> list[str]:
        """Return the lines of text, without empty lines; a scan has none.

        Raises:
            UnreadablePdf: it is damaged, or takes too much memory.
        """
        with _TranslateErrors():
            found = [line for page in self._reader.pages for line in _lines(page)]
        return found if sum(map(len, found)) >= _LEAST_LETTERS else []

    def scans(self) -> "Iterator[Image.Image]":
        """Yield the largest picture on each page in gray, skipping pages without one.

        Raises:
            UnreadablePdf: there are too many pages, or a picture is damaged or too large.
        """
        with _TranslateErrors():
            if len(self._reader.pages) > _MOST_SCANNED:
                raise UnreadablePdf(
                    f"The PDF is a scan of more than {_MOST_SCANNED} pages."
                    " Save only the pages with prices to a new PDF."
                )
            for page in self._reader.pages:
                picture = _largest_picture(page)
                if picture is not None:
                    yield picture.rotate(-int(page.rotation), expand=True)


class _TranslateErrors:
    """Translates the errors that the library raises for damaged files into ``UnreadablePdf``."""

    def __enter__(self) -> None:
        return None

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        if isinstance(error, MemoryError):
            raise UnreadablePdf(_TOO_MUCH) from None
        if isinstance(error, Exception) and not isinstance(error, UnreadablePdf):
            raise UnreadablePdf(NO_PDF) from None


def _require_single(file: BinaryIO) -> None:
    content = file.read()
    file.seek(0)
    end = content.rfind(_END)
    if end < 0:
        raise UnreadablePdf(NO_PDF)
    if len(content[end:].strip()) > _MOST_AFTER_END:
        raise UnreadablePdf("The PDF has extra data after its end. Print it to a new PDF, or paste its text.")


def _require_plain(reader: PdfReader) -> None:
    if reader.is_encrypted:
        raise UnreadablePdf(
            "The PDF is encrypted. Save it without a password or restrictions, or paste its text."
        )
    declared = reader.root_object["/Pages"].get_object().get("/Count", 0)  # type: ignore[union-attr]
    if not isinstance(declared, int) or declared > _MOST_PAGES or len(reader.pages) > _MOST_PAGES:
        raise UnreadablePdf(
            f"The PDF has more than {_MOST_PAGES} pages. Save only the pages with prices, or paste its text."
        )
    if any(_is_script(found) for found in _dictionaries(reader)):
        raise UnreadablePdf("The PDF contains scripts. Print it to a new PDF, or paste its text.")


def _is_script(found: DictionaryObject) -> bool:
    return "/JS" in found or "/JavaScript" in found or found.get("/S") in _SCRIPTS


def _dictionaries(reader: PdfReader) -> Iterator[DictionaryObject]:
    """Yield every dictionary that can be reached from the document's root.

    Raises:
        UnreadablePdf: the document has too many objects.
    """
    seen: set[tuple[int, int]] = set()
    waiting: list[Any] = [reader.root_object]
    count = 0
    while waiting:
        found = waiting.pop()
        if isinstance(found, IndirectObject):
            name = (found.idnum, found.generation)
            if name in seen:
                continue
            seen.add(name)
            found = found.get_object()
        count += 1
        if count > _MOST_OBJECTS:
            raise UnreadablePdf("The PDF has too many objects. Print it to a new PDF, or paste its text.")
        if isinstance(found, DictionaryObject):
            yield found
            waiting.extend(_containers(found.values()))
        elif isinstance(found, ArrayObject):
            waiting.extend(_containers(found))


def _containers(values: Iterable[Any]) -> Sequence[Any]:
    return [value for value in values if isinstance(value, IndirectObject | DictionaryObject | ArrayObject)]


def _lines(page: PageObject) -> list[str]:
    try:
        text = page.extract_text(extraction_mode="layout", layout_mode_space_vertically=False)
    except MemoryError:
        raise
    except Exception:  # noqa: BLE001 - the layout of odd fonts fails where the text alone does not
        text = ""
    return _nonempty(text) or _nonempty(page.extract_text())


def _nonempty(text: str) -> list[str]:
    return [line for line in (_TABLE.sub(" ", line).strip() for line in text.splitlines()) if line]


def _largest_picture(page: Any) -> "Image.Image | None":
    resources = page.get("/Resources", DictionaryObject()).get_object()
    drawn = resources.get("/XObject", DictionaryObject()).get_object()
    found = [drawn[name] for name in drawn]
    pictures = [item for item in found if isinstance(item, StreamObject) and item.get("/Subtype") == "/Image"]
    if not pictures:
        return None
    largest = max(pictures, key=_pixels)
    if _pixels(largest) > _MOST_PIXELS:
        raise UnreadablePdf(
            f"A page of the PDF has more than {_MOST_PIXELS // 1_000_000} megapixels. Scan it at a lower resolution, or paste its text."
        )
    return _decoded(largest)


def _decoded(picture: StreamObject) -> "Image.Image":
    filters = picture.get("/Filter")
    if filters in ("/DCTDecode", ["/DCTDecode"]):
        from PIL import Image  # noqa: PLC0415 - an extra, which the text of a PDF does not need

        with Image.open(io.BytesIO(picture.get_data()), formats=("JPEG",)) as image:
            if image.width * image.height > _MOST_PIXELS:
                raise UnreadablePdf(NO_PDF)
            return image.convert("L")
    decoded: Image.Image = picture.decode_as_image()
    return decoded.convert("L")


def _pixels(picture: Any) -> int:
    return int(picture["/Width"] * picture["/Height"])
