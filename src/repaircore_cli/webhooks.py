"""``repaircore webhooks``."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated

import typer

from repaircore.kernel.views import iso_utc
from repaircore.kernel.wording import counted
from repaircore_cli.bar import bar
from repaircore_cli.options import AsJson, AtMost
from repaircore_cli.session import Output, commands, reading
from repaircore_cli.terminal import none_of, print_json, print_more, print_rows

if TYPE_CHECKING:
    from repaircore.core import Core
    from repaircore.webhooks.model import Attempt, Subscription


app = commands("Manage webhooks: subscriptions, deliveries and replays.")

SubscriptionRef = Annotated[
    str | None,
    typer.Option("--subscription", metavar="REF", help="Only for this subscription.", show_default=False),
]


@app.command("list", epilog="Example: repaircore webhooks list --json", opening=reading, rows=True)
def list_(core: "Core", *, limit: AtMost = None) -> Output:
    """List all subscriptions, and how many deliveries are pending."""
    from repaircore.webhooks.views import BacklogView, OperatorSubscriptionView

    all_found, backlog = core.webhook_operations.list_all(), core.webhook_operations.get_backlog()
    found = all_found[:limit]
    subscriptions = [
        OperatorSubscriptionView.of(
            subscription, partner_id=subscription.partner_id, user_id=subscription.user_id
        )
        for subscription in found
    ]
    yield {"subscriptions": subscriptions, "backlog": BacklogView.of(backlog)}
    heads = ("subscription", "owner", "environment", "url", "events", "state", "last attempt", "response")
    print_rows(heads, [*map(_row, found)], none="No subscriptions yet.")
    print_more(len(all_found) - len(found))
    typer.echo(
        f"{counted(backlog.pending, 'delivery', 'deliveries')} pending, {backlog.due:,} due.", err=True
    )


@app.command(epilog="Example: repaircore webhooks deliver")
def deliver(core: "Core") -> Output:
    """Send the due deliveries, and exit. Failed ones are retried later."""
    with bar("Delivering") as draw:
        due = core.webhook_operations.get_backlog().due
        results = core.dispatcher.run_once(lambda landed: draw(landed, max(due, landed)))
    delivered = sum(count for state, count in results.items() if state.value == "delivered")
    failed = results.total() - delivered
    yield {"attempts": results.total(), "delivered": delivered, "failed": failed}
    typer.echo(f"{delivered:,} delivered, {failed:,} failed.")


@app.command(epilog="Example: repaircore webhooks replay --since 2026-03-14T12:00:00Z --undelivered")
def replay(
    core: "Core",
    *,
    event: Annotated[str | None, typer.Argument(metavar="[ID]", help="An event, evt_….")] = None,
    since: Annotated[
        str | None,
        typer.Option(
            "--since", metavar="TIME", help="Replay the events from this time on.", show_default=False
        ),
    ] = None,
    until: Annotated[
        str | None,
        typer.Option(
            "--until",
            metavar="TIME",
            help="Replay the events before this time; default now.",
            show_default=False,
        ),
    ] = None,
    subscription: SubscriptionRef = None,
    undelivered: Annotated[
        bool, typer.Option("--undelivered", help="Skip deliveries that were made or are pending.")
    ] = False,
) -> Output:
    """Replay events, with the same ids, to their current subscribers."""
    if (event is None) == (since is None):
        raise typer.BadParameter("specify either an event or --since")
    if event is not None and (until or subscription or undelivered):
        raise typer.BadParameter("--until, --subscription and --undelivered require --since")
    first = None if since is None else _time(since, "--since")
    last = None if until is None else _time(until, "--until")
    if first is None:
        replayed = core.webhook_operations.replay(event or "")
    else:
        replayed = core.webhook_operations.replay_between(
            first, last, subscription=subscription, undelivered=undelivered
        )
    yield {"events": replayed.events, "deliveries": replayed.deliveries}
    typer.echo(
        f"{counted(replayed.deliveries, 'delivery', 'deliveries')} of {counted(replayed.events, 'event')}"
        f" {'is' if replayed.deliveries == 1 else 'are'} pending."
    )


@app.command("test", epilog="Example: repaircore webhooks test whs_06bfrncs8sydfcbr8w7d5npqxg")
def try_out(
    core: "Core",
    *,
    subscription: Annotated[
        str, typer.Argument(metavar="SUBSCRIPTION", help="The reference of the subscription, whs_….")
    ],
    as_json: AsJson = False,
) -> None:
    """Send a webhook.test event to a subscription now; the exit status is 1 if it is not accepted."""
    result = core.webhook_operations.test(subscription)
    accepted = result.status is not None and 200 <= result.status < 300  # noqa: PLR2004 - a status code reads best as a number
    if as_json:
        print_json({"delivered": accepted, "status": result.status, "error": result.error})
    else:
        typer.echo(
            f"The response was {result.status}."
            if result.error is None
            else f"Not delivered: {result.error}."
        )
    if not accepted:
        raise typer.Exit(1)


@app.command(epilog="Example: repaircore webhooks attempts --limit 20", opening=reading, rows=True)
def attempts(
    core: "Core",
    *,
    subscription: SubscriptionRef = None,
    event: Annotated[
        str | None,
        typer.Option("--event", metavar="ID", help="Only for this event.", show_default=False),
    ] = None,
    limit: Annotated[
        int, typer.Option("--limit", metavar="N", min=1, max=1000, help="The maximum number to list.")
    ] = 50,
) -> Output:
    """List the stored delivery attempts, newest first; they are deleted after 30 days by default."""
    from repaircore.webhooks.views import AttemptView

    found = core.webhook_operations.list_attempts(limit=limit, subscription=subscription, event=event)
    yield [AttemptView.of(attempt) for attempt in found]
    heads = ("at", "event", "type", "subscription", "response", "duration", "delivery")
    print_rows(heads, [*map(_attempt_row, found)], none=none_of("attempts", subscription, event))


def _time(text: str, option: str) -> datetime:
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        raise typer.BadParameter("must be a time such as 2026-03-14T12:00:00Z", param_hint=option) from None
    return (time if time.tzinfo else time.replace(tzinfo=UTC)).astimezone(UTC)


def _row(subscription: "Subscription") -> tuple[object, ...]:
    health = subscription.health
    failing = None if health.failing_since is None else f"failing since {iso_utc(health.failing_since)}"
    state = failing or "active" if subscription.active else subscription.disabled_reason or "paused"
    return (
        subscription.ref,
        f"user {subscription.user_id}"
        if subscription.partner_id is None
        else f"partner {subscription.partner_id}",
        subscription.environment.value,
        subscription.url,
        ", ".join(subscription.events),
        state,
        None if health.at is None else iso_utc(health.at),
        health.status,
    )


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
