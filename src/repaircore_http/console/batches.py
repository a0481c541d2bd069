"""Batches: upload a CSV file of cars, and download it with prices."""

from typing import Final

from flask import Response
from flask.typing import ResponseReturnValue

from repaircore.batches.batch_file import COLUMNS
from repaircore.batches.model import MOST_LATER
from repaircore.kernel.errors import Invalid
from repaircore.kernel.paging import PageRequest
from repaircore.tasks.model import TaskFilter, TaskKind
from repaircore_http.console.forms import FileField, form
from repaircore_http.console.pages import Pages, go, show
from repaircore_http.console.tasks import progress_text
from repaircore_http.core import core
from repaircore_http.guards import Auth, caller

batches = Pages("batches", auth=Auth.SESSION)

MOST_FILE_BYTES: Final = 8 * 1024 * 1024
_LISTED: Final = 5


def _too_large() -> Invalid:
    return Invalid({"file": [f"The file must not be larger than {MOST_FILE_BYTES // 2**20} MB. Split it."]})


@batches.get("/batch")
def index() -> ResponseReturnValue:
    """Show the form, and the last batches."""
    wanted = TaskFilter(kind=TaskKind.PREDICT_BATCH)
    page = core().tasks.page(wanted, request=PageRequest(per_page=_LISTED), caller=caller())
    return show("batch.html", recent=page, columns=COLUMNS, most=MOST_LATER, progress_text=progress_text)


@batches.post(
    "/batch",
    again=index,
    upload=FileField(field="file", max_bytes=MOST_FILE_BYTES, too_large=_too_large, named="file_name"),
)
def create() -> Response:
    """Start a batch."""
    content = form().file
    if content is None:
        raise Invalid({"file": ["Choose a file first."]})
    task = core().task_starts.predict_file(form().text("file_name"), content, caller())
    return go("tasks.detail", task_id=task.id)
