"""A checked quote as a page for people; pure text."""

from collections.abc import Iterator
from textwrap import TextWrapper
from typing import TYPE_CHECKING, Final

from repaircore.kernel.wording import money
from repaircore.quotes.comparison import PriceAssessment, Verdict
from repaircore_cli.terminal import Look

if TYPE_CHECKING:
    from repaircore.quotes.model import CheckedLine, CheckedQuote


_WORDS: Final = {
    Verdict.LOW: "low",
    Verdict.FAIR: "fair",
    Verdict.HIGH: "high",
    Verdict.VERY_HIGH: "VERY HIGH",
    Verdict.UNKNOWN: "unknown",
}
_ASCII: Final = str.maketrans({"“": '"', "”": '"', "’": "'", "−": "-", "–": "-", "—": "-", "·": "-"})


def page(checked: "CheckedQuote", look: Look) -> str:
    """Write the verdicts, each with its range and its reason."""
    lines = list(_lines(checked, look.width))
    text = "".join(f"{line.rstrip()}\n" for line in lines)
    return text if look.unicode else text.translate(_ASCII).encode("ascii", "replace").decode()


def _lines(checked: "CheckedQuote", width: int) -> Iterator[str]:
    yield f"Vehicle    {checked.specs.display_name} · VIN {checked.vin}"
    yield f"Place      {checked.zip_code} {checked.state}, {money(checked.rate.rate)} an hour"
    for number, line in enumerate(checked.lines, 1):
        yield ""
        yield from _one(number, line, width)
    yield ""
    total = sum(line.line.total for line in checked.lines)
    yield from _head("The whole", total, checked.whole, width)
    if checked.whole is None:
        yield from _told("No line could be compared.", width)
    elif len(checked.compared) < len(checked.lines):
        compared = sum(line.line.total for line in checked.compared)
        said = f"Compared: {len(checked.compared)} of {len(checked.lines)} lines, {money(compared)}."
        yield from _told(said, width)
    if "vin_check_digit" in checked.warnings:
        yield ""
        yield from _told("The VIN's check digit does not hold: a character may be mistyped.", width)


def _one(number: int, checked: "CheckedLine", width: int) -> Iterator[str]:
    name = checked.line.description or checked.line.problem_identifier or ""
    if checked.problem is not None:
        name = checked.problem.display_name
    yield from _head(f"{number}. {' '.join(name.split())}", checked.line.total, checked.standing, width)
    if checked.unknown_because is not None:
        yield from _told(checked.unknown_because, width)
    for problem in checked.suggestions:
        yield from _told(f"Perhaps {problem.slug}: {problem.display_name}", width)


def _head(name: str, total: int, standing: PriceAssessment | None, width: int) -> Iterator[str]:
    verdict = Verdict.UNKNOWN if standing is None else standing.verdict
    room = max(10, width - 26)
    yield f"{name[:room]:{room}} {money(total):>12}  {_WORDS[verdict]}"
    if standing is None:
        return
    dearer = 100 - standing.percentile
    yield from _told(
        f"We expect {money(standing.low)} to {money(standing.high)}, {money(standing.average)} on average; "
        f"{dearer:.0f} of 100 such invoices are dearer.",
        width,
    )
    yield from _told(standing.reason.text, width)


def _told(text: str, width: int) -> Iterator[str]:
    wrapper = TextWrapper(width, initial_indent="   ", subsequent_indent="   ", break_on_hyphens=False)
    yield from wrapper.wrap(text)
