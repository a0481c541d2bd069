"""``repaircore rides``."""

from datetime import timedelta
from typing import TYPE_CHECKING, Annotated, Any

import typer

from repaircore.kernel.views import iso_utc
from repaircore_cli.bar import bar
from repaircore_cli.options import (
    AsJson,
    Database,
    InEnvironment,
    Yes,
    an_id,
    commands,
    environment_named,
    one_of,
)
from repaircore_cli.prompts import confirm
from repaircore_cli.session import opened
from repaircore_cli.terminal import in_dollars, print_json, print_left, print_rows

if TYPE_CHECKING:
    from repaircore.bootstrap import Core
    from repaircore.rides.model import Offer, RideKind
    from repaircore.rides.requests import ListedRide, RideDetail
    from repaircore.rides.service import Rides


app = commands("Look rides and tows up, and put right what went wrong on the road.")

_Kind = Annotated[str, typer.Option("--kind", metavar="ride|tow", help="Mobile rides, or tow rides.")]
_Ref = Annotated[str, typer.Argument(metavar="REF", help="The reference, ride_… or tow_….")]


@app.command("list", epilog="Example: repaircore rides list --kind tow --status accepted --environment test")
def list_(
    ctx: typer.Context,
    *,
    kind: _Kind = "ride",
    status: Annotated[
        str | None,
        typer.Option("--status", metavar="STATUS", help="Only those that are pending, accepted, …"),
    ] = None,
    partner: Annotated[
        int | None, typer.Option("--partner", metavar="ID", help="Only those of one partner.")
    ] = None,
    standing: Annotated[
        int | None,
        typer.Option(
            "--standing",
            metavar="HOURS",
            min=0,
            max=100_000,
            help="Only those that somebody was accepted for, and that nothing became of for so long.",
        ),
    ] = None,
    page: Annotated[int, typer.Option("--page", metavar="N", min=1, help="Which page.")] = 1,
    limit: Annotated[
        int, typer.Option("--limit", metavar="N", min=1, max=100, help="How many at most.")
    ] = 100,
    environment: InEnvironment = "live",
    database: Database = None,
    as_json: AsJson = False,
) -> None:
    """List rides, the newest first."""
    from repaircore.rides.model import Status

    wanted = one_of(Status, status, "status")
    named = environment_named(environment)
    with opened(ctx, database) as core:
        found = _of_kind(core, _kind(kind)).page_of_all(
            named,
            partner_id=an_id(partner),
            status=wanted,
            standing_for=None if standing is None else timedelta(hours=standing),
            number=page,
            per_page=limit,
        )
    if as_json:
        from repaircore.json_text import plain
        from repaircore.rides.views import ride_view

        print_json(
            [{"partner_id": one.ride.partner_id, **plain(ride_view(one.ride, one.payments))} for one in found]
        )
        return
    heads = ("reference", "partner", "status", "service", "fare", "provider", "money", "created", "changed")
    print_rows(heads, [*map(_row, found)])
    print_left(found)


@app.command(epilog="Example: repaircore rides show ride_06bfrncs8sydfcbr8w7d5npqxg")
def show(ctx: typer.Context, *, ref: _Ref, database: Database = None, as_json: AsJson = False) -> None:
    """Show a ride or a tow: how it stands, its offers and payments, and what became of it step by step."""
    from repaircore.json_text import plain
    from repaircore.payments.views import PaymentView
    from repaircore.rides.views import offer_view, ride_view

    with opened(ctx, database) as core:
        served = _of_reference(core, ref)
        view, offers = served.show(ref, None), served.all_offers(ref)
    if as_json:
        print_json(
            {
                "partner_id": view.ride.partner_id,
                **plain(ride_view(view.ride, view.payments, steps=view.steps)),
                "offers": [offer_view(one, served.kind) for one in offers],
                "payments": [PaymentView.of(one) for one in view.payments],
            }
        )
        return
    _printed(view, offers)


@app.command("drop-out", epilog="Example: repaircore rides drop-out ride_06bfrncs8sydfcbr8w7d5npqxg --yes")
def drop_out(
    ctx: typer.Context, *, ref: _Ref, yes: Yes = False, database: Database = None, as_json: AsJson = False
) -> None:
    """Take the provider off a ride who was on the way: the money is let go, and others are asked."""
    from repaircore.rides.model import OfferStatus
    from repaircore.rides.views import ride_view

    with opened(ctx, database) as core:
        served = _of_reference(core, ref)
        who = served.show(ref, None).ride.provider_name
        confirm(f"Take {who or 'nobody'} off {ref}, let the money go, and ask others?", yes=yes)
        served.drop_out(ref)
        view = served.show(ref, None)
        waiting = [one for one in served.all_offers(ref) if one.status is OfferStatus.OFFERED]
    if as_json:
        print_json(ride_view(view.ride, view.payments))
    else:
        typer.echo(f"{ref} is {view.ride.status} again; open offers: {len(waiting)}.")


@app.command(
    epilog="Example: repaircore rides complete ride_06bfrncs8sydfcbr8w7d5npqxg --outcome unsuccessful --yes"
)
def complete(
    ctx: typer.Context,
    *,
    ref: _Ref,
    outcome: Annotated[
        str,
        typer.Option(
            "--outcome",
            metavar="OUTCOME",
            help="How it came out: completed, gone_on_arrival, unsuccessful or converted_to_tow.",
        ),
    ] = "completed",
    yes: Yes = False,
    database: Database = None,
    as_json: AsJson = False,
) -> None:
    """End a ride that its partner does not end, as one that was done: what the outcome costs is taken."""
    from repaircore.rides.model import RideOutcome
    from repaircore.rides.views import ride_view

    wanted = one_of(RideOutcome, outcome, "outcome")
    with opened(ctx, database) as core:
        served = _of_reference(core, ref)
        standing = served.show(ref, None).ride
        confirm(
            f"End {ref}, which is {standing.status} since {iso_utc(standing.updated_at)}, as {wanted},"
            f" and take what that costs of {in_dollars(standing.fare.total)}?",
            yes=yes,
        )
        ride, settled = served.complete(ref, None, outcome=wanted)
        view = served.show(ref, None)
    if as_json:
        print_json(ride_view(view.ride, view.payments))
    else:
        typer.echo(
            f"{ref} is {ride.status}; {in_dollars(settled.fee)} of {in_dollars(ride.fare.total)} is taken."
        )


@app.command(
    "call-off",
    epilog="Example: repaircore rides call-off ride_06bfrncs8sydfcbr8w7d5npqxg --note 'Nobody came.' --yes",
)
def call_off(
    ctx: typer.Context,
    *,
    ref: _Ref,
    note: Annotated[
        str | None, typer.Option("--note", metavar="TEXT", help="Why, as the partner reads it.")
    ] = None,
    yes: Yes = False,
    database: Database = None,
    as_json: AsJson = False,
) -> None:
    """Cancel a ride that has not ended, wherever it stands: nobody pays, and whoever was on it is free."""
    from repaircore.rides.views import ride_view

    with opened(ctx, database) as core:
        served = _of_reference(core, ref)
        standing = served.show(ref, None).ride
        confirm(
            f"Cancel {ref}, which is {standing.status} since {iso_utc(standing.updated_at)}, and let the money go?",
            yes=yes,
        )
        served.call_off(ref, note=note)
        view = served.show(ref, None)
    if as_json:
        print_json(ride_view(view.ride, view.payments))
    else:
        typer.echo(f"{ref} is {view.ride.status}; nothing is taken.")


@app.command(epilog="Example: repaircore rides expire")
def expire(
    ctx: typer.Context,
    *,
    kind: Annotated[
        str | None,
        typer.Option("--kind", metavar="ride|tow", help="Only mobile rides, or only tow rides."),
    ] = None,
    database: Database = None,
    as_json: AsJson = False,
) -> None:
    """Expire what nobody was accepted for in time; `repaircore jobs run` does that by itself."""
    from repaircore.rides.model import RideKind

    kinds = list(RideKind) if kind is None else [_kind(kind)]
    done: dict[str, int] = {}
    with opened(ctx, database) as core, bar("Rides") as tell:
        for number, one in enumerate(kinds, 1):
            done[_PLURAL[one]] = _of_kind(core, one).expire_due()
            tell(number, len(kinds))
    if as_json:
        print_json(done)
    else:
        typer.echo(", ".join(f"{count:,} {name}" for name, count in done.items()) + " expired.")


_PLURAL = {"ride": "rides", "tow": "tows"}


def _kind(text: str) -> "RideKind":
    from repaircore.rides.model import RideKind

    if text not in set(RideKind):
        raise typer.BadParameter("takes ride or tow", param_hint="--kind")
    return RideKind(text)


def _of_kind(core: "Core", kind: "RideKind") -> "Rides":
    from repaircore.rides.model import RideKind

    return core.tows if kind is RideKind.TOW else core.rides


def _of_reference(core: "Core", ref: str) -> "Rides":
    return core.tows if ref.startswith("tow_") else core.rides


def _row(one: "ListedRide") -> tuple[object, ...]:
    ride = one.ride
    return (
        ride.ref,
        ride.partner_id,
        ride.status,
        ride.service,
        in_dollars(ride.fare.total),
        ride.provider_name,
        ", ".join(str(payment.state) for payment in one.payments),
        iso_utc(ride.created_at),
        iso_utc(ride.updated_at),
    )


def _printed(view: "RideDetail", offers: "list[Offer]") -> None:
    for label, value in _lines(view):
        if value is not None:
            typer.echo(f"{label:20}{value}")
    typer.echo()
    print_rows(
        ("provider", "name", "arrives in", "price", "offer"),
        [
            (
                one.provider_ref,
                one.provider_name,
                f"{one.eta_minutes} min",
                in_dollars(one.price),
                one.status,
            )
            for one in offers
        ],
    )
    typer.echo()
    print_rows(
        ("payment", "state", "held", "captured", "refunded"),
        [
            (one.id, one.state, *map(in_dollars, (one.amount, one.captured, one.refunded)))
            for one in view.payments
        ],
    )
    typer.echo()
    steps = [(iso_utc(step.at), step.action, step.before, step.after, step.actor) for step in view.steps]
    print_rows(("at", "action", "from", "to", "by"), steps)


def _lines(view: "RideDetail") -> list[tuple[str, Any]]:
    ride = view.ride
    return [
        ("reference", ride.ref),
        ("partner", ride.partner_id),
        ("environment", ride.environment),
        ("status", ride.status),
        ("outcome", ride.outcome),
        ("service", ride.service),
        ("customer", ride.customer_ref),
        ("fare", in_dollars(ride.fare.total)),
        ("fee", None if ride.fee is None else in_dollars(ride.fee)),
        ("provider", ride.provider_name),
        ("linked to", ride.linked_ref),
        ("transaction", None if ride.bill is None else ride.bill.transaction_id),
        ("created at", iso_utc(ride.created_at)),
        ("updated at", iso_utc(ride.updated_at)),
    ]
