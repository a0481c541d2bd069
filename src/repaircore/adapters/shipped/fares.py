"""Read the fares: the shipped table, or an installation's own."""

import tomllib
from collections.abc import Mapping
from datetime import time
from decimal import Decimal
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

from repaircore.kernel.errors import Invalid
from repaircore.kernel.money import Percent, cents
from repaircore.providers.businesses import RideType
from repaircore.providers.drivers import Service
from repaircore.rides.fares import Cancellation, FareTable, ServiceFare, TimeRule
from repaircore.rides.model import CancelReason, RideOutcome

_DAYS: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_OUTCOMES: Final = (RideOutcome.GONE_ON_ARRIVAL, RideOutcome.UNSUCCESSFUL, RideOutcome.CONVERTED_TO_TOW)


def read_fares(file: Path | None = None) -> FareTable:
    """Read the fares from ``file``, or else from the shipped ``data/fares.toml``.

    Raises:
        Invalid: ``fares`` cannot be read or is not a valid table; the message says why.
    """
    try:
        text = _shipped() if file is None else file.read_text("utf-8")
        return _table(tomllib.loads(text, parse_float=Decimal))
    except OSError as error:
        raise Invalid({"fares": [f"The fares file cannot be read: {error.strerror}."]}) from error
    except KeyError as error:
        raise Invalid({"fares": [f"The fares file has no {error.args[0]}."]}) from error
    except (TypeError, ValueError, AttributeError) as error:
        raise Invalid({"fares": [f"The fares file is invalid: {error}."]}) from error


def _shipped() -> str:
    return files("repaircore").joinpath("data", "fares.toml").read_text("utf-8")


def _table(data: Mapping[str, Any]) -> FareTable:
    policy, outcomes = data["cancellation"], data["outcomes"]
    return FareTable(
        road_factor=_within(data["road_factor"], 1, 3),
        miles_per_hour=_within(data["miles_per_hour"], 1, 100),
        minutes_to_leave=_within(data["minutes_to_leave"], 0, 240),
        services={str(name): _service(name, data["fares"][name]) for name in (*Service, *RideType)},
        times=tuple(map(_time_rule, data.get("times", ()))),
        cancellation=Cancellation(
            free_minutes=_within(policy["free_minutes"], 0, 1440),
            accepted_percent=_percent(policy["accepted_percent"], 100),
            arrived_percent=_percent(policy["arrived_percent"], 100),
            late_minutes=_within(policy["late_minutes"], 0, 1440),
            free_reasons=frozenset(map(CancelReason, policy["free_reasons"])),
        ),
        outcomes={outcome: _percent(outcomes[f"{outcome}_percent"], 100) for outcome in _OUTCOMES},
    )


def _service(name: str, prices: Mapping[str, Any]) -> ServiceFare:
    fare = ServiceFare(
        base=cents(_within(prices["base"], 0, 100_000)),
        per_mile=cents(_within(prices["per_mile"], 0, 1_000)),
        included_miles=_within(prices["included_miles"], 0, 1_000),
        minimum=cents(_within(prices["minimum"], 0, 100_000)),
    )
    if max(fare.base, fare.minimum) == 0:  # gateways cannot authorize zero
        raise ValueError(f"fares.{name} must have a base or a minimum of at least 0.01")
    return fare


def _time_rule(data: Mapping[str, Any]) -> TimeRule:
    days = data.get("days", _DAYS)
    return TimeRule(
        name=str(data["name"]),
        percent=_percent(data["percent"], 500),
        days=frozenset(map(_day, days)),
        since=time.fromisoformat(data["from"]) if "from" in data else None,
        until=time.fromisoformat(data["to"]) if "to" in data else None,
    )


def _day(name: Any) -> int:
    if name not in _DAYS:
        raise ValueError(f"{name!r} is not one of: {', '.join(_DAYS)}")
    return _DAYS.index(name)


def _within(number: Any, least: int, most: int) -> float:
    return float(_number(number, least, most))


def _percent(number: Any, most: int) -> Percent:
    return _number(number, 0, most)


def _number(value: Any, least: int, most: int) -> Percent:
    is_number = isinstance(value, int | Decimal) and not isinstance(value, bool)
    if is_number and Decimal(value).is_finite() and least <= value <= most:
        number: Percent = value
        return number
    text = f"{value}" if isinstance(value, Decimal) else repr(value)
    raise ValueError(f"{text} is not a number from {least} to {most}")
