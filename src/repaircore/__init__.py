"""repaircore: what a repair will cost, whether the price is fair, and how sure that is.

>>> from repaircore import PredictByVin, Settings, build
>>> core = build(Settings(database_url="sqlite:///shop.db"))
>>> core.predictions.predict(PredictByVin(vin="1HGCM82633A004352", zip_code="90210", problem_identifier="brake-pads-front"))
"""

from typing import TYPE_CHECKING

from repaircore.version import __version__

if TYPE_CHECKING:
    from repaircore.core import Core, build
    from repaircore.external_settings import ModelSettings
    from repaircore.kernel.callers import Caller
    from repaircore.kernel.errors import Failure
    from repaircore.learning.transaction_rows import CreateTransaction
    from repaircore.predictions.model import PredictBySpecs, PredictByVin, Prediction
    from repaircore.settings import Settings
    from repaircore.transactions.model import TransactionPart

__all__ = [
    "Caller",
    "Core",
    "CreateTransaction",
    "Failure",
    "ModelSettings",
    "PredictBySpecs",
    "PredictByVin",
    "Prediction",
    "Settings",
    "TransactionPart",
    "__version__",
    "build",
]

_HOMES = {
    "PredictByVin": "repaircore.predictions.model",
    "Caller": "repaircore.kernel.callers",
    "Core": "repaircore.core",
    "Failure": "repaircore.kernel.errors",
    "ModelSettings": "repaircore.external_settings",
    "TransactionPart": "repaircore.transactions.model",
    "Prediction": "repaircore.predictions.model",
    "CreateTransaction": "repaircore.learning.transaction_rows",
    "Settings": "repaircore.settings",
    "PredictBySpecs": "repaircore.predictions.model",
    "build": "repaircore.core",
}


def __getattr__(name: str) -> object:
    """Import a public name on first access, so that importing the package does not import all of its modules."""
    if name not in _HOMES:
        raise AttributeError(f"module 'repaircore' has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415 - only here

    return getattr(import_module(_HOMES[name]), name)
