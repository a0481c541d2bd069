"""Factors for hours and parts, by a vehicle's segment and its make's tier.

The figures are in ``data/vehicle_factors.toml``; this module looks them up. A model is found by its name under its
make, then by a prefix of its name, then by its body; an unlisted make is mainstream.
"""

from collections.abc import Callable, Mapping, Sequence

from attrs import evolve, field, frozen

from repaircore.kernel.spelling import key, make_key
from repaircore.kernel.traits import Body, Drive
from repaircore.vehicle_facts.amounts import AmountTable
from repaircore.vehicle_facts.book_limits import has_ceramic_brakes, outside_book_reason
from repaircore.vehicle_facts.engine_bays import engine_bay_of
from repaircore.vehicle_facts.job_factors import JobFactorRow, job_factors_for
from repaircore.vehicle_facts.model import NO_AMOUNTS, Factors, Segment, Tier, VehicleSpecs
from repaircore.vehicle_facts.model_patterns import ModelPatterns

_BY_BODY = {
    Body.CAR: Segment.MIDSIZE_CAR,
    Body.SUV: Segment.MIDSIZE_SUV,
    Body.PICKUP: Segment.PICKUP,
    Body.VAN: Segment.VAN,
}
_SEVERAL = 2
_HEAVY = ("2500", "3500", "250", "350", "450", "4500", "550", "5500")
"""Numbers in the model names and trims of heavy pickups."""

_HEAVY_CLASSES = frozenset({"2G", "2H", "3", "4", "5"})
"""GVWR classes above those of half-ton pickups."""


@frozen(kw_only=True)
class SegmentPatterns:
    """The models of one make, by key: exact names, and prefixes, longest first."""

    exact: Mapping[str, Segment]
    beginnings: tuple[tuple[str, Segment], ...]

    @classmethod
    def of(cls, names: Mapping[Segment, tuple[str, ...]]) -> "SegmentPatterns":
        """Build the patterns from the model names of each segment; a name that ends in ``*`` is a prefix."""
        exact = {
            key(name): segment
            for segment, listed in names.items()
            for name in listed
            if not name.endswith("*")
        }
        begun = [
            (key(name), segment) for segment, listed in names.items() for name in listed if name.endswith("*")
        ]
        return cls(exact=exact, beginnings=tuple(sorted(begun, key=lambda entry: (-len(entry[0]), entry[0]))))

    def find(self, model: str) -> Segment | None:
        """Return the segment of a model by its key, or None."""
        found = self.exact.get(model)
        if found is not None:
            return found
        return next((segment for start, segment in self.beginnings if model.startswith(start)), None)


@frozen(kw_only=True)
class FactorTable:
    """The factors of segments and tiers, and the makes and models in each.

    ``tiers``, ``models`` and ``exotic`` (exotic models of makes that are not) are by make key (see
    ``spelling.make_key``). All factors are relative to a mid-size mainstream car.
    """

    by_segment: Mapping[Segment, Factors]
    by_tier: Mapping[Tier, Factors]
    tiers: Mapping[str, Tier]
    models: Mapping[str, SegmentPatterns]
    exotic: Mapping[str, ModelPatterns] = field(factory=dict)
    amounts: AmountTable | None = None
    jobs: Sequence[JobFactorRow] = ()
    axle_of: Callable[[VehicleSpecs], Drive | None] | None = None
    _products: Mapping[tuple[Segment, Tier], Factors] = field(init=False, repr=False)

    @_products.default
    def _multiplied(self) -> Mapping[tuple[Segment, Tier], Factors]:
        return {
            (segment, tier): Factors(
                labor=round(size.labor * trade.labor, 4), parts=round(size.parts * trade.parts, 4)
            )
            for segment, size in self.by_segment.items()
            for tier, trade in self.by_tier.items()
        }

    def factors_for(self, specs: VehicleSpecs) -> Factors:
        """Return the factors of a vehicle: its segment's times those of its make's tier, with what its facts add."""
        found, engines = self._factors(specs), specs.facts.engines
        if len(engines) < _SEVERAL:
            return found
        facts = specs.facts
        return evolve(
            found,
            possible=tuple(
                (engine, self._factors(evolve(specs, facts=evolve(facts, engines=(engine,)))))
                for engine in engines
            ),
        )

    def _factors(self, specs: VehicleSpecs) -> Factors:
        segment, tier = self.segment_of(specs), self.tier_of(specs.make, specs.model)
        return evolve(
            self._products[segment, tier],
            size=self.by_segment[segment].labor,
            bay=engine_bay_of(specs, axle=None if self.axle_of is None else self.axle_of(specs)),
            amounts=NO_AMOUNTS if self.amounts is None else self.amounts.amounts_for(specs, segment),
            year=specs.year,
            common=tier in {Tier.ECONOMY, Tier.MAINSTREAM},
            outside=outside_book_reason(specs, tier),
            ceramic_brakes=has_ceramic_brakes(specs),
            jobs=job_factors_for(self.jobs, specs),
            pump_under_belt=self.amounts is not None and self.amounts.has_pump_under_belt(specs),
        )

    def segment_of(self, specs: VehicleSpecs) -> Segment:
        """Return the segment by model name, else by body, else the segment of a mid-size car."""
        patterns = self.models.get(make_key(specs.make))
        named = patterns.find(key(specs.model)) if patterns else None
        if named is None:
            named = Segment.MIDSIZE_CAR if specs.body is None else _BY_BODY[specs.body]
        return Segment.HEAVY_PICKUP if named is Segment.PICKUP and _is_heavy(specs) else named

    def tier_of(self, make: str, model: str = "") -> Tier:
        """Return the tier of a make, or exotic for an exotic model of it; an unlisted make is mainstream."""
        exotic = self.exotic.get(make_key(make))
        if exotic is not None and exotic.matches(model):
            return Tier.EXOTIC
        return self.tiers.get(make_key(make), Tier.MAINSTREAM)


def _is_heavy(specs: VehicleSpecs) -> bool:
    """Return whether a pickup is heavy, judging by its weight class, model or trim ("Silverado" "2500HD")."""
    named = key(f"{specs.model} {specs.trim or ''}")
    return specs.facts.weight_class in _HEAVY_CLASSES or any(number in named for number in _HEAVY)
