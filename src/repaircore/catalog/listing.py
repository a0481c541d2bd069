"""The models that a make sold in a year, from the list of makes, the VIN data and the engine table."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from repaircore.catalog.model import EARLIEST, Make, ModelEngines, Span
from repaircore.catalog.model_names import unique_names
from repaircore.kernel.spelling import key, model_name

_STAR: Final = "*"


def covers(spans: Iterable[Span], year: int | None, *, newest: int) -> bool:
    """Return whether model years include ``year`` or, if that is None, any year that the catalog covers."""
    if year is None:
        return any(last is None or last >= EARLIEST for _, last in spans)
    if not EARLIEST <= year <= newest:
        return False
    return any(first <= year and (last is None or year <= last) for first, last in spans)


def listed_models(
    make: Make,
    known: Mapping[str, Sequence[Span]],
    table: Sequence[ModelEngines],
    year: int | None,
    *,
    newest: int,
) -> list[str]:
    """Return the models of a make sold in a year, or in any year, in alphabetical order.

    vPIC often has no last year for a model that has ended, or counts years in which only another market sold it. So if
    the table lists engines of the model, no year after the table's last one counts.
    """
    if not covers(make.years, year, newest=newest):
        return []
    ends = {key(model.name): (model.name, max(offer.last for offer in model.offers)) for model in table}
    named = [model.name for model in table if covers(_spans(model), year, newest=newest)]
    for name, spans in known.items():
        for listed in _listed_as(make, name):
            spelled, end = ends.get(key(listed), (listed, None))
            if covers([(first, _earlier(last, end)) for first, last in spans], year, newest=newest):
                named.append(spelled)
    return unique_names(named)


def _earlier(first: int | None, other: int | None) -> int | None:
    return min((end for end in (first, other) if end is not None), default=None)


def _spans(model: ModelEngines) -> Sequence[Span]:
    return [(offer.first, offer.last) for offer in model.offers]


def _listed_as(make: Make, name: str) -> Iterator[str]:
    """Yield the listed names of a model in vPIC; "Caravan/Grand Caravan" yields two."""
    renamed = _renamed(make, name)
    if renamed is not None:
        yield from renamed
        return
    for part in name.split("/"):
        again = _renamed(make, part)
        yield from (model_name(part),) if again is None else again


def _renamed(make: Make, name: str) -> tuple[str, ...] | None:
    plain = key(name)
    exact = make.names.get(plain)
    if exact is not None:
        return exact
    stars = (
        listed
        for pattern, listed in make.names.items()
        if pattern.endswith(_STAR) and plain.startswith(pattern[:-1])
    )
    return next(stars, None)
