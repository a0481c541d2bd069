"""``repaircore partners``."""

from typing import TYPE_CHECKING, Annotated

import typer

from repaircore_cli.options import Limit, PageNumber, Yes
from repaircore_cli.prompts import confirm
from repaircore_cli.session import Output, commands, reading
from repaircore_cli.terminal import print_left, print_rows

if TYPE_CHECKING:
    from repaircore.core import Core
    from repaircore.partners.model import CreatedKey, Partner


app = commands("Manage partner accounts.")

Name = Annotated[str, typer.Argument(metavar="NAME", help="The partner's name.", show_default=False)]
Email = Annotated[str, typer.Argument(metavar="EMAIL", help="The e-mail of the account.", show_default=False)]
KeyEnvironment = Annotated[
    str, typer.Option("--environment", metavar="test|live", help="The environment of the keys.")
]


@app.command(epilog='Example: repaircore partners create "Roadside Inc" --environment test')
def create(core: "Core", *, name: Name, environment: KeyEnvironment = "test") -> Output:
    """Create a partner with a pair of keys, or create keys in another environment for an existing partner.

    The secret key is shown only once.
    """
    created = core.partners.create(name, environment)
    yield from _show_created(created)


@app.command("list", epilog="Example: repaircore partners list --json", opening=reading, rows=True)
def list_(core: "Core", *, page: PageNumber = 1, limit: Limit = 100) -> Output:
    """List partners with their keys."""
    from repaircore.partners.views import PartnerView

    partners = core.partners.list_page(number=page, per_page=limit)
    yield [PartnerView.of(partner) for partner in partners]
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
        none="No partners yet. Add one with `repaircore partners create NAME`."
        if page == 1
        else "No partners on this page.",
    )
    print_left(partners)


@app.command(epilog='Example: repaircore partners suspend "Roadside Inc" --yes')
def suspend(core: "Core", *, name: Name, yes: Yes = False) -> Output:
    """Reject a partner's requests from now on, including those in open sessions."""
    confirm(f"{name} cannot send requests from now on, in test and live. Continue?", yes=yes)
    partner = core.partners.suspend(name)
    yield from _show(partner, "is suspended.")


@app.command(epilog='Example: repaircore partners resume "Roadside Inc"')
def resume(core: "Core", *, name: Name) -> Output:
    """Accept a suspended partner's requests again."""
    partner = core.partners.resume(name)
    yield from _show(partner, "is active.")


@app.command(
    epilog='Example: repaircore partners rotate-keys "Roadside Inc" --environment live --overlap-hours 24'
)
def rotate_keys(
    core: "Core",
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
    end_sessions: Annotated[
        bool,
        typer.Option("--end-sessions", help="Also end the open sessions, which otherwise last 15 minutes."),
    ] = False,
    yes: Yes = False,
) -> Output:
    """Replace a partner's keys."""
    from datetime import timedelta

    if not overlap_hours:
        confirm(f"The {environment} keys of {name} cannot open sessions from now on. Continue?", yes=yes)
    created = core.partners.rotate_keys(
        name, environment, overlap=timedelta(hours=overlap_hours), end_sessions=end_sessions
    )
    yield from _show_created(created)


@app.command(epilog='Example: repaircore partners add-member "Roadside Inc" ada@example.com')
def add_member(core: "Core", *, name: Name, email: Email) -> Output:
    """Give an account access to the partner's own pages of the console: webhooks, keys, jobs and statements."""
    from repaircore.partners.views import PartnerMemberView

    member = core.partner_members.add(name, email)
    yield PartnerMemberView.of(member)
    typer.echo(f"{member.name} ({member.email}) is a member of {name}.")


@app.command(epilog='Example: repaircore partners remove-member "Roadside Inc" ada@example.com')
def remove_member(core: "Core", *, name: Name, email: Email) -> Output:
    """Remove an account's access to a partner's pages, from its next request on."""
    core.partner_members.remove(name, email)
    yield {"name": name, "email": email, "removed": True}
    typer.echo(f"{email} is no longer a member of {name}.")


@app.command(epilog='Example: repaircore partners members "Roadside Inc"', opening=reading, rows=True)
def members(core: "Core", *, name: Name) -> Output:
    """List the accounts that are members of a partner."""
    from repaircore.partners.views import PartnerMemberView

    found = core.partner_members.list_for(name)
    yield [PartnerMemberView.of(member) for member in found]
    print_rows(
        ("name", "email", "since"),
        [(member.name, member.email, f"{member.created_at:%Y-%m-%d}") for member in found],
        none="No members yet. Add one with `repaircore partners add-member NAME EMAIL`.",
    )


def _show_created(created: "CreatedKey") -> Output:
    from repaircore.partners.views import CreatedKeyView

    yield CreatedKeyView.of(created)
    key = created.key
    typer.echo(f"Partner {created.partner.id} ({created.partner.name}, {key.environment})")
    typer.echo(f"  public  {key.public_key}")
    typer.echo(f"  secret  {created.secret_key}")
    typer.echo("Save the secret key now: it will not be shown again.", err=True)


def _show(partner: "Partner", text: str) -> Output:
    from repaircore.partners.views import PartnerView

    yield PartnerView.of(partner)
    typer.echo(f"{partner.name} {text}")
