"""A person as the database knows one, and what was found or erased."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, TypeAlias

from attrs import frozen

Record: TypeAlias = Mapping[str, Any]
"""A row by its columns' names, times and money written as they are told outside."""


@frozen(kw_only=True)
class Person:
    """Who somebody is: a folded ``email``, phone numbers as digits, whole VINs; ``user_id`` of those with an account."""

    email: str
    user_id: int | None
    phones: frozenset[str] = frozenset()
    vins: frozenset[str] = frozenset()


@frozen(kw_only=True)
class PersonalRow:
    """A row in which an e-mail, a phone number or a VIN of the person stands, wherever it does."""

    table: str
    key: Mapping[str, Any]
    columns: tuple[str, ...]


@frozen(kw_only=True)
class Export:
    """Everything that is kept about a person: rows of theirs by table, and where others mention them."""

    email: str
    exported_at: datetime
    kept: Mapping[str, Sequence[Record]]
    mentions: Sequence[Record]


@frozen(kw_only=True)
class Erasure:
    """What was erased (or would be): how many rows of each table are gone, and how many lost what told of the person.

    ``traces`` is what a search found afterwards, a place each; nothing but an empty one is fine.
    """

    removed: Mapping[str, int]
    changed: Mapping[str, int]
    vins: int
    traces: tuple[str, ...] = ()
