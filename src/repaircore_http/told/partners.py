"""The partner platform."""

from datetime import datetime
from typing import Literal, TypedDict, TypeVar

from repaircore.kernel.callers import Environment
from repaircore.kernel.views import Count

T = TypeVar("T")


class PartnerSession(TypedDict):
    """A session token, and for how many seconds it is good."""

    session_token: str
    token_type: Literal["Bearer"]
    expires_in: Count
    expires_at: datetime
    environment: Environment


class Customer(TypedDict):
    """A customer; ``external_ref`` and ``ref`` are the same."""

    id: int
    ref: str
    external_ref: str
    environment: Environment
    first_name: str
    last_name: str
    email: str
    phone: str
    address: str | None
    created_at: datetime
    updated_at: datetime
