"""What an hour of labor costs in a region: its shops' own rates, leaning on the state's and the table's."""

from collections.abc import Iterable, Mapping
from enum import StrEnum

from attrs import evolve, frozen

from repaircore.facilities.region import NEAR
from repaircore.kernel.money import Cents, half_up

__all__ = ["NO_SHOPS", "LaborRates", "RateBasis", "RegionRate", "ShopRates", "StateRate", "region_rate"]

TABLE_COUNTS_AS = 8
"""The state's rate counts as this many shops when a region's is made (docs/explanation/estimation.md, section 2)."""


class RateBasis(StrEnum):
    """Where a rate comes from, the nearest source that had a say."""

    REGION = "region"
    STATE_SHOPS = "state_shops"
    STATE_TABLE = "state_table"
    NATIONAL = "national"


@frozen
class ShopRates:
    """How many shops tell their rate, and the mean of it in cents per hour."""

    count: int = 0
    mean: float = 0.0

    @classmethod
    def of(cls, rates: Iterable[Cents]) -> "ShopRates":
        """Take the mean of the given rates."""
        given = tuple(rates)
        return cls(len(given), sum(given) / len(given)) if given else cls()


NO_SHOPS = ShopRates()


@frozen(kw_only=True)
class StateRate:
    """The table's rate of one state; ``own`` is false when it is only that of the wider region."""

    rate: Cents
    own: bool


@frozen(kw_only=True)
class LaborRates:
    """A table of labor rates: national, and by two-letter state; ``year`` is the year they were asked in."""

    national: Cents
    states: Mapping[str, StateRate]
    source: str
    year: int

    def aged(self, growth: float) -> "LaborRates":
        """Multiply all rates by the growth of prices since the table's year."""
        return evolve(
            self,
            national=half_up(self.national * growth),
            states={s: evolve(r, rate=half_up(r.rate * growth)) for s, r in self.states.items()},
        )


@frozen(kw_only=True)
class RegionRate:
    """A region's rate in cents per hour, where it comes from, and the same in a sentence."""

    rate: Cents
    basis: RateBasis
    shops: int
    text: str


def region_rate(state: str, table: LaborRates, *, here: ShopRates, in_state: ShopRates) -> RegionRate:
    """Give the labor rate of a region in a state.

    ``here`` are the shops of the region (or the mean of what its invoices say, with their number),
    ``in_state`` those of the whole state. ``R = (n·mean + 8·R_state)/(n + 8)``, and R_state likewise
    from the state's shops and the table; a state that the table does not know has the national rate.
    """
    known = table.states.get(state)
    of_table = known.rate if known else table.national
    of_state = _leaning(in_state, of_table)
    rate = half_up(_leaning(here, of_state))
    if here.count:
        basis, shops = RateBasis.REGION, here.count
    elif in_state.count:
        basis, shops = RateBasis.STATE_SHOPS, in_state.count
    else:
        basis, shops = (RateBasis.STATE_TABLE if known else RateBasis.NATIONAL), 0
    return RegionRate(rate=rate, basis=basis, shops=shops, text=_sentence(basis, shops, state, rate, table))


def _leaning(shops: ShopRates, on: float) -> float:
    return (shops.count * shops.mean + TABLE_COUNTS_AS * on) / (shops.count + TABLE_COUNTS_AS)


def _sentence(basis: RateBasis, shops: int, state: str, rate: Cents, table: LaborRates) -> str:
    shown = f"${rate / 100:,.2f} an hour"
    asked = f"{shops} shop{'s' if shops != 1 else ''}"
    match basis:
        case RateBasis.REGION:
            return f"{shown}: {asked} within {NEAR:.0f} miles, and the rate of {state} counted as {TABLE_COUNTS_AS} more."
        case RateBasis.STATE_SHOPS:
            return f"{shown}: {asked} in {state}, and the table's rate counted as {TABLE_COUNTS_AS} more."
        case RateBasis.STATE_TABLE:
            own = table.states[state].own
            whose = f"the rate of {state}" if own else f"the average of the states around {state}"
            return f"{shown}: {whose} in the table of {table.year}; no shop here tells its own."
        case RateBasis.NATIONAL:
            return f"{shown}: the national rate of {table.year}; nothing is known of {state}."
