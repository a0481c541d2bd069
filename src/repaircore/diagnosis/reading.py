"""From free text to clues: symptoms that are mentioned or denied, trouble codes, and repairs that the words point to.

The package ``complaints`` does most of it: it splits text into sentences of comparable words, finds sayings in them, and
knows what is only supposed, good, new, or replaced without success.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import partial
from heapq import nlargest
from itertools import chain
from typing import Final

from attrs import evolve, frozen

from repaircore.complaints.good_parts import good_parts, parts_tested_good
from repaircore.complaints.mentions import NOTHING_MENTIONED, Mentions, mentions
from repaircore.complaints.only_when import without_only_conditions
from repaircore.complaints.plain import plain_symptom
from repaircore.complaints.replaced_parts import (
    cleaned_in_vain,
    replaced_in_vain,
    without_parts_done_already,
    without_replaced_parts,
)
from repaircore.complaints.sayings import Match, all_well, denied, excluded, of_the_driver, used_places
from repaircore.complaints.senses import is_only_twelve_volt, with_full_names, with_plain_senses
from repaircore.complaints.sentences import MARKERS, Token
from repaircore.complaints.spelling import respelled
from repaircore.complaints.topics import topics_in
from repaircore.danger_model.model import present_dangers
from repaircore.diagnosis.danger import (
    NO_DANGER,
    SIGNS,
    concerns_in,
    implied,
    mentioned_dangers,
    without_lookalikes,
    without_milder,
)
from repaircore.diagnosis.knowledge import Knowledge
from repaircore.diagnosis.model import (
    Clues,
    Evidence,
    Finding,
    Hint,
    in_usual_order,
    only_with_symptoms,
    weakened,
    with_powertrain,
)
from repaircore.kernel.traits import Traits
from repaircore.problems.words import stem, words
from repaircore.trouble_codes.model import codes_in

# Hints: how far the words of a complaint point to each repair, besides the symptoms that it mentions.
#
# Three models read the same words: the search (names and keywords), the similarity to the book's text, and the word
# model, which learned from complaints whose repair is known. Their logarithms are added, each with a factor, since they
# overlap. The factors were fitted on the tuned half of ``tests/data/diagnostic_labels.csv``.


_MOST_HINTS: Final = 60
"""How many repairs get a hint; all others count like the next best one."""

_SEARCHED: Final = 40
_SEARCH_BITS: Final = 24.0
"""The evidence for a repair, in bits, if the complaint is just its name; otherwise, the search score reduces it."""

_SIMILARITY_BITS: Final = 24.0
_LEARNED: Final = 1.05
_SHORT: Final = 4
"""The number of informative words at which the words have half of their full weight, if all of them were understood."""


def certainty(said: int, unread: int) -> float:
    """Return how much the words count, from 0 to 1: more with informative words, less with words not understood."""
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
    """Return the repairs that the words point to, each with the evidence for it in bits, strongest first.

    Args:
        text: the whole complaint.
        left: its words that are not denied, which are searched for.
        said: the number of informative words among them.
        unread: the number of words that were not understood.
        knowledge: the knowledge of repairs.
        denied: stems of what is said to be absent.
    """
    if not said:
        return ()
    sure = certainty(said, unread)
    bits = [0.0] * len(knowledge.problems)
    plain = with_plain_senses(left)
    for found in knowledge.index.search(plain, limit=_SEARCHED):
        bits[knowledge.numbers[found.problem.slug]] += sure * _SEARCH_BITS * found.score
    for number, similarity in knowledge.book_match.similarity(plain).items():
        bits[number] += sure * _SIMILARITY_BITS * similarity
    for number, learned in _word_model_bits(without_replaced_parts(text), denied, knowledge).items():
        bits[number] += sure * _LEARNED * learned
    best = nlargest(_MOST_HINTS + 1, range(len(bits)), key=lambda number: (bits[number], -number))
    least = bits[best[-1]] if len(best) > _MOST_HINTS else 0.0
    return tuple(
        Hint(knowledge.problems[number].slug, round(bits[number] - least, 4))
        for number in best[:_MOST_HINTS]
        if bits[number] > least
    )


_HIGH_VOLTAGE: Final = frozenset(
    {
        "ev-battery",
        "hybrid-battery",
        "hybrid-battery-module",
        "plug-in-hybrid-battery",
        "hv-battery-contactor",
        "inverter-coolant-pump",
        "inverter",
        "hv-coolant-service",
        "electric-drive-unit",
    }
)
"""Repairs to what drives an electrified vehicle, or cools it."""

_OTHER_AXLE: Final = {"front": "rear", "rear": "front"}
_AXLE: Final = re.compile(r"\b(?:front|rear)\b", re.IGNORECASE)
_SAME_PART: Final = 3
_NAMED: Final = 0.85
"""The lowest search score at which words name a repair."""


def _repairs_of(part: str, knowledge: Knowledge) -> frozenset[str]:
    """Return the slugs of the repairs to a part, given the words that name it."""
    hits = knowledge.index.search(part, limit=_SAME_PART)
    slugs = frozenset(found.problem.slug for found in hits if found.score >= _NAMED)
    return slugs if _AXLE.search(part) else slugs | (_of_other_axle(slugs) & knowledge.numbers.keys())


def _of_other_axle(slugs: AbstractSet[str]) -> frozenset[str]:
    return frozenset(_AXLE.sub(lambda axle: _OTHER_AXLE[axle[0].casefold()], slug) for slug in slugs)


def _without_good_parts(text: str, knowledge: Knowledge) -> tuple[str, frozenset[str], frozenset[str]]:
    """Return a complaint without the parts that are good or new, and the slugs of the repairs to those parts.

    The second set has the slugs of those that were tested, or cleaned.

    The complaint is returned unchanged if a symptom is about such a part: "front brakes are new and squeal".
    """
    repairs_of = partial(_repairs_of, knowledge=knowledge)
    left, good = good_parts(text, repairs_of)
    cleaned = _cleaned_in_vain(text, knowledge)
    good |= _in_vain(text, knowledge) | cleaned
    left = without_parts_done_already(left)
    if is_only_twelve_volt(text):
        good |= _HIGH_VOLTAGE & knowledge.numbers.keys()
    is_whole = left == text or _symptoms(text, knowledge) <= _symptoms(left, knowledge)
    return left if is_whole else text, good, parts_tested_good(text, repairs_of) | cleaned


def _in_vain(text: str, knowledge: Knowledge) -> frozenset[str]:
    """Return the slugs of the repairs to parts that were replaced without success."""
    return frozenset[str]().union(*(_repairs_of(part, knowledge) for part in replaced_in_vain(text)))


def _cleaned_in_vain(text: str, knowledge: Knowledge) -> frozenset[str]:
    """Return the slugs of the cleanings that were done without success; the part itself may still be bad."""
    found = (_repairs_of(f"{part} cleaning", knowledge) for part in cleaned_in_vain(text))
    return frozenset(slug for slugs in found for slug in slugs if "clean" in slug)


def _symptoms(text: str, knowledge: Knowledge) -> frozenset[str]:
    """Return the symptoms that ``text`` says are present."""
    sentences = knowledge.sentence_reader.sentences(text)
    found = chain.from_iterable(_read_sentence(sentence, knowledge).findings for sentence in sentences)
    return frozenset(finding.symptom for finding in found if finding.present)


def _sole_conditions(text: str, knowledge: Knowledge) -> frozenset[str]:
    """Return the symptom that an "only when" condition implies ("shakes only when I brake"), if it is exactly one."""
    rest = without_only_conditions(text)
    only = frozenset() if rest == text else _symptoms(text, knowledge) - _symptoms(rest, knowledge)
    return only if len(only) == 1 else frozenset()


def _repairs_with(symptoms: AbstractSet[str], knowledge: Knowledge) -> frozenset[str]:
    """Return the slugs of the repairs that show at least one of the symptoms."""
    links = (link for symptom in symptoms for link in knowledge.by_symptom.get(symptom, ()))
    return frozenset(knowledge.problems[link.repair].slug for link in links)


def _word_model_bits(text: str, denied: AbstractSet[str], knowledge: Knowledge) -> Mapping[int, float]:
    """Return the evidence from the word model, in bits, by repair number; repairs without a group are omitted."""
    chances = knowledge.word_model.log_chances(with_plain_senses(text), denied)
    if chances is None:
        return {}
    least = min(chances)
    return {number: chances[group] - least for number, group in knowledge.group_numbers.items()}


_OVERLAP: Final = 0.85
"""The share of a symptom's information that the words of a long complaint carry as well; less in a short one."""


@frozen(kw_only=True)
class ReadComplaint:
    """The content of a complaint: symptoms, codes, repair hints, and the words that were not understood.

    ``dangers`` has the values of ``danger.Danger`` that it mentions, in words or by a trouble code. ``mentions`` has
    facts about the vehicle. ``concerns`` prevent an unrelated repair from being called safe to drive with. ``trust`` is
    the weight of its symptoms relative to those from answers. ``topics`` has a short complaint's topics.
    ``has_usual_causes`` is whether the complaint is only a symptom whose usual causes are known.
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
    has_usual_causes: bool = False

    @property
    def stranded(self) -> tuple[str, ...]:
        """Return the present symptoms, and other signs that the vehicle cannot be driven."""
        present = (finding.symptom for finding in self.findings if finding.present)
        return (*present, *self.mentions.stranded)

    def clues(self, traits: Traits, mileage: int | None = None) -> Clues:
        """Return the input to a diagnosis; ``traits`` and ``mileage`` take precedence over what the complaint says."""
        return Clues(
            findings=self.findings,
            codes=self.codes,
            hints=self.hints,
            mileage=self.mentions.mileage if mileage is None else mileage,
            traits=with_powertrain(traits, self.mentions.powertrain),
            from_text=frozenset(finding.symptom for finding in self.findings),
            trust=self.trust,
            make=self.mentions.make,
            topics=self.topics,
            year=self.mentions.year,
            model=self.mentions.model,
        )


def read(text: str, knowledge: Knowledge) -> ReadComplaint:
    """Return the content of what an owner wrote about a vehicle; any text can be read, even if it says nothing."""
    text = respelled(knowledge.lexicon.spanish.in_english(text), knowledge.lexicon.spellings)
    text = with_full_names(text)
    about = mentions(text)
    if not about.is_fault:
        return ReadComplaint(mentions=about)
    scores = knowledge.danger_model.scores(text)
    text, good, tested = _without_good_parts(text, knowledge)
    sentences = knowledge.sentence_reader.sentences(text)
    parts = [_read_sentence(sentence, knowledge) for sentence in sentences]
    findings: dict[str, bool] = {}
    for finding in chain.from_iterable(part.findings for part in parts):
        findings[finding.symptom] = findings.get(finding.symptom, False) or finding.present
    phrases = _phrases(parts, sentences)
    scores = without_milder(
        scores, phrases.asserted, (token.stem for token in chain.from_iterable(sentences))
    )
    plain = plain_symptom(
        findings, _informative(chain.from_iterable(part.beyond for part in parts), knowledge)
    )
    dangers = present_dangers(
        phrases.asserted, phrases.dismissed, scores, length=len(sentences), lookalike=phrases.lookalike
    )
    for symptom in implied(dangers):
        findings.setdefault(symptom, True)
    for symptom in [slug for slug, present in findings.items() if present]:
        for other in knowledge.lexicon.rules_out.get(symptom, ()):
            findings.setdefault(other, False)
    left = [token for part in parts for token in part.left]
    said = len(_informative(left, knowledge))
    unread = dict.fromkeys(word for part in parts for word in part.unread)
    codes = codes_in(text)
    hinted = hints(
        text, _query(left, knowledge), said, len(unread), knowledge, denied=_denied_stems(parts, left)
    )
    usual = knowledge.lexicon.usual.get(plain or "", ()) if not codes else ()
    hinted = in_usual_order(hinted, [slug for slug in usual if slug not in good]) if usual else hinted
    if only := _sole_conditions(text, knowledge) & {slug for slug, there in findings.items() if there}:
        hinted = only_with_symptoms(hinted, _repairs_with(only, knowledge))
    return ReadComplaint(
        findings=tuple(Finding(slug, present) for slug, present in sorted(findings.items())),
        codes=codes,
        hints=_without_good(hinted, good, tested | _first_checks(findings, knowledge)),
        trust=1 - _OVERLAP * certainty(said, len(unread)),
        unread=tuple(unread),
        dangers=tuple(dict.fromkeys((*dangers, *_dangers_of(codes, knowledge)))),
        mentions=about,
        concerns=concerns_in(token.stem for token in left),
        topics=topics_in(text) if said <= _SHORT else (),
        has_usual_causes=bool(usual),
    )


def _first_checks(findings: Mapping[str, bool], knowledge: Knowledge) -> frozenset[str]:
    """Return the slugs of the repairs that a mechanic checks first because of what was found."""
    return frozenset(
        chain.from_iterable(knowledge.lexicon.check_first.get(symptom, ()) for symptom in findings)
    )


def _without_good(hinted: tuple[Hint, ...], good: frozenset[str], surely: frozenset[str]) -> tuple[Hint, ...]:
    """Return the hints, reduced for the repairs to good parts; twice for those that are ``surely`` good.

    These are parts that were tested, and what would otherwise be checked first.
    """
    return weakened(weakened(hinted, good), good & surely) if good else hinted


@frozen
class DangerPhrases:
    """The dangers that phrases assert, those that phrases dismiss, and whether a phrase only sounds like a danger."""

    asserted: tuple[str, ...]
    dismissed: frozenset[str]
    lookalike: bool = False


def danger_phrases(text: str, knowledge: Knowledge) -> DangerPhrases:
    """Return the dangers that phrases in ``text`` assert, and those that they dismiss."""
    sentences = knowledge.sentence_reader.sentences(text)
    return _phrases([_read_sentence(sentence, knowledge) for sentence in sentences], sentences)


def _phrases(parts: Sequence["_ReadSentence"], sentences: Iterable[Sequence[Token]]) -> DangerPhrases:
    stems = {token.stem for sentence in sentences for token in sentence}
    asserted = without_lookalikes(dict.fromkeys(chain.from_iterable(part.dangers for part in parts)), stems)
    dismissed = frozenset(chain.from_iterable(part.dismissed for part in parts))
    return DangerPhrases(tuple(asserted), dismissed - {NO_DANGER}, NO_DANGER in dismissed)


def with_complaint(
    evidence: Evidence, complaint: ReadComplaint, findings: Sequence[Finding], *, answered: Iterable[str] = ()
) -> Evidence:
    """Add a complaint to the evidence; ``findings`` also has those from answers and photos (``answered``)."""
    return (
        evolve(evidence, trust=min(evidence.trust, complaint.trust))
        .with_findings(findings, complaint.codes, complaint.hints, complaint.dangers)
        .with_mentions(complaint.mentions, concerns=complaint.concerns, topics=complaint.topics)
        .with_answered(answered)
    )


def _dangers_of(codes: Iterable[str], knowledge: Knowledge) -> Iterator[str]:
    """Yield the dangers that trouble codes indicate; they imply no symptom, since the codes count by themselves."""
    for code in codes:
        entry = knowledge.codes.get(code)
        if entry is not None and entry.danger is not None:
            yield entry.danger


@frozen
class _ReadSentence:
    """The content of a sentence.

    ``left`` has the words to search for, ``beyond`` those that no saying uses, ``unread`` the unknown ones, and
    ``denied`` those of denied symptoms. ``dismissed`` has the dangers whose phrases the sentence contains without
    meaning them, including ``danger.NO_DANGER`` for what only sounds like a danger.
    """

    findings: tuple[Finding, ...]
    left: tuple[Token, ...]
    beyond: tuple[Token, ...]
    unread: tuple[str, ...]
    dangers: tuple[str, ...]
    dismissed: frozenset[str]
    denied: tuple[Token, ...]


def _read_sentence(sentence: Sequence[Token], knowledge: Knowledge) -> _ReadSentence:
    matches, threats = knowledge.sayings.find(sentence), knowledge.dangers.find(sentence)
    used = frozenset(place for match in (*matches, *threats) for place in match.places)
    surely = used_places((*matches, *threats), sentence)
    well = all_well(sentence, used) | of_the_driver(sentence, used)
    found = [
        match
        for match in matches
        if any(sentence[place].clause not in well for place in match.places)
        and not (match.symptom in SIGNS and any(sentence[place].supposed for place in match.places))
    ]
    missing = [match for match in found if denied(match, sentence, surely)]
    found = [match for match in found if match in missing or not _is_contradicted(match, missing)]
    whole = [match for match in found if match not in missing and match.symptom in knowledge.lexicon.whole]
    out = excluded(sentence, used).union(*(match.places for match in (*missing, *whole)))
    dangers = tuple(mentioned_dangers(threats, matches, sentence, well))
    return _ReadSentence(
        findings=tuple(Finding(match.symptom, match not in missing) for match in found),
        left=tuple(
            token for place, token in enumerate(sentence) if token.clause not in well and place not in out
        ),
        beyond=tuple(token for place, token in enumerate(sentence) if place not in used),
        unread=tuple(
            token.word
            for place, token in enumerate(sentence)
            if token.word
            and token.word not in MARKERS
            and not token.word[0].isdigit()
            and place not in used
            and not knowledge.is_book_word(token.stem)
        ),
        dangers=dangers,
        dismissed=frozenset(match.symptom for match in threats) - set(dangers),
        denied=tuple(sentence[place] for match in missing for place in match.places),
    )


def _is_contradicted(match: Match, missing: Iterable[Match]) -> bool:
    """Return whether the same words also deny the symptom: "loses coolant, no leaks" does not mention a leak."""
    return any(each.symptom == match.symptom and each.places & match.places for each in missing)


def _informative(tokens: Iterable[Token], knowledge: Knowledge) -> frozenset[str]:
    return frozenset(token.stem for token in tokens if knowledge.sentence_reader.is_informative(token))


def _denied_stems(parts: Iterable[_ReadSentence], left: Iterable[Token]) -> frozenset[str]:
    """Return the stems that occur only in denied symptoms.

    Other words after a "no" are left to the word model, which knows what "no spark" means.
    """
    denied = (token for part in parts for token in part.denied if not token.negates)
    return frozenset(_stems(denied)) - frozenset(_stems(left))


def _stems(tokens: Iterable[Token]) -> Iterator[str]:
    return (stem(word) for token in tokens for word in words(token.word))


def _query(tokens: Sequence[Token], knowledge: Knowledge) -> str:
    words = dict.fromkeys(token.word for token in tokens if token.word.upper() not in knowledge.codes)
    return " ".join(words)
