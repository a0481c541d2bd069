"""Checks of bodies, field by field: a shape looks like the body, with a type or a check for each value.

shape({"id": int, "name": str, "vin": nullable(str), "parts": [{"name": str}]}, body)
"""

import math
import re
from collections.abc import Callable
from typing import Any, TypeAlias
from uuid import UUID

Check: TypeAlias = Callable[[Any], bool]

_TIMESTAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")


def number(value: Any) -> bool:
    return type(value) in (int, float) and math.isfinite(value)


def money(value: Any) -> bool:
    return number(value) and value >= 0 and round(value, 2) == value


def moment(value: Any) -> bool:
    return type(value) is str and _TIMESTAMP.fullmatch(value) is not None


def uuid(value: Any) -> bool:
    return type(value) is str and str(UUID(value)) == value


def nullable(shape: Any) -> Check:
    return lambda value: value is None or not list(list_differences(shape, value))


CURSORS: dict[str, Any] = {"next_cursor": nullable(str), "previous_cursor": nullable(str)}
"""The cursors in the metadata of a page."""


def shaped(shape: Any, value: Any) -> bool:
    """Assert that a value has a shape."""
    differences = list_differences(shape, value)
    assert not differences, "\n".join(differences)
    return True


def list_differences(shape: Any, value: Any, path: str = "body") -> list[str]:
    """List the fields that are missing, unexpected or of another type."""
    if isinstance(shape, dict):
        return _object(shape, value, path)
    if isinstance(shape, list):
        if type(value) is not list:
            return [f"{path} is not a list: {value!r}"]
        return [
            text for at, item in enumerate(value) for text in list_differences(shape[0], item, f"{path}.{at}")
        ]
    if isinstance(shape, type):
        fits = type(value) is shape
    else:
        fits = shape(value) if callable(shape) else (type(value), value) == (type(shape), shape)
    return [] if fits else [f"{path} is {value!r}, not {getattr(shape, '__name__', shape)!r}"]


def _object(shape: dict[str, Any], value: Any, path: str) -> list[str]:
    if type(value) is not dict:
        return [f"{path} is not an object: {value!r}"]
    missing = [f"{path}.{name} is missing" for name in shape if name not in value]
    unexpected = [f"{path}.{name} is unexpected" for name in value if name not in shape]
    inner = [
        text
        for name in shape
        if name in value
        for text in list_differences(shape[name], value[name], f"{path}.{name}")
    ]
    return missing + unexpected + inner
