"""The quote check form: its input, and the table of the quote's lines."""

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any, Final, Self

from attrs import frozen

from repaircore.kernel.errors import Invalid
from repaircore.kernel.money import Cents, cents
from repaircore.quote_text.model import QuoteLine
from repaircore_http.console.error_words import relabel
from repaircore_http.console.estimate_form import chosen_engine, typed_text
from repaircore_http.console.forms import form_if_any

VEHICLE: Final = ("vin", "year", "make", "model", "engine", "chosen_engine", "engine_chosen_for")
FIELDS: Final = (*VEHICLE, "zip_code", "text")
"""The text fields of the form that a quote is pasted into."""

MAX_LINES: Final = 50
_COLUMNS: Final = ("words", "kind", "repair", "parts", "parts_total", "labor_hours", "labor_rate", "total")
_MOST_DOLLARS: Final = 1_000_000
_LONGEST_UNREAD: Final = 200
_YEAR_DIGITS: Final = 4
_BETWEEN_PARTS: Final = " | "


@frozen(kw_only=True)
class Row:
    """A line of the table, as it is shown and typed.

    ``repair`` is the slug of the chosen repair, or "" to identify it by the words.
    """

    words: str = ""
    kind: str = ""
    repair: str = ""
    parts: str = ""
    parts_total: str = ""
    labor_hours: str = ""
    labor_rate: str = ""
    total: str = ""

    @classmethod
    def of(cls, line: QuoteLine) -> Self:
        """Return the row for a line that was read from a quote."""
        return cls(
            words=line.description or "",
            kind="" if line.kind is None else line.kind.value,
            repair=line.problem_identifier or "",
            parts=_BETWEEN_PARTS.join(line.parts),
            parts_total=_dollars(line.parts_total),
            labor_hours="" if line.labor_hours is None else f"{line.labor_hours:g}",
            labor_rate=_dollars(line.labor_rate),
            total=_dollars(line.total),
        )

    @property
    def is_empty(self) -> bool:
        """Return whether nothing was typed in the row."""
        return not any((self.words, self.parts_total, self.labor_hours, self.labor_rate, self.total))

    def to_input(self) -> dict[str, object]:
        """Return the line as input for the check: money in dollars, empty fields left out."""
        found: dict[str, object] = {
            "description": self.words,
            "kind": self.kind,
            "problem_identifier": self.repair,
            "parts": [part for part in self.parts.split(_BETWEEN_PARTS) if part],
            "parts_total": _number(self.parts_total),
            "labor_hours": _number(self.labor_hours),
            "labor_rate": _number(self.labor_rate),
            "total": _number(self.total),
        }
        return {name: value for name, value in found.items() if value not in ("", [])}


def typed_rows() -> list[Row]:
    """Return the rows that were sent, including empty ones.

    Raises:
        Invalid: the table is incomplete, or has too many lines.
    """
    rows = sent_rows()
    if rows is None:
        raise Invalid({"lines": ["The table is incomplete. Reload the page."]})
    if len(filled_rows(rows)) > MAX_LINES:
        raise Invalid({"lines": [f"The quote must have at most {MAX_LINES} lines. Remove some."]})
    return rows


def sent_rows() -> list[Row] | None:
    """Return the rows that were sent, however many (none without a form), or None if the columns differ in length."""
    sent = form_if_any()
    columns = [[] if sent is None else list(sent.texts.get(f"line_{name}", ())) for name in _COLUMNS]
    if len({len(column) for column in columns}) > 1:
        return None
    return [
        Row(**dict(zip(_COLUMNS, (text.strip() for text in texts), strict=True)))
        for texts in zip(*columns, strict=True)
    ]


def typed_unread() -> tuple[str, ...]:
    """Return the unread lines of the quote's text, which the page keeps while other lines are corrected."""
    sent = form_if_any()
    lines = () if sent is None else sent.texts.get("unread", ())
    return tuple(line[:_LONGEST_UNREAD] for line in lines[:MAX_LINES])


def filled_rows(rows: Sequence[Row]) -> list[Row]:
    """Return the rows that are not empty."""
    return [row for row in rows if not row.is_empty]


def vehicle_input(vin: str) -> dict[str, object]:
    """Return the vehicle as input for the check: by VIN, or else by the typed year, make, model and engine."""
    if vin:
        return {"vin": vin}
    engine = chosen_engine() or typed_text("engine")
    specs = {
        "year": _year(typed_text("year")),
        "make": typed_text("make"),
        "model": typed_text("model"),
        "engine": engine,
    }
    return {name: value for name, value in specs.items() if value != ""}


def renamed(fields: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """Return the errors of a check keyed by the ids of the fields on the page, with the labels of the fields."""
    return {_id_of(path): texts for path, texts in relabel(fields, _LABELS).items()}


def _id_of(path: str) -> str:
    first, _, rest = path.partition(".")
    number, _, column = rest.partition(".")
    return f"line-{number}-{_COLUMN_OF.get(column, column)}" if first == "lines" and rest else path


_COLUMN_OF: Final = {"description": "words", "problem_identifier": "repair"}

_LABELS: Final = {
    "lines.*.description": "Line {}: the description",
    "lines.*.kind": "Line {}: the kind",
    "lines.*.problem_identifier": "Line {}: the repair",
    "lines.*.parts.*": "Line {}: the parts",
    "lines.*.parts_total": "Line {}: the parts",
    "lines.*.labor_hours": "Line {}: the hours",
    "lines.*.labor_rate": "Line {}: the hourly rate",
    "lines.*.total": "Line {}: the total",
}


def money_of(text: str) -> Cents | None:
    """Parse an amount of dollars into cents; return None if it is not an amount."""
    found = _number(text)
    return cents(found) if isinstance(found, float) and abs(found) <= _MOST_DOLLARS else None


def _number(text: str) -> Any:
    """Parse a number with or without separators; return any other text unchanged."""
    plain = text.replace("$", "").replace(",", "").replace("\N{NO-BREAK SPACE}", "").strip()
    plain = plain.replace("\N{MINUS SIGN}", "-")
    try:
        found = float(plain)
    except ValueError:
        return text
    return found if isfinite(found) else text


def _year(text: str) -> Any:
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= _YEAR_DIGITS else text


def _dollars(amount: Cents | None) -> str:
    return "" if amount is None else f"{amount / 100:.2f}"
