"""Sessions of partners."""

from functools import partial
from typing import Annotated, ClassVar

from attrs import frozen
from flask import Response, request

from repaircore.kernel.errors import Forbidden, Unauthenticated
from repaircore.kernel.rules import Length, Pattern
from repaircore.partners.views import PartnerSessionView
from repaircore_http.clients import client_address
from repaircore_http.core import core
from repaircore_http.envelopes import PartnerData
from repaircore_http.guards import Auth
from repaircore_http.json_io import read_body
from repaircore_http.partner.dialect import PREFIX, partner, reply_data
from repaircore_http.partner_auth import count_session
from repaircore_http.routes import Routes

sessions = Routes(
    "partner_sessions", url_prefix=f"{PREFIX}/sdk", auth=Auth.NONE, dialect=partner, tag="partner sessions"
)

_Version = Annotated[
    str, Length(1, 64), Pattern(r"\d+(\.\d+){0,3}([-+.][0-9A-Za-z.+-]+)?", "must be a version such as 1.0.0")
]


@frozen(kw_only=True)
class CreateSession:
    """The public key, and the version of the client."""

    takes_nulls: ClassVar[bool] = True

    public_key: Annotated[str, Length(1, 255)]
    sdk_version: _Version = "1.0.0"


@sessions.post(
    "/sessions",
    accepts=CreateSession,
    returns=PartnerData[PartnerSessionView],
    status=201,
    raises=(Unauthenticated, Forbidden),
)
def create() -> Response:
    """Exchange a public key for a session token."""
    opened, count = core().partner_sessions, partial(count_session, request.environ, core().limits)
    try:
        data = read_body(CreateSession)
        found = opened.find_partner(data.public_key)
    except Exception:
        count(None, client_address())
        raise
    count(found, client_address())
    return reply_data(PartnerSessionView.of(opened.open_for(found, sdk_version=data.sdk_version)), 201)
