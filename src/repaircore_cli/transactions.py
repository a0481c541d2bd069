"""``repaircore transactions``."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from repaircore_cli.options import AsJson, Database, InTest, an_id, commands, operator
from repaircore_cli.session import opened
from repaircore_cli.terminal import print_json, print_rows

if TYPE_CHECKING:
    from repaircore.core import Core
    from repaircore.learning.ledger import PriceHistory, TransactionDetails
    from repaircore.transactions.listing import Statistics, TransactionFilterInput
    from repaircore.transactions.model import Transaction
    from repaircore.transactions.price_history import Paid


app = commands("Look through past repairs.")

ProblemOption = Annotated[str | None, typer.Option("--problem", metavar="ID|SLUG", help="Of this repair.")]
VehicleOption = Annotated[str | None, typer.Option("--vehicle", metavar="ID", help="On this stored vehicle.")]
FacilityOption = Annotated[
    int | None, typer.Option("--facility", metavar="ID", callback=an_id, help="Of this shop.")
]
MakeOption = Annotated[str | None, typer.Option("--make", metavar="NAME", help="On vehicles of this make.")]
FromOption = Annotated[str | None, typer.Option("--from", metavar="DATE", help="From this day on.")]
ToOption = Annotated[str | None, typer.Option("--to", metavar="DATE", help="Up to and on this day.")]


@app.command(
    "list", epilog="Example: repaircore transactions list --problem brake-pads-front --from 2026-01-01"
)
def list_(
    ctx: typer.Context,
    *,
    problem: ProblemOption = None,
    vehicle: VehicleOption = None,
    facility: FacilityOption = None,
    make: MakeOption = None,
    date_from: FromOption = None,
    date_to: ToOption = None,
    page: Annotated[int, typer.Option("--page", metavar="N", min=1, help="Which page.")] = 1,
    per_page: Annotated[
        int, typer.Option("--per-page", metavar="N", min=1, max=100, help="How many at most.")
    ] = 15,
    test: InTest = False,
    database: Database = None,
    as_json: AsJson = False,
) -> None:
    """List past repairs, the latest first."""
    with opened(ctx, database) as core:
        filters = _filters(
            core,
            problem=problem,
            vehicle=vehicle,
            facility=facility,
            make=make,
            days=(date_from, date_to),
        )
        found = core.ledger.page(number=page, per_page=per_page, caller=operator(test=test), **filters)
        names = {one.id: one.display_name for one in core.problems.list_all()}
    if as_json:
        from repaircore.learning.views import shape

        print_json(
            {
                "data": [shape(one) for one in found],
                "meta": {
                    "current_page": found.number,
                    "per_page": found.per_page,
                    "total": found.total,
                    "last_page": found.last,
                },
            }
        )
    else:
        heads = ("id", "performed on", "repair", "parts", "labor", "total", "to be looked at")
        print_rows(heads, [_row(one, names) for one in found])
        typer.echo(f"Page {found.number} of {found.last}, {found.total:,} in all.", err=True)


@app.command(epilog="Example: repaircore transactions show 17")
def show(
    ctx: typer.Context,
    *,
    number: Annotated[int, typer.Argument(metavar="ID", callback=an_id, help="Which one.")],
    test: InTest = False,
    database: Database = None,
    as_json: AsJson = False,
) -> None:
    """Show a past repair, and what was learned from it."""
    with opened(ctx, database) as core:
        told = core.ledger.details(number, operator(test=test))
    if as_json:
        from repaircore.learning.views import details_shape

        print_json(details_shape(told))
    else:
        _printed(told)


@app.command(epilog="Example: repaircore transactions plot brake-pads-front --make honda")
def plot(
    ctx: typer.Context,
    *,
    problem: Annotated[str, typer.Argument(metavar="PROBLEM", help="The repair: an id or a slug.")],
    file: Annotated[
        Path | None,
        typer.Option(
            "--out", metavar="FILE", help="Where to draw it: .png, .svg or .pdf. [default: PROBLEM.png]"
        ),
    ] = None,
    make: MakeOption = None,
    test: InTest = False,
    database: Database = None,
    as_json: AsJson = False,
) -> None:
    """Draw what was paid for a repair: how it spreads, and how it moved over the months."""
    from repaircore_cli.plots import paid_plot, require_plots

    if file is not None:
        require_plots(file)
    with opened(ctx, database) as core:
        found = core.problems.get(problem)
        told = core.price_histories.of(found.id, make=make, caller=operator(test=test))
    drawn = file or Path(f"{found.slug}.png")
    if told.paid is not None:
        require_plots(drawn)
        paid_plot(told, told.paid, drawn)
    if as_json:
        print_json(_paid_shape(told, drawn))
    elif told.paid is None:
        typer.echo("There is no invoice of this repair yet.", err=True)
    else:
        _print_paid(told.paid, drawn)


@app.command(epilog="Example: repaircore transactions stats --make honda")
def stats(
    ctx: typer.Context,
    *,
    problem: ProblemOption = None,
    vehicle: VehicleOption = None,
    facility: FacilityOption = None,
    make: MakeOption = None,
    date_from: FromOption = None,
    date_to: ToOption = None,
    test: InTest = False,
    database: Database = None,
    as_json: AsJson = False,
) -> None:
    """Count past repairs and add them up, together and by month."""
    with opened(ctx, database) as core:
        filters = _filters(
            core,
            problem=problem,
            vehicle=vehicle,
            facility=facility,
            make=make,
            days=(date_from, date_to),
        )
        told = core.ledger.statistics(operator(test=test), **filters)
    if as_json:
        from repaircore.learning.views import stats_shape

        print_json(stats_shape(told))
    else:
        _figures(told)


def _filters(
    core: "Core",
    *,
    problem: str | None,
    vehicle: str | None,
    facility: int | None,
    make: str | None,
    days: tuple[str | None, str | None],
) -> "TransactionFilterInput":
    """Read filters as they are typed.

    Raises:
        Invalid: a date or a vehicle's id cannot be read.
        ProblemNotFound: there is no such repair.
    """
    first, last = days
    return {
        "problem_id": None if problem is None else core.problems.get(problem).id,
        "vehicle_id": _read("vehicle", vehicle),
        "facility_id": facility,
        "make": make,
        "date_from": _read("from", first),
        "date_to": _read("to", last),
    }


def _read(option: str, text: str | None) -> Any:
    from datetime import date
    from uuid import UUID

    from repaircore.kernel.errors import Invalid

    if text is None:
        return None
    try:
        return UUID(text) if option == "vehicle" else date.fromisoformat(text)
    except ValueError:
        wanted = "the id of a stored vehicle" if option == "vehicle" else "a date such as 2026-01-31"
        raise Invalid({option: [f"This is not {wanted}: {text}"]}) from None


def _row(one: "Transaction", names: dict[int, str]) -> tuple[object, ...]:
    return (
        one.id,
        one.performed_on,
        names.get(one.problem_id, one.problem_id),
        *(f"{cents / 100:,.2f}" for cents in (one.parts_total, one.labor_total, one.total)),
        "yes" if one.review else "",
    )


def _printed(told: "TransactionDetails") -> None:
    from repaircore.learning.views import review_sentence, sentences

    one = told.transaction
    typer.echo(f"{one.performed_on}  {told.problem.display_name}  {told.vehicle.display_name}")
    for part in one.parts:
        typer.echo(f"  {part.quantity} × {part.name}, ${part.unit_price / 100:,.2f} each")
    typer.echo(
        f"  {one.labor_hours:g} h at ${one.labor_rate / 100:,.2f}; parts ${one.parts_total / 100:,.2f}, "
        f"labor ${one.labor_total / 100:,.2f}, total ${one.total / 100:,.2f}"
    )
    if told.facility is not None:
        typer.echo(f"  {told.facility.name}")
    for sentence in (*sentences(one.lesson), review_sentence(review=one.review)):
        typer.echo(f"  {sentence}")


def _figures(told: "Statistics") -> None:
    heads = ("month", "repairs", "parts", "labor", "total", "average")
    rows = [_sums(month.month, month.n, month.parts_total, month.labor_total) for month in told.months]
    print_rows(heads, [*rows, _sums("all", told.n, told.parts_total, told.labor_total)])


def _sums(label: str, count: int, parts: int, labor: int) -> tuple[str, ...]:
    total = parts + labor
    average = f"{total / count / 100:,.2f}" if count else ""
    return label, f"{count:,}", *(f"{cents / 100:,.2f}" for cents in (parts, labor, total)), average


def _print_paid(paid: "Paid", drawn: Path) -> None:
    from repaircore.kernel.money import dollars

    amounts = (paid.low, paid.average, paid.high)
    row = (f"{len(paid.totals):,}", *(f"${dollars(amount):,.2f}" for amount in amounts), drawn)
    print_rows(("invoices", "low", "average", "high", "drawn in"), [row])


def _paid_shape(told: "PriceHistory", drawn: Path) -> dict[str, Any]:
    from repaircore.kernel.money import dollars

    paid = told.paid
    shape: dict[str, Any] = {"problem": told.problem.slug, "make": told.make, "invoices": 0}
    if paid is None:
        return shape
    return {
        **shape,
        "invoices": len(paid.totals),
        "low": dollars(paid.low),
        "middle": dollars(paid.middle),
        "average": dollars(paid.average),
        "high": dollars(paid.high),
        "months": [
            {
                "month": one.month.isoformat()[:7],
                "invoices": one.invoices,
                "low": dollars(one.low),
                "middle": dollars(one.middle),
                "high": dollars(one.high),
            }
            for one in paid.months
        ],
        "file": str(drawn),
    }
