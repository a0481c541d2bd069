"""``repaircore transactions``."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from repaircore_cli.completion import make_names, problem_slugs
from repaircore_cli.options import InTest, Limit, PageNumber, an_id, operator, parse_day
from repaircore_cli.repairs import PROBLEM_HELP, repair
from repaircore_cli.session import Output, commands, reading
from repaircore_cli.terminal import in_dollars, none_of, print_left, print_rows, print_text

if TYPE_CHECKING:
    from uuid import UUID

    from repaircore.core import Core
    from repaircore.learning.ledger import TransactionDetails
    from repaircore.transactions.listing import ListTransactions, Statistics
    from repaircore.transactions.model import Transaction
    from repaircore.transactions.price_history import Paid


app = commands("List, show and plot past repairs.")

ProblemOption = Annotated[
    str | None,
    typer.Option(
        "--problem",
        metavar="SLUG",
        help="Only this repair: a slug, an id, or words.",
        autocompletion=problem_slugs,
    ),
]
VehicleOption = Annotated[
    str | None, typer.Option("--vehicle", metavar="ID", help="Only this stored vehicle.")
]
FacilityOption = Annotated[
    int | None, typer.Option("--facility", metavar="ID", callback=an_id, help="Only this shop.")
]
MakeOption = Annotated[
    str | None,
    typer.Option("--make", metavar="MAKE", help="Only vehicles of this make.", autocompletion=make_names),
]
FromOption = Annotated[str | None, typer.Option("--from", metavar="DATE", help="From this date on.")]
ToOption = Annotated[str | None, typer.Option("--to", metavar="DATE", help="Up to and including this date.")]


@app.command(
    "list",
    epilog="Example: repaircore transactions list --problem brake-pads-front --from 2026-01-01",
    opening=reading,
    rows=True,
)
def list_(
    core: "Core",
    *,
    problem: ProblemOption = None,
    vehicle: VehicleOption = None,
    facility: FacilityOption = None,
    make: MakeOption = None,
    date_from: FromOption = None,
    date_to: ToOption = None,
    page: PageNumber = 1,
    limit: Limit = 15,
    test: InTest = False,
) -> Output:
    """List past repairs, the latest first."""
    from repaircore.kernel.paging import PageRequest
    from repaircore.learning.views import TransactionView

    filters = _filters(
        core, problem=problem, vehicle=vehicle, facility=facility, make=make, days=(date_from, date_to)
    )
    found = core.ledger.page(filters, operator(test=test), request=PageRequest(number=page, per_page=limit))
    names = {problem.id: problem.display_name for problem in core.problems.list_all()}
    yield {
        "data": [TransactionView.of(transaction) for transaction in found],
        "meta": {
            "current_page": found.number,
            "per_page": found.per_page,
            "total": found.total,
            "last_page": found.last,
        },
    }
    heads = ("id", "performed on", "repair", "parts ($)", "labor ($)", "total ($)", "to review")
    print_rows(
        heads,
        [_row(transaction, names) for transaction in found],
        none=none_of("past repairs", problem, vehicle, facility, make, date_from, date_to, page - 1),
    )
    print_left(found)


@app.command(epilog="Example: repaircore transactions show 17", opening=reading)
def show(
    core: "Core",
    *,
    number: Annotated[int, typer.Argument(metavar="ID", callback=an_id, help="The transaction's id.")],
    test: InTest = False,
) -> Output:
    """Show a past repair, and what was learned from it."""
    from repaircore.learning.views import TransactionDetailsView

    details = core.ledger.get_details(number, operator(test=test))
    yield TransactionDetailsView.of_details(details)
    _print_details(details)


@app.command(
    epilog="Example: repaircore transactions plot brake-pads-front --make honda", opening=reading, rows=True
)
def plot(
    core: "Core",
    *,
    problem: Annotated[
        str, typer.Argument(metavar="PROBLEM", help=PROBLEM_HELP, autocompletion=problem_slugs)
    ],
    file: Annotated[
        Path | None,
        typer.Option(
            "--out", metavar="FILE", help="The file to write: .png, .svg or .pdf. [default: PROBLEM.png]"
        ),
    ] = None,
    make: MakeOption = None,
    test: InTest = False,
) -> Output:
    """Plot the prices paid for a repair: their distribution, and their trend by month."""
    from repaircore.learning.views import price_history_view
    from repaircore_cli.plots import paid_plot, require_plots

    if file is not None:
        require_plots(file)
    found = repair(core, problem)
    history = core.price_histories.of(found.id, make=make, caller=operator(test=test))
    drawn = file or Path(f"{found.slug}.png")
    if history.paid is not None:
        require_plots(drawn)
        paid_plot(history, history.paid, drawn)
    yield price_history_view(history, file=str(drawn))
    if history.paid is None:
        typer.echo("There are no invoices for this repair yet.", err=True)
    else:
        _print_paid(history.paid, drawn)


@app.command(epilog="Example: repaircore transactions stats --make honda", opening=reading, rows=True)
def stats(
    core: "Core",
    *,
    problem: ProblemOption = None,
    vehicle: VehicleOption = None,
    facility: FacilityOption = None,
    make: MakeOption = None,
    date_from: FromOption = None,
    date_to: ToOption = None,
    test: InTest = False,
) -> Output:
    """Count past repairs and add up their prices, in total and by month."""
    from repaircore.learning.views import TransactionStatsView

    filters = _filters(
        core, problem=problem, vehicle=vehicle, facility=facility, make=make, days=(date_from, date_to)
    )
    statistics = core.ledger.statistics(filters, operator(test=test))
    yield TransactionStatsView.of(statistics)
    _print_statistics(statistics)


def _filters(
    core: "Core",
    *,
    problem: str | None,
    vehicle: str | None,
    facility: int | None,
    make: str | None,
    days: tuple[str | None, str | None],
) -> "ListTransactions":
    """Parse the filters.

    Raises:
        BadParameter: a date or a vehicle's id is malformed.
        NotFound: the repair does not exist.
    """
    from repaircore.transactions.listing import ListTransactions

    first, last = days
    return ListTransactions(
        problem_id=None if problem is None else repair(core, problem).id,
        vehicle_id=_vehicle_id(vehicle),
        facility_id=facility,
        make=make,
        date_from=parse_day(first, "--from"),
        date_to=parse_day(last, "--to"),
    )


def _vehicle_id(text: str | None) -> "UUID | None":
    from uuid import UUID

    if text is None:
        return None
    try:
        return UUID(text)
    except ValueError:
        raise typer.BadParameter("must be the id of a stored vehicle", param_hint="--vehicle") from None


def _row(transaction: "Transaction", names: dict[int, str]) -> tuple[object, ...]:
    amounts = (transaction.parts_total, transaction.labor_total, transaction.total)
    return (
        transaction.id,
        transaction.performed_on,
        names.get(transaction.problem_id, transaction.problem_id),
        *map(in_dollars, amounts),
        "yes" if transaction.review else "",
    )


def _print_details(details: "TransactionDetails") -> None:
    from repaircore.learning.appraisal import review_sentence, sentences

    transaction = details.transaction
    print_text(f"{transaction.performed_on}  {details.problem.display_name}  {details.vehicle.display_name}")
    for part in transaction.parts:
        print_text(f"  {part.quantity} × {part.name}, ${in_dollars(part.unit_price)} each", indent="    ")
    print_text(
        f"  {transaction.labor_hours:g} h at ${in_dollars(transaction.labor_rate)}; "
        f"parts ${in_dollars(transaction.parts_total)}, "
        f"labor ${in_dollars(transaction.labor_total)}, total ${in_dollars(transaction.total)}",
        indent="    ",
    )
    if details.facility is not None:
        print_text(f"  {details.facility.name}", indent="    ")
    for sentence in (*sentences(transaction.lesson), review_sentence(review=transaction.review)):
        print_text(f"  {sentence}", indent="    ")


def _print_statistics(statistics: "Statistics") -> None:
    heads = ("month", "repairs", "parts ($)", "labor ($)", "total ($)", "average ($)")
    rows = [
        _totals(month.month, month.n, month.parts_total, month.labor_total) for month in statistics.months
    ]
    print_rows(heads, [*rows, _totals("all", statistics.n, statistics.parts_total, statistics.labor_total)])


def _totals(label: str, count: int, parts: int, labor: int) -> tuple[str, ...]:
    total = parts + labor
    average = f"{total / count / 100:,.2f}" if count else ""
    return label, f"{count:,}", *map(in_dollars, (parts, labor, total)), average


def _print_paid(paid: "Paid", drawn: Path) -> None:
    amounts = (paid.low, paid.average, paid.high)
    row = (f"{len(paid.totals):,}", *(f"${in_dollars(amount)}" for amount in amounts), drawn)
    print_rows(("invoices", "low", "average", "high", "drawn in"), [row])
