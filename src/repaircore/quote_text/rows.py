"""The rows of a quote's text: words, amounts, and whether each is labor, a part, a sum or a heading."""

import re
from collections.abc import Sequence
from typing import Final

from attrs import evolve

from repaircore.kernel.money import Cents
from repaircore.quote_text.cells import TableRow, labor_in, parts_in, read_row
from repaircore.quote_text.columns import ColumnKind, Columns, find_columns
from repaircore.quote_text.kinds import charge_kind, is_operation
from repaircore.quote_text.model import Label, Row
from repaircore.quote_text.money_text import Figures, Money, read_figures
from repaircore.quote_text.prose import with_labels_first, without_fillers
from repaircore.quote_text.segments import (
    UNIT_WORDS,
    WORD,
    Segment,
    StatedSplit,
    has_words,
    split_items,
    stated_split,
    without_line_sum,
)
from repaircore.quote_text.shop_words import shared_words
from repaircore.quote_text.text_lines import LEADERS, TextLine

_MOST_ROWS: Final = 1500
_PLAUSIBLE_RATE: Final = range(40_00, 500_00)
_LONGEST_LABOR: Final = 40.0
_FEWEST_SURE: Final = 3
_SURE_TO_UNSURE: Final = 1.5
_LONGEST_TYPE: Final = 3
"""The maximum length of dealers' codes for who pays, such as CP, W and INT."""


_BULLET: Final = re.compile(
    r"^\s*(?:[-•*·>–—]+\s+|\[[^\]]{0,20}\]\s*|\(?\d{1,2}[.)]\s+|\d{1,2}\s{2,}(?=[A-Za-z]))+"
)
_LETTER: Final = re.compile(r"^\s*([A-Z])(?:[.):*#]?\s{2,}|[):*#]\s)(?=\S)")
_LABOR_WORD: Final = r"(?:labou?r|lbr|lab)"
_LABEL: Final = {
    Label.LABOR: re.compile(
        rf"^\W*{_LABOR_WORD}(?:\s+(?:charges?|cost|hours?))?\b\W*|^\W*(?:tech\W*)?\d*\s*\b(?:CP|C/P|INT|WTY)\W*$|\W*\b{_LABOR_WORD}(?:\s+(?:charges?|cost|\d{{1,2}}\.\d{{1,2}}))?\W*$",
        re.IGNORECASE,
    ),
    Label.PARTS: re.compile(
        r"^\W*parts?\b(?!\s+(?:store|counter|&))(?:\s+cost)?\W*|\W*\bparts?(?:\s+cost)?\W*$", re.IGNORECASE
    ),
}
_SUM: Final = re.compile(
    rf"^\W*(?:sum of |est\w* )?(?:total )?(?:parts?|{_LABOR_WORD}|parts? (?:&|and|/) (?:services?|materials?)|other|sublet)"
    r"(?: (?:total|amount|amt|charges|subtotal|sales|sub-?total))\W*$|^\W*total (?:parts?|labou?r|fees)\W*$|^\W*parts? (?:&|and|/) services?\W*$",
    re.IGNORECASE,
)
_TOTAL: Final = re.compile(
    r"\b(?:sub\s?-?\s?total|total|balance due|amount due|please pay|pay this|out the door|otd|all in|altogether|grand|comes to|due|all of the above|we're at)\b|^\W*(?:sub|tot|amount|balance)\W*$",
    re.IGNORECASE,
)
_JOB_TOTAL: Final = re.compile(
    r"\b(?:job|line|service|operation|package|item)\b|\btotal [a-z]\b", re.IGNORECASE
)
_MOST_TOTAL_WORDS: Final = 6
_PART_NUMBER: Final = re.compile(
    r"(?<![\w/])(?=[A-Z0-9-]*\d)(?=[A-Z0-9-]*[A-Z-])[A-Z0-9]{2,40}(?:-[A-Z0-9]{1,20}){0,6}(?![\w/])|\b\d{5,}\b"
)
_KNOWN_CODE: Final = re.compile(
    r"^(?:\d+W-?\d+|R-?134A|R-?1234YF|R\d{2,4}|DOT-?\d|\d+K|\d+V|4WD|2WD|AWD|4X4|O2|CV\d?|H\d+|12-VOLT|4-WHEEL|FOUR-WHEEL|[A-Z]+-[A-Z]+)$",
    re.IGNORECASE,
)


LETTERHEAD: Final = re.compile(
    r"^\W*(?:19|20)\d\d\s+[a-z]|\b(?:estimate|quote|quotation|invoice|repair order|work order|r\.?o\.?|customer|phone|tel|address|date|vin|lic|license|plate"
    r"|mileage|odometer|odo|page|vehicle|advisor|technician|tech|signature|authorize|printed|promised|po box|zip|suite|unit no|stock no|model year"
    r"|thank|thanks|hours of operation|open|www|http\w*|bar #|epa #|reg)\b|\b[A-Z]{2}\s+\d{5}(?:-\d{4})?\b|\b(?:st|ave|rd|blvd|street|avenue|road|hwy)\b\.?,?\s",
    re.IGNORECASE,
)
"""Words of headings about the shop, the customer or the vehicle, whose numbers are not amounts."""


_CITY: Final = re.compile(r"\b[A-Z]{2}\s+\d{5}(?:-\d{4})?\s*$")


def read_rows(lines: Sequence[TextLine]) -> list[Row]:
    """Return the rows of a quote's text: one for each item in a line. A line of a table is a single row."""
    rows: list[Row] = []
    columns: Columns | None = None
    only_sure = _writes_cents(lines)
    is_declined = False
    for number, line in enumerate(lines):
        is_declined = _is_declined(line.text, after_declined=is_declined)
        if is_declined or _NOT_PAID.search(line.text):
            continue
        found = find_columns(line.text, line.cells)
        if found is not None:
            columns = found
            continue
        cells = None if columns is None else read_row(line.text, line.cells, columns)
        if columns is None or cells is None:
            rows += _rows_of(
                line.text, number, only_sure=only_sure, is_first=not any(row.amount for row in rows)
            )
        else:
            rows.append(_table_row(cells, columns, line.text, number))
        if len(rows) > _MOST_ROWS:
            break
    return _joined(rows)


def _is_declined(line: str, *, after_declined: bool) -> bool:
    """Return whether a line is, or is below, a heading for work that is not part of the quote."""
    if after_declined:
        return bool(line.strip()) and _label(line, "") is None and charge_kind(line) is None
    return bool(_DECLINED.match(line)) and not read_figures(line).money


_DECLINED: Final = re.compile(
    r"^\W*(?:(?:services?|work|items?|repairs?|customer)\s+)?(?:declined?|deferred|not included|postponed)\b",
    re.IGNORECASE,
)
_NOT_PAID: Final = re.compile(
    r"\bnot (?:today|included|approved|authorized|now)\b|\bdeclined\b|\bdeductible\b|\bif (?:you|u) want\b.*\bnot\b",
    re.IGNORECASE,
)
"""Words of lines whose amounts are not part of the quote's total."""


def _writes_cents(lines: Sequence[TextLine]) -> bool:
    """Return whether amounts are written with cents or dollar signs, so that other numbers are not amounts."""
    money = [money.is_sure for line in lines for money in read_figures(with_labels_first(line.text)).money]
    return money.count(True) >= max(_FEWEST_SURE, _SURE_TO_UNSURE * money.count(False))


def _rows_of(line: str, number: int, *, only_sure: bool, is_first: bool) -> Sequence[Row]:
    stripped = LEADERS.sub("  ", line)
    indent = len(stripped) - len(stripped.lstrip())
    marker = _LETTER.match(stripped)
    body = with_labels_first(_BULLET.sub("", stripped[marker.end() :] if marker else stripped).rstrip())
    if not re.search(r"[A-Za-z0-9]", body):
        return ()
    is_labor = re.search(rf"\b{_LABOR_WORD}\b", body, re.IGNORECASE) is not None
    figures = read_figures(body, is_labor=is_labor)
    is_letterhead = LETTERHEAD.search(body) or (
        only_sure and (is_first or not _ENDS_WITH_NUMBER.search(body))
    )
    if is_letterhead and not any(money.is_sure for money in figures.money):
        figures = evolve(figures, money=(), quantity=None)
    segments = without_line_sum(split_items(figures))
    first = Row(description="", line=number, indent=indent, marker=marker[1] if marker else "")
    if not segments:
        if _CITY.search(body):
            return ()
        is_open = bool(_OPEN.search(body))
        return [
            evolve(first, description=_cleaned(body), hours=figures.hours, rate=figures.rate, is_open=is_open)
        ]
    split = stated_split(segments, figures)
    if split is not None:
        return [_split_row(first, split, figures)]
    rows = [_row(first, segment, figures, is_only=len(segments) == 1) for segment in segments]
    if _SUMMARY.match(body):
        return [evolve(row, label=Label.SUM) if row.is_label and row.label in _LABEL else row for row in rows]
    return _one_item(rows)


def _split_row(first: Row, split: StatedSplit, figures: Figures) -> Row:
    return evolve(
        first,
        description=_cleaned(split.words),
        amount=split.total,
        hours=figures.hours,
        rate=figures.rate,
        parts=split.parts,
        labor=split.total - split.parts,
    )


_SUMMARY: Final = re.compile(r"^\W*(?:totals|summary)\b", re.IGNORECASE)
_ENDS_WITH_NUMBER: Final = re.compile(r"[A-Za-z)]\W+(?:@\s*\d+ ea\s+)?\d{1,4}$")


def _table_row(found: TableRow, columns: Columns, line: str, number: int) -> Row:
    """Return the row for a line of a table."""
    bare = _BULLET.sub("", LEADERS.sub("  ", found.description))
    label = _label(bare, "")
    counted = _COUNT_BEFORE_PRICE.search(bare)
    description = _cleaned(_COUNT_BEFORE_PRICE.sub(" ", _without_label(bare, label)))
    parts, labor = parts_in(found.cells), labor_in(found.cells)
    total = found.get(ColumnKind.TOTAL)
    quantity = found.get(ColumnKind.QUANTITY)
    row = Row(
        description=description,
        line=number,
        indent=len(line) - len(line.lstrip()),
        amount=(parts or 0) + (labor or 0) if total is None else total,
        label=label,
        is_label=label is not None and not re.search(r"[A-Za-z]{2}", description),
        has_unit=found.get(ColumnKind.UNIT) is not None,
        quantity=_number(counted[0] if counted else "") if quantity is None else quantity / 100,
    )
    if label in {Label.TOTAL, Label.SUM}:
        return row
    if label is Label.LABOR and found.get(ColumnKind.HOURS) is None:
        return _with_counted_hours(row, found)
    hours, rate = found.get(ColumnKind.HOURS), found.get(ColumnKind.RATE)
    row = evolve(row, hours=hours / 100 if hours else None, rate=rate or None)
    return _with_split(row, parts, labor) if _is_split(columns) else row


def _is_split(columns: Columns) -> bool:
    """Return whether a table has labor and parts in separate columns."""
    kinds = columns.kinds
    return bool(kinds & {ColumnKind.PARTS, ColumnKind.UNIT}) and bool(
        kinds & {ColumnKind.LABOR, ColumnKind.HOURS}
    )


def _with_split(row: Row, parts: Cents | None, labor: Cents | None) -> Row:
    """Return a row with its amounts for labor and for parts; if one column is empty, it gets the rest of the amount."""
    amount = row.amount or 0
    if amount < 0 or (parts is None and labor is None):
        return row
    if parts is None:
        parts = max(0, amount - (labor or 0))
    return row if parts > amount else evolve(row, parts=parts, labor=amount - parts, has_unit=False)


def _with_counted_hours(row: Row, found: TableRow) -> Row:
    """Return a row of labor with the hours and rate from the columns for quantity and price."""
    rate, amount = found.get(ColumnKind.UNIT), row.amount
    if not row.quantity or amount is None or amount <= 0 or not is_plausible_rate(amount, row.quantity):
        return row
    return evolve(row, hours=row.quantity, rate=rate, quantity=None, has_unit=False)


def _row(first: Row, segment: Segment, figures: Figures, *, is_only: bool) -> Row:
    before = segment.before
    label = _label(before, segment.after)
    count = _COUNT_BEFORE_PRICE if _repeats(segment.amounts) else _COUNT
    counted = count.search(before)
    description = _cleaned(count.sub(" ", _without_label(before, label)))
    if label is not Label.TOTAL and (not is_only or has_words(segment.after)):
        after = "" if UNIT_WORDS.match(segment.after.strip(" .,;")) else _cleaned(segment.after)
        description = description or after
    row = evolve(
        first,
        description=description,
        amount=segment.amounts[-1].amount,
        label=label,
        is_label=label is not None and not re.search(r"[A-Za-z]{2}", description),
        has_unit=figures.unit is not None or _repeats(segment.amounts),
        is_open=bool(_OPEN.search(before)),
        quantity=figures.quantity or _number(counted[0] if counted else ""),
    )
    if is_only:
        row = evolve(row, hours=figures.hours, rate=figures.rate)
        return _with_hours_after(_with_labor_columns(row, before, segment.amounts), segment.after)
    return _with_hours_after(_with_own_hours(row, before, segment.amounts, figures), segment.after)


_OPEN: Final = re.compile(r"(?:\band|\bwith|&|\+|/)\W*$", re.IGNORECASE)


def _number(text: str) -> float | None:
    found = re.search(r"\d+(?:\.\d+)?", text)
    return float(found[0]) if found else None


def _label(before: str, after: str) -> Label | None:
    if before.rstrip().endswith("=") and not has_words(before):
        return Label.TOTAL
    if _SUM.match(before):
        return Label.SUM
    if _TOTAL.search(before) and len(WORD.findall(before)) <= _MOST_TOTAL_WORDS and not _is_charge(before):
        return Label.TOTAL
    if re.match(r"^\W*parts?\b(?!\s*(?:&|and|\+|y|/)\s*lab)", after, re.IGNORECASE):
        return Label.PARTS
    return next((label for label, pattern in _LABEL.items() if pattern.search(before)), None)


def _is_charge(text: str) -> bool:
    kind = charge_kind(text)
    if kind is None:
        return False
    return not re.search(
        r"\btotal\b.*\b(with|after|before|incl\w*|inc|w/?)(?!\w)|\bbefore tax\b", text, re.IGNORECASE
    )


def _without_label(before: str, label: Label | None) -> str:
    if label not in _LABEL:
        return before
    text = _LABEL[label].sub(" ", before).rstrip()
    if label is Label.LABOR and not has_words(text):
        return ""  # only hours are left, if anything
    is_open = text.count("(") > text.count(")") and before.count("(") == before.count(")")
    return f"{text})" if is_open else text


def _repeats(amounts: Sequence[Money]) -> bool:
    return len(amounts) > 1


def _with_own_hours(row: Row, before: str, amounts: Sequence[Money], figures: Figures) -> Row:
    """Return one of a line's several rows, with the hours if they are in its part of the line."""
    has_blank = "   " in before  # hours were blanked out here
    if has_blank and figures.hours:
        return evolve(row, hours=figures.hours, rate=figures.rate)
    return _with_labor_columns(row, before, amounts) if row.label is Label.LABOR else row


def _with_labor_columns(row: Row, before: str, amounts: Sequence[Money]) -> Row:
    """Return a row of labor with hours that have no unit: ``LABOR  1.70  306.00``."""
    if row.amount is None or row.amount <= 0 or row.hours is not None:
        return row
    if row.label is Label.LABOR and len(amounts) > 1:
        hours = amounts[0].amount / 100
        if is_plausible_rate(row.amount, hours):
            rate = amounts[1].amount if len(amounts) > 2 else row.rate  # noqa: PLR2004 - hours, rate and amount
            return evolve(row, hours=hours, rate=rate, has_unit=False)
    if (
        row.label is not Label.LABOR
        and not is_operation(before)
        and len("".join(WORD.findall(before))) > _LONGEST_TYPE
    ):
        return row
    numbers = re.findall(r"(?<![\w.,/#-])(\d{1,2}\.\d{1,2})(?![\w.,/%])\s*$", before.rstrip(" $@x") + " ")
    if numbers and (hours := float(numbers[-1])) and is_plausible_rate(row.amount, hours):
        return evolve(row, hours=hours)
    return row


def _with_hours_after(row: Row, after: str) -> Row:
    """Return a row of labor with the hours in parentheses after its amount: ``Labor $588.00 (2.8)``."""
    found = _BRACKETED_HOURS.match(after)
    if found is None or row.label is not Label.LABOR or row.hours is not None:
        return row
    hours = float(found[1])
    return evolve(row, hours=hours) if is_plausible_rate(row.amount or 0, hours) else row


_BRACKETED_HOURS: Final = re.compile(r"^\s*\((\d{1,2}\.\d{1,2})\)")


def is_plausible_rate(amount: Cents, hours: float) -> bool:
    """Return whether an amount is a plausible price for ``hours`` of labor."""
    return 0 < hours <= _LONGEST_LABOR and round(amount / hours) in _PLAUSIBLE_RATE


def _one_item(rows: Sequence[Row]) -> Sequence[Row]:
    """Return a line's rows, merged into one if they are the parts and the labor of an item, or also their sum."""
    first, *rest = rows
    if not rest or first.is_label:
        return rows
    own = _without_sum(rows)
    is_split = first.label is not None and all(row.is_label and row.label in _LABEL for row in rest)
    return [_merged(own)] if is_split or len(own) < len(rows) else rows


def _without_sum(rows: Sequence[Row]) -> Sequence[Row]:
    """Return a line's rows without the one that is the sum of the others; it may come first, with the name."""
    *own, last = rows
    if last.label is Label.TOTAL and len(own) == 1 and not last.description:  # "6 days at 42.00 = 252.00"
        return [evolve(own[0], amount=last.amount)]
    if last.label is Label.TOTAL and not any(charge_kind(row.description) for row in own):
        labels = [row.label for row in own if row.label in _LABEL]
        is_item = (len(own) == 1 or bool(labels)) and labels.count(Label.LABOR) <= 1
        return own if is_item and _sum(own) == last.amount else rows
    first, *split = rows
    if first.label is Label.PARTS and last.hours and last.rate:
        labor = round(last.hours * last.rate)
        is_sum = last.label is Label.LABOR and (first.amount or 0) + labor == last.amount
        return [first, evolve(last, amount=labor)] if is_sum and len(rows) == 2 else rows  # noqa: PLR2004
    if len(split) > 1 and all(_is_split_of(first, row) for row in split) and _sum(split) == first.amount:
        return [evolve(split[0], description=_cleaned(_TOTAL.sub(" ", first.description))), *split[1:]]
    return rows


def _is_split_of(item: Row, row: Row) -> bool:
    """Return whether a row is the labor or the parts of an item: "alternator $640, $385 for the alternator"."""
    return row.label in _LABEL or bool(shared_words(item.description, row.description))


def _sum(rows: Sequence[Row]) -> Cents:
    return sum(row.amount or 0 for row in rows)


def _merged(own: Sequence[Row]) -> Row:
    total = _sum(own)
    labor = sum(row.amount or 0 for row in own if row.label is Label.LABOR)
    hours = next((row.hours for row in own if row.hours is not None), None)
    rate = next((row.rate for row in own if row.rate is not None), None)
    known = labor or any(row.label is Label.PARTS for row in own)
    return evolve(
        own[0],
        amount=total,
        label=None,
        is_label=False,
        parts=total - labor if known else None,
        labor=labor if known else None,
        hours=hours,
        rate=rate,
        has_unit=False,
    )


def _cleaned(text: str) -> str:
    """Return words without part numbers, signs, empty parentheses and filler words."""
    text = _PART_NUMBER.sub(lambda found: found[0] if _KNOWN_CODE.match(found[0]) else " ", text)
    text = re.sub(r"\(\s*\)|\s[@=$x×](?=\s|$)|\bUSD\b", " ", text)
    text = without_fillers(" ".join(text.split()).strip(" -–:;,.?!=*|\"'>$@"))
    text = re.sub(r"^(?:summary|totals)$", "", text, flags=re.IGNORECASE)
    return text.split(": ")[-1] if len(text) > _LONG else text


_LONG: Final = 60
_COUNT_BEFORE_PRICE: Final = re.compile(r"\s+\(?\d{1,3}(?:\.\d{1,2})?\)?[\s$@x]*$")
_COUNT: Final = re.compile(r"(?:\s{2,}|\t)\(?\d{1,3}(?:\.\d{1,2})?\)?[\s$@x]*$")


def _joined(rows: Sequence[Row]) -> list[Row]:
    """Move the description from the line above an amount without words into the row of the amount."""
    joined: list[Row] = []
    for row in rows:
        above = joined[-1] if joined else None
        words = (row.description, row.label, row.hours, row.parts)
        is_bare = row.amount is not None and words == ("", None, None, None)
        if is_bare and above is not None and above.amount is None and above.line == row.line - 1:
            label = _label(above.description, "")
            joined[-1] = evolve(
                row,
                description=above.description,
                label=label,
                is_label=label is not None,
                indent=above.indent,
            )
        elif not is_bare or above is None:
            joined.append(row)
        elif row.amount == _sum([other for other in joined if other.label not in _SUMS]):
            joined.append(evolve(row, label=Label.TOTAL))
    return joined


_SUMS: Final = frozenset({Label.TOTAL, Label.SUM})
