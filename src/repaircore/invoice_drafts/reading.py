"""Read an invoice's text into a draft: its heading, its lines with their repairs, its totals, and what is doubtful."""

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date, timedelta
from typing import Final

from attrs import evolve, frozen

from repaircore.book.model import Problem
from repaircore.invoice_drafts.headings import Heading, read_heading
from repaircore.invoice_drafts.model import MOST_LINES, WORK, DraftInvoice, DraftLine, ReadInvoice
from repaircore.invoice_drafts.splitting import complete, usual_rate
from repaircore.job_matching.model import Outcome
from repaircore.job_matching.repair_match import RepairMatcher
from repaircore.kernel.errors import Invalid
from repaircore.quote_text.kinds import LineKind
from repaircore.quote_text.model import QuoteLine
from repaircore.quote_text.reader import read_quote
from repaircore.quotes.counts import OTHER_COUNT, count_factor
from repaircore.quotes.text_match import kind_of_line, known_repairs, match_line
from repaircore.vehicle_facts.model import VehicleSpecs
from repaircore.vehicles import vin as vins

_PAYMENT: Final = re.compile(
    r"^\W*(?:paid|payments?|visa|master ?card|amex|american express|discover|cash|check|card|tender\w*|change due|amount tendered|deposit|balance due|amount due after)\b",
    re.IGNORECASE,
)
_NOT_PAID: Final = re.compile(
    r"\b(?:warranty|guarantee|next (?:service|oil change)|recommended|declined|savings? today|phone|tel|fax)\b",
    re.IGNORECASE,
)
"""Lines that are not part of what was paid."""

_LABOR_PREFIX: Final = re.compile(
    r"^\W*(?:job|line|operation|op)?\s*#?\d{0,2}\s*[:.)-]*\s*(?:labou?r|lbr)\b\s*[-–:]*\s*", re.IGNORECASE
)
_PLACE: Final = re.compile(r"^\W*(?:(?:job|line|op)\s*)?#\s?\d{1,2}\b\W*", re.IGNORECASE)
_LONGEST_LINE: Final = 200
_OLDEST: Final = timedelta(days=365 * 25)

DecodeVin = Callable[[str], VehicleSpecs | None]
"""Return the specs of the vehicle with a VIN, or None if the VIN is unknown."""

ScanVin = Callable[[], str | None]
"""Return the VIN from a bar code in the document, or None if there is none."""

NO_DATE: Final = "No date was found on the invoice."
SEVERAL_DATES: Final = "The invoice has several dates, and none is labeled as the date of the work."
STRANGE_DATE: Final = "The date is in the future or too long ago."
NO_SHOP: Final = "The name of the shop was guessed: it is the first line that may be a name."
NO_VEHICLE: Final = "Neither a VIN nor a year, make and model was found."
NO_TOTAL: Final = "No total was found on the invoice."
CHECK_DIGIT: Final = "The check digit of this VIN is wrong: a character was misread, or misprinted."
OTHER_VEHICLE: Final = "This is the VIN of a {found}, but the invoice is for a {stated}."
UNKNOWN_VIN: Final = "No vehicle with this VIN is known."
GUESSED_REPAIR: Final = "The line does not clearly name this repair."
LOOSE_PART: Final = "The invoice does not say which repair this part is for. Choose one, or choose none."
NO_REPAIR: Final = "We could not tell which repair this is."


@frozen(kw_only=True)
class InvoiceReader:
    """Reads the text of invoices, matching lines to the book's repairs.

    ``makes`` maps keys to names of makes; dates are judged as of ``today``.
    """

    problems: Sequence[Problem]
    matcher: RepairMatcher
    decode: DecodeVin
    makes: Mapping[str, str]
    today: date

    def read(self, text: str, *, scan: ScanVin = lambda: None) -> ReadInvoice:
        """Read an invoice's text; ``scan`` is called to look for a bar code if the text has no valid VIN.

        Raises:
            Invalid: on ``file``: the text has no line with a price, or too many lines.
        """
        lines = text.splitlines()
        heading = read_heading(lines, self.makes)
        body = "\n".join(_plain(line) for place, line in enumerate(lines) if _is_priced(line, place, heading))
        quote = read_quote(body, known_repairs(self.problems))
        if not quote.lines:
            raise Invalid(
                {"file": ["No line with a price was found on the invoice. Check that it is the right file."]}
            )
        if len(quote.lines) > MOST_LINES:
            raise Invalid(
                {
                    "file": [
                        f"The invoice has more than {MOST_LINES} lines with prices. Split it into smaller files."
                    ]
                }
            )
        drafted, doubts = self._lines(quote.lines)
        hints = read_quote(text).hints
        invoice = DraftInvoice(
            shop_name=heading.shop_name,
            zip_code=hints.zip_code,
            invoice_number=heading.invoice_number,
            performed_on=heading.performed_on,
            vin=_vin(hints.vin, scan),
            year=heading.year,
            make=heading.make,
            model=heading.model,
            odometer=heading.odometer,
            lines=drafted,
            subtotal=quote.stated_subtotal,
            total=quote.stated_total,
        )
        invoice, about_vehicle = self._with_vehicle(invoice)
        return ReadInvoice(
            invoice=invoice,
            doubts={**self._doubts(invoice, heading), **about_vehicle, **doubts},
            unread=() if quote.sums_meet else tuple(line.strip()[:_LONGEST_LINE] for line in quote.unread),
        )

    def _lines(self, found: Sequence[QuoteLine]) -> tuple[tuple[DraftLine, ...], dict[str, str]]:
        """Return the lines with their repairs, labor and parts, and the doubts about them."""
        by_slug = {problem.slug: problem for problem in self.problems}
        matched = [self._matched(line, by_slug) for line in found]
        rate = usual_rate([line for line, _ in matched])
        lines, doubts = [], {}
        for place, (line, doubt) in enumerate(matched):
            if doubt is not None:
                doubts[f"lines.{place}.problem_identifier"] = doubt
            if line.kind in WORK:
                completed = complete(line, by_slug.get(line.problem_slug or ""), rate)
                line = completed.line  # noqa: PLW2901 - the same line, completed
                doubts |= {f"lines.{place}.{name}": text for name, text in completed.doubts.items()}
            lines.append(line)
        return tuple(lines), doubts

    def _matched(self, line: QuoteLine, by_slug: Mapping[str, Problem]) -> tuple[DraftLine, str | None]:
        """Return a line with its repair or suggestions, and the doubt about its repair, or None if it is certain."""
        kind = kind_of_line(line)
        described = line.description or ""
        words = _PLACE.sub("", _LABOR_PREFIX.sub("", described)).strip() or described
        drafted = DraftLine(
            kind=kind,
            description=words[:_LONGEST_LINE],
            total=line.total,
            labor_hours=line.labor_hours,
            labor_rate=line.labor_rate,
            parts_total=line.parts_total,
        )
        if kind not in WORK:
            return evolve(drafted, labor_hours=None, labor_rate=None, parts_total=None), None
        found = self.matcher.match(words, line.parts)
        if found.outcome is Outcome.SURE:
            return evolve(drafted, problem_slug=found.slug), _other_count(
                words, by_slug.get(found.slug or "")
            )
        guess = match_line(words, line.parts, self.problems)
        if guess is not None and kind is LineKind.REPAIR:
            return evolve(drafted, problem_slug=guess.slug, suggestions=found.suggestions), GUESSED_REPAIR
        if kind is LineKind.PART:
            return evolve(drafted, suggestions=found.suggestions), LOOSE_PART
        if kind is LineKind.REPAIR:
            return evolve(drafted, suggestions=found.suggestions), found.reason or NO_REPAIR
        return drafted, None

    def _with_vehicle(self, invoice: DraftInvoice) -> tuple[DraftInvoice, dict[str, str]]:
        """Return an invoice with the vehicle that its VIN stands for, if known, and the doubts about the vehicle."""
        if invoice.vin is None:
            return invoice, {} if invoice.vehicle_name else {"vin": NO_VEHICLE}
        if vins.has_wrong_check_digit(invoice.vin):
            return invoice, {"vin": CHECK_DIGIT}
        specs = self.decode(invoice.vin)
        if specs is None:
            return invoice, {"vin": UNKNOWN_VIN}
        found = f"{specs.year} {specs.make} {specs.model}"
        stated = invoice.vehicle_name
        is_other = invoice.year is not None and (
            invoice.year != specs.year or (invoice.make or "").casefold()[:3] != specs.make.casefold()[:3]
        )
        doubts = {"vin": OTHER_VEHICLE.format(found=found, stated=stated)} if is_other else {}
        return evolve(invoice, year=specs.year, make=specs.make, model=specs.model, trim=None), doubts

    def _doubts(self, invoice: DraftInvoice, heading: Heading) -> dict[str, str]:
        """Return the doubts about the date, the shop and the total, by field."""
        day = invoice.performed_on
        tomorrow = self.today + timedelta(days=1)
        found = {
            NO_DATE: day is None and "performed_on",
            SEVERAL_DATES: day is not None and not heading.is_date_sure and "performed_on",
            STRANGE_DATE: day is not None and not tomorrow - _OLDEST <= day <= tomorrow and "performed_on",
            NO_SHOP: invoice.shop_name is not None and not heading.is_shop_sure and "shop_name",
            NO_TOTAL: invoice.total is None and "total",
        }
        return {field: doubt for doubt, field in found.items() if field}


def _other_count(words: str, problem: Problem | None) -> str | None:
    """Return the doubt about a line with more or fewer parts than the book prices (such as six coils), or None."""
    return OTHER_COUNT if problem is not None and count_factor(words, (), problem) != 1 else None


def _is_priced(line: str, place: int, heading: Heading) -> bool:
    """Return whether a line may state a price: it is not a heading, a payment or advice."""
    return place not in heading.lines and not _PAYMENT.search(line) and not _NOT_PAID.search(line)


def _vin(read: str | None, scan: ScanVin) -> str | None:
    """Return the VIN as read if its check digit is valid, else one from a bar code, else the one as read, or None."""
    if read is not None and not vins.has_wrong_check_digit(read):
        return read
    return scan() or read


def _plain(line: str) -> str:
    """Return a line in which a discount that is printed twice, as a price and as a sum, appears only once."""
    return _TWICE_OFF.sub(r"\1  \2", line)


_TWICE_OFF: Final = re.compile(r"^\s*(?:1(?:\.0+)?\s+)?(\D.*?)\s+(-\$?[\d,]+\.\d\d)\s+\2\s*$")
