"""The sizes of pickups and vans (1500, 2500, 3500), which are in their series, and the weight classes that follow."""

import re
from typing import Final

from attrs import evolve

from repaircore.adapters.lookups.vin_catalog import ModelSold, Variant, variants_in
from repaircore.kernel.spelling import key
from repaircore.vehicle_facts.completion import EDITORIAL
from repaircore.vehicle_facts.model import VehicleSpecs
from repaircore.vehicles.matching import STATED

SIZE: Final = re.compile(r"\b([1-3]500) ?(hd)?\b", re.IGNORECASE)
"""Matches the size of a pickup or van in its name or series; the first group is its number."""
_TONS: Final = {"1/2 ton": "1500", "3/4 ton": "2500", "1 ton": "3500"}
_WEIGHTS: Final = {"2500": "2H", "3500": "3"}
"""Weight classes of heavy pickups and vans by the number in their name.

Source: editorial, by the makers' weight ratings.
"""
_LIGHTEST: Final = "1500"
_ANY_SIZE: Final = frozenset({"ram", "sierra", "silverado"})
"""Pickups whose name covers all sizes: a weight class that is only declared for the heavy ones does not apply to all."""
_ABOVE_HALF_TON: Final = frozenset({"2H", "3"})


def _size_of(variant: Variant) -> str | None:
    """Return the size in the series of a pickup or van ("2500 HD", "DH (2500)", "3/4 ton"), or None."""
    series = (variant.series or "").casefold()
    number = SIZE.search(series)
    if number is not None:
        return number[1]
    return next((size for tons, size in _TONS.items() if tons in series), None)


def has_size(sold: ModelSold, year: int, size: str) -> bool:
    """Return whether a model was sold in a size, such as "2500", in a year."""
    return any(_size_of(variant) == size for variant in variants_in(sold, year))


def sized(specs: VehicleSpecs, size: str | None) -> VehicleSpecs:
    """Return a vehicle with the trim and weight class of a stated size; makers often declare only the heaviest."""
    weight_class = None if size is None else _WEIGHTS.get(size[:4])
    if size is None or weight_class is None:
        return _without_heavier_class(specs, size)
    facts = evolve(
        specs.facts, weight_class=weight_class, sources={**specs.facts.sources, "weight_class": EDITORIAL}
    )
    trim = specs.trim or ""
    named = trim if size[:4] in trim else f"{size} {trim}".strip()
    return evolve(specs, trim=named, facts=facts, source=STATED)


def _without_heavier_class(specs: VehicleSpecs, size: str | None) -> VehicleSpecs:
    """Return a half-ton pickup or van without the weight class of its heavier namesakes, which makers declare more often."""
    model = key(specs.model)
    is_light = size == _LIGHTEST or (size is None and (model in _ANY_SIZE or model.endswith(_LIGHTEST)))
    if not is_light or specs.facts.weight_class not in _ABOVE_HALF_TON:
        return specs
    return evolve(specs, facts=evolve(specs.facts, weight_class=None))
