"""Sessions of partners."""

from typing import Annotated

from attrs import frozen
from flask import Response

from repaircore.kernel.errors import Forbidden, Unauthenticated
from repaircore.kernel.rules import Length, Pattern
from repaircore_http.core import core
from repaircore_http.envelopes import PartnerData
from repaircore_http.guards import Auth
from repaircore_http.json_io import read_body
from repaircore_http.partner.dialect import PREFIX, partner, reply_data
from repaircore_http.routes import Routes
from repaircore_http.told.partners import PartnerSession

sessions = Routes(
    "partner_sessions",
    url_prefix=f"{PREFIX}/sdk",
    auth=Auth.NONE,
    dialect=partner,
    tag="partner sessions",
)

_Version = Annotated[
    str, Length(1, 64), Pattern(r"\d+(\.\d+){0,3}([-+.][0-9A-Za-z.+-]+)?", "must be a version, like 1.0.0")
]


@frozen(kw_only=True)
class NewSession:
    """The key that client code has, and the version of what sends it."""

    public_key: Annotated[str, Length(1, 255)]
    sdk_version: _Version = "1.0.0"


@sessions.post(
    "/sessions",
    accepts=NewSession,
    returns=PartnerData[PartnerSession],
    status=201,
    raises=(Unauthenticated, Forbidden),
)
def create() -> Response:
    """Exchange a public key for a session token."""
    asked = read_body(NewSession)
    opened = core().partner_sessions.open(asked.public_key, sdk_version=asked.sdk_version)
    data = {
        "session_token": opened.token,
        "token_type": "Bearer",
        "expires_in": int(opened.lifetime.total_seconds()),
        "expires_at": opened.expires_at,
        "environment": opened.environment,
    }
    return reply_data(data, 201)
