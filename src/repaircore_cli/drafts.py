"""``repaircore drafts``."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from repaircore.kernel.wording import counted
from repaircore_cli.options import InTest, Limit, PageNumber, Yes, one_of, operator
from repaircore_cli.prompts import confirm
from repaircore_cli.session import Output, commands, reading
from repaircore_cli.terminal import in_dollars, none_of, print_left, print_rows

if TYPE_CHECKING:
    from repaircore.core import Core
    from repaircore.invoice_drafts.model import InvoiceDraft
    from repaircore.invoice_drafts.views import InvoiceDraftView


app = commands("Look up invoice drafts, correct them, and record their transactions.")

_Number = Annotated[str, typer.Argument(metavar="NUMBER", help="The draft's number, from `drafts list`.")]

_LARGEST = 1_000_000
"""The maximum size of a corrected draft in bytes; the longest draft is far smaller."""


@app.command(
    "list", epilog="Example: repaircore drafts list --status draft --sort -total", opening=reading, rows=True
)
def list_(
    core: "Core",
    *,
    status: Annotated[
        str | None, typer.Option("--status", metavar="STATUS", help="draft or recorded.")
    ] = None,
    search: Annotated[
        str | None,
        typer.Option("--search", metavar="TEXT", help="Search numbers, shops, VINs and vehicles."),
    ] = None,
    sort: Annotated[
        str,
        typer.Option(
            "--sort",
            metavar="ORDER",
            help="created_at, performed_on, shop_name, total, …; a leading - reverses the order.",
        ),
    ] = "",
    page: PageNumber = 1,
    limit: Limit = 15,
    test: InTest = False,
) -> Output:
    """List all users' drafts, newest first."""
    from repaircore.invoice_drafts.model import DraftStatus
    from repaircore.invoice_drafts.views import InvoiceDraftSummaryView
    from repaircore.kernel.paging import PageRequest

    found = core.invoice_drafts.page(
        operator(test=test),
        status=one_of(DraftStatus, status, "status"),
        search=search,
        request=PageRequest(number=page, per_page=limit, sort=sort),
    )
    yield [InvoiceDraftSummaryView.of(draft) for draft in found]
    print_rows(
        ("number", "status", "version", "shop", "vehicle", "day", "total ($)", "doubts"),
        [
            (
                draft.number,
                draft.status.value,
                draft.version,
                draft.shop_name,
                draft.vehicle or draft.vin,
                draft.performed_on,
                in_dollars(draft.total),
                draft.doubt_count,
            )
            for draft in found
        ],
        none=none_of("drafts", status, search, page - 1),
    )
    print_left(found)


@app.command(epilog="Example: repaircore drafts show D-20260131-7KXM4P", opening=reading, rows=True)
def show(core: "Core", *, number: _Number, test: InTest = False) -> Output:
    """Show a draft: its lines, the sums that do not add up, and the doubtful values."""
    draft = core.invoice_drafts.get(number, operator(test=test))
    yield view_of(core, draft)
    print_draft(draft)


@app.command(epilog="Example: repaircore drafts update D-20260131-7KXM4P draft.json", rows=True)
def update(
    core: "Core",
    *,
    number: _Number,
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="The whole draft as JSON, as the HTTP API takes it or `drafts show --json` prints it.",
        ),
    ],
    test: InTest = False,
) -> Output:
    """Replace a draft with its corrected version, which clears all doubts."""
    from repaircore.invoice_drafts.requests import UpdateInvoiceDraft
    from repaircore.structuring import structure

    data = structure(UpdateInvoiceDraft, _corrected(file))
    draft = core.invoice_drafts.update(number, data, operator(test=test))
    yield view_of(core, draft)
    print_draft(draft)


@app.command(epilog="Example: repaircore drafts record D-20260131-7KXM4P")
def record(
    core: "Core",
    *,
    number: _Number,
    accept_difference: Annotated[
        bool, typer.Option("--accept-difference", help="Record it even if its sums do not add up.")
    ] = False,
    version: Annotated[
        int | None,
        typer.Option(
            "--version",
            metavar="N",
            min=1,
            help="The version that you saw; refused if the draft has changed since.",
            show_default=False,
        ),
    ] = None,
    test: InTest = False,
) -> Output:
    """Record a transaction for each repair of a draft, exactly once, and learn from them."""
    from repaircore.invoice_drafts.requests import RecordInvoiceDraft

    data = RecordInvoiceDraft(version=version, accept_difference=accept_difference)
    draft = core.invoice_drafts.record(number, data, operator(test=test))
    yield view_of(core, draft)
    ids = ", ".join(map(str, draft.transactions))
    count = len(draft.transactions)
    typer.echo(f"{counted(count, 'transaction')} recorded: {ids}.")


@app.command(epilog="Example: repaircore drafts delete D-20260131-7KXM4P")
def delete(core: "Core", *, number: _Number, yes: Yes = False, test: InTest = False) -> Output:
    """Delete a draft; transactions recorded from it are kept."""
    from repaircore.invoice_drafts.views import DeletedInvoiceDraftView

    caller = operator(test=test)
    core.invoice_drafts.get(number, caller)
    confirm(f"Delete draft {number}?", yes=yes)
    core.invoice_drafts.delete(number, caller)
    yield DeletedInvoiceDraftView(number=number)
    typer.echo(f"Draft {number} is deleted.")


def view_of(core: "Core", draft: "InvoiceDraft") -> "InvoiceDraftView":
    """Return a draft as the API returns it."""
    from repaircore.invoice_drafts.views import InvoiceDraftView

    return InvoiceDraftView.of(draft, core.problems.find)


def print_draft(draft: "InvoiceDraft") -> None:
    """Print a draft as text."""
    from repaircore.invoice_drafts.sums import sums_that_differ

    invoice = draft.invoice
    heading = (draft.number, draft.status.value, f"version {draft.version}")
    about = (invoice.shop_name, invoice.performed_on, invoice.vehicle_name, invoice.vin)
    miles = None if invoice.odometer is None else counted(invoice.odometer, "mile")
    typer.echo(" · ".join(heading))
    typer.echo(" · ".join(str(part) for part in (*about, miles) if part))
    print_rows(
        ("line", "kind", "description", "repair", "hours", "rate ($)", "parts ($)", "total ($)"),
        [
            (
                place,
                line.kind.value,
                line.description,
                line.problem_slug,
                line.labor_hours,
                None if line.labor_rate is None else in_dollars(line.labor_rate),
                None if line.parts_total is None else in_dollars(line.parts_total),
                in_dollars(line.total),
            )
            for place, line in enumerate(invoice.lines, 1)
        ],
        none="The draft has no lines.",
    )
    if invoice.total is not None:
        typer.echo(f"The invoice says {in_dollars(invoice.total)}.")
    for text in sums_that_differ(invoice):
        typer.echo(f"! {text}")
    for field, text in draft.doubts.items():
        typer.echo(f"? {field}: {text}")
    for line in draft.unread:
        typer.echo(f"? not read: {line}")
    if draft.transactions:
        typer.echo(f"Recorded as transactions {', '.join(map(str, draft.transactions))}.")


def _corrected(file: Path) -> dict[str, Any]:
    """Return the draft in a file, without the fields that only responses have.

    Raises:
        Invalid: on ``file``: it is not a JSON object, or too large.
        OSError: it cannot be read.
    """
    from attrs import fields

    from repaircore.invoice_drafts.requests import DraftLineInput, UpdateInvoiceDraft
    from repaircore.json_text import NotJsonError, decode_strict
    from repaircore.kernel.errors import Invalid

    with file.open("rb") as opened:
        content = opened.read(_LARGEST + 1)
    if len(content) > _LARGEST:
        raise Invalid({"file": [f"The file is larger than {_LARGEST:,} bytes."]})
    try:
        data = decode_strict(content)
    except NotJsonError as error:
        raise Invalid({"file": [f"The file {error}."]}) from None
    if not isinstance(data, dict):
        raise Invalid({"file": ["The file must contain a JSON object."]})
    names = {field.name for field in fields(UpdateInvoiceDraft)}
    own = {field.name for field in fields(DraftLineInput)}
    kept = {name: value for name, value in data.items() if name in names}
    if isinstance(kept.get("lines"), list):
        kept["lines"] = [_line(line, own) for line in kept["lines"]]
    return kept


def _line(line: Any, names: set[str]) -> Any:
    if not isinstance(line, dict):
        return line
    problem = line.get("problem")
    slug = {"problem_identifier": problem.get("slug")} if isinstance(problem, dict) else {}
    return {**slug, **{name: value for name, value in line.items() if name in names}}
