"""``repaircore messages``."""

from typing import TYPE_CHECKING, Annotated

import typer

from repaircore.messages.model import Channel, MessageFilter, MessageState
from repaircore.messages.views import OutboxMessageView
from repaircore_cli.options import OfEnvironment, environment_named, one_of
from repaircore_cli.session import Output, commands, reading
from repaircore_cli.terminal import none_of, print_rows

if TYPE_CHECKING:
    from repaircore.core import Core
    from repaircore.messages.model import StoredMessage


app = commands("Read the messages that were sent by e-mail, SMS and webhook.")


@app.callback()
def messages() -> None:
    """Read the messages that were sent by e-mail, SMS and webhook."""


@app.command(
    "list",
    epilog="Example: repaircore messages list --about apt_06bfrncs8sydfcbr8w7d5npqxg",
    opening=reading,
    rows=True,
)
def list_(
    core: "Core",
    *,
    about: Annotated[
        str | None,
        typer.Option(
            "--about",
            metavar="REF",
            help="Only about this record, whoever they went to: ride_…, tow_…, apt_….",
            show_default=False,
        ),
    ] = None,
    state: Annotated[
        str | None,
        typer.Option("--state", metavar="pending|sent|dead", help="Only in this state."),
    ] = None,
    channel: Annotated[
        str | None,
        typer.Option("--channel", metavar="email|sms|webhook", help="Only through this channel."),
    ] = None,
    environment: OfEnvironment = None,
    limit: Annotated[
        int, typer.Option("--limit", metavar="N", min=1, max=200, help="The maximum number to list.")
    ] = 50,
) -> Output:
    """List messages, newest first: recipient, text and delivery status."""
    wanted = MessageFilter(
        environment=environment_named(environment),
        about=about,
        state=one_of(MessageState, state, "--state"),
        channel=one_of(Channel, channel, "--channel"),
    )
    found = core.messages.list_newest(wanted, limit=limit)
    yield [OutboxMessageView.of(message) for message in found]
    heads = ("id", "time (UTC)", "environment", "channel", "to", "about", "state", "says")
    print_rows(heads, [*map(_row, found)], none=none_of("messages", about, state, channel, environment))


def _row(message: "StoredMessage") -> tuple[object, ...]:
    content = message.content
    return (
        message.id,
        f"{message.created_at:%Y-%m-%d %H:%M:%S}",
        content.environment.value,
        content.channel.value,
        content.recipient,
        content.about,
        message.state.value if message.last_error is None else f"{message.state}: {message.last_error}",
        content.subject or " ".join(content.body.split()),
    )
