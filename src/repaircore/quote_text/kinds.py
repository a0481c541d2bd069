"""The kinds of lines in a quote, and how their words tell them apart."""

import re
from enum import StrEnum
from typing import Final


class LineKind(StrEnum):
    """The kind of a line; ``diagnosis`` is a charge for finding out what is wrong."""

    REPAIR = "repair"
    PART = "part"
    DIAGNOSIS = "diagnosis"
    SUPPLIES = "supplies"
    FEE = "fee"
    TAX = "tax"
    DISCOUNT = "discount"


JOBS: Final = frozenset({LineKind.REPAIR, LineKind.PART})
"""The kinds that are work or parts; the others are charges."""


def _words(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE | re.VERBOSE)


_DISCOUNT: Final = _words(
    r"""\b(discount|coupon|savings?|rebate|refund|promo(tion)?|loyalty|gift\ card|core\ (credit|return)|diagnostic\ credit)\b
    | \bdisc\b\.?(?=[\s:(-]*\d{1,2}(\.\d+)?\s*%) | \d\s*%\s*disc\b(?!\s*(brakes?|pads?|rotors?)) | \b(fleet|military|senior|veterans?|aaa)\s+disc\b
    | \bless\b.*\b(credit|discount|deposit|diag\w*)\b | (\d\s*%|\$\s*\d[\d.]*|\d)\s*off\b | \bcredit(?!\s*card)\b | \byou\ save\b | \bgood\s?will\b"""
)
_TAX: Final = _words(r"\btax(es)?\b(?!\s*(id|exempt)) | ^\W*(tx|gst|hst|g\.?e\.?t\.?|vat)\b")
_FEE: Final = _words(
    r"""\bfees?\b | \bsur-?charge | \bhaz(\b|mat|ard) | \bdisposals? | \benv(\b|ironment) | \bepa\b | \brecycl
    | \bcore\ (charge|deposit|fee|exchange) | \bfreight | \bshipping | \b(tow(ing|ed)?|storage)\b(?!\s+(hitch|package|bar|hook))
    | \bwaste\b | \bcc\ charge | \bconvenience | \bprocessing\b | \bmisc\w*\.?\ charges? | \blevy\b | \bsticker\b | \bdelivery\b | ^\W*core\W*$
    | \b(travel|trip|service\ call|call-?\ ?out|after\ hours|rental)\b"""
)
_SUPPLIES: Final = _words(
    r"""\b(shop|misc\w*\.?|garage)\ *(-|/)?\ *(suppl\w*|supp|materials?|charges?|chrg|chg)\b | \bsupp(l|ly|lies)?\b | ^\W*shop\W*$ | ^\W*materials?\W*$
    | \bconsumables?\b | \bsundries\b | \brags\b"""
)
_MISC_CHARGES: Final = _words(r"\bmisc\w*\.?\ charges?")
_LAW: Final = _words(
    r"\b(state|safety|annual|vehicle|emissions?|smog|sticker|enhanced)\b.*\b(inspections?|insp|tests?|check|certificate)\b | \bsmog\b"
)
_DIAGNOSIS: Final = _words(
    r"""\bdiag(s|nos\w*)?\b | \btrouble-?\ ?shoot | \binspect(ion|ions)?\b | \b(smoke|pressure|leak|leak-?down|compression|draw|load)\ tests?\b
    | \bcode\ (scan|read)\w* | \bscan\b | \broad\ test | \btear-?\ ?down | \bread\ codes | \bcheck\ (out|noise|engine\ light)\b"""
)
_MACHINE_SHOP: Final = _words(
    r"\bmachine\ shop\b | \b(deck|mill|plane|surface|resurface)\b.*\bheads?\b | \bheads?\b.*\b(deck|mill|plane|surface|resurface)(ed|d|ing)?\b"
)
"""A machine shop's work on cylinder heads, which it also tests for pressure."""
_FITTING: Final = _words(r"\bm\s?&\s?b\b | \bm/b\b | \bmount\w*,?\s*(&|and|/|\+)\s*bal")
"""Tires that are mounted and balanced; the price may include their disposal."""
_TIRES: Final = _words(r"\b(tires?|wheels?)\b")
_NEW_TIRES: Final = _words(r"\bnew\b | \breplac\w* | \binstall\w* | \d{3}/\d{2}")
_OPERATION: Final = _words(
    r"""\b(r\s?&\s?r|r/r|r\ &\ i|svc|walnut|replac\w*|remov\w*|re?&re?|install\w*|servic(e|es|ing)|flush\w*|clean(ing|ed)?(?!er)|align\w*|rotat\w*
    |repair\w*|exchange|change|rebuild|overhaul|adjust\w*|balanc(e|ing)|program\w*|perform|recharge|evac\w*|drain|bleed\w*|resurfac\w*|(re-?)?calibrat\w*
    |weld\w*|lube|mount\ (&|and)\ balance|m\s?&\s?b|job|swap|restor\w*|reseal|patch|plug\ tire|labou?r|tune|reprogram\w*|machine|turn|induction|package|special)\b"""
)


def kind_of(description: str, *, is_negative: bool = False) -> LineKind:
    """Return the kind of a line, inferred from its words; it is a repair if they indicate no other kind.

    A line with a negative amount is a discount.
    """
    charge = charge_kind(description)
    if is_negative:
        return LineKind.DISCOUNT
    return charge or LineKind.REPAIR


def charge_kind(description: str) -> LineKind | None:
    """Return the kind of charge that ``description`` names, or None for repairs and parts."""
    if _DISCOUNT.search(description):
        return LineKind.DISCOUNT
    if _TAX.search(description):
        return LineKind.TAX
    if _is_diagnosis(description):
        return LineKind.DIAGNOSIS
    if _SUPPLIES.search(description) and not _MISC_CHARGES.search(description):
        return LineKind.SUPPLIES
    if _FEE.search(description) and not _FITTING.search(description):
        return LineKind.FEE
    return None


def _is_diagnosis(description: str) -> bool:
    if not _DIAGNOSIS.search(description) or _LAW.search(description) or _MACHINE_SHOP.search(description):
        return False
    without = _words(r"\bcheck\ engine\ light\b").sub("", description)
    return not re.search(r"\b(r\s?&\s?r|replac\w*|install\w*)\b", without, re.IGNORECASE)


def names_only_fitting(description: str) -> bool:
    """Return whether ``description`` names the mounting or balancing of tires, but no new tires."""
    is_fitting = _FITTING.search(description) or (
        _TIRES.search(description) and re.search(r"\bmount|\bbalanc", description, re.IGNORECASE)
    )
    return bool(is_fitting) and _NEW_TIRES.search(description) is None


def is_operation(description: str) -> bool:
    """Return whether ``description`` names work, rather than a part."""
    return _OPERATION.search(description) is not None
