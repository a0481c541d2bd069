"""Priors: what another installation learned; each cell counts as a capped number of invoices."""

from collections.abc import Mapping
from typing import Final

from attrs import evolve, field, frozen

from repaircore.kernel.money import round_half_up
from repaircore.pricing.variances import Variances
from repaircore.transactions.evidence import NO_LEVELS, NOTHING, Cell, Evidence, Grain, History, Levels


@frozen(kw_only=True)
class PriorFit:
    """The other installation's fit of a repair, or of all repairs; ``cell`` is already capped by the weight."""

    variances: Variances
    cell: Cell = NOTHING


@frozen(kw_only=True)
class PriorStanding:
    """The imported priors: the number of repairs and cells, each counting as at most ``weight`` invoices."""

    weight: int
    repairs: int
    cells: int


@frozen(kw_only=True)
class Repaired:
    """The evidence of an invoice; ``car`` identifies its car, and is None if its whole VIN is unknown.

    An invoice whose car is unknown counts as a separate car.
    """

    evidence: Evidence
    car: tuple[str, int | None] | None


NO_PRIORS: Final[Mapping[int, PriorFit]] = {}


@frozen(kw_only=True)
class Prior:
    """The imported cells for one repair on one vehicle, with all their invoices.

    Its shared cells are relative to ``center`` (``Variances.center``). A cell counts as at most ``weight`` invoices.
    """

    weight: int
    center: Grain = 0
    price: Levels = NO_LEVELS
    shared: Levels = NO_LEVELS
    hours: Levels = NO_LEVELS
    share: Cell = NOTHING
    parts: Mapping[str, Cell] = field(factory=dict)


def capped(cell: Cell, weight: int) -> Cell:
    """Return a cell with the same mean that counts as at most ``weight`` invoices."""
    if cell.w <= weight:
        return cell if cell.w > 0 else NOTHING
    return Cell(weight, round_half_up(cell.s * weight / cell.w), round_half_up(cell.q * weight / cell.w))


def with_prior(past: History, prior: Prior) -> History:
    """Return a history with a prior that weighs like its own invoices, but is not counted among them."""
    return evolve(
        past,
        hours=past.hours.joined(_capped(prior.hours, prior.weight)),
        share=past.share.joined(capped(prior.share, prior.weight)),
        parts={
            key: past.parts.get(key, NOTHING).joined(capped(prior.parts.get(key, NOTHING), prior.weight))
            for key in {*past.parts, *prior.parts}
        },
        prior=_capped(prior.price, prior.weight),
        prior_index=_index(prior),
    )


def _capped(levels: Levels, weight: int) -> Levels:
    """Return levels in which the invoices that each level adds to the closer ones are capped at ``weight``."""
    apart = levels.apart()
    return Levels(
        problem=capped(apart.problem, weight),
        make=capped(apart.make, weight),
        model=capped(apart.model, weight),
        years=capped(apart.years, weight),
    ).nested()


def _index(prior: Prior) -> Levels:
    """Return the price indexes of the make and the model from other repairs, in the other installation."""
    others = [
        _without_own(shared, own, prior.center)
        for shared, own in (
            (prior.shared.problem, prior.price.problem),
            (prior.shared.make, prior.price.make),
            (prior.shared.model, prior.price.model),
        )
    ]
    everywhere = round_half_up(others[0].s / others[0].w) if others[0].w else 0
    make, model = (capped(cell.recentered(everywhere), prior.weight) for cell in others[1:])
    return Levels(make=make, model=model)


def _without_own(shared: Cell, own: Cell, center: Grain) -> Cell:
    """Return the cell without a repair's own invoices, which may leave nothing because figures in files are rounded."""
    rest = shared.without(own.recentered(center))
    return rest if rest.w > 0 else NOTHING
