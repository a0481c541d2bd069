"""``repaircore diagnostics``."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from repaircore_cli.completion import problem_slugs
from repaircore_cli.options import Yes, environment_of
from repaircore_cli.prompts import confirm as confirm_overwriting
from repaircore_cli.repairs import repair
from repaircore_cli.session import Output, commands, reading, reading_shipped
from repaircore_cli.terminal import look, none_of, print_rows, print_text

if TYPE_CHECKING:
    from repaircore.core import Core
    from repaircore.questionnaire.editing import EditionChanges
    from repaircore.questionnaire.submissions import Submission, Suggestion


_LABEL = 12

app = commands("Edit the questionnaire, read submissions, and record the actual repairs.")


@app.command(epilog="Example: repaircore diagnostics export questionnaire.toml", opening=reading_shipped)
def export(
    core: "Core",
    *,
    file: Annotated[
        Path,
        typer.Argument(metavar="FILE", help="The file to write: TOML, or JSON when its name ends in .json."),
    ],
    yes: Yes = False,
) -> Output:
    """Export the questionnaire to a file that you can edit and import again."""
    from repaircore_cli.questionnaire_file import write_questionnaire

    if file.exists():
        confirm_overwriting(f"Overwrite {file}?", yes=yes)
    document = core.questionnaire_editing.export()
    write_questionnaire(file, document)
    counts = {
        "categories": len(document["category"]),
        "questions": sum(len(category["question"]) for category in document["category"]),
    }
    yield {"file": str(file), **counts}
    print_text(
        f"{counts['categories']} categories with {counts['questions']} questions were written to {file}."
    )


@app.command("import", epilog="Example: repaircore diagnostics import questionnaire.toml --dry-run")
def import_(
    core: "Core",
    *,
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="The whole questionnaire, as `export` writes it.")
    ],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show the changes without making them.")] = False,
) -> Output:
    """Replace the questionnaire with a file; questions that it leaves out are retired."""
    from repaircore_cli.questionnaire_file import read_questionnaire

    document = read_questionnaire(file)
    changes = core.questionnaire_editing.import_document(document, dry_run=dry_run)
    yield from _changes(changes, dry_run=dry_run)


@app.command(epilog="Example: repaircore diagnostics restore --yes")
def restore(core: "Core", *, yes: Yes = False) -> Output:
    """Restore the questionnaire that came with this version."""
    confirm_overwriting(
        "Replace the imported questionnaire with the one that came with this version?", yes=yes
    )
    changes = core.questionnaire_editing.restore()
    yield from _changes(changes, dry_run=False)


@app.command(
    "list", epilog="Example: repaircore diagnostics list --category brakes", opening=reading, rows=True
)
def list_(
    core: "Core",
    *,
    limit: Annotated[
        int, typer.Option("--limit", metavar="N", min=1, max=1000, help="The maximum number to list.")
    ] = 50,
    category: Annotated[
        str | None, typer.Option("--category", metavar="SLUG", help="Only submissions of this category.")
    ] = None,
    before: Annotated[
        str | None,
        typer.Option("--before", metavar="REFERENCE", help="Continue after this reference."),
    ] = None,
) -> Output:
    """List submissions, newest first."""
    from repaircore.questionnaire.views import SubmissionView

    found = core.questionnaire.submissions(limit=limit, category=category, before=before)
    yield [SubmissionView.of(each) for each in found]
    print_rows(
        ("reference", "submitted (UTC)", "user", "category", "likeliest repair"),
        [
            (
                submission.reference,
                f"{submission.created_at:%Y-%m-%d %H:%M}",
                _user(submission),
                submission.category_name,
                _likeliest(submission),
            )
            for submission in found
        ],
        none=none_of("submissions", category, before),
    )


@app.command(epilog="Example: repaircore diagnostics show DR-20260131-7KXM4P", opening=reading)
def show(
    core: "Core",
    *,
    reference: Annotated[str, typer.Argument(metavar="REFERENCE", help="The reference number.")],
) -> Output:
    """Show a submission and the repairs that it points to."""
    from repaircore.questionnaire.views import SubmissionView

    found = core.questionnaire.submission(reference)
    yield SubmissionView.of(found)
    _print_submission(found)


@app.command(epilog="Example: repaircore diagnostics confirm DG-20260131-7KXM4P brake-pads-front")
def confirm(
    core: "Core",
    *,
    reference: Annotated[
        str,
        typer.Argument(
            metavar="REFERENCE",
            help="The reference of a diagnosis or a submission, or the session ID of a chat.",
        ),
    ],
    problem: Annotated[
        str,
        typer.Argument(
            metavar="PROBLEM",
            help="The actual repair: a slug, an id, or words.",
            autocompletion=problem_slugs,
        ),
    ],
) -> Output:
    """Record the actual repair after a diagnosis; diagnoses learn from it overnight."""
    problem = repair(core, problem).slug
    case = core.outcomes.confirm(reference, problem)
    yield {"reference": case.reference, "repair": case.repair, "suggested": list(case.suggested)}
    place = case.suggested.index(problem) + 1 if problem in case.suggested else None
    suggested = "It was not among the suggestions." if place is None else f"It was suggestion #{place}."
    print_text(f"The actual repair for {case.reference} was {problem}. {suggested}")


@app.command(epilog="Example: repaircore diagnostics accuracy", opening=reading)
def accuracy(
    core: "Core",
    *,
    test: Annotated[
        bool, typer.Option("--test", help="Show the test environment instead of the live one.")
    ] = False,
) -> Output:
    """Show how often past diagnoses suggested the actual repair."""
    found = core.outcomes.accuracy(environment_of(test=test))
    yield {
        "diagnoses": found.cases,
        "confirmed": found.confirmed,
        "first": found.first,
        "first_three": found.first_three,
        "stated_percent": found.stated,
    }
    print_text(f"Diagnoses: {found.cases}, {found.confirmed} of them with a confirmed repair.")
    if found.confirmed:
        print_text(
            f"The actual repair was suggested first in {found.first}, and among the first three in {found.first_three}."
        )
        print_text(f"The average stated confidence of the first suggestion was {found.stated:g}%.")


@app.command(epilog="Example: repaircore diagnostics learn")
def learn(core: "Core") -> Output:
    """Learn from confirmed diagnoses now instead of overnight."""
    from repaircore.kernel.wording import counted

    counts = core.outcomes.learn()
    yield dict(counts)
    print_text(
        f"Learned from {counted(counts['cases'], 'confirmed diagnosis', 'confirmed diagnoses')}, {counts['invoiced']} of them confirmed by invoices just now."
    )


@app.command(epilog="Example: repaircore diagnostics train word_weights.tsv")
def train(
    core: "Core",
    *,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Where to write the model.")],
    dangers: Annotated[
        bool, typer.Option("--dangers", help="Train the danger model instead of the word model.")
    ] = False,
    yes: Yes = False,
) -> Output:
    """Retrain the shipped word model, or the danger model, from the shipped training data; takes a few minutes."""
    if file.exists():
        confirm_overwriting(f"Overwrite {file}?", yes=yes)
    if dangers:
        yield from _train_dangers(core, file)
        return
    trained = core.outcomes.retrain()
    file.write_text(trained.text, encoding="utf-8")
    counts = {
        "complaints": trained.examples,
        "held_out": trained.held_out,
        "first": trained.first,
        "first_three": trained.third,
    }
    yield {"file": str(file), **counts}
    print_text(
        f"Trained on {trained.examples} complaints and saved to {file}. Of {trained.held_out} held-out complaints, the right "
        f"group comes first for {trained.first}, and is among the first three for {trained.third}."
    )


def _train_dangers(core: "Core", file: Path) -> Output:
    trained = core.outcomes.retrain_dangers()
    file.write_text(trained.text, encoding="utf-8")
    yield {
        "file": str(file),
        "texts": trained.texts,
        "dangers": trained.real,
        "found": trained.met,
        "harmless": trained.harmless,
        "false": trained.false,
    }
    print_text(
        f"Trained on {trained.texts} texts and saved to {file}. A model trained without the held-out texts "
        f"detects {trained.met} of their {trained.real} dangers, and wrongly finds a danger in {trained.false} of their "
        f"{trained.harmless} harmless texts."
    )


def _changes(changes: "EditionChanges", *, dry_run: bool) -> Output:
    counts = {name: getattr(changes, name) for name in ("added", "changed", "retired", "same")}
    yield {**counts, "kept": not dry_run}
    would = "would be " if dry_run else ""
    print_text(
        f"Questions: {changes.added} {would}added, {changes.changed} {would}changed, "
        f"{changes.retired} {would}retired, {changes.same} {would}unchanged."
    )


def _user(submission: "Submission") -> str:
    user = "no account" if submission.user_id is None else f"user {submission.user_id}"
    return f"{user} ({submission.environment.value})"


def _likeliest(submission: "Submission") -> str:
    suggestions = submission.outcome.suggestions
    return _suggestion(suggestions[0]) if suggestions else "none stands out"


def _suggestion(suggestion: "Suggestion") -> str:
    return f"{suggestion.probability:.0%} {suggestion.name}"


def _print_submission(submission: "Submission") -> None:
    from repaircore_cli.tables import labeled

    outcome = submission.outcome
    rows = [
        ("Reference", submission.reference),
        ("Submitted", f"{submission.created_at:%Y-%m-%d %H:%M:%S} UTC"),
        ("User", _user(submission)),
        ("Category", f"{submission.category_name} ({submission.category_slug})"),
        ("Vehicle", ", ".join(filter(None, (submission.vehicle_info, submission.vehicle_id)))),
        *(("Answer", f"{answer.question_text} {answer.answer}") for answer in submission.answers),
        ("Notes", submission.additional_notes or ""),
        ("Points to", "" if outcome.enough else "none stands out"),
        *(("", f"{_suggestion(each)} ({each.repair})") for each in outcome.suggestions),
    ]
    for label, text in rows:
        if label not in {"Vehicle", "Notes"} or text:
            for line in labeled(label, text, look().width, column=_LABEL):
                typer.echo(line)
