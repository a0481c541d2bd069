"""The form of a visit: vehicle, lines, charges and customer in one form, so that nothing typed is lost when a line is added.

Fields have the names that the visit has in JSON (``lines.0.price``), and so do their errors.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from attrs import frozen
from flask import request

from repaircore.kernel.money import dollars
from repaircore.problems.fusion import SearchHit
from repaircore.visits.model import MOST_LINES, LineKind, PricedLine, Visit
from repaircore_http.console.estimate_form import find_repair, next_choices, repair_error, typed_text
from repaircore_http.console.forms import form, form_if_any
from repaircore_http.console.repairs import OFFERED
from repaircore_http.core import core

FORM_BYTES: Final = 1024 * 1024
"""Two hundred lines with long descriptions have less."""

TEXTS: Final = (
    *("vin", "year", "make", "model", "trim", "engine", "zip_code", "mileage"),
    *("sales_tax_percent", "notes", "valid_until", "facility_id"),
    *("customer.name", "customer.email", "customer.phone"),
    *("shop_supplies.percent", "shop_supplies.cap", "shop_supplies.amount"),
    *("discount.percent", "discount.amount"),
)
_IN_ADDRESS: Final = ("vin", "year", "make", "model", "engine", "zip_code", "mileage")
_NUMBERS: Final = frozenset({
    *("year", "mileage", "sales_tax_percent", "facility_id"),
    *("shop_supplies.percent", "shop_supplies.cap", "shop_supplies.amount"),
    *("discount.percent", "discount.amount"),
})  # fmt: skip
_LINE_TEXTS: Final = (
    "id",
    "problem_identifier",
    "kind",
    "description",
    "parts_tier",
    "quantity",
    "price",
    "labor_hours",
)
_LINE_NUMBERS: Final = frozenset({"id", "quantity", "price", "labor_hours"})
_LINE_FIELD: Final = re.compile(r"lines\.(\d{1,3})\.(\w{1,30})", re.ASCII)
_LONGEST_WORDS: Final = 500


@frozen(kw_only=True)
class FormLine:
    """A line in the form: its texts by field, and the name of its repair."""

    texts: Mapping[str, str]
    name: str | None

    @property
    def is_repair(self) -> bool:
        """Return whether it is a repair of the book."""
        return self.name is not None

    def text(self, field: str) -> str:
        """Return the text of a field."""
        return self.texts.get(field, "")


@frozen(kw_only=True)
class VisitForm:
    """What the page of the form shows beside the texts of its fields."""

    lines: Sequence[FormLine]
    words: str = ""
    word_errors: Sequence[str] = ()
    matches: Sequence[SearchHit] = ()
    choices: Mapping[str, Sequence[str]]


def read_form() -> VisitForm:
    """Return the form as it was sent, after its button: a line was added or removed, or nothing."""
    lines, step = [*_sent_lines()], typed_text("step")
    words = typed_text("problem")
    errors: list[str] = []
    matches: Sequence[SearchHit] = ()
    if step.startswith("remove-"):
        lines = [line for place, line in enumerate(lines) if str(place) != step.removeprefix("remove-")]
    elif step.removeprefix("own-") in _OWN_KINDS and len(lines) < MOST_LINES:
        lines.append(FormLine(texts={"kind": step.removeprefix("own-")}, name=None))
    elif words and len(lines) < MOST_LINES:
        repair = find_repair()
        if repair is None:
            errors = [repair_error()]
            matches = _matches(words)
        else:
            words = ""
            lines.append(FormLine(texts={"problem_identifier": repair.slug}, name=repair.display_name))
    return VisitForm(
        lines=lines, words=words, word_errors=errors, matches=matches, choices=_choices(typed_text)
    )


def form_from_address() -> VisitForm:
    """Return the form of a new visit, with the repairs that the address names."""
    problems = core().problems
    found = [problems.find(slug) for slug in request.args.getlist("repair")[:MOST_LINES]]
    lines = [
        FormLine(texts={"problem_identifier": one.slug}, name=one.display_name)
        for one in found
        if one is not None
    ]
    return VisitForm(lines=lines, choices=_choices(lambda name: request.args.get(name, "")))


def texts_from_address() -> dict[str, str]:
    """Return the texts of the fields that the address names."""
    return {name: request.args[name] for name in _IN_ADDRESS if name in request.args}


def form_of(visit: Visit) -> VisitForm:
    """Return the form of a stored visit."""
    texts = texts_of(visit)
    return VisitForm(
        lines=[_line_of(line) for line in visit.lines], choices=_choices(lambda name: texts.get(name, ""))
    )


def is_incomplete(shown: VisitForm) -> bool:
    """Return whether words in the form have not become a line."""
    return bool(shown.words)


def texts_of(visit: Visit) -> dict[str, str]:
    """Return the texts of the fields of a stored visit, those of its lines aside."""
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
        "shop_supplies.cap": None if supplies is None else _dollars(supplies.cap),
        "shop_supplies.amount": None if supplies is None else _dollars(supplies.amount),
        "discount.percent": None if discount is None else discount.percent,
        "discount.amount": None if discount is None else _dollars(discount.amount),
    }
    return {name: _shown(value) for name, value in values.items() if value is not None}


def visit_in(shown: VisitForm) -> dict[str, Any]:
    """Return the visit in the form as the JSON object that the API takes."""
    sent = form()
    data: dict[str, Any] = {"lines": [_line_in(line) for line in shown.lines]}
    for name in TEXTS:
        text = sent.text(name).strip()
        if text:
            outer, _, inner = name.partition(".")
            value = number_in(text) if name in _NUMBERS else text
            if inner:
                data.setdefault(outer, {})[inner] = value
            else:
                data[name] = value
    data["sales_tax"] = sent.text("no_sales_tax") != "true"
    data["force"] = sent.text("force") == "true"
    return data


_OWN_KINDS: Final = frozenset({LineKind.PART.value, LineKind.LABOR.value, LineKind.FEE.value})


def _sent_lines() -> Iterator[FormLine]:
    sent = form_if_any()
    found: dict[int, dict[str, str]] = {}
    for name in () if sent is None else sent.texts:
        matched = _LINE_FIELD.fullmatch(name)
        if matched is not None and matched[2] in _LINE_TEXTS and sent is not None:
            found.setdefault(int(matched[1]), {})[matched[2]] = sent.text(name).strip()
    for place in sorted(found)[:MOST_LINES]:
        texts = found[place]
        repair = core().problems.find(texts.get("problem_identifier", ""))
        yield FormLine(texts=texts, name=None if repair is None else repair.display_name)


def _line_of(line: PricedLine) -> FormLine:
    requested = line.requested
    values = {
        "id": requested.id,
        "problem_identifier": line.problem_slug,
        "kind": None if line.problem_slug else requested.kind.value,
        "description": requested.description,
        "parts_tier": None if requested.parts_tier is None else requested.parts_tier.value,
        "quantity": requested.quantity,
        "price": _dollars(requested.price),
        "labor_hours": requested.hours,
    }
    return FormLine(
        texts={name: _shown(value) for name, value in values.items() if value is not None},
        name=line.description if line.problem_slug else None,
    )


def _line_in(line: FormLine) -> dict[str, Any]:
    texts = {name: text for name, text in line.texts.items() if text}
    return {name: number_in(text) if name in _LINE_NUMBERS else text for name, text in texts.items()}


def number_in(text: str) -> object:
    """Return the number that a text spells, else the text, which no field for numbers accepts."""
    plain = text.removeprefix("$").removesuffix("%").replace(",", "").strip()
    if re.fullmatch(r"-?\d{1,15}", plain, re.ASCII):
        return int(plain)
    return float(plain) if re.fullmatch(r"-?\d{0,15}\.\d{1,15}|-?\d{1,15}\.", plain, re.ASCII) else text


def _shown(value: object) -> str:
    return f"{value:.10g}" if isinstance(value, float) else str(value)


def _dollars(amount: int | None) -> str | None:
    return None if amount is None else f"{dollars(amount):.2f}"


def _matches(words: str) -> Sequence[SearchHit]:
    problems = core().problems
    words = words[:_LONGEST_WORDS]
    return problems.search(words, limit=OFFERED) if problems.can_search(words) else []


def _choices(text_of: Any) -> Mapping[str, Sequence[str]]:
    return next_choices(text_of("year"), text_of("make"), text_of("model"))
