"""Handle labels that follow their amounts, as in prose: "310 for the part and 170 labor, 480 all in"."""

import re
from typing import Final

from repaircore.quote_text.money_text import read_figures

_NUMBER: Final = r"\$?\s?\d[\d,]*(?:\.\d\d)?(?!\d)"
_LABEL: Final = r"(?:total\s+)?(?:parts?|labou?r)\b(?!\s*(?:&|and|\+|y|/)\s*lab)(?:\s+(?:cost|total))?|(?:in\s+)?total\b|all[ -]in\b|altogether\b|out the door\b|otd\b"
_AFTER: Final = re.compile(
    rf"(?P<amount>(?<![\w.,/#$-]){_NUMBER})\s?(?:of (?:that|it|which)\s+)?(?:(?:for|in|of|is|was|on)\s+)?(?:(?:the|its|their)\s+)?(?P<label>{_LABEL})",
    re.IGNORECASE,
)
_BEFORE: Final = re.compile(
    rf"\b(?:{_LABEL})\s*[:=-]?\s*(?:(?:is|are|for|of|at)\s+)?(?:{_NUMBER})", re.IGNORECASE
)
_WHOLE_BEFORE: Final = re.compile(
    r"\b(labou?r|parts?)\s?[:=]?\s(\d{2,4})(?=\s*(?:$|[,;(=+]|(?:parts?|labou?r)\b))", re.IGNORECASE
)
"""A label and a whole number, which is an amount even if other amounts have cents."""

_WHOLE_LABOR_AFTER: Final = re.compile(
    r"(?<![\w.,/#$@-])(\d{1,3},\d{3}|\d{3,4})\s+labou?r\b(?=\s*(?:$|[,;(=+]|parts?\b))", re.IGNORECASE
)
"""A whole number with the label "labor" after it, next to amounts that have their label before them."""

_WHOLE_COMPUTED: Final = re.compile(
    r"(?P<before>\blabou?r\s+(?P<hours>\d{1,2}(?:\.\d{1,2})?)\s*(?:h|hrs?|hours?)?\s*(?:@|x)\s*\$?(?P<rate>\d{2,3}(?:\.\d\d)?)(?:\s*=)?\s+)"
    r"(?P<amount>\d{2,5})(?![\w.,%/])",
    re.IGNORECASE,
)
"""A whole number after hours and a rate: it is an amount if it is their product."""

_CENTS: Final = re.compile(r"\$\s?\d|\d\.\d\d(?!\d)")

_NAME_AFTER: Final = re.compile(
    rf"(?:^\W*|[,;]\s|\b(?:says?|said|at|is|me|quoted|wants?|about|around)\s)(?P<amount>{_NUMBER})\s+(?:for|to (?:replace|do|fix|change))\s+(?P<name>[^,;.($\d]+)",
    re.IGNORECASE,
)
_FIRST: Final = (
    r"(?:(?:shop|dealer|mechanic|guy)(?=\s+(?:says?|said|wants?|quoted|the|is)\b)|so|they|he|she|we|i|i'?m|it'?s|it|my|me|us|the|a|an|and|plus|also|then|for|to|at|is|are|was|were|be|would|wants?|wanted|asking|asks?|asked"
    r"|quoted|says?|said|charged|told|got|gave|about|around|roughly|like|just|of|that'?s)"
)
_LAST: Final = r"(?:and|plus|then|for|to|at|on|my|the|our|is|are|was|were|will|be|about|around|roughly|like|just|comes|came|runs|i'?m|it'?s|they|would)"
_FILLERS_FIRST: Final = re.compile(rf"^(?:{_FIRST}(?:\s+|$))+", re.IGNORECASE)
_FILLERS_LAST: Final = re.compile(rf"(?:[\s,]+{_LAST})+$", re.IGNORECASE)


def with_labels_first(line: str) -> str:
    """Return a line with each label before its amount, and with dollar signs where whole numbers are amounts.

    Labels are moved if more of the line's amounts have a label after them than before them. An amount with one
    decimal next to a label gets a second decimal.
    """
    line = _with_dollar_signs(line)
    line = _WHOLE_COMPUTED.sub(_with_product, line)
    if len(_AFTER.findall(line)) <= len(_BEFORE.findall(line)):
        if not _CENTS.search(line):
            return line
        return _WHOLE_LABOR_AFTER.sub(r"labor $\1", _WHOLE_BEFORE.sub(r"\1 $\2", line))
    labeled = _AFTER.sub(lambda found: f"{found['label']} ${found['amount'].strip('$ ')}", line)
    return _NAME_AFTER.sub(lambda found: f" {found['name'].strip()} ${found['amount'].strip('$ ')} ", labeled)


def _with_product(found: re.Match[str]) -> str:
    """Return the match with a dollar sign before its amount if that is the product of the hours and the rate."""
    is_product = abs(float(found["hours"]) * float(found["rate"]) - float(found["amount"])) <= _ROUNDING
    return f"{found['before']}${found['amount']}" if is_product else found[0]


_ROUNDING: Final = 1.0
"""How many dollars a price computed from hours rounded to tenths may be off."""

_FEW_CENTS: Final = (
    re.compile(
        r"(?P<amount>\$\s?\d[\d,]{0,9}\.\d)(?![\w%/]|[.,]\d|\s?(?:%|/|per\b|an\b|an?\s+h))", re.IGNORECASE
    ),
    re.compile(
        r"(?P<before>\b(?:(?:sales|state|local)\s+)?(?:tax(?:es)?|(?:sub-?\s?)?total|parts?|suppl(?:y|ies)|fees?|disposal|discount|coupon|due|altogether|all in|otd)"
        r"\s{0,9}(?:(?:is|of|at)\s|\(?\d{1,2}(?:\.\d{1,4})?\s?%\)?|[:=-])?\s{0,9})(?P<amount>\d[\d,]{0,9}\.\d)"
        r"(?![\w%/]|[.,]\d|\s{0,9}(?:%|percent\b|h\b|hrs?\b|hours?\b|@|x\s?\$?\d|\$?\d))",
        re.IGNORECASE,
    ),
    re.compile(
        r"(?<![\w.,$/-])(?P<amount>\d[\d,]{0,9}\.\d)(?=\s(?:sales\s)?(?:tax|in tax|total|altogether|all in|for parts|in parts|supplies)\b)",
        re.IGNORECASE,
    ),
)
"""Amounts with one decimal that are neither hours nor percentages: "tax 67.2"."""

_DOLLARS: Final = re.compile(
    r"(?<![\w.,$/-])(?P<amount>\d{1,3}(?:,\d{3})+|\d{1,6})(?P<cents>\.\d{1,2})?\s?(?:dollars|bucks|usd)\b(?!\s*(?:/|per|an hour|a hour|off))",
    re.IGNORECASE,
)
_ANOTHER: Final = re.compile(
    r"(?P<link>[,;]\s+|\b(?:and|plus|then|also)\s+)(?P<amount>\d{2,5})(?=\s+for\s+(?!\d)[a-z])", re.IGNORECASE
)
"""A whole number that is the price of another item, in a line with dollar signs: "and 89 for an oil change"."""


def _with_dollar_signs(line: str) -> str:
    line = _DOLLARS.sub(lambda found: f"${found['amount']}{(found['cents'] or '.00').ljust(3, '0')}", line)
    if "$" in line:
        line = _ANOTHER.sub(r"\g<link>$\g<amount>", line)
    whole = _with_whole_cents(line)
    if whole != line and not _CENTS.search(
        line
    ):  # otherwise, amounts without cents would be taken for counts
        return _with_whole_cents(_with_sure_amounts(line))
    return whole


def _with_whole_cents(line: str) -> str:
    for pattern in _FEW_CENTS:
        line = pattern.sub(_with_cents, line)
    return line


def _with_sure_amounts(line: str) -> str:
    """Return a line with a dollar sign before each whole amount."""
    for money in reversed(read_figures(line).money):
        digits = line[money.start : money.end].lstrip(" ")
        start = money.end - len(digits)
        line = f"{line[:start]}${line[start:]}" if digits[:1].isdigit() else line
    return line


def _with_cents(found: re.Match[str]) -> str:
    return f"{found.groupdict().get('before') or ''}{found['amount']}0"


def without_fillers(words: str) -> str:
    """Return the name of an item without the other words of a sentence: "they want ... for the alternator"."""
    named = _SPEAKER.sub("", _OF_VEHICLE.sub("", _BEFORE_NAME.sub("", words)))
    return _FILLERS_LAST.sub("", _FILLERS_FIRST.sub("", named))


_BEFORE_NAME: Final = re.compile(
    r"^\W*(?:my |the )?(?:quote|estimate)(?: today)?:\s+|^.*\b(?:needs?|needing|found|quoted for|price (?:of|for|on)|quote (?:of|for|on))\b:?\s+(?=\w)",
    re.IGNORECASE,
)
_OF_VEHICLE: Final = re.compile(
    r"(?<=\w)\s+(?:on|for|in) (?:the|my|our|his|her|a|your) (?:.*\b)?(?:(?:19|20)?\d\d\s+[a-z]+|car|truck|van|suv)\b.*$",
    re.IGNORECASE,
)
_SPEAKER: Final = re.compile(
    r"(?<=\w)[\s,]+(?:the )?(?:guy|shop|dealer|mechanic|he|she|they) (?:says?|said|wants?|quoted|told)\b.*$",
    re.IGNORECASE,
)
