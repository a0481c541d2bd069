"""A checked quote as a plain-text page for people."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from repaircore.kernel.money import Cents
from repaircore.kernel.wording import money
from repaircore.quote_text.kinds import LineKind
from repaircore.quotes.comparison import Verdict
from repaircore_cli.tables import WordWrapper, labeled, name_with_figures
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
_VERDICT: Final = 11
_ASCII: Final = str.maketrans({"“": '"', "”": '"', "’": "'", "−": "-", "–": "-", "—": "-", "·": "-"})
_WARNINGS: Final = {
    "vin_check_digit": "The VIN's check digit is wrong: one of its characters may be mistyped.",
    "trim_unknown": "We do not know this trim: the figures are for the model.",
}


def page(checked: "CheckedQuote", look: Look) -> str:
    """Return the verdict on the whole quote, then on each line, with its reason and questions to ask."""
    text = "".join(f"{line.rstrip()}\n" for line in _page_lines(checked, look.width))
    return text if look.unicode else text.translate(_ASCII).encode("ascii", "replace").decode()


def _page_lines(checked: "CheckedQuote", width: int) -> Iterator[str]:
    yield from _whole(checked, width)
    yield ""
    vin = "" if checked.vin is None else f" · VIN {checked.vin}"
    yield from labeled("Vehicle", f"{checked.specs.display_name}{vin}", width)
    place = f"{checked.zip_code} {checked.state}, {money(checked.rate.rate)} an hour"
    yield from labeled("Place", place, width)
    for number, line in enumerate(checked.lines, 1):
        yield ""
        yield from _quote_line(number, line, width)
    if checked.questions:
        yield ""
        yield "Ask the shop"
        for question in checked.questions:
            yield from _question(question, width)
    if checked.read is not None and checked.read.unread:
        yield ""
        yield "Not read"
        for text in checked.read.unread:
            yield from _indented(text, width)
    for warning in checked.warnings:
        if warning in _WARNINGS:
            yield ""
            yield from _indented(_WARNINGS[warning], width)


def _whole(checked: "CheckedQuote", width: int) -> Iterator[str]:
    whole = checked.whole
    verdict = _VERDICTS[whole.verdict].upper()
    yield from _row(f"The whole quote: {verdict}", whole.total, "", width)
    yield from _indented(whole.reason.text, width)


def _quote_line(number: int, checked: "CheckedLine", width: int) -> Iterator[str]:
    assessment = checked.assessment
    verdict = Verdict.UNKNOWN if assessment is None else assessment.verdict
    shown = "" if checked.kind is LineKind.DISCOUNT else _VERDICTS[verdict]
    yield from _row(f"{number}. {_name(checked)}", checked.line.total, shown, width)
    if assessment is None:
        yield from _indented(checked.unknown_because or "", width)
    elif assessment.percentile is not None:
        higher = 100 - assessment.percentile
        yield from _indented(
            f"We expect {money(assessment.low)} to {money(assessment.high)}, {money(assessment.average)} on average; "
            f"{higher:.0f} of 100 such invoices are higher.",
            width,
        )
    if assessment is not None:
        yield from _indented(assessment.reason.text, width)
    for problem in checked.suggestions:
        yield from _indented(f"Perhaps {problem.slug}: {problem.display_name}", width)
    for question in checked.questions:
        yield from _question(question, width)


def _name(checked: "CheckedLine") -> str:
    name = checked.line.description or checked.line.problem_identifier or checked.kind.capitalize()
    return " ".join((name if checked.problem is None else checked.problem.display_name).split())


def _row(name: str, total: Cents, verdict: str, width: int) -> Iterator[str]:
    amount = f"-{money(-total)}" if total < 0 else money(total)
    yield from name_with_figures(name, f"{amount:>12}  {verdict:{_VERDICT}}", width, indent="   ")


def _question(text: str, width: int) -> Iterator[str]:
    wrapper = WordWrapper(width, initial_indent="   ? ", subsequent_indent="     ")
    yield from wrapper.wrap(text)


def _indented(text: str, width: int) -> Iterator[str]:
    wrapper = WordWrapper(width, initial_indent="   ", subsequent_indent="   ")
    yield from wrapper.wrap(text)
