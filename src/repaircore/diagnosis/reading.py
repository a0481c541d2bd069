"""From free text to clues: symptoms that are told of or denied, trouble codes, repairs that are named.

lexicon.py    how owners tell of symptoms
sentences.py  what somebody wrote, as sentences of words that can be compared
supposing.py  what is only feared, asked, remembered or told of others
sayings.py    finding what owners say of symptoms in a sentence
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from heapq import nlargest
from itertools import chain
from typing import Final

from attrs import frozen

from repaircore.complaints.mentions import NOTHING_MENTIONED, Mentions, mentions
from repaircore.complaints.sayings import Match, all_well, denied, left_out
from repaircore.complaints.sentences import Token
from repaircore.complaints.topics import topics_in
from repaircore.diagnosis.danger import NO_DANGER, SIGNS, as_written, concerns_in, implied, meant
from repaircore.diagnosis.knowledge import Knowledge
from repaircore.diagnosis.model import Clues, Finding, Hint, with_powertrain
from repaircore.kernel.traits import Traits
from repaircore.problems.words import stem, words
from repaircore.trouble_codes.model import codes_in

# What the words of a text say for each repair, beside the symptoms that it tells of.
#
# Three witnesses read the same words: the search (names and keywords), the likeness to what the book says, and the word
# model, which learned from complaints whose repair is known. Their logarithms are added, each with a factor, as what they
# say overlaps. The factors were fitted on the tuned half of ``tests/data/diagnostic_labels.csv``.


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
    for said, sense in _SENSES:
        text = said.sub(sense, text)
    return text


def _learned(text: str, denied: AbstractSet[str], knowledge: Knowledge) -> Mapping[int, float]:
    """Return what the word model says for each repair; those of no group are as likely as the least likely group."""
    chances = knowledge.word_model.log_chances(_in_other_words(text), denied)
    if chances is None:
        return {}
    least = min(chances)
    return {number: chances[group] - least for number, group in knowledge.group_numbers.items()}


"""A text of so many telling words may be of a topic alone."""

_E: Final = re.compile(r"\b(?:e-(?=tron\b|golf\b)|mach-(?=e\b))", re.IGNORECASE)
"""The first half of an electric car's name: its letter alone would be that of an e-brake."""

_A_C: Final = re.compile(r"\ba\.? c\b(?!-| class)", re.IGNORECASE)
"""The air conditioning, with a space: its letters would be two words that say nothing."""

_OVERLAP: Final = 0.85
"""So much of what a symptom says its words say as well, where they are many; of a short text they say less."""


@frozen(kw_only=True)
class ReadComplaint:
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


def read(text: str, knowledge: Knowledge) -> ReadComplaint:
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
    return ReadComplaint(
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
class _ReadSentence:
    """What one sentence tells, the words said of what is there, those that nobody understands, the dangers, and what is denied."""

    findings: tuple[Finding, ...]
    left: tuple[Token, ...]
    unread: tuple[str, ...]
    dangers: tuple[str, ...]
    denied: tuple[Token, ...]


def _heard(sentence: Sequence[Token], knowledge: Knowledge) -> _ReadSentence:
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
    return _ReadSentence(
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


def _denied(heard: Iterable[_ReadSentence], left: Iterable[Token]) -> frozenset[str]:
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
