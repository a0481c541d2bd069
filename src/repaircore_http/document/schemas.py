"""From types to JSON Schema (the 2020-12 dialect, which OpenAPI 3.1 speaks).

Requests are attrs classes with the rules of ``rules``, as ``structuring`` reads them; answers are views (``kernel.views``). Classes with
a name become components, which are referred to.
"""

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from enum import StrEnum
from inspect import getdoc
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    Final,
    Generic,
    Literal,
    NotRequired,
    Required,
    TypeAlias,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)
from uuid import UUID

import attrs

from repaircore.kernel.rules import Described, Length, OneOf, Pattern, Range
from repaircore.kernel.views import UnsetType, is_view
from repaircore_http.document.words import choices_of, said_of

Schema: TypeAlias = dict[str, Any]

_LEAST: Final = -(2**63)
_MOST: Final = 2**63 - 1
_LEAVES: Final[Mapping[Any, Schema]] = {
    str: {"type": "string"},
    bool: {"type": "boolean"},
    # What has no bounds of its own has those of the reader: 64 bits.
    int: {"type": "integer", "format": "int64", "minimum": _LEAST, "maximum": _MOST},
    float: {"type": "number"},
    date: {"type": "string", "format": "date"},
    datetime: {"type": "string", "format": "date-time"},
    UUID: {"type": "string", "format": "uuid"},
    NoneType: {"type": "null"},
    Any: {},
    object: {},
}


class Schemas:
    """Makes schemas, and keeps those of named classes as components."""

    def __init__(self) -> None:
        self.components: dict[str, Schema] = {}
        self._named: dict[str, Any] = {}

    def of(self, kind: Any, bound: Mapping[Any, Any] | None = None) -> Schema:
        """Give the schema of a type; ``bound`` says what type variables stand for.

        Raises:
            TypeError: no schema is known for it, or two classes want one name.
        """
        if isinstance(kind, TypeVar):
            return self.of((bound or {})[kind])
        if kind in _LEAVES:
            return dict(_LEAVES[kind])
        origin = get_origin(kind)
        if origin is None or is_view(origin) or is_typeddict(origin):
            return self._class(kind, origin, get_args(kind))
        return self._made_of(origin, get_args(kind), bound)

    def _made_of(self, origin: Any, args: tuple[Any, ...], bound: Mapping[Any, Any] | None) -> Schema:
        if origin is Annotated:
            return self._ruled(args[0], args[1:], bound)
        if origin in {Union, UnionType}:
            return self._any_of(args, bound)
        if origin is Literal:
            return {"const": args[0]} if len(args) == 1 else {"type": "string", "enum": list(args)}
        if issubclass(origin, Mapping):
            return self._mapping(args, bound)
        return {"type": "array", "items": self.of(args[0], bound)}

    def properties(self, shape: type[Any]) -> dict[str, Schema]:
        """Give the schema of each field of a request's shape, with what is said of it."""
        attrs.resolve_types(shape)
        return {
            field.name: _with_words(shape, field.name, _with_default(field, self.of(field.type)))
            for field in attrs.fields(shape)
        }

    def body(self, shape: type[Any], *, optional: bool = False) -> Schema:
        """Give the schema of a request's body; ``optional`` demands nothing of what the shape demands."""
        schema: Schema = {"type": "object", "properties": self.properties(shape)}
        required = [field.name for field in attrs.fields(shape) if field.default is attrs.NOTHING]
        if required and not optional:
            schema["required"] = required
        return {"title": shape.__name__, **_described(shape), **schema}

    def _class(self, kind: Any, origin: Any, args: tuple[Any, ...]) -> Schema:
        if isinstance(kind, type) and issubclass(kind, StrEnum):
            return {"type": "string", "enum": [member.value for member in kind]}
        if origin is not None:
            bound = dict(zip(origin.__parameters__, args, strict=True))
            return self._view(origin, bound) if is_view(origin) else self._dictionary(origin, bound)
        if is_typeddict(kind):
            return self._component(kind, lambda: self._dictionary(kind, {}))
        if is_view(kind):
            return self._component(kind, lambda: self._view(kind, {}))
        if attrs.has(kind):
            return self._component(kind, lambda: self.body(kind))
        msg = f"No schema is known for {kind!r}."
        raise TypeError(msg)

    def _component(self, kind: Any, made: Any) -> Schema:
        name = kind.__name__.removesuffix("View")
        if self._named.setdefault(name, kind) is not kind:
            msg = f"Two shapes are called {name}: {self._named[name]!r} and {kind!r}."
            raise TypeError(msg)
        if name not in self.components:
            self.components[name] = {}  # it may refer to itself
            self.components[name] = made()
        return {"$ref": f"#/components/schemas/{name}"}

    def _dictionary(self, kind: Any, bound: Mapping[Any, Any]) -> Schema:
        bound = {**_inherited(kind), **bound}
        hints = get_type_hints(kind, include_extras=True)
        required = [name for name in hints if name in kind.__required_keys__]
        properties = {
            name: _with_words(kind, name, self.of(_bare(hint), bound)) for name, hint in hints.items()
        }
        schema: Schema = {"type": "object", "properties": properties}
        return {**_described(kind), **schema, **({"required": required} if required else {})}

    def _view(self, kind: Any, bound: Mapping[Any, Any]) -> Schema:
        """Return the schema of an answer; a field that may be left out is not required."""
        bound = {**_inherited(kind), **bound}
        hints = get_type_hints(kind, include_extras=True)
        names = [one.name for one in attrs.fields(kind)]
        required = [name for name in names if not _may_be_unset(hints[name])]
        properties = {
            name: _with_words(kind, name, self.of(_without_unset(hints[name]), bound)) for name in names
        }
        schema: Schema = {"type": "object", "properties": properties}
        return {**_described(kind), **schema, **({"required": required} if required else {})}

    def _ruled(self, kind: Any, rules: Sequence[Any], bound: Mapping[Any, Any] | None) -> Schema:
        schema = self.of(kind, bound)
        for rule in rules:
            schema = {**schema, **_bounds_of(rule, schema)}
        return schema

    def _any_of(self, kinds: Sequence[Any], bound: Mapping[Any, Any] | None) -> Schema:
        made = [self.of(kind, bound) for kind in kinds]
        null = {"type": "null"}
        if null not in made:
            return {"anyOf": made}
        others = [one for one in made if one != null]
        if len(others) == 1 and isinstance(others[0].get("type"), str):
            only = others[0]
            values = {"enum": [*only["enum"], None]} if "enum" in only else {}
            return {**only, "type": [only["type"], "null"], **values}
        return {"anyOf": [*others, null]}

    def _mapping(self, args: tuple[Any, ...], bound: Mapping[Any, Any] | None) -> Schema:
        schema: Schema = {"type": "object", "additionalProperties": self.of(args[1], bound)}
        return schema if args[0] is str else {**schema, "propertyNames": self.of(args[0], bound)}


def _may_be_unset(hint: Any) -> bool:
    return get_origin(hint) in {Union, UnionType} and UnsetType in get_args(hint)


def _without_unset(hint: Any) -> Any:
    if not _may_be_unset(hint):
        return hint
    return Union[tuple(one for one in get_args(hint) if one is not UnsetType)]  # noqa: UP007 - of a computed tuple


def _bare(hint: Any) -> Any:
    return get_args(hint)[0] if get_origin(hint) in {NotRequired, Required} else hint


def _inherited(kind: Any) -> dict[Any, Any]:
    """Give what the type variables of the generic ones that it is made of stand for."""
    told: dict[Any, Any] = {}
    for one in getattr(kind, "__orig_bases__", ()):
        origin = get_origin(one)
        if origin is not None and origin is not Generic:
            told |= dict(zip(origin.__parameters__, get_args(one), strict=True))
    return told


def _bounds_of(rule: Any, ruled: Schema) -> Schema:
    """Return what a rule beside a type adds to its schema."""
    match rule:
        case Length(least, most):
            bounds = (least or None, most)
            return _given(dict(zip(_length_words(ruled), bounds, strict=True)))
        case Range(least, most):
            return _given({"minimum": least, "maximum": most})
        case Pattern(regex):
            return {"pattern": f"^(?:{regex})$"}
        case OneOf(words):
            return {"enum": list(words)}
        case Described(text, schema):
            return _given({"description": text or None, **schema})
    return {}


def _length_words(schema: Schema) -> tuple[str, str]:
    if "items" in schema:
        return "minItems", "maxItems"
    is_object = "$ref" in schema or "additionalProperties" in schema
    return ("minProperties", "maxProperties") if is_object else ("minLength", "maxLength")


def _given(schema: Mapping[str, Any]) -> Schema:
    return {name: value for name, value in schema.items() if value is not None}


def _with_default(field: "attrs.Attribute[Any]", schema: Schema) -> Schema:
    default = field.default
    if isinstance(default, (str, int, float)) and default != "":
        return {**schema, "default": default}
    return schema


def _with_words(shape: type[Any], name: str, schema: Schema) -> Schema:
    choices = choices_of(name, shape.__name__)
    if choices:
        is_nullable = "null" in schema.get("type", ())
        schema = {**schema, "enum": [*choices, *([None] if is_nullable else [])]}
    words = None if "description" in schema else said_of(name, shape.__name__)
    return schema if words is None else {**schema, "description": words}


def _described(kind: Any) -> Schema:
    text = " ".join((getdoc(kind) or "").split())
    return {"description": text.replace("``", "`")} if text else {}
