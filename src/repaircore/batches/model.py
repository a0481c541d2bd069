"""A batch of prediction requests, and the result of each."""

from typing import Annotated, Any, Final

from attrs import frozen

from repaircore.kernel.errors import Failure
from repaircore.kernel.rules import Described, Length
from repaircore.predictions.model import Prediction

MOST_ITEMS: Final = 500
"""The maximum number of items in a batch; their results are stored in one transaction."""

MOST_LATER: Final = 20_000
"""The maximum number of items in a background batch, which is stored in parts."""


@frozen(kw_only=True)
class PredictBatch:
    """Up to 500 repairs, or 20,000 in the background, each on a vehicle.

    A vehicle is given by ``vin``, or by ``year``, ``make`` and ``model``.

    An item has the fields of a request by VIN or by specs, and optionally the caller's own ``id``, a string that is
    returned with the result. A bad item gets an error; the others are still predicted.
    """

    items: Annotated[
        list[dict[str, Any]],
        Length(1, MOST_LATER),
        Described("Requests like those of `/predict` and `/predict/by-specs`, each with an optional `id`."),
    ]


@frozen
class ItemResult:
    """The result of an item: its prediction or its failure; the other is None."""

    id: str | None
    prediction: Prediction | None
    failure: Failure | None
