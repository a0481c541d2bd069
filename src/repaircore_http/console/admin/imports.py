"""Files of invoices, brought in."""

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
"""The largest file that is brought in while somebody waits; larger ones are for the command line."""

_LISTED: Final = 200
"""So many refused rows are shown, each with its reasons."""


def _too_large() -> Invalid:
    text = f"The file must not be larger than {MOST_FILE_BYTES // 2**20} MB. Larger ones: repaircore import transactions."
    return Invalid({"file": [text]})


@frozen(kw_only=True)
class ImportForm:
    """What is to be done with the file."""

    dry_run: bool = False
    keep_good: bool = False


@imports.get("/admin/import")
def index() -> ResponseReturnValue:
    """Show the form."""
    return show("admin/import.html", taken=None)


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
    """Bring a file in, and tell what became of its rows."""
    known, wishes, content = caller(), filled(ImportForm), form().file
    if content is None:
        raise Invalid({"file": ["Choose a file first."]})
    listed = _RejectedRows()
    taken = core().invoice_imports.bring_in(
        Upload(name="web console", content=content, environment=known.environment),
        ImportOptions(dry_run=wishes.dry_run, keep_good=wishes.keep_good, refused=listed.take),
        known,
    )
    return show("admin/import.html", taken=taken, wishes=wishes, refused=listed.rows, most=_LISTED)


class _RejectedRows:
    """The first refused rows."""

    def __init__(self) -> None:
        self.rows: list[RejectedRow] = []

    def take(self, row: RejectedRow) -> None:
        """List a row while there is room."""
        if len(self.rows) < _LISTED:
            self.rows.append(row)
