"""repaircore: what a repair will cost, whether the price is fair, and how sure that is."""

from repaircore.version import __version__

__all__ = ["__version__"]
