"""Check the quote in a form, assign its errors to fields of the page, and list the repairs to choose from."""

from collections.abc import Sequence
from typing import BinaryIO, Final

from attrs import evolve, frozen
from flask import g

from repaircore.kernel.errors import Invalid
from repaircore.kernel.money import Cents
from repaircore.quote_text.model import QuoteHints, QuoteLine, ReadQuote
from repaircore.quotes.model import CheckedLine
from repaircore.shared_quotes.report import QuoteReport
from repaircore_http.console.estimate_form import typed_text
from repaircore_http.console.public.access import count_visitor, visitor
from repaircore_http.console.public.quote_form import Row, money_of, renamed, typed_unread, vehicle_input
from repaircore_http.core import core

BY_WORDS: Final = "By its description"
NO_LINES: Final = "No lines with prices were found. Put each item on its own line, with its price at the end."


@frozen(kw_only=True)
class CheckedForm:
    """A checked quote as its page shows it.

    ``repair_choices`` are, for each row, the repairs that it may mean. ``unread`` are the lines of the quote's text
    with an amount that could not be read.
    """

    rows: tuple[Row, ...]
    vin: str
    zip_code: str
    stated_total: str
    report: QuoteReport
    repair_choices: tuple[tuple[tuple[str, str], ...], ...]
    unread: tuple[str, ...] = ()


def read_text(text: str, file: BinaryIO | None) -> CheckedForm:
    """Check a quote given as text, or as a photo or PDF; a missing VIN or ZIP code is taken from it, if possible.

    Raises:
        Invalid: with every bad field.
        Failure: as ``QuoteChecks.check`` does.
    """
    count_visitor()
    read = _read(text, file)
    vin = typed_text("vin") or ("" if vehicle_input("") else read.hints.vin or "")
    return _check(
        [Row.of(line) for line in read.lines],
        vin=vin,
        zip_code=typed_text("zip_code") or read.hints.zip_code or "",
        stated=read.stated_total,
        unread=read.unread,
    )


def check_rows(rows: Sequence[Row]) -> CheckedForm:
    """Check the lines of the table; raises the same errors as ``read_text``."""
    count_visitor()
    return _check(
        rows,
        vin=typed_text("vin"),
        zip_code=typed_text("zip_code"),
        stated=money_of(typed_text("stated_total")),
        unread=typed_unread(),
    )


def _read(text: str, file: BinaryIO | None) -> ReadQuote:
    if file is not None and text.strip():
        raise Invalid({"file": ["Paste the quote as text or choose a file, not both."]})
    if file is not None:
        text = core().text_extraction.read_text(file)
        g.quote_text = text  # if another field is invalid, the file need not be chosen again
    if not text.strip():
        raise Invalid({"text": ["Paste the quote, or choose a photo or PDF of it."]})
    read = core().quotes.read_text({"text": text})
    if not read.lines:
        raise Invalid({"text": [NO_LINES]})
    return read


def _check(
    rows: Sequence[Row], *, vin: str, zip_code: str, stated: Cents | None, unread: tuple[str, ...]
) -> CheckedForm:
    data = {**vehicle_input(vin), "zip_code": zip_code, "lines": [row.to_input() for row in rows]}
    served = core()
    try:
        quote = served.quotes.parse(data)
        checked = served.quotes.check(evolve(quote, read=_sums(quote.lines, stated)), visitor())
    except Invalid as error:
        raise Invalid(renamed(error.fields)) from None
    return CheckedForm(
        rows=tuple(evolve(row, kind=line.kind.value) for row, line in zip(rows, checked.lines, strict=True)),
        vin=vin,
        zip_code=zip_code,
        stated_total="" if stated is None else f"{stated / 100:.2f}",
        report=QuoteReport.of(checked, on=served.clock().date()),
        repair_choices=tuple(_choices(line) for line in checked.lines),
        unread=unread,
    )


def _sums(lines: tuple[QuoteLine, ...], stated: Cents | None) -> ReadQuote:
    """Return the corrected lines with how their sum differs from the shop's stated total."""
    difference = None if stated is None else stated - sum(line.total for line in lines)
    return ReadQuote(
        lines=lines,
        hints=QuoteHints(),
        stated_total=stated,
        sums_meet=None if difference is None else difference == 0,
        difference=difference,
    )


def _choices(line: CheckedLine) -> tuple[tuple[str, str], ...]:
    """Return the slug and name of each repair that a line may mean.

    The first slug is ""; with it, the line's words identify the repair.
    """
    chosen = line.line.problem_identifier is not None
    matched = line.problem
    by_words = BY_WORDS if matched is None or chosen else matched.name
    problems = [*([matched] if matched is not None and chosen else []), *line.suggestions]
    return (("", by_words), *((problem.slug, problem.name) for problem in problems))
