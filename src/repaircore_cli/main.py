"""The command ``repaircore``."""

import os
import shutil
import sys
from collections.abc import Mapping, Sequence
from typing import Annotated, ClassVar, Final, NoReturn

import typer

from repaircore_cli.fast_path.lazy import UNREAD, LazyGroup, prepare
from repaircore_cli.options import Database

_USUAL_HELP: Final = 80


class Commands(LazyGroup):
    """The top-level commands."""

    entries: ClassVar[Mapping[str, tuple[str, str]]] = {
        "predict": ("repaircore_cli.predict", "Estimate what a repair will cost."),
        "predict-by-specs": (
            "repaircore_cli.predict_by_specs",
            "Estimate what a repair will cost on a year, make and model.",
        ),
        "visit": ("repaircore_cli.visit", "Estimate several repairs of one vehicle in one visit."),
        "visits": (
            "repaircore_cli.visits",
            "Look up stored visits, send them, record answers and make invoices.",
        ),
        "quote-check": ("repaircore_cli.quote_check", "Check whether a shop's quote is fair."),
        "diagnose": ("repaircore_cli.diagnose", "Diagnose a description: list the likely repairs."),
        "chat": ("repaircore_cli.chat", "Diagnose a vehicle through questions and answers."),
        "serve": ("repaircore_cli.serve", "Serve the HTTP API and the web console."),
        "mcp": ("repaircore_cli.mcp", "Serve AI agents over the Model Context Protocol."),
        "openapi": ("repaircore_cli.openapi", "Print the HTTP API as an OpenAPI 3.1 document."),
        "estimates": (
            "repaircore_cli.estimates",
            "Compare estimates with what was paid, and refit them.",
        ),
        "transactions": ("repaircore_cli.transactions", "List, show and plot past repairs."),
        "problems": ("repaircore_cli.problems", "Look up repairs."),
        "book": ("repaircore_cli.book", "Export the repair book as open data, and correct its figures."),
        "vehicles": ("repaircore_cli.vehicles", "Look up vehicles, and maintain stored ones."),
        "connectedcar": (
            "repaircore_cli.connectedcar",
            "Disconnect cars, rotate keys, and run a sandbox provider.",
        ),
        "regions": ("repaircore_cli.regions", "Manage the shops that labor rates come from."),
        "drivers": ("repaircore_cli.drivers", "Manage the drivers that mobile rides are offered to."),
        "businesses": (
            "repaircore_cli.businesses",
            "Manage the towing businesses that tow rides are offered to.",
        ),
        "mechanics": ("repaircore_cli.mechanics", "Manage the mechanics that partners book with."),
        "recalls": ("repaircore_cli.recalls", "Look up safety recalls."),
        "schedules": ("repaircore_cli.schedules", "Plan services for vehicles, and list which are due."),
        "garage": ("repaircore_cli.garage", "Manage the vehicles of an account: services, costs, reminders."),
        "catalog": ("repaircore_cli.catalog", "Maintain the catalog of makes, models, trims and engines."),
        "codes": ("repaircore_cli.codes", "Look up trouble codes."),
        "diagnostics": (
            "repaircore_cli.diagnostics",
            "Edit the questionnaire, read submissions, and record the actual repairs.",
        ),
        "appointments": (
            "repaircore_cli.appointments",
            "Look up appointments, and close those that their partner left open.",
        ),
        "rides": (
            "repaircore_cli.rides",
            "Look up rides and tows, and resolve the ones that are stuck.",
        ),
        "payments": (
            "repaircore_cli.payments",
            "Look up payments, refund them, and finish the ones that are left pending.",
        ),
        "webhooks": ("repaircore_cli.webhooks", "Manage webhooks: subscriptions, deliveries and replays."),
        "messages": (
            "repaircore_cli.messages",
            "Read the messages that were sent by e-mail, SMS and webhook.",
        ),
        "jobs": ("repaircore_cli.jobs", "Run background jobs."),
        "tasks": ("repaircore_cli.tasks", "Start long work in the background, follow it and cancel it."),
        "users": ("repaircore_cli.users", "Manage accounts."),
        "keys": ("repaircore_cli.keys", "Manage a user's API keys."),
        "partners": ("repaircore_cli.partners", "Manage partner accounts."),
        "import": ("repaircore_cli.imports", "Import files."),
        "drafts": (
            "repaircore_cli.drafts",
            "Look up invoice drafts, correct them, and record their transactions.",
        ),
        "export": ("repaircore_cli.exports", "Export files that `import` reads."),
        "sample": ("repaircore_cli.sample", "Generate sample data to try the program with."),
        "price-adjustment": ("repaircore_cli.price_adjustment", "Adjust all prices by a percentage."),
        "audit": ("repaircore_cli.audit", "Show the audit log."),
        "person": ("repaircore_cli.person", "Export or erase a person's data."),
        "backup": ("repaircore_cli.backup", "Back up the whole database to one file."),
        "restore": (
            "repaircore_cli.restore",
            "Replace the database with a backup.",
        ),
        "db": ("repaircore_cli.db", "Manage the database's schema."),
        "doctor": ("repaircore_cli.doctor", "Check the installation."),
    }


app = typer.Typer(
    cls=Commands,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(is_requested: bool) -> None:  # noqa: FBT001 - typer's callback
    if is_requested:
        from repaircore import __version__

        typer.echo(f"repaircore {__version__}")
        raise typer.Exit


@app.callback(
    epilog="Example: repaircore predict 1HGCM82633A004352 90210 brake-pads-front --explain",
)
def repaircore(
    ctx: typer.Context,
    *,
    database: Database = None,
    version: Annotated[  # noqa: ARG001 - its callback acts on it
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Estimate what a repair will cost, and whether a price is fair."""
    ctx.obj = database


def run(args: Sequence[str] | None = None) -> NoReturn:
    """Run the command line, and exit with its status.

    It is 0 for success, 1 for a failure, 2 for a usage error, 130 after Ctrl-C, and 141 if the output is no longer
    read. With ``--json``, errors are JSON. ``args`` defaults to the arguments of the process.
    """
    _open_closed_streams()
    words = [*(sys.argv[1:] if args is None else args)]
    sys.exit(_flushed(_status(words)))


def _status(words: Sequence[str]) -> int:
    command = prepare(typer.main.get_command(app))
    try:
        status = command(words, prog_name="repaircore", standalone_mode=False, terminal_width=_narrow_width())
    except Exception as error:  # noqa: BLE001 - nobody at a terminal should see a traceback
        from repaircore_cli.failures import report

        return report(error, as_json="--json" in words)
    return status if isinstance(status, int) else 0


def _narrow_width() -> int | None:
    """Return the width of the terminal if it is narrower than the default width of help, or None."""
    columns = shutil.get_terminal_size().columns if sys.stdout.isatty() else _USUAL_HELP
    return columns if columns < _USUAL_HELP else None


def _open_closed_streams() -> None:
    """Open the null device for each standard stream that the caller closed.

    Otherwise, the database might get the stream's descriptor, and output would be written into the database.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: PTH123, SIM115 - stays open as long as the process runs


def _flushed(status: int) -> int:
    """Flush the output and return ``status``, or the status of a failure if the output cannot be written."""
    try:
        sys.stdout.flush()
    except OSError as error:
        # Python flushes once more when it exits, and would print a traceback.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):
            return UNREAD
        if not status:
            sys.stderr.write(f"Error: {error.strerror}\n")
        return status or 1
    return status
