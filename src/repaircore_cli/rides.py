"""``repaircore rides``."""

from datetime import timedelta
from typing import TYPE_CHECKING, Annotated, Any

import typer

from repaircore.kernel.views import iso_utc
from repaircore_cli.bar import bar
from repaircore_cli.options import (
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
from repaircore_cli.terminal import in_dollars, none_of, print_left, print_rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from repaircore.core import Core
    from repaircore.kernel.timeline import Step
    from repaircore.rides.model import Offer, Ride, RideDetail, RideKind
    from repaircore.rides.service import ListedRide, Rides
    from repaircore.rides.views import RideView


app = commands("Look up rides and tows, and resolve the ones that are stuck.")

_Kind = Annotated[str, typer.Option("--kind", metavar="ride|tow", help="Mobile rides, or tow rides.")]
_Ref = Annotated[str, typer.Argument(metavar="REF", help="The reference, ride_… or tow_….")]


@app.command(
    "list",
    epilog="Example: repaircore rides list --kind tow --status accepted --environment test",
    opening=reading,
    rows=True,
)
def list_(
    core: "Core",
    *,
    kind: _Kind = "ride",
    status: Annotated[
        str | None,
        typer.Option("--status", metavar="STATUS", help="Only with this status: pending, accepted, …"),
    ] = None,
    partner: OfPartner = None,
    standing: Annotated[
        int | None,
        typer.Option(
            "--standing",
            metavar="HOURS",
            min=0,
            max=100_000,
            help="Only those that have a provider and have not changed for this long.",
        ),
    ] = None,
    page: PageNumber = 1,
    limit: Limit = 100,
    environment: InEnvironment = "live",
) -> Output:
    """List rides, newest first."""
    from repaircore.rides.model import Status

    only = one_of(Status, status, "status")
    chosen = environment_named(environment)
    rides = _rides_of_kind(core, _parse_kind(kind)).list_page_for_operator(
        chosen,
        partner_id=an_id(partner),
        status=only,
        unchanged_for=None if standing is None else timedelta(hours=standing),
        number=page,
        per_page=limit,
    )
    yield [_operator_json(listed) for listed in rides]
    heads = (
        "reference",
        "partner",
        "status",
        "service",
        "fare ($)",
        "provider",
        "payment",
        "created",
        "changed",
    )
    print_rows(heads, [*map(_row, rides)], none=none_of(_PLURAL[kind], status, partner, standing, page - 1))
    print_left(rides)


@app.command(
    epilog="Example: repaircore rides show ride_06bfrncs8sydfcbr8w7d5npqxg", opening=reading, rows=True
)
def show(core: "Core", *, ref: _Ref) -> Output:
    """Show a ride or a tow with its offers, payments and timeline."""
    from repaircore.payments.views import PaymentView
    from repaircore.rides.views import offer_view

    rides = _rides_of(core, ref)
    detail, offers = rides.get(ref, None), rides.list_offers(ref)
    yield {
        **_operator_json(detail, steps=detail.steps),
        "offers": [offer_view(offer, rides.kind) for offer in offers],
        "payments": [*map(PaymentView.of, detail.payments)],
    }
    _print_detail(detail, offers)


@app.command(
    epilog="Example: repaircore rides proofs tow_06bfrncs8sydfcbr8w7d5npqxg", opening=reading, rows=True
)
def proofs(core: "Core", *, ref: _Ref) -> Output:
    """List the photos and signatures of a ride or a tow."""
    from repaircore.proofs.views import ProofView

    added = core.proofs.list_for(_rides_of(core, ref).kind, ref, None)
    yield [*map(ProofView.of, added)]
    rows = [
        (
            proof.ref,
            proof.form,
            proof.stage,
            proof.signed_by or "",
            f"{proof.width} x {proof.height}",
            "stored" if proof.is_available else "deleted",
            iso_utc(proof.added_at),
        )
        for proof in added
    ]
    heads = ("reference", "form", "stage", "signed by", "pixels", "picture", "added")
    print_rows(heads, rows, none="There are no proofs.")


@app.command("drop-out", epilog="Example: repaircore rides drop-out ride_06bfrncs8sydfcbr8w7d5npqxg --yes")
def drop_out(core: "Core", *, ref: _Ref, yes: Yes = False) -> Output:
    """Take the provider off a ride: the payment is released, and the ride is offered to other providers."""
    from repaircore.rides.model import OfferStatus

    rides = _rides_of(core, ref)
    provider = rides.get(ref, None).ride.provider_name
    confirm(
        f"Remove {provider or 'no provider'} from {ref}, release the payment and ask other providers?",
        yes=yes,
    )
    rides.drop_out(ref)
    detail = rides.get(ref, None)
    offers = [offer for offer in rides.list_offers(ref) if offer.status is OfferStatus.OFFERED]
    yield _view(detail)
    typer.echo(f"{ref} is {detail.ride.status} again. Open offers: {len(offers)}.")


@app.command(epilog="Example: repaircore rides arrive ride_06bfrncs8sydfcbr8w7d5npqxg --start --yes")
def arrive(
    core: "Core",
    *,
    ref: _Ref,
    start: Annotated[
        bool, typer.Option("--start", help="Also mark the work, or the drive, as started.")
    ] = False,
    yes: Yes = False,
) -> Output:
    """Mark a ride's provider as arrived if the partner never did; once the ride has started, it can be completed."""
    rides = _rides_of(core, ref)
    confirm(f"{_since(rides.get(ref, None).ride)} Mark its provider as arrived?", yes=yes)
    rides.arrive(ref, None)
    if start:
        rides.start(ref, None)
    detail = rides.get(ref, None)
    yield _view(detail)
    typer.echo(f"{ref} is {detail.ride.status}.")


@app.command(
    epilog="Example: repaircore rides complete ride_06bfrncs8sydfcbr8w7d5npqxg --outcome unsuccessful --yes"
)
def complete(
    core: "Core",
    *,
    ref: _Ref,
    outcome: Annotated[
        str,
        typer.Option(
            "--outcome",
            metavar="OUTCOME",
            help="completed, gone_on_arrival, unsuccessful or converted_to_tow.",
        ),
    ] = "completed",
    yes: Yes = False,
) -> Output:
    """Complete a ride that its partner left open: the price of the outcome is captured."""
    from repaircore.rides.model import RideOutcome

    chosen = one_of(RideOutcome, outcome, "outcome")
    rides = _rides_of(core, ref)
    ride = rides.get(ref, None).ride
    confirm(
        f"{_since(ride)} Complete it as {chosen}, and capture its price"
        f" out of {in_dollars(ride.agreed_price)}?",
        yes=yes,
    )
    ride, settlement = rides.complete(ref, None, outcome=chosen)
    detail = rides.get(ref, None)
    yield _view(detail)
    typer.echo(
        f"{ref} is {ride.status}. Captured: {in_dollars(settlement.fee)} of {in_dollars(ride.agreed_price)}."
    )


@app.command(
    "call-off",
    epilog="Example: repaircore rides call-off ride_06bfrncs8sydfcbr8w7d5npqxg --note 'Nobody came.' --yes",
)
def call_off(
    core: "Core",
    *,
    ref: _Ref,
    note: Annotated[
        str | None, typer.Option("--note", metavar="TEXT", help="The reason, shown to the partner.")
    ] = None,
    yes: Yes = False,
) -> Output:
    """Cancel a ride that has not ended, whatever its status: nothing is captured, and the provider is free again."""
    rides = _rides_of(core, ref)
    confirm(f"{_since(rides.get(ref, None).ride)} Cancel it and release the payment?", yes=yes)
    rides.call_off(ref, note=note)
    detail = rides.get(ref, None)
    yield _view(detail)
    typer.echo(f"{ref} is {detail.ride.status}. Nothing was captured.")


@app.command(epilog="Example: repaircore rides expire")
def expire(
    core: "Core",
    *,
    kind: Annotated[
        str | None, typer.Option("--kind", metavar="ride|tow", help="Only mobile rides, or only tow rides.")
    ] = None,
) -> Output:
    """Expire the rides that got no provider in time. `repaircore jobs run` does this automatically."""
    from repaircore.rides.model import RideKind

    kinds = list(RideKind) if kind is None else [_parse_kind(kind)]
    expired: dict[str, int] = {}
    with bar("Rides") as update:
        for number, each in enumerate(kinds, 1):
            expired[_PLURAL[each]] = _rides_of_kind(core, each).expire_due()
            update(number, len(kinds))
    yield expired
    typer.echo(", ".join(f"{count:,} {name}" for name, count in expired.items()) + " expired.")


_PLURAL = {"ride": "rides", "tow": "tows"}


def _parse_kind(text: str) -> "RideKind":
    from repaircore.rides.model import RideKind

    if text not in set(RideKind):
        raise typer.BadParameter("must be ride or tow", param_hint="--kind")
    return RideKind(text)


def _rides_of_kind(core: "Core", kind: "RideKind") -> "Rides":
    from repaircore.rides.model import RideKind

    return core.tows if kind is RideKind.TOW else core.rides


def _rides_of(core: "Core", ref: str) -> "Rides":
    return core.tows if ref.startswith("tow_") else core.rides


def _since(ride: "Ride") -> str:
    return f"{ride.ref} has been {ride.status} since {iso_utc(ride.updated_at)}."


def _view(listed: "ListedRide | RideDetail", steps: "Sequence[Step] | None" = None) -> "RideView":
    from repaircore.rides.views import ride_view

    return ride_view(listed.ride, listed.payments, steps=steps)


def _operator_json(
    listed: "ListedRide | RideDetail", steps: "Sequence[Step] | None" = None
) -> dict[str, Any]:
    """Return a ride as its partner sees it, plus the partner's id."""
    from repaircore.json_text import plain

    return {"partner_id": listed.ride.partner_id, **plain(_view(listed, steps))}


def _row(listed: "ListedRide") -> tuple[object, ...]:
    ride = listed.ride
    return (
        ride.ref,
        ride.partner_id,
        ride.status,
        ride.service,
        in_dollars(ride.agreed_price),
        ride.provider_name,
        ", ".join(str(payment.state) for payment in listed.payments),
        iso_utc(ride.created_at),
        iso_utc(ride.updated_at),
    )


def _print_detail(detail: "RideDetail", offers: "list[Offer]") -> None:
    for label, value in _lines(detail.ride):
        if value is not None:
            typer.echo(f"{label:20}{value}")
    typer.echo()
    print_rows(
        ("provider", "name", "arrives in", "price ($)", "offer"),
        [
            (
                offer.provider_ref,
                offer.provider_name,
                f"{offer.eta_minutes} min",
                in_dollars(offer.price),
                offer.status,
            )
            for offer in offers
        ],
        none="No offers.",
    )
    typer.echo()
    print_rows(
        ("payment", "state", "amount ($)", "captured ($)", "refunded ($)"),
        [
            (
                payment.id,
                payment.state,
                *map(in_dollars, (payment.amount, payment.captured, payment.refunded)),
            )
            for payment in detail.payments
        ],
        none="No payments.",
    )
    typer.echo()
    steps = [(iso_utc(step.at), step.action, step.before, step.after, step.actor) for step in detail.steps]
    print_rows(("at", "action", "from", "to", "by"), steps, none="No timeline.")


def _lines(ride: "Ride") -> list[tuple[str, Any]]:
    return [
        ("reference", ride.ref),
        ("partner", ride.partner_id),
        ("environment", ride.environment),
        ("status", ride.status),
        ("outcome", ride.outcome),
        ("service", ride.service),
        ("customer", ride.customer_ref),
        ("fare ($)", in_dollars(ride.fare.total)),
        ("price ($)", in_dollars(ride.agreed_price)),
        ("scheduled for", "" if ride.scheduled_for is None else f"{ride.scheduled_for:%Y-%m-%d %H:%M} UTC"),
        ("fee ($)", None if ride.fee is None else in_dollars(ride.fee)),
        ("provider", ride.provider_name),
        ("linked to", ride.linked_ref),
        ("transaction", None if ride.bill is None else ride.bill.transaction_id),
        ("created at", iso_utc(ride.created_at)),
        ("updated at", iso_utc(ride.updated_at)),
    ]
