"""``repaircore payments``."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from repaircore_cli.bar import bar
from repaircore_cli.opening import opened
from repaircore_cli.options import AsJson, Database, InTest, an_id, commands
from repaircore_cli.terminal import print_json, print_rows

if TYPE_CHECKING:
    from collections.abc import Iterable

    from repaircore.kernel.callers import Environment
    from repaircore.payments.model import Entry, Payment, PaymentState

__all__ = ["app"]

app = commands("Look payments up, and finish what was left under way.")


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
    test: InTest = False,
    database: Database = None,
    as_json: AsJson = False,
) -> None:
    """List payments, the newest first."""
    from repaircore.payments.model import PaymentFilter

    wanted = PaymentFilter(
        environment=_environment(test=test), partner_id=an_id(partner), state=_state(state), subject=subject
    )
    with opened(ctx, database) as core:
        found = core.payments.page(wanted, number=page, per_page=limit)
    if as_json:
        from repaircore.payments.told import payment_told

        print_json([payment_told(one) for one in found])
        return
    heads = ("id", "state", "subject", "held", "captured", "refunded", "reason", "created")
    print_rows(heads, [*map(_row, found)])
    left = found.total - (found.number - 1) * found.per_page - len(found.items)
    if found.items and left > 0:
        typer.echo(f"{left:,} more: use --page or --limit.", err=True)


@app.command(epilog="Example: repaircore payments show 01890000-0000-7000-8000-000000000001")
def show(
    ctx: typer.Context,
    *,
    payment_id: Annotated[str, typer.Argument(metavar="ID", help="The payment's id, as a list tells it.")],
    test: InTest = False,
    database: Database = None,
    as_json: AsJson = False,
) -> None:
    """Show a payment, what became of it step by step, and the lines of the books about it."""
    from repaircore.kernel.timeline import told
    from repaircore.payments.told import entry_told, payment_told

    with opened(ctx, database) as core:
        report = core.payments.show(payment_id, environment=_environment(test=test))
    shape: dict[str, Any] = payment_told(report.payment)
    if as_json:
        entries = [entry_told(one) for one in report.entries]
        print_json({**shape, "timeline": told(report.timeline), "entries": entries})
        return
    shape["allowed_actions"] = ", ".join(shape["allowed_actions"])
    for label, value in shape.items():
        if value not in {None, ""}:
            typer.echo(f"{label.replace('_', ' '):20}{value}")
    typer.echo()
    steps = [(step["at"], step["action"], step["from"], step["to"]) for step in told(report.timeline)]
    print_rows(("at", "action", "from", "to"), steps)
    typer.echo()
    print_rows(("at", "kind", "account", "dollars"), [*_lines(report.entries)])


@app.command(epilog="Example: repaircore payments reconcile --older-than 600")
def reconcile(
    ctx: typer.Context,
    *,
    older_than: Annotated[
        int,
        typer.Option(
            "--older-than",
            metavar="SECONDS",
            min=60,
            max=86_400,
            help="How long a step has been under way; less than an outside call may take is not offered.",
        ),
    ] = 120,
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


def _environment(*, test: bool) -> "Environment":
    from repaircore.kernel.callers import Environment

    return Environment.TEST if test else Environment.LIVE


def _state(text: str | None) -> "PaymentState | None":
    from repaircore.kernel.errors import Invalid
    from repaircore.payments.model import PaymentState

    if text is None:
        return None
    try:
        return PaymentState(text)
    except ValueError:
        raise Invalid({"state": [f"The state must be one of: {', '.join(PaymentState)}."]}) from None


def _row(payment: "Payment") -> tuple[object, ...]:
    from repaircore.kernel.moments import zulu

    return (
        payment.id,
        payment.state,
        payment.subject,
        _dollars(payment.amount),
        _dollars(payment.captured),
        _dollars(payment.refunded),
        payment.reason,
        zulu(payment.created_at),
    )


def _lines(entries: "Iterable[Entry]") -> "Iterable[tuple[object, ...]]":
    from repaircore.kernel.moments import zulu

    return ((zulu(one.at), one.kind, one.account, _dollars(one.cents)) for one in entries)


def _dollars(cents: int) -> str:
    from repaircore.kernel.money import dollars

    return f"{dollars(cents):,.2f}"
