"""JSON, encoded and decoded in one place.

One encoder writes everything: views, stored values, requests to outside services. One decoder reads what others wrote;
input that must also be unambiguous (a request body, an operator's file) is read by ``decode_strict``. JSON that this
package stored itself is decoded into instances of a class by ``decoder_of``, which takes a tenth of the time that
structuring does (docs/decisions/json.md).
"""

import re
from collections.abc import Callable
from threading import Lock
from typing import Any, Final, TypeVar

import msgspec

T = TypeVar("T")

DEEPEST: Final = 32
"""How deeply lists and objects may be nested in JSON that is decoded strictly."""

_MOST: Final = 2**63 - 1
_LEAST: Final = -(2**63)
_STRING: Final = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)
# An escaped NUL: its backslash is not itself escaped, so an even number of others precedes it.
_NUL: Final = re.compile(rb"(?<!\\)(?:\\\\)*\\u0000")
_BEYOND_ASCII: Final = re.compile(r"[^\x00-\x7f]")
_LONGEST_PATH: Final = 100
_TOO_DEEP: Final = f"is nested deeper than {DEEPEST} levels"

_encode: Final = msgspec.json.Encoder().encode
_encode_sorted: Final = msgspec.json.Encoder(order="sorted").encode
_decode: Final = msgspec.json.Decoder().decode  # noqa: TID251 - of no class
_decoders_lock: Final = Lock()
_decoders: Final[dict[Any, Callable[[str | bytes], Any]]] = {}


class NotJsonError(ValueError):
    """Text that is not JSON, or not acceptable JSON; the message is a predicate, such as "is not valid JSON"."""


def encode(value: Any) -> bytes:
    """Encode a value as JSON: attrs instances as objects, bytes in base64, enums, dates and IDs as strings.

    Raises:
        TypeError: it has no JSON form.
    """
    return _encode(value)


def encode_text(value: Any, *, is_sorted: bool = False) -> str:
    """Encode a value as a string; with sorted keys, equal values give equal strings. See ``encode``."""
    return (_encode_sorted(value) if is_sorted else _encode(value)).decode()


def pretty(value: Any, *, is_ascii: bool = False, indent: int = 2) -> str:
    """Encode a value as indented lines, for people; see ``encode``."""
    return _escaped(msgspec.json.format(encode_text(value), indent=indent), is_ascii=is_ascii)


def one_line(value: Any, *, is_ascii: bool = False) -> str:
    """Encode a value on one line, without a line break at the end; see ``encode``."""
    return _escaped(encode_text(value), is_ascii=is_ascii)


def plain(value: Any) -> Any:
    """Return a value as the dicts, lists, strings and numbers of its JSON; see ``encode``."""
    return msgspec.to_builtins(value)


def decode(text: bytes | str) -> Any:
    """Decode one JSON value.

    Raises:
        NotJsonError: the text is not JSON.
    """
    try:
        return _decode(text)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        raise NotJsonError("is not valid JSON") from None


def decode_strict(text: bytes) -> Any:
    """Decode one JSON value that all parsers and databases understand alike.

    Integers fit into signed 64 bits, floats are finite, strings contain no NUL and can be encoded as UTF-8, no
    object has the same key twice, and nothing is nested deeper than ``DEEPEST``.

    Raises:
        NotJsonError: for anything else.
    """
    try:
        value = _decode(text)
    except (msgspec.DecodeError, UnicodeError):
        raise NotJsonError("is not valid JSON") from None
    except RecursionError:
        raise NotJsonError(_TOO_DEEP) from None
    # Outside strings each key has one colon: fewer keys than colons means that a key occurred twice.
    keys = _keys_of([value], 0, value)
    if keys != text.count(b":") and keys != _STRING.sub(b"", text).count(b":"):
        raise NotJsonError("has the same key twice in one object")
    if b"\\u0000" in text and _NUL.search(text):
        raise NotJsonError("contains a NUL character" + _place_of(value, _has_nul))
    return value


def decoder_of(shape: type[T]) -> Callable[[str | bytes], T]:
    """Return a function that decodes JSON into an instance of ``shape``, or raises ``NotJsonError`` if it does not fit.

    Decoders are slow to build, so each is built once, on first use, and by one thread at a time: two threads that
    build a decoder of the same class at once crash the process (msgspec 0.22, Python 3.11). All threads may use it.
    """
    made = _decoders.get(shape)
    if made is not None:
        return made
    with _decoders_lock:
        if shape not in _decoders:
            _decoders[shape] = _with_own_error(msgspec.json.Decoder(shape).decode)  # noqa: TID251 - the one place
        return _decoders[shape]


def _with_own_error(read: Callable[[str | bytes], Any]) -> Callable[[str | bytes], Any]:
    def read_value(text: str | bytes) -> Any:
        try:
            return read(text)
        except (msgspec.DecodeError, UnicodeError) as error:
            raise NotJsonError(str(error)) from None

    return read_value


def _keys_of(members: Any, depth: int, whole: Any) -> int:
    """Count the keys in ``members`` at all depths; check nesting and integers. Errors name a path in ``whole``."""
    if depth > DEEPEST:
        raise NotJsonError(_TOO_DEEP)
    keys = 0
    for member in members:
        kind = type(member)
        if kind is int:
            if _is_beyond(member):
                raise NotJsonError(
                    "contains an integer that does not fit in 64 bits" + _place_of(whole, _is_beyond)
                )
        elif kind is dict:
            keys += len(member) + _keys_of(member.values(), depth + 1, whole)
        elif kind is list:
            keys += _keys_of(member, depth + 1, whole)
    return keys


def _has_nul(value: Any) -> bool:
    return type(value) is str and "\0" in value


def _is_beyond(value: Any) -> bool:
    return type(value) is int and not _LEAST <= value <= _MOST


def _place_of(value: Any, is_bad: Callable[[Any], bool]) -> str:
    """Return where the first bad value is, as the end of a sentence: " in parts.0.name"; "" if it has no short path."""
    path = ".".join(_path_to(value, is_bad, 0) or ())
    return f" in {path}" if path.isprintable() and 0 < len(path) <= _LONGEST_PATH else ""


def _path_to(value: Any, is_bad: Callable[[Any], bool], depth: int) -> tuple[str, ...] | None:
    """Return the keys and indexes that lead to the first bad value, or None if there is none."""
    if is_bad(value):
        return ()
    members = value.items() if type(value) is dict else enumerate(value) if type(value) is list else ()
    for name, member in members if depth <= DEEPEST else ():
        path = _path_to(member, is_bad, depth + 1)
        if path is not None:
            return (str(name), *path)
    return None


def _escaped(text: str, *, is_ascii: bool) -> str:
    return _BEYOND_ASCII.sub(_escape, text) if is_ascii else text


def _escape(found: re.Match[str]) -> str:
    """Escape a character for JSON, as two surrogates if it is beyond 16 bits."""
    halves = found[0].encode("utf-16-be")
    return "".join(f"\\u{halves[i]:02x}{halves[i + 1]:02x}" for i in range(0, len(halves), 2))
