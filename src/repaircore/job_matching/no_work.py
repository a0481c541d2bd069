"""Invoice lines that are not repairs: fees, taxes, discounts, tows, remarks, complaints, and work not done.

The words are hand-picked. Nothing is learned from these lines. Doubtful lines are not among them: they wait for a
decision instead.
"""

import re
from functools import lru_cache
from typing import Final

from rapidfuzz.distance import OSA

from repaircore.job_matching.work_words import COMPLAINT, IS_WORK, PUT_OFF, REFUSED, UNPAID, WAS_DONE

_CHARGE: Final = re.compile(
    r"(?<!diag )(?<!diagnostic )(?<!diagnosis )(?<!inspection )(?<!insp )(?<!alignment )(?<!test )(?<!testing )(?<!scan )(?<!programming )\bfees?\b"
    r"|\b(?:sales|state|local|city|county|use|tire|excise) tax\b|\btax(?:es|able)?\b|\bdiscounts?\b|\bdisc\b(?=[ .:-]*-?\$?\d)|\bcoupons?\b|\bpromo(?:tion|tional)?\b|\brebates?\b"
    r"|\bsurcharges?\b|\bshop (?:suppl\w*|charges?|mat(?:eria)?ls?|mtls?|misc\w*)|\bsupplies\b|\bhaz(?:ardous|mat)?\b|\benviro\w*|\bepa\b|\bsundr(?:y|ies)\b"
    r"|\bcore (?:chg|charges?|returns?|deposits?|credits?|exchanges?|refunds?)\b|\bdeposits?\b|^\W*cores?\b(?! (?:plug|support))|\bcredit(?:s|ed)?\b|\bsavings?\b|\bbalance (?:due|owed|forward|paid)\b|\b[ghp]st\b|\brefund\w*|^\W*-\s?\$?\d+(?:\.\d+)?\s?%?|\b\d+(?:\.\d+)?\s?% off\b|\bfreight\b|\bshipping\b|\brestock\w*|\bsublet\b(?= \w*$)|\broad hazard\b"
    r"|^(?!.*\b(?:mount|install|m/b\b)).*\bdisposal\b|\brecycl\w*|\brefuse\b|\btips?\b|\bgratuity\b|\b(?:loyalty|rewards?) points?\b|\brewards\b|\bgift card\b|\bfinanc\w+\b"
    r"|\bprotection (?:plans?|certificates?|packages?)\b|\bservice contract\b|\bdeductibles?\b|\bgas[ ,/]+oil[ ,/&]+grease\b|\bg\.?o\.?g\b"
)
"""Words for charges. A line that also names a repair, and says that something was done, is not a charge."""

_BROUGHT: Final = re.compile(
    r"(?<!pump )(?<!pump & )(?<!pump and )(?<!oil )\bpick ?up\b(?! (?:truck|tube|screen|bed))|\bpre-?delivery\b|\bpdi\b|\b(?:extra|additional|add'?l) (?:qts?|quarts?|oil)\b|\bwill return\b|\btow(?:ed|ing|s)?\b(?! (?:hitch|package|pkg|mirror|hook))|\bloaners?\b|\brental\b|\bshuttle\b|\bstorage\b|\broadside\b|\bservice call\b|\bcall ?out\b|\bafter hours\b|\btravel\b|\b(?:uber|lyft|taxi|ride) (?:ride|for|home|to)\b|\btrip charge\b|\bmobile (?:fee|charge|call)\b"
    r"|\b(?:jump[- ]?start|jumped|lock[- ]?out|winch(?:ed|ing|[- ]out))\b|\bpick ?up (?:and|&) deliver\w*|\bcourtesy (?:car|wash|vehicle|ride)\b"
)
_REMARK: Final = re.compile(
    r"\bmisc(?:ellaneous)?\b|(?<!board )\bcharges?\b(?! (?:unit|system|sys\b|air|inlet|port|door|pipe|cable|cord|coupler|flap|hose|ac\b|a/c|r-?1|socket|lid|connector|receptacle))|\bnotes?\b|\bcomments?\b|\bwaiting\b|\bwaiter\b|\bwill call\b|\bback ?order\w*|\bspecial order\w*|\border(?:ed)? parts?\b"
    r"|\b(?:unable|could not|couldn't|cannot|can ?not) (?:to )?(?:dup\w*|verify|reproduce|repro)\b|\bcnd\b|\bno problem found\b|\bnpf\b|\bntf\b"
    r"|\b(?:road ?test(?:ed)?|test dr(?:ive|iven|ove))\b|\bwash\b|\bvacuum(?:ed)?\b(?! (?:pump|leak|hose|line|booster|test|brake|check|elbow|tee|tube|solenoid|actuator|switch|valve))|\bfloor mats?\b|\bseat covers?\b|\bkey tags?\b|\bthank\w*|\bwarrant(?:y|ies|ied)\b|\bguarantee\w*"
    r"|\bestimate\b|\bquote\b|\bsublet\b|\bmachine shop\b|\bcomplimentary\b|(?<!pt )(?<!point )\bcourtesy\b|\bno charge\b|\bgoodwill\b|\bn/c\b|\brecalls?\b|\bappointment\b|\bdropped? off\b|\bmileage\b"
    r"|\btech(?:nician)? time\b|\blabou?r\b(?! (?:only|to)\b)|\bsubtotal\b|\btotal\b|\bbalance due\b|\bpayments?\b|\bvisa\b|\bcash\b|\bcheck #|\bauthoriz\w*|\bapproved?\b|\bvoid(?:ed)?\b|\b(?:tire|set|check(?:ed)?|adjust(?:ed)?) pressures?\b|\bpressures\b|\bfollow[- ]?up\b|\bsee (?:invoice|notes?|attached|below|ro)\b|\bcome ?back\b|\bre-?check\b|\bok(?:ay)? (?:at this time|for now)\b|\bcheck and advise\b|\binspected\b|\bchecked\b|\bmeasured\b|\bverified\b|\bcalled (?:cust\w*|owner)|\bleft (?:vm|message|voicemail)\b|\beta\b|\binspect\b|\bwashed\b|\bfyi\b|\b(?:down|waiting|hold(?:ing)?) (?:for|on) (?:parts?|approval|customer)\b|\bparts? (?:on order|ordered|not in)\b|\bout of service\b|\bdriver (?:reports?|states?|writeup|complaint)\b|\bf\.y\.i\b|\bappreciate\w*|\bcall (?:cust\w*|owner|before|b4|first|when|with|w/|me|him|her)\b|\bb4\b|\brags\b|\bodometer\b|\bhave a (?:great|good|nice)\b|\bplease (?:call|review|see|leave|rate|ask)\b|\breview us\b|\bgoogle review\b|\bkeys? (?:in|under|left|drop)\w*|\bsee you\b|\bneighbou?rs?\b|\bparking\b(?! (?:brake|sensor|aid|assist|light|lamp|bulb|camera|pawl|distance))|\bremaining\b"
)
"""Words for remarks and totals: a line that has one of them and names no repair is not a repair."""

_LONG_WORD: Final = re.compile(r"[a-z]{5,}")
_OFTEN_MISTYPED: Final = (
    "appreciate", "authorized", "complimentary", "coupon", "courtesy", "credit", "customer", "declined", "deductible", "deposit", "disposal", "discount", "environmental",
    "estimate", "financing", "freight", "hazardous", "labor", "loaner", "mileage", "miscellaneous", "payment", "recommend", "recommended", "refund", "rental",
    "shipping", "shuttle", "storage", "subtotal", "supplies", "surcharge", "thank", "thanks", "towing", "warranty",
)  # fmt: skip
_CACHED: Final = 20_000

_NEXT: Final = re.compile(
    r"\bnext (?:service|oil change|lof|visit|appointment|due)\b|\b(?:service|oil change|lof) (?:is )?due (?:at|in|on)\b|\bbalance (?:due|owed|forward)\b"
)
_BARE_DIAGNOSIS: Final = re.compile(
    r"\W*(?:(?:initial|level|basic|advanced|shop|mechanical|engine|electrical|general|diag\w*|dx|testing|time|fee|fees|charge|labou?r|hours?|hrs?|[\d.@$/]+|per|one|of|and)\W*)*\bdiag(?:s|nos\w*)?\b"
    r"\W*(?:(?:initial|level|time|fee|fees|charge|labou?r|hours?|hrs?|[\d.@$/]+|per|one|of|and)\W*)*"
)
"""An unspecified diagnosis, whose price is that of an hour rather than of a repair."""

_TIME_OR_FEE: Final = re.compile(r"\d|\b(?:time|fees?|charge|labou?r|hours?|hrs?)\b")
_TRIED: Final = re.compile(r"\b(?:test(?:ed)?|diag\w*|scan(?:ned)?|smoked?)\b")
_FOUND_FINE: Final = re.compile(
    r"^[^,;.]*\b(?:tests?|tested|checks?|checked|inspected) (?:good|ok(?:ay)?|fine|within spec)\W*$"
)
_REPLACED: Final = re.compile(
    r"\b(?:replaced|install(?:ed)?|repaired|rebuilt|rpl(?:c|cd|d)?|repl(?:d|aced)?|r\s?[&/]\s?r|swapped|(?:re)?programmed|overhauled)\b"
)
_MACHINED: Final = re.compile(r"\b(?:resurf|turn|machin|cut)\w* .*\brotors?\b")
_PIECE: Final = re.compile(r"[,;.]\s+|\n|\bbut\b|\s-\s")


def is_no_work(text: str, *, names_repair: bool, says_anything: bool = True) -> bool:
    """Return whether a line of an invoice is not a completed repair.

    ``names_repair`` is set if the line names a repair in the book, ``says_anything`` if it has any ``job_words``.
    """
    lowered = _respelled(text.casefold().replace("’", "'"))
    if not says_anything or _is_aside(lowered):
        return says_anything or _MACHINED.search(lowered) is None
    unwanted = next((words for words in (REFUSED, UNPAID) if words.search(lowered)), None)
    if unwanted is not None:
        return not any(
            WAS_DONE.search(piece) and not unwanted.search(piece) for piece in _PIECE.split(lowered)
        )
    if WAS_DONE.search(lowered):
        return not names_repair and _may_be_no_work(lowered) and not _is_work_apart(lowered)
    if PUT_OFF.search(lowered) or (COMPLAINT.match(lowered) and not _is_answered(lowered)):
        return True
    is_charge = bool(_CHARGE.search(lowered) or _BROUGHT.search(lowered))
    if names_repair:
        return is_charge and _is_only_charge(lowered)
    return is_charge or _REMARK.search(lowered) is not None


def _respelled(lowered: str) -> str:
    """Return the text with typos in words for charges and remarks corrected, such as "suplies"."""
    return _LONG_WORD.sub(lambda found: _meant(found[0]), lowered)


@lru_cache(maxsize=_CACHED)
def _meant(word: str) -> str:
    if word in _OFTEN_MISTYPED:
        return word
    near = [known for known in _OFTEN_MISTYPED if known[0] == word[0] and _is_mistyped(word, known)]
    return near[0] if len(near) == 1 else word


def _is_mistyped(word: str, known: str) -> bool:
    """Return whether a word is a known one with two letters swapped, or one missing or extra, but not replaced."""
    is_alike = len(word) != len(known) or sorted(word) == sorted(known)
    return is_alike and OSA.distance(word, known, score_cutoff=1) <= 1


def _is_aside(lowered: str) -> bool:
    """Return whether a line only mentions the next visit, bills unspecified diagnosis, or reports something as fine."""
    is_diagnosis = _BARE_DIAGNOSIS.fullmatch(lowered) and _TIME_OR_FEE.search(lowered)
    is_fine = _FOUND_FINE.search(lowered) and not IS_WORK.search(lowered)
    return bool(_NEXT.search(lowered) or is_diagnosis or is_fine)


def _is_answered(lowered: str) -> bool:
    """Return whether work was done on a complaint, as in "C/S losing coolant - pressure test"."""
    return any(IS_WORK.search(piece) or _TRIED.search(piece) for piece in _PIECE.split(lowered)[1:])


def _may_be_no_work(lowered: str) -> bool:
    return any(kind.search(lowered) for kind in (_CHARGE, _BROUGHT, _REMARK))


def _is_work_apart(lowered: str) -> bool:
    """Return whether a separate sentence says what was done, as in "replaced module. Road test OK"."""
    return any(_REPLACED.search(piece) and not _may_be_no_work(piece) for piece in _PIECE.split(lowered))


def _is_only_charge(lowered: str) -> bool:
    """Return whether a line with a charge is too short to be more than that, such as "battery fee"."""
    return len(re.findall(r"[a-z]{2,}", lowered)) <= _SHORT_LINE


_SHORT_LINE: Final = 4
