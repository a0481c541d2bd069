"""A checked quote as a page for people; pure text."""

from collections.abc import Iterator
from textwrap import TextWrapper
from typing import TYPE_CHECKING, Final

from repaircore.kernel.money import Cents
from repaircore.kernel.wording import money
from repaircore.quotes.comparison import PriceAssessment, Verdict
from repaircore.quotes.views import NOTHING_COMPARED
from repaircore_cli.terminal import Look

if TYPE_CHECKING:
    from repaircore.quotes.model import CheckedLine, CheckedQuote


_VERDICTS: Final = {
    Verdict.LOW: "low",
    Verdict.FAIR: "fair",
    Verdict.HIGH: "high",
    Verdict.VERY_HIGH: "VERY HIGH",
    Verdict.UNKNOWN: "unknown",
}
_ASCII: Final = str.maketrans({"“": '"', "”": '"', "’": "'", "−": "-", "–": "-", "—": "-", "·": "-"})


def page(checked: "CheckedQuote", look: Look) -> str:
    """Return the verdicts as text, each with its range and its reason."""
    text = "".join(f"{line.rstrip()}\n" for line in _page_lines(checked, look.width))
    return text if look.unicode else text.translate(_ASCII).encode("ascii", "replace").decode()


def _page_lines(checked: "CheckedQuote", width: int) -> Iterator[str]:
    yield f"Vehicle    {checked.specs.display_name} · VIN {checked.vin}"
    yield f"Place      {checked.zip_code} {checked.state}, {money(checked.rate.rate)} an hour"
    for number, line in enumerate(checked.lines, 1):
        yield ""
        yield from _quote_line(number, line, width)
    yield ""
    yield from _whole(checked, width)
    if "vin_check_digit" in checked.warnings:
        yield ""
        yield from _indented("The VIN's check digit is wrong: one of its characters may be mistyped.", width)


def _quote_line(number: int, checked: "CheckedLine", width: int) -> Iterator[str]:
    name = checked.line.description or checked.line.problem_identifier or ""
    if checked.problem is not None:
        name = checked.problem.display_name
    yield from _verdict(f"{number}. {' '.join(name.split())}", checked.line.total, checked.assessment, width)
    if checked.unknown_because is not None:
        yield from _indented(checked.unknown_because, width)
    for problem in checked.suggestions:
        yield from _indented(f"Perhaps {problem.slug}: {problem.display_name}", width)


def _whole(checked: "CheckedQuote", width: int) -> Iterator[str]:
    total = sum(line.line.total for line in checked.lines)
    yield from _verdict("The whole quote", total, checked.whole, width)
    if checked.whole is None:
        yield from _indented(NOTHING_COMPARED, width)
    elif len(checked.compared) < len(checked.lines):
        compared = sum(line.line.total for line in checked.compared)
        lines = f"{len(checked.compared)} of {len(checked.lines)} lines"
        yield from _indented(f"Compared: {lines}, {money(compared)}.", width)


def _verdict(name: str, total: Cents, assessment: PriceAssessment | None, width: int) -> Iterator[str]:
    verdict = Verdict.UNKNOWN if assessment is None else assessment.verdict
    room = max(10, width - 26)
    yield f"{name[:room]:{room}} {money(total):>12}  {_VERDICTS[verdict]}"
    if assessment is None:
        return
    higher = 100 - assessment.percentile
    yield from _indented(
        f"We expect {money(assessment.low)} to {money(assessment.high)}, {money(assessment.average)} on average; "
        f"{higher:.0f} of 100 such invoices are higher.",
        width,
    )
    yield from _indented(assessment.reason.text, width)


def _indented(text: str, width: int) -> Iterator[str]:
    wrapper = TextWrapper(width, initial_indent="   ", subsequent_indent="   ", break_on_hyphens=False)
    yield from wrapper.wrap(text)
