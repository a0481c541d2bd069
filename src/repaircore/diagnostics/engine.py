"""Naive Bayes over the book's symptoms."""

import math
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Final

from repaircore.diagnostics.knowledge import Knowledge
from repaircore.diagnostics.model import Candidate, Clues, Diagnosis, Finding, Reason, SymptomQuestion

__all__ = ["OPTIONS", "SURE", "diagnose", "next_question"]

OPTIONS: Final = ("yes", "no", "unsure")
"""What a question about a symptom may be answered with; ``unsure`` is no finding."""

SURE: Final = 0.85
"""From this probability of the first repair on nothing more is asked."""

_TELLING: Final = 0.05
"""A question that tells less than this, in bits, is not worth asking."""

_LEAK: Final = 0.01
"""How often a symptom is there although the repair that is needed does not explain it."""


def diagnose(knowledge: Knowledge, clues: Clues) -> Diagnosis:
    """Rank the repairs that fit the vehicle by how well they explain the clues."""
    chances = _chances(knowledge, clues)
    best = sorted(chances.items(), key=lambda one: (-one[1], one[0]))
    candidates = tuple(
        Candidate(knowledge.problems[number], chance, _reasons(knowledge, clues, number))
        for number, chance in best
    )
    entropy = _entropy(chances.values())
    return Diagnosis(candidates, bool(clues) and bool(best) and best[0][1] >= 1 / 8, entropy)


def next_question(
    knowledge: Knowledge, clues: Clues, asked: AbstractSet[str] = frozenset()
) -> SymptomQuestion | None:
    """Give the question that tells most; None when it is sure enough, or when no question tells anything.

    What was found already is not asked, nor what is in ``asked``.
    """
    chances = _chances(knowledge, clues)
    if max(chances.values(), default=1.0) >= SURE:
        return None
    known = asked | {finding.symptom for finding in clues.findings}
    gains = ((_gain(chances, shares), slug) for slug, shares in knowledge.shares.items() if slug not in known)
    bits, slug = max(gains, key=lambda one: (one[0], one[1]), default=(0.0, ""))
    if bits < _TELLING:
        return None
    return SymptomQuestion(slug, f"Do you notice this: {knowledge.symptoms.get(slug, slug)}?", OPTIONS, bits)


def _chances(knowledge: Knowledge, clues: Clues) -> dict[int, float]:
    bits = {
        number: knowledge.rates[number]
        for number, problem in enumerate(knowledge.problems)
        if problem.fits.allows(clues.traits)
    }
    for finding in sorted(set(clues.findings), key=lambda one: (one.symptom, one.present)):
        for number, share in knowledge.shares.get(finding.symptom, {}).items():
            if number in bits:
                bits[number] += _factor(share, present=finding.present)
    for code in sorted(set(clues.codes) & knowledge.codes.keys()):
        for cause in knowledge.codes[code].causes:
            number = knowledge.number_of.get(cause.repair, -1)
            if number in bits:
                bits[number] += _factor(cause.likelihood, present=True)
    most = max(bits.values(), default=0.0)
    odds = {number: 2.0 ** (one - most) for number, one in bits.items()}
    whole = math.fsum(odds.values())
    return {number: one / whole for number, one in odds.items()}


def _shown(share: float) -> float:
    return 1 - (1 - share) * (1 - _LEAK)


def _factor(share: float, *, present: bool) -> float:
    return math.log2(_shown(share) / _LEAK if present else (1 - _shown(share)) / (1 - _LEAK))


def _gain(chances: Mapping[int, float], shares: Mapping[int, float]) -> float:
    """Give what the answer tells of the repair: the mutual information of the two."""
    explained = [(chances[number], _shown(share)) for number, share in shares.items() if number in chances]
    rest = 1 - math.fsum(chance for chance, _ in explained)
    shown = rest * _LEAK + math.fsum(chance * share for chance, share in explained)
    left = rest * _coin(_LEAK) + math.fsum(chance * _coin(share) for chance, share in explained)
    return _coin(shown) - left


def _coin(chance: float) -> float:
    return _entropy((chance, 1 - chance))


def _entropy(chances: Iterable[float]) -> float:
    return -math.fsum(chance * math.log2(chance) for chance in chances if chance > 0)


def _reasons(knowledge: Knowledge, clues: Clues, number: int) -> tuple[Reason, ...]:
    found: Sequence[tuple[Finding, float]] = [
        (finding, _factor(share, present=finding.present))
        for finding in dict.fromkeys(clues.findings)
        if (share := knowledge.shares.get(finding.symptom, {}).get(number)) is not None
    ]
    reasons = (
        Reason(f"{knowledge.symptoms[one.symptom]}: {'yes' if one.present else 'no'}.", weight)
        for one, weight in found
    )
    return tuple(sorted(reasons, key=lambda one: (-abs(one.weight), one.text)))
