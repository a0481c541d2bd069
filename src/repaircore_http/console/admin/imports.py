"""Imports of invoice files."""

from typing import Final

from attrs import frozen
from flask.typing import ResponseReturnValue

from repaircore.kernel.errors import Invalid
from repaircore.kernel.imports import ImportOptions, RejectedRow, Upload
from repaircore_http.console.forms import FileField, filled, form
from repaircore_http.console.pages import Pages, show
from repaircore_http.core import core
from repaircore_http.guards import Auth, caller

imports = Pages("imports", auth=Auth.ADMIN)

MOST_FILE_BYTES: Final = 20 * 1024 * 1024
"""The largest file that is imported while the browser waits; larger ones are for the command line."""

_MOST_REJECTED: Final = 200
"""How many rejected rows are listed."""


def _too_large() -> Invalid:
    text = f"The file must not be larger than {MOST_FILE_BYTES // 2**20} MB. For larger files, run repaircore import transactions on the server."
    return Invalid({"file": [text]})


@frozen(kw_only=True)
class ImportForm:
    """The options of an import."""

    dry_run: bool = False
    keep_good: bool = False


@imports.get("/admin/import")
def index() -> ResponseReturnValue:
    """Show the form."""
    return show("admin/import.html", result=None)


@imports.post(
    "/admin/import",
    again=index,
    upload=FileField(
        field="file",
        max_bytes=MOST_FILE_BYTES,
        too_large=_too_large,
        texts=("dry_run", "keep_good"),
    ),
)
def create() -> ResponseReturnValue:
    """Import a file and show the result."""
    options, content = filled(ImportForm), form().file
    if content is None:
        raise Invalid({"file": ["Choose a file first."]})
    rejected: list[RejectedRow] = []
    result = core().invoice_imports.import_file(
        Upload(name="web console", content=content, environment=caller().environment),
        ImportOptions(
            dry_run=options.dry_run,
            keep_good=options.keep_good,
            on_rejected=lambda row: rejected.append(row) if len(rejected) < _MOST_REJECTED else None,
        ),
        caller(),
    )
    return show("admin/import.html", result=result, options=options, rejected=rejected, limit=_MOST_REJECTED)
