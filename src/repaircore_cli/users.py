"""``repaircore users``."""

from typing import TYPE_CHECKING, Annotated

import typer

from repaircore.accounts.views import AccountView
from repaircore_cli.options import PasswordStdin
from repaircore_cli.prompts import password
from repaircore_cli.session import Output, commands
from repaircore_cli.terminal import print_rows

if TYPE_CHECKING:
    from repaircore.accounts.model import User
    from repaircore.core import Core


app = commands("Manage accounts.")

EmailArgument = Annotated[str, typer.Argument(metavar="EMAIL", help="The account's e-mail.")]


@app.command(epilog="Example: repaircore users create ada@example.com --name Ada")
def create(
    core: "Core",
    *,
    email: EmailArgument,
    name: Annotated[str, typer.Option("--name", metavar="NAME", help="The name of the user.")],
    password_stdin: PasswordStdin = False,
) -> Output:
    """Create an account; prompts for the password."""
    secret = password(from_stdin=password_stdin)
    user = core.accounts.create_user(name=name, email=email, password=secret)
    yield from _show(user, "is user {id}.")


@app.command("list", epilog="Example: repaircore users list --json")
def list_(core: "Core") -> Output:
    """List all accounts."""
    users = core.accounts.list_users()
    yield [AccountView.of(user) for user in users]
    print_rows(
        ("id", "e-mail", "name", "role", "since"),
        [(user.id, user.email, user.name, user.role, f"{user.created_at:%Y-%m-%d}") for user in users],
    )


@app.command(epilog="Example: repaircore users promote ada@example.com")
def promote(core: "Core", *, email: EmailArgument) -> Output:
    """Make an account an admin, who sees everybody's records."""
    from repaircore.kernel.callers import Role

    user = core.accounts.set_role(email, Role.ADMIN)
    yield from _show(user, "is an admin now.")


@app.command(epilog="Example: repaircore users demote ada@example.com")
def demote(core: "Core", *, email: EmailArgument) -> Output:
    """Make an admin an ordinary user again."""
    from repaircore.kernel.callers import Role

    user = core.accounts.set_role(email, Role.USER)
    yield from _show(user, "is an ordinary user now.")


@app.command(epilog="Example: repaircore users reset-password ada@example.com --password-stdin < file")
def reset_password(
    core: "Core",
    *,
    email: EmailArgument,
    password_stdin: PasswordStdin = False,
) -> Output:
    """Replace a password and end the account's sessions; its API keys go on working."""
    core.accounts.caller_for(email)  # an unknown e-mail fails before the prompt for a password
    user = core.accounts.reset_password(email, password(from_stdin=password_stdin))
    keys = len(core.accounts.list_keys(core.accounts.caller_for(email)))
    if keys:
        # An attacker who knew the password may have created one.
        typer.echo(
            f"{'Its API key still works' if keys == 1 else f'Its {keys} API keys still work'}: "
            f"`repaircore keys list --email {user.email}` lists what `repaircore keys revoke` can end.",
            err=True,
        )
    yield from _show(user, "has a new password; every session has ended.")


def _show(user: "User", text: str) -> Output:
    yield AccountView.of(user)
    typer.echo(f"{user.email} {text.format(id=user.id)}")
