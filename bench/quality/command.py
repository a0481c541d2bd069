"""``python -m bench quality``: how good estimates are, beside other methods."""

import argparse
import json
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor, as_completed
from datetime import UTC, datetime
from functools import partial
from itertools import product
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Final

from attrs import asdict

from bench.kept import FOLDER, this_machine
from bench.quality.real import run_file
from bench.quality.report import Measured, csv_text, lines, page
from bench.quality.runs import Plan, run
from bench.quality.stages import HISTORY, SHOP, Point, Refitted, averaged, history, refitted, shop
from bench.quality.worlds import WORLDS
from bench.table import tell

PAGE: Final = FOLDER / "quality.md"
_PARTS: Final = ("worlds", "shop", "history", "refit")
_OTHERS: Final = (0, 2_000)


def main(arguments: Sequence[str]) -> None:
    """Run what is asked for, and print a table for each world."""
    options = _parser().parse_args(arguments)
    if options.quick:
        options.worlds, options.sizes, options.tested = ["foreign", "dear"], [200, 1_000], 200
    # Processes of their own, made anew: those of a fork would share what a database connection is.
    with ProcessPoolExecutor(options.processes, mp_context=get_context("spawn")) as pool:
        measured = _measured(options, pool)
    print("\n".join(lines(measured)), flush=True)
    if options.json:
        options.json.write_text(json.dumps(asdict(measured), indent=1), encoding="utf-8")
    if options.curves:
        options.curves.write_text(csv_text(measured.points), encoding="utf-8")
    if options.plot:
        from bench.quality.plot import draw  # noqa: PLC0415 - an extra brings it

        draw(measured.points, options.plot)
    if options.keep:
        text = page(measured, day=f"{datetime.now(UTC):%Y-%m-%d}", machine=this_machine())
        PAGE.write_text(text, encoding="utf-8")


def _measured(options: argparse.Namespace, pool: Executor) -> Measured:
    """Have everything measured, the longest first."""
    files = [
        pool.submit(run_file, path, tested=options.tested, boosting=not options.no_boosting)
        for path in options.files
    ]
    runs = [pool.submit(run, plan) for plan in sorted(_plans(options), key=lambda plan: -plan.size)]
    series = [[pool.submit(one) for one in seeds] for seeds in _series(options)]
    refits = [pool.submit(one) for one in _refits(options)]
    waiting: list[Future[Any]] = [*files, *runs, *(one for seeds in series for one in seeds), *refits]
    for number, _ in enumerate(as_completed(waiting), start=1):
        tell(f"{number} of {len(waiting)} runs done")
    order = [*WORLDS]
    return Measured(
        results=[
            *sorted(
                (one.result() for one in runs), key=lambda one: (order.index(one.world), one.size, one.seed)
            ),
            *(one.result() for one in files),
        ],
        points=[point for seeds in series for point in averaged([one.result() for one in seeds])],
        refits=[one.result() for one in refits],
    )


def _plans(options: argparse.Namespace) -> Iterator[Plan]:
    if "worlds" in options.parts:
        for world, size, seed in product(options.worlds, options.sizes, options.seeds):
            yield Plan(
                world=world,
                size=size,
                seed=seed,
                tested=options.tested,
                one_by_one=options.one_by_one if world == options.worlds[0] else 0,
                boosting=not options.no_boosting,
            )


def _series(options: argparse.Namespace) -> Iterator[list[Callable[[], list[Point]]]]:
    """Give what is learned step by step, each under some seeds."""
    first, most = options.seeds[0], 100 if options.quick else max(HISTORY)
    counts = [count for count in SHOP if count <= most]
    seeds = range(first, first + options.shop_seeds)
    if "shop" in options.parts:
        for others in _OTHERS[:1] if options.quick else _OTHERS:
            yield [partial(shop, seed, others=others, counts=counts) for seed in seeds]
    if "history" in options.parts:
        yield [partial(history, first, counts=[count for count in HISTORY if count <= most])]


def _refits(options: argparse.Namespace) -> Iterator[Callable[[], Refitted]]:
    if "refit" in options.parts:
        yield partial(refitted, options.seeds[0], invoices=1_000 if options.quick else 10_000)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench quality", description=__doc__)
    parser.add_argument(
        "--parts", type=_named(_PARTS), default=[*_PARTS], help=f"some of {', '.join(_PARTS)}, or none: ''"
    )
    parser.add_argument(
        "--worlds", type=_named(WORLDS), default=[*WORLDS], help=f"some of {', '.join(WORLDS)}"
    )
    parser.add_argument(
        "--sizes", type=_numbers, default=[200, 2_000, 20_000], help="invoices to learn from: 200,2000"
    )
    parser.add_argument("--seeds", type=_numbers, default=[4101], help="such as 4101,4102")
    parser.add_argument(
        "--shop-seeds", type=int, default=3, help="shops to average over (3), from the first seed on"
    )
    parser.add_argument("--tested", type=int, default=800, help="repairs to estimate in each world (800)")
    parser.add_argument(
        "--one-by-one",
        type=int,
        default=2_000,
        help="in the first world also record invoices singly, up to so many",
    )
    parser.add_argument(
        "--file",
        type=Path,
        action="append",
        default=[],
        dest="files",
        help="also a file of real invoices as docs/reference/transactions-csv.md describes it, .gz or not; more than one may be named",
    )
    parser.add_argument("--processes", type=int, default=2, help="worlds that are measured at once (2)")
    parser.add_argument("--no-boosting", action="store_true", help="leave scikit-learn and LightGBM out")
    parser.add_argument("--quick", action="store_true", help="two worlds, small, in some two minutes")
    parser.add_argument("--json", type=Path, help="also write all figures into this file")
    parser.add_argument(
        "--curves", type=Path, help="also write what is learned step by step into this CSV file"
    )
    parser.add_argument("--plot", type=Path, help="also draw it (SVG, PNG): needs the extra `plots`")
    parser.add_argument("--keep", action="store_true", help="also write docs/reference/quality.md")
    return parser


def _named(known: Collection[str]) -> Callable[[str], list[str]]:
    """Give what reads some of the known names, separated by commas."""

    def read(text: str) -> list[str]:
        names = [name for name in text.split(",") if name]
        if unknown := [name for name in names if name not in known]:
            raise argparse.ArgumentTypeError(f"{', '.join(unknown)}: there are {', '.join(known)}")
        return names

    return read


def _numbers(text: str) -> list[int]:
    return [int(one) for one in text.split(",")]
