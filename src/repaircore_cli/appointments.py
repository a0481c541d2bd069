"""``repaircore appointments``."""

from typing import TYPE_CHECKING, Annotated

import typer

from repaircore.kernel.timeline import OPERATOR
from repaircore_cli.options import Limit, OfEnvironment, Yes, environment_named, one_of
from repaircore_cli.prompts import confirm
from repaircore_cli.session import Output, commands, reading
from repaircore_cli.terminal import none_of, print_rows

if TYPE_CHECKING:
    from repaircore.appointments.model import Appointment
    from repaircore.appointments.views import AppointmentDetailView, AppointmentView
    from repaircore.core import Core


app = commands("Look up appointments, and close those that their partner left open.")

_Ref = Annotated[str, typer.Argument(metavar="REF", help="The reference, apt_….")]


@app.command(
    "list",
    epilog="Example: repaircore appointments list --from 2026-12-01 --to 2026-12-01 --status scheduled",
    opening=reading,
    rows=True,
)
def list_(
    core: "Core",
    *,
    mechanic: Annotated[
        str | None, typer.Option("--mechanic", metavar="REF", help="Only with this mechanic, mec_….")
    ] = None,
    customer: Annotated[
        str | None, typer.Option("--customer", metavar="REF", help="Only for this customer, cus_….")
    ] = None,
    first: Annotated[
        str | None, typer.Option("--from", metavar="DATE", help="Only on or after this day: 2026-12-01.")
    ] = None,
    last: Annotated[
        str | None, typer.Option("--to", metavar="DATE", help="Only on or before this day.")
    ] = None,
    status: Annotated[
        str | None,
        typer.Option("--status", metavar="STATUS", help="scheduled, completed, cancelled or no_show."),
    ] = None,
    environment: OfEnvironment = None,
    limit: Limit = 100,
) -> Output:
    """List all partners' appointments by start time. Dates are in each mechanic's time zone."""
    from repaircore.appointments.lifecycle import Status
    from repaircore.appointments.validation import AppointmentFilter
    from repaircore.kernel.paging import PageRequest
    from repaircore.structuring import structure

    values = {"mechanic_ref": mechanic, "customer_ref": customer, "date_from": first, "date_to": last}
    chosen = None if status is None else one_of(Status, status, "status")
    wanted = structure(AppointmentFilter, {**values, "status": None if chosen is None else chosen.value})
    page = core.appointments.list_page(
        environment_named(environment), wanted, PageRequest(per_page=limit, sort="starts_at")
    )
    yield [_view(core, appointment) for appointment in page]
    print_rows(
        ("reference", "start", "mechanic", "service", "status", "answer"),
        [
            (
                each.ref,
                _start(each),
                each.place.name,
                (each.service or "").replace("_", " "),
                each.status.value,
                each.response.value,
            )
            for each in page
        ],
        none=none_of("appointments", mechanic, customer, first, last, status, environment),
    )
    if page.total > limit:
        typer.echo(f"{page.total - limit:,} more: use --limit, --from or --to.", err=True)


@app.command(epilog="Example: repaircore appointments show apt_06dw9k0q1wfm7cn02p5vvmfwv4")
def show(core: "Core", *, ref: _Ref) -> Output:
    """Show an appointment."""
    from repaircore.mechanics.offers import format_price

    appointment, view = _detail(core, ref)
    yield view
    rows = (
        ("Reference", appointment.ref),
        ("Status", appointment.status.value),
        ("Start", _start(appointment)),
        ("Minutes", str(appointment.minutes)),
        ("Mechanic", f"{appointment.place.name} ({appointment.response})"),
        ("Reason", appointment.response_reason),
        ("Customer", appointment.customer_ref),
        ("Service", (appointment.service or "").replace("_", " ")),
        ("Price", "" if appointment.price is None else format_price(appointment.price)),
        ("Vehicle", appointment.vehicle and (appointment.vehicle.name or appointment.vehicle.vin)),
        ("Address", appointment.address),
        ("Fee", "" if appointment.cancel_fee is None else format_price(appointment.cancel_fee)),
        ("No-show fee", "" if not appointment.no_show_fee else format_price(appointment.no_show_fee)),
    )
    for label, value in rows:
        if value:
            typer.echo(f"{label:12}{value}")


@app.command(epilog="Example: repaircore appointments complete apt_06dw9k0q1wfm7cn02p5vvmfwv4 --yes")
def complete(core: "Core", *, ref: _Ref, yes: Yes = False) -> Output:
    """Complete an appointment that has started, without an invoice."""
    yield from _end(core, ref, "completed", yes=yes)


@app.command(
    "no-show", epilog="Example: repaircore appointments no-show apt_06dw9k0q1wfm7cn02p5vvmfwv4 --yes"
)
def no_show(core: "Core", *, ref: _Ref, yes: Yes = False) -> Output:
    """Mark an appointment that has started as a no-show."""
    yield from _end(core, ref, "no_show", yes=yes)


@app.command(epilog="Example: repaircore appointments cancel apt_06dw9k0q1wfm7cn02p5vvmfwv4 --yes")
def cancel(
    core: "Core",
    *,
    ref: _Ref,
    reason: Annotated[
        str | None, typer.Option("--reason", metavar="TEXT", help="The reason, shown to the partner.")
    ] = None,
    yes: Yes = False,
) -> Output:
    """Cancel an appointment; its customer and its mechanic are notified."""
    from repaircore.appointments.validation import CancelAppointment
    from repaircore.kernel.money import dollars
    from repaircore.mechanics.offers import format_price

    caller = core.appointments.caller_of(ref)
    appointment, cost = core.appointments.preview_cancellation(ref, caller)
    confirm(
        f"Cancel {ref}, {_start(appointment)} at {appointment.place.name}? Fee: {format_price(cost.fee)}.",
        yes=yes,
    )
    # Answering the prompt may take a while: the operator has agreed to this fee only.
    data = CancelAppointment(reason=reason, expected_fee=dollars(cost.fee))
    core.appointments.cancel(ref, caller, data, actor=OPERATOR)
    yield _detail(core, ref)[1]
    typer.echo(f"{ref} is canceled.")


def _end(core: "Core", ref: str, status: str, *, yes: bool) -> Output:
    from repaircore.appointments.lifecycle import Status

    caller = core.appointments.caller_of(ref)
    appointment, _ = core.appointments.get(ref, caller)
    confirm(f"End {ref}, {_start(appointment)} at {appointment.place.name}, as {status}?", yes=yes)
    core.appointments.update(ref, {"status": Status(status)}, caller, actor=OPERATOR)
    yield _detail(core, ref)[1]
    typer.echo(f"{ref} is {status}.")


def _start(appointment: "Appointment") -> str:
    from repaircore.kernel.hours import format_minute

    return f"{appointment.day} {format_minute(appointment.minute)} ({appointment.place.time_zone})"


def _view(core: "Core", appointment: "Appointment") -> "AppointmentView":
    from repaircore.appointments.views import AppointmentView

    return AppointmentView.of(appointment, at=core.clock())


def _detail(core: "Core", ref: str) -> "tuple[Appointment, AppointmentDetailView]":
    from repaircore.appointments.views import detail_view

    appointment, steps = core.appointments.get(ref, core.appointments.caller_of(ref))
    return appointment, detail_view(appointment, steps, at=core.clock())
