"""The OpenAPI document that ``repaircore openapi`` prints, without a running service.

It has every operation that an installation may have; the document of a running service has those that its settings
enable.
"""

from collections.abc import Sequence
from typing import Any

from attrs import frozen
from typing_extensions import override

from repaircore.kernel.callers import Caller
from repaircore.kernel.errors import Unauthenticated
from repaircore_http.app import Api, create_app
from repaircore_http.core import Probed
from repaircore_http.document.document import document_of
from repaircore_http.metrics import metrics
from repaircore_http.service import BLUEPRINTS


def document() -> dict[str, Any]:
    """Return the document with every operation."""
    return document_of(detached_app())


def detached_app() -> Api:
    """Return an application without a core: its routes can be inspected, but it cannot handle requests."""
    return create_app(_NoCore(), authenticate=_reject, blueprints=(*BLUEPRINTS, metrics))


@frozen
class _NoCore(Probed):
    @override
    def obstacles(self) -> Sequence[str]:
        return ("There is nothing to serve.",)

    @override
    def warnings(self) -> Sequence[str]:
        return ()


def _reject(_token: str) -> Caller:
    raise Unauthenticated
