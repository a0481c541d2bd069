"""The operation that shows a developer that their secret key works."""

from flask import Response

from repaircore_http.guards import Auth, caller
from repaircore_http.json_io import reply
from repaircore_http.routes import Routes
from repaircore_http.told.accounts import SecureData

secure_data = Routes("secure_data", url_prefix="/api/v1/secure-data", auth=Auth.SECRET, tag="other")


@secure_data.post("", returns=SecureData)
def show() -> Response:
    """Name the key that was used; a management session names none."""
    return reply({"message": "You have accessed secure data.", "api_key_used": caller().key_name})
