"""The text of a diagnosis at a terminal."""

from collections.abc import Iterator
from textwrap import TextWrapper
from typing import TYPE_CHECKING, Final

from repaircore.book.model import Safety, Urgency
from repaircore.diagnosis.views import certainty_note
from repaircore.kernel.money import dollars
from repaircore_cli.terminal import Look

if TYPE_CHECKING:
    from repaircore.diagnosis.advice import Advice, Recommendation
    from repaircore.diagnosis.danger import DriverSafety
    from repaircore.kernel.money import PriceRange


_REASONS: Final = 3
_UNSAFE: Final = "STOP DRIVING: a repair that may be needed makes the vehicle unsafe to drive."
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


def page(advice: "Advice", look: Look) -> str:
    """Return the repairs, each with its reasons, and the question that would help most."""
    text = "".join(f"{line.rstrip()}\n" for line in _lines(advice, look.width))
    return text if look.unicode else text.translate(_ASCII).encode("ascii", "replace").decode()


def warnings(safety: "DriverSafety", width: int) -> Iterator[str]:
    """Yield the lines of what the driver must know first, and an empty line; nothing when there is nothing."""
    if safety.stop_driving:
        yield "STOP DRIVING" if safety.warnings else _UNSAFE
    for warning in safety.warnings:
        yield from TextWrapper(width, break_on_hyphens=False).wrap(warning.text)
    if safety.towing is not None:
        yield from TextWrapper(width, break_on_hyphens=False).wrap(safety.towing)
    if safety.stop_driving or safety.warnings or safety.towing:
        yield ""


def _lines(advice: "Advice", width: int) -> Iterator[str]:
    yield from warnings(advice.safety, width)
    if advice.vehicle is not None:
        yield f"Vehicle    {advice.vehicle.display_name} · VIN {advice.vin}"
        yield ""
    note = certainty_note(advice)
    if note is not None:
        yield from TextWrapper(width, break_on_hyphens=False).wrap(note)
        yield ""
    for number, recommendation in enumerate(advice.recommendations, 1):
        yield from _recommendation(number, recommendation, width, towed=advice.safety.towing is not None)
    if advice.question is not None:
        yield ""
        question = f"To narrow it down: {advice.question.text}"
        yield from TextWrapper(width, break_on_hyphens=False).wrap(question)
        yield from TextWrapper(width, break_on_hyphens=False).wrap(advice.question.why)
    if advice.reference is not None:
        yield ""
        yield f"Reference {advice.reference}: record the actual repair with `repaircore diagnostics confirm`."
    if advice.warnings:
        yield ""
        yield "The VIN's check digit is wrong: a character may be mistyped."


def _recommendation(
    number: int, recommendation: "Recommendation", width: int, *, towed: bool
) -> Iterator[str]:
    problem = recommendation.problem
    name = f"{number}. {problem.display_name}"
    room = max(10, width - 8)
    yield f"{name[:room]:{room}}{recommendation.confidence:5.1f} %"
    wrapper = TextWrapper(width, initial_indent="   ", subsequent_indent="   ", break_on_hyphens=False)
    drive_on = (
        ""
        if towed and recommendation.safe_to_drive is not Safety.NO
        else _SAFETY[recommendation.safe_to_drive]
    )
    yield from wrapper.wrap(f"{_URGENCY[problem.urgency]} {drive_on}")
    if recommendation.price is not None:
        yield from wrapper.wrap(_price(recommendation.price))
    for reason in recommendation.why[:_REASONS]:
        yield from wrapper.wrap(f"{reason.weight:+.1f} bits: {reason.text}")
    yield f"   {problem.slug}"


def _price(price: "PriceRange") -> str:
    low, average, high = (f"${dollars(cents):,.2f}" for cents in (price.low, price.average, price.high))
    return f"{low} to {high}, {average} on average"
