"""Bodies field by field: a shape is written as the body itself, with a type or a check where a value stands.

shape({"id": int, "name": str, "vin": nullable(str), "parts": [{"name": str}]}, body)
"""

import math
import re
from collections.abc import Callable
from typing import Any, TypeAlias
from uuid import UUID

Check: TypeAlias = Callable[[Any], bool]

_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")


def number(value: Any) -> bool:
    return type(value) in (int, float) and math.isfinite(value)


def money(value: Any) -> bool:
    return number(value) and value >= 0 and round(value, 2) == value


def moment(value: Any) -> bool:
    return type(value) is str and _MOMENT.fullmatch(value) is not None


def uuid(value: Any) -> bool:
    return type(value) is str and str(UUID(value)) == value


def nullable(shape: Any) -> Check:
    return lambda value: value is None or not list(departures(shape, value))


def shaped(shape: Any, value: Any) -> bool:
    """Tell whether a value has a shape, and say in what it has not."""
    found = departures(shape, value)
    assert not found, "\n".join(found)
    return True


def departures(shape: Any, value: Any, path: str = "body") -> list[str]:
    """List what is missing, what is too much and what is of another kind; nothing else may be there."""
    if isinstance(shape, dict):
        return _object(shape, value, path)
    if isinstance(shape, list):
        if type(value) is not list:
            return [f"{path} is no list: {value!r}"]
        return [one for at, item in enumerate(value) for one in departures(shape[0], item, f"{path}.{at}")]
    if isinstance(shape, type):
        fits = type(value) is shape
    else:
        fits = shape(value) if callable(shape) else (type(value), value) == (type(shape), shape)
    return [] if fits else [f"{path} is {value!r}, not {getattr(shape, '__name__', shape)!r}"]


def _object(shape: dict[str, Any], value: Any, path: str) -> list[str]:
    if type(value) is not dict:
        return [f"{path} is no object: {value!r}"]
    missing = [f"{path}.{name} is missing" for name in shape if name not in value]
    more = [f"{path}.{name} is too much" for name in value if name not in shape]
    inner = [
        one
        for name in shape
        if name in value
        for one in departures(shape[name], value[name], f"{path}.{name}")
    ]
    return missing + more + inner
