"""What a request says about its client."""

from flask import request


def client_address() -> str:
    """Return the IP address of the client, or "unknown"."""
    return request.remote_addr or "unknown"


def user_agent() -> str:
    """Return the User-Agent header, or "" if there is none."""
    return request.headers.get("User-Agent", "")
