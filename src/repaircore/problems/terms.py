"""An inverted index: the repairs that contain a word, with its weight for each."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from attrs import frozen

from repaircore.book.model import Problem, Symptom
from repaircore.problems.language import Language

# The weight of a word by where it occurs, at most 1. These are our judgment; the hit rate
# hardly depends on them (docs/explanation/search.md).
_NAME, _KEYWORD, _CATEGORY, _PART, _DESCRIPTION = 1.0, 0.75, 0.3, 0.25, 0.15
_SYMPTOM_LEAST: Final = 0.3
_SYMPTOM_SHARE: Final = 0.4


def symptom_weight(symptom: Symptom) -> float:
    """Return the weight of a symptom, which grows with the share of vehicles in need of the repair that show it."""
    return _SYMPTOM_LEAST + _SYMPTOM_SHARE * symptom.share


@frozen
class Terms:
    """Stems with the repairs that contain them.

    Args:
        places: maps a stem to the repairs, by their number in the sequence, with its weight for each,
            above 0 and up to 1.
        worth: maps a stem to its rarity: rare stems distinguish repairs.
    """

    places: Mapping[str, Mapping[int, float]]
    worth: Mapping[str, float]

    @classmethod
    def of(
        cls, problems: Sequence[Problem], language: Language, symptoms: Mapping[str, frozenset[str]]
    ) -> "Terms":
        """Index repairs; ``symptoms`` maps the slug of a symptom to the stems of its name."""
        places: dict[str, dict[int, float]] = {}
        for number, problem in enumerate(problems):
            for stem, weight in _weights(_fields(problem, language, symptoms)).items():
                places.setdefault(stem, {})[number] = weight
        return cls(places, {stem: _rarity(weights, len(problems)) for stem, weights in places.items()})

    def knows(self, stems: Iterable[str]) -> bool:
        """Return whether all of the stems occur."""
        return all(stem in self.places for stem in stems)


def _fields(
    problem: Problem, language: Language, symptoms: Mapping[str, frozenset[str]]
) -> Iterator[tuple[float, frozenset[str]]]:
    yield _NAME, language.stems(f"{problem.name} {problem.slug}")
    yield _KEYWORD, language.stems(" ".join(problem.keywords))
    yield _CATEGORY, language.stems(f"{problem.parent.name} {problem.parent.slug}")
    yield _PART, language.stems(" ".join(part.name for part in problem.parts))
    yield _DESCRIPTION, language.stems(problem.description)
    for symptom in problem.symptoms:
        yield symptom_weight(symptom), symptoms.get(symptom.slug, frozenset())


def _weights(fields: Iterable[tuple[float, frozenset[str]]]) -> dict[str, float]:
    """Combine the weights of each stem like independent probabilities, so that the result never exceeds 1."""
    silent: dict[str, float] = {}
    for weight, stems in fields:
        for stem in stems:
            silent[stem] = silent.get(stem, 1.0) * (1.0 - weight)
    return {stem: 1.0 - left for stem, left in silent.items()}


def _rarity(weights: Mapping[int, float], problems: int) -> float:
    return math.log1p(problems / (0.5 + math.fsum(weights.values())))
