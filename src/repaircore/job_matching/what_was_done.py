"""Extract what was done from text that also has the complaint and its cause."""

import re
from collections.abc import Sequence
from typing import Final

from attrs import frozen

from repaircore.job_matching.job_words import job_words
from repaircore.job_matching.usual_company import BENIGN, HOW
from repaircore.job_matching.work_words import IS_WORK

_CORRECTION: Final = re.compile(
    r"\b(?:correction|corrected|corrective action|repair performed|repairs?|resolution|action taken|work performed|remedy|fix)\s*[:=]\s*(.+)$",
    re.DOTALL,
)
_THREE: Final = re.compile(r"^\W*c\s*[:)].*?\bc\s*[:)].*?\bc\s*[:)]\s*(.+)$", re.DOTALL)
_SENTENCE: Final = re.compile(r"(?<=[a-z0-9)%\"'])[.;!]+\s+|\s+[-–>]+\s+|\n")
_PIECE: Final = re.compile(r",\s+")
_CONDITION: Final = re.compile(
    r"\b(?:torn|broke|snapped|leak(?:s|ing|ed)?|worn|cracked|noisy|seized|broken|failed|bad|rusted(?: out)?|contaminated|clogged|plugged|restricted|shorted|stripped|split|swollen|bulg\w+|bent|frozen|binding|sticking|intermittent|condensation|moisture|delaminat\w*|chewed|high resistance|out of (?:range|spec|round)|metal to metal|collapsed|burst|rotted|locked|hazy|sagging|burn(?:ed|t)(?: up| out)?|shattered|ripped|popping|streaking|stays? on|won't|doesn't|is out|popped off|grinding|weak|dirty|stuck|loose|corroded|shot|inop\w*|dead|not charging|not working|nois[ey]\w*|whin\w+|click\w*|rattl\w+|hum\w*|squeal\w*|grind\w*|vibrat\w+|slip\w*|misfir\w+|won'?t \w+|running \w+|low|clunk\w*|squeak\w*|overheat\w*|roar\w*)\b"
)
_WHY: Final = re.compile(
    r"\s*\b(?:due to|because(?: of)?|caused by|as a result of|(?:leak\w*|drip\w*|seep\w*|spray\w*)\s+(?:(?:oil|coolant|fluid|fuel|gas)\s+)?(?:on ?to|into|on|from|in)|onto|found during|for complaint|per (?:cust|est|tsb))\b[^,;.]*"
)
_LACKING: Final = re.compile(
    r"\bno (?:(?:fuel |oil )?pressure|power|start|crank|output|spark|heat|cold air|a/?c|brakes?|fuel|signal|communication|lights?)\b(?: to \w+)?"
)
_INCLUDING: Final = re.compile(r"\b(?:incl(?:ud(?:es|ed|ing))?\b|consists of\b).*$", re.DOTALL)


@frozen
class Correction:
    """The work that was done, and its ``context`` in the text: complaints, causes and findings."""

    done: str
    context: str


def what_was_done(text: str) -> Correction | None:
    """Return the work that was done and its context, or None if the text says nothing but what was done."""
    lowered = text.casefold().replace("’", "'").strip()
    stated = _CORRECTION.search(lowered) or _THREE.search(lowered)
    done, context = lowered, ""
    if stated is not None:
        done, context = stated[1], lowered[: stated.start(1)]
    done, others = _split_sentences(done)
    done, reasons = _split_reasons(done)
    done = _WHY.sub("", done).strip() or done
    done = _LACKING.sub("", done).strip(" ,") or done
    done = _INCLUDING.sub("", done).strip() or done
    if done == lowered:
        return None
    return Correction(
        done, "; ".join(_WHY.sub("", piece) or piece for piece in (context, *others, *reasons) if piece)
    )


def tells_condition(text: str) -> bool:
    """Return whether the lowercase text states a fault, such as leaking, worn or stuck."""
    return _CONDITION.search(text) is not None


def _split_sentences(text: str) -> tuple[str, Sequence[str]]:
    """Split the text into sentences about work and others; leave it whole if one about work names no object."""
    pieces = [piece for piece in _SENTENCE.split(text) if piece.strip()]
    done = [piece for piece in pieces if IS_WORK.search(piece)]
    if not done or not all(_names_object(piece) for piece in done):
        return text, ()
    return "; ".join(done), [piece for piece in pieces if piece not in done]


def _split_reasons(text: str) -> tuple[str, Sequence[str]]:
    """Split the text into the work and the reasons for it, as in "R&R both axles, boots torn"."""
    pieces = _PIECE.split(text)
    reasons = [piece for piece in pieces if _CONDITION.search(piece) and not IS_WORK.search(piece)]
    rest = [piece for piece in pieces if piece not in reasons]
    if not reasons or not any(map(IS_WORK.search, rest)) or not all(map(_names_object, rest)):
        return text, ()
    return ", ".join(rest), reasons


def _names_object(piece: str) -> bool:
    return bool(job_words(piece) - BENIGN - HOW)
