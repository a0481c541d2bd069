"""``repaircore webhooks``."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer

from repaircore.kernel.views import iso_utc
from repaircore_cli.bar import bar
from repaircore_cli.options import AsJson, Database, commands
from repaircore_cli.session import opened
from repaircore_cli.terminal import print_json, print_rows

if TYPE_CHECKING:
    from repaircore.webhooks.model import Attempt, Backlog, Subscription


app = commands("Look after the events that partners are told.")

Of = Annotated[
    str | None,
    typer.Option("--subscription", metavar="REF", help="Only those of one subscription.", show_default=False),
]


@app.command("list", epilog="Example: repaircore webhooks list --json")
def list_(ctx: typer.Context, *, database: Database = None, as_json: AsJson = False) -> None:
    """List every partner's subscriptions, and how much waits to be delivered."""
    with opened(ctx, database) as core:
        found, backlog = core.webhook_operation.all(), core.webhook_operation.backlog()
    if as_json:
        print_json({"subscriptions": [*map(_shape, found)], "backlog": _backlog_shape(backlog)})
        return
    heads = ("subscription", "partner", "environment", "url", "events", "state", "last called", "answer")
    print_rows(heads, [*map(_row, found)])
    typer.echo(f"{backlog.pending:,} deliveries wait, {backlog.due:,} of them are due.", err=True)


@app.command(epilog="Example: repaircore webhooks deliver")
def deliver(ctx: typer.Context, *, database: Database = None, as_json: AsJson = False) -> None:
    """Deliver what is due, and end: what fails waits for its time."""
    with opened(ctx, database) as core, bar("Delivering") as draw:
        due = core.webhook_operation.backlog().due
        results = core.dispatcher.run_once(lambda landed: draw(landed, max(due, landed)))
    told = {state.value: count for state, count in sorted(results.items())}
    failed = results.total() - told.get("delivered", 0)
    if as_json:
        print_json({"attempts": results.total(), "delivered": told.get("delivered", 0), "failed": failed})
    else:
        typer.echo(f"{told.get('delivered', 0):,} delivered, {failed:,} failed.")


@app.command(epilog="Example: repaircore webhooks replay --since 2026-03-14T12:00:00Z --undelivered")
def replay(
    ctx: typer.Context,
    *,
    event: Annotated[str | None, typer.Argument(metavar="[ID]", help="One event, evt_….")] = None,
    since: Annotated[
        str | None,
        typer.Option("--since", metavar="TIME", help="Or the events from this time on.", show_default=False),
    ] = None,
    until: Annotated[
        str | None,
        typer.Option("--until", metavar="TIME", help="Before this time; now.", show_default=False),
    ] = None,
    subscription: Of = None,
    undelivered: Annotated[
        bool, typer.Option("--undelivered", help="Only what a subscription has not got, nor waits for.")
    ] = False,
    database: Database = None,
    as_json: AsJson = False,
) -> None:
    """Deliver events anew, under the same ids, to whoever is subscribed to them now."""
    if (event is None) == (since is None):
        raise typer.BadParameter("name an event, or a time with --since")
    if event is not None and (until or subscription or undelivered):
        raise typer.BadParameter("--until, --subscription and --undelivered go with --since")
    first = None if since is None else _moment(since, "--since")
    last = None if until is None else _moment(until, "--until")
    with opened(ctx, database) as core:
        if first is None:
            done = core.webhook_operation.replay(event or "")
        else:
            done = core.webhook_operation.replay_between(
                first, last, subscription=subscription, undelivered=undelivered
            )
    if as_json:
        print_json({"events": done.events, "deliveries": done.deliveries})
    else:
        typer.echo(f"{done.deliveries:,} deliveries of {done.events:,} events wait to be made.")


@app.command("test", epilog="Example: repaircore webhooks test whs_06bfrncs8sydfcbr8w7d5npqxg")
def try_out(
    ctx: typer.Context,
    *,
    subscription: Annotated[str, typer.Argument(metavar="SUBSCRIPTION", help="Its reference, whs_….")],
    database: Database = None,
    as_json: AsJson = False,
) -> None:
    """Send a webhook.test event to a subscription now: exit status 1 when it is not taken."""
    with opened(ctx, database) as core:
        sent = core.webhook_operation.test(subscription)
    taken = sent.status is not None and 200 <= sent.status < 300  # noqa: PLR2004 - a status reads best as itself
    if as_json:
        print_json({"delivered": taken, "status": sent.status, "error": sent.error})
    else:
        typer.echo(f"It answered {sent.status}." if sent.error is None else f"Not delivered: {sent.error}.")
    if not taken:
        raise typer.Exit(1)


@app.command(epilog="Example: repaircore webhooks attempts --limit 20")
def attempts(
    ctx: typer.Context,
    *,
    subscription: Of = None,
    event: Annotated[
        str | None,
        typer.Option("--event", metavar="ID", help="Only those of one event.", show_default=False),
    ] = None,
    limit: Annotated[int, typer.Option("--limit", metavar="N", min=1, max=1000, help="How many.")] = 50,
    database: Database = None,
    as_json: AsJson = False,
) -> None:
    """List attempts to deliver, the newest first; they are kept for thirty days."""
    with opened(ctx, database) as core:
        found = core.webhook_operation.attempts(limit=limit, subscription=subscription, event=event)
    if as_json:
        print_json([*map(_attempt_shape, found)])
        return
    heads = ("at", "event", "type", "subscription", "answer", "took", "delivery")
    print_rows(heads, [*map(_attempt_row, found)])


def _moment(text: str, option: str) -> datetime:
    try:
        told = datetime.fromisoformat(text)
    except ValueError:
        raise typer.BadParameter("takes a time such as 2026-03-14T12:00:00Z", param_hint=option) from None
    return (told if told.tzinfo else told.replace(tzinfo=UTC)).astimezone(UTC)


def _shape(subscription: "Subscription") -> dict[str, Any]:
    from repaircore.webhooks.views import subscription_told

    return {"partner_id": subscription.partner_id, **subscription_told(subscription)}


def _backlog_shape(backlog: "Backlog") -> dict[str, Any]:
    oldest = None if backlog.oldest is None else iso_utc(backlog.oldest)
    return {"pending": backlog.pending, "due": backlog.due, "oldest_due_at": oldest}


def _row(subscription: "Subscription") -> tuple[object, ...]:
    standing = subscription.standing
    failing = None if standing.failing_since is None else f"failing since {iso_utc(standing.failing_since)}"
    state = failing or "active" if subscription.active else subscription.disabled_reason or "paused"
    return (
        subscription.ref,
        subscription.partner_id,
        subscription.environment.value,
        subscription.url,
        ", ".join(subscription.events),
        state,
        None if standing.at is None else iso_utc(standing.at),
        standing.status,
    )


def _attempt_shape(attempt: "Attempt") -> dict[str, Any]:
    return {
        "at": iso_utc(attempt.at),
        "event": attempt.event_id,
        "type": attempt.type,
        "subscription": attempt.subscription,
        "status": attempt.status,
        "error": attempt.error,
        "milliseconds": attempt.milliseconds,
        "delivery": attempt.state.value,
    }


def _attempt_row(attempt: "Attempt") -> tuple[object, ...]:
    return (
        iso_utc(attempt.at),
        attempt.event_id,
        attempt.type,
        attempt.subscription,
        attempt.error if attempt.status is None else attempt.status,
        f"{attempt.milliseconds:,} ms",
        attempt.state.value,
    )
