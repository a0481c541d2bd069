"""Trouble codes: what they mean, and what cures them."""

from flask import Response

from repaircore.diagnostics.wire_shape import code_as_wire
from repaircore.kernel.errors import Invalid
from repaircore_http.core import core
from repaircore_http.errors import flagged
from repaircore_http.guards import Need, Routes
from repaircore_http.told.diagnostics import Code
from repaircore_http.told.envelopes import Data
from repaircore_http.wire import reply

__all__ = ["codes"]

codes = Routes(
    "codes", url_prefix="/api/v1/diagnostic/codes", need=Need.KEY, dialect=flagged, tag="diagnostic"
)


@codes.get("/<code>", safe=True, tells=Data[Code], refuses=(Invalid,))
def show(code: str) -> Response:
    """Say what a trouble code means, what causes it, and whether to drive on."""
    served = core().codes
    told = served.show(code)
    return reply({"success": True, "data": code_as_wire(told, served.causes(told))})
