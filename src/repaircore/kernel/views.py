"""Views: each response as a typed class, from which JSON, the OpenAPI document, ``--json`` and webhook data are made.

    @view
    class RideStatusView:
        ref: str
        fee: Dollars | None
        updated_at: datetime

        @classmethod
        def of(cls, ride: Ride) -> Self: ...

A field that may be left out of the JSON has the type ``X | UnsetType``, and is ``UNSET`` when it is left out.
"""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Annotated, Any, TypeAlias, TypeVar, dataclass_transform, get_args

import attrs
from msgspec import UNSET, UnsetType

from repaircore.kernel.rules import Described, Range

__all__ = [
    "UNSET",
    "Count",
    "Dollars",
    "DollarsPerMile",
    "Month",
    "Percent",
    "UnsetType",
    "in_utc",
    "iso_utc",
    "view",
]

T = TypeVar("T")

Dollars: TypeAlias = Annotated[float, Described("US dollars, with two decimals at most.")]
DollarsPerMile: TypeAlias = Annotated[float, Described("US dollars a mile, with three decimals at most.")]
Percent: TypeAlias = Annotated[float, Range(0, 100)]
Count: TypeAlias = Annotated[int, Range(0)]
Month: TypeAlias = Annotated[str, Described("A month, such as 2026-01.", pattern=r"^\d{4}-\d{2}$")]


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(attrs.field,))
def view(cls: type[T]) -> type[T]:
    """Make a class a view: frozen, keyword-only, and with times in UTC, to the second."""
    # No slots, because Python sorts their names, and JSON has the fields in the order of the class.
    decorated: type[T] = attrs.frozen(kw_only=True, slots=False, field_transformer=_with_whole_seconds)(cls)
    return decorated


def is_view(kind: Any) -> bool:
    """Return whether a class is a view."""
    return isinstance(kind, type) and getattr(kind, "__is_view__", False) is True


def in_utc(at: datetime) -> datetime:
    """Return a time in UTC, to the second.

    Raises:
        TypeError: the time has no zone.
    """
    if at.tzinfo is UTC:
        return at.replace(microsecond=0)
    if at.tzinfo is None:
        msg = "A time without a time zone cannot be written as JSON."
        raise TypeError(msg)
    return at.astimezone(UTC).replace(microsecond=0)


def iso_utc(at: datetime) -> str:
    """Return a time in UTC to the second, as text: ``2026-03-14T12:00:00Z``."""
    return in_utc(at).isoformat()[:19] + "Z"


def _with_whole_seconds(cls: type[Any], fields: list["attrs.Attribute[Any]"]) -> list["attrs.Attribute[Any]"]:
    cls.__is_view__ = True
    return [f.evolve(converter=_converter_of(f.type)) if f.converter is None else f for f in fields]


def _converter_of(annotation: Any) -> Callable[[Any], Any] | None:
    if annotation is datetime:
        return in_utc
    return _in_utc_if_time if datetime in get_args(annotation) else None


def _in_utc_if_time(value: Any) -> Any:
    return in_utc(value) if isinstance(value, datetime) else value
