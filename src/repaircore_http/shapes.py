"""Structuring: from JSON values to the attrs shapes of requests, strictly.

Nothing is coerced: ``5`` is not a string, ``"5"``, ``5.0`` and ``true`` are not integers, null stands only where
the shape says Optional. Unknown fields are ignored. Every bad field is told of, under its dotted name.

One cattrs converter finds the reader of each type; a reader of a class is made once. A type that has no strict
reader here is refused when its shape is first used, rather than coerced by cattrs.
"""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from enum import StrEnum
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, TypeAlias, TypeVar, Union, get_args, get_origin
from uuid import UUID

import attrs
from attrs import frozen
from cattrs import Converter

from repaircore.kernel.errors import Invalid
from repaircore.kernel.ids import uuid_of
from repaircore_http.rules import checks, sentence

MOST_FAULTS = 100
"""After how many bad members of one list or object the rest is not looked at: an answer stays small."""

Faults: TypeAlias = dict[str, list[str]]
"""Sentences by the dotted name of the field."""

T = TypeVar("T")
_Told: TypeAlias = dict[str, tuple[str, ...]]
_Read: TypeAlias = Callable[[Any, Any], Any]


def structure(shape: type[T], value: Mapping[str, object]) -> T:
    """Make a ``shape`` of a JSON object.

    Raises:
        Invalid: with every bad field.
    """
    good, told = _plan(shape).members(value)
    if told:
        raise Invalid(_sentences(told))
    return shape(**good)


def structure_partially(shape: type[Any], value: Mapping[str, object]) -> tuple[dict[str, Any], Faults]:
    """Give the fields of ``shape`` that are good, and the sentences about the others.

    A handler adds what only the core knows (no such ZIP) to the same ``Faults`` and raises them together.
    A good field that was not sent is absent.
    """
    good, told = _plan(shape).members(value)
    return good, _sentences(told)


def from_query(shape: type[Any], asked: Mapping[str, Sequence[str]]) -> dict[str, object]:
    """Read query parameters as the JSON values that ``shape`` has fields for.

    ``asked`` has the texts of each parameter. Text that does not spell its field's type stays text, and a
    parameter that was given twice for one value stays a list: structuring then says what was wanted.
    """
    return {name: _spelled(kind, asked[name]) for name, kind, _, _ in _plan(shape).fields if asked.get(name)}


class _InvalidValue(ValueError):
    """A value that breaks rules: predicates by dotted path, the value itself under the empty path."""

    def __init__(self, told: _Told) -> None:
        super().__init__()
        self.told = told


def _refusal(*predicates: str) -> _InvalidValue:
    return _InvalidValue({"": predicates})


def _sentences(told: Mapping[str, Sequence[str]]) -> Faults:
    return {
        path: [sentence(path, predicate) for predicate in predicates] for path, predicates in told.items()
    }


def _under(name: str, refused: _InvalidValue, told: _Told) -> None:
    for path, predicates in refused.told.items():
        told[f"{name}.{path}" if path else name] = predicates


# Shapes


@frozen
class _Plan:
    """How to read one shape: of each field its name, type and reader, and whether it must be sent.

    Fields that the shape does not have are ignored, unless it ``is_closed``.
    """

    fields: tuple[tuple[str, Any, _Read, bool], ...]
    is_closed: bool = False

    def members(self, value: Mapping[str, object]) -> tuple[dict[str, Any], _Told]:
        """Read what is good of a JSON object, and tell what is not."""
        good: dict[str, Any] = {}
        told: _Told = {}
        for name, kind, read, required in self.fields:
            if name in value:
                try:
                    good[name] = read(value[name], kind)
                except _InvalidValue as refused:
                    _under(name, refused, told)
            elif required:
                told[name] = ("is required",)
        if self.is_closed:
            names = [name for name, *_ in self.fields]
            unknown = (name for name in value if name not in names)
            told |= {name: (f"is unknown; there are {', '.join(names)}",) for name in unknown}
        return good, told


_plans: dict[Any, _Plan] = {}


def _plan(shape: Any) -> _Plan:
    """Make a plan once; two threads at the same moment make equal ones."""
    plan = _plans.get(shape)
    if plan is None:
        plan = _plans[shape] = _planned(shape)
    return plan


def _planned(shape: Any) -> _Plan:
    attrs.resolve_types(shape)
    reader_of = _converter.get_structure_hook
    return _Plan(
        tuple(
            (field.name, field.type, reader_of(field.type), field.default is attrs.NOTHING)
            for field in attrs.fields(shape)
        ),
        is_closed=getattr(shape, "is_closed", False),
    )


def _shape_reader(shape: type[Any]) -> _Read:
    members = _plan(shape).members

    def read(value: Any, _: Any) -> Any:
        if type(value) is not dict:
            raise _refusal("must be an object")
        good, told = members(value)
        if told:
            raise _InvalidValue(told)
        return shape(**good)

    return read


# Types made of others


def _annotated_reader(kind: Any) -> _Read:
    inner, *rules = get_args(kind)
    read, broken_by = _converter.get_structure_hook(inner), checks(rules)

    def read_and_check(value: Any, _: Any) -> Any:
        made = read(value, inner)
        if made is None:
            return None
        for check in broken_by:
            if check(made) is not None:
                # All of them are told; looked for again only here, since values are mostly good.
                raise _refusal(*filter(None, (every(made) for every in broken_by)))
        return made

    return read_and_check


def _optional_reader(kind: Any) -> _Read:
    inner = _inner(kind)
    read = _converter.get_structure_hook(inner)
    return lambda value, _: None if value is None else read(value, inner)


def _list_reader(kind: Any) -> _Read:
    inner, make = get_args(kind)[0], get_origin(kind)
    read = _converter.get_structure_hook(inner)

    def read_list(value: Any, _: Any) -> Any:
        if type(value) is not list:
            raise _refusal("must be a list")
        return make(_each(enumerate(value), read, inner).values())

    return read_list


def _mapping_reader(kind: Any) -> _Read:
    inner = get_args(kind)[1]
    read = _converter.get_structure_hook(inner)

    def read_mapping(value: Any, _: Any) -> Any:
        if type(value) is not dict:
            raise _refusal("must be an object")
        return _each(value.items(), read, inner)

    return read_mapping


def _each(members: Any, read: _Read, kind: Any) -> dict[Any, Any]:
    good: dict[Any, Any] = {}
    told: _Told = {}
    for name, member in members:
        try:
            good[name] = read(member, kind)
        except _InvalidValue as refused:
            _under(str(name), refused, told)
            if len(told) >= MOST_FAULTS:
                break
    if told:
        raise _InvalidValue(told)
    return good


def _literal_reader(kind: Any) -> _Read:
    return _choice({value: value for value in get_args(kind)})


def _choice(values: Mapping[str, Any]) -> _Read:
    predicate = f"must be one of: {', '.join(values)}"

    def read(value: Any, _: Any) -> Any:
        if type(value) is not str or value not in values:
            raise _refusal(predicate)
        return values[value]

    return read


@cache
def _enum_reader(kind: Any) -> _Read:
    return _choice({member.value: member for member in kind})


# Leaves


def _text(value: Any, _: Any) -> str:
    if type(value) is not str:
        raise _refusal("must be a string")
    return value


def _integer(value: Any, _: Any) -> int:
    if type(value) is not int:
        raise _refusal("must be an integer")
    return value


def _number(value: Any, _: Any) -> float:
    if type(value) is not float and type(value) is not int:
        raise _refusal("must be a number")
    return float(value)


def _truth(value: Any, _: Any) -> bool:
    if type(value) is not bool:
        raise _refusal("must be true or false")
    return value


_DAY = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)


def _uuid(value: Any, _: Any) -> UUID:
    read = uuid_of(value)
    if read is None:
        raise _refusal("must be a UUID")
    return read


def _day(value: Any, _: Any) -> date:
    if type(value) is str and _DAY.fullmatch(value):
        try:
            return date.fromisoformat(value)
        except ValueError:
            pass
    raise _refusal("must be a date such as 2026-01-31")


# The converter


def _inner(kind: Any) -> Any:
    """Take the None out of an Optional."""
    return Union[tuple(arg for arg in get_args(kind) if arg is not NoneType)]  # noqa: UP007 - of a computed tuple


def _made_of(origin: Any) -> Callable[[Any], bool]:
    return lambda kind: get_origin(kind) is origin


def _is_optional(kind: Any) -> bool:
    return get_origin(kind) in (Union, UnionType) and NoneType in get_args(kind)


def _is_list(kind: Any) -> bool:
    args = get_args(kind)
    return get_origin(kind) is list or (get_origin(kind) is tuple and len(args) == 2 and args[1] is ...)  # noqa: PLR2004 - tuple[T, ...]


def _no_reader(kind: Any) -> _Read:
    msg = f"No strict reader is known for {kind!r}."
    raise TypeError(msg)


def _strict_converter() -> Converter:
    made = Converter()
    # The last one registered is asked first, so the refusal of all the rest comes first; cattrs' own are never asked.
    made.register_structure_hook_factory(lambda _: True, _no_reader)
    made.register_structure_hook_func(lambda kind: kind in (Any, object), lambda value, _: value)
    made.register_structure_hook_func(lambda kind: kind is UUID, _uuid)
    made.register_structure_hook_func(lambda kind: kind is date, _day)
    made.register_structure_hook_factory(attrs.has, _shape_reader)
    made.register_structure_hook_factory(_made_of(Literal), _literal_reader)
    made.register_structure_hook_factory(_made_of(dict), _mapping_reader)
    made.register_structure_hook_factory(_is_list, _list_reader)
    made.register_structure_hook_factory(_is_optional, _optional_reader)
    made.register_structure_hook_factory(_made_of(Annotated), _annotated_reader)
    # Found by class, subclasses included; StrEnum is nearer to its members than str.
    made.register_structure_hook(str, _text)
    made.register_structure_hook(int, _integer)
    made.register_structure_hook(float, _number)
    made.register_structure_hook(bool, _truth)
    made.register_structure_hook(StrEnum, lambda value, kind: _enum_reader(kind)(value, kind))
    return made


_converter = _strict_converter()


# Query strings

_WHOLE = re.compile(r"-?\d{1,19}", re.ASCII)
_DECIMAL = re.compile(r"-?\d{1,300}(\.\d{1,300})?", re.ASCII)
_TRUTHS = {"true": True, "false": False, "1": True, "0": False}


def _spelled(kind: Any, texts: Sequence[str]) -> object:
    bare = _bare(kind)
    if _is_list(bare):
        return [_spelled(get_args(bare)[0], [text]) for text in texts]
    if len(texts) > 1:
        return list(texts)
    return _SPELLINGS.get(bare, _as_sent)(texts[0])


def _bare(kind: Any) -> Any:
    """Take off the rules and the Optional of a type."""
    while get_origin(kind) is Annotated or _is_optional(kind):
        kind = get_args(kind)[0] if get_origin(kind) is Annotated else _inner(kind)
    return kind


def _as_sent(text: str) -> object:
    return text


def _as_integer(text: str) -> object:
    number = int(text) if _WHOLE.fullmatch(text) else None
    return number if number is not None and -(2**63) <= number < 2**63 else text


def _as_number(text: str) -> object:
    number = float(text) if _DECIMAL.fullmatch(text) else math.inf
    return number if math.isfinite(number) else text


def _as_truth(text: str) -> object:
    return _TRUTHS.get(text, text)


_SPELLINGS: dict[Any, Callable[[str], object]] = {int: _as_integer, float: _as_number, bool: _as_truth}
