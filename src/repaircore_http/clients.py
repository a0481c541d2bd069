"""What a request says of its client."""

from flask import request


def client_address() -> str:
    """Return the address of the client, as far as it is known."""
    return request.remote_addr or "unknown"


def user_agent() -> str:
    """Return what the client calls itself; "" where it does not."""
    return request.headers.get("User-Agent", "")
