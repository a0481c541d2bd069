"""``repaircore users``."""

from typing import TYPE_CHECKING, Annotated

import typer

from repaircore.accounts.views import AccountView
from repaircore_cli.options import AsJson, Database, PasswordStdin, commands
from repaircore_cli.prompts import password
from repaircore_cli.session import opened
from repaircore_cli.terminal import print_json, print_rows

if TYPE_CHECKING:
    from repaircore.accounts.model import User


app = commands("Manage accounts.")

EmailArgument = Annotated[str, typer.Argument(metavar="EMAIL", help="The account's e-mail.")]


@app.command(epilog="Example: repaircore users create ada@example.com --name Ada")
def create(
    ctx: typer.Context,
    *,
    email: EmailArgument,
    name: Annotated[str, typer.Option("--name", metavar="NAME", help="What to call them.")],
    password_stdin: PasswordStdin = False,
    database: Database = None,
    as_json: AsJson = False,
) -> None:
    """Create an account; prompts for the password."""
    secret = password(from_stdin=password_stdin)
    with opened(ctx, database) as core:
        user = core.accounts.create_user(name=name, email=email, password=secret)
    _show(user, "is user {id}.", as_json=as_json)


@app.command("list", epilog="Example: repaircore users list --json")
def list_(ctx: typer.Context, *, database: Database = None, as_json: AsJson = False) -> None:
    """List all accounts."""
    with opened(ctx, database) as core:
        users = core.accounts.list_users()
    if as_json:
        print_json([AccountView.of(user) for user in users])
    else:
        print_rows(
            ("id", "e-mail", "name", "role", "since"),
            [(user.id, user.email, user.name, user.role, f"{user.created_at:%Y-%m-%d}") for user in users],
        )


@app.command(epilog="Example: repaircore users promote ada@example.com")
def promote(
    ctx: typer.Context, *, email: EmailArgument, database: Database = None, as_json: AsJson = False
) -> None:
    """Make an account an admin, who sees everybody's records."""
    from repaircore.kernel.callers import Role

    with opened(ctx, database) as core:
        user = core.accounts.set_role(email, Role.ADMIN)
    _show(user, "is an admin now.", as_json=as_json)


@app.command(epilog="Example: repaircore users demote ada@example.com")
def demote(
    ctx: typer.Context, *, email: EmailArgument, database: Database = None, as_json: AsJson = False
) -> None:
    """Make an admin an ordinary user again."""
    from repaircore.kernel.callers import Role

    with opened(ctx, database) as core:
        user = core.accounts.set_role(email, Role.USER)
    _show(user, "is an ordinary user now.", as_json=as_json)


@app.command(epilog="Example: repaircore users reset-password ada@example.com --password-stdin < file")
def reset_password(
    ctx: typer.Context,
    *,
    email: EmailArgument,
    password_stdin: PasswordStdin = False,
    database: Database = None,
    as_json: AsJson = False,
) -> None:
    """Replace a password and end the account's sessions; its API keys go on working."""
    with opened(ctx, database) as core:
        core.accounts.caller_for(email)  # an unknown e-mail fails before the prompt for a password
        user = core.accounts.reset_password(email, password(from_stdin=password_stdin))
        keys = len(core.accounts.list_keys(core.accounts.caller_for(email)))
    _show(user, "has a new password; every session has ended.", as_json=as_json)
    if keys:
        # Somebody who knew the password may have created one.
        typer.echo(
            f"{'Its API key still works' if keys == 1 else f'Its {keys} API keys still work'}: "
            f"`repaircore keys list --email {user.email}` lists what `repaircore keys revoke` can end.",
            err=True,
        )


def _show(user: "User", text: str, *, as_json: bool) -> None:
    if as_json:
        print_json(AccountView.of(user))
    else:
        typer.echo(f"{user.email} {text.format(id=user.id)}")
