"""``repaircore visits``."""

import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from repaircore_cli.options import InTest, Limit, PageNumber, one_of, operator
from repaircore_cli.session import Output, commands, reading
from repaircore_cli.terminal import in_dollars, look, none_of, print_left, print_rows

if TYPE_CHECKING:
    from repaircore.core import Core
    from repaircore.documents.actuals import ActualLine
    from repaircore.documents.answers import LineAnswer
    from repaircore.visits.lifecycle import Action
    from repaircore.visits.model import Choice, Visit
    from repaircore.visits.views import VisitView


app = commands("Look up stored visits, send them, record answers and make invoices.")

_Number = Annotated[str, typer.Argument(metavar="NUMBER", help="The visit's number, from `visits list`.")]
_Version = Annotated[
    int | None,
    typer.Option(
        "--version",
        metavar="N",
        min=1,
        help="The version that you saw; refused if the visit has changed since.",
        show_default=False,
    ),
]


def _figures(name: str, text: str) -> object:
    return typer.Option(f"--{name}", metavar="LINE=NUMBER", help=text, show_default=False)


@app.command(
    "list",
    epilog="Example: repaircore visits list --status sent --search lovelace",
    opening=reading,
    rows=True,
)
def list_(
    core: "Core",
    *,
    status: Annotated[
        str | None, typer.Option("--status", metavar="STATUS", help="draft, sent, approved, invoiced, …")
    ] = None,
    search: Annotated[
        str | None,
        typer.Option("--search", metavar="TEXT", help="Search numbers, customers, VINs and vehicles."),
    ] = None,
    page: PageNumber = 1,
    limit: Limit = 15,
    test: InTest = False,
) -> Output:
    """List all users' visits, newest first."""
    from repaircore.kernel.paging import PageRequest
    from repaircore.visits.lifecycle import Status
    from repaircore.visits.views import VisitSummaryView

    found = core.visits.page(
        operator(test=test),
        status=one_of(Status, status, "status"),
        search=search,
        request=PageRequest(number=page, per_page=limit),
    )
    yield [VisitSummaryView.of(visit) for visit in found]
    print_rows(
        ("number", "status", "version", "customer", "vehicle", "total", "valid until"),
        [
            (
                visit.number,
                visit.status.value,
                visit.version,
                visit.customer_name,
                visit.vehicle,
                in_dollars(visit.total),
                visit.valid_until,
            )
            for visit in found
        ],
        none=none_of("visits", status, search, page - 1),
    )
    print_left(found)


@app.command(epilog="Example: repaircore visits show V-20260131-7KXM4P", opening=reading)
def show(core: "Core", *, number: _Number, test: InTest = False) -> Output:
    """Show a visit: its lines with the customer's answers, the totals, and the possible actions."""
    from repaircore_cli.visit_page import page

    visit = core.visits.get(number, operator(test=test))
    yield _view(core, visit)
    customer = visit.customer.name or visit.customer.email or visit.customer.phone
    typer.echo(
        f"{visit.number} · {_words(visit)} · version {visit.version}{(customer and f' · {customer}') or ''}"
    )
    sys.stdout.write(page(visit.estimate, look()))
    for place, line in enumerate(visit.lines, 1):
        if line.decision is not None:
            note = f": {line.decision.note}" if line.decision.note else ""
            typer.echo(f"Line {place} was {line.decision.choice.value} by {line.decision.name}{note}")
    typer.echo(f"Possible now: {', '.join(visit.allowed_actions) or 'nothing'}")


@app.command(epilog="Example: repaircore visits send V-20260131-7KXM4P --mail")
def send(
    core: "Core",
    *,
    number: _Number,
    mail: Annotated[bool, typer.Option("--mail", help="E-mail the link to the customer.")] = False,
    version: _Version = None,
    test: InTest = False,
) -> Output:
    """Share a visit through a link where the customer can answer."""
    from repaircore.documents.views import SentVisitView

    caller = operator(test=test)
    seen = core.visits.get(number, caller).version if version is None else version
    sent = core.documents.send(number, caller, version=seen, by_mail=mail)
    yield SentVisitView.of(sent, core.visits.timeline(sent.visit))
    typer.echo(sent.link)
    typer.echo(
        "The link will be e-mailed to the customer." if sent.is_mailed else "Send this link to the customer.",
        err=True,
    )


@app.command(
    epilog='Example: repaircore visits answer V-20260131-7KXM4P --name "Grace Hopper" --approve 1,2 --decline 3'
)
def answer(
    core: "Core",
    *,
    number: _Number,
    name: Annotated[str, typer.Option("--name", metavar="NAME", help="Who answered.")],
    approve: Annotated[
        str, typer.Option("--approve", metavar="LINES", help="The approved lines, such as 1,3; or all.")
    ] = "",
    decline: Annotated[
        str, typer.Option("--decline", metavar="LINES", help="The declined lines, such as 2; or all.")
    ] = "",
    ask: Annotated[
        list[str] | None,
        typer.Option("--ask", metavar="LINE=QUESTION", help="A question about a line; may be repeated."),
    ] = None,
    version: _Version = None,
    test: InTest = False,
) -> Output:
    """Record what the customer answered on the phone or in person, line by line."""
    from repaircore.documents.answers import AnswerVisit
    from repaircore.visits.model import Choice

    caller = operator(test=test)
    visit = core.visits.get(number, caller)
    answers = [
        *_choices(visit, "approve", approve, Choice.APPROVED),
        *_choices(visit, "decline", decline, Choice.DECLINED),
        *(_question(visit, text) for text in ask or ()),
    ]
    data = AnswerVisit(
        name=name, version=visit.version if version is None else version, answers=tuple(answers)
    )
    changed = core.documents.answer(number, data, caller)
    yield _view(core, changed)
    typer.echo(f"Visit {number} is {_words(changed)}.")


@app.command(epilog="Example: repaircore visits begin V-20260131-7KXM4P")
def begin(core: "Core", *, number: _Number, version: _Version = None, test: InTest = False) -> Output:
    """Begin the work; the customer can no longer change the answers."""
    from repaircore.visits.lifecycle import Action

    yield from _act(core, number, Action.BEGIN, version, test=test)


@app.command(epilog="Example: repaircore visits invoice V-20260131-7KXM4P --hours 1=2.5 --parts 1=84.20")
def invoice(
    core: "Core",
    *,
    number: _Number,
    hours: Annotated[list[str] | None, _figures("hours", "The hours that a line took.")] = None,
    rate: Annotated[
        list[str] | None, _figures("rate", "The labor rate of a line, in dollars an hour.")
    ] = None,
    labor: Annotated[list[str] | None, _figures("labor", "The labor of a line, in dollars.")] = None,
    parts: Annotated[list[str] | None, _figures("parts", "The parts of a line, in dollars.")] = None,
    version: _Version = None,
    test: InTest = False,
) -> Output:
    """Invoice the approved lines; options set the hours, rate, labor and parts that differed from the estimate."""
    caller = operator(test=test)
    visit = core.visits.get(number, caller)
    lines = _actual(
        visit,
        {
            "labor_hours": ("hours", hours or ()),
            "labor_rate": ("rate", rate or ()),
            "labor_total": ("labor", labor or ()),
            "parts_total": ("parts", parts or ()),
        },
    )
    seen = visit.version if version is None else version
    billed = core.visit_invoices.invoice(number, caller, version=seen, lines=lines)
    yield _view(core, billed)
    typer.echo(f"Visit {number} is invoiced: ${in_dollars(billed.estimate.totals.total)}.")


@app.command(epilog="Example: repaircore visits cancel V-20260131-7KXM4P")
def cancel(core: "Core", *, number: _Number, version: _Version = None, test: InTest = False) -> Output:
    """Cancel a visit; its link stops working."""
    from repaircore.visits.lifecycle import Action

    yield from _act(core, number, Action.CANCEL, version, test=test)


@app.command(epilog="Example: repaircore visits reopen V-20260131-7KXM4P")
def reopen(core: "Core", *, number: _Number, version: _Version = None, test: InTest = False) -> Output:
    """Make a canceled visit a draft again."""
    from repaircore.visits.lifecycle import Action

    yield from _act(core, number, Action.REOPEN, version, test=test)


def _act(core: "Core", number: str, action: "Action", version: int | None, *, test: bool) -> Output:
    changed = core.visits.act(number, action, operator(test=test), version=version)
    yield _view(core, changed)
    typer.echo(f"Visit {number} is {_words(changed)}.")


def _view(core: "Core", visit: "Visit") -> "VisitView":
    from repaircore.visits.views import VisitView

    return VisitView.of_visit(visit, core.visits.timeline(visit))


def _words(visit: "Visit") -> str:
    return visit.status.value.replace("_", " ")


def _choices(visit: "Visit", option: str, text: str, choice: "Choice") -> "Iterator[LineAnswer]":
    from repaircore.documents.answers import LineAnswer

    if text.strip() == "all":
        yield from (LineAnswer(line=line.id, choice=choice) for line in visit.lines)
        return
    for place in filter(None, map(str.strip, text.split(","))):
        yield LineAnswer(line=_line_at(visit, option, place), choice=choice)


def _question(visit: "Visit", text: str) -> "LineAnswer":
    from repaircore.documents.answers import LineAnswer
    from repaircore.visits.model import Choice

    place, _, question = text.partition("=")
    return LineAnswer(line=_line_at(visit, "ask", place.strip()), choice=Choice.ASKED, note=question.strip())


def _actual(visit: "Visit", given: "dict[str, tuple[str, Sequence[str]]]") -> "tuple[ActualLine, ...]":
    from repaircore.documents.actuals import ActualLine

    figures: dict[int, dict[str, float]] = {}
    for name, (option, texts) in given.items():
        for text in texts:
            place, _, number = text.partition("=")
            line = figures.setdefault(_line_at(visit, option, place.strip()), {})
            line[name] = _number(option, number)
    return tuple(ActualLine(line=line, **found) for line, found in figures.items())


def _line_at(visit: "Visit", option: str, place: str) -> int:
    """Return the id of the line with this number in `visits show`.

    Raises:
        BadParameter: there is no such line.
    """
    number = int(place) if place.isascii() and place.isdecimal() and len(place) <= len("200") else 0
    if not 1 <= number <= len(visit.lines):
        raise typer.BadParameter(f"there is no line {place!r} in this visit", param_hint=f"--{option}")
    return visit.lines[number - 1].id


def _number(option: str, text: str) -> float:
    try:
        return float(text.strip().removeprefix("$").replace(",", ""))
    except ValueError:
        raise typer.BadParameter(
            "must be a line and a number, such as 1=2.5", param_hint=f"--{option}"
        ) from None
