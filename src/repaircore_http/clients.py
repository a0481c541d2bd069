"""What a request says about its client."""

from flask import request


def client_address() -> str:
    """Return the address of the client, as far as it is known."""
    return request.remote_addr or "unknown"


def user_agent() -> str:
    """Return the User-Agent header; "" if there is none."""
    return request.headers.get("User-Agent", "")
