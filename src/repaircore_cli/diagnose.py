"""``repaircore diagnose``."""

import sys
from typing import TYPE_CHECKING, Annotated, Final

import typer

from repaircore_cli.session import Output, commands
from repaircore_cli.terminal import look

if TYPE_CHECKING:
    from repaircore.core import Core
    from repaircore.diagnosis.advice import Advice, Complaint
    from repaircore.diagnosis.model import SymptomQuestion
    from repaircore.diagnosis.service import Answers


_REPLIES: Final = {"yes": True, "no": False, "unsure": None}
_PROMPT: Final = "Your answer (Enter to end): "

app = commands("Diagnose a description: list the likely repairs.")


@app.command(
    epilog='Example: repaircore diagnose "grinds when I brake, no warning light" --vin 1HGCM82633A004352 --zip 90210'
)
def diagnose(
    core: "Core",
    *,
    description: Annotated[
        str, typer.Argument(help="What is wrong, in everyday words; may include trouble codes.")
    ],
    vin: Annotated[
        str | None,
        typer.Option("--vin", metavar="VIN", help="The VIN, to list only repairs that fit the vehicle."),
    ] = None,
    zip_code: Annotated[
        str | None, typer.Option("--zip", metavar="ZIP", help="The US ZIP code of the shop, to show prices.")
    ] = None,
    mileage: Annotated[
        int | None, typer.Option("--mileage", metavar="MILES", help="The odometer reading, in miles.")
    ] = None,
    answer: Annotated[
        list[str] | None,
        typer.Option(
            "--answer",
            metavar="SYMPTOM=REPLY",
            help="The answer to an earlier question: yes, no or unsure; may be repeated.",
        ),
    ] = None,
) -> Output:
    """Diagnose a description: list the likely repairs, with reasons, and the most useful question.

    At a terminal, you can answer the questions right away and see how each answer changes the ranking.
    """
    from repaircore.diagnosis.advice import Complaint
    from repaircore.diagnosis.service import NO_ANSWERS
    from repaircore.diagnosis.views import DiagnosisView
    from repaircore_cli.diagnosis_page import page

    complaint = Complaint(description=description, vin=vin, zip_code=zip_code, mileage=mileage)
    answers = _answers(core, answer) if answer else NO_ANSWERS
    advice = core.diagnoses.diagnose(complaint, answers=answers)
    yield DiagnosisView.of(advice)
    asks = _is_interactive()
    sys.stdout.write(page(advice, look(), asks=not asks))
    if asks:
        _interview(core, complaint, advice, answers)


def _is_interactive() -> bool:
    """Return whether input and output are both terminals."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def _answers(core: "Core", given: list[str]) -> "Answers":
    """Return the given answers, keyed by symptom.

    Raises:
        BadParameter: an answer is malformed, or its symptom is unknown.
    """
    known = core.diagnoses.knowledge().symptoms
    answers: dict[str, bool | None] = {}
    for each in given:
        symptom, _, reply = (part.strip().lower() for part in each.partition("="))
        if symptom not in known:
            raise typer.BadParameter(
                f"“{symptom[:60]}” is not a known symptom; copy the --answer option shown with the question",
                param_hint="--answer",
            )
        if reply not in _REPLIES:
            raise typer.BadParameter(
                f"“{each[:60]}” must end in =yes, =no or =unsure, as in brake-squeal=yes",
                param_hint="--answer",
            )
        answers[symptom] = _REPLIES[reply]
    return answers


def _interview(core: "Core", complaint: "Complaint", advice: "Advice", answers: "Answers") -> None:
    """Ask the most useful questions and show what each answer changes, until no question helps or the user quits."""
    from repaircore_cli.diagnosis_page import changed_ranking, question_text

    while advice.question is not None:
        sys.stdout.write("\n" + question_text(advice.question, look()))
        said = _reply(advice.question)
        if said is None:
            return
        answers = {**answers, **said}
        before, advice = advice, core.diagnoses.reconsider(complaint, advice, answers)
        sys.stdout.write("\n" + changed_ranking(before, advice, look()))


def _reply(question: "SymptomQuestion") -> "Answers | None":
    """Return the typed answers, keyed by symptom, or None if the user quits."""
    while True:
        sys.stderr.write(_PROMPT)
        sys.stderr.flush()
        typed = sys.stdin.readline().strip()
        if not typed:
            return None
        said = _parse_option(typed, question)
        if said is not None:
            return said
        typer.echo(f"Type the number of an answer, 1 to {len(question.options)}.", err=True)


def _parse_option(typed: str, question: "SymptomQuestion") -> "Answers | None":
    """Return the answers, keyed by symptom, for a typed option (its number or words), or None if no option matches."""
    from repaircore.complaints.answers import parse_answer
    from repaircore.complaints.topics import chosen

    number = int(typed) if typed.isascii() and typed.isdigit() else 0
    option = question.options[number - 1] if 1 <= number <= len(question.options) else typed
    meant = chosen(option, question.options)
    if meant:
        return {question.id: None, **meant}
    parsed = parse_answer(option, question.options)
    return None if parsed.verdict is None else {question.id: parsed.presence}
