"""The text format of the danger model: lines in a fixed order, for review and comparison.

The first line names the format, and the second has the base score. Then each feature has a line with its name and its
weight.
"""

from functools import cache
from typing import Final

from repaircore.danger_model.model import DangerModel
from repaircore.danger_model.wording import Wording

_FORMAT: Final = "danger-model 1"


def dump_dangers(model: DangerModel) -> str:
    """Return a model in the text format; equal models give equal strings."""
    lines = [_FORMAT, f"bias\t{model.bias}"]
    lines += (f"{name}\t{weight}" for name, weight in sorted(model.weights.items()))
    return "".join(f"{line}\n" for line in lines)


def load_dangers(text: str, wording: Wording) -> DangerModel:
    """Parse a model in the text format.

    Raises:
        ValueError: the string is not in this format.
    """
    first, *rest = text.splitlines() or [""]
    if first != _FORMAT:
        raise ValueError(f"Unsupported danger model format: the first line must be {_FORMAT!r}.")
    pairs = [line.rsplit("\t", 1) for line in rest]
    shared = cache(float)  # many features have equal weights
    weights = {name: shared(weight) for name, weight in pairs}
    bias = weights.pop("bias", 0.0)
    return DangerModel(wording=wording, weights=weights, bias=bias)
