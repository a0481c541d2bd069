"""``repaircore keys``."""

from typing import TYPE_CHECKING, Annotated

import typer

from repaircore.accounts.views import ApiKeyView, RotatedKeyView
from repaircore.json_text import plain
from repaircore_cli.options import AtMost, Email, Yes, an_id
from repaircore_cli.prompts import confirm
from repaircore_cli.session import Output, commands, reading
from repaircore_cli.terminal import print_more, print_rows, print_text

if TYPE_CHECKING:
    from repaircore.core import Core


app = commands("Manage a user's API keys.")

KeyId = Annotated[int, typer.Argument(metavar="ID", callback=an_id, help="The key's id, from `keys list`.")]
KeyName = Annotated[str, typer.Argument(help="A label for the key.")]


@app.command(epilog="Example: repaircore keys create shop --email ada@example.com --environment live")
def create(
    core: "Core",
    *,
    name: KeyName,
    email: Email,
    environment: Annotated[
        str, typer.Option("--environment", metavar="test|live", help="The environment that the keys work in.")
    ] = "test",
) -> Output:
    """Create a pair of keys; the secret key is shown only once."""
    new = core.accounts.create_key(name=name, environment=environment, caller=core.accounts.caller_for(email))
    yield {**plain(ApiKeyView.of(new.key)), "secret_key": new.secret_key}
    typer.echo(f"Key {new.key.id} ({new.key.name}, {new.key.environment})")
    typer.echo(f"  publishable  {new.key.public_key}")
    typer.echo(f"  secret       {new.secret_key}")
    typer.echo("Store the secret key now: it is shown only once.", err=True)


@app.command(
    "list", epilog="Example: repaircore keys list --email ada@example.com", opening=reading, rows=True
)
def list_(core: "Core", *, email: Email, limit: AtMost = None) -> Output:
    """List a user's keys, oldest first."""
    found = core.accounts.list_keys(core.accounts.caller_for(email))
    keys = found[:limit]
    yield [ApiKeyView.of(key) for key in keys]
    print_rows(
        ("id", "name", "environment", "publishable", "secret", "last used"),
        [
            (
                key.id,
                key.name,
                key.environment,
                key.public_key,
                key.masked_secret,
                "never" if key.last_used_at is None else f"{key.last_used_at:%Y-%m-%d %H:%M}",
            )
            for key in keys
        ],
        none="No keys yet. Create one with `repaircore keys create NAME --email EMAIL`.",
    )
    print_more(len(found) - len(keys))


@app.command(epilog='Example: repaircore keys rename 3 "front desk" --email ada@example.com')
def rename(core: "Core", *, key_id: KeyId, name: KeyName, email: Email) -> Output:
    """Rename a pair of keys."""
    key = core.accounts.rename_key(key_id, name=name, caller=core.accounts.caller_for(email))
    yield ApiKeyView.of(key)
    print_text(f"Key {key.id} is now named {key.name}.")


@app.command(epilog="Example: repaircore keys rotate 3 --email ada@example.com --overlap-hours 24")
def rotate(
    core: "Core",
    *,
    key_id: KeyId,
    email: Email,
    overlap_hours: Annotated[
        int,
        typer.Option(
            "--overlap-hours",
            min=0,
            max=24,
            metavar="HOURS",
            help="How long the old secret key keeps working.",
        ),
    ] = 0,
    yes: Yes = False,
) -> Output:
    """Replace a secret key; the new one is shown only once, and the publishable key stays the same."""
    if not overlap_hours:
        confirm(f"The secret key of key {key_id} stops working at once. Continue?", yes=yes)
    new = core.accounts.rotate_key(
        key_id, caller=core.accounts.caller_for(email), overlap_hours=overlap_hours
    )
    yield RotatedKeyView.of(new)
    typer.echo(f"Key {new.key.id} ({new.key.name}, {new.key.environment})")
    typer.echo(f"  secret       {new.secret_key}")
    if new.key.old_secret_ends_at is not None:
        print_text(f"The old secret key works until {new.key.old_secret_ends_at:%Y-%m-%d %H:%M} UTC.")
    typer.echo("Store the secret key now: it is shown only once.", err=True)


@app.command(epilog="Example: repaircore keys revoke 3 --email ada@example.com --yes")
def revoke(
    core: "Core",
    *,
    key_id: KeyId,
    email: Email,
    yes: Yes = False,
) -> Output:
    """Delete a pair of keys; they stop working at once."""
    confirm(f"Requests with key {key_id} will be rejected. Continue?", yes=yes)
    core.accounts.delete_key(key_id, core.accounts.caller_for(email))
    yield {"id": key_id, "revoked": True}
    print_text(f"Key {key_id} was revoked.")
