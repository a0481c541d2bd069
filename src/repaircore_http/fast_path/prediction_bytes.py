"""Predictions as bytes: the part that all callers share is encoded once.

Saves 25 µs of a cached prediction, which at first took 103 µs beyond a bare Flask route on SQLite
(docs/decisions/hot-path.md).
Plain alternative: ``encode(prediction_view(prediction))``, which its output equals byte for byte.
"""

from collections import OrderedDict
from typing import Final

from repaircore.json_text import encode
from repaircore.predictions.model import Figures, Prediction
from repaircore.predictions.views import FiguresView, session_view, warnings_view

CACHE_SIZE: Final = 4096
"""The maximum number of cached predictions, of about 3 KB each."""


class PredictionWriter:
    """Encodes predictions as JSON, byte for byte the same as ``encode(prediction_view(prediction))``.

    Cached figures never change, and the core returns the very same object each time, so their bytes are cached
    by identity. Only the parts that depend on the caller or the time are written for each response.
    """

    def __init__(self, *, size: int = CACHE_SIZE) -> None:
        self._size = size
        # The figures are stored with their bytes: the id of a referenced object cannot be reused.
        self._cache: OrderedDict[tuple[int, bool], tuple[Figures, bytes]] = OrderedDict()

    def __len__(self) -> int:
        """Return the number of figures whose bytes are cached."""
        return len(self._cache)

    def write(self, prediction: Prediction) -> bytes:
        """Return the whole body of a response."""
        return b"%b,%b,%b" % (
            encode(session_view(prediction))[:-1],
            self._members(prediction.figures, is_masked=prediction.match is not None),
            encode(warnings_view(prediction))[1:],
        )

    def _members(self, figures: Figures, *, is_masked: bool) -> bytes:
        """Return the encoded members of the figures object, without its braces."""
        key = id(figures), is_masked
        cached = self._cache.get(key)
        if cached is None:
            members = encode(FiguresView.of(figures, is_masked=is_masked))[1:-1]
            cached = self._cache[key] = (figures, members)
            while len(self._cache) > self._size:
                self._cache.popitem(last=False)
        return cached[1]
