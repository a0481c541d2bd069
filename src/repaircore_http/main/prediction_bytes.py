"""Answers to predictions as bytes: what is the same for everybody is written once (docs/decisions/hot-path.md)."""

from collections import OrderedDict
from typing import Final

from repaircore.predictions.model import Figures, Prediction
from repaircore.predictions.views import closing_as_wire, figures_as_wire, opening_as_wire
from repaircore_http.json_io import encode

KEPT_AT_MOST: Final = 4096
"""Answers of about 3 KB each."""


class Answers:
    """Writes predictions as JSON: ``encode(as_wire(prediction))``, byte for byte.

    Remembered figures never change, and the core gives the very same object each time, so their bytes are
    kept beside them and found by identity. What belongs to one asker and one moment is written anew.
    """

    def __init__(self, *, most: int = KEPT_AT_MOST) -> None:
        self._most = most
        # The figures are held as well as their bytes: an object that is held keeps its id to itself.
        self._written: OrderedDict[tuple[int, bool], tuple[Figures, bytes]] = OrderedDict()

    def __len__(self) -> int:
        """Count the figures whose bytes are kept."""
        return len(self._written)

    def write(self, prediction: Prediction) -> bytes:
        """Write the whole body of an answer."""
        return b"%b,%b,%b" % (
            encode(opening_as_wire(prediction))[:-1],
            self._members(prediction.figures, masked=prediction.match is not None),
            encode(closing_as_wire(prediction))[1:],
        )

    def _members(self, figures: Figures, *, masked: bool) -> bytes:
        """Give the members of the figures' object without its braces."""
        key = id(figures), masked
        written = self._written.get(key)
        if written is None:
            written = self._written[key] = (figures, encode(figures_as_wire(figures, masked=masked))[1:-1])
            while len(self._written) > self._most:
                self._written.popitem(last=False)
        return written[1]
