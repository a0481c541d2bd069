"""``repaircore payments``."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from repaircore_cli.bar import bar
from repaircore_cli.options import (
    AsJson,
    InEnvironment,
    Limit,
    OfPartner,
    PageNumber,
    Yes,
    an_id,
    environment_named,
    one_of,
)
from repaircore_cli.prompts import confirm
from repaircore_cli.session import Output, commands, reading
from repaircore_cli.terminal import in_dollars, none_of, print_json, print_left, print_rows

if TYPE_CHECKING:
    from collections.abc import Iterable

    from repaircore.core import Core
    from repaircore.payments.model import Entry, Payment
    from repaircore.rides.unpaid import UnpaidRide


app = commands("Look up payments, refund them, and finish the ones that are left pending.")

_PaymentId = Annotated[str, typer.Argument(metavar="ID", help="The payment's id, from `list`.")]


@app.command(
    "list",
    epilog="Example: repaircore payments list --status captured --limit 20",
    opening=reading,
    rows=True,
)
def list_(
    core: "Core",
    *,
    status: Annotated[
        str | None,
        typer.Option("--status", metavar="STATUS", help="Only in this state: authorized, captured, …"),
    ] = None,
    subject: Annotated[
        str | None, typer.Option("--subject", metavar="REF", help="Only for one ride or tow.")
    ] = None,
    partner: OfPartner = None,
    page: PageNumber = 1,
    limit: Limit = 100,
    environment: InEnvironment = "live",
) -> Output:
    """List payments, newest first."""
    from repaircore.payments.model import PaymentFilter, PaymentState
    from repaircore.payments.views import PaymentView

    selection = PaymentFilter(
        environment=environment_named(environment),
        partner_id=an_id(partner),
        state=one_of(PaymentState, status, "status"),
        subject=subject,
    )
    payments = core.payments.list_page(selection, number=page, per_page=limit)
    yield [*map(PaymentView.of, payments)]
    heads = ("id", "state", "subject", "amount ($)", "captured ($)", "refunded ($)", "reason", "created")
    print_rows(heads, [*map(_row, payments)], none=none_of("payments", status, subject, partner, page - 1))
    print_left(payments)


@app.command(
    epilog="Example: repaircore payments show 01890000-0000-7000-8000-000000000001",
    opening=reading,
    rows=True,
)
def show(core: "Core", *, payment_id: _PaymentId, environment: InEnvironment = "live") -> Output:
    """Show a payment with its timeline and its entries in the books."""
    from repaircore.json_text import plain
    from repaircore.kernel.timeline import timeline_view
    from repaircore.kernel.views import iso_utc
    from repaircore.payments.views import EntryView, PaymentView

    detail = core.payments.get(payment_id, environment=environment_named(environment))
    fields: dict[str, Any] = plain(PaymentView.of(detail.payment))
    entries = [*map(EntryView.of, detail.entries)]
    yield {**fields, "timeline": timeline_view(detail.timeline), "entries": entries}
    fields["allowed_actions"] = ", ".join(fields["allowed_actions"])
    for label, value in fields.items():
        if value not in {None, ""}:
            typer.echo(f"{label.replace('_', ' '):20}{value}")
    typer.echo()
    steps = [(iso_utc(step.at), step.action, step.before, step.after, step.actor) for step in detail.timeline]
    print_rows(("at", "action", "from", "to", "by"), steps, none="No timeline.")
    typer.echo()
    print_rows(
        ("at", "kind", "account", "dollars"), [*_rows_of(detail.entries)], none="No entries in the books."
    )


@app.command(
    epilog='Example: repaircore payments refund 01890000-0000-7000-8000-000000000001 --amount 20 --reason "Towed late"'
)
def refund(
    core: "Core",
    *,
    payment_id: _PaymentId,
    amount: Annotated[
        float | None,
        typer.Option(
            "--amount",
            metavar="DOLLARS",
            min=0.01,
            max=999_999.99,
            help="The total refund, including earlier refunds; by default, the whole captured amount.",
        ),
    ] = None,
    reason: Annotated[
        str | None, typer.Option("--reason", metavar="TEXT", help="The reason, for the record.")
    ] = None,
    environment: InEnvironment = "live",
    yes: Yes = False,
) -> Output:
    """Refund a payment. Repeating the command refunds nothing more, and finishes an unfinished refund."""
    from repaircore.kernel.callers import LOCAL
    from repaircore.kernel.money import cents
    from repaircore.payments.views import PaymentView

    if amount is not None and not _is_in_cents(amount):
        raise typer.BadParameter("must be dollars and whole cents, such as 20.50", param_hint="--amount")
    chosen = environment_named(environment)
    total = None if amount is None else cents(amount)
    payment = core.payments.get(payment_id, environment=chosen).payment
    new_total = in_dollars(payment.captured if total is None else total)
    captured, refunded = in_dollars(payment.captured), in_dollars(payment.refunded)
    confirm(
        f"Refunded so far: {refunded} of {captured} for {payment.subject}. Refund {new_total} in total?",
        yes=yes,
    )
    payment = core.refunds.refund(payment_id, LOCAL, environment=chosen, amount=total, reason=reason)
    yield PaymentView.of(payment)
    refunded, captured = in_dollars(payment.refunded), in_dollars(payment.captured)
    typer.echo(f"Refunded: {refunded} of {captured} for {payment.subject}.")


@app.command(epilog="Example: repaircore payments owed --partner 3", opening=reading, rows=True)
def owed(
    core: "Core",
    *,
    partner: OfPartner = None,
    page: PageNumber = 1,
    limit: Limit = 100,
    environment: InEnvironment = "live",
) -> Output:
    """List rides and tows whose fee could not be captured, because the authorization had expired."""
    from repaircore.rides.unpaid import UnpaidRideView

    chosen = environment_named(environment)
    unpaid_rides = core.unpaid_rides.list_page(chosen, partner_id=an_id(partner), number=page, per_page=limit)
    yield [UnpaidRideView.of(unpaid) for unpaid in unpaid_rides]
    print_rows(
        ("ride", "partner", "owed", "customer", "payment", "since"),
        [*map(_unpaid_row, unpaid_rides)],
        none="Nobody owes anything.",
    )
    print_left(unpaid_rides)


@app.command(epilog="Example: repaircore payments reconcile --older-than 600")
def reconcile(
    core: "Core",
    *,
    older_than: Annotated[
        int,
        typer.Option(
            "--older-than",
            metavar="SECONDS",
            min=20,
            max=86_400,
            help="How long a step must have been pending. 20 seconds is twice the deadline of an external call.",
        ),
    ] = 20,
    as_json: AsJson = False,
) -> None:
    """Finish or undo payments that are left pending; exits with status 1 if any contradict their gateway."""
    from datetime import timedelta

    with bar("Payments") as update:
        result = core.payment_reconciliation.reconcile(
            timedelta(seconds=older_than), lambda count: update(count, count)
        )
    if as_json:
        print_json(
            {
                "finished": result.finished,
                "undone": result.undone,
                "waiting": result.waiting,
                "stuck": list(result.stuck),
            }
        )
    else:
        typer.echo(f"{result.finished} finished, {result.undone} undone.")
    if result.waiting:
        typer.echo(
            f"{result.waiting} are waiting for a gateway that is not responding. Run the command again.",
            err=True,
        )
    for payment_id in result.stuck:
        typer.echo(f"Payment {payment_id} contradicts its gateway. See `repaircore payments show`.", err=True)
    if result.stuck:
        raise typer.Exit(1)


def _row(payment: "Payment") -> tuple[object, ...]:
    from repaircore.kernel.views import iso_utc

    return (
        payment.id,
        payment.state,
        payment.subject,
        in_dollars(payment.amount),
        in_dollars(payment.captured),
        in_dollars(payment.refunded),
        payment.reason,
        iso_utc(payment.created_at),
    )


def _unpaid_row(unpaid: "UnpaidRide") -> tuple[object, ...]:
    from repaircore.kernel.views import iso_utc

    ride, payment = unpaid.ride, unpaid.payment
    return (
        ride.ref,
        ride.partner_id,
        in_dollars(unpaid.owed),
        ride.customer_ref,
        payment.id,
        iso_utc(payment.updated_at),
    )


def _rows_of(entries: "Iterable[Entry]") -> "Iterable[tuple[object, ...]]":
    from repaircore.kernel.views import iso_utc

    return ((iso_utc(entry.at), entry.kind, entry.account, in_dollars(entry.cents)) for entry in entries)


def _is_in_cents(amount: float) -> bool:
    """Return whether an amount of dollars is a whole number of cents."""
    from math import isfinite

    return isfinite(amount) and round(amount, 2) == amount
