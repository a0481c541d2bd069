"""Wiring of predictions.

Returning a cached prediction needs few modules and no model; the computation is wired in ``pricing``.
"""

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from repaircore.adapters.sql.claims import SqlClaims
from repaircore.adapters.sql.prediction_cache import SqlPredictionCache
from repaircore.kernel.blocking import before_blocking, blocking, when_done
from repaircore.predictions.service import Predictions

if TYPE_CHECKING:
    from repaircore.core import Core
    from repaircore.kernel.callers import Environment
    from repaircore.predictions.model import Prediction


def predictions(core: "Core") -> Predictions:
    """Wire predictions."""
    return Predictions(
        transaction=core.storage.transaction,
        read=core.storage.read,
        cache=SqlPredictionCache(core.storage.driver),
        claims=SqlClaims(core.storage.driver),
        vehicles=blocking(lambda: core.vehicles),
        computation=blocking(lambda: core.computation),
        seconds=core.settings.prediction_seconds,
        new_id=core.new_id,
        clock=core.clock,
        timer=time.monotonic,
        wait=_wait,
        notice=_notice(core),
    )


def _wait(seconds: float) -> None:
    before_blocking()
    time.sleep(seconds)


def _notice(core: "Core") -> "Callable[[Prediction, Environment], None]":
    if not core.settings.metrics:
        return lambda _prediction, _environment: None
    from repaircore.adapters.metrics.predictions import PredictionCounts

    counts = PredictionCounts(core.meter)
    return lambda prediction, environment: when_done(lambda: counts(prediction, environment))
