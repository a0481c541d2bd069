"""The draft form: heading, lines and sums in one form, which works without scripts.

Fields and errors are named as in the draft's JSON (``lines.0.total``).
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from attrs import frozen

from repaircore.book.model import Problem
from repaircore.invoice_drafts.model import MOST_LINES, DraftInvoice, DraftLine, InvoiceDraft
from repaircore.kernel.errors import Invalid
from repaircore_http.console.error_words import relabel
from repaircore_http.console.forms import form, form_if_any
from repaircore_http.console.visit_texts import dollars_text, number_in, shown_text

HEADING: Final[Mapping[str, str]] = {
    "shop_name": "Shop",
    "zip_code": "ZIP code of the shop",
    "facility_id": "Region",
    "invoice_number": "Invoice number",
    "performed_on": "Date",
    "vin": "VIN",
    "year": "Year",
    "make": "Make",
    "model": "Model",
    "trim": "Trim",
    "odometer": "Odometer",
}
SUMS: Final[Mapping[str, str]] = {"subtotal": "Subtotal", "total": "Total"}
LINE: Final[Mapping[str, str]] = {
    "kind": "Kind",
    "description": "What the invoice says",
    "problem_identifier": "Repair",
    "labor_hours": "Hours",
    "labor_rate": "Rate, $",
    "parts_total": "Parts, $",
    "total": "Total, $",
}
KINDS: Final = (
    ("repair", "Repair"),
    ("part", "Part"),
    ("diagnosis", "Diagnosis"),
    ("supplies", "Shop supplies"),
    ("fee", "Fee"),
    ("tax", "Tax"),
    ("discount", "Discount"),
)
"""The kinds of lines, with their labels."""

FORM_BYTES: Final = 256 * 1024
FORM_FIELDS: Final = MOST_LINES * (len(LINE) + 1) + 40

_LABELS: Final[Mapping[str, str]] = {
    **HEADING,
    **SUMS,
    **{f"lines.*.{name}": f"Line {{}}: {label.removesuffix(', $').lower()}" for name, label in LINE.items()},
}
_FIELD: Final = re.compile(r"lines\.(\d{1,3})\.(\w{1,30})", re.ASCII)
_NUMBERS: Final = frozenset({
    *("labor_hours", "labor_rate", "parts_total", "total", "subtotal", "year", "odometer", "facility_id"),
})  # fmt: skip
_REMOVE: Final = "remove"


@frozen(kw_only=True)
class FormLine:
    """A line in the form: the text of each field, and the names of the repairs that it may be."""

    texts: Mapping[str, str]
    suggestions: Sequence[str] = ()

    def text(self, field: str) -> str:
        """Return the text of a field."""
        return self.texts.get(field, "")

    @property
    def is_empty(self) -> bool:
        """Return whether nothing was entered."""
        return not any(text for name, text in self.texts.items() if name != "kind")


class Book:
    """The repairs by name and by slug."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = problems
        self._names = {problem.slug: problem.display_name for problem in problems}
        self._slugs = {
            name.casefold(): problem.slug
            for problem in problems
            for name in (problem.name, problem.display_name)
        }

    def name(self, slug: str | None) -> str:
        """Return the name of a repair, the slug itself if it is unknown, or "" if it is None."""
        return self._names.get(slug or "", slug or "")

    def identifier(self, text: str) -> str:
        """Return the slug of the repair with this name, or ``text`` itself if there is none."""
        return self._slugs.get(text.strip().replace(" › ", " > ").casefold(), text)


def texts_of(invoice: DraftInvoice) -> Mapping[str, str]:
    """Return the text of each field of an invoice, except its lines."""
    amounts = {name: dollars_text(getattr(invoice, name)) for name in SUMS}
    values = {**{name: getattr(invoice, name) for name in HEADING}, **amounts}
    return {name: shown_text(value) for name, value in values.items() if value is not None}


def lines_of(draft: InvoiceDraft, book: Book, *, more: int = 0) -> Sequence[FormLine]:
    """Return the submitted lines, or the stored ones if none were submitted, followed by ``more`` empty ones."""
    sent = _sent_lines()
    stored = [_line_of(line, book) for line in draft.invoice.lines]
    suggestions = {line.text("description"): line.suggestions for line in stored}
    lines = (
        stored
        if sent is None
        else [
            FormLine(texts=texts, suggestions=suggestions.get(texts.get("description", ""), ()))
            for texts in sent
        ]
    )
    return [*lines, *(FormLine(texts={"kind": "repair"}) for _ in range(more))][:MOST_LINES]


def draft_in_form(book: Book) -> dict[str, Any]:
    """Return the draft in the form as the JSON object that the API accepts."""
    sent = form()
    data: dict[str, Any] = {
        name: number_in(text) if name in _NUMBERS else text
        for name in (*HEADING, *SUMS)
        if (text := sent.text(name).strip())
    }
    lines = [_json_of(texts, book) for texts in _sent_lines() or () if not FormLine(texts=texts).is_empty]
    return {**data, "lines": lines, "version": number_in(sent.text("version") or "0")}


def in_words(error: Invalid) -> Invalid:
    """Return an error with field names replaced by the form's labels."""
    return Invalid(relabel(error.fields, _LABELS))


def _sent_lines() -> Sequence[Mapping[str, str]] | None:
    """Return the fields of the submitted lines, except removed ones, or None if no lines were submitted."""
    sent = form_if_any()
    if sent is None:
        return None
    found: dict[int, dict[str, str]] = {}
    for name in sent.texts:
        matched = _FIELD.fullmatch(name)
        if matched is not None and (matched[2] in LINE or matched[2] == _REMOVE):
            found.setdefault(int(matched[1]), {})[matched[2]] = sent.text(name).strip()
    return [found[place] for place in sorted(found) if not found[place].get(_REMOVE)] if found else None


def _json_of(texts: Mapping[str, str], book: Book) -> dict[str, Any]:
    line = {name: number_in(text) if name in _NUMBERS else text for name, text in texts.items() if text}
    if "problem_identifier" in line:
        line["problem_identifier"] = book.identifier(texts["problem_identifier"])
    return line


def _line_of(line: DraftLine, book: Book) -> FormLine:
    values = {
        "kind": line.kind.value,
        "description": line.description,
        "problem_identifier": book.name(line.problem_slug),
        "labor_hours": line.labor_hours,
        "labor_rate": dollars_text(line.labor_rate),
        "parts_total": dollars_text(line.parts_total),
        "total": dollars_text(line.total),
    }
    return FormLine(
        texts={name: shown_text(value) for name, value in values.items() if value is not None},
        suggestions=[book.name(slug) for slug in line.suggestions],
    )
