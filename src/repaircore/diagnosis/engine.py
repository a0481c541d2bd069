"""The engine: naive Bayes over the repairs of the book.

Exactly one repair is assumed to be needed. ``knowledge.py`` has the prior probabilities; every clue then multiplies the
odds of a repair by how much likelier the clue is with that repair than with one that has nothing to do with it.
docs/explanation/diagnosis.md explains it, with figures.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import chain
from typing import Final

from attrs import evolve

from repaircore.book.model import Problem, Wear
from repaircore.diagnosis.knowledge import Knowledge
from repaircore.diagnosis.model import Candidate, Clues, Diagnosis, Hint, Reason
from repaircore.trouble_codes.model import TroubleCode

_FIRST: Final = 3
_STAND_OUT: Final = 0.55
"""The lowest joint probability of the first three repairs that makes them more than a first guess."""

_STRONG_REASON: Final = 4.0
"""The bits that a reason must add to one of the first three repairs: being the most common repair is not enough."""

_EXPLAINED: Final = 1.0
"""The bits that a repair gains for explaining a symptom in the text."""

_WHOLE: Final = 3.0
"""The bits that a repair gains instead if hardly anyone mentions the symptom for any other reason."""

_OVERLOOKED: Final = 0.8
"""The weight of an answer that a symptom is absent: the owner may have overlooked it, or looked too early."""

_LEFT_PER_ANSWER: Final = 0.9
"""The factor by which each answer reduces the weight of the words, because it partly repeats what they said."""

_MOST_ANSWERS: Final = 5

_NEW: Final = 1 / 8
_WORN: Final = 2.0
"""Bounds on how much likelier than average a wear part is to fail at its age."""

SIMILAR_WORDS: Final = "Owners who needed this used similar words."

_CLEARED: Final = -5.0
"""The evidence, in bits, against repairing a part that must work for a symptom to occur: if the engine cranks, the
battery is good."""

_UNCONFIRMED: Final = -2.5
"""The evidence, in bits, against replacing a sensor whose warning must be believed until a shop has measured."""

_CHECKED_FIRST: Final = 6.0
"""The evidence, in bits, for what a mechanic checks first, whatever the words say: the check costs little, and later
repairs may not."""

_CLOSE_BEHIND: Final = 1.5
"""How many bits, at most, a code's first check may be behind the costly repair that comes after it."""

_BESIDE_A_CODE: Final = 0.6
"""The factor by which a code with known causes reduces the weight of the words: both mostly describe the same fault."""

_OF_ITS_KIND: Final = 2.0
"""The evidence, in bits, for a repair that only diesels or electrified vehicles need, if the vehicle is one: such
vehicles are rare among the complaints that the word model learned from."""

_UNSAID: Final = -4.0
"""The evidence, in bits, against a repair that only diesels or electrified vehicles need, if nothing suggests that the
vehicle is one."""


def diagnose(knowledge: Knowledge, clues: Clues) -> Diagnosis:
    """Rank the repairs that fit the vehicle by how well they explain the clues.

    Repairs that are equally likely are sorted by id. The probabilities add up to 1.
    """
    reasons = _reasons(knowledge, clues)
    found = _chances(knowledge, clues, reasons)
    best = sorted(found, key=lambda number: (-found[number], number))
    return Diagnosis(
        candidates=tuple(
            Candidate(
                knowledge.problems[number],
                found[number],
                _weightiest(reasons.get(number, ())),
                _stated(knowledge, clues, found[number]),
            )
            for number in best
        ),
        enough=_stand_out(best[:_FIRST], found, reasons),
        entropy=-math.fsum(chance * math.log2(chance) for chance in found.values() if chance > 0),
    )


def _stated(knowledge: Knowledge, clues: Clues, chance: float) -> float | None:
    """Return the calibrated confidence if words point to the repair, or None: codes need no calibration."""
    return knowledge.word_model.stated_for(chance) if clues.hints and not clues.codes else None


def chances(knowledge: Knowledge, clues: Clues) -> dict[int, float]:
    """Return the probability of each repair that fits the vehicle, by its number."""
    return _chances(knowledge, clues, _reasons(knowledge, clues))


def _chances(knowledge: Knowledge, clues: Clues, reasons: Mapping[int, Sequence[Reason]]) -> dict[int, float]:
    impossible = _impossible(knowledge, clues)
    bits = {number: prior for number, prior in enumerate(knowledge.priors) if number not in impossible}
    for number in reasons.keys() & bits.keys():
        bits[number] = math.fsum((bits[number], *(reason.weight for reason in reasons[number])))
    most = max(bits.values(), default=0.0)
    odds = {number: 2.0 ** (value - most) for number, value in bits.items()}
    whole = math.fsum(odds.values())
    return {number: value / whole for number, value in odds.items()}


def _impossible(knowledge: Knowledge, clues: Clues) -> AbstractSet[int]:
    """Return the numbers of the repairs that do not fit the vehicle."""
    unfit = {
        number for number in knowledge.particular if not knowledge.problems[number].fits.allows(clues.traits)
    }
    return unfit | {knowledge.numbers[slug] for slug in clues.excluded if slug in knowledge.numbers}


def _stand_out(
    first: Sequence[int], found: Mapping[int, float], reasons: Mapping[int, Sequence[Reason]]
) -> bool:
    """Return whether the first repairs are together likely enough, and one of them has a strong reason."""
    together = math.fsum(found[number] for number in first)
    return together >= _STAND_OUT and any(
        reason.weight >= _STRONG_REASON for number in first for reason in reasons.get(number, ())
    )


def _weightiest(reasons: Iterable[Reason]) -> tuple[Reason, ...]:
    return tuple(
        sorted(reasons, key=lambda reason: (not reason.is_caution, -abs(reason.weight), reason.text))
    )


def _reasons(knowledge: Knowledge, clues: Clues) -> dict[int, list[Reason]]:
    """Return the reasons for and against each repair, by its number; every clue counts once."""
    reasons: dict[int, list[Reason]] = {}
    for number, reason in chain(
        _of_findings(knowledge, clues),
        _of_cleared(knowledge, clues),
        _of_order(knowledge, clues),
        _of_cautions(knowledge, clues),
        _of_codes(knowledge, clues),
        _of_hints(knowledge, clues),
        _of_mileage(knowledge, clues),
        _of_powertrain(knowledge, clues),
    ):
        reasons.setdefault(number, []).append(reason)
    for number, reason in [*_before_costly(knowledge, clues, reasons)]:
        reasons.setdefault(number, []).append(reason)
    return reasons


def _of_findings(knowledge: Knowledge, clues: Clues) -> Iterator[tuple[int, Reason]]:
    for finding in set(clues.findings):
        name = knowledge.symptom_name(finding.symptom)
        read = finding.symptom in clues.from_text
        trust, bonus = (clues.trust, _EXPLAINED) if read else (1.0, 0.0)
        if read and finding.symptom in knowledge.lexicon.whole:
            trust, bonus = 1.0, _WHOLE
        absent = clues.trust if read else _OVERLOOKED
        for link in knowledge.by_symptom.get(finding.symptom, ()):
            if finding.present:
                text = f"{name}: {link.share:.0%} of the vehicles that need this show it."
                yield link.repair, Reason(text, trust * link.there + bonus)
            else:
                text = f"Absent, though {link.share:.0%} of the vehicles that need this show it: {name}."
                yield link.repair, Reason(text, absent * link.missing)


def _of_cleared(knowledge: Knowledge, clues: Clues) -> Iterator[tuple[int, Reason]]:
    present = {finding.symptom for finding in clues.findings if finding.present}
    lexicon = knowledge.lexicon
    for symptom in present:
        if not present.isdisjoint(lexicon.rules_out.get(symptom, ())):
            continue  # contradictory symptoms clear nothing
        for repair in lexicon.clears.get(symptom, ()):
            number = knowledge.numbers.get(repair)
            if number is not None:
                yield (
                    number,
                    Reason(f"This part works, as shown by: {knowledge.symptom_name(symptom)}.", _CLEARED),
                )


def _of_order(knowledge: Knowledge, clues: Clues) -> Iterator[tuple[int, Reason]]:
    lexicon = knowledge.lexicon
    for symptom in {finding.symptom for finding in clues.findings if finding.present}:
        name = knowledge.symptom_name(symptom)
        for repair in lexicon.confirm_first.get(symptom, ()):
            text = f"Only after a shop has tested and ruled this out: {name}."
            yield from _reason_for(repair, Reason(text, _UNCONFIRMED), knowledge)
        for repair in lexicon.check_first.get(symptom, ()):
            text = f"Checked first because it costs little: {name}."
            yield from _reason_for(repair, Reason(text, _CHECKED_FIRST), knowledge)


def _of_cautions(knowledge: Knowledge, clues: Clues) -> Iterator[tuple[int, Reason]]:
    for entry in _entries(knowledge, clues):
        for repair in entry.costly if entry.caution is not None else ():
            yield from _reason_for(repair, Reason(entry.caution or "", 0.0, is_caution=True), knowledge)


def _before_costly(
    knowledge: Knowledge, clues: Clues, reasons: Mapping[int, Sequence[Reason]]
) -> Iterator[tuple[int, Reason]]:
    """Yield reasons that bring the first check of a code close to its costly repair, if a symptom is known as well."""
    if not any(finding.present for finding in clues.findings):
        return

    def bits(number: int) -> float:
        return math.fsum((knowledge.priors[number], *(reason.weight for reason in reasons.get(number, ()))))

    numbers = knowledge.numbers
    for entry in _entries(knowledge, clues):
        costly = max((bits(numbers[slug]) for slug in entry.costly if slug in numbers), default=-math.inf)
        text = f"Checked first because it costs little: code {entry.code} ({entry.title})."
        for slug in entry.check_first if math.isfinite(costly) else ():
            if slug in numbers and (missing := costly - _CLOSE_BEHIND - bits(numbers[slug])) > 0:
                yield numbers[slug], Reason(text, missing)


def _reason_for(repair: str, reason: Reason, knowledge: Knowledge) -> Iterator[tuple[int, Reason]]:
    number = knowledge.numbers.get(repair)
    if number is not None:
        yield number, reason


def _entries(knowledge: Knowledge, clues: Clues) -> Iterator[TroubleCode]:
    return chain.from_iterable(_meanings(knowledge, code, clues.make) for code in set(clues.codes))


def _meanings(knowledge: Knowledge, code: str, make: str | None) -> Sequence[TroubleCode]:
    """Return the meanings of a code; if the make is unknown, include the meanings that makers give it.

    A code that is not in the standard then counts only if a single group of makers uses it.
    """
    entry = knowledge.code_table.find(code, make)
    makers = () if make is not None else knowledge.code_table.by_maker(code)
    if entry is None:
        return makers if len(makers) == 1 else ()
    return (entry, *(maker for maker in makers if maker.causes != entry.causes))


def _of_codes(knowledge: Knowledge, clues: Clues) -> Iterator[tuple[int, Reason]]:
    for entry in _entries(knowledge, clues):
        for link in knowledge.links(entry):
            title = (
                f"{entry.title}, as some makers use it" if entry.makes and clues.make is None else entry.title
            )
            text = f"Code {entry.code} ({title}): {link.share:.0%} of the vehicles that store it need this."
            yield link.repair, Reason(text, link.there)


def _of_hints(knowledge: Knowledge, clues: Clues) -> Iterator[tuple[int, Reason]]:
    answered = len({finding.symptom for finding in clues.findings} - clues.from_text)
    left: float = _LEFT_PER_ANSWER ** min(answered, _MOST_ANSWERS)
    for hint in _next_to_codes(knowledge, clues):
        number = knowledge.numbers.get(hint.repair)
        if number is not None:
            yield number, Reason(SIMILAR_WORDS, left * hint.bits)


def _next_to_codes(knowledge: Knowledge, clues: Clues) -> Iterator[Hint]:
    """Yield the hints, weakened if there is a code with known causes.

    Words give a costly repair no more bits than they give another cause of its code.
    """
    entries = [entry for entry in _entries(knowledge, clues) if entry.causes]
    costly = {repair for entry in entries for repair in entry.costly}
    others = {cause.repair for entry in entries for cause in entry.causes} - costly
    most = max((0.0, *(hint.bits for hint in clues.hints if hint.repair in others)))
    for hint in set(clues.hints):
        bits = min(hint.bits, most) if hint.repair in costly else hint.bits
        yield evolve(hint, bits=bits * (_BESIDE_A_CODE if entries and bits > 0 else 1.0))


def _of_mileage(knowledge: Knowledge, clues: Clues) -> Iterator[tuple[int, Reason]]:
    if clues.mileage is None:
        return
    for number, problem in enumerate(knowledge.problems):
        bits = mileage_bits(problem, clues.mileage)
        if bits:
            text = f"At {clues.mileage:,} miles this is needed {'more' if bits > 0 else 'less'} often than average."
            yield number, Reason(text, bits)


def mileage_bits(problem: Problem, mileage: int) -> float:
    """Return how much likelier than average a mileage makes a repair, in bits; negative if less likely.

    Wear parts fail ever more often toward the end of their interval (a Weibull distribution of shape 3). Beyond it,
    replaced parts mix with old ones, and the rate returns to the average. Other repairs do not depend on the mileage.
    """
    if problem.recurrence.kind is not Wear.WEAR:
        return 0.0
    age = mileage / problem.recurrence.miles
    return math.log2(max(_NEW, min(_WORN, 3 * age**2)) if age < 1 else 1 + (_WORN - 1) / age)


def _of_powertrain(knowledge: Knowledge, clues: Clues) -> Iterator[tuple[int, Reason]]:
    if clues.traits.powertrain is not None:
        for number in knowledge.special if clues.hints else ():
            yield number, Reason("Only vehicles with this kind of powertrain need this.", _OF_ITS_KIND)
        return
    if _is_special(knowledge, clues):
        return
    for number in knowledge.special:
        yield (
            number,
            Reason("Nothing suggests that the vehicle has the kind of powertrain that needs this.", _UNSAID),
        )


def _is_special(knowledge: Knowledge, clues: Clues) -> bool:
    """Return whether a symptom or a code is present that only diesels or electrified vehicles have."""
    links = (
        *(knowledge.by_symptom.get(finding.symptom, ()) for finding in clues.findings if finding.present),
        *map(knowledge.links, _entries(knowledge, clues)),
    )
    return any(found and all(link.repair in knowledge.special for link in found) for found in links)
