"""From free text to clues: symptoms that are told of or denied, trouble codes, repairs that are named.

lexicon.py    how owners tell of symptoms
sentences.py  what somebody wrote, as sentences of words that can be compared
sayings.py    finding what owners say of symptoms in a sentence
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from attrs import frozen

from repaircore.diagnostics.codes import codes_in
from repaircore.diagnostics.knowledge import Knowledge
from repaircore.diagnostics.model import Finding, Hint
from repaircore.diagnostics.sayings import Match, all_well, denied
from repaircore.diagnostics.sentences import Token

__all__ = ["Read", "read"]

_MOST_HINTS: Final = 40
_BITS: Final = 16.0
"""How much it speaks for a repair when its very name is used, in bits; less in proportion to the score."""


@frozen(kw_only=True)
class Read:
    """What a text says: symptoms that are there or are not, codes, repairs that it names, and what was not understood."""

    findings: tuple[Finding, ...] = ()
    codes: tuple[str, ...] = ()
    hints: tuple[Hint, ...] = ()
    unread: tuple[str, ...] = ()


def read(text: str, knowledge: Knowledge) -> Read:
    """Read what somebody wrote about their vehicle; any text can be read, and may say nothing."""
    findings: dict[str, bool] = {}
    left: list[Token] = []
    unread: list[str] = []
    for sentence in knowledge.hearing.sentences(text):
        matches = knowledge.sayings.told(sentence)
        used = frozenset(place for match in matches for place in match.places)
        well = all_well(sentence, used)
        for match in matches:
            if any(sentence[place].clause not in well for place in match.places):
                present = not denied(match, sentence, used)
                findings[match.symptom] = findings.get(match.symptom, False) or present
        left += [token for token in sentence if token.clause not in well]
        unread += [
            token.word
            for place, token in enumerate(sentence)
            if place not in used and not knowledge.says(token.stem)
        ]
    return Read(
        findings=tuple(Finding(slug, present) for slug, present in sorted(findings.items())),
        codes=codes_in(text),
        hints=tuple(_hints(left, knowledge)),
        unread=tuple(dict.fromkeys(unread)),
    )


def _hints(tokens: Iterable[Token], knowledge: Knowledge) -> Iterator[Hint]:
    words = dict.fromkeys(token.word for token in tokens if token.word.upper() not in knowledge.codes)
    for one in knowledge.index.search(" ".join(words), limit=_MOST_HINTS):
        yield Hint(one.problem.slug, round(_BITS * one.score, 4))
