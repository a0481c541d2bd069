"""Naive Bayes: which repair explains what is known, and which question would tell most.

One repair is taken to be needed. How likely each was before anything was known is in ``priors.py``; every clue
then multiplies its odds by how much likelier the clue is with that repair than with one that has
nothing to do with it. docs/explanation/diagnosis.md tells it all, with figures.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import chain
from typing import Final

from repaircore.diagnostics.knowledge import LEAK, Doubt, Knowledge, surprise
from repaircore.diagnostics.model import Candidate, Clues, Diagnosis, Reason, SymptomQuestion
from repaircore.diagnostics.priors import mileage_bits

__all__ = ["OPTIONS", "SURE", "TELLING", "chances", "diagnose", "next_question"]

OPTIONS: Final = ("yes", "no", "unsure")
"""What a question about a symptom may be answered with; ``unsure`` is no finding."""

SURE: Final = 0.85
"""From this probability of the first repair on nothing more is asked."""

TELLING: Final = 0.05
"""A question that tells less than this, in bits, is not worth asking."""

_FIRST: Final = 3
_STAND_OUT: Final = 0.3
"""The first three must have this probability together, or there is not enough information."""

_SPEAKS: Final = 4.0
"""One reason at least must speak this much, in bits, for one of them: what happens most often is no diagnosis."""

_LIGHT: Final = "check-engine-light"

_LEAKED: Final = surprise(LEAK)


def diagnose(knowledge: Knowledge, clues: Clues) -> Diagnosis:
    """Rank the repairs that fit the vehicle by how well they explain the clues.

    Of equals the one with the lower id comes first. The probabilities add up to 1.
    """
    reasons = _reasons(knowledge, clues)
    found = _chances(knowledge, clues, reasons)
    best = sorted(found, key=lambda number: (-found[number], number))
    return Diagnosis(
        candidates=tuple(
            Candidate(knowledge.problems[number], found[number], _weightiest(reasons.get(number, ())))
            for number in best
        ),
        enough=_stand_out(best[:_FIRST], found, reasons),
        entropy=-math.fsum(chance * math.log2(chance) for chance in found.values() if chance > 0),
    )


def next_question(
    knowledge: Knowledge, clues: Clues, asked: AbstractSet[str] = frozenset()
) -> SymptomQuestion | None:
    """Give the question that tells most; None when it is sure enough, or when no question tells anything.

    What was found already is not asked, nor what is in ``asked``. Of equals the first by its slug is asked.
    """
    found = chances(knowledge, clues)
    if max(found.values(), default=1.0) >= SURE:
        return None
    known = asked | {finding.symptom for finding in clues.findings} | _lit(clues)
    told = ((_told(found, doubts), slug) for slug, doubts in knowledge.doubts.items() if slug not in known)
    bits, slug = max(sorted(told, key=lambda one: one[1]), key=lambda one: one[0], default=(0.0, ""))
    if bits < TELLING:
        return None
    return SymptomQuestion(slug, knowledge.question(slug), OPTIONS, bits)


def _lit(clues: Clues) -> frozenset[str]:
    """Give the light that a code of the powertrain switches on: who read the code need not be asked after it."""
    return frozenset({_LIGHT}) if any(code.startswith("P") for code in clues.codes) else frozenset()


def chances(knowledge: Knowledge, clues: Clues) -> dict[int, float]:
    """Give the probability of each repair that fits the vehicle, by its number."""
    return _chances(knowledge, clues, _reasons(knowledge, clues))


def _chances(knowledge: Knowledge, clues: Clues, reasons: Mapping[int, Sequence[Reason]]) -> dict[int, float]:
    bits = {
        number: math.fsum((prior, *(reason.weight for reason in reasons.get(number, ()))))
        for number, prior in enumerate(knowledge.priors)
        if knowledge.problems[number].fits.allows(clues.traits)
    }
    most = max(bits.values(), default=0.0)
    odds = {number: 2.0 ** (one - most) for number, one in bits.items()}
    whole = math.fsum(odds.values())
    return {number: one / whole for number, one in odds.items()}


def _told(found: Mapping[int, float], doubts: Iterable[Doubt]) -> float:
    """Give what the answer tells of the repair, on average: the mutual information of the two, in bits."""
    explained = shown = left = 0.0
    for number, chance_to_show, surprise_in_it in doubts:
        chance = found.get(number, 0.0)
        explained += chance
        shown += chance * chance_to_show
        left += chance * surprise_in_it
    rest = max(0.0, 1 - explained)
    return surprise(min(1.0, shown + rest * LEAK)) - left - rest * _LEAKED


def _stand_out(
    first: Sequence[int], found: Mapping[int, float], reasons: Mapping[int, Sequence[Reason]]
) -> bool:
    """Tell whether the first repairs are likely enough together, and something speaks for one of them."""
    together = math.fsum(found[number] for number in first)
    return together >= _STAND_OUT and any(
        reason.weight >= _SPEAKS for number in first for reason in reasons.get(number, ())
    )


def _weightiest(reasons: Iterable[Reason]) -> tuple[Reason, ...]:
    return tuple(sorted(reasons, key=lambda one: (-abs(one.weight), one.text)))


def _reasons(knowledge: Knowledge, clues: Clues) -> dict[int, list[Reason]]:
    """Map repairs, by number, to what speaks for or against each; every clue counts once."""
    reasons: dict[int, list[Reason]] = {}
    for number, reason in chain(
        _of_findings(knowledge, clues),
        _of_codes(knowledge, clues),
        _of_hints(knowledge, clues),
        _of_mileage(knowledge, clues),
    ):
        reasons.setdefault(number, []).append(reason)
    return reasons


def _of_findings(knowledge: Knowledge, clues: Clues) -> Iterator[tuple[int, Reason]]:
    for finding in set(clues.findings):
        called = knowledge.called(finding.symptom)
        for link in knowledge.by_symptom.get(finding.symptom, ()):
            if finding.present:
                text = f"{called}: {link.share:.0%} of the vehicles that need this show it."
                yield link.repair, Reason(text, link.there)
            else:
                text = f"Not there, though {link.share:.0%} of the vehicles that need this show it: {called}."
                yield link.repair, Reason(text, link.missing)


def _of_codes(knowledge: Knowledge, clues: Clues) -> Iterator[tuple[int, Reason]]:
    for code in set(clues.codes) & knowledge.codes.keys():
        title = knowledge.codes[code].title
        for link in knowledge.by_code[code]:
            text = f"Code {code} ({title}): {link.share:.0%} of the vehicles that store it need this."
            yield link.repair, Reason(text, link.there)


def _of_hints(knowledge: Knowledge, clues: Clues) -> Iterator[tuple[int, Reason]]:
    for hint in set(clues.hints):
        number = knowledge.numbers.get(hint.repair)
        if number is not None:
            yield number, Reason("The words used are those of this repair.", hint.bits)


def _of_mileage(knowledge: Knowledge, clues: Clues) -> Iterator[tuple[int, Reason]]:
    if clues.mileage is None:
        return
    for number, problem in enumerate(knowledge.problems):
        bits = mileage_bits(problem, clues.mileage)
        if bits:
            text = f"At {clues.mileage:,} miles this is needed {'more' if bits > 0 else 'less'} often than on average."
            yield number, Reason(text, bits)
