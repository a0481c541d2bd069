"""Batches: each item is validated and computed separately, and all results are stored in one transaction."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Final, Protocol, TypeAlias

from attrs import frozen

from repaircore.batches.model import MOST_ITEMS, ItemResult
from repaircore.kernel.callers import LOCAL, Caller
from repaircore.kernel.errors import Failure, Invalid, Unavailable
from repaircore.kernel.rules import sentence
from repaircore.kernel.types import Timer
from repaircore.predictions.model import CachedAnswer, PredictBySpecs, PredictByVin, Prediction
from repaircore.predictions.ports import PredictionsWork
from repaircore.predictions.service import Computed, Predictions
from repaircore.predictions.validation import Prepared
from repaircore.structuring import structure_partially

_BY_NAME: Final = ("year", "make", "model")
_NO_TIME: Final = "Time ran out before this item was processed. Send it again."
_LONGEST_ID: Final = 100

Item: TypeAlias = Mapping[str, Any]
Report: TypeAlias = Callable[[int], None]
"""Report the number of items processed so far; if it raises, the batch ends and nothing is stored."""


class BatchWork(PredictionsWork, Protocol):
    """The part of a unit of work that batches need."""

    def savepoint(self) -> AbstractContextManager[object]:
        """Open a savepoint, which is rolled back if the block raises."""


OpenWork: TypeAlias = Callable[[], AbstractContextManager[BatchWork]]
"""Open a unit of work, which is committed when the block ends and rolled back if it raises."""


Store: TypeAlias = Callable[[BatchWork, Sequence[ItemResult]], None]
"""Store additional records about the results, in the unit of work that stores the predictions."""


def _ignore(*_: object) -> None:
    pass


@frozen
class _Found:
    """The prediction for an item, not yet stored."""

    request: Prepared
    answer: CachedAnswer | Computed


@frozen(kw_only=True)
class Batches:
    """Predicts many prices at once.

    ``item_seconds`` is the models' time budget for each item, and ``seconds`` is the time budget for all items.
    """

    transaction: OpenWork
    predictions: Predictions
    item_seconds: float
    seconds: float
    timer: Timer

    def predict(
        self,
        items: Sequence[Item],
        caller: Caller = LOCAL,
        report: Report = _ignore,
        store: Store = _ignore,
    ) -> Sequence[ItemResult]:
        """Predict every item and return the results in the order of the items; a failed item affects no other.

        The predictions and sessions of all items are stored in one transaction after the last one is computed, so that
        nothing is locked while models are queried. Items for which no time is left fail and can be sent again.

        Raises:
            Invalid: on ``items``; there are too many, or none.
            Unavailable: the database is not responding.
        """
        if not 1 <= len(items) <= MOST_ITEMS:
            predicate = f"must have 1 to {MOST_ITEMS} items; for more, send `Prefer: respond-async`"
            raise Invalid({"items": [sentence("items", predicate)]})
        found = [*self._find_each(items, caller, report)]
        with self.transaction() as work:
            results = [
                ItemResult(_id_of(item), *self._stored(work, each))
                for item, each in zip(items, found, strict=True)
            ]
            store(work, results)
        return results

    def _find_each(self, items: Sequence[Item], caller: Caller, report: Report) -> Iterator[_Found | Failure]:
        until = self.timer() + self.seconds
        for done, item in enumerate(items, start=1):
            yield self._find(item, caller, until)
            report(done)

    def _find(self, item: Item, caller: Caller, until: float) -> _Found | Failure:
        left = until - self.timer()
        if left <= 0:
            return Unavailable(_NO_TIME)
        try:
            request = self.predictions.requests.prepare(self._parse(item), caller)
            return _Found(request, self.predictions.find_or_compute(request, min(left, self.item_seconds)))
        except Failure as failure:
            return failure

    def _parse(self, item: Item) -> PredictByVin | PredictBySpecs:
        shape = _shape_of(item)
        good, errors = structure_partially(shape, item)
        if _id_of(item) is None and item.get("id") is not None:
            errors["id"] = [sentence("id", f"must be a string of at most {_LONGEST_ID} characters")]
        if errors:
            raise Invalid({**errors, **self.predictions.validate(**good)})
        return shape(**good)

    def _stored(self, work: BatchWork, found: _Found | Failure) -> tuple[Prediction | None, Failure | None]:
        if isinstance(found, Failure):
            return None, found
        try:
            with work.savepoint():
                return self.predictions.store_found(work, found.request, found.answer), None
        except Failure as failure:
            return None, failure


def _shape_of(item: Item) -> type[PredictByVin | PredictBySpecs]:
    """Return the request class for an item: by specs if it has a year, make or model and no VIN, else by VIN."""
    by_specs = item.get("vin") is None and any(item.get(name) is not None for name in _BY_NAME)
    return PredictBySpecs if by_specs else PredictByVin


def _id_of(item: Item) -> str | None:
    given = item.get("id")
    return given if isinstance(given, str) and len(given) <= _LONGEST_ID else None
