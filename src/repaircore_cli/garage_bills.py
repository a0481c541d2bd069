"""``repaircore garage bill``, ``bills`` and ``remove-bill``."""

from typing import TYPE_CHECKING, Annotated

import typer

from repaircore_cli.garage_options import Day, Owner, Vehicle, caller_of
from repaircore_cli.options import InTest, Limit, PageNumber, Yes, parse_day
from repaircore_cli.prompts import confirm
from repaircore_cli.session import Output
from repaircore_cli.terminal import in_dollars, print_left, print_rows

if TYPE_CHECKING:
    from repaircore.core import Core


def bill(
    core: "Core",
    *,
    vehicle: Vehicle,
    total: Annotated[float, typer.Argument(metavar="DOLLARS", help="What was paid, tax included.")],
    title: Annotated[str | None, typer.Option("--title", metavar="TEXT", help="What it was for.")] = None,
    repair: Annotated[
        str | None,
        typer.Option("--repair", metavar="REPAIR", help="The repair in the book, which then counts as done."),
    ] = None,
    shop: Annotated[str | None, typer.Option("--shop", metavar="NAME", help="Who did it.")] = None,
    miles: Annotated[
        int | None, typer.Option("--miles", metavar="MILES", help="The odometer reading.")
    ] = None,
    on: Day = None,
    email: Owner = None,
    test: InTest = False,
) -> Output:
    """Record a bill that was paid for work on a vehicle, at any shop."""
    from repaircore.vehicle_bills.validation import RecordBill
    from repaircore.vehicle_bills.views import VehicleBillView

    paid = RecordBill(
        on=parse_day(on, "--on") or core.garage.today(),
        total=total,
        title=title,
        problem_identifier=repair,
        shop_name=shop,
        mileage=miles,
    )
    recorded = core.vehicle_bills.record(vehicle, paid, caller_of(core, email, test=test))
    yield VehicleBillView.of(recorded)
    typer.echo(f"The bill is recorded: {recorded.title}, ${in_dollars(recorded.total)}.")


def bills(
    core: "Core",
    *,
    vehicle: Vehicle,
    page: PageNumber = 1,
    limit: Limit = 15,
    email: Owner = None,
    test: InTest = False,
) -> Output:
    """List a vehicle's bills, newest first."""
    from repaircore.kernel.paging import PageRequest
    from repaircore.vehicle_bills.views import VehicleBillView

    request = PageRequest(number=page, per_page=limit)
    found = core.vehicle_bills.page(vehicle, request, caller_of(core, email, test=test))
    yield [VehicleBillView.of(listed) for listed in found]
    rows = [
        (listed.on, in_dollars(listed.total), listed.title, listed.shop_name or "", listed.id)
        for listed in found
    ]
    print_rows(("day", "total ($)", "for", "shop", "id"), rows)
    print_left(found)


def remove_bill(
    core: "Core",
    *,
    vehicle: Vehicle,
    bill: Annotated[str, typer.Argument(metavar="BILL", help="Its id, as `garage bills` prints it.")],
    yes: Yes = False,
    email: Owner = None,
    test: InTest = False,
) -> Output:
    """Delete a bill."""
    from repaircore.vehicle_bills.views import VehicleBillView

    confirm("Delete this bill?", yes=yes)
    yield VehicleBillView.of(core.vehicle_bills.remove(vehicle, bill, caller_of(core, email, test=test)))
    typer.echo("The bill is deleted.")
