"""``repaircore users``."""

from typing import TYPE_CHECKING, Annotated

import typer

from repaircore.accounts.views import UserView
from repaircore.kernel.views import iso_utc
from repaircore.passwords.views import PasswordLinkView
from repaircore_cli.options import AtMost, PasswordStdin
from repaircore_cli.prompts import password
from repaircore_cli.session import Output, commands, reading
from repaircore_cli.terminal import print_more, print_rows

if TYPE_CHECKING:
    from repaircore.accounts.model import User
    from repaircore.core import Core
    from repaircore.passwords.model import NewLink


app = commands("Manage accounts.")

EmailArgument = Annotated[str, typer.Argument(metavar="EMAIL", help="The account's e-mail.")]

Mailed = Annotated[bool, typer.Option("--mail", help="Mail the link to the user, too.")]


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


@app.command("list", epilog="Example: repaircore users list --json", opening=reading, rows=True)
def list_(core: "Core", *, limit: AtMost = None) -> Output:
    """List accounts, oldest first."""
    found = core.accounts.list_users()
    users = found[:limit]
    yield [UserView.of(user) for user in users]
    print_rows(
        ("id", "e-mail", "name", "role", "since", "locked"),
        [
            (
                user.id,
                user.email,
                user.name,
                user.role,
                f"{user.created_at:%Y-%m-%d}",
                None if user.locked_at is None else f"{user.locked_at:%Y-%m-%d}",
            )
            for user in users
        ],
        none="No users yet. Add one with `repaircore users create EMAIL --name NAME`.",
    )
    print_more(len(found) - len(users))


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


@app.command(epilog="Example: repaircore users lock ada@example.com")
def lock(core: "Core", *, email: EmailArgument) -> Output:
    """Lock an account: nobody can log in, its sessions end, and its API keys do not work until it is unlocked."""
    user = core.user_administration.lock(email)
    yield from _show(user, "is locked.")


@app.command(epilog="Example: repaircore users unlock ada@example.com")
def unlock(core: "Core", *, email: EmailArgument) -> Output:
    """Unlock an account: its API keys work again, and its user can log in."""
    user = core.user_administration.unlock(email)
    yield from _show(user, "is unlocked.")


@app.command(epilog="Example: repaircore users invite ada@example.com --name Ada")
def invite(
    core: "Core",
    *,
    email: EmailArgument,
    name: Annotated[str, typer.Option("--name", metavar="NAME", help="The name of the user.")],
    mail: Mailed = False,
) -> Output:
    """Create an account, and a link that lets its user choose the password; it works once, for 24 hours."""
    yield from _show_link(core.operator_links.invite(name=name, email=email, mail=mail))


@app.command(epilog="Example: repaircore users link ada@example.com")
def link(core: "Core", *, email: EmailArgument, mail: Mailed = False) -> Output:
    """Create a link that lets a user choose a new password; it works once, for 24 hours."""
    yield from _show_link(core.operator_links.create(email, mail=mail))


@app.command(epilog="Example: repaircore users reset-password ada@example.com --password-stdin < file")
def reset_password(
    core: "Core",
    *,
    email: EmailArgument,
    password_stdin: PasswordStdin = False,
) -> Output:
    """Replace a password and end the account's sessions; its API keys keep working."""
    core.accounts.caller_for(email)  # an unknown e-mail fails before the prompt for a password
    user = core.accounts.reset_password(email, password(from_stdin=password_stdin))
    keys = len(core.accounts.list_keys(core.accounts.caller_for(email)))
    if keys:
        # An attacker who knew the password may have created one.
        typer.echo(
            f"{'Its API key still works' if keys == 1 else f'Its {keys} API keys still work'}: "
            f"list keys with `repaircore keys list --email {user.email}`, and revoke them with `repaircore keys revoke`.",
            err=True,
        )
    yield from _show(user, "has a new password; every session has ended.")


def _show_link(new: "NewLink") -> Output:
    yield PasswordLinkView.of(new)
    typer.echo(new.url)
    typer.echo(
        f"With this link, {new.user.email} can choose a password once, until {iso_utc(new.expires_at)}.",
        err=True,
    )


def _show(user: "User", text: str) -> Output:
    yield UserView.of(user)
    typer.echo(f"{user.email} {text.format(id=user.id)}")
