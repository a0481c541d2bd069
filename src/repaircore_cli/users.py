"""``repaircore users``."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from repaircore.kernel.views import iso_utc
from repaircore_cli.options import AsJson, Database, PasswordStdin, commands
from repaircore_cli.prompts import password
from repaircore_cli.session import opened
from repaircore_cli.terminal import print_json, print_rows

if TYPE_CHECKING:
    from repaircore.accounts.model import User


app = commands("Manage accounts.")

Who = Annotated[str, typer.Argument(metavar="EMAIL", help="The account's e-mail.")]


@app.command(epilog="Example: repaircore users create ada@example.com --name Ada")
def create(
    ctx: typer.Context,
    *,
    email: Who,
    name: Annotated[str, typer.Option("--name", metavar="NAME", help="What to call them.")],
    password_stdin: PasswordStdin = False,
    database: Database = None,
    as_json: AsJson = False,
) -> None:
    """Create an account; the password is asked for."""
    secret = password(from_stdin=password_stdin)
    with opened(ctx, database) as core:
        user = core.accounts.create_user(name=name, email=email, password=secret)
    _told(user, "is user {id}.", as_json=as_json)


@app.command("list", epilog="Example: repaircore users list --json")
def list_(ctx: typer.Context, *, database: Database = None, as_json: AsJson = False) -> None:
    """List everybody."""
    with opened(ctx, database) as core:
        users = core.accounts.users()
    if as_json:
        print_json([_shape(user) for user in users])
    else:
        print_rows(
            ("id", "e-mail", "name", "role", "since"),
            [(user.id, user.email, user.name, user.role, f"{user.created_at:%Y-%m-%d}") for user in users],
        )


@app.command(epilog="Example: repaircore users promote ada@example.com")
def promote(ctx: typer.Context, *, email: Who, database: Database = None, as_json: AsJson = False) -> None:
    """Make an account an admin, who sees everybody's records."""
    from repaircore.kernel.callers import Role

    with opened(ctx, database) as core:
        user = core.accounts.set_role(email, Role.ADMIN)
    _told(user, "is an admin now.", as_json=as_json)


@app.command(epilog="Example: repaircore users demote ada@example.com")
def demote(ctx: typer.Context, *, email: Who, database: Database = None, as_json: AsJson = False) -> None:
    """Make an admin an ordinary user again."""
    from repaircore.kernel.callers import Role

    with opened(ctx, database) as core:
        user = core.accounts.set_role(email, Role.USER)
    _told(user, "is an ordinary user now.", as_json=as_json)


@app.command(epilog="Example: repaircore users reset-password ada@example.com --password-stdin < file")
def reset_password(
    ctx: typer.Context,
    *,
    email: Who,
    password_stdin: PasswordStdin = False,
    database: Database = None,
    as_json: AsJson = False,
) -> None:
    """Replace a password and end the account's sessions; its API keys go on working."""
    with opened(ctx, database) as core:
        core.accounts.caller_of(email)  # who mistyped the e-mail is not asked for a password
        user = core.accounts.reset_password(email, password(from_stdin=password_stdin))
        keys = len(core.accounts.keys(core.accounts.caller_of(email)))
    _told(user, "has a new password; every session has ended.", as_json=as_json)
    if keys:
        # Whoever knew the password may have made one with it.
        typer.echo(
            f"{'Its API key still works' if keys == 1 else f'Its {keys} API keys still work'}: "
            f"`repaircore keys list --email {user.email}` shows what `repaircore keys revoke` ends.",
            err=True,
        )


def _told(user: "User", text: str, *, as_json: bool) -> None:
    if as_json:
        print_json(_shape(user))
    else:
        typer.echo(f"{user.email} {text.format(id=user.id)}")


def _shape(user: "User") -> dict[str, Any]:
    return {
        "id": user.id,
        "name": user.name,
        "email": user.email,
        "role": user.role.value,
        "created_at": iso_utc(user.created_at),
    }
