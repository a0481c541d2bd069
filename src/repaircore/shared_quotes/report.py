"""The report on a checked quote: what a page shows, and what may be shared."""

import re
from collections.abc import Iterator
from datetime import date
from typing import Final, Self

from attrs import evolve, frozen

from repaircore.kernel.engine_names import facts_line
from repaircore.kernel.money import Cents
from repaircore.kernel.wording import money
from repaircore.masking import HIDDEN, masked
from repaircore.predictions.model import WARNING_TEXTS
from repaircore.quotes.comparison import PriceAssessment, Verdict
from repaircore.quotes.model import CheckedLine, CheckedQuote

_REFRIGERANT: Final = re.compile(r"(\bR-?\d{3,4}[A-Z]{1,2}\b)")
"""Refrigerants, such as R134A, which look like license plates."""

_LONGEST_MODEL: Final = 10
"""Longer words that contain a digit are masked; model names, such as RX350, are shorter."""


@frozen(kw_only=True)
class ReportRange:
    """The range of prices that eight out of ten customers pay, and the average price."""

    low: Cents
    average: Cents
    high: Cents


@frozen(kw_only=True)
class ReportLine:
    """A line of the quote as the shop wrote it, and how its price compares.

    ``repairs`` has the names of the repairs it was compared with. ``expected`` is None if the line was not compared or
    is included in another line. ``text`` is the reason for the verdict, or why there is none.
    """

    words: str
    kind: str
    total: Cents
    parts_total: Cents | None = None
    labor_hours: float | None = None
    labor_rate: Cents | None = None
    repairs: tuple[str, ...] = ()
    verdict: str
    text: str
    expected: ReportRange | None = None
    questions: tuple[str, ...] = ()


@frozen(kw_only=True)
class QuoteReport:
    """A checked quote, with no field for a VIN, a plate, an e-mail address or an internal ID; ``place`` is a state."""

    vehicle: str
    mechanics: str | None
    place: str
    checked_on: date
    headline: str
    verdict: str
    total: Cents
    compared_total: Cents
    expected: ReportRange | None = None
    lines: tuple[ReportLine, ...]
    questions: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @classmethod
    def of(cls, checked: CheckedQuote, *, on: date) -> Self:
        """Return the report on a quote that was checked on the given day."""
        whole, facts = checked.whole, checked.specs.facts
        return cls(
            vehicle=checked.specs.display_name,
            mechanics=facts_line(facts) or checked.specs.engine,
            place=checked.state,
            checked_on=on,
            headline=whole.headline,
            verdict=whole.verdict,
            total=whole.total,
            compared_total=whole.compared,
            expected=None if whole.price is None else _range_of(whole.price),
            lines=tuple(_line_of(line) for line in checked.lines),
            questions=checked.questions,
            notes=tuple(_notes(checked)),
        )

    def masked(self) -> Self:
        """Return the report, masking everything that may identify a vehicle or a person."""
        return evolve(
            self,
            vehicle=" ".join(_hidden_if_private(word) for word in self.vehicle.split()),
            headline=_masked(self.headline),
            lines=tuple(
                evolve(
                    line,
                    words=_masked(line.words),
                    text=_masked(line.text),
                    questions=tuple(_masked(question) for question in line.questions),
                )
                for line in self.lines
            ),
            questions=tuple(_masked(question) for question in self.questions),
            notes=tuple(_masked(note) for note in self.notes),
        )


def _line_of(line: CheckedLine) -> ReportLine:
    found = line.assessment
    return ReportLine(
        words=line.line.description or (line.problem.name if line.problem is not None else ""),
        kind=line.kind,
        total=line.line.total,
        parts_total=line.line.parts_total,
        labor_hours=line.line.labor_hours,
        labor_rate=line.line.labor_rate,
        repairs=() if line.problem is None else (line.problem.name,),
        verdict=Verdict.UNKNOWN if found is None else found.verdict,
        text=line.unknown_because or "" if found is None else found.reason.text,
        expected=None if found is None or line.included_in is not None else _range_of(found),
        questions=line.questions,
    )


def _notes(checked: CheckedQuote) -> Iterator[str]:
    """Yield notes for the reader: totals that do not match, and doubts about the vehicle."""
    read = checked.read
    if read is not None and read.sums_meet is False and read.difference is not None:
        summed = sum(line.total for line in read.lines)
        yield (
            f"The sums do not match: the lines add up to {money(summed)},"
            f" but the quote says {money(summed + read.difference)}."
        )
    yield from (WARNING_TEXTS.get(warning, warning) for warning in checked.warnings)


def _range_of(price: PriceAssessment) -> ReportRange:
    return ReportRange(low=price.low, average=price.average, high=price.high)


def _masked(text: str) -> str:
    pieces = _REFRIGERANT.split(text)  # the refrigerants are at odd indexes
    return "".join(piece if place % 2 else masked(piece) for place, piece in enumerate(pieces))


def _hidden_if_private(word: str) -> str:
    is_number = len(word) > _LONGEST_MODEL and any(char.isdigit() for char in word)
    return HIDDEN if is_number or "@" in word else word
