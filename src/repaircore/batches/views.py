"""Batches, as clients see them over HTTP and on the command line."""

from collections.abc import Mapping, Sequence
from typing import Self

from repaircore.batches.model import ItemResult
from repaircore.kernel.errors import Failure, Invalid
from repaircore.kernel.views import Count, view
from repaircore.predictions.views import PredictionSummaryView


@view
class ItemErrorView:
    """Why an item failed; ``errors`` has the errors by field, and is null if no field is at fault."""

    message: str
    error_code: str | None
    errors: dict[str, list[str]] | None

    @classmethod
    def of(cls, failure: Failure) -> Self:
        """Return the view of a failure."""
        fields: Mapping[str, Sequence[str]] | None = failure.fields if isinstance(failure, Invalid) else None
        return cls(
            message=failure.message,
            error_code=failure.code,
            errors=None if fields is None else {name: [*texts] for name, texts in fields.items()},
        )


@view
class BatchItemView:
    """The result of an item: a prediction or an error. ``index`` is its position among the items, from 0."""

    index: Count
    id: str | None
    prediction: PredictionSummaryView | None
    error: ItemErrorView | None

    @classmethod
    def of(cls, index: int, result: ItemResult) -> Self:
        """Return the view of a result."""
        prediction, failure = result.prediction, result.failure
        return cls(
            index=index,
            id=result.id,
            prediction=None if prediction is None else PredictionSummaryView.of(prediction),
            error=None if failure is None else ItemErrorView.of(failure),
        )


@view
class BatchView:
    """The results of a batch, in the order of the items."""

    succeeded: Count
    failed: Count
    results: list[BatchItemView]

    @classmethod
    def of(cls, results: Sequence[ItemResult]) -> Self:
        """Return the view of all results, with the numbers that succeeded and failed."""
        succeeded = sum(result.prediction is not None for result in results)
        return cls(
            succeeded=succeeded,
            failed=len(results) - succeeded,
            results=[BatchItemView.of(index, result) for index, result in enumerate(results)],
        )
