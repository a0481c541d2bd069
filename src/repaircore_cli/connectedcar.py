"""``repaircore connectedcar``."""

from typing import TYPE_CHECKING, Annotated

import typer

from repaircore_cli.options import AsJson, Database, Yes
from repaircore_cli.prompts import confirm
from repaircore_cli.session import Output, commands
from repaircore_cli.terminal import print_json

if TYPE_CHECKING:
    from repaircore.core import Core


app = commands("Let connected cars go, and try them out.")


@app.command(epilog="Example: repaircore connectedcar disconnect driver@example.com --yes")
def disconnect(
    core: "Core",
    *,
    what: Annotated[
        str, typer.Argument(metavar="EMAIL|VIN", help="A driver's e-mail, or the VIN of one car.")
    ],
    environment: Annotated[
        str, typer.Option("--environment", metavar="test|live", help="Whose records.")
    ] = "live",
    yes: Yes = False,
) -> Output:
    """Forget a driver's agreement, or one car of it, whoever connected it; the provider is told."""
    from attrs import evolve

    from repaircore.kernel.callers import LOCAL, Environment

    if environment not in set(Environment):
        raise typer.BadParameter("takes test or live", param_hint="--environment")
    confirm(f"{what} is disconnected; only the driver can connect it again. Go on?", yes=yes)
    gone = core.connected_cars.disconnect(what, evolve(LOCAL, environment=Environment(environment)))
    yield {
        "vins": list(gone.vins),
        "connections_ended": gone.connections,
        "ended_at_provider": gone.withdrawn,
    }
    typer.echo(f"Disconnected {', '.join(gone.vins)}.")
    if gone.withdrawn < gone.connections:
        typer.echo("The provider was not told: the driver can end the agreement there.", err=True)


@app.command("rotate-keys", epilog="Example: repaircore connectedcar rotate-keys")
def rotate_keys(core: "Core", *, as_json: AsJson = False) -> None:
    """Encrypt all kept tokens with the newest key: exit status 1 when some cannot be read."""
    done = core.connected_cars.rotate_keys()
    if as_json:
        print_json({"renewed": done.renewed, "unreadable": done.unreadable})
    else:
        typer.echo(f"{done.renewed} connections are encrypted with the newest key.")
    if done.unreadable:
        typer.echo(
            f"{done.unreadable} cannot be read with any configured key, and stay as they are.", err=True
        )
        raise typer.Exit(1)


@app.command(epilog="Example: repaircore connectedcar sandbox --port 8901")
def sandbox(
    *,
    port: Annotated[
        int,
        typer.Option("--port", metavar="PORT", min=0, max=65535, help="The port; 0 takes a free one."),
    ] = 0,
    database: Database = None,  # noqa: ARG001 - every command takes it; this one keeps nothing
    as_json: AsJson = False,
) -> None:
    """Serve a stand-in provider on this machine, and print the settings that lead to it; Ctrl-C ends."""
    import signal
    import sys

    from repaircore.kernel.errors import Unavailable
    from repaircore.testing.car_provider import CarServer

    # What a shell runs in the background ignores Ctrl-C, and so would this.
    for ending in (signal.SIGINT, signal.SIGTERM):
        signal.signal(ending, signal.default_int_handler)
    try:
        server = CarServer(port=port)
    except OSError as error:
        raise Unavailable(f"Nothing can listen at 127.0.0.1:{port}: {error.strerror}.") from error
    with server:
        if as_json:
            print_json(server.environ)
        else:
            for name, value in server.environ.items():
                typer.echo(f"export {name}={value}")
        sys.stdout.flush()
        server.wait()
