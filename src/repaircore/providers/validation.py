"""Parse and validate the fields of providers, which commands and files give as text."""

import re
from collections.abc import Callable, Collection, Mapping
from functools import partial
from typing import Annotated, Any, Final, TypeAlias
from urllib.parse import urlsplit

from attrs import frozen

from repaircore.kernel.emails import Email
from repaircore.kernel.geo import Point
from repaircore.kernel.hours import is_zone, parse_weekly
from repaircore.kernel.phones import e164
from repaircore.kernel.rules import FieldErrors, Length, NoNul, Range, field_errors, sentence
from repaircore.providers.model import ALWAYS, MOST_MILES, OfferMode
from repaircore.providers.trade import Trade

ProviderFields: TypeAlias = dict[str, Any]
"""Values of a provider's attributes, by name."""

REQUIRED: Final = ("name", "phone", "latitude", "longitude", "time_zone")

_LONGEST_PHONE: Final = 50
_LONGEST_ADDRESS: Final = 500
_SEPARATORS: Final = re.compile(r"[\s,;|]+")
_BOOLEANS: Final = {"yes": True, "true": True, "1": True, "no": False, "false": False, "0": False}

_Text: TypeAlias = Annotated[str, Length(1, 255), NoNul()]


def contact_columns(trade: Trade[Any]) -> tuple[str, ...]:
    """Return the columns for contacts, the offer mode and the vehicle of a provider."""
    vehicle = () if trade.text_column == "vehicle" else ("vehicle",)
    return ("offers", "email", "webhook_url", *vehicle, "plate")


@frozen(kw_only=True)
class ProviderInput:
    """The validation rules for fields, which are applied to the parsed values."""

    name: _Text
    vehicle: _Text
    address: _Text
    latitude: Annotated[float, Range(-90, 90)]
    longitude: Annotated[float, Range(-180, 180)]
    radius_miles: Annotated[float, Range(0.1, MOST_MILES)]
    email: Annotated[str, Email()]
    plate: Annotated[str, Length(1, 20), NoNul()]


def parse_provider(cells: Mapping[str, str], trade: Trade[Any]) -> tuple[ProviderFields, FieldErrors]:
    """Parse the cells of a provider; return its fields and the errors.

    There are no fields if there are errors. Empty cells are left out.
    """
    texts = {name: cell.strip() for name, cell in cells.items() if cell.strip()}
    values: dict[str, Any] = {}
    errors: FieldErrors = {}
    parsers = _parsers(trade)
    for name, parse in parsers.items():
        try:
            if name in texts:
                values[name] = parse(texts[name])
            elif name in (*REQUIRED, trade.abilities_column):
                errors[name] = [sentence(name, "is required")]
        except ValueError as error:
            errors[name] = [sentence(name, str(error))]
    errors |= field_errors(ProviderInput, values)
    if errors:
        return {}, {name: errors[name] for name in parsers if name in errors}
    return _to_attributes(values, trade), {}


def _parsers(trade: Trade[Any]) -> Mapping[str, Callable[[str], Any]]:
    return {
        "name": str,
        "phone": _phone,
        trade.abilities_column: partial(_abilities, trade.abilities),
        trade.text_column: str,
        "latitude": _number,
        "longitude": _number,
        "radius_miles": _number,
        "time_zone": _zone,
        "hours": _hours,
        "active": _boolean,
        "offers": _offers,
        "email": str,
        "webhook_url": _address,
        "vehicle": str,
        "plate": str,
    }


def _to_attributes(values: dict[str, Any], trade: Trade[Any]) -> ProviderFields:
    fields = {"weekly" if name == "hours" else name: value for name, value in values.items()}
    fields["abilities"] = fields.pop(trade.abilities_column)
    fields["point"] = Point(fields.pop("latitude"), fields.pop("longitude"))
    return fields


def _phone(text: str) -> str:
    number = e164(text) if len(text) <= _LONGEST_PHONE else None
    if number is None:
        msg = "must be a phone number, with the country code if it is outside the US"
        raise ValueError(msg)
    return number


def _abilities(words: Collection[str], text: str) -> frozenset[str]:
    by_casefold = {word.casefold(): word for word in words}
    parts = [part.casefold() for part in _SEPARATORS.split(text) if part]
    if not parts or any(part not in by_casefold for part in parts):
        msg = f"must be one or more of: {', '.join(words)}"
        raise ValueError(msg)
    return frozenset(by_casefold[part] for part in parts)


def _number(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = float("nan")
    if number != number:  # noqa: PLR0124 - only NaN differs from itself
        msg = "must be a number"
        raise ValueError(msg)
    return number


def _zone(text: str) -> str:
    if not is_zone(text):
        msg = "must be a time zone such as America/New_York"
        raise ValueError(msg)
    return text


def _hours(text: str) -> Any:
    if text.casefold() == ALWAYS:
        return None
    try:
        return parse_weekly(text)
    except ValueError:
        msg = "must be hours such as mon-fri 08:00-17:00; sat 09:00-13:00, or always"
        raise ValueError(msg) from None


def _boolean(text: str) -> bool:
    if text.casefold() not in _BOOLEANS:
        msg = "must be yes or no"
        raise ValueError(msg)
    return _BOOLEANS[text.casefold()]


def _offers(text: str) -> OfferMode:
    if text.casefold() not in [*OfferMode]:
        msg = f"must be {' or '.join(OfferMode)}"
        raise ValueError(msg)
    return OfferMode(text.casefold())


def _address(text: str) -> str:
    try:
        parts = urlsplit(text)
        is_usable = parts.scheme == "https" and parts.hostname is not None and parts.username is None
    except ValueError:
        is_usable = False
    if not is_usable or len(text) > _LONGEST_ADDRESS or not text.isascii() or not text.isprintable():
        msg = "must be an https URL"
        raise ValueError(msg)
    return text
