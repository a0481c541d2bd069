"""Sparse vectors: values by name."""

import math
from collections.abc import Mapping


def unit_vector(values: Mapping[str, float]) -> dict[str, float]:
    """Return values as a vector of length 1; empty if they are all zero."""
    length = math.sqrt(math.fsum(value * value for value in values.values()))
    return {name: value / length for name, value in values.items()} if length else {}
