"""``repaircore partners``."""

from typing import TYPE_CHECKING, Annotated

import typer

from repaircore_cli.options import AsJson, Database, Yes, commands
from repaircore_cli.prompts import confirm
from repaircore_cli.session import opened
from repaircore_cli.terminal import print_json, print_rows

if TYPE_CHECKING:
    from repaircore.partners.model import CreatedKey, Partner


app = commands("Manage partner accounts.")

Name = Annotated[str, typer.Argument(metavar="NAME", help="The partner's name.", show_default=False)]
KeyEnvironment = Annotated[
    str, typer.Option("--environment", metavar="test|live", help="The environment of the keys.")
]


@app.command(epilog='Example: repaircore partners create "Roadside Inc" --environment test')
def create(
    ctx: typer.Context,
    *,
    name: Name,
    environment: KeyEnvironment = "test",
    database: Database = None,
    as_json: AsJson = False,
) -> None:
    """Create a partner with a pair of keys, or create keys of another environment for an existing partner.

    The secret key is shown only once.
    """
    with opened(ctx, database) as core:
        created = core.partners.create(name, environment)
    _show_created(created, as_json=as_json)


@app.command("list", epilog="Example: repaircore partners list --json")
def list_(ctx: typer.Context, *, database: Database = None, as_json: AsJson = False) -> None:
    """List partners with their keys."""
    from repaircore.partners.views import PartnerView

    with opened(ctx, database) as core:
        partners = core.partners.list_all()
    if as_json:
        print_json([PartnerView.of(partner) for partner in partners])
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
    """Reject a partner's requests from now on, those of open sessions included."""
    confirm(f"{name} cannot send requests from now on, in test and live. Continue?", yes=yes)
    with opened(ctx, database) as core:
        partner = core.partners.suspend(name)
    _show(partner, "is suspended.", as_json=as_json)


@app.command(epilog='Example: repaircore partners resume "Roadside Inc"')
def resume(ctx: typer.Context, *, name: Name, database: Database = None, as_json: AsJson = False) -> None:
    """Accept a suspended partner's requests again."""
    with opened(ctx, database) as core:
        partner = core.partners.resume(name)
    _show(partner, "is active.", as_json=as_json)


@app.command(
    epilog='Example: repaircore partners rotate-keys "Roadside Inc" --environment live --overlap-hours 24'
)
def rotate_keys(
    ctx: typer.Context,
    *,
    name: Name,
    environment: KeyEnvironment = "test",
    overlap_hours: Annotated[
        float,
        typer.Option(
            "--overlap-hours",
            min=0,
            max=720,
            metavar="HOURS",
            help="How long the old keys can still open sessions.",
        ),
    ] = 0,
    yes: Yes = False,
    database: Database = None,
    as_json: AsJson = False,
) -> None:
    """Replace a partner's keys; open sessions are not ended."""
    from datetime import timedelta

    if not overlap_hours:
        confirm(f"The {environment} keys of {name} cannot open sessions from now on. Continue?", yes=yes)
    with opened(ctx, database) as core:
        created = core.partners.rotate_keys(name, environment, overlap=timedelta(hours=overlap_hours))
    _show_created(created, as_json=as_json)


def _show_created(created: "CreatedKey", *, as_json: bool) -> None:
    from repaircore.partners.views import CreatedKeyView

    if as_json:
        print_json(CreatedKeyView.of(created))
        return
    key = created.key
    typer.echo(f"Partner {created.partner.id} ({created.partner.name}, {key.environment})")
    typer.echo(f"  public  {key.public_key}")
    typer.echo(f"  secret  {created.secret_key}")
    typer.echo("Save the secret key now: it is not shown again.", err=True)


def _show(partner: "Partner", text: str, *, as_json: bool) -> None:
    from repaircore.partners.views import PartnerView

    if as_json:
        print_json(PartnerView.of(partner))
    else:
        typer.echo(f"{partner.name} {text}")
