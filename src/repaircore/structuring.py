"""Structure JSON values as instances of attrs classes, strictly.

Nothing is coerced: ``5`` is not a string; ``"5"``, ``5.0`` and ``true`` are not integers; null is allowed only where
the type includes None. A field for which absent and null differ is ``X | UnsetType = UNSET``. Unknown fields are
ignored, unless the class ``is_closed``. In a class that ``takes_nulls``, null stands for the default of any field that
may be left out. Every bad field is reported, under its dotted name, in the sentences of ``kernel.rules``.

One cattrs converter does this for request bodies, query strings, files and models' responses. A type without a strict
hook here is rejected when its class is first used, rather than coerced by one of cattrs' own hooks.
"""

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime
from enum import StrEnum
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Final, Literal, TypeAlias, TypeVar, Union, get_args, get_origin
from uuid import UUID

import attrs
from cattrs import Converter
from cattrs.errors import (
    AttributeValidationNote,
    BaseValidationError,
    ForbiddenExtraKeysError,
    IterableValidationError,
    IterableValidationNote,
)
from cattrs.gen import make_dict_structure_fn

from repaircore.kernel.errors import Invalid
from repaircore.kernel.ids import parse_uuid
from repaircore.kernel.rules import FieldErrors, broken, rules_of, sentence, without
from repaircore.kernel.views import UnsetType

MOST_ERRORS: Final = 100
"""After this many errors in one list or object, the rest is not checked, so that a response stays small."""

_FIRST_YEAR: Final = 1970
"""Times before this year are rejected."""

T = TypeVar("T")
_Hook: TypeAlias = Callable[[Any, Any], Any]


class _BrokenError(ValueError):
    """A value that breaks rules, with the predicates of those rules."""

    def __init__(self, *predicates: str) -> None:
        super().__init__(*predicates)
        self.predicates = predicates


def structure(shape: type[T], value: Mapping[str, object]) -> T:
    """Structure a JSON object as a ``shape``.

    Raises:
        Invalid: with every bad field.
    """
    try:
        return _converter.structure(value, shape)
    except BaseValidationError as error:
        raise Invalid(_errors(error)) from None


def structure_partially(shape: type[Any], value: Mapping[str, object]) -> tuple[dict[str, Any], FieldErrors]:
    """Return the fields of a ``shape`` that were sent and are valid, and the errors in the rest.

    A caller adds errors that only the core can find, such as an unknown ZIP code, to the same ``FieldErrors`` and
    raises them together.
    """
    fields = attrs.fields(shape)
    value = _without_nulls(shape, value)
    try:
        made = _converter.structure(value, shape)
    except BaseValidationError as error:
        errors = _errors(error)
        bad = {path.partition(".")[0] for path in errors}
        sent = [field for field in fields if field.name in value and field.name not in bad]
        return {field.name: _converter.structure(value[field.name], field.type) for field in sent}, errors
    return {field.name: getattr(made, field.name) for field in fields if field.name in value}, {}


def from_query(shape: type[Any], query: Mapping[str, Sequence[str]]) -> dict[str, object]:
    """Return query parameters as the JSON values that the fields of ``shape`` take; ignore unknown parameters.

    ``query`` maps each parameter to its strings. A string that does not fit its field's type stays a string, and a
    parameter given twice for a single value stays a list, so that structuring reports what was expected.
    """
    attrs.resolve_types(shape)
    return {
        field.name: _spelled(field.type, query[field.name])
        for field in attrs.fields(shape)
        if query.get(field.name)
    }


# From errors to sentences


def _errors(error: BaseValidationError) -> FieldErrors:
    found: FieldErrors = {}
    for path, predicate in _broken_paths(error, ""):
        found.setdefault(path, []).append(sentence(path, predicate))
    return found


def _broken_paths(error: BaseException, path: str) -> Iterator[tuple[str, str]]:
    """Yield the dotted path and the predicate of each error, in the order of the fields."""
    if isinstance(error, BaseValidationError):
        for inner in error.exceptions:
            yield from _broken_paths(inner, _under(path, inner))
    elif isinstance(error, _BrokenError):
        for predicate in error.predicates:
            yield path, predicate
    elif isinstance(error, ForbiddenExtraKeysError):
        names = ", ".join(field.name for field in attrs.fields(error.cl))
        for name in sorted(error.extra_fields):
            yield _joined(path, name), f"is unknown; allowed: {names}"
    elif isinstance(error, KeyError):
        yield path, "is required"
    else:
        raise error


def _under(path: str, error: BaseException) -> str:
    """Return the path of an error inside a value, from the notes that cattrs adds."""
    for note in getattr(error, "__notes__", ()):
        if isinstance(note, AttributeValidationNote):
            return _joined(path, note.name)
        if isinstance(note, IterableValidationNote):
            return _joined(path, str(note.index))
    return path


def _joined(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


# Composite types


def _class_hook(shape: Any) -> _Hook:
    attrs.resolve_types(shape)
    closed = getattr(shape, "is_closed", False)
    make = make_dict_structure_fn(shape, _converter, _cattrs_forbid_extra_keys=closed)

    def structure_object(value: Any, kind: Any) -> Any:
        if type(value) is not dict:
            raise _BrokenError("must be an object")
        return make(_without_nulls(shape, value), kind)

    return structure_object


def takes_null(shape: type[Any], field: "attrs.Attribute[Any]") -> bool:
    """Return whether null stands for a field's default because its class ``takes_nulls``."""
    return (
        getattr(shape, "takes_nulls", False)
        and field.default is not attrs.NOTHING
        and not _may_be(UnsetType)(field.type)
    )


def _without_nulls(shape: type[Any], value: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return an object without the nulls that stand for defaults; a null whose default is None stays."""
    if not getattr(shape, "takes_nulls", False) or None not in value.values():
        return value
    left_out = {
        field.name
        for field in attrs.fields(shape)
        if takes_null(shape, field) and field.default is not None and value.get(field.name, 0) is None
    }
    return {name: each for name, each in value.items() if name not in left_out}


def _annotated_hook(kind: Any) -> _Hook:
    inner, rules = get_args(kind)[0], rules_of(kind)
    structure_inner = _converter.get_structure_hook(inner)
    checks = [rule.broken_by for rule in rules]

    def structure_and_check(value: Any, _: Any) -> Any:
        made = structure_inner(value, inner)
        if made is not None:
            for broken_by in checks:
                if broken_by(made) is not None:
                    raise _BrokenError(*broken(rules, made))
        return made

    return structure_and_check


def _optional_hook(kind: Any) -> _Hook:
    inner = without(kind, NoneType)
    structure_inner = _converter.get_structure_hook(inner)
    return lambda value, _: None if value is None else structure_inner(value, inner)


def _unset_hook(kind: Any) -> _Hook:
    """Return the hook for ``X | UnsetType``, which is called only for a field that was sent."""
    inner = without(kind, UnsetType)
    structure_inner = _converter.get_structure_hook(inner)
    return lambda value, _: structure_inner(value, inner)


def _list_hook(kind: Any) -> _Hook:
    inner, make = get_args(kind)[0], get_origin(kind)

    def structure_list(value: Any, _: Any) -> Any:
        if type(value) is not list:
            raise _BrokenError("must be a list")
        return make(_each(enumerate(value), inner, kind).values())

    return structure_list


def _mapping_hook(kind: Any) -> _Hook:
    inner = get_args(kind)[1]

    def structure_mapping(value: Any, _: Any) -> Any:
        if type(value) is not dict:
            raise _BrokenError("must be an object")
        return _each(value.items(), inner, kind)

    return structure_mapping


def _each(members: Iterable[tuple[Any, Any]], inner: Any, kind: Any) -> dict[Any, Any]:
    structure_inner = _converter.get_structure_hook(inner)
    good: dict[Any, Any] = {}
    errors: list[Exception] = []
    count = 0
    for name, member in members:
        try:
            good[name] = structure_inner(member, inner)
        except (BaseValidationError, _BrokenError) as error:
            error.add_note(IterableValidationNote("", name, inner))
            errors.append(error)
            count += sum(1 for _ in _broken_paths(error, ""))
            if count >= MOST_ERRORS:
                break
    if errors:
        raise IterableValidationError("", errors, kind)
    return good


def _literal_hook(kind: Any) -> _Hook:
    return _choice_hook({value: value for value in get_args(kind)})


@cache
def _enum_hook(kind: Any) -> _Hook:
    return _choice_hook({member.value: member for member in kind})


def _choice_hook(values: Mapping[str, Any]) -> _Hook:
    predicate = f"must be one of: {', '.join(values)}"

    def structure_choice(value: Any, _: Any) -> Any:
        if type(value) is not str or value not in values:
            raise _BrokenError(predicate)
        return values[value]

    return structure_choice


# Simple types


def _text(value: Any, _: Any) -> str:
    if type(value) is not str:
        raise _BrokenError("must be a string")
    return value


def _integer(value: Any, _: Any) -> int:
    if type(value) is not int:
        raise _BrokenError("must be an integer")
    return value


def _number(value: Any, _: Any) -> float:
    if type(value) is not float and type(value) is not int:
        raise _BrokenError("must be a number")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise _BrokenError("must be a finite number")
    return number


def _boolean(value: Any, _: Any) -> bool:
    if type(value) is not bool:
        raise _BrokenError("must be true or false")
    return value


_DAY: Final = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)


def _uuid(value: Any, _: Any) -> UUID:
    made = parse_uuid(value)
    if made is None:
        raise _BrokenError("must be a UUID")
    return made


def _time(value: Any, _: Any) -> datetime:
    """Read an RFC 3339 time, which must have an offset: without one, it is ambiguous."""
    try:
        at = datetime.fromisoformat(value) if isinstance(value, str) else None
        found = None if at is None or at.tzinfo is None else at.astimezone(UTC)
    except (ValueError, OverflowError):
        found = None
    if found is None or found.year < _FIRST_YEAR:
        raise _BrokenError("must be a time such as 2026-03-14T12:00:00Z")
    return found


def _day(value: Any, _: Any) -> date:
    if type(value) is str and _DAY.fullmatch(value):
        try:
            return date.fromisoformat(value)
        except ValueError:
            pass
    raise _BrokenError("must be a date such as 2026-01-31")


# The converter


def _is_a(origin: Any) -> Callable[[Any], bool]:
    return lambda kind: get_origin(kind) is origin


def _may_be(member: Any) -> Callable[[Any], bool]:
    """Return a test for unions that include ``member``."""
    return lambda kind: get_origin(kind) in (Union, UnionType) and member in get_args(kind)


_is_optional: Final = _may_be(NoneType)


def _is_list(kind: Any) -> bool:
    args = get_args(kind)
    return get_origin(kind) is list or (get_origin(kind) is tuple and len(args) == 2 and args[1] is ...)  # noqa: PLR2004 - tuple[T, ...]


def _no_hook(kind: Any) -> _Hook:
    msg = f"No strict hook is registered for {kind!r}."
    raise TypeError(msg)


def _strict_converter() -> Converter:
    made = Converter(detailed_validation=True)
    # Hooks are tried from the last registered to the first, so the one that rejects everything else comes first.
    made.register_structure_hook_factory(lambda _: True, _no_hook)
    made.register_structure_hook_func(lambda kind: kind in (Any, object), lambda value, _: value)
    made.register_structure_hook_func(lambda kind: kind is date, _day)  # but not a datetime
    made.register_structure_hook(datetime, _time)
    made.register_structure_hook_factory(attrs.has, _class_hook)
    made.register_structure_hook_factory(_is_a(Literal), _literal_hook)
    made.register_structure_hook_factory(_is_a(dict), _mapping_hook)
    made.register_structure_hook_factory(_is_list, _list_hook)
    made.register_structure_hook_factory(_is_optional, _optional_hook)
    made.register_structure_hook_factory(_may_be(UnsetType), _unset_hook)
    made.register_structure_hook_factory(_is_a(Annotated), _annotated_hook)
    # These are found by class, including subclasses; StrEnum is closer to its members than str is.
    made.register_structure_hook(str, _text)
    made.register_structure_hook(int, _integer)
    made.register_structure_hook(float, _number)
    made.register_structure_hook(bool, _boolean)
    made.register_structure_hook(UUID, _uuid)
    made.register_structure_hook(StrEnum, lambda value, kind: _enum_hook(kind)(value, kind))
    return made


_converter: Final = _strict_converter()


# Query strings

_WHOLE: Final = re.compile(r"-?\d{1,19}", re.ASCII)
_DECIMAL: Final = re.compile(r"-?\d{1,300}(\.\d{1,300})?", re.ASCII)
_BOOLEANS: Final = {"true": True, "false": False, "1": True, "0": False}


def _spelled(kind: Any, texts: Sequence[str]) -> object:
    bare = _bare(kind)
    if _is_list(bare):
        return [_spelled(get_args(bare)[0], [text]) for text in texts]
    if len(texts) > 1:
        return list(texts)
    return _SPELLINGS.get(bare, _as_sent)(texts[0])


def _bare(kind: Any) -> Any:
    """Return a type without its rules and without ``| None``."""
    while get_origin(kind) is Annotated or _is_optional(kind):
        kind = get_args(kind)[0] if get_origin(kind) is Annotated else without(kind, NoneType)
    return kind


def _as_sent(text: str) -> object:
    return text


def _as_integer(text: str) -> object:
    number = int(text) if _WHOLE.fullmatch(text) else None
    return number if number is not None and -(2**63) <= number < 2**63 else text


def _as_number(text: str) -> object:
    number = float(text) if _DECIMAL.fullmatch(text) else math.inf
    return number if math.isfinite(number) else text


def _as_boolean(text: str) -> object:
    return _BOOLEANS.get(text, text)


_SPELLINGS: Final[dict[Any, Callable[[str], object]]] = {
    int: _as_integer,
    float: _as_number,
    bool: _as_boolean,
}
