"""Imports of invoices, in steps: upload a file, check its columns and rows, import it, and undo the import."""

from collections.abc import Mapping
from typing import Any, Final

from flask import Response
from flask.typing import ResponseReturnValue

from repaircore.kernel.errors import Invalid, NotFound
from repaircore.kernel.paging import PageRequest
from repaircore.shop_tables.model import Field
from repaircore.tasks.model import Task, TaskFilter, TaskKind
from repaircore_http.console.forms import FileField, form
from repaircore_http.console.pages import Pages, go, show
from repaircore_http.console.tasks import progress_text
from repaircore_http.core import core
from repaircore_http.guards import Auth, caller

imports = Pages("imports", auth=Auth.ADMIN)

MOST_FILE_BYTES: Final = 20 * 1024 * 1024
"""The maximum size of an uploaded file; larger ones need the command line."""

_LISTED: Final = 10

FIELDS: Final[Mapping[Field, str]] = {
    Field.DATE: "Date of the repair",
    Field.ORDER: "Order number",
    Field.VIN: "VIN",
    Field.VEHICLE: "Vehicle in words",
    Field.YEAR: "Model year",
    Field.MAKE: "Make",
    Field.MODEL: "Model",
    Field.TRIM: "Trim",
    Field.MILEAGE: "Odometer",
    Field.DESCRIPTION: "What was done",
    Field.PROBLEM: "Repair (our id or slug)",
    Field.JOB: "Number of the job within an order",
    Field.KIND: "Kind of line (labor, part, fee)",
    Field.QUANTITY: "Quantity",
    Field.UNIT_PRICE: "Price of one",
    Field.AMOUNT: "Amount of the line",
    Field.LABOR_HOURS: "Labor hours",
    Field.LABOR_RATE: "Labor rate",
    Field.LABOR: "Labor amount",
    Field.PARTS: "Parts amount",
    Field.TOTAL: "Total",
    Field.TAX: "Tax",
    Field.ZIP: "ZIP code of the shop",
    Field.FACILITY: "Shop",
}
"""Labels of the fields that a column can hold."""


def _too_large() -> Invalid:
    text = f"The file must not be larger than {MOST_FILE_BYTES // 2**20} MB. For larger files, run repaircore import transactions on the server."
    return Invalid({"file": [text]})


@imports.get("/admin/import")
def index() -> ResponseReturnValue:
    """Show the form, how many lines wait for a decision, the open tasks and the last imports."""
    reviews = core().invoice_reviews
    return show(
        "admin/import.html",
        waiting=reviews.count_waiting(caller()),
        sources=reviews.list_sources(caller()),
        made=reviews.list_imports(caller(), limit=_LISTED),
        tasks=_open_tasks(),
        progress_text=progress_text,
    )


@imports.post(
    "/admin/import",
    again=index,
    upload=FileField(
        field="file", max_bytes=MOST_FILE_BYTES, too_large=_too_large, texts=("source",), named="file_name"
    ),
)
def create() -> Response:
    """Check a file in the background."""
    content = form().file
    if content is None:
        raise Invalid({"file": ["Choose a file first."]})
    started = core().task_starts.check_file(
        form().text("file_name"), content, caller(), source=form().text("source")
    )
    return go("imports.task", task_id=started.id)


@imports.get("/admin/import/<int:task_id>")
def task(task_id: int) -> ResponseReturnValue:
    """Show a step (a check, an import or an undo): its progress or its result."""
    found = _found(task_id)
    result = found.result or {}
    return show(
        "admin/import_task.html",
        task=found,
        result=result,
        lines=core().tasks.lines(task_id, caller()),
        fields=FIELDS,
        columns={column["field"]: column for column in result.get("columns", ())},
        progress_text=progress_text,
    )


@imports.post("/admin/import/<int:task_id>/columns", again=task)
def correct(task_id: int) -> Response:
    """Check a file again, with corrected columns."""
    found = _found(task_id)
    columns = _changed_columns(found.result or {}, found.options.get("columns", {}))
    return go("imports.task", task_id=core().task_starts.check_again(task_id, columns, caller()).id)


@imports.post("/admin/import/<int:task_id>/start", again=task)
def start(task_id: int) -> Response:
    """Import a file that was checked."""
    return go("imports.task", task_id=core().task_starts.import_checked(task_id, caller()).id)


@imports.post("/admin/imports/<int:import_id>/undo", again=lambda import_id: index())  # noqa: ARG005 - the page lists all imports
def undo(import_id: int) -> Response:
    """Undo a whole import."""
    return go("imports.task", task_id=core().task_starts.undo_import(import_id, caller()).id)


def _found(task_id: int) -> Task:
    found = core().tasks.find(task_id, caller())
    if found.kind not in {TaskKind.CHECK_TRANSACTIONS, TaskKind.IMPORT_TRANSACTIONS, TaskKind.UNDO_IMPORT}:
        raise NotFound("There is no such import.")
    return found


def _open_tasks() -> list[Task]:
    page = core().tasks.page(TaskFilter(), request=PageRequest(per_page=_LISTED), caller=caller())
    kinds = {TaskKind.CHECK_TRANSACTIONS, TaskKind.IMPORT_TRANSACTIONS, TaskKind.UNDO_IMPORT}
    return [listed for listed in page if listed.kind in kinds and not listed.status.has_ended]


def _changed_columns(result: Mapping[str, Any], stated: Mapping[str, str]) -> dict[Field, str]:
    """Return the column that the user chose for each field, or "" to remove a recognized or earlier one."""
    recognized = {column["field"]: column["column"] for column in result.get("columns", ())}
    chosen = {field: form().text(f"column_{field}") for field in Field if f"column_{field}" in form().texts}
    return {
        field: name
        for field, name in chosen.items()
        if name != recognized.get(field, "") or field.value in stated or name
    }
