"""The name under which a request is quoted in answers and logs."""

import random
import re
from typing import Any

from flask import request

HEADER = "X-Request-Id"

_SANE = re.compile(r"[A-Za-z0-9._-]{1,128}")
KEPT = "repaircore.request_id"


def name_request(environ: dict[str, Any]) -> str:
    """Keep the caller's own name for the request if it is a sane one, else make one of 16 characters."""
    own = environ.get("HTTP_X_REQUEST_ID")
    name = own if own and _SANE.fullmatch(own) else f"{random.getrandbits(64):016x}"
    environ[KEPT] = name
    return name


def request_id() -> str:
    """Tell the name of the request that is being answered."""
    name: str = request.environ[KEPT]
    return name
