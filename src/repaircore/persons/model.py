"""Persons, and the results of exports and erasures."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, TypeAlias

from attrs import frozen

Record: TypeAlias = Mapping[str, Any]
"""The values of a row by column name, with times and money as the API shows them."""


@frozen(kw_only=True)
class Person:
    """A person: folded ``email``, phone numbers as digits, whole VINs, and ``user_id`` if they have an account."""

    email: str
    user_id: int | None
    phones: frozenset[str] = frozenset()
    vins: frozenset[str] = frozenset()


@frozen(kw_only=True)
class PersonalRow:
    """A row that contains an e-mail address, a phone number or a VIN of the person."""

    table: str
    key: Mapping[str, Any]
    columns: tuple[str, ...]


@frozen(kw_only=True)
class Export:
    """A person's data: their own rows by table, and mentions of them in other rows."""

    email: str
    exported_at: datetime
    own: Mapping[str, Sequence[Record]]
    mentions: Sequence[Record]


@frozen(kw_only=True)
class Erasure:
    """The result of an erasure: how many rows were removed and changed, by table.

    After a dry run, ``changed`` counts all rows that an erasure would touch. ``traces`` are the places where a search
    still found the person afterward; there should be none.
    """

    removed: Mapping[str, int]
    changed: Mapping[str, int]
    vins: int
    traces: tuple[str, ...] = ()
