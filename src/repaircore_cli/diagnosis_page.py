"""A diagnosis as text for a terminal."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

from repaircore.book.model import Safety, Urgency
from repaircore.complaints.topics import chosen
from repaircore.diagnosis.views import certainty_note
from repaircore.kernel.money import dollars
from repaircore_cli.tables import WordWrapper, name_with_figures, paragraph
from repaircore_cli.terminal import Look

if TYPE_CHECKING:
    from repaircore.diagnosis.advice import Advice, Recommendation
    from repaircore.diagnosis.danger import DriverSafety
    from repaircore.diagnosis.model import SymptomQuestion
    from repaircore.kernel.money import PriceRange


_REASONS: Final = 3
_YES: Final = "yes"
_UNSAFE: Final = "STOP DRIVING: the vehicle may be unsafe to drive until it is repaired."
_URGENCY: Final = {
    Urgency.STOP: "Stop the vehicle.",
    Urgency.NOW: "Repair it now.",
    Urgency.SOON: "Repair it soon.",
    Urgency.PLAN: "It can be scheduled.",
    Urgency.COMFORT: "It can wait.",
}
_SAFETY: Final = {
    Safety.NO: "Do not drive.",
    Safety.SHORT: "Drive gently, and only to a shop.",
    Safety.YES: "It is safe to drive.",
}
_ASCII: Final = str.maketrans({"“": '"', "”": '"', "’": "'", "−": "-", "–": "-", "—": "-", "·": "-"})


def page(advice: "Advice", look: Look, *, asks: bool = True) -> str:
    """Return a diagnosis as text: warnings, repairs with reasons and, if ``asks``, the most useful question."""
    return _written(_lines(advice, look.width, asks=asks), look)


def question_text(question: "SymptomQuestion", look: Look) -> str:
    """Return a question with its numbered options, for an immediate answer."""
    return _written(_asked_question(question, look.width), look)


def warnings(safety: "DriverSafety", width: int) -> Iterator[str]:
    """Yield the safety warnings and an empty line, or nothing if there are no warnings."""
    if safety.stop_driving:
        yield "STOP DRIVING" if safety.warnings else _UNSAFE
    for warning in safety.warnings:
        yield from WordWrapper(width).wrap(warning.text)
    if safety.towing is not None:
        yield from WordWrapper(width).wrap(safety.towing)
    if safety.stop_driving or safety.warnings or safety.towing:
        yield ""


def _printed_question(question: "SymptomQuestion", width: int) -> Iterator[str]:
    """Yield a question, the command-line options that answer it in the next run, and why it is asked."""
    wrapper = WordWrapper(width, subsequent_indent="   ")
    yield from wrapper.wrap(f"To narrow it down: {question.text}")
    if _YES in question.options:
        symptoms = {question.id: f"{question.id}={'|'.join(question.options)}"}
    else:
        symptoms = {
            option: f"{symptom}=yes"
            for option in question.options
            for symptom, present in chosen(option, question.options).items()
            if present
        }
    for option, answer in symptoms.items():
        lead = "   " if option == question.id else f"   {option}: "
        yield from wrapper.wrap(f"{lead}--answer {answer}")
    yield from WordWrapper(width, initial_indent="   ", subsequent_indent="   ").wrap(question.why)


def _asked_question(question: "SymptomQuestion", width: int) -> Iterator[str]:
    """Yield a question, why it is asked, and its numbered options, for an immediate answer."""
    wrapper = WordWrapper(width, subsequent_indent="   ")
    yield from wrapper.wrap(f"To narrow it down: {question.text}")
    yield from WordWrapper(width, initial_indent="   ", subsequent_indent="   ").wrap(question.why)
    for number, option in enumerate(question.options, 1):
        yield from wrapper.wrap(f"   {number}. {option}")


def changed_ranking(before: "Advice", after: "Advice", look: Look) -> str:
    """Return what an answer changed: the warnings, if they differ, and the ranking next to the previous one."""
    lines = [
        *(warnings(after.safety, look.width) if after.safety != before.safety else ()),
        *_ranking(before, after, look.width),
    ]
    return _written([*lines, ""], look)


def _ranking(before: "Advice", after: "Advice", width: int) -> Iterator[str]:
    places = {
        each.problem.slug: (place, each.confidence) for place, each in enumerate(before.recommendations, 1)
    }
    for place, each in enumerate(after.recommendations, 1):
        earlier = places.get(each.problem.slug)
        change = "new"
        if earlier is not None:
            moved = "" if earlier[0] == place else f"{earlier[0]}. with "
            change = f"was {moved}{earlier[1]:.1f}%"
        yield from name_with_figures(
            f"{place}. {each.problem.display_name}",
            f"{each.confidence:6.1f}% ({change})",
            width,
            indent="   ",
        )


def _written(lines: Iterable[str], look: Look) -> str:
    text = "".join(f"{line.rstrip()}\n" for line in lines)
    return text if look.unicode else text.translate(_ASCII).encode("ascii", "replace").decode()


def _lines(advice: "Advice", width: int, *, asks: bool) -> Iterator[str]:
    yield from warnings(advice.safety, width)
    if advice.vehicle is not None:
        named = f"Vehicle    {advice.vehicle.display_name} · VIN {advice.vin}"
        yield from paragraph(named, width, indent=" " * 11)
        yield ""
    note = certainty_note(advice)
    if note is not None:
        yield from WordWrapper(width).wrap(note)
        yield ""
    for number, recommendation in enumerate(advice.recommendations, 1):
        yield from _recommendation(number, recommendation, width, towed=advice.safety.towing is not None)
    if advice.question is not None and asks:
        yield ""
        yield from _printed_question(advice.question, width)
    if advice.reference is not None:
        yield ""
        yield from paragraph(
            f"Reference {advice.reference}: record the actual repair with `repaircore diagnostics confirm`.",
            width,
        )
    if advice.warnings:
        yield ""
        yield "The VIN's check digit is wrong: a character may be mistyped."


def _recommendation(
    number: int, recommendation: "Recommendation", width: int, *, towed: bool
) -> Iterator[str]:
    problem = recommendation.problem
    name = f"{number}. {problem.display_name}"
    yield from name_with_figures(name, f"{recommendation.confidence:6.1f}%", width, indent="   ")
    wrapper = WordWrapper(width, initial_indent="   ", subsequent_indent="   ")
    drive_on = (
        ""
        if towed and recommendation.safe_to_drive is not Safety.NO
        else _SAFETY[recommendation.safe_to_drive]
    )
    yield from wrapper.wrap(f"{_URGENCY[problem.urgency]} {drive_on}")
    if recommendation.price is not None:
        yield from wrapper.wrap(_price(recommendation.price))
    for reason in recommendation.why[:_REASONS]:
        lead = "" if reason.is_caution else f"{reason.weight:+.1f} bits: "
        yield from wrapper.wrap(f"{lead}{reason.text}")
    yield f"   {problem.slug}"


def _price(price: "PriceRange") -> str:
    low, average, high = (f"${dollars(cents):,.2f}" for cents in (price.low, price.average, price.high))
    return f"{low} to {high}, {average} on average"
