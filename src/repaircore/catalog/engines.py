"""The engines of a model in a year, from the engine table and imported entries."""

from collections.abc import Iterable, Sequence

from attrs import frozen

from repaircore.catalog.model import CatalogEntry, Engine, ModelEngines
from repaircore.kernel.spelling import key, words_key


@frozen
class EngineSold:
    """An engine and the trims it was sold in; if there are none, the source ties it to no particular trim."""

    engine: Engine
    trims: tuple[str, ...]


def engines_in_table(models: Iterable[ModelEngines], year: int) -> list[EngineSold]:
    """Return the engines that the table lists for the given models in a year."""
    return [
        EngineSold(engine=offer.engine, trims=offer.trims)
        for model in models
        for offer in model.offers
        if offer.first <= year <= offer.last
    ]


def engines_in_entries(entries: Iterable[CatalogEntry]) -> list[EngineSold]:
    """Return the engines of imported entries."""
    return [EngineSold(engine=entry.engine, trims=(entry.trim,) if entry.trim else ()) for entry in entries]


def select_engines(
    table: Sequence[EngineSold], imported: Sequence[EngineSold], trim: str | None
) -> list[Engine]:
    """Return the distinct engines of a trim, smallest first.

    An unknown trim has the engines that are not tied to a trim; if there are none, or ``trim`` is None, all engines are
    returned. An imported engine has no horsepower: the same engine in the table replaces it.
    """
    with_power: dict[tuple[int, int, str], list[Engine]] = {}
    for sold in table:
        with_power.setdefault(sold.engine.kind, []).append(sold.engine)
    chosen = _of_trim([*table, *imported], trim)
    found = {
        engine
        for sold in chosen
        for engine in (with_power.get(sold.engine.kind, ()) if sold.engine.hp is None else ())
        or (sold.engine,)
    }
    return sorted(found, key=lambda engine: (*engine.kind, engine.hp or 0))


def _of_trim(sold: Sequence[EngineSold], trim: str | None) -> Sequence[EngineSold]:
    if not trim or not key(trim):
        return sold
    for fits in (_is_same_trim, _is_part_of_trim):
        named = [engine_sold for engine_sold in sold if any(fits(known, trim) for known in engine_sold.trims)]
        if named:
            return named
    return [engine_sold for engine_sold in sold if not engine_sold.trims] or sold


def _is_same_trim(known: str, trim: str) -> bool:
    return key(known) == key(trim)


def _is_part_of_trim(known: str, trim: str) -> bool:
    return set(words_key(known)) <= set(words_key(trim))
