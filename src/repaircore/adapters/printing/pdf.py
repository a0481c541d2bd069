"""Documents as PDF files, drawn by fpdf2."""

from importlib.util import find_spec
from typing import Final

from typing_extensions import override

from repaircore.documents.model import Document
from repaircore.documents.ports import DocumentRenderer
from repaircore.kernel.errors import Unresolvable

_UNAVAILABLE: Final = "This installation cannot make PDF files. Print the page from your browser, which can also save it as a PDF."


class PdfRenderer(DocumentRenderer):
    """A renderer that uses fpdf2, from the extra ``documents``; it is imported when the first document is drawn."""

    @property
    @override
    def is_on(self) -> bool:
        return find_spec("fpdf") is not None

    @override
    def render(self, document: Document) -> bytes:
        if not self.is_on:
            raise Unresolvable(_UNAVAILABLE)
        from repaircore.adapters.printing.letter import Letter  # noqa: PLC0415 - an extra

        return Letter(document).to_bytes()
