"""Trouble codes: what they mean, and what cures them."""

from typing import Annotated

from attrs import frozen
from flask import Response

from repaircore.kernel.errors import Invalid
from repaircore.kernel.rules import Length
from repaircore.trouble_codes.views import code_as_wire
from repaircore_http.core import core
from repaircore_http.envelopes import Data
from repaircore_http.errors import flagged
from repaircore_http.guards import Auth
from repaircore_http.json_io import read_query, reply
from repaircore_http.routes import Routes
from repaircore_http.told.diagnostics import Code

codes = Routes(
    "codes", url_prefix="/api/v1/diagnostic/codes", auth=Auth.KEY, dialect=flagged, tag="diagnostic"
)


@frozen(kw_only=True)
class CodeQuery:
    """The vehicle that stores the code: manufacturers give some codes meanings of their own."""

    make: Annotated[str | None, Length(1, 100)] = None
    vin: Annotated[str | None, Length(1, 100)] = None


@codes.get("/<code>", safe=True, query=CodeQuery, returns=Data[Code], raises=(Invalid,))
def show(code: str) -> Response:
    """Say what a trouble code means, what causes it, and whether to drive on."""
    served, vehicle = core().trouble_codes, read_query(CodeQuery)
    meaning = served.show(code, make=vehicle.make, vin=vehicle.vin)
    return reply({"success": True, "data": code_as_wire(meaning, served.causes(meaning))})
