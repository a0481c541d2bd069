"""The next question: the one whose answer improves the first three repairs most.

The goal is to have the right repair among the first three. So the worth of a question is the probability that its
answer is expected to add to them, plus a little for the information about the repair, since several answers may be
needed.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from heapq import nlargest
from typing import Final, TypeAlias

from repaircore.complaints.topics import NO_START, NOISE, NONE_OF_THESE, TOPICS, Topic, common_topic
from repaircore.diagnosis.engine import chances
from repaircore.diagnosis.knowledge import LEAK, Doubt, Knowledge, entropy
from repaircore.diagnosis.model import Clues, Diagnosis, SymptomQuestion
from repaircore.kernel.traits import Powertrain

UNSURE: Final = "unsure"
OPTIONS: Final = ("yes", "no", UNSURE)
"""The possible answers to a question about a symptom; ``unsure`` is not a finding."""

SURE: Final = 0.9
"""The probability of the first repair at which no more questions are asked."""

MOST_QUESTIONS: Final = 8

WORTH_ASKING: Final = 0.008
"""The lowest worth at which a question is asked."""

_FIRST: Final = 3
_DOUBTED: Final = 0.7
"""The exponent that flattens probabilities: words may mislead, so what they made unlikely may still be asked about."""

_PER_BIT: Final = 0.1
"""The worth of a bit of information about the repair, in terms of probability that the first three gain."""

_LEADING: Final = 40
"""How many of the likeliest repairs are considered for the first three."""

_WEIGHED: Final = 10
"""How many of the most informative questions have their worth computed."""

_POSSIBLE: Final = 0.02
"""A symptom is asked about only if the repairs that show it have at least this joint probability."""

_LIKELY: Final = 10
_OFTEN: Final = 0.1
"""A symptom is asked about only if one of the likely repairs shows it this often."""

_LIGHT: Final = "check-engine-light"
_MISFIRE: Final = "engine-misfire"
_OF_MISFIRES: Final = ("P030", "P031")
_LATE: Final = 0.5
"""The factor that reduces the worth of asking about the check engine light, which a third of all repairs turn on.

It is never asked about first, unless nothing else is worth asking."""

_SCAN: Final = "diagnostic-scan"
_NEVER_QUESTIONED: Final = frozenset({"maintenance-due", "oil-change-due", "coolant-loss"})
"""Symptoms that follow from the calendar, and coolant loss without a leak, which an owner must have looked for."""

_OF_ENGINES: Final = ("engine-", "check-engine", "exhaust-", "oil-")
"""Beginnings of the slugs of symptoms that electric vehicles never have."""

_LIKELY_BY: Final[Mapping[str, tuple[int, frozenset[str]]]] = {
    NOISE: (2, frozenset({"noise-vibration-diagnosis"})),
    NO_START: (1, frozenset({"battery-replacement", "starter-motor"})),
}
"""Topics that a complaint has without naming them, if one of these repairs is among the first few."""

_OF_TOPIC: Final = 2
"""How many questions are about the topic of a complaint while no symptom is known to be present."""

_MOSTLY: Final = 0.15
_COMPARED: Final = 40

_LEAK_ENTROPY: Final = entropy(LEAK)

_Chances: TypeAlias = Mapping[int, float]


def _covered(knowledge: Knowledge, clues: Clues) -> Iterator[str]:
    """Yield the symptoms that the present ones imply: air that is warm at idle is warm."""
    for finding in clues.findings:
        if finding.present:
            yield from knowledge.lexicon.covers.get(finding.symptom, ())


def next_question(
    knowledge: Knowledge,
    clues: Clues,
    questioned: AbstractSet[str] = frozenset(),
    *,
    opens: bool = True,
    diagnosis: Diagnosis | None = None,
) -> SymptomQuestion | None:
    """Return the most worthwhile question, or None if the diagnosis is sure enough or no question is worth asking.

    Symptoms that are known, ``questioned``, or shown by no likely repair are skipped: no question about a bumper if the
    engine does not start. At most ``MOST_QUESTIONS`` are asked. If a complaint only names a topic, the first questions
    are about that, whatever their worth; the very first one is open, with choices, unless ``opens`` is false. Ties are
    broken by slug. ``diagnosis`` is the diagnosis of the same clues, if it has already been made.
    """
    found = _faults_only(
        knowledge,
        clues,
        chances(knowledge, clues) if diagnosis is None else _chances_in(knowledge, diagnosis),
    )
    if len(questioned) >= MOST_QUESTIONS or max(found.values(), default=1.0) >= SURE:
        return None
    known = (
        questioned
        | {finding.symptom for finding in clues.findings}
        | {*_covered(knowledge, clues)}
        | {*_implied_by_codes(clues)}
        | _NEVER_QUESTIONED
    )
    may = {
        slug: doubts
        for slug, doubts in knowledge.doubts.items()
        if slug not in known and not _is_impossible(slug, clues)
    }
    topic = _topic(knowledge, clues, found) if len(questioned) < _OF_TOPIC else None
    flattened = _flattened(found)
    if topic is None or topic.symptoms.isdisjoint(may):
        topic = None
        likely = _shown_by_likely(knowledge, found)
        possible = {
            slug: doubts for slug, doubts in may.items() if slug in likely and _is_possible(found, doubts)
        }
        slug = _worthiest(flattened, possible, opens=not questioned)
    else:
        slug = min(topic.symptoms & may.keys(), key=lambda slug: (-_information(flattened, may[slug]), slug))
    if not slug:
        return None
    text, why = knowledge.question(slug), _why(knowledge, found, slug)
    options: tuple[str, ...] = OPTIONS
    if topic is not None and topic.opening and opens and not questioned:
        text, why = topic.opening, "Each answer points to different repairs."
        options = (*topic.options(may), NONE_OF_THESE, UNSURE)
    return SymptomQuestion(
        slug,
        text,
        options,
        _information(flattened, may[slug]),
        why,
    )


def _chances_in(knowledge: Knowledge, diagnosis: Diagnosis) -> _Chances:
    """Return the probability of each repair in a diagnosis, by its number, in the order of the numbers."""
    found = {knowledge.numbers[each.problem.slug]: each.probability for each in diagnosis.candidates}
    return {number: found[number] for number in sorted(found)}


def _worthiest(found: _Chances, possible: Mapping[str, Sequence[Doubt]], *, opens: bool) -> str:
    """Return the possible symptom that is most worth asking about, or "" if none is.

    With ``opens``, the question would be the first one.
    """
    bits = {slug: _information(found, doubts) for slug, doubts in possible.items()}
    informative = nlargest(_WEIGHED, sorted(bits), key=lambda slug: bits[slug])
    leading = nlargest(_LEADING, found.items(), key=lambda item: (item[1], -item[0]))
    worth = {
        slug: (_LATE if slug == _LIGHT else 1.0) * (_gain(leading, possible[slug]) + _PER_BIT * bits[slug])
        for slug in informative
    }
    best = sorted(
        (slug for slug in informative if worth[slug] >= WORTH_ASKING), key=lambda slug: -worth[slug]
    )
    others = [slug for slug in best if slug != _LIGHT]
    return next(iter(others if opens and others else best), "")


def _gain(leading: Iterable[tuple[int, float]], doubts: Iterable[Doubt]) -> float:
    """Return the probability that the first three are expected to gain from an answer."""
    shown = {number: chance for number, chance, _ in doubts}
    present, before = [], []
    for number, chance in leading:
        present.append(chance * shown.get(number, LEAK))
        before.append(chance)
    absent = [chance - with_it for chance, with_it in zip(before, present, strict=True)]
    return sum(nlargest(_FIRST, present)) + sum(nlargest(_FIRST, absent)) - sum(nlargest(_FIRST, before))


def _flattened(found: _Chances) -> _Chances:
    """Return the probabilities, flattened and scaled to add up to 1."""
    flat = {number: chance**_DOUBTED for number, chance in found.items()}
    whole = math.fsum(flat.values())
    return {number: chance / whole for number, chance in flat.items()}


def _topic(knowledge: Knowledge, clues: Clues, found: _Chances) -> Topic | None:
    """Return the topic to ask about first, or None if there is none, or if a symptom or code is known."""
    if clues.codes or any(finding.present for finding in clues.findings):
        return None
    if clues.topics:
        return common_topic(clues.topics)
    best = sorted(found, key=lambda number: (-found[number], number)) if clues.hints else []
    slugs = [knowledge.problems[number].slug for number in best[:_FIRST]]
    by_repair = (name for name, (many, of) in _LIKELY_BY.items() if not of.isdisjoint(slugs[:many]))
    name = next(by_repair, None)
    return None if name is None else TOPICS[name]


def _faults_only(knowledge: Knowledge, clues: Clues, found: _Chances) -> _Chances:
    """Return the probabilities, without the diagnostic scan (which points to no fault) if a symptom is present."""
    scan = knowledge.numbers.get(_SCAN)
    rest = 1 - found.get(scan, 0.0) if scan is not None else 0.0
    if scan not in found or rest <= 0 or not any(finding.present for finding in clues.findings):
        return found
    return {number: chance / rest for number, chance in found.items() if number != scan}


def _is_impossible(slug: str, clues: Clues) -> bool:
    """Return whether the vehicle cannot have a symptom."""
    return clues.traits.powertrain is Powertrain.ELECTRIC and slug.startswith(_OF_ENGINES)


def _shown_by_likely(knowledge: Knowledge, found: _Chances) -> AbstractSet[str]:
    """Return the symptoms that one of the likely repairs shows often."""
    likely = nlargest(_LIKELY, found, key=lambda number: (found[number], -number))
    shown = (symptom for number in likely for symptom in knowledge.problems[number].symptoms)
    return {each.slug for each in shown if each.share >= _OFTEN}


def _is_possible(found: _Chances, doubts: Iterable[Doubt]) -> bool:
    """Return whether the repairs that show a symptom are together likely enough."""
    return math.fsum(found.get(number, 0.0) for number, _, _ in doubts) >= _POSSIBLE


def _why(knowledge: Knowledge, found: _Chances, slug: str) -> str:
    """Return a sentence about the repairs that the answer distinguishes."""
    shown = {link.repair for link in knowledge.by_symptom.get(slug, ()) if link.share >= _MOSTLY}
    best = sorted(found, key=lambda number: (-found[number], number))[:_COMPARED]
    with_it = next((number for number in best if number in shown), None)
    without = next((number for number in best if number not in shown), None)
    if with_it is None or without is None:
        return "The answer changes which repairs are likely."
    yes, no = (knowledge.problems[each].name for each in (with_it, without))
    return f"Yes points to “{yes}”, no to “{no}”."


def _implied_by_codes(clues: Clues) -> Iterator[str]:
    """Yield the symptoms that codes imply: the light that a powertrain code turns on, and misfires."""
    if any(code.startswith("P") for code in clues.codes):
        yield _LIGHT
    if any(code.startswith(_OF_MISFIRES) for code in clues.codes):
        yield _MISFIRE


def _information(found: _Chances, doubts: Iterable[Doubt]) -> float:
    """Return the mutual information between the answer and the repair, in bits."""
    explained = shown = left = 0.0
    for number, chance_to_show, uncertainty in doubts:
        chance = found.get(number, 0.0)
        explained += chance
        shown += chance * chance_to_show
        left += chance * uncertainty
    rest = max(0.0, 1 - explained)
    return entropy(min(1.0, shown + rest * LEAK)) - left - rest * _LEAK_ENTROPY
