"""The words in which request shapes state their rules.

A rule stands beside a type, ``Annotated[str, Length(3, 255)]``, and is a ``msgspec.Meta``, which the structuring in
``shapes`` obeys. A rule breaks with a predicate, which the field's name is put before: "must be at least 0".
"""

import re
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, TypeAlias

from msgspec import Meta

Check: TypeAlias = Callable[[Any], str | None]
"""Give the predicate that a value of the right type breaks, or None."""


def Length(least: int = 0, most: int | None = None) -> Meta:  # noqa: N802 - reads as a type in annotations
    """Bound the characters of a string, the items of a list or the keys of an object, both ends included."""
    return Meta(min_length=least or None, max_length=most)


def Range(least: float | None = None, most: float | None = None) -> Meta:  # noqa: N802 - reads as a type in annotations
    """Bound a number, both ends included."""
    return Meta(ge=least, le=most)


def Pattern(regex: str, says: str) -> Meta:  # noqa: N802 - reads as a type in annotations
    """Demand that the whole string matches ``regex`` (ASCII classes).

    ``says`` is the predicate that is told otherwise: "must be a ZIP code".
    """
    return Meta(pattern=f"^(?:{regex})$", extra={"whole": regex, "says": says})


def OneOf(*words: str) -> Meta:  # noqa: N802 - reads as a type in annotations
    """Demand one of some words; a set that the core knows is better said by its enum."""
    return Meta(extra_json_schema={"enum": list(words)}, extra={"words": words})


def sentence(path: str, predicate: str) -> str:
    """Say what is wrong with the field at a dotted path: "The zip code field is required."."""
    return f"The {path.replace('_', ' ')} field {predicate}."


def checks(rules: Iterable[object]) -> tuple[Check, ...]:
    """Make the checks that some annotations ask for; what is not a rule of this module asks for none."""
    return tuple(check for rule in rules if isinstance(rule, Meta) for check in _checks_of(rule))


def _checks_of(rule: Meta) -> Iterable[Check]:
    extra = rule.extra or {}
    if rule.min_length is not None:
        yield partial(_too_short, rule.min_length)
    if rule.max_length is not None:
        yield partial(_too_long, rule.max_length)
    if rule.ge is not None:
        yield partial(_too_small, rule.ge)
    if rule.le is not None:
        yield partial(_too_great, rule.le)
    if "whole" in extra:
        yield partial(_unmatched, re.compile(extra["whole"], re.ASCII), extra["says"])
    if "words" in extra:
        yield partial(_foreign, extra["words"])


def _too_short(least: int, value: Any) -> str | None:
    if len(value) >= least:
        return None
    if least == 1:
        return "must not be empty"
    return (
        f"must be at least {least} characters long"
        if type(value) is str
        else f"must have at least {least} items"
    )


def _too_long(most: int, value: Any) -> str | None:
    if len(value) <= most:
        return None
    things = "characters" if type(value) is str else "items"
    manner = "be longer than" if type(value) is str else "have more than"
    return f"must not {manner} {most} {things if most != 1 else things[:-1]}"


def _too_small(least: float, value: Any) -> str | None:
    return f"must be at least {least}" if value < least else None


def _too_great(most: float, value: Any) -> str | None:
    return f"must not be greater than {most}" if value > most else None


def _unmatched(regex: re.Pattern[str], says: str, value: Any) -> str | None:
    return None if regex.fullmatch(value) else says


def _foreign(words: tuple[str, ...], value: Any) -> str | None:
    return None if value in words else f"must be one of: {', '.join(words)}"
