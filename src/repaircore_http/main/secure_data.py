"""An operation that shows a developer that their secret key works."""

from flask import Response

from repaircore.kernel.views import view
from repaircore_http.guards import Auth, caller
from repaircore_http.json_io import reply
from repaircore_http.routes import Routes

secure_data = Routes("secure_data", url_prefix="/api/v1/secure-data", auth=Auth.SECRET, tag="other")


@view
class SecureDataView:
    """The name of the key that was used; null for a management session."""

    message: str
    api_key_used: str | None


@secure_data.post("", returns=SecureDataView)
def show() -> Response:
    """Return the name of the key that was used; a management session has none."""
    return reply(SecureDataView(message="You have accessed secure data.", api_key_used=caller().key_name))
