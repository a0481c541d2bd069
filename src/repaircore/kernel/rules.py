"""Validation rules, declared with the types of fields: ``Annotated[str, Length(3, 255)]``.

HTTP bodies, commands and files follow the same rules. A value that breaks one gets a predicate ("must be at least 0"),
and ``sentence`` puts the name of its field before it.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date
from enum import Enum
from functools import cache
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    Final,
    Protocol,
    TypeAlias,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    runtime_checkable,
)
from unicodedata import category
from uuid import UUID

from attrs import field, fields, frozen, has
from msgspec import UNSET, UnsetType
from typing_extensions import override

from repaircore.kernel.errors import Invalid

_LAYOUT: Final = "\n\r\t"

FieldErrors: TypeAlias = dict[str, list[str]]
"""Error sentences by dotted field name."""


@frozen
class Length:
    """Bounds the characters of a string, the items of a list or the keys of an object, both ends included."""

    least: int = 0
    most: int | None = None

    def broken_by(self, value: Any) -> str | None:
        """Return the predicate that ``value`` breaks, or None if it is valid."""
        if len(value) < self.least:
            return self._too_short(value)
        if self.most is not None and len(value) > self.most:
            return self._too_long(value, self.most)
        return None

    def _too_short(self, value: Any) -> str:
        if self.least == 1:
            return "must not be empty"
        if isinstance(value, str):
            return f"must be at least {self.least} characters long"
        return f"must have at least {self.least} items"

    def _too_long(self, value: Any, most: int) -> str:
        things = "characters" if isinstance(value, str) else "items"
        manner = "be longer than" if isinstance(value, str) else "have more than"
        return f"must not {manner} {most} {things if most != 1 else things[:-1]}"


@frozen
class NotBlank:
    """Requires text that is not only whitespace and has at most ``most`` characters."""

    most: int | None = None

    def broken_by(self, value: Any) -> str | None:
        """Return the predicate that ``value`` breaks, or None if it is valid."""
        return Length(0, self.most).broken_by(value) if value.strip() else "is required"


@frozen
class PlainText:
    """Requires text that can be stored and shown: of bounded length, and without control characters.

    Surrounding whitespace does not count toward ``least``. With ``lines``, the text may have tabs and several lines.
    """

    least: int = 0
    most: int | None = None
    lines: bool = False

    def broken_by(self, value: Any) -> str | None:
        """Return the predicate that ``value`` breaks, or None if it is valid."""
        too_short_or_long = Length(self.least).broken_by(value.strip()) or Length(0, self.most).broken_by(
            value
        )
        if too_short_or_long is not None:
            return too_short_or_long
        allowed = _LAYOUT if self.lines else ""
        # No database stores lone surrogates (Cs).
        is_plain = all(category(char) not in {"Cc", "Cs"} or char in allowed for char in value)
        return None if is_plain else "must not contain control characters"


@frozen
class NoNul:
    """Requires text without a NUL character, which databases refuse."""

    def broken_by(self, value: Any) -> str | None:
        """Return the predicate that ``value`` breaks, or None if it is valid."""
        return "must not contain a NUL character" if "\0" in value else None


@frozen
class Printable:
    """Requires printable characters on one line."""

    def broken_by(self, value: Any) -> str | None:
        """Return the predicate that ``value`` breaks, or None if it is valid."""
        return None if value.isprintable() else "must contain printable characters only"


@frozen
class Range:
    """Bounds a number, both ends included."""

    least: float | None = None
    most: float | None = None

    def broken_by(self, value: Any) -> str | None:
        """Return the predicate that ``value`` breaks, or None if it is valid."""
        if self.least is not None and not value >= self.least:  # NaN is no number in any range
            return f"must be at least {self.least:,}"
        if self.most is not None and value > self.most:
            return f"must not be greater than {self.most:,}"
        return None


@frozen
class YearRange(Range):
    """Bounds a year, which is written without a comma."""

    @override
    def broken_by(self, value: Any) -> str | None:
        """Return the predicate that ``value`` breaks, or None if it is valid."""
        broken = super().broken_by(value)
        return None if broken is None else broken.replace(",", "")


@frozen
class WholeCents:
    """Requires an amount of dollars in whole cents."""

    def broken_by(self, value: Any) -> str | None:
        """Return the predicate that ``value`` breaks, or None if it is valid."""
        return None if round(value, 2) == value else "must have at most two decimals"


@frozen
class DateRange:
    """Bounds a date, both ends included."""

    first: date
    last: date

    def broken_by(self, value: Any) -> str | None:
        """Return the predicate that ``value`` breaks, or None if it is valid."""
        return (
            None if self.first <= value <= self.last else f"must be a date from {self.first} to {self.last}"
        )


@frozen
class Pattern:
    """Requires that the whole string matches ``regex`` (ASCII classes); ``predicate`` is like "must be a ZIP code"."""

    regex: str
    predicate: str
    _compiled: re.Pattern[str] = field(init=False, repr=False, eq=False)

    @_compiled.default
    def _compile(self) -> re.Pattern[str]:
        return re.compile(self.regex, re.ASCII)

    def broken_by(self, value: Any) -> str | None:
        """Return the predicate that ``value`` breaks, or None if it is valid."""
        return None if self._compiled.fullmatch(value) else self.predicate


@frozen(init=False)
class OneOf:
    """Requires one of the given words; if the core has an enum of them, prefer that."""

    words: tuple[str, ...]

    def __init__(self, *words: str) -> None:
        self.__attrs_init__(words)

    def broken_by(self, value: Any) -> str | None:
        """Return the predicate that ``value`` breaks, or None if it is valid."""
        return None if value in self.words else f"must be one of: {', '.join(self.words)}"


@frozen(init=False)
class Described:
    """Describes a value in the OpenAPI document, with its JSON Schema; a description is not a rule."""

    text: str
    schema: Mapping[str, Any] = field(hash=False)

    def __init__(self, text: str = "", **schema: Any) -> None:
        self.__attrs_init__(text, schema)


@runtime_checkable
class Rule(Protocol):
    """A validation rule, with which a type is annotated; a slice may define its own."""

    def broken_by(self, value: Any) -> str | None:
        """Return the predicate that ``value``, which has the right type, breaks, or None if it is valid."""


def sentence(path: str, predicate: str) -> str:
    """Return a sentence from a field's dotted path and a predicate ("The zip code field is required.")."""
    return f"The {path.replace('_', ' ')} field {predicate}."


def broken(rules: Iterable[Rule], value: Any) -> Iterator[str]:
    """Yield the predicates that a value of the right type breaks; None and ``UNSET`` break none."""
    if value is not None and value is not UNSET:
        for rule in rules:
            predicate = rule.broken_by(value)
            if predicate is not None:
                yield predicate


def rules_of(annotation: Any) -> tuple[Rule, ...]:
    """Return the rules of an annotated type; none for any other."""
    if get_origin(annotation) is not Annotated:
        return ()
    return tuple(rule for rule in get_args(annotation)[1:] if isinstance(rule, Rule))


def without(annotation: Any, *members: Any) -> Any:
    """Return a union without some of its members; return any other annotation unchanged."""
    if get_origin(annotation) not in {Union, UnionType}:
        return annotation
    return Union[tuple(arg for arg in get_args(annotation) if arg not in members)]  # noqa: UP007 - of a computed tuple


def field_errors(shape: type[Any], values: Mapping[str, Any]) -> FieldErrors:
    """Return the errors in values, checked by the rules of the annotated fields of ``shape``; ignore other names.

    The values must have the right types. The fields of nested classes and the items of lists are checked too, under
    their dotted names.
    """
    found: FieldErrors = {}
    for name, checks in _checks_of(shape).items():
        for path, predicate in _broken_paths(checks, values.get(name), name):
            found.setdefault(path, []).append(sentence(path, predicate))
    return found


def is_valid(value: Any) -> bool:
    """Return whether an attrs object, whose fields have the right types, follows the rules of its class.

    This is the answer without the sentences, for use cases that seldom see a bad request.
    """
    for name, checks in _checks_of(type(value)).items():
        member = getattr(value, name)
        for _ in broken(checks.rules, member):
            return False
        if checks.has_members and [*_broken_paths(checks, member, name)]:
            return False
    return True


def require_valid(value: Any) -> None:
    """Validate an attrs object by the rules of its class.

    Raises:
        Invalid: with every bad field.
    """
    errors = field_errors(
        type(value), {attribute.name: getattr(value, attribute.name) for attribute in fields(type(value))}
    )
    if errors:
        raise Invalid(errors)


_LEAVES: Final = (str, int, float, bytes, date, Enum, UUID)
"""Types of values without fields or items; ``bool`` and ``datetime`` are subclasses of these."""


@frozen
class _Checks:
    """The checks of a field or an item: its type without ``None``, that type's rules, and whether it has members."""

    annotation: Any
    rules: tuple[Rule, ...]
    has_members: bool

    @classmethod
    def of(cls, annotation: Any) -> "_Checks":
        bare = without(annotation, NoneType, UnsetType)
        kind = get_args(bare)[0] if get_origin(bare) is Annotated else bare
        return cls(bare, rules_of(bare), not (isinstance(kind, type) and issubclass(kind, _LEAVES)))


def _read_checks(shape: Any) -> Mapping[str, _Checks]:
    hints = get_type_hints(shape, include_extras=True).items()
    checks = {name: _Checks.of(hint) for name, hint in hints}
    return {name: found for name, found in checks.items() if found.rules or found.has_members}


_checks_of: Final[Callable[[Any], Mapping[str, _Checks]]] = cache(_read_checks)
"""Return the fields of a class that need checks; cached because parsing annotations takes longer than checking."""


def _broken_paths(checks: _Checks, value: Any, path: str) -> Iterator[tuple[str, str]]:
    """Yield the dotted path and predicate of each broken rule; members of a value that breaks one are not checked."""
    predicates = [*broken(checks.rules, value)]
    for predicate in predicates:
        yield path, predicate
    if checks.has_members and not predicates:
        for name, inner, member in _members(checks.annotation, value):
            yield from _broken_paths(inner, member, f"{path}.{name}")


def _members(annotation: Any, value: Any) -> Iterator[tuple[str, _Checks, Any]]:
    """Yield the name, the checks and the value of each field or item."""
    if has(type(value)):
        for name, checks in _checks_of(type(value)).items():
            yield name, checks, getattr(value, name)
    elif isinstance(value, list | tuple):
        kind = get_args(annotation)[0] if get_origin(annotation) is Annotated else annotation
        checks = _Checks.of(next(iter(get_args(without(kind, NoneType, UnsetType))), Any))
        for place, item in enumerate(value):
            yield str(place), checks, item
