"""``repaircore diagnostics``."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from repaircore_cli.options import Yes
from repaircore_cli.prompts import confirm as confirm_overwriting
from repaircore_cli.session import Output, commands
from repaircore_cli.terminal import look, print_rows

if TYPE_CHECKING:
    from repaircore.core import Core
    from repaircore.questionnaire.editing import EditionChanges
    from repaircore.questionnaire.submissions import Submission, Suggestion


_LABEL = 12

app = commands("Edit the questionnaire, read what was answered, and teach diagnoses what followed.")


@app.command(epilog="Example: repaircore diagnostics export questionnaire.toml")
def export(
    core: "Core",
    *,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="TOML; JSON when its name ends in .json.")],
    yes: Yes = False,
) -> Output:
    """Write the questionnaire to a file, to be changed and brought in again."""
    from repaircore_cli.questionnaire_file import write_questionnaire

    if file.exists():
        confirm_overwriting(f"{file} is overwritten. Go on?", yes=yes)
    document = core.questionnaire_editing.export()
    write_questionnaire(file, document)
    counts = {
        "categories": len(document["category"]),
        "questions": sum(len(one["question"]) for one in document["category"]),
    }
    yield {"file": str(file), **counts}
    typer.echo(f"{counts['categories']} categories with {counts['questions']} questions are in {file}.")


@app.command("import", epilog="Example: repaircore diagnostics import questionnaire.toml --dry-run")
def import_(
    core: "Core",
    *,
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="The whole questionnaire, as `export` writes it.")
    ],
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Tell what would be done, and keep nothing.")
    ] = False,
) -> Output:
    """Take a file for the whole questionnaire; what it leaves out is no longer asked."""
    from repaircore_cli.questionnaire_file import read_questionnaire

    document = read_questionnaire(file)
    changes = core.questionnaire_editing.bring_in(document, keep=not dry_run)
    yield from _told(changes, kept=not dry_run)


@app.command(epilog="Example: repaircore diagnostics restore --yes")
def restore(core: "Core", *, yes: Yes = False) -> Output:
    """Go back to the questionnaire that this version ships."""
    confirm_overwriting("The questionnaire that was brought in is no longer asked. Go on?", yes=yes)
    changes = core.questionnaire_editing.restore()
    yield from _told(changes, kept=True)


@app.command("list", epilog="Example: repaircore diagnostics list --category brakes")
def list_(
    core: "Core",
    *,
    limit: Annotated[
        int, typer.Option("--limit", metavar="N", min=1, max=1000, help="How many at most.")
    ] = 50,
    category: Annotated[
        str | None, typer.Option("--category", metavar="SLUG", help="Only those of a category.")
    ] = None,
    before: Annotated[
        str | None,
        typer.Option(
            "--before", metavar="REFERENCE", help="Go on after a list that ended with this reference."
        ),
    ] = None,
) -> Output:
    """List what was answered, newest first."""
    from repaircore.questionnaire.views import SubmissionView

    found = core.questionnaire.submissions(limit=limit, category=category, before=before)
    yield [SubmissionView.of(each) for each in found]
    print_rows(
        ("reference", "when (UTC)", "who", "category", "likeliest repair"),
        [
            (
                one.reference,
                f"{one.created_at:%Y-%m-%d %H:%M}",
                _who(one),
                one.category_name,
                _likeliest(one),
            )
            for one in found
        ],
    )


@app.command(epilog="Example: repaircore diagnostics show DR-20260131-7KXM4P")
def show(
    core: "Core",
    *,
    reference: Annotated[str, typer.Argument(metavar="REFERENCE", help="The number that was given.")],
) -> Output:
    """Show what was answered under a reference number, and what it points to."""
    from repaircore.questionnaire.views import SubmissionView

    found = core.questionnaire.submission(reference)
    yield SubmissionView.of(found)
    _shown(found)


@app.command(epilog="Example: repaircore diagnostics confirm DG-20260131-7KXM4P brake-pads-front")
def confirm(
    core: "Core",
    *,
    reference: Annotated[
        str,
        typer.Argument(metavar="REFERENCE", help="Of a diagnosis or a questionnaire, or a chat's session."),
    ],
    problem: Annotated[str, typer.Argument(metavar="PROBLEM", help="The slug of the repair that it was.")],
) -> Output:
    """Record which repair followed a diagnosis; diagnoses learn from it overnight."""
    case = core.outcomes.confirm(reference, problem)
    yield {"reference": case.reference, "repair": case.repair, "suggested": list(case.suggested)}
    place = case.suggested.index(problem) + 1 if problem in case.suggested else None
    was = "It had not been suggested." if place is None else f"It had been suggested in place {place}."
    typer.echo(f"{case.reference} was {problem}. {was}")


@app.command(epilog="Example: repaircore diagnostics accuracy")
def accuracy(
    core: "Core",
    *,
    test: Annotated[
        bool, typer.Option("--test", help="The test environment instead of the live one.")
    ] = False,
) -> Output:
    """Show how often past diagnoses suggested the repair that followed."""
    from repaircore.kernel.callers import Environment

    found = core.outcomes.accuracy(Environment.TEST if test else Environment.LIVE)
    yield {
        "diagnoses": found.cases,
        "confirmed": found.confirmed,
        "first": found.first,
        "first_three": found.first_three,
        "stated_percent": found.stated,
    }
    typer.echo(f"Diagnoses: {found.cases}, of which {found.confirmed} have a confirmed repair.")
    if found.confirmed:
        typer.echo(f"It was suggested first in {found.first}, among the first three in {found.first_three}.")
        typer.echo(f"The first suggestion was stated with {found.stated:g} % on average.")


@app.command(epilog="Example: repaircore diagnostics learn")
def learn(core: "Core") -> Output:
    """Learn from confirmed diagnoses now; a job does it every night."""
    counts = core.outcomes.learn()
    yield dict(counts)
    typer.echo(
        f"Learned from {counts['cases']} confirmed diagnoses; {counts['invoiced']} were confirmed by invoices."
    )


@app.command(epilog="Example: repaircore diagnostics train word_weights.tsv")
def train(
    core: "Core",
    *,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Where to write the word model.")],
    yes: Yes = False,
) -> Output:
    """Train the shipped word model again, from the shipped complaints and the book; takes some minutes."""
    if file.exists():
        confirm_overwriting(f"{file} is overwritten. Go on?", yes=yes)
    trained = core.outcomes.trained_again()
    file.write_text(trained.text, encoding="utf-8")
    counts = {
        "complaints": trained.examples,
        "held_out": trained.held_out,
        "first": trained.first,
        "first_three": trained.third,
    }
    yield {"file": str(file), **counts}
    typer.echo(
        f"{file} was learned from {trained.examples} complaints. Of {trained.held_out} that were held out, the right "
        f"group is the first in {trained.first}, among the first three in {trained.third}."
    )


def _told(changes: "EditionChanges", *, kept: bool) -> Output:
    counts = {name: getattr(changes, name) for name in ("added", "changed", "retired", "same")}
    yield {**counts, "kept": kept}
    would = "" if kept else "would be "
    typer.echo(
        f"Questions: {changes.added} {would}added, {changes.changed} {would}changed, "
        f"{changes.retired} {would}retired, {changes.same} {would}left as they are."
    )


def _who(one: "Submission") -> str:
    who = "nobody known" if one.user_id is None else f"user {one.user_id}"
    return f"{who} ({one.environment.value})"


def _likeliest(one: "Submission") -> str:
    return _suggested(one.outcome.suggestions[0]) if one.outcome.suggestions else "nothing that stands out"


def _suggested(one: "Suggestion") -> str:
    return f"{one.probability:.0%} {one.name}"


def _shown(one: "Submission") -> None:
    from textwrap import wrap

    rows = [
        ("Reference", one.reference),
        ("When", f"{one.created_at:%Y-%m-%d %H:%M:%S} UTC"),
        ("Who", _who(one)),
        ("Category", f"{one.category_name} ({one.category_slug})"),
        ("Vehicle", ", ".join(filter(None, (one.vehicle_info, one.vehicle_id)))),
        *(("Answer", f"{given.question_text} {given.answer}") for given in one.answers),
        ("Notes", one.additional_notes or ""),
        ("Points to", "" if one.outcome.enough else "nothing that stands out"),
        *(("", f"{_suggested(each)} ({each.repair})") for each in one.outcome.suggestions),
    ]
    for label, text in rows:
        first, *rest = wrap(text, look().width - _LABEL) or [""]
        if label not in {"Vehicle", "Notes"} or text:
            typer.echo(f"{label:{_LABEL}}{first}".rstrip())
        for line in rest:
            typer.echo(" " * _LABEL + line)
