"""Public quote checks: a quote as text, photo or PDF, its lines to correct, and the verdict."""

from collections.abc import Sequence
from typing import Any, Final

from attrs import evolve
from flask import g
from flask.typing import ResponseReturnValue

from repaircore.kernel.errors import Invalid
from repaircore.quote_text.kinds import LineKind
from repaircore.text_extraction.model import DocumentFormat
from repaircore.text_extraction.service import MAX_DOCUMENT_BYTES, document_too_large
from repaircore_http.console.charts import quote_bar
from repaircore_http.console.estimate_form import chosen_engine, next_choices, typed_text
from repaircore_http.console.forms import FileField, form, take_query
from repaircore_http.console.pages import error_reply, field_errors, go, show
from repaircore_http.console.public.access import public_pages
from repaircore_http.console.public.quote_checks import BY_WORDS, CheckedForm, check_rows, read_text
from repaircore_http.console.public.quote_form import (
    FIELDS,
    MAX_LINES,
    Row,
    filled_rows,
    sent_rows,
    typed_rows,
    typed_unread,
)
from repaircore_http.core import core

quote_check = public_pages("quote_check")

KINDS: Final = {
    LineKind.REPAIR: "Repair",
    LineKind.PART: "Part",
    LineKind.DIAGNOSIS: "Diagnosis",
    LineKind.SUPPLIES: "Shop supplies",
    LineKind.FEE: "Fee",
    LineKind.TAX: "Tax",
    LineKind.DISCOUNT: "Discount",
}
_TYPES: Final = {
    DocumentFormat.PHOTO: "image/jpeg,image/png,image/webp",
    DocumentFormat.PDF: "application/pdf",
}
_IN_ADDRESS: Final = ("year", "make", "model", "engine", "zip_code")
"""The fields that the query string may fill in; a VIN never appears in an address."""

_NAMES: Final = {DocumentFormat.PHOTO: "photo", DocumentFormat.PDF: "PDF"}


def show_form() -> ResponseReturnValue:
    """Show the form with what was typed."""
    formats = core().text_extraction.formats
    return show(
        "public/quote.html",
        text=g.get("quote_text") or typed_text("text"),
        file_names=" or ".join(_NAMES[kind] for kind in formats),
        file_types=",".join(_TYPES[kind] for kind in formats),
        **_vehicle_choices(),
    )


@quote_check.get("/quote")
def index() -> ResponseReturnValue:
    """Show the form for a quote, filled in from the query string."""
    take_query(_IN_ADDRESS)
    return show_form()


@quote_check.post(
    "/quote",
    again=show_form,
    upload=FileField(field="file", max_bytes=MAX_DOCUMENT_BYTES, too_large=document_too_large, texts=FIELDS),
)
def check() -> ResponseReturnValue:
    """Read a quote, and show its lines with the verdict."""
    checked = read_text(form().text("text"), form().file)
    return render_result(checked)


@quote_check.post("/quote/choices", again=show_form)
def show_choices() -> ResponseReturnValue:
    """Show the form again with the makes, models and engines to choose from."""
    return show_form()


def lines_again() -> ResponseReturnValue:
    """Show the table with what was typed, and the errors."""
    return render_table(filled_rows(sent_rows() or ()))


@quote_check.post("/quote/lines", again=lines_again)
def recheck() -> ResponseReturnValue:
    """Check the corrected lines; buttons add and remove lines, and choose the repair of a line."""
    rows = _with_choice(typed_rows(), form().text("choose"))
    removed = form().text("remove")
    rows = filled_rows([row for number, row in enumerate(rows) if str(number) != removed])
    if not rows:
        raise Invalid({"lines": ["Enter at least one line."]})
    return render_result(check_rows(rows), more=1 if form().text("add") else 0)


def _with_choice(rows: Sequence[Row], choice: str) -> Sequence[Row]:
    """Return the rows with the repair that a button chose, given as a row number and a slug; ignore other choices."""
    chosen, _, slug = choice.partition(" ")
    return [
        evolve(row, repair=slug, kind=LineKind.REPAIR.value) if slug and str(number) == chosen else row
        for number, row in enumerate(rows)
    ]


@quote_check.get("/quote/choices")
@quote_check.get("/quote/lines")
def after_a_form() -> ResponseReturnValue:
    """Redirect to the form when a browser opens this POST address with GET."""
    return go("quote_check.index")


def render_result(checked: CheckedForm, *, more: int = 0) -> str:
    """Return the page of a checked quote, with ``more`` empty lines below its lines."""
    return render_table([*checked.rows, *([Row()] * more)], checked)


def render_table(rows: Sequence[Row], checked: CheckedForm | None = None) -> str:
    """Return the page with the lines of a quote to correct, below the verdict if there is one."""
    report = None if checked is None else checked.report
    return show(
        "public/quote_result.html",
        report=report,
        bar=quote_bar,
        rows=rows or [Row()],
        may_add=len(rows) < MAX_LINES,
        error_ids=_error_ids(),
        choices_of=_repair_choices(rows) if checked is None else checked.repair_choices,
        kinds=KINDS,
        by_words=BY_WORDS,
        vin=typed_text("vin") if checked is None else checked.vin,
        zip_code=typed_text("zip_code") if checked is None else checked.zip_code,
        unread=typed_unread() if checked is None else checked.unread,
        stated=typed_text("stated_total") if checked is None else checked.stated_total,
        **_vehicle_choices(),
    )


def _repair_choices(rows: Sequence[Row]) -> Sequence[Sequence[tuple[str, str]]]:
    """Return the choices for each unchecked row: identifying it by its words, and the repair that was chosen for it."""
    problems = core().problems
    chosen = [problems.find(row.repair) if row.repair else None for row in rows]
    return [
        (("", BY_WORDS), *([] if problem is None else [(problem.slug, problem.name)])) for problem in chosen
    ]


def _error_ids() -> dict[str, str]:
    """Return the ids of the table's fields with errors, for the links of the summary."""
    reply = error_reply()
    names = () if reply is None or reply.fields is None else reply.fields
    return {name: name for name in names if name.startswith("line-")}


def _vehicle_choices() -> dict[str, Any]:
    choices = next_choices(typed_text("year"), typed_text("make"), typed_text("model"))
    return {
        "choices": choices,
        "engine": chosen_engine(),
        "engines": choices["engines"] if field_errors("engine") else (),
    }
