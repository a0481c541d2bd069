"""What vehicles are worth, out of the file that the project ships."""

import tomllib
from importlib.resources import files

from repaircore.fleet.valuation import Levels
from repaircore.kernel.money import cents
from repaircore.vehicles.model import Segment, Tier

__all__ = ["levels", "shipped_levels"]


def shipped_levels() -> Levels:
    """Read ``data/values.toml``."""
    return levels((files("repaircore") / "data" / "values.toml").read_text("utf-8"))


def levels(text: str) -> Levels:
    """Read levels.

    Raises:
        ValueError: a segment or a tier is unknown, is missing, or has no positive figure.
    """
    told = tomllib.loads(text)
    found = Levels(
        by_segment={Segment(name): cents(float(level)) for name, level in told["levels"].items()},
        by_tier={Tier(name): float(factor) for name, factor in told["tiers"].items()},
    )
    missing = [*(set(Segment) - found.by_segment.keys()), *(set(Tier) - found.by_tier.keys())]
    if missing or min(*found.by_segment.values(), *found.by_tier.values()) <= 0:
        raise ValueError(f"Not levels of all segments and tiers: {', '.join(sorted(missing))}")
    return found
