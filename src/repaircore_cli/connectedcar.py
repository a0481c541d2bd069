"""``repaircore connectedcar``."""

from typing import TYPE_CHECKING, Annotated

import typer

from repaircore_cli.options import AsJson, Database, Yes
from repaircore_cli.prompts import confirm
from repaircore_cli.session import Output, commands
from repaircore_cli.terminal import print_json

if TYPE_CHECKING:
    from repaircore.core import Core


app = commands("Disconnect cars, rotate keys, and run a sandbox provider.")


@app.command(epilog="Example: repaircore connectedcar disconnect driver@example.com --yes")
def disconnect(
    core: "Core",
    *,
    what: Annotated[
        str, typer.Argument(metavar="EMAIL|VIN", help="A driver's e-mail, or the VIN of one car.")
    ],
    environment: Annotated[
        str, typer.Option("--environment", metavar="test|live", help="The environment.")
    ] = "live",
    yes: Yes = False,
) -> Output:
    """Disconnect a driver's cars, or one car regardless of who connected it, and revoke the consent at the provider."""
    from attrs import evolve

    from repaircore.connected_cars.views import DisconnectedView
    from repaircore.kernel.callers import LOCAL, Environment

    if environment not in set(Environment):
        raise typer.BadParameter("must be test or live", param_hint="--environment")
    confirm(f"{what} will be disconnected; only the driver can reconnect. Continue?", yes=yes)
    gone = core.connected_cars.disconnect(what, evolve(LOCAL, environment=Environment(environment)))
    yield DisconnectedView.of(gone)
    typer.echo(f"Disconnected {', '.join(gone.vins)}.")
    if gone.revoked < gone.connections:
        typer.echo("The consent was not revoked at the provider; the driver can revoke it there.", err=True)


@app.command("rotate-keys", epilog="Example: repaircore connectedcar rotate-keys")
def rotate_keys(core: "Core", *, as_json: AsJson = False) -> None:
    """Encrypt all stored tokens with the newest key; exits with status 1 if any cannot be decrypted."""
    from repaircore.kernel.wording import counted

    done = core.connected_cars.rotate_keys()
    if as_json:
        print_json({"renewed": done.renewed, "unreadable": done.unreadable})
    else:
        typer.echo(f"Encrypted {counted(done.renewed, 'connection')} with the newest key.")
    if done.unreadable:
        typer.echo(
            f"No configured key can decrypt {counted(done.unreadable, 'connection')}; the tokens were left unchanged.",
            err=True,
        )
        raise typer.Exit(1)


@app.command(epilog="Example: repaircore connectedcar sandbox --port 8901")
def sandbox(
    *,
    port: Annotated[
        int, typer.Option("--port", metavar="PORT", min=0, max=65535, help="The port; 0 for any free port.")
    ] = 0,
    database: Database = None,  # noqa: ARG001 - every command takes it; this one stores nothing
    as_json: AsJson = False,
) -> None:
    """Run a sandbox provider on this machine, and print the settings for it; stop with Ctrl-C."""
    import signal
    import sys

    from repaircore.kernel.errors import Unavailable
    from repaircore.testing.car_provider import CarServer

    # A shell starts background jobs with SIGINT ignored, so the handlers are set explicitly.
    for ending in (signal.SIGINT, signal.SIGTERM):
        signal.signal(ending, signal.default_int_handler)
    try:
        server = CarServer(port=port)
    except OSError as error:
        raise Unavailable(f"Cannot listen on 127.0.0.1:{port}: {error.strerror}.") from error
    with server:
        if as_json:
            print_json(server.environ)
        else:
            for name, value in server.environ.items():
                typer.echo(f"export {name}={value}")
        sys.stdout.flush()
        server.wait()
