"""Trouble codes: what they mean, and which repairs they call for."""

from typing import Annotated

from attrs import frozen
from flask import Response

from repaircore.kernel.errors import Invalid
from repaircore.kernel.rules import Length
from repaircore.trouble_codes.views import TroubleCodeView
from repaircore_http.core import core
from repaircore_http.envelopes import Data
from repaircore_http.errors import flagged
from repaircore_http.guards import Auth
from repaircore_http.json_io import read_query, reply
from repaircore_http.routes import Routes

codes = Routes(
    "codes", url_prefix="/api/v1/diagnostic/codes", auth=Auth.KEY, dialect=flagged, tag="diagnostic"
)


@frozen(kw_only=True)
class ShowCode:
    """The vehicle that reported the code: the meaning of some codes depends on the manufacturer."""

    make: Annotated[str | None, Length(1, 100)] = None
    vin: Annotated[str | None, Length(1, 100)] = None


@codes.get("/<code>", safe=True, query=ShowCode, returns=Data[TroubleCodeView], raises=(Invalid,))
def show(code: str) -> Response:
    """Explain a trouble code: its meaning, its causes, and whether to keep driving."""
    trouble_codes, vehicle = core().trouble_codes, read_query(ShowCode)
    meaning = trouble_codes.show(code, make=vehicle.make, vin=vehicle.vin)
    return reply(Data(data=TroubleCodeView.of(meaning, trouble_codes.causes(meaning))))
