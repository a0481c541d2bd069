"""Request ids, which responses and logs contain."""

import random
import re
from typing import Any

from flask import request

HEADER = "X-Request-Id"
REQUEST_ID = "repaircore.request_id"

_ACCEPTED = re.compile(r"[A-Za-z0-9._-]{1,128}")


def assign_request_id(environ: dict[str, Any]) -> str:
    """Store and return the request id: the caller's if it is well-formed, or else a new one of 16 characters."""
    assigned: str | None = environ.get("HTTP_X_REQUEST_ID")
    if not (assigned and _ACCEPTED.fullmatch(assigned)):
        assigned = f"{random.getrandbits(64):016x}"
    environ[REQUEST_ID] = assigned
    return assigned


def request_id() -> str:
    """Return the id of the current request."""
    assigned: str = request.environ[REQUEST_ID]
    return assigned
