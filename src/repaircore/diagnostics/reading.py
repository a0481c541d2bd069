"""From free text to clues: symptoms that are told of or denied, trouble codes, repairs that are named.

lexicon.py    how owners tell of symptoms
sentences.py  what somebody wrote, as sentences of words that can be compared
sayings.py    finding what owners say of symptoms in a sentence
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Final

from attrs import frozen

from repaircore.diagnostics.codes import codes_in
from repaircore.diagnostics.danger import NO_DANGER, implied
from repaircore.diagnostics.knowledge import Knowledge
from repaircore.diagnostics.model import Finding, Hint
from repaircore.diagnostics.sayings import Match, all_well, denied, left_out
from repaircore.diagnostics.sentences import Token

__all__ = ["Read", "read"]

_MOST_HINTS: Final = 40
_BITS: Final = 20.0
"""How much it speaks for a repair, in bits, when a long text is nothing but its name; less in proportion to the score."""

_SHORT: Final = 2
"""A text of so many words counts half: its words may have been chosen for want of others. Words that nobody
understood count as wanting, too."""


@frozen(kw_only=True)
class Read:
    """What a text says: symptoms that are there or are not, codes, repairs that it names, and what was not understood.

    ``dangers`` are those of `danger.Danger` that it tells of in words of their own.
    """

    findings: tuple[Finding, ...] = ()
    codes: tuple[str, ...] = ()
    hints: tuple[Hint, ...] = ()
    unread: tuple[str, ...] = ()
    dangers: tuple[str, ...] = ()


def read(text: str, knowledge: Knowledge) -> Read:
    """Read what somebody wrote about their vehicle; any text can be read, and may say nothing."""
    heard = [_heard(sentence, knowledge) for sentence in knowledge.hearing.sentences(text)]
    findings: dict[str, bool] = {}
    for finding in chain.from_iterable(one.findings for one in heard):
        findings[finding.symptom] = findings.get(finding.symptom, False) or finding.present
    dangers = tuple(dict.fromkeys(danger for one in heard for danger in one.dangers))
    for symptom in implied(dangers):
        findings.setdefault(symptom, True)
    for symptom in [slug for slug, present in findings.items() if present]:
        for other in knowledge.lexicon.rules_out.get(symptom, ()):
            findings.setdefault(other, False)
    unread = dict.fromkeys(word for one in heard for word in one.unread)
    return Read(
        findings=tuple(Finding(slug, present) for slug, present in sorted(findings.items())),
        codes=codes_in(text),
        hints=tuple(_hints([token for one in heard for token in one.left], len(unread), knowledge)),
        unread=tuple(unread),
        dangers=dangers,
    )


@frozen
class _Heard:
    """What one sentence tells, the words said of what is there, those that nobody understands, and the dangers."""

    findings: tuple[Finding, ...]
    left: tuple[Token, ...]
    unread: tuple[str, ...]
    dangers: tuple[str, ...]


def _heard(sentence: Sequence[Token], knowledge: Knowledge) -> _Heard:
    matches, threats = knowledge.sayings.told(sentence), knowledge.dangers.told(sentence)
    used = frozenset(place for match in (*matches, *threats) for place in match.places)
    surely = _used((*matches, *threats), sentence)
    well = all_well(sentence, used)
    told = [match for match in matches if any(sentence[place].clause not in well for place in match.places)]
    missing = [match for match in told if denied(match, sentence, surely)]
    out = left_out(sentence, used).union(*(match.places for match in missing))
    return _Heard(
        findings=tuple(Finding(match.symptom, match not in missing) for match in told),
        left=tuple(
            token for place, token in enumerate(sentence) if token.clause not in well and place not in out
        ),
        unread=tuple(
            token.word
            for place, token in enumerate(sentence)
            if token.word and place not in used and not knowledge.says(token.stem)
        ),
        dangers=tuple(_threatening(threats, matches, sentence, well)),
    )


def _used(matches: Iterable[Match], sentence: Sequence[Token]) -> frozenset[int]:
    """Give the places of the words that sayings use; alone in its clause a no belongs to what follows it there."""
    used: set[int] = set()
    for match in matches:
        clauses = Counter(sentence[place].clause for place in match.places)
        alone = len(match.places) == 1
        used.update(one for one in match.places if alone or clauses[sentence[one].clause] > 1)
    return frozenset(used)


def _threatening(
    threats: Sequence[Match], matches: Sequence[Match], sentence: Sequence[Token], well: frozenset[int]
) -> Iterator[str]:
    """Give the dangers that a sentence tells of, and does not deny.

    "No battery damage" would also tell of a dead battery; the no belongs to the danger then.
    """
    for match in threats:
        apart = (one for one in matches if not one.places & match.places)
        used = _used((*threats, *apart), sentence)
        there = any(sentence[place].clause not in well for place in match.places)
        if match.symptom != NO_DANGER and there and not denied(match, sentence, used):
            yield match.symptom


def _hints(tokens: Sequence[Token], unread: int, knowledge: Knowledge) -> Iterator[Hint]:
    """Give the repairs that the words lead to, each with how much they speak for it."""
    words = dict.fromkeys(token.word for token in tokens if token.word.upper() not in knowledge.codes)
    said = len({token.stem for token in tokens if knowledge.hearing.tells(token)})
    for one in knowledge.index.search(" ".join(words), limit=_MOST_HINTS):
        yield Hint(one.problem.slug, round(_BITS * one.score * said / (said + _SHORT + unread), 4))
