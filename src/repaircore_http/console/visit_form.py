"""The visit form.

Vehicle, lines, charges and customer are one form, so that nothing typed is lost when a line is added.

Fields and errors are named as in the visit's JSON (``customer.name``).
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final

from attrs import evolve, frozen
from flask import request

from repaircore.kernel.errors import Invalid
from repaircore.visits.model import MOST_LINES, Visit
from repaircore_http.console.error_words import relabel
from repaircore_http.console.estimate_form import next_choices, typed_text
from repaircore_http.console.forms import form
from repaircore_http.console.visit_lines import TEXTS as LINE_TEXTS
from repaircore_http.console.visit_lines import FormLine, FormLines, line_of, lines_of, read_lines
from repaircore_http.console.visit_texts import dollars_text, number_in, shown_text

FORM_BYTES: Final = 1024 * 1024
"""The maximum size of the form, in bytes: more than the fields of all lines can hold."""

TEXTS: Final = (
    *("vin", "year", "make", "model", "trim", "engine", "zip_code", "mileage"),
    *("sales_tax_percent", "notes", "valid_until", "facility_id"),
    *("customer.name", "customer.email", "customer.phone"),
    *("shop_supplies.percent", "shop_supplies.cap", "shop_supplies.amount"),
    *("discount.percent", "discount.amount"),
)

LABELS: Final[Mapping[str, str]] = {
    "vin": "VIN",
    "year": "Year",
    "make": "Make",
    "model": "Model",
    "trim": "Trim",
    "engine": "Engine",
    "zip_code": "ZIP code of the shop",
    "mileage": "Mileage",
    "sales_tax_percent": "Sales tax in %",
    "shop_supplies.percent": "Shop supplies in % of labor",
    "shop_supplies.cap": "Cap on shop supplies",
    "shop_supplies.amount": "Shop supplies in dollars",
    "discount.percent": "Discount in %",
    "discount.amount": "Discount in dollars",
    "customer.name": "Customer’s name",
    "customer.email": "Customer’s e-mail",
    "customer.phone": "Customer’s phone",
    "valid_until": "Valid until",
    "notes": "Notes on the estimate",
}
"""Labels of the fields, except those of lines."""

_ERROR_LABELS: Final[Mapping[str, str]] = {
    **LABELS,
    "valid_until": "“Valid until”",
    "lines.*.id": "Line {}: the id",
    "lines.*.problem_identifier": "Line {}: the repair",
    "lines.*.kind": "Line {}: the kind",
    "lines.*.description": "Line {}: the description",
    "lines.*.parts_tier": "Line {}: the parts",
    "lines.*.quantity": "Line {}: the quantity",
    "lines.*.price": "Line {}: the price",
    "lines.*.labor_hours": "Line {}: the hours",
}
"""What error messages call the fields."""

FORM_FIELDS: Final = MOST_LINES * len(LINE_TEXTS) + len(TEXTS) + 20
"""The maximum number of fields: those of all lines, and room for buttons and choices."""

_IN_ADDRESS: Final = {
    **{name: name for name in ("vin", "year", "make", "model", "engine", "zip_code", "mileage")},
    "zip": "zip_code",
}
"""The query parameters that fill in a field, and the name of the field."""

_NUMBERS: Final = frozenset({
    *("year", "mileage", "sales_tax_percent", "facility_id"),
    *("shop_supplies.percent", "shop_supplies.cap", "shop_supplies.amount"),
    *("discount.percent", "discount.amount"),
})  # fmt: skip


@frozen(kw_only=True)
class VisitForm:
    """What the page of the form shows besides the text of its fields."""

    entered: FormLines
    choices: Mapping[str, Sequence[str]]

    @property
    def lines(self) -> Sequence[FormLine]:
        """Return the lines, in order."""
        return self.entered.lines

    def fitting(self, visit: Visit) -> "VisitForm":
        """Return the form for a stored visit, in which lines that the visit no longer has count as new."""
        known = {str(line.id) for line in visit.lines}
        lines = [line if line.text("id") in known else line.without_id() for line in self.lines]
        return evolve(self, entered=evolve(self.entered, lines=lines))


def read_form() -> VisitForm:
    """Return the submitted form after its button was applied, which may add, move or remove a line."""
    return VisitForm(entered=read_lines(), choices=_choices(typed_text))


def form_from_address() -> VisitForm:
    """Return the form of a new visit, with the repairs in the query string (``problem``)."""
    lines = lines_of(request.args.getlist("problem"))
    return VisitForm(
        entered=FormLines(lines=lines), choices=_choices(lambda name: request.args.get(name, ""))
    )


def texts_from_address() -> dict[str, str]:
    """Return the text of each field that the query string fills in."""
    return {field: request.args[name] for name, field in _IN_ADDRESS.items() if name in request.args}


def form_of(visit: Visit) -> VisitForm:
    """Return the form of a stored visit."""
    texts = texts_of(visit)
    return VisitForm(
        entered=FormLines(lines=[line_of(line) for line in visit.lines]),
        choices=_choices(lambda name: texts.get(name, "")),
    )


def is_incomplete(shown: VisitForm) -> bool:
    """Return whether words in the form were not turned into a line."""
    return bool(shown.entered.words)


def is_step() -> bool:
    """Return whether the button of the form only changes the form."""
    return form().text("step") != ""


def sent_texts() -> dict[str, str]:
    """Return the text of each submitted field, except lines and empty fields."""
    sent = form()
    texts = {name: sent.text(name).strip() for name in TEXTS}
    return {name: text for name, text in texts.items() if text}


def texts_of(visit: Visit) -> dict[str, str]:
    """Return the text of each field of a stored visit, except its lines."""
    vehicle, charges, customer = visit.estimate.vehicle, visit.estimate.charges, visit.customer
    supplies, discount = charges.supplies, charges.discount
    values = {
        "vin": vehicle.vin,
        **(
            {}
            if vehicle.vin
            else {name: getattr(vehicle, name) for name in ("year", "make", "model", "trim", "engine")}
        ),
        "zip_code": visit.estimate.place.zip_code,
        "mileage": visit.estimate.mileage,
        "sales_tax_percent": charges.tax_percent,
        "notes": visit.notes,
        "valid_until": visit.valid_until,
        "facility_id": visit.facility_id,
        "customer.name": customer.name,
        "customer.email": customer.email,
        "customer.phone": customer.phone,
        "shop_supplies.percent": None if supplies is None else supplies.percent,
        "shop_supplies.cap": None if supplies is None else dollars_text(supplies.cap),
        "shop_supplies.amount": None if supplies is None else dollars_text(supplies.amount),
        "discount.percent": None if discount is None else discount.percent,
        "discount.amount": None if discount is None else dollars_text(discount.amount),
    }
    return {name: shown_text(value) for name, value in values.items() if value is not None}


def visit_in(shown: VisitForm) -> dict[str, Any]:
    """Return the visit in the form as the JSON object that the API accepts."""
    sent = form()
    data: dict[str, Any] = {"lines": [line.to_json() for line in shown.lines]}
    for name, text in sent_texts().items():
        outer, _, inner = name.partition(".")
        value = number_in(text) if name in _NUMBERS else text
        if inner:
            data.setdefault(outer, {})[inner] = value
        else:
            data[name] = value
    data["sales_tax"] = sent.text("no_sales_tax") != "true"
    data["force"] = sent.text("force") == "true"
    return data


@contextmanager
def errors_in_words() -> Iterator[None]:
    """Re-raise the errors of a visit with field names replaced by the form's labels."""
    try:
        yield
    except Invalid as error:
        raise Invalid(relabel(error.fields, _ERROR_LABELS)) from None


def _choices(text_of: Any) -> Mapping[str, Sequence[str]]:
    return next_choices(text_of("year"), text_of("make"), text_of("model"))
