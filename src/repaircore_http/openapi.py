"""The document without a service behind it: what ``repaircore openapi`` prints.

It has every operation that an installation may have; that of a service has those that its settings switch on.
"""

from collections.abc import Sequence
from typing import Any

from attrs import frozen
from typing_extensions import override

from repaircore.kernel.callers import Caller
from repaircore.kernel.errors import Unauthenticated
from repaircore_http.app import Api, create_app
from repaircore_http.core import Probed
from repaircore_http.document.whole import document_of
from repaircore_http.metrics import metrics
from repaircore_http.service import BLUEPRINTS


def document() -> dict[str, Any]:
    """Describe every operation that the service has."""
    return document_of(standing_alone())


def standing_alone() -> Api:
    """Make the application over nothing: its routes can be looked at, and it serves nobody."""
    return create_app(_Nothing(), authenticate=_refused, blueprints=(*BLUEPRINTS, metrics))


@frozen
class _Nothing(Probed):
    @override
    def obstacles(self) -> Sequence[str]:
        return ("There is nothing to serve.",)

    @override
    def warnings(self) -> Sequence[str]:
        return ()


def _refused(_token: str) -> Caller:
    raise Unauthenticated
