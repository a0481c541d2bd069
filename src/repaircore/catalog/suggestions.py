"""Find the models that a misspelled make or model may mean."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from heapq import nlargest
from itertools import accumulate
from typing import Final

from repaircore.kernel.spelling import KNOWN_MAKES, key, make_key, words_key

_MOST: Final = 3
_LEAST_LIKE: Final = 0.7
"""The minimum similarity of two names: "Hundai" is like Hyundai, "Camry" is not like Corolla."""


def similar_models(
    make: str, model: str, *, makes: Iterable[str], models: Callable[[str], Sequence[str]]
) -> Sequence[str]:
    """List up to three models whose make or model is spelled like a given one, most similar first ("Hyundai Sonata").

    ``models`` lists the models of a make. If no model of a similar make is similar, the result is that make. If no make is
    similar, or none of its models, it is the well-known makes that sold a model of exactly this name: a "Honda Camry" is
    a Toyota.
    """
    known = list(makes)
    named = [name for name in known if make_key(name) == make_key(make)]
    meant = named or _most_similar(make_key(make), known)
    found = [f"{name} {similar}" for name in meant for similar in _like(model, models(name))]
    others = [] if found else [*_of_other_makes(model, known, models)]
    return (found or others or ([] if named else meant))[:_MOST]


def _like(model: str, sold: Sequence[str]) -> Sequence[str]:
    """Return the models of this very name, or else those with a similar one."""
    return [name for name in sold if key(name) == key(model)] or _most_similar(key(model), sold)


def _most_similar(wanted: str, names: Iterable[str]) -> Sequence[str]:
    """Return the names that begin with words like the wanted ones, or are like them as a whole, most similar first."""
    # Imported here, because names that are spelled correctly do not need it.
    from rapidfuzz.distance import OSA  # noqa: PLC0415

    def likeness(name: str) -> tuple[float, float]:
        """Return the similarity of the best beginning, and of the whole name."""
        begun = [OSA.normalized_similarity(wanted, part) for part in accumulate(words_key(name))]
        return max(begun, default=0.0), begun[-1] if begun else 0.0

    rated = [(likeness(name), name) for name in names]
    return [
        name for (best, _), name in nlargest(_MOST, rated, key=lambda entry: entry[0]) if best >= _LEAST_LIKE
    ]


def _of_other_makes(
    model: str, makes: Sequence[str], models: Callable[[str], Sequence[str]]
) -> Iterator[str]:
    for make in makes:
        if make_key(make) in KNOWN_MAKES:
            yield from (f"{make} {name}" for name in models(make) if key(name) == key(model))
