"""``python -m bench learning``: how an installation comes to know prices, drawn.

A history from nothing on, a new shop's first hundred invoices, what a refit does and for how long it holds the database's
lock, and a shop that starts from the priors of others. Pictures go into docs/images, figures to the output.
"""

import argparse
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter
from typing import Any, Final

import numpy as np
from attrs import asdict, evolve, frozen
from numpy.typing import NDArray

from bench.kept import FOLDER
from bench.quality.pooling import starts
from bench.quality.product import Product, opened
from bench.quality.stages import Point, averaged, history, shop, unfit
from bench.quality.worlds import LEARNED, WORLDS, Law
from bench.table import tell
from repaircore.predictions.ports import PredictionsWork

IMAGES: Final = FOLDER.parent / "images"
_PARTS: Final = ("history", "shop", "refit", "lock", "pooling")
_HISTORY: Final = (0, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000)
_SHOP: Final = (0, 5, 10, 20, 35, 50, 75, 100)
_OTHERS: Final = (0, 2_000)
_ASKED: Final = 300

Floats = NDArray[np.float64]


@frozen(kw_only=True, eq=False)
class Fitted:
    """The same history before and after it was fitted for the first time: ranges as ln(high/low), and the share that they hold."""

    invoices: int
    before: Floats
    after: Floats
    held_before: float
    held_after: float
    error_before: float
    error_after: float


@frozen(kw_only=True)
class Held:
    """How long a refit of so many invoices held the write lock, in seconds: all pieces, and the longest of them."""

    invoices: int
    refit: str
    pieces: int
    whole: float
    longest: float


def fitted(seed: int, *, invoices: int) -> Fitted:
    """Learn a history, forget what was fitted to it, and see what the first refit makes of the ranges."""
    law = Law(WORLDS["foreign"], seed)
    past, asked = law.jobs(invoices, last=LEARNED), law.jobs(_ASKED, first=LEARNED)
    paid = law.charged(asked, gross_errors=0.0).total
    with opened(law, seed=seed) as product:
        product.move_to(LEARNED)
        product.bring_in(past, law.charged(past))
        unfit(product.core)
        before = product.ranges(asked)
        product.core.refits.refit()
        after = product.ranges(asked)
    return Fitted(
        invoices=invoices,
        before=np.log(before[:, 2] / before[:, 0]),
        after=np.log(after[:, 2] / after[:, 0]),
        held_before=_held(before, paid),
        held_after=_held(after, paid),
        error_before=_error(before, paid),
        error_after=_error(after, paid),
    )


def held(seed: int, *, invoices: int) -> list[Held]:
    """Time the write transactions of refits on SQLite: the very first, with everything to be moved, and one of the next night."""
    law = Law(WORLDS["sparse"], seed)
    past = law.jobs(invoices + invoices // 20, last=LEARNED)
    some, rest = np.arange(invoices), np.arange(invoices, len(past))
    with opened(law, seed=seed) as product:
        product.move_to(LEARNED)
        product.bring_in(past.take(some), law.charged(past).take(some))
        unfit(product.core)
        found = [_timed(product, "the first", invoices)]
        product.bring_in(past.take(rest), law.charged(past).take(rest), named="b")
        found.append(_timed(product, "the next night", len(past)))
    return found


def _timed(product: Product, name: str, invoices: int) -> Held:
    seconds: list[float] = []

    @contextmanager
    def begin() -> Iterator[PredictionsWork]:
        with product.core.refits.transaction() as work:
            started = perf_counter()  # the lock is taken with BEGIN IMMEDIATE
            yield work
        seconds.append(perf_counter() - started)

    evolve(product.core.refits, transaction=begin).refit()
    return Held(invoices=invoices, refit=name, pieces=len(seconds), whole=sum(seconds), longest=max(seconds))


def _held(predicted: Floats, paid: Floats) -> float:
    return 100 * float(np.mean((predicted[:, 0] <= paid) & (paid <= predicted[:, 2])))


def _error(predicted: Floats, paid: Floats) -> float:
    return 100 * float(np.median(np.abs(predicted[:, 1] / paid - 1)))


def main(arguments: Sequence[str]) -> None:
    """Measure what is asked for, print it, and draw it."""
    options = _parser().parse_args(arguments)
    seeds = range(options.seed, options.seed + options.seeds)
    measured: dict[str, Any] = {}
    for part in options.parts:
        tell(part)
        figures = _MEASURES[part](seeds, options)
        measured[part] = figures
        for one in figures:
            print(json.dumps(one), flush=True)
    if options.json:
        options.json.write_text(json.dumps(measured, indent=1) + "\n", encoding="utf-8")
    if options.images:
        from bench.quality.plot import draw_learning  # noqa: PLC0415 - an extra brings it

        draw_learning(measured, options.images)


def _history(seeds: Sequence[int], options: argparse.Namespace) -> list[dict[str, Any]]:
    counts = [count for count in _HISTORY if count <= options.most]
    return [asdict(one) for one in averaged([history(seed, counts=counts) for seed in seeds])]


def _shop(seeds: Sequence[int], options: argparse.Namespace) -> list[dict[str, Any]]:
    found: list[Point] = []
    for others in (count for count in _OTHERS if count <= options.most):
        found += averaged([shop(seed, others=others, counts=_SHOP) for seed in seeds])
    return [asdict(one) for one in found]


def _refit(seeds: Sequence[int], options: argparse.Namespace) -> list[dict[str, Any]]:
    one = fitted(seeds[0], invoices=min(2_000, options.most))
    figures = asdict(one)
    return [{**figures, "before": one.before.tolist(), "after": one.after.tolist()}]


def _lock(seeds: Sequence[int], options: argparse.Namespace) -> list[dict[str, Any]]:
    return [asdict(one) for one in held(seeds[0], invoices=options.most)]


def _pooling(seeds: Sequence[int], options: argparse.Namespace) -> list[dict[str, Any]]:
    others = min(5_000, options.most)
    return [asdict(one) for seed in seeds for one in starts(seed, others=others, weights=(5, 20, 100))]


_MEASURES: Final[dict[str, Callable[[Sequence[int], argparse.Namespace], list[dict[str, Any]]]]] = {
    "history": _history,
    "shop": _shop,
    "refit": _refit,
    "lock": _lock,
    "pooling": _pooling,
}


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench learning", description=__doc__)
    parser.add_argument(
        "--parts",
        type=lambda text: text.split(","),
        default=[*_PARTS],
        help=f"some of {', '.join(_PARTS)}",
    )
    parser.add_argument("--seed", type=int, default=4101, help="the first seed (4101)")
    parser.add_argument("--seeds", type=int, default=3, help="so many seeds are averaged over (3)")
    parser.add_argument("--most", type=int, default=20_000, help="the longest history, in invoices (20000)")
    parser.add_argument("--json", type=Path, help="also write all figures into this file")
    parser.add_argument(
        "--images", type=Path, nargs="?", const=IMAGES, help="also draw them, into docs/images or this folder"
    )
    return parser
