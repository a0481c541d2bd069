"""``repaircore problems``."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from repaircore_cli.options import AsJson, Database, commands
from repaircore_cli.session import opened
from repaircore_cli.terminal import look, print_json, print_rows

if TYPE_CHECKING:
    from repaircore.book.fit import ProblemFit
    from repaircore.book.model import Problem
    from repaircore.core import Core
    from repaircore.problems.overview import ProblemEntry


app = commands("Look repairs up.")


@app.command("list", epilog="Example: repaircore problems list | grep brake")
def list_(
    ctx: typer.Context,
    *,
    vin: Annotated[
        str | None, typer.Option("--vin", metavar="VIN", help="Only what fits this vehicle, or may fit it.")
    ] = None,
    database: Database = None,
    as_json: AsJson = False,
) -> None:
    """List every repair of the book; with a VIN, what fits the vehicle and then what may."""
    with opened(ctx, database) as core:
        if vin is None:
            _listed(core.problems.list_all(), as_json=as_json)
        else:
            _fitting(core.problems.list_fitting(core.vehicles.identify(vin).specs.profile), as_json=as_json)


@app.command(epilog='Example: repaircore problems search "squeaky brakes"')
def search(
    ctx: typer.Context,
    *,
    text: Annotated[str, typer.Argument(help="Everyday words.")],
    limit: Annotated[int, typer.Option("--limit", metavar="N", min=1, max=50, help="How many at most.")] = 10,
    database: Database = None,
    as_json: AsJson = False,
) -> None:
    """Find repairs by everyday words, best first."""
    with opened(ctx, database) as core:
        found = [one.problem for one in core.problems.search(text, limit=limit)]
    _listed(found, as_json=as_json)
    if not found and not as_json:
        typer.echo("Nothing in the repair book carries these words.", err=True)


@app.command(epilog="Example: repaircore problems show brake-pads-front")
def show(
    ctx: typer.Context,
    *,
    problem: Annotated[str, typer.Argument(metavar="SLUG", help="The repair's slug or id.")],
    database: Database = None,
    as_json: AsJson = False,
) -> None:
    """Show what the book says of a repair."""
    from repaircore.kernel.errors import NotFound

    with opened(ctx, database) as core:
        found = core.problems.find(problem)
        hint = _hint(core, problem) if found is None else ""
        invoiced = None if found is None else core.problem_overview.get(str(found.id))
    if found is None:
        raise NotFound(f"There is no repair {problem!r}.{hint}")
    if as_json:
        average = None if invoiced is None or invoiced.average is None else invoiced.average / 100
        counted = {"transactions_count": invoiced.invoices if invoiced else 0, "average_total": average}
        print_json({**_shape(found), **counted})
    else:
        _shown(found, invoiced)


def _hint(core: "Core", typed: str) -> str:
    """Say what was probably meant, after a space."""
    for category in core.problems.list_categories():
        if typed in {str(category.id), category.slug}:
            first = core.problems.list_in_category(category.id)[0]
            return f" {category.name} is a main category; {first.slug} is a repair in it."
    meant = core.problems.suggest(typed)
    return f" Did you mean {meant.slug}?" if meant else ""


def _listed(problems: "Sequence[Problem]", *, as_json: bool) -> None:
    if as_json:
        print_json([_shape(problem) for problem in problems])
    else:
        print_rows(
            ("id", "slug", "repair", "usual price"),
            [
                (
                    problem.id,
                    problem.slug,
                    problem.display_name,
                    f"${problem.low // 100:,}-{problem.high // 100:,}",
                )
                for problem in problems
            ],
        )


def _fitting(found: "Sequence[ProblemFit]", *, as_json: bool) -> None:
    if as_json:
        print_json(
            [
                {**_shape(one.problem), "fit": {"outcome": one.fit.outcome, "reason": one.fit.reason}}
                for one in found
            ]
        )
    else:
        print_rows(
            ("id", "slug", "repair", "fit"),
            [
                (one.problem.id, one.problem.slug, one.problem.display_name, one.fit.reason or "fits")
                for one in found
            ],
        )


def _shown(problem: "Problem", invoiced: "ProblemEntry | None") -> None:
    from textwrap import wrap

    from repaircore.kernel.wording import money

    again = problem.recurrence
    rows = [
        ("Repair", f"{problem.display_name} ({problem.slug}, {problem.id})"),
        ("What", problem.description),
        ("Price", f"{money(problem.low)} to {money(problem.high)} on a mid-size car"),
        ("Labor", f"{problem.labor_hours:g} h"),
        *(("Part", f"{part.quantity} x {part.name}, {money(part.price)} each") for part in problem.parts),
        ("Urgency", problem.urgency.value),
        ("Drive on", problem.safe_to_drive.value),
        ("Again", f"after {again.miles:,} miles or {again.months} months"),
    ]
    if invoiced is not None and invoiced.average is not None:
        rows.append(
            ("Charged", f"{money(invoiced.average)} on the average of {invoiced.invoices:,} invoices")
        )
    for label, text in rows:
        first, *rest = wrap(text, look().width - 10) or [""]
        typer.echo(f"{label:10}{first}")
        for line in rest:
            typer.echo(" " * 10 + line)


def _shape(problem: "Problem") -> dict[str, Any]:
    return {
        "id": problem.id,
        "slug": problem.slug,
        "name": problem.name,
        "display_name": problem.display_name,
        "description": problem.description,
        "parent": {"id": problem.parent.id, "name": problem.parent.name},
        "labor_hours": problem.labor_hours,
        "parts": [
            {"name": part.name, "quantity": part.quantity, "unit_price": part.price / 100}
            for part in problem.parts
        ],
        "price_range": {"low": problem.low / 100, "high": problem.high / 100},
        "urgency": problem.urgency.value,
        "safe_to_drive": problem.safe_to_drive.value,
        "symptoms": [symptom.slug for symptom in problem.symptoms],
        "keywords": [*problem.keywords],
    }
