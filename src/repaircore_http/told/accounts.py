"""Accounts and keys."""

from datetime import datetime
from typing import Literal, TypedDict

from repaircore.kernel.callers import Environment, Role
from repaircore_http.told.envelopes import StatusMessage


class UserNamed(TypedDict):
    """An account by its name."""

    id: int
    name: str


class Session(TypedDict):
    """Who is signed in, and the management token to show from now on."""

    user: UserNamed
    session_token: str


class SessionBegun(StatusMessage):
    """A new session."""

    data: Session


class Account(TypedDict):
    """The caller's account."""

    id: int
    name: str
    email: str
    role: Role
    created_at: datetime


class ApiKey(TypedDict):
    """A pair of keys; of the secret one its end alone is shown. ``last_used_at`` is null until its first use."""

    id: int
    name: str
    public_key: str
    secret_key: str
    environment: Environment
    last_used_at: datetime | None


class ApiKeys(TypedDict):
    """The caller's keys."""

    status: Literal["success"]
    data: list[ApiKey]


class NewPair(TypedDict):
    """A pair of keys, with the whole secret."""

    id: int
    name: str
    public_key: str
    secret_key: str
    environment: Environment


class KeyMade(StatusMessage):
    """A new pair of keys: the only time the secret is shown."""

    data: NewPair


class SecureData(TypedDict):
    """The name of the key that was used; null for a management session."""

    message: str
    api_key_used: str | None
