"""JSON Schema of types (the 2020-12 dialect, which OpenAPI 3.1 uses).

Requests are attrs classes with ``kernel.rules``, as ``structuring`` reads them; responses are views (``kernel.views``).
Named classes become components, which schemas refer to.
"""

from collections.abc import Callable, Mapping, Sequence
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

from repaircore.kernel.rules import Described, Length, OneOf, Pattern, PlainText, Range, WholeCents
from repaircore.kernel.views import UnsetType, is_view
from repaircore.structuring import takes_null
from repaircore_http.document.descriptions import choices_of, description_of

Schema: TypeAlias = dict[str, Any]

_MIN_INT: Final = -(2**63)
_MAX_INT: Final = 2**63 - 1
_NULL: Final[Schema] = {"type": "null"}

_SIMPLE_TYPES: Final[Mapping[Any, Schema]] = {
    str: {"type": "string"},
    bool: {"type": "boolean"},
    # The bounds of the parser, for fields without bounds of their own.
    int: {"type": "integer", "format": "int64", "minimum": _MIN_INT, "maximum": _MAX_INT},
    float: {"type": "number"},
    date: {"type": "string", "format": "date"},
    datetime: {"type": "string", "format": "date-time"},
    UUID: {"type": "string", "format": "uuid"},
    NoneType: {"type": "null"},
    Any: {},
    object: {},
}


class Schemas:
    """Creates schemas, and collects the schemas of named classes as components."""

    def __init__(self) -> None:
        self.components: dict[str, Schema] = {}
        self._classes: dict[str, Any] = {}

    def of(self, kind: Any, bound: Mapping[Any, Any] | None = None) -> Schema:
        """Return the schema of a type; ``bound`` are the types of its type variables.

        Raises:
            TypeError: the type has no schema, or two classes have the same name.
        """
        if isinstance(kind, TypeVar):
            return self.of((bound or {})[kind])
        if kind in _SIMPLE_TYPES:
            return dict(_SIMPLE_TYPES[kind])
        origin = get_origin(kind)
        if origin is None or is_view(origin) or is_typeddict(origin):
            return self._class(kind, origin, get_args(kind))
        return self._of_generic(origin, get_args(kind), bound)

    def _of_generic(self, origin: Any, args: tuple[Any, ...], bound: Mapping[Any, Any] | None) -> Schema:
        if origin is Annotated:
            return self._with_rules(args[0], args[1:], bound)
        if origin in {Union, UnionType}:
            return self._any_of(args, bound)
        if origin is Literal:
            return {"const": args[0]} if len(args) == 1 else {"type": "string", "enum": list(args)}
        if issubclass(origin, Mapping):
            return self._mapping(args, bound)
        return {"type": "array", "items": self.of(args[0], bound)}

    def properties(self, shape: type[Any]) -> dict[str, Schema]:
        """Return the schema of each field of a request shape, with its description."""
        attrs.resolve_types(shape)
        return {
            field.name: _with_description(shape, field.name, _with_default(field, self._field(shape, field)))
            for field in attrs.fields(shape)
        }

    def _field(self, shape: type[Any], field: "attrs.Attribute[Any]") -> Schema:
        schema = self.of(_without_unset(field.type))
        return with_null(schema) if takes_null(shape, field) else schema

    def body(self, shape: type[Any], *, optional: bool = False) -> Schema:
        """Return the schema of a request body; with ``optional``, no field is required."""
        schema: Schema = {"type": "object", "properties": self.properties(shape)}
        required = [field.name for field in attrs.fields(shape) if field.default is attrs.NOTHING]
        if required and not optional:
            schema["required"] = required
        return {"title": shape.__name__, **_description(shape), **schema}

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
        msg = f"{kind!r} has no schema."
        raise TypeError(msg)

    def _component(self, kind: Any, make: Callable[[], Schema]) -> Schema:
        name = _component_name(kind)
        if self._classes.setdefault(name, kind) is not kind:
            msg = f"Two classes are called {name}: {self._classes[name]!r} and {kind!r}."
            raise TypeError(msg)
        if name not in self.components:
            self.components[name] = {}  # it may refer to itself
            self.components[name] = make()
        return {"$ref": f"#/components/schemas/{name}"}

    def _dictionary(self, kind: Any, bound: Mapping[Any, Any]) -> Schema:
        bound = {**_inherited(kind), **bound}
        hints = get_type_hints(kind, include_extras=True)
        required = [name for name in hints if name in kind.__required_keys__]
        properties = {
            name: _with_description(kind, name, self.of(_bare(hint), bound)) for name, hint in hints.items()
        }
        schema: Schema = {"type": "object", "properties": properties}
        return {**_description(kind), **schema, **({"required": required} if required else {})}

    def _view(self, kind: Any, bound: Mapping[Any, Any]) -> Schema:
        """Return the schema of a view; a field that may be left out is not required."""
        bound = {**_inherited(kind), **bound}
        hints = get_type_hints(kind, include_extras=True)
        names = [field.name for field in attrs.fields(kind)]
        required = [name for name in names if not _may_be_unset(hints[name])]
        properties = {
            name: _with_description(kind, name, self.of(_without_unset(hints[name]), bound)) for name in names
        }
        schema: Schema = {"type": "object", "properties": properties}
        return {**_description(kind), **schema, **({"required": required} if required else {})}

    def _with_rules(self, kind: Any, rules: Sequence[Any], bound: Mapping[Any, Any] | None) -> Schema:
        schema = self.of(kind, bound)
        for rule in rules:
            schema = {**schema, **_bounds_of(rule, schema)}
        return schema

    def _any_of(self, kinds: Sequence[Any], bound: Mapping[Any, Any] | None) -> Schema:
        schemas = [self.of(kind, bound) for kind in kinds]
        if _NULL not in schemas:
            return {"anyOf": schemas}
        others = [schema for schema in schemas if schema != _NULL]
        return with_null(others[0]) if len(others) == 1 else {"anyOf": [*others, _NULL]}

    def _mapping(self, args: tuple[Any, ...], bound: Mapping[Any, Any] | None) -> Schema:
        schema: Schema = {"type": "object", "additionalProperties": self.of(args[1], bound)}
        return schema if args[0] is str else {**schema, "propertyNames": self.of(args[0], bound)}


def with_null(schema: Schema) -> Schema:
    """Return a schema that accepts null, too."""
    kind = schema.get("type")
    if isinstance(kind, list):
        return schema  # it accepts null already
    if "anyOf" in schema:
        return schema if _NULL in schema["anyOf"] else {"anyOf": [*schema["anyOf"], _NULL]}
    if not isinstance(kind, str):
        return {"anyOf": [schema, _NULL]}
    values = {"enum": [*schema["enum"], None]} if "enum" in schema else {}
    return {**schema, "type": [kind, "null"], **values}


def _may_be_unset(hint: Any) -> bool:
    return get_origin(hint) in {Union, UnionType} and UnsetType in get_args(hint)


def _without_unset(hint: Any) -> Any:
    if not _may_be_unset(hint):
        return hint
    return Union[tuple(arg for arg in get_args(hint) if arg is not UnsetType)]  # noqa: UP007 - the members are a computed tuple


def _bare(hint: Any) -> Any:
    return get_args(hint)[0] if get_origin(hint) in {NotRequired, Required} else hint


def _inherited(kind: Any) -> dict[Any, Any]:
    """Return the types that a class assigns to the type variables of its generic bases."""
    bound: dict[Any, Any] = {}
    for base in getattr(kind, "__orig_bases__", ()):
        origin = get_origin(base)
        if origin is not None and origin is not Generic:
            bound |= dict(zip(origin.__parameters__, get_args(base), strict=True))
    return bound


def _bounds_of(rule: Any, ruled: Schema) -> Schema:
    """Return what a rule adds to ``ruled``, the schema of the type that it restricts."""
    bounds: Schema = {}
    match rule:
        case Length(least, most) | PlainText(least, most):
            bounds = dict(zip(_length_keywords(ruled), (least or None, most), strict=True))
        case Range(least, most):
            bounds = {"minimum": least, "maximum": most}
        case Pattern(regex):
            bounds = {"pattern": f"^(?:{regex})$"}
        case OneOf(words):
            bounds = {"enum": list(words)}
        case WholeCents():
            bounds = {"description": "US dollars, with at most two decimals."}
        case Described(text, schema):
            bounds = {"description": text or None, **schema}
    return _without_none(bounds)


def _length_keywords(schema: Schema) -> tuple[str, str]:
    if "items" in schema:
        return "minItems", "maxItems"
    is_object = "$ref" in schema or "additionalProperties" in schema
    return ("minProperties", "maxProperties") if is_object else ("minLength", "maxLength")


def _without_none(schema: Mapping[str, Any]) -> Schema:
    return {name: value for name, value in schema.items() if value is not None}


def _with_default(field: "attrs.Attribute[Any]", schema: Schema) -> Schema:
    default = field.default
    if isinstance(default, (str, int, float)) and default != "":
        return {**schema, "default": default}
    return schema


def _with_description(shape: type[Any], name: str, schema: Schema) -> Schema:
    choices = choices_of(name, _component_name(shape))
    if choices:
        is_nullable = "null" in schema.get("type", ())
        schema = {**schema, "enum": [*choices, *([None] if is_nullable else [])]}
    description = None if "description" in schema else description_of(name, _component_name(shape))
    return schema if description is None else {**schema, "description": description}


def _description(kind: Any) -> Schema:
    text = " ".join((getdoc(kind) or "").split())
    return {"description": text.replace("``", "`")} if text else {}


def _component_name(kind: Any) -> str:
    name: str = kind.__name__
    return name.removesuffix("View")
