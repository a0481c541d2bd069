"""One run: every method learns from the same invoices of a world, and estimates the same ones after them."""

import time
from collections.abc import Callable, Iterator
from datetime import date

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from bench.quality.baselines import Method, backed_off, conformal, neighbors, per_problem
from bench.quality.product import Figures, Product, opened
from bench.quality.scores import Score, score
from bench.quality.worlds import WORLDS, Charges, Jobs, Trial, day_of, drawn
from bench.table import tell
from repaircore.adapters.shipped.prices import read_price_index
from repaircore.pricing.price_index import BOOK_DAY

Floats = NDArray[np.float64]
_LINKED = 150


@frozen(kw_only=True)
class Plan:
    """What is to be run: a world, how many invoices are learned from and how many repairs estimated, and beside which methods.

    Up to ``one_by_one`` invoices are also recorded singly.
    """

    world: str
    size: int
    seed: int
    tested: int = 800
    one_by_one: int = 0
    boosting: bool = True

    @property
    def name(self) -> str:
        return f"{self.world}, {self.size:,}, seed {self.seed}"


@frozen(kw_only=True)
class Result:
    """The scores of one world at one size under one seed."""

    world: str
    size: int
    seed: int
    scores: tuple[Score, ...]


def run(plan: Plan) -> Result:
    """Measure all methods."""
    trial = drawn(WORLDS[plan.world], plan.seed, learned=plan.size, tested=plan.tested)
    paid = trial.paid.total
    scores = [*_of_product(trial, plan)]
    for name, method in methods(boosting=plan.boosting):
        tell(f"{plan.name}: {name}")
        started = time.perf_counter()
        found = estimated_by(method, trial.past, trial.charges, trial.coming)
        scores.append(score(name, found, paid, seconds=time.perf_counter() - started))
    scores.append(score("oracle", trial.law.quantiles(trial.coming), paid))
    return Result(world=plan.world, size=plan.size, seed=plan.seed, scores=tuple(scores))


def estimated_by(method: Method, past: Jobs, charges: Charges, coming: Jobs) -> Floats:
    """Let a method learn prices at one price level, and give dollars of the days that are asked for."""
    return fitted(method, past, charges.total, coming, day_of)


def fitted(method: Method, past: Jobs, paid: Floats, coming: Jobs, day: Callable[[float], date]) -> Floats:
    """Do the same for what was paid; ``day`` says when a month is."""
    fit = method(past, np.log(paid) - _levels(past, day))
    return np.asarray(np.exp(fit(coming) + _levels(coming, day)[:, None]))


def methods(*, boosting: bool) -> Iterator[tuple[str, Method]]:
    """Give the methods to compare with, by their names."""
    yield "median per problem", conformal(per_problem)
    yield "group median", conformal(backed_off)
    yield "25 nearest", conformal(neighbors)
    if boosting:
        from bench.quality.boosting import histogram, light  # noqa: PLC0415 - a dependency group brings them

        yield "scikit-learn boosting", conformal(histogram)
        yield "LightGBM", conformal(light)


def _of_product(trial: Trial, plan: Plan) -> Iterator[Score]:
    past, charges = trial.past, trial.charges

    def by_import(product: Product) -> None:
        product.learn(past, charges, linked=min(_LINKED, len(past) // 4))

    def one_by_one(product: Product) -> None:
        product.record(past, charges)
        product.nightly()

    ways: list[tuple[str, Callable[[Product], None]]] = [("product", by_import)]
    if len(past) <= plan.one_by_one:
        ways.append(("product, one by one", one_by_one))
    for name, learn in ways:
        tell(f"{plan.name}: {name} learns")
        started = time.perf_counter()
        with opened(trial.law, seed=trial.seed) as product:
            learn(product)
            tell(f"{plan.name}: {name} estimates ({time.perf_counter() - started:.0f} s so far)")
            figures = product.predict(trial.coming)
        yield _score_of(name, figures, trial.paid, time.perf_counter() - started)


def _score_of(name: str, figures: Figures, paid: Charges, seconds: float) -> Score:
    return score(
        name,
        figures.predicted,
        paid.total,
        stated=float(np.mean(figures.stated)),
        flags_false=figures.flags_false,
        flags_found=figures.flags_found,
        seconds=seconds,
    )


def _levels(jobs: Jobs, day: Callable[[float], date]) -> Floats:
    index = read_price_index()
    return np.array([np.log(index.level(day(float(month)), base=BOOK_DAY)) for month in jobs.month])
