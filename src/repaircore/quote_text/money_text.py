"""Figures in a quote's text: money, hours, rates, quantities and percentages, as shops write them."""

import re
from typing import Final

from attrs import evolve, frozen

from repaircore.kernel.money import Cents, cents

_MOST_CENTS: Final = 1_000_000_00
_MOST_HOURS: Final = 200.0
_FEWEST_DOLLARS: Final = 10
"""A smaller whole number without a dollar sign is probably a count: "4 wheel alignment"."""


@frozen
class Money:
    """An amount in cents, and its position in the text; ``is_sure`` means that it has a dollar sign or cents."""

    amount: Cents
    start: int
    end: int
    is_sure: bool


@frozen(kw_only=True)
class Figures:
    """The figures of a line of text; ``text`` is the line with hours, rates and quantities blanked out.

    ``unit`` is the price of each of ``quantity`` pieces, in cents; ``hours`` are hours of labor at ``rate``, in cents
    per hour.
    """

    text: str
    money: tuple[Money, ...] = ()
    hours: float | None = None
    rate: Cents | None = None
    quantity: float | None = None
    unit: Cents | None = None


# Mistakes of text recognition

LOOKALIKES: Final = str.maketrans(
    {"O": "0", "o": "0", "l": "1", "I": "1", "|": "1", "S": "5", "B": "8", "Z": "2"}
)
_MISREAD: Final = re.compile(
    r"(?<![A-Za-z0-9])(?:[\dOolI|SBZ]{1,3},)?[\dOolI|SBZ]*\d[\dOolI|SBZ]*[.,][\dOolI|SBZ]{2}(?![A-Za-z0-9])"
)
_MISREAD_END: Final = re.compile(
    r"(?<![A-Za-z0-9])[\dOolI|SBZ]+[.,](?=[\dOolI|SBZ]*\d)[\dOolI|SBZ]{2}(?![A-Za-z0-9])"
)
_MISREAD_DOLLARS: Final = re.compile(
    r"\$\s?[\dOolI|SBZ]*\d[\dOolI|SBZ,]*(?:[.,][\dOolI|SBZ]{2})?(?![A-Za-z0-9])"
)
_MISREAD_HOURS: Final = re.compile(r"(?<![\w.,])(?:\d{1,2}\.[OolI|]|[OolI|]{1,2}\.\d|l\.O)(?![\w.,])")
_SPLIT_CENTS: Final = re.compile(r"(\d)\.\s(\d\d)\s{0,3}$")
_SPLIT_THOUSANDS: Final = re.compile(r"(\$\s?\d{1,3}),\s(\d{3}\.\d\d)(?!\d)")
_MISREAD_WORD: Final = re.compile(r"[A-Za-z]+[0158|][A-Za-z0158|]*|[0158|][A-Za-z|]{3,}")


def repair_misreadings(line: str, words: frozenset[str]) -> str:
    """Correct digits that text recognition took for letters, and letters in known words that it took for digits."""
    for pattern in (_MISREAD_DOLLARS, _MISREAD, _MISREAD_END, _MISREAD_HOURS):
        line = pattern.sub(lambda found: found[0].translate(LOOKALIKES), line)
    line = _SPLIT_THOUSANDS.sub(r"\1,\2", _SPLIT_CENTS.sub(r"\1.\2", line))
    return _MISREAD_WORD.sub(lambda found: _respelled(found[0], words), line)


_LETTERS: Final = {"0": "o", "1": "[il]", "5": "s", "8": "[abr]", "|": "[il]"}


def _respelled(word: str, words: frozenset[str]) -> str:
    pattern = re.compile("".join(_LETTERS.get(char, char) for char in word.lower()))
    found = [known for known in words if len(known) == len(word) and pattern.fullmatch(known)]
    if len(found) != 1:
        return word
    return found[0].upper() if word.upper() == word else found[0]


# Figures that are not amounts of the line

_NUMBER: Final = r"(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d{1,3})?|\.\d{1,2}"
_PER_HOUR: Final = r"\s{0,3}(?:/|per\b|an\b|a\b)\s{0,3}(?:hours?|hrs?|h)\b\.?"
_HOURS_AT: Final = re.compile(
    rf"(?<![\w.,$/-])(?P<hours>{_NUMBER})\s{{0,3}}-?(?:labou?r\s{{0,3}})?(?:hours?|hrs?|h)\b\.?(?:\s{{0,3}}(?:of\s+)?labou?r\b)?"
    rf"(?:\s{{0,3}}(?:@|x|×|\*|at)\s{{0,3}}\$?\s{{0,3}}(?P<rate>{_NUMBER})(?:{_PER_HOUR})?)?",
    re.IGNORECASE,
)
_HOURS_NAMED: Final = re.compile(
    rf"\b(?:hours|hrs|time)\s{{0,3}}[:=]\s{{0,3}}(?P<hours>{_NUMBER})(?![\w$])", re.IGNORECASE
)
_RATE: Final = re.compile(
    rf"(?:@|\bx|×|\bat)?\s{{0,3}}\$?\s{{0,3}}(?P<rate>{_NUMBER}){_PER_HOUR}", re.IGNORECASE
)
_RATE_NAMED: Final = re.compile(
    rf"\brate\s{{0,3}}[:=]\s{{0,3}}\$?\s{{0,3}}(?P<rate>{_NUMBER})", re.IGNORECASE
)
_QUANTITY_AT: Final = re.compile(
    rf"(?<![\w.,$/])\(?(?P<quantity>{_NUMBER})\s{{0,3}}(?:lbs?|qts?|gal\w*|pcs?|ea)?\.?\s{{0,3}}(?:@|x|×)\s{{0,3}}\$?\s{{0,3}}(?P<unit>{_NUMBER})"
    rf"(?:\s{{0,3}}(?:ea|each|per)\b\.?)?\)?(?:\s{{0,3}}=(?=\s{{0,3}}\$?\s{{0,3}}\d))?(?![\w/])",
    re.IGNORECASE,
)
_EACH: Final = re.compile(
    rf"(?:@\s{{0,3}})?\$?\s?(?P<unit>{_NUMBER})\s{{0,3}}(?:/\s{{0,3}})?(?:ea|each|apiece)\b\.?", re.IGNORECASE
)
_PERCENT: Final = re.compile(r"\(?(?P<percent>\d{1,2}(?:\.\d{1,4})?)\s?%\)?")
_DATE: Final = re.compile(
    r"\b\d{1,2}[/-]\d{1,2}[/-](?:19|20)?\d\d\b|\b(?:19|20)\d\d-\d\d-\d\d\b|\b\d{1,2}:\d\d\b(?:\s?[ap]m)?",
    re.IGNORECASE,
)
_TROUBLE_CODE: Final = re.compile(r"\b[PBCU][0-3][0-9A-F]{3}\b")
_PHONE: Final = re.compile(r"\(\d{3}\)\s?\d{3}[-. ]\d{4}|\b\d{3}[-.]\d{3}[-.]\d{4}\b")
_MILES: Final = re.compile(
    r"\b\d{1,3}(?:,\d{3})+\s{0,3}(?:mi\b|miles?\b)|\b\d{2,3}k\b(?:\s{0,3}(?:mi\b|miles?\b))?", re.IGNORECASE
)
_OFF: Final = re.compile(r"\$\s?\d+(?:\.\d\d)?\s{0,3}off\b(?=.*\d\.\d\d)", re.IGNORECASE)
_AFTER_HASH: Final = re.compile(r"#\s?[\w-]+")
_MONEY: Final = re.compile(
    r"(?<![\w.,/#])(?P<open>\()?\s?(?P<minus>[-−](?!\s))?(?P<dollar>US\$|USD\s?|\$)?\s?(?P<minus2>[-−])?(?=[.,]?\d)"
    r"(?P<whole>\d{1,3}(?:,\d{3})+|\d{1,3}(?:\.\d{3})+(?=,\d\d(?!\d))|\d*)(?P<cents>[.,]\d\d(?!\d))?"
    r"(?P<close>\))?(?P<trail>[-−](?![\w.]))?(?![\w/.,]*[A-Za-z0-9])"
)


def read_figures(line: str, *, is_labor: bool = False) -> Figures:
    """Return the figures in a line; in a line for labor, a quantity and its price are taken as hours and a rate."""
    for pattern in (_DATE, _PHONE, _TROUBLE_CODE, _AFTER_HASH, _OFF):
        line = _blank(line, pattern)
    figures = Figures(text=line)
    figures = _with_hours(figures)
    figures = _with_quantity(figures, is_labor=is_labor)
    text = _blank(_blank(figures.text, _PERCENT), _MILES)
    return evolve(figures, money=tuple(_money(text)))


def _blank(text: str, pattern: re.Pattern[str]) -> str:
    return pattern.sub(lambda found: " " * len(found[0]), text)


def _with_hours(figures: Figures) -> Figures:
    hours = rate = None
    text = figures.text
    for pattern in (_HOURS_AT, _HOURS_NAMED, _RATE, _RATE_NAMED):
        found = pattern.search(text)
        if found is None:
            continue
        groups = found.groupdict()
        new_hours = _figure(groups.get("hours"))
        new_rate = _figure(groups.get("rate"))
        hours = new_hours if hours is None and new_hours is not None and new_hours <= _MOST_HOURS else hours
        rate = cents(new_rate) if rate is None and new_rate else rate
        text = text[: found.start()] + _without_figures(found[0]) + text[found.end() :]
    return evolve(figures, text=text, hours=hours, rate=rate)


_LABOR_OR_ANY: Final = re.compile(r"labou?r|.", re.IGNORECASE)


def _without_figures(hours: str) -> str:
    """Return ``hours`` with everything but the word "labor" blanked out."""
    return _LABOR_OR_ANY.sub(lambda found: found[0] if len(found[0]) > 1 else " ", hours)


def _with_quantity(figures: Figures, *, is_labor: bool) -> Figures:
    found = _QUANTITY_AT.search(figures.text)
    if found is None:
        each = _EACH.search(figures.text)
        unit = None if each is None else _cents(each["unit"])
        return evolve(figures, text=_blank(figures.text, _EACH), unit=unit)
    text = figures.text[: found.start()] + " " * len(found[0]) + figures.text[found.end() :]
    quantity, unit = _figure(found["quantity"]), _cents(found["unit"])
    if is_labor and figures.hours is None:
        return evolve(figures, text=text, hours=quantity, rate=unit)
    return evolve(figures, text=text, quantity=quantity, unit=unit)


def _figure(text: str | None) -> float | None:
    return float(text.replace(",", "")) if text else None


def _cents(text: str) -> Cents:
    return min(_MOST_CENTS, cents(float(text.replace(",", ""))))


def _money(text: str) -> list[Money]:
    found = [amount for match in _MONEY.finditer(text) if (amount := _amount(match)) is not None]
    sure = [amount for amount in found if amount.is_sure]
    return sure or [
        amount
        for amount in found
        if abs(amount.amount) >= _FEWEST_DOLLARS * 100 and not _is_count(text, amount)
    ]


_COUNTED: Final = re.compile(
    r"\s{0,3}-?\s?(?:mo|months?|yrs?|years?|days?|mi|miles?|qts?|quarts?|mm|pts?|points?|cyl\w*|wheels?|lbs?|oz|in|inch|amps?|cca|gal\w*|pc|pcs|pk|ft|ply)\b",
    re.IGNORECASE,
)
_YEARS: Final = range(1950_00, 2040_01)


def _is_count(text: str, amount: Money) -> bool:
    """Return whether a whole number without a dollar sign is a count, or the year of a vehicle."""
    after = text[amount.end :]
    return bool(_COUNTED.match(after)) or (amount.amount in _YEARS and bool(re.match(r"\s+[A-Za-z]", after)))


def _amount(match: re.Match[str]) -> Money | None:
    whole, fraction = match["whole"], match["cents"]
    if not whole and not fraction:
        return None
    dollars = float((whole or "0").replace(",", "").replace(".", "")) + float(f"0.{(fraction or '.00')[1:]}")
    if dollars * 100 > _MOST_CENTS:
        return None
    is_negative = bool(
        match["minus"] or match["minus2"] or match["trail"] or (match["open"] and match["close"])
    )
    is_sure = bool(match["dollar"] or fraction)
    if match["open"] and match["close"] and not is_sure:  # "(4)" is a count
        return None
    amount = cents(dollars)
    return Money(-amount if is_negative else amount, match.start(), match.end(), is_sure)
