"""What the words of a text say for each repair, beside the symptoms that it tells of.

Three witnesses read the same words: the search (names and keywords), the likeness to what the book says, and the word
model, which learned from complaints whose repair is known. Their logarithms are added, each with a factor, as what they
say overlaps. The factors were fitted on the tuned half of ``tests/data/diagnostic_labels.csv``.
"""

import re
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from heapq import nlargest
from typing import Final

from repaircore.diagnostics.knowledge import Knowledge
from repaircore.diagnostics.model import Hint

__all__ = ["certainty", "hints"]

_MOST: Final = 60
"""So many repairs get a hint, the strongest; the others are worth as much as the next one."""

_SEARCHED: Final = 40
_SEARCH_BITS: Final = 24.0
"""How much it speaks for a repair, in bits, when a text is nothing but its name; less in proportion to the score."""

_LIKENESS_BITS: Final = 24.0
_LEARNED: Final = 1.05
_SHORT: Final = 4
"""A text of so many telling words counts half: they may have been chosen for want of others. So do words that nobody
understood."""


def certainty(said: int, unread: int) -> float:
    """Return how much the words of a text count: the less, the fewer telling words it has and the more nobody understood."""
    return said / (said + _SHORT + unread)


def hints(
    text: str,
    left: str,
    said: int,
    unread: int,
    knowledge: Knowledge,
    *,
    denied: AbstractSet[str] = frozenset(),
) -> tuple[Hint, ...]:
    """Return the repairs that the words lead to, each with how much they speak for it, in bits.

    Args:
        text: everything that was written.
        left: the words of it that are not denied, which are searched for.
        said: how many of these tell something.
        unread: how many words nobody understood.
        knowledge: what is known of the repairs.
        denied: words, without endings, of what is said not to be there.
    """
    if not said:
        return ()
    sure = certainty(said, unread)
    bits = [0.0] * len(knowledge.problems)
    for found in knowledge.index.search(_in_other_words(left), limit=_SEARCHED):
        bits[knowledge.numbers[found.problem.slug]] += sure * _SEARCH_BITS * found.score
    for number, likeness in knowledge.book_match.likeness(_in_other_words(left)).items():
        bits[number] += sure * _LIKENESS_BITS * likeness
    for number, learned in _learned(text, denied, knowledge).items():
        bits[number] += sure * _LEARNED * learned
    best = nlargest(_MOST + 1, range(len(bits)), key=lambda number: (bits[number], -number))
    least = bits[best[-1]] if len(best) > _MOST else 0.0
    return tuple(
        Hint(knowledge.problems[number].slug, round(bits[number] - least, 4))
        for number in best[:_MOST]
        if bits[number] > least
    )


_SENSES: Final = (
    (
        re.compile(
            r"(?<!parking )(?<!hand )(?<!emergency )(?<!trailer )\bbrakes"
            r" (?:don'?t|do not|didn'?t|did not|won'?t|aren'?t|stopped|quit|not|do nothing)(?: work(?:ing)?)?(?= *(?:$|[.,;!?]))",
            re.IGNORECASE,
        ),
        "brake failure, no brake pressure",
    ),
    (re.compile(r"\b(?:gas|accelerator|throttle) pedal\b", re.IGNORECASE), "gas"),
    (re.compile(r"\bjump(?:s|ed|ing)? out\b", re.IGNORECASE), "pops out"),
    (re.compile(r"\bjump(?:s|ed|ing)? (?:forward|ahead)\b", re.IGNORECASE), "surges"),
    (re.compile(r"\bwithout (?:any )?warning\b", re.IGNORECASE), "suddenly"),
    (re.compile(r"\b(?:leaf(?! springs?\b)|model [3ysx]|chevy bolt)\b", re.IGNORECASE), "electric vehicle"),
    (re.compile(r"\b(?:dodge charger|(?:chevy|chevrolet) (?:spark|volt)|honda fit)\b", re.IGNORECASE), ""),
    (re.compile(r"\bford (?:escape|focus|fusion|edge|transit)\b", re.IGNORECASE), "ford"),
)
"""Words that the word model knows in another sense: the pedal of the gas is not that of the brakes, nor a Leaf a spring."""


def _in_other_words(text: str) -> str:
    for said, meant in _SENSES:
        text = said.sub(meant, text)
    return text


def _learned(text: str, denied: AbstractSet[str], knowledge: Knowledge) -> Mapping[int, float]:
    """Return what the word model says for each repair; those of no group are as likely as the least likely group."""
    chances = knowledge.word_model.log_chances(_in_other_words(text), denied)
    if chances is None:
        return {}
    least = min(chances)
    return {number: chances[group] - least for number, group in knowledge.group_numbers.items()}
