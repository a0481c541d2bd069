"""``repaircore problems``."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from repaircore_cli.completion import problem_slugs
from repaircore_cli.options import AtMost
from repaircore_cli.repairs import PROBLEM_HELP, repair
from repaircore_cli.session import Output, commands, reading_shipped
from repaircore_cli.terminal import look, print_more, print_rows

if TYPE_CHECKING:
    from repaircore.book.fit import ProblemFit
    from repaircore.book.model import Problem
    from repaircore.core import Core
    from repaircore.problems.overview import ProblemEntry


app = commands("Look up repairs.")


@app.command(
    "list", epilog="Example: repaircore problems list | grep brake", opening=reading_shipped, rows=True
)
def list_(
    core: "Core",
    *,
    vin: Annotated[
        str | None,
        typer.Option("--vin", metavar="VIN", help="Only repairs that fit this vehicle, or may fit it."),
    ] = None,
    limit: AtMost = None,
) -> Output:
    """List the repairs in the book; with a VIN, those that fit the vehicle, followed by those that may fit."""
    if vin is None:
        found = core.problems.list_all()
        yield from _print_problems(found[:limit])
        print_more(len(found) - len(found[:limit]))
    else:
        profile = core.vehicles.identify(vin).specs.profile
        fitting = core.problems.list_fitting(profile)
        yield from _print_fitting(fitting[:limit])
        print_more(len(fitting) - len(fitting[:limit]))


@app.command(
    epilog='Example: repaircore problems search "squeaky brakes"', opening=reading_shipped, rows=True
)
def search(
    core: "Core",
    *,
    text: Annotated[str, typer.Argument(help="Everyday words.")],
    limit: Annotated[
        int, typer.Option("--limit", metavar="N", min=1, max=50, help="The maximum number of results.")
    ] = 10,
) -> Output:
    """Search repairs by everyday words, best match first."""
    found = [hit.problem for hit in core.problems.search(text, limit=limit)]
    yield from _print_problems(found)


@app.command(epilog="Example: repaircore problems show brake-pads-front", opening=reading_shipped)
def show(
    core: "Core",
    *,
    problem: Annotated[str, typer.Argument(metavar="SLUG", help=PROBLEM_HELP, autocompletion=problem_slugs)],
) -> Output:
    """Show a repair in the book."""
    from repaircore.problems.views import ProblemView

    found = repair(core, problem)
    entry = core.problem_overview.get(str(found.id))
    yield ProblemView.of(found, entry=entry)
    _print_problem(found, entry)


def _print_problems(problems: "Sequence[Problem]") -> Output:
    from repaircore.problems.views import ProblemView

    yield [ProblemView.of(problem) for problem in problems]
    rows = [
        (problem.id, problem.slug, problem.display_name, f"${problem.low // 100:,}-{problem.high // 100:,}")
        for problem in problems
    ]
    print_rows(
        ("id", "slug", "repair", "usual price"), rows, none="No repair in the book matches these words."
    )


def _print_fitting(found: "Sequence[ProblemFit]") -> Output:
    from repaircore.problems.views import ProblemView

    yield [ProblemView.of(each.problem, fit=each.fit) for each in found]
    rows = [
        (each.problem.id, each.problem.slug, each.problem.display_name, each.fit.reason or "fits")
        for each in found
    ]
    print_rows(("id", "slug", "repair", "fit"), rows, none="No repair in the book fits this vehicle.")


def _print_problem(problem: "Problem", entry: "ProblemEntry") -> None:
    from repaircore.kernel.wording import counted, money
    from repaircore_cli.tables import labeled

    recurrence = problem.recurrence
    rows = [
        ("Repair", f"{problem.display_name} ({problem.slug}, {problem.id})"),
        ("What", problem.description),
        ("Price", f"{money(problem.low)} to {money(problem.high)} on a mid-size car"),
        ("Labor", f"{problem.labor_hours:g} h"),
        *(("Part", f"{part.quantity} x {part.name}, {money(part.price)} each") for part in problem.parts),
        ("Urgency", problem.urgency.value),
        ("Drivable", problem.safe_to_drive.value),
        ("Again", f"after {counted(recurrence.miles, 'mile')} or {counted(recurrence.months, 'month')}"),
    ]
    if entry.average is not None:
        rows.append(
            ("Charged", f"{money(entry.average)} on average, over {counted(entry.invoices, 'invoice')}")
        )
    for label, text in rows:
        for line in labeled(label, text, look().width, column=10):
            typer.echo(line)
