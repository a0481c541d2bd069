"""Words that say whether work was done, refused, postponed or unpaid, or that begin a customer's complaint.

The words are hand-picked.
"""

import re
from typing import Final

_MARKS: Final = (r"r\s?[&+/]\s?[ri]", r"r and r")
_PAST: Final = (
    "replaced", "removed", "install(?:ed)?", "repaired", "rebuilt", "reseal(?:ed)?", "serviced", "flushed", "rotated", "changed",
    "exchanged", "bled", "cleaned", "patched", "plugged", "mounted", "(?:re)?balanced", "scanned", "swapped", "recharged", "evac(?:uated)?", "performed", "adjusted",
    "aligned", "(?:re)?programmed", "rpl(?:c|cd|d)?", "repl?(?:d|l|aced)?", "replcd?", "instl?d?", "fitted", "put in", "overhauled",
)  # fmt: skip
_BARE: Final = (
    "replac(?:e|ing)", "remov(?:e|ing)", "installation", "repair(?:ing)?", "rebuild(?:ing)?", "reseal(?:ing)?", "services?", "svc", "flush", "rotat(?:e|ion|ing)",
    "change", "exchange", "clean(?:ing)?", "patch", "plug", "mount(?:ing)?", "swap", "recharge", "perform", "overhaul", "lof",
)  # fmt: skip


def _any(*words: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(words)})\b")


WAS_DONE: Final = _any(*_MARKS, *_PAST)
"""Words that say that something was done; "replace" and "service" are missing, as they may mean work that is due."""

IS_WORK: Final = _any(*_MARKS, *_PAST, *_BARE)
"""Words for work, done or to be done."""

REFUSED: Final = re.compile(
    r"\bdeclin\w*|\b(?:cust\w*|cs|owner|client) (?:dec(?:l|d)?|dcl[nd]*)\b|\bdecl(?:d|nd|ned)?\b|\bdclnd?\b|\bdeclned\b|\bno (?:action|work|repairs?|service)\b(?: (?:was|were|is|done|taken|performed|needed|required|today|necessary|at this time))+|\b(?:did ?n.?t|did not) (?:change|replace|swap|install|fix|do)\b|\b(?:said|says) (?:no|not (?:today|now))\b|\brefus(?:ed|es|al)\b|\bnot (?:done|performed|replaced|authorized|approved)\b|\bdid not (?:want|authorize|approve)\b"
)
"""Words for work that the customer refused."""

PUT_OFF: Final = re.compile(
    r"\b(?:deferred?|postpone\w*|recomm?end\w*|recom|rec'?d|rec(?=\s?[:.])|advise[ds]?|suggest(?:ed|s)?|needs?|will need|due for|(?<!view )(?<!spot )(?<!battery )(?<!pressure )(?<!side )(?<!driver )monitor(?! (?:camera|sensor|module|system|screen))|quot(?:e|ed)|est(?:imate)? only|think about|thinking about"
    r"|next (?:time|visit|week|month)|(?:will|i'll|he'll|she'll|to) (?:bring|come|be) (?:it |car )?back|let (?:me|us) know)\b"
)
"""Words for work that is to be done later, or not at all."""

UNPAID: Final = re.compile(
    r"(?<!\w)n/c\b|\bno (?:charges?|ch(?:r)?ge?s?)\b|\bfree(?: of charge)?\s*(?:$|[,;.:)(-])|\bcomplimentary\b|\bgoodwill\b|\bat no cost\b"
)
"""Words for unpaid work."""

_UNUSUAL: Final = re.compile(
    r"\b(?:estimate|customer suppl\w*|cust\.? suppl\w*|supplied by|(?:customer|cust\.?)(?:'?s)? (?:(?:own )?(?:tires?|parts?)|bought|own|provided)|used customer|carry[- ]?in"
    r"|labou?r (?:only|to)|warranty|warr|come ?back|re-?check\w*|recall|loaner|shuttle|rental|(?<!pt )(?<!point )courtesy|void\w*|cancell?ed|refund\w*"
    r"|could not duplicate|cnd|core (?:charge|return|deposit|credit|exchange))\b"
)

COMPLAINT: Final = re.compile(
    r"^\W*(?:c/[sr]\b|(?:cust(?:omer)?\.?|cs|owner|client)\W+(?:states?|reports?|complain\w*|says|said|requests?|concerned|advis\w*|wants?|wnts|noise|hears?|feels?|sts|sts?tes|thinks)\b"
    r"|(?:complaint|concern)\b)"
)
"""The beginning of a customer's complaint."""


def is_in_doubt(text: str) -> bool:
    """Return whether the text mentions work not done or not paid as usual: declined, recommended, under warranty."""
    lowered = text.casefold()
    return any(words.search(lowered) for words in (REFUSED, PUT_OFF, UNPAID, _UNUSUAL))
