"""``repaircore partners``."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from repaircore.kernel.views import iso_utc
from repaircore_cli.options import AsJson, Database, Yes, commands
from repaircore_cli.prompts import confirm
from repaircore_cli.session import opened
from repaircore_cli.terminal import print_json, print_rows

if TYPE_CHECKING:
    from repaircore.partners.model import NewPartnerKey, Partner, PartnerKey


app = commands("Manage accounts of the partner platform.")

Name = Annotated[str, typer.Argument(metavar="NAME", help="The partner's name.", show_default=False)]
Where = Annotated[
    str, typer.Option("--environment", metavar="test|live", help="Whose records the keys reach.")
]


@app.command(epilog='Example: repaircore partners create "Roadside Inc" --environment test')
def create(
    ctx: typer.Context,
    *,
    name: Name,
    environment: Where = "test",
    database: Database = None,
    as_json: AsJson = False,
) -> None:
    """Make a partner with a pair of keys, or give one that there is keys of another environment.

    The secret key is shown this once.
    """
    with opened(ctx, database) as core:
        new = core.partners.create(name, environment)
    _told_new(new, as_json=as_json)


@app.command("list", epilog="Example: repaircore partners list --json")
def list_(ctx: typer.Context, *, database: Database = None, as_json: AsJson = False) -> None:
    """List partners with their keys."""
    with opened(ctx, database) as core:
        partners = core.partners.all()
    if as_json:
        print_json([_shape(partner) for partner in partners])
        return
    print_rows(
        ("id", "name", "state", "environment", "public key", "secret", "key ends"),
        [
            (
                partner.id,
                partner.name,
                "active" if partner.suspended_at is None else "suspended",
                key.environment,
                key.public_key,
                key.masked_secret,
                "never" if key.revoked_at is None else f"{key.revoked_at:%Y-%m-%d %H:%M}",
            )
            for partner in partners
            for key in partner.keys
        ],
    )


@app.command(epilog='Example: repaircore partners suspend "Roadside Inc" --yes')
def suspend(
    ctx: typer.Context, *, name: Name, yes: Yes = False, database: Database = None, as_json: AsJson = False
) -> None:
    """Turn a partner away from its next request on, open sessions included."""
    confirm(f"{name} is turned away from now on, in test and in live. Go on?", yes=yes)
    with opened(ctx, database) as core:
        partner = core.partners.suspend(name)
    _told(partner, "is suspended.", as_json=as_json)


@app.command(epilog='Example: repaircore partners resume "Roadside Inc"')
def resume(ctx: typer.Context, *, name: Name, database: Database = None, as_json: AsJson = False) -> None:
    """Let a suspended partner in again."""
    with opened(ctx, database) as core:
        partner = core.partners.resume(name)
    _told(partner, "is active.", as_json=as_json)


@app.command(
    epilog='Example: repaircore partners rotate-keys "Roadside Inc" --environment live --overlap-hours 24'
)
def rotate_keys(
    ctx: typer.Context,
    *,
    name: Name,
    environment: Where = "test",
    overlap_hours: Annotated[
        float,
        typer.Option(
            "--overlap-hours",
            min=0,
            max=720,
            metavar="HOURS",
            help="How long the old keys open sessions still.",
        ),
    ] = 0,
    yes: Yes = False,
    database: Database = None,
    as_json: AsJson = False,
) -> None:
    """Give a partner another pair of keys in the place of those it has; sessions that are open go on to their end."""
    from datetime import timedelta

    if not overlap_hours:
        confirm(f"What {name} has of {environment} keys opens no session from now on. Go on?", yes=yes)
    with opened(ctx, database) as core:
        new = core.partners.rotate_keys(name, environment, overlap=timedelta(hours=overlap_hours))
    _told_new(new, as_json=as_json)


def _told_new(new: "NewPartnerKey", *, as_json: bool) -> None:
    if as_json:
        told = {**_key_shape(new.key), "secret_key": new.secret_key}
        print_json({"id": new.partner.id, "name": new.partner.name, **told})
        return
    typer.echo(f"Partner {new.partner.id} ({new.partner.name}, {new.key.environment})")
    typer.echo(f"  public  {new.key.public_key}")
    typer.echo(f"  secret  {new.secret_key}")
    typer.echo("Keep the secret key now: it is shown this once.", err=True)


def _told(partner: "Partner", text: str, *, as_json: bool) -> None:
    if as_json:
        print_json(_shape(partner))
    else:
        typer.echo(f"{partner.name} {text}")


def _shape(partner: "Partner") -> dict[str, Any]:
    since = partner.suspended_at
    return {
        "id": partner.id,
        "name": partner.name,
        "created_at": iso_utc(partner.created_at),
        "suspended_at": None if since is None else iso_utc(since),
        "keys": [_key_shape(key) for key in partner.keys],
    }


def _key_shape(key: "PartnerKey") -> dict[str, Any]:
    return {
        "environment": key.environment.value,
        "public_key": key.public_key,
        "secret_key": key.masked_secret,
        "created_at": iso_utc(key.created_at),
        "revoked_at": None if key.revoked_at is None else iso_utc(key.revoked_at),
    }
