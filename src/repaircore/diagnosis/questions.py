"""Which question is asked next: the one whose answer helps the first three repairs most.

What counts is what a driver gets: the right repair among the first three. So a question is worth the probability that it is
expected to bring them, and a little for what it tells of the repair at all, as several answers may be needed.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from heapq import nlargest
from typing import Final, TypeAlias

from repaircore.complaints.topics import NO_START, NOISE, TOPICS, Topic, asked_of
from repaircore.diagnosis.engine import chances
from repaircore.diagnosis.knowledge import LEAK, Doubt, Knowledge, surprise
from repaircore.diagnosis.model import Clues, SymptomQuestion
from repaircore.kernel.traits import Powertrain

OPTIONS: Final = ("yes", "no", "unsure")
"""What a question about a symptom may be answered with; ``unsure`` is no finding."""

SURE: Final = 0.9
"""From this probability of the first repair on nothing more is asked."""

MOST_QUESTIONS: Final = 8
"""So many questions are asked at most."""

WORTH_ASKING: Final = 0.008
"""A question that is worth less than this is not asked."""

_FIRST: Final = 3
_DOUBTED: Final = 0.7
"""The probabilities to this power are gone by: a text may mislead, and what it made unlikely may be asked about."""

_PER_BIT: Final = 0.1
"""What a bit that an answer tells of the repair is worth beside the probability that it brings the first three."""

_LEADING: Final = 40
"""So many repairs are looked at for the first three."""

_WEIGHED: Final = 10
"""So many questions, those that tell most, are weighed by what they bring."""

_POSSIBLE: Final = 0.02
"""The repairs that show a symptom must have this probability together, or it is not asked about."""

_LIKELY: Final = 10
_OFTEN: Final = 0.1
"""One of so many likely repairs must show a symptom so often, or it is not asked about."""

_LIGHT: Final = "check-engine-light"
_LATE: Final = 0.5
"""The check engine light comes on with a third of all repairs: a question after it counts half, and never opens."""

_SCAN: Final = "diagnostic-scan"
_NEVER_ASKED: Final = frozenset({"maintenance-due", "oil-change-due"})
"""What the calendar knows, and no owner notices."""

_OF_ENGINES: Final = ("engine-", "check-engine", "exhaust-", "oil-")
"""Beginnings of symptoms that no electric vehicle has."""

_LIKELY_BY: Final[Mapping[str, tuple[int, frozenset[str]]]] = {
    NOISE: (2, frozenset({"noise-vibration-diagnosis"})),
    NO_START: (1, frozenset({"battery-replacement", "starter-motor"})),
}
"""Topics that a text has without their words: one of these repairs is among its first so many."""

_OF_TOPIC: Final = 2
"""So many questions are about the topic of a complaint, while no symptom is known to be there."""

_MOSTLY: Final = 0.15
_COMPARED: Final = 40

_LEAKED: Final = surprise(LEAK)

_Chances: TypeAlias = Mapping[int, float]


def next_question(
    knowledge: Knowledge, clues: Clues, asked: AbstractSet[str] = frozenset()
) -> SymptomQuestion | None:
    """Return the question that is worth most; None when it is sure enough, or when none is worth asking.

    What was found already is not asked, nor what is in ``asked``, nor what no likely repair shows: a
    bumper when the engine does not start. After ``MOST_QUESTIONS`` nothing more is asked. A complaint of a topic alone is
    first asked about that, whatever it is worth. Of equals the first by its slug is.
    """
    found = _faults_only(knowledge, clues, chances(knowledge, clues))
    if len(asked) >= MOST_QUESTIONS or max(found.values(), default=1.0) >= SURE:
        return None
    known = asked | {finding.symptom for finding in clues.findings} | _lit(clues) | _NEVER_ASKED
    may = {
        slug: doubts
        for slug, doubts in knowledge.doubts.items()
        if slug not in known and not _is_strange(slug, clues)
    }
    topic = _topic(knowledge, clues, found) if len(asked) < _OF_TOPIC else None
    doubted = _doubted(found)
    if topic is None or topic.symptoms.isdisjoint(may):
        topic = None
        likely = _shown_by_likely(knowledge, found)
        possible = {
            slug: doubts for slug, doubts in may.items() if slug in likely and _is_possible(found, doubts)
        }
        slug = _worthiest(doubted, possible, opens=not asked)
    else:
        slug = min(topic.symptoms & may.keys(), key=lambda one: (-_told(doubted, may[one]), one))
    if not slug:
        return None
    text = knowledge.question(slug)
    return SymptomQuestion(
        slug,
        text if asked or topic is None else topic.asks(text),
        OPTIONS,
        _told(doubted, may[slug]),
        _why(knowledge, found, slug),
    )


def _worthiest(found: _Chances, possible: Mapping[str, Sequence[Doubt]], *, opens: bool) -> str:
    """Return the symptom that is most worth asking about, "" when none is, of those that are possible."""
    told = {slug: _told(found, doubts) for slug, doubts in possible.items()}
    telling = nlargest(_WEIGHED, sorted(told), key=lambda slug: told[slug])
    leading = nlargest(_LEADING, found.items(), key=lambda one: (one[1], -one[0]))
    worth = {
        slug: (_LATE if slug == _LIGHT else 1.0) * (_brought(leading, possible[slug]) + _PER_BIT * told[slug])
        for slug in telling
    }
    best = sorted((slug for slug in telling if worth[slug] >= WORTH_ASKING), key=lambda slug: -worth[slug])
    others = [slug for slug in best if slug != _LIGHT]
    return next(iter(others if opens and others else best), "")


def _brought(leading: Iterable[tuple[int, float]], doubts: Iterable[Doubt]) -> float:
    """Return how much probability the first three are expected to gain by an answer."""
    shown = {number: chance for number, chance, _ in doubts}
    there, before = [], []
    for number, chance in leading:
        there.append(chance * shown.get(number, LEAK))
        before.append(chance)
    missing = [chance - with_it for chance, with_it in zip(before, there, strict=True)]
    return sum(nlargest(_FIRST, there)) + sum(nlargest(_FIRST, missing)) - sum(nlargest(_FIRST, before))


def _doubted(found: _Chances) -> _Chances:
    """Return the probabilities as they are gone by, less far apart."""
    flat = {number: chance**_DOUBTED for number, chance in found.items()}
    whole = math.fsum(flat.values())
    return {number: chance / whole for number, chance in flat.items()}


def _topic(knowledge: Knowledge, clues: Clues, found: _Chances) -> Topic | None:
    """Return what is asked about before all else where no symptom was read: the complaint's topic."""
    if clues.codes or any(one.present for one in clues.findings):
        return None
    if clues.topics:
        return asked_of(clues.topics)
    best = sorted(found, key=lambda number: (-found[number], number)) if clues.hints else []
    slugs = [knowledge.problems[number].slug for number in best[:_FIRST]]
    by_repair = (name for name, (many, of) in _LIKELY_BY.items() if not of.isdisjoint(slugs[:many]))
    name = next(by_repair, None)
    return None if name is None else TOPICS[name]


def _faults_only(knowledge: Knowledge, clues: Clues, found: _Chances) -> _Chances:
    """Leave the scan out beside a symptom: that one is needed does not say what it will find, so questions go on."""
    scan = knowledge.numbers.get(_SCAN)
    rest = 1 - found.get(scan, 0.0) if scan is not None else 0.0
    if scan not in found or rest <= 0 or not any(one.present for one in clues.findings):
        return found
    return {number: chance / rest for number, chance in found.items() if number != scan}


def _is_strange(slug: str, clues: Clues) -> bool:
    """Tell whether the vehicle cannot have a symptom."""
    return clues.traits.powertrain is Powertrain.ELECTRIC and slug.startswith(_OF_ENGINES)


def _shown_by_likely(knowledge: Knowledge, found: _Chances) -> AbstractSet[str]:
    """Return the symptoms that one of the likely repairs shows often."""
    likely = nlargest(_LIKELY, found, key=lambda number: (found[number], -number))
    shown = (one for number in likely for one in knowledge.problems[number].symptoms)
    return {one.slug for one in shown if one.share >= _OFTEN}


def _is_possible(found: _Chances, doubts: Iterable[Doubt]) -> bool:
    """Tell whether the repairs that show a symptom are likely enough together that it is worth asking."""
    return math.fsum(found.get(number, 0.0) for number, _, _ in doubts) >= _POSSIBLE


def _why(knowledge: Knowledge, found: _Chances, slug: str) -> str:
    """Say which repairs the answer tells apart."""
    shown = {link.repair for link in knowledge.by_symptom.get(slug, ()) if link.share >= _MOSTLY}
    best = sorted(found, key=lambda number: (-found[number], number))[:_COMPARED]
    with_it = next((number for number in best if number in shown), None)
    without = next((number for number in best if number not in shown), None)
    if with_it is None or without is None:
        return "The answer changes which repairs are likely."
    yes, no = (knowledge.problems[one].name for one in (with_it, without))
    return f"A yes speaks for “{yes}”, a no for “{no}”."


def _lit(clues: Clues) -> frozenset[str]:
    """Give the light that a code of the powertrain switches on: who read the code need not be asked after it."""
    return frozenset({_LIGHT}) if any(code.startswith("P") for code in clues.codes) else frozenset()


def _told(found: _Chances, doubts: Iterable[Doubt]) -> float:
    """Give what the answer tells of the repair, on average: the mutual information of the two, in bits."""
    explained = shown = left = 0.0
    for number, chance_to_show, surprise_in_it in doubts:
        chance = found.get(number, 0.0)
        explained += chance
        shown += chance * chance_to_show
        left += chance * surprise_in_it
    rest = max(0.0, 1 - explained)
    return surprise(min(1.0, shown + rest * LEAK)) - left - rest * _LEAKED
