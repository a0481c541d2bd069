"""Bands of mileage. They keep remembered predictions apart and inform price models; no local price moves."""

__all__ = ["BAND", "band_middle", "mileage_band"]

BAND = 25_000
"""Miles in a band."""


def mileage_band(miles: int | None) -> int | None:
    """Give the number of the band, from 0; an unknown mileage is a band of its own (None)."""
    return None if miles is None else max(0, miles) // BAND


def band_middle(band: int | None) -> int | None:
    """Give the miles in the middle of a band, None of the unknown."""
    return None if band is None else band * BAND + BAND // 2
