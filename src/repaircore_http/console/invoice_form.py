"""The invoice form: the hours and parts of lines that took more or less than was approved.

Fields and errors are named as in JSON (``lines.0.labor_hours``).
"""

import re
from collections.abc import Sequence
from typing import Any, Final

from attrs import frozen

from repaircore.documents.billing import billed_lines
from repaircore.documents.composition import line_title
from repaircore.kernel.errors import Invalid
from repaircore.kernel.money import Cents, dollars
from repaircore.visits.model import LineKind, PricedLine, Visit
from repaircore_http.console.error_words import relabel
from repaircore_http.console.forms import form
from repaircore_http.console.pages import error_reply
from repaircore_http.console.visit_texts import number_in

_FIELD: Final = re.compile(
    r"lines\.(\d{1,3})\.(line|labor_hours|labor_rate|labor_total|parts_total)", re.ASCII
)
_LABELS: Final = {
    "labor_hours": "Hours",
    "labor_rate": "Rate",
    "labor_total": "Labor",
    "parts_total": "Parts",
}


@frozen(kw_only=True)
class Figure:
    """A field of a line: its name, its label, and the figure that was approved."""

    name: str
    label: str
    approved: str


@frozen(kw_only=True)
class InvoiceLine:
    """A line of the form; fees have no figures."""

    id: int
    name: str
    title: str
    amount: Cents
    figures: Sequence[Figure]


def lines_of(visit: Visit) -> Sequence[InvoiceLine]:
    """Return the lines that the invoice of a visit will have."""
    return [
        InvoiceLine(
            id=line.id,
            name=f"lines.{place}.line",
            title=line_title(line),
            amount=line.average,
            figures=[
                Figure(name=f"lines.{place}.{name}", label=_LABELS[name], approved=approved)
                for name, approved in _figures(line).items()
            ],
        )
        for place, line in enumerate(billed_lines(visit))
    ]


def invoice_in_form(version: int) -> dict[str, Any]:
    """Return the invoice in the form as the JSON object that the API accepts."""
    lines: dict[int, dict[str, Any]] = {}
    for name in form().texts:
        matched, text = _FIELD.fullmatch(name), form().text(name).strip()
        if matched is not None and text:
            lines.setdefault(int(matched[1]), {})[matched[2]] = number_in(text)
    return {"version": version, "lines": [lines[place] for place in sorted(lines)]}


def in_words(error: Invalid, visit: Visit) -> Invalid:
    """Return an error with field names replaced by the form's labels: "Hours of Oil Change must be …"."""
    names = {"line": "The line", **_LABELS}
    titles = {"*": "this line"} | {
        str(place): line_title(line) for place, line in enumerate(billed_lines(visit))
    }
    labels = {
        f"lines.{place}.{name}": f"{label} of {title}"
        for place, title in titles.items()
        for name, label in names.items()
    }
    return Invalid(relabel(error.fields, labels))


def is_rejected() -> bool:
    """Return whether the page shows an invoice whose figures were rejected."""
    reply = error_reply()
    return reply is not None and any(name.startswith("lines.") for name in reply.fields or ())


def _figures(line: PricedLine) -> dict[str, str]:
    """Return the figures of a line, as they were approved."""
    labor, parts = f"{dollars(line.labor):.2f}", {"parts_total": f"{dollars(line.parts):.2f}"}
    match line.requested.kind:
        case LineKind.FEE:
            return {}
        case LineKind.PART:
            return parts
        case LineKind.LABOR if not line.hours:
            return {"labor_total": labor}
    timed = {"labor_hours": f"{line.hours:.4g}", "labor_rate": f"{dollars(line.rate):.2f}"}
    return timed if line.requested.kind is LineKind.LABOR else {**timed, **parts}
