"""``repaircore payments``."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from repaircore_cli.bar import bar
from repaircore_cli.options import (
    AsJson,
    Database,
    InEnvironment,
    InTest,
    Yes,
    an_id,
    commands,
    environment_of,
    one_of,
)
from repaircore_cli.prompts import confirm
from repaircore_cli.session import opened
from repaircore_cli.terminal import in_dollars, print_json, print_left, print_rows

if TYPE_CHECKING:
    from collections.abc import Iterable

    from repaircore.payments.model import Entry, Payment
    from repaircore.rides.unpaid import UnpaidRide


app = commands("Look payments up, give money back, and finish what was left under way.")

_PaymentId = Annotated[str, typer.Argument(metavar="ID", help="The payment's id, as a list tells it.")]


@app.command("list", epilog="Example: repaircore payments list --state captured --limit 20")
def list_(
    ctx: typer.Context,
    *,
    state: Annotated[
        str | None,
        typer.Option("--state", metavar="STATE", help="Only those that are authorized, captured, …"),
    ] = None,
    subject: Annotated[
        str | None, typer.Option("--subject", metavar="REF", help="Only those for one ride or tow.")
    ] = None,
    partner: Annotated[
        int | None, typer.Option("--partner", metavar="ID", help="Only those of one partner.")
    ] = None,
    page: Annotated[int, typer.Option("--page", metavar="N", min=1, help="Which page.")] = 1,
    limit: Annotated[
        int, typer.Option("--limit", metavar="N", min=1, max=100, help="How many at most.")
    ] = 100,
    environment: InEnvironment = "live",
    test: InTest = False,
    database: Database = None,
    as_json: AsJson = False,
) -> None:
    """List payments, the newest first."""
    from repaircore.payments.model import PaymentFilter, PaymentState

    wanted = PaymentFilter(
        environment=environment_of(environment, test=test),
        partner_id=an_id(partner),
        state=one_of(PaymentState, state, "state"),
        subject=subject,
    )
    with opened(ctx, database) as core:
        found = core.payments.page(wanted, number=page, per_page=limit)
    if as_json:
        from repaircore.payments.views import PaymentView

        print_json([PaymentView.of(one) for one in found])
        return
    heads = ("id", "state", "subject", "held", "captured", "refunded", "reason", "created")
    print_rows(heads, [*map(_row, found)])
    print_left(found)


@app.command(epilog="Example: repaircore payments show 01890000-0000-7000-8000-000000000001")
def show(
    ctx: typer.Context,
    *,
    payment_id: _PaymentId,
    environment: InEnvironment = "live",
    test: InTest = False,
    database: Database = None,
    as_json: AsJson = False,
) -> None:
    """Show a payment, what became of it step by step, and the lines of the books about it."""
    from repaircore.json_text import plain
    from repaircore.kernel.timeline import timeline_view
    from repaircore.kernel.views import iso_utc
    from repaircore.payments.views import EntryView, PaymentView

    with opened(ctx, database) as core:
        report = core.payments.show(payment_id, environment=environment_of(environment, test=test))
    shape: dict[str, Any] = plain(PaymentView.of(report.payment))
    if as_json:
        entries = [EntryView.of(one) for one in report.entries]
        print_json({**shape, "timeline": timeline_view(report.timeline), "entries": entries})
        return
    shape["allowed_actions"] = ", ".join(shape["allowed_actions"])
    for label, value in shape.items():
        if value not in {None, ""}:
            typer.echo(f"{label.replace('_', ' '):20}{value}")
    typer.echo()
    steps = [(iso_utc(step.at), step.action, step.before, step.after) for step in report.timeline]
    print_rows(("at", "action", "from", "to"), steps)
    typer.echo()
    print_rows(("at", "kind", "account", "dollars"), [*_lines(report.entries)])


@app.command(
    epilog='Example: repaircore payments refund 01890000-0000-7000-8000-000000000001 --amount 20 --reason "Towed late"'
)
def refund(
    ctx: typer.Context,
    *,
    payment_id: _PaymentId,
    amount: Annotated[
        float | None,
        typer.Option(
            "--amount",
            metavar="DOLLARS",
            min=0.01,
            max=999_999.99,
            help="How much is given back in all, what was given back before included; without, all that was taken.",
        ),
    ] = None,
    reason: Annotated[
        str | None, typer.Option("--reason", metavar="TEXT", help="Why, for the payment's record.")
    ] = None,
    environment: InEnvironment = "live",
    test: InTest = False,
    yes: Yes = False,
    database: Database = None,
    as_json: AsJson = False,
) -> None:
    """Give money of a payment back to who paid; the same again changes nothing, and ends what was begun."""
    from repaircore.kernel.callers import LOCAL
    from repaircore.kernel.money import cents
    from repaircore.payments.views import PaymentView

    if amount is not None and not _is_in_cents(amount):
        raise typer.BadParameter("takes dollars and whole cents, such as 20.50", param_hint="--amount")
    where = environment_of(environment, test=test)
    total = None if amount is None else cents(amount)
    with opened(ctx, database) as core:
        payment = core.payments.show(payment_id, environment=where).payment
        wanted = in_dollars(payment.captured if total is None else total)
        taken, before = in_dollars(payment.captured), in_dollars(payment.refunded)
        confirm(
            f"Of the {taken} taken for {payment.subject}, {before} were given back. Make it {wanted}?",
            yes=yes,
        )
        done = core.refunds.refund(payment_id, LOCAL, environment=where, amount=total, reason=reason)
    if as_json:
        print_json(PaymentView.of(done))
    else:
        typer.echo(
            f"Of {in_dollars(done.captured)} for {done.subject}, {in_dollars(done.refunded)} are given back."
        )


@app.command(epilog="Example: repaircore payments owed --partner 3")
def owed(
    ctx: typer.Context,
    *,
    partner: Annotated[
        int | None, typer.Option("--partner", metavar="ID", help="Only those of one partner.")
    ] = None,
    page: Annotated[int, typer.Option("--page", metavar="N", min=1, help="Which page.")] = 1,
    limit: Annotated[
        int, typer.Option("--limit", metavar="N", min=1, max=100, help="How many at most.")
    ] = 100,
    environment: InEnvironment = "live",
    test: InTest = False,
    database: Database = None,
    as_json: AsJson = False,
) -> None:
    """List rides and tows whose fee could not be taken, as what was held for it had lapsed at the gateway."""
    where = environment_of(environment, test=test)
    with opened(ctx, database) as core:
        found = core.unpaid_rides.list_page(where, partner_id=an_id(partner), number=page, per_page=limit)
    if as_json:
        from repaircore.rides.views import UnpaidRideView

        print_json([UnpaidRideView.of(one.ride, one.payment, one.owed) for one in found])
        return
    print_rows(("ride", "partner", "owed", "customer", "payment", "since"), [*map(_due, found)])
    print_left(found)


@app.command(epilog="Example: repaircore payments reconcile --older-than 600")
def reconcile(
    ctx: typer.Context,
    *,
    older_than: Annotated[
        int,
        typer.Option(
            "--older-than",
            metavar="SECONDS",
            min=20,
            max=86_400,
            help="How long a step has been under way at least; 20 seconds is twice what an outside call may take.",
        ),
    ] = 20,
    database: Database = None,
    as_json: AsJson = False,
) -> None:
    """Finish or undo payments that were left under way: exit status 1 when some contradict their gateway."""
    from datetime import timedelta

    with opened(ctx, database) as core, bar("Payments") as tell:
        done = core.payment_reconciliation.reconcile(
            timedelta(seconds=older_than), lambda seen: tell(seen, seen)
        )
    if as_json:
        print_json(
            {
                "finished": done.finished,
                "undone": done.undone,
                "waiting": done.waiting,
                "stuck": list(done.stuck),
            }
        )
    else:
        typer.echo(f"{done.finished} finished, {done.undone} undone.")
    if done.waiting:
        typer.echo(f"{done.waiting} wait for a gateway that does not answer: run it again.", err=True)
    for payment_id in done.stuck:
        typer.echo(
            f"Payment {payment_id} and its gateway contradict each other: see `repaircore payments show`.",
            err=True,
        )
    if done.stuck:
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


def _due(one: "UnpaidRide") -> tuple[object, ...]:
    from repaircore.kernel.views import iso_utc

    ride, payment = one.ride, one.payment
    return (
        ride.ref,
        ride.partner_id,
        in_dollars(one.owed),
        ride.customer_ref,
        payment.id,
        iso_utc(payment.updated_at),
    )


def _lines(entries: "Iterable[Entry]") -> "Iterable[tuple[object, ...]]":
    from repaircore.kernel.views import iso_utc

    return ((iso_utc(one.at), one.kind, one.account, in_dollars(one.cents)) for one in entries)


def _is_in_cents(amount: float) -> bool:
    """Tell whether dollars are as many whole cents."""
    from math import isfinite

    return isfinite(amount) and round(amount, 2) == amount
