"""Building blocks for settings: their kinds, and the fields of the classes that hold them."""

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import attrs
from attrs import evolve, frozen

from repaircore.addresses import (
    HIDDEN,
    database_address,
    is_mail_server,
    is_server,
    redis_address,
    shown_database,
    shown_server,
)
from repaircore.kernel.errors import Invalid

_OFF: Final = "off"
_ON: Final = "on"
_MOST: Final = 100
_SHORTEST_SECRET: Final = 32
_SECRET_FORM: Final = f"{_SHORTEST_SECRET} characters or more"
_MOST_HOURS: Final = 336
_MOST_REMINDERS: Final = 5
_CHARACTERS: Final = "letters, digits and punctuation only"
_SENDER: Final = re.compile(r"(?:[^<>@,;\"\\]{1,100} <)?[^\s<>@,;]{1,64}@[^\s<>@,;]{1,190}>?")


@frozen
class Kind:
    """A kind of setting: how it is parsed, checked and shown.

    ``parse`` raises ValueError with the predicate that a string breaks ("must be …"); ``check`` returns the predicate
    that a value breaks, or None if it is valid. A setting that ``is_private`` is left out of the repr of the settings.
    """

    parse: Callable[[str], Any] = str
    check: Callable[[Any], str | None] = lambda _: None
    show: Callable[[Any], object] = lambda value: value
    is_private: bool = False


def _check(holds: Callable[[Any], bool], predicate: str) -> Callable[[Any], str | None]:
    return lambda value: None if holds(value) else predicate


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.replace(",", " ").split())


def _numbers(text: str) -> tuple[int, ...]:
    """Return the numbers in a string; each word that is not a number becomes 0, which is out of bounds."""
    return tuple(int(word) if word.isascii() and word.isdecimal() else 0 for word in _words(text))


def _is_key(key: str) -> bool:
    return key.isascii() and key.isprintable() and " " not in key


def _is_secret(text: str) -> bool:
    return len(text) >= _SHORTEST_SECRET and _is_key(text)


def _is_sender(text: str) -> bool:
    return text.isprintable() and bool(_SENDER.fullmatch(text)) and ("<" in text) == (">" in text)


def _hide(_: object) -> str:
    return HIDDEN


def _check_address(read: Callable[[str], object]) -> Callable[[str], str | None]:
    """Return a check that returns the predicate with which ``read`` rejects an address, or None if it is valid."""

    def check(url: str) -> str | None:
        try:
            read(url)
        except Invalid as invalid:
            return next(text for texts in invalid.fields.values() for text in texts)
        return None

    return check


def one_of(*choices: str) -> Kind:
    """Return the kind of a setting that must be one of the choices."""
    return Kind(
        check=lambda value: (
            None if value in choices else f"must be one of {', '.join(choices)}, not {value!r}"
        )
    )


def number(kind: type[int] | type[float], least: float, most: float) -> Kind:
    """Return the kind of a setting that must be a number from ``least`` to ``most``, inclusive."""

    def parse(text: str) -> float:
        try:
            value = kind(text)
        except ValueError:
            value = kind(least - 1)
        if not least <= value <= most:
            noun = "a whole number" if kind is int else "a number"
            raise ValueError(f"must be {noun} from {least:,} to {most:,}, not {text!r}")
        return value

    return Kind(parse=parse)


def _parse_hours(text: str) -> tuple[float, ...]:
    if text == _OFF:
        return ()
    item = number(float, 0.25, _MOST_HOURS)
    hours = tuple(sorted({item.parse(word) for word in _words(text)}, reverse=True))
    if len(hours) > _MOST_REMINDERS:
        raise ValueError(f"must have at most {_MOST_REMINDERS} numbers")
    return hours


def _parse_switch(text: str) -> bool:
    if text not in {_OFF, _ON}:
        raise ValueError(f"must be {_OFF} or {_ON}, not {text!r}")
    return text == _ON


TEXT: Final = Kind()
URL: Final = Kind(
    check=_check(is_server, "must be a URL that begins with http:// or https:// and has a host"),
    show=shown_server,
    is_private=True,  # it may contain a password
)
MAIL_SERVER: Final = Kind(
    check=_check(
        lambda url: _is_key(url) and is_mail_server(url),
        "must be a URL that begins with smtp:// or smtps:// and has a host",
    ),
    show=shown_server,
    is_private=True,
)
DATABASE_URL: Final = Kind(check=_check_address(database_address), show=shown_database, is_private=True)
REDIS_URL: Final = Kind(check=_check_address(redis_address), show=shown_server, is_private=True)
SENDER: Final = Kind(check=_check(_is_sender, "must be an e-mail address, or Name <address>"))
KEY_NAME: Final = Kind(check=_check(_is_key, f"must be {_CHARACTERS}"))
KEY: Final = evolve(KEY_NAME, show=_hide, is_private=True)
SECRET: Final = Kind(
    check=_check(_is_secret, f"must be {_SECRET_FORM}: {_CHARACTERS}"), show=_hide, is_private=True
)
SECRETS: Final = Kind(
    parse=_words,
    check=_check(
        lambda keys: all(map(_is_secret, keys)),
        f"must be keys of {_SECRET_FORM} each, separated by spaces or commas: {_CHARACTERS}",
    ),
    show=lambda keys: " ".join(map(_hide, keys)) or None,
    is_private=True,
)
SCOPES: Final = Kind(check=_check(lambda text: all(map(_is_key, text.split())), f"must be {_CHARACTERS}"))
WORDS: Final = Kind(parse=_words, show=lambda words: " ".join(words) or None)
HOURS: Final = Kind(parse=_parse_hours, show=lambda hours: " ".join(f"{each:g}" for each in hours) or _OFF)
NUMBERS: Final = Kind(
    parse=_numbers,
    check=_check(
        lambda numbers: bool(numbers) and all(1 <= number <= _MOST for number in numbers),
        f"must be numbers from 1 to {_MOST}, separated by commas",
    ),
    show=lambda numbers: ",".join(map(str, numbers)),
)
PATH: Final = Kind(parse=lambda text: Path(text).expanduser(), show=str)
SWITCH: Final = Kind(parse=_parse_switch, show=lambda is_on: _ON if is_on else _OFF)


@frozen(kw_only=True)
class Setting:
    """A setting: the path of its field (``model_a``, ``url``), its environment variable, kind and help text."""

    path: tuple[str, ...]
    variable: str
    kind: Kind
    help: str

    def shown(self, settings: Any) -> object:
        """Return the current value for display, with secrets hidden."""
        value = settings
        for name in self.path:
            value = getattr(value, name)
        return None if value is None else self.kind.show(value)


KIND: Final = "kind"
HELP: Final = "help"
VARIABLE: Final = "variable"
GROUP: Final = "group"


def setting(kind: Kind, default: Any = None, *, help: str, variable: str | None = None) -> Any:  # noqa: A002 - what it is
    """Return the attrs field for a setting; its variable is named after the field unless ``variable`` is given."""
    metadata = {KIND: kind, HELP: help, VARIABLE: variable}
    return attrs.field(default=default, repr=not kind.is_private, metadata=metadata)


def group(shape: type[Any], *, help: str, variable: str | None = None) -> Any:  # noqa: A002 - what it is
    """Return the attrs field for a group of settings; ``help`` is for those without help text of their own."""
    return attrs.field(default=shape(), metadata={GROUP: shape, HELP: help, VARIABLE: variable})


def own_settings(shape: type[Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the name and metadata of each field of a class of settings."""
    for field in attrs.fields(shape):
        yield field.name, field.metadata


def table(shape: type[Any], prefix: str) -> Iterator[Setting]:
    """Yield every setting of a class and of its groups; their variables begin with ``prefix``."""
    for name, own in own_settings(shape):
        variable = prefix + (name.upper() if own[VARIABLE] is None else own[VARIABLE])
        if KIND in own:
            yield Setting(path=(name,), variable=variable, kind=own[KIND], help=own[HELP])
        for part, inner in own_settings(own[GROUP]) if GROUP in own else ():
            yield Setting(
                path=(name, part),
                variable=prefix + inner[VARIABLE] if inner[VARIABLE] else f"{variable}_{part.upper()}",
                kind=inner[KIND],
                help=inner[HELP] or own[HELP],
            )


def require_valid(group: Any, **more: str | None) -> None:
    """Check each setting of a group; ``more`` maps settings to the predicates that they break in combination.

    Raises:
        Invalid: with every bad setting, under its field's name; addresses and keys are never quoted.
    """
    errors = {}
    for name, own in own_settings(type(group)):
        value = getattr(group, name)
        predicate = (None if value is None else own[KIND].check(value)) or more.get(name)
        if predicate is not None:
            errors[name] = [predicate]
    if errors:
        raise Invalid(errors)
