"""A document drawn on US Letter paper. Lengths are in points."""

import io
from collections.abc import Sequence
from importlib.resources import as_file, files
from typing import Any, Final

from fpdf import FPDF
from fpdf.enums import XPos, YPos
from typing_extensions import override

from repaircore.adapters.printing.glyphs import in_glyphs
from repaircore.documents.model import Document, DocumentLine
from repaircore.kernel.wording import money

_MARGIN: Final = 46.0
_FOOT: Final = 42.0
_FONT: Final = "Open Sans"
_LOGO: Final = (150.0, 52.0)
_GAP: Final = 16.0
_LEADING: Final = 1.35
_INK: Final = (28, 32, 38)
_MUTED: Final = (92, 99, 112)
_RULE: Final = (205, 210, 218)
_ACCENT: Final = (29, 78, 137)
_SHADE: Final = (240, 243, 248)
_COLUMNS: Final = (("Hours", 40.0), ("Rate", 52.0), ("Labor", 60.0), ("Parts", 60.0), ("Amount", 68.0))
_SUMS: Final = 236.0


class Letter(FPDF):
    """The pages of a document."""

    def __init__(self, document: Document) -> None:
        super().__init__(orientation="portrait", unit="pt", format="Letter")
        self._document = document
        self._load_fonts()
        self.set_creation_date(document.created_at)
        self.set_title(self._plain(f"{document.title} {document.number}"))
        self.set_author(self._plain(document.shop.name))
        self.set_lang("en-US")
        self.set_margins(_MARGIN, _MARGIN, _MARGIN)
        self.set_auto_page_break(auto=True, margin=_FOOT + 8)
        self.c_margin = 0

    def to_bytes(self) -> bytes:
        """Draw everything and return the bytes of the PDF."""
        self.add_page()
        self._draw_head()
        self._draw_parties()
        self._draw_lines()
        self._draw_sums()
        self._draw_texts()
        self._draw_approval()
        return bytes(self.output())

    @override
    def footer(self) -> None:
        """Draw the title and the page number at the bottom of the page."""
        self.set_y(-_FOOT)
        self._rule()
        self.ln(6)
        self._font(8, color=_MUTED)
        label = f"{self._document.title} {self._document.number} · {self._document.shop.name}"
        self.cell(w=self.epw - 80, h=10, text=self._fitting(label, self.epw - 90))
        self.cell(w=80, h=10, text=f"Page {self.page_no()} of {{nb}}", align="R")

    def _load_fonts(self) -> None:
        folder = files("repaircore").joinpath("data", "fonts")
        for style, name in (("", "Regular"), ("B", "Bold")):
            with as_file(folder.joinpath(f"OpenSans-{name}.ttf")) as path:
                self.add_font(_FONT, style=style, fname=path)
        regular: Any = self.fonts[_FONT.lower()]
        self._known = frozenset(regular.cmap)

    # Parts, from the top down

    def _draw_head(self) -> None:
        document, top = self._document, self.get_y()
        left = self._draw_shop(top)
        self.set_xy(_MARGIN, top)
        self._font(20, bold=True, color=_ACCENT)
        self.cell(
            w=self.epw, h=24, text=document.title.upper(), align="R", new_x=XPos.LMARGIN, new_y=YPos.NEXT
        )
        facts = [("Number", document.number), ("Date", _day(document.issued_on))]
        if document.valid_until is not None:
            facts.append(("Valid until", _day(document.valid_until)))
        for label, text in facts:
            self._font(9, color=_MUTED)
            self.cell(w=self.epw - 96, h=13, text=label, align="R")
            self._font(9)
            self.cell(
                w=96, h=13, text=self._fitting(text, 92), align="R", new_x=XPos.LMARGIN, new_y=YPos.NEXT
            )
        self.set_y(max(left, self.get_y()) + 10)
        self._rule()

    def _draw_shop(self, top: float) -> float:
        """Draw the logo and the shop on the left; return the vertical position below them."""
        shop, width = self._document.shop, self.epw * 0.6
        self.set_xy(_MARGIN, top)
        if self._document.logo is not None:
            logo = self._document.logo
            scale = min(_LOGO[0] / logo.width, _LOGO[1] / logo.height, 1.0)
            self.image(io.BytesIO(logo.png), w=logo.width * scale, h=logo.height * scale, alt_text=shop.name)
            self.set_xy(_MARGIN, top + logo.height * scale + 6)
        self._font(14, bold=True)
        self._text(shop.name, width)
        self._font(9, color=_MUTED)
        for line in (*shop.address, *shop.contact):
            self._text(line, width)
        return self.get_y()

    def _draw_parties(self) -> None:
        top, width = self.get_y() + 12, (self.epw - 2 * _GAP) / 2
        bottoms = [top]
        columns = (("Customer", self._document.customer), ("Vehicle", self._document.vehicle))
        for place, (label, texts) in enumerate(pair for pair in columns if pair[1]):
            left = _MARGIN + place * (width + 2 * _GAP)
            self.set_xy(left, top)
            self._font(8, bold=True, color=_MUTED)
            self._text(label.upper(), width)
            for number, text in enumerate(texts):
                self.set_x(left)
                self._font(10 if number == 0 else 9, bold=number == 0)
                self._text(text, width)
            bottoms.append(self.get_y())
        self.set_xy(_MARGIN, max(bottoms) + 14)

    def _draw_lines(self) -> None:
        self._draw_column_names()
        for line in self._document.lines:
            self._draw_line(line)
        self.ln(8)

    def _draw_column_names(self) -> None:
        self.set_fill_color(*_SHADE)
        self._font(8, bold=True, color=_MUTED)
        height = 18.0
        self.rect(_MARGIN, self.get_y(), self.epw, height, style="F")
        self.set_x(_MARGIN + 6)
        self.cell(w=self._title_width, h=height, text="Description")
        for name, width in _COLUMNS:
            self.cell(w=width, h=height, text=name, align="R")
        self.ln(height)

    def _draw_line(self, line: DocumentLine) -> None:
        notes = [*line.notes, *([line.decision] if line.decision else [])]
        height = 12 + self._height(line.title, 9.5) + sum(self._height(note, 8) for note in notes)
        if self.will_page_break(height):
            self.add_page()
            self._draw_column_names()
        top = self.get_y() + 6
        self.set_xy(_MARGIN + 6, top)
        self._font(9.5, bold=True)
        self._text(line.title, self._title_width - 8)
        for note in notes:
            self._font(8, color=_MUTED)
            self.set_x(_MARGIN + 6)
            self._text(note, self._title_width - 8)
        bottom = self.get_y() + 6
        self.set_xy(_MARGIN + 6 + self._title_width, top)
        texts = (
            line.hours,
            _optional(line.rate),
            _optional(line.labor),
            _optional(line.parts),
            _signed(line.amount),
        )
        for text, (name, width) in zip(texts, _COLUMNS, strict=True):
            self._font(9, bold=name == "Amount")
            self.cell(w=width, h=13, text=text, align="R")
        self.set_xy(_MARGIN, bottom)
        self._rule()

    @property
    def _title_width(self) -> float:
        return self.epw - 12 - sum(width for _, width in _COLUMNS)

    def _draw_sums(self) -> None:
        rows = [*self._document.sums]
        height = 16.0 * len(rows) + 40
        if self.will_page_break(height):
            self.add_page()
        top, left = self.get_y(), self.w - _MARGIN - _SUMS
        for row in rows:
            self.set_x(left)
            self._font(9, color=_MUTED)
            self.cell(w=_SUMS - 90, h=16, text=self._fitting(row.label, _SUMS - 92))
            self._font(9)
            self.cell(w=84, h=16, text=_signed(row.amount), align="R")
            self.ln(16)
        self.set_fill_color(*_ACCENT)
        self.rect(left - 8, self.get_y() + 2, _SUMS + 8, 26, style="F")
        self.set_xy(left, self.get_y() + 2)
        self._font(11, bold=True, color=(255, 255, 255))
        self.cell(w=_SUMS - 110, h=26, text="Total")
        self.cell(w=104, h=26, text=_signed(self._document.total), align="R")
        bottom = self.get_y() + 32
        self._draw_range(top, left - _MARGIN - 2 * _GAP)
        self.set_xy(_MARGIN, max(bottom, self.get_y()) + 6)

    def _draw_range(self, top: float, width: float) -> None:
        """Draw the savings and the expected range, to the left of the totals."""
        document = self._document
        self.set_xy(_MARGIN, top)
        for saving in document.savings:
            self._font(9, color=_INK)
            self._text(f"{saving.label}: you save {money(saving.amount)}.", width)
        if document.low is None or document.high is None:
            return
        self.ln(4)
        self._font(8, bold=True, color=_MUTED)
        self._text("EXPECTED RANGE", width)
        self._font(12, bold=True)
        self._text(f"{money(document.low)} – {money(document.high)}", width)
        self._font(8, color=_MUTED)
        self._text("Eight out of ten visits like this one cost between these amounts.", width)

    def _draw_texts(self) -> None:
        for label, text in (("Notes", self._document.notes), ("Terms", self._document.terms)):
            if text:
                self.ln(8)
                if self.will_page_break(40):
                    self.add_page()
                self._font(8, bold=True, color=_MUTED)
                self._text(label.upper(), self.epw)
                self._font(9)
                self._text(text, self.epw)

    def _draw_approval(self) -> None:
        document = self._document
        if document.valid_until is None:
            return
        if self.will_page_break(86 if document.link else 58):
            self.add_page()
        self.ln(12)
        if document.link is not None:
            self._font(9, bold=True)
            self._text("Approve, decline or ask about each line online:", self.epw)
            self._font(9, color=_ACCENT)
            self.multi_cell(
                w=self.epw, h=13, text=document.link, link=document.link, new_x=XPos.LMARGIN, new_y=YPos.NEXT
            )
        self.ln(26)
        self._font(8, color=_MUTED)
        self.set_draw_color(*_MUTED)
        for left, width, label in ((0.0, 0.6, "Customer signature"), (0.66, 0.34, "Date")):
            start, top = _MARGIN + left * self.epw, self.get_y()
            self.line(start, top, start + width * self.epw, top)
            self.set_xy(start, top + 3)
            self.cell(w=width * self.epw, h=10, text=label)
            self.set_y(top)

    # Drawing helpers

    def _font(self, size: float, *, bold: bool = False, color: Sequence[int] = _INK) -> None:
        self.set_font(_FONT, style="B" if bold else "", size=size)
        self.set_text_color(*color)

    def _rule(self) -> None:
        self.set_draw_color(*_RULE)
        self.set_line_width(0.7)
        self.line(_MARGIN, self.get_y(), self.w - _MARGIN, self.get_y())

    def _text(self, text: str, width: float) -> None:
        """Write wrapped text in the current font and move below it."""
        self.multi_cell(
            w=width,
            h=self.font_size * _LEADING,
            text=self._plain(text),
            align="L",
            new_x=XPos.LEFT,
            new_y=YPos.NEXT,
        )

    def _height(self, text: str, size: float) -> float:
        self._font(size, bold=True)
        measured: Any = self.multi_cell(
            w=self._title_width - 8, h=size * _LEADING, text=self._plain(text), dry_run=True, output="HEIGHT"
        )
        return float(measured)

    def _fitting(self, text: str, width: float) -> str:
        """Return ``text``, cut to a width in the current font."""
        plain = self._plain(text).replace("\n", " ")
        if self.get_string_width(plain) <= width:
            return plain
        while plain and self.get_string_width(plain + "…") > width:
            plain = plain[:-1]
        return plain + "…"

    def _plain(self, text: str) -> str:
        return in_glyphs(text, self._known)


def _day(on: Any) -> str:
    return f"{on:%B} {on.day}, {on.year}"


def _optional(amount: int | None) -> str:
    return "" if amount is None else money(amount)


def _signed(amount: int) -> str:
    return money(amount) if amount >= 0 else f"−{money(-amount)}"
