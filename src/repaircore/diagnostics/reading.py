"""From free text to clues: symptoms that are told of or denied, trouble codes, repairs that are named.

lexicon.py    how owners tell of symptoms
sentences.py  what somebody wrote, as sentences of words that can be compared
supposing.py  what is only feared, asked, remembered or told of others
sayings.py    finding what owners say of symptoms in a sentence
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Final

from attrs import frozen

from repaircore.diagnostics.codes import codes_in
from repaircore.diagnostics.danger import NO_DANGER, SIGNS, as_written, concerns_in, implied, meant
from repaircore.diagnostics.hints import certainty, hints
from repaircore.diagnostics.knowledge import Knowledge
from repaircore.diagnostics.mentions import NOTHING_MENTIONED, Mentions, mentions
from repaircore.diagnostics.model import Clues, Finding, Hint, with_powertrain
from repaircore.diagnostics.sayings import Match, all_well, denied, left_out
from repaircore.diagnostics.sentences import Token
from repaircore.diagnostics.topics import topics_in
from repaircore.kernel.traits import Traits
from repaircore.problems.words import stem, words

__all__ = ["Read", "read"]

_SHORT: Final = 4
"""A text of so many telling words may be of a topic alone."""

_E: Final = re.compile(r"\b(?:e-(?=tron\b|golf\b)|mach-(?=e\b))", re.IGNORECASE)
"""The first half of an electric car's name: its letter alone would be that of an e-brake."""

_A_C: Final = re.compile(r"\ba\.? c\b(?!-| class)", re.IGNORECASE)
"""The air conditioning, with a space: its letters would be two words that say nothing."""

_OVERLAP: Final = 0.85
"""So much of what a symptom says its words say as well, where they are many; of a short text they say less."""


@frozen(kw_only=True)
class Read:
    """What a text says: symptoms that are there or are not, codes, repairs that it names, and what was not understood.

    ``dangers`` are those of `danger.Danger` that it tells of, in words or by a trouble code; ``mentions`` is what it says of the
    vehicle, ``concerns`` what must not be belittled, ``trust``
    how much the symptoms count beside the words, ``topics`` what it is about while it is short.
    """

    findings: tuple[Finding, ...] = ()
    codes: tuple[str, ...] = ()
    hints: tuple[Hint, ...] = ()
    unread: tuple[str, ...] = ()
    dangers: tuple[str, ...] = ()
    mentions: Mentions = NOTHING_MENTIONED
    concerns: tuple[str, ...] = ()
    trust: float = 1.0
    topics: tuple[str, ...] = ()

    @property
    def stranded(self) -> tuple[str, ...]:
        """Return the symptoms that are there, and what else the text says of a vehicle that cannot be driven."""
        return (*(one.symptom for one in self.findings if one.present), *self.mentions.stranded)

    def clues(self, traits: Traits, mileage: int | None = None, make: str | None = None) -> Clues:
        """Return what a diagnosis goes by; what is known of the vehicle counts more than what the text says of it."""
        return Clues(
            findings=self.findings,
            codes=self.codes,
            hints=self.hints,
            mileage=self.mentions.mileage if mileage is None else mileage,
            traits=with_powertrain(traits, self.mentions.powertrain),
            from_text=frozenset(one.symptom for one in self.findings),
            trust=self.trust,
            make=self.mentions.make if make is None else make,
            topics=self.topics,
        )


def read(text: str, knowledge: Knowledge) -> Read:
    """Read what somebody wrote about their vehicle; any text can be read, and may say nothing."""
    text = _E.sub(lambda name: name[0][:-1], _A_C.sub("AC", text))
    sentences = knowledge.hearing.sentences(text)
    heard = [_heard(sentence, knowledge) for sentence in sentences]
    findings: dict[str, bool] = {}
    for finding in chain.from_iterable(one.findings for one in heard):
        findings[finding.symptom] = findings.get(finding.symptom, False) or finding.present
    told = dict.fromkeys(danger for one in heard for danger in one.dangers)
    dangers = tuple(meant(told, {token.stem for sentence in sentences for token in sentence}))
    for symptom in implied(dangers):
        findings.setdefault(symptom, True)
    for symptom in [slug for slug, present in findings.items() if present]:
        for other in knowledge.lexicon.rules_out.get(symptom, ()):
            findings.setdefault(other, False)
    left = [token for one in heard for token in one.left]
    said = len({token.stem for token in left if knowledge.hearing.tells(token)})
    unread = dict.fromkeys(word for one in heard for word in one.unread)
    codes = codes_in(text)
    return Read(
        findings=tuple(Finding(slug, present) for slug, present in sorted(findings.items())),
        codes=codes,
        hints=hints(
            text, _searched(left, knowledge), said, len(unread), knowledge, denied=_denied(heard, left)
        ),
        trust=1 - _OVERLAP * certainty(said, len(unread)),
        unread=tuple(unread),
        dangers=tuple(dict.fromkeys((*dangers, *_dangers_of(codes, knowledge)))),
        mentions=mentions(text),
        concerns=concerns_in(token.stem for token in left),
        topics=topics_in(text) if said <= _SHORT else (),
    )


def _dangers_of(codes: Iterable[str], knowledge: Knowledge) -> Iterator[str]:
    """Give the dangers that trouble codes are warned of; they imply no symptom, for the codes count by themselves."""
    for code in codes:
        entry = knowledge.codes.get(code)
        if entry is not None and entry.danger is not None:
            yield entry.danger


@frozen
class _Heard:
    """What one sentence tells, the words said of what is there, those that nobody understands, the dangers, and what is denied."""

    findings: tuple[Finding, ...]
    left: tuple[Token, ...]
    unread: tuple[str, ...]
    dangers: tuple[str, ...]
    denied: tuple[Token, ...]


def _heard(sentence: Sequence[Token], knowledge: Knowledge) -> _Heard:
    matches, threats = knowledge.sayings.told(sentence), knowledge.dangers.told(sentence)
    used = frozenset(place for match in (*matches, *threats) for place in match.places)
    surely = _used((*matches, *threats), sentence)
    well = all_well(sentence, used)
    told = [
        match
        for match in matches
        if any(sentence[place].clause not in well for place in match.places)
        and not (match.symptom in SIGNS and any(sentence[place].supposed for place in match.places))
    ]
    missing = [match for match in told if denied(match, sentence, surely)]
    told = [match for match in told if match in missing or not _contradicted(match, missing)]
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
        denied=tuple(sentence[place] for match in missing for place in match.places),
    )


def _contradicted(match: Match, missing: Iterable[Match]) -> bool:
    """Tell whether the same words deny the symptom as well: who loses coolant and sees no leaks tells of none."""
    return any(one.symptom == match.symptom and one.places & match.places for one in missing)


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
        used = _used((*(one for one in threats if one.symptom != NO_DANGER), *apart), sentence)
        there = not any(sentence[place].clause in well for place in match.places)
        supposed = any(sentence[place].supposed for place in match.places)
        written = {place: sentence[place].word for place in match.places}
        if (
            match.symptom != NO_DANGER
            and there
            and not supposed
            and as_written(match.symptom, written)
            and not denied(match, sentence, used)
        ):
            yield match.symptom


def _denied(heard: Iterable[_Heard], left: Iterable[Token]) -> frozenset[str]:
    """Return the words, without endings, that only symptoms are told of with that are not there.

    What else a no stands before is left to the word model, which knows what "no spark" means.
    """
    denied = (token for one in heard for token in one.denied if not token.negates)
    return frozenset(_stems(denied)) - frozenset(_stems(left))


def _stems(tokens: Iterable[Token]) -> Iterator[str]:
    return (stem(word) for token in tokens for word in words(token.word))


def _searched(tokens: Sequence[Token], knowledge: Knowledge) -> str:
    words = dict.fromkeys(token.word for token in tokens if token.word.upper() not in knowledge.codes)
    return " ".join(words)
