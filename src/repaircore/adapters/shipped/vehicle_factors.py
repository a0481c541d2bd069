"""The vehicle factors out of the file that the project ships."""

import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from typing import Any, TypeVar

from repaircore.kernel.spelling import make_key
from repaircore.vehicles.model import Factors, Segment, Tier
from repaircore.vehicles.segments import FactorTable, Patterns

__all__ = ["factor_table", "shipped_factor_table"]

K = TypeVar("K", Segment, Tier)


@cache
def shipped_factor_table() -> FactorTable:
    """Read ``data/vehicle_factors.toml``: some milliseconds, so once for a process."""
    return factor_table((files("repaircore") / "data" / "vehicle_factors.toml").read_text("utf-8"))


def factor_table(text: str) -> FactorTable:
    """Read a table of factors.

    Raises:
        ValueError: when a segment or a tier is unknown, lacks its factors or has impossible ones, or
            a make is listed twice.
    """
    told = tomllib.loads(text)
    return FactorTable(
        by_segment=_factors(Segment, told["segments"]),
        by_tier=_factors(Tier, told["tiers"]),
        tiers=_tiers(told["makes"]),
        models={make_key(make): _patterns(names) for make, names in told["models"].items()},
    )


def _factors(kind: type[K], rows: Mapping[str, Mapping[str, float]]) -> dict[K, Factors]:
    found = {kind(name): _positive(name, row) for name, row in rows.items()}
    missing = [word.value for word in kind if word not in found]
    if missing:
        raise ValueError(f"No factors for {', '.join(missing)}.")
    return found


def _positive(name: str, row: Mapping[str, float]) -> Factors:
    factors = Factors(labor=float(row["labor"]), parts=float(row["parts"]))
    if not (0 < factors.labor < 10 and 0 < factors.parts < 10):  # noqa: PLR2004 - dearer is a slip
        raise ValueError(f"The factors of {name} are impossible.")
    return factors


def _tiers(rows: Mapping[str, Iterable[str]]) -> dict[str, Tier]:
    listed = [(make_key(make), Tier(tier)) for tier, makes in rows.items() for make in makes]
    tiers = dict(listed)
    if len(tiers) != len(listed):
        raise ValueError("A make is listed in more than one tier.")
    return tiers


def _patterns(names: Mapping[str, Any]) -> Patterns:
    return Patterns.of({Segment(segment): tuple(listed) for segment, listed in names.items()})
