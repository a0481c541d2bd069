"""JSON bodies, read strictly and quickly.

What two parsers or two databases would not understand alike is refused: bytes that are not UTF-8, lone
surrogates, NUL characters, NaN and infinities, integers beyond 64 bits, keys named twice, deep nesting.
"""

import re
from typing import Any

import msgspec

DEEPEST = 32
"""How deep lists and objects may lie in one another."""

_MOST = 2**63 - 1
_LEAST = -(2**63)
_STRING = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)
# An escaped NUL: its backslash is not itself escaped, so an even number of others stands before it.
_NUL = re.compile(rb"(?<!\\)(?:\\\\)*\\u0000")
_parse = msgspec.json.Decoder().decode  # noqa: TID251 - of no class


class BadJson(ValueError):
    """A body that is not JSON, or is odd JSON; the text is fit to be shown."""


def decode(body: bytes) -> Any:
    """Read one JSON value.

    Integers are those of 64 bits with a sign, floats are finite, strings hold no NUL and encode to UTF-8.

    Raises:
        BadJson: for everything else, with a sentence.
    """
    try:
        value = _parse(body)
    except (msgspec.DecodeError, UnicodeDecodeError):
        raise BadJson("The body is not valid JSON.") from None
    except RecursionError:
        raise BadJson(_TOO_DEEP) from None
    # Outside strings each key has one colon: fewer keys than colons means that a key stood there twice.
    keys = _keys_of([value], 0)
    if keys != body.count(b":") and keys != _STRING.sub(b"", body).count(b":"):
        raise BadJson("The body names a key twice in one object.")
    if b"\\u0000" in body and _NUL.search(body):
        raise BadJson("The body holds a NUL character.")
    return value


_TOO_DEEP = f"The body is nested deeper than {DEEPEST} levels."


def _keys_of(members: Any, depth: int) -> int:
    """Count the keys in some members, at all depths, and look at the numbers on the way."""
    if depth > DEEPEST:
        raise BadJson(_TOO_DEEP)
    keys = 0
    for member in members:
        kind = type(member)
        if kind is int:
            if not _LEAST <= member <= _MOST:
                raise BadJson("The body holds an integer beyond 64 bits.")
        elif kind is dict:
            keys += len(member) + _keys_of(member.values(), depth + 1)
        elif kind is list:
            keys += _keys_of(member, depth + 1)
    return keys
