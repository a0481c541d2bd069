"""Read the table of fares: the one that the package ships, or an installation's own."""

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
    """Read ``file``, else the shipped ``data/fares.toml``.

    Raises:
        Invalid: on ``fares``: it cannot be read, or is no such table; the reason is told.
    """
    try:
        text = _shipped() if file is None else file.read_text("utf-8")
        return _table(tomllib.loads(text, parse_float=Decimal))
    except OSError as error:
        raise Invalid({"fares": [f"The table of fares cannot be read: {error.strerror}."]}) from error
    except KeyError as error:
        raise Invalid({"fares": [f"The table of fares lacks {error.args[0]}."]}) from error
    except (TypeError, ValueError, AttributeError) as error:
        raise Invalid({"fares": [f"This is no table of fares: {error}."]}) from error


def _shipped() -> str:
    return files("repaircore").joinpath("data", "fares.toml").read_text("utf-8")


def _table(told: Mapping[str, Any]) -> FareTable:
    policy, outcomes = told["cancellation"], told["outcomes"]
    return FareTable(
        road_factor=_within(told["road_factor"], 1, 3),
        miles_per_hour=_within(told["miles_per_hour"], 1, 100),
        minutes_to_leave=_within(told["minutes_to_leave"], 0, 240),
        services={str(name): _service(name, told["fares"][name]) for name in (*Service, *RideType)},
        times=tuple(map(_rule, told.get("times", ()))),
        cancellation=Cancellation(
            free_minutes=_within(policy["free_minutes"], 0, 1440),
            accepted_percent=_percent(policy["accepted_percent"], 100),
            arrived_percent=_percent(policy["arrived_percent"], 100),
            late_minutes=_within(policy["late_minutes"], 0, 1440),
            free_reasons=frozenset(map(CancelReason, policy["free_reasons"])),
        ),
        outcomes={one: _percent(outcomes[f"{one}_percent"], 100) for one in _OUTCOMES},
    )


def _service(name: str, prices: Mapping[str, Any]) -> ServiceFare:
    told = ServiceFare(
        base=cents(_within(prices["base"], 0, 100_000)),
        per_mile=cents(_within(prices["per_mile"], 0, 1_000)),
        included_miles=_within(prices["included_miles"], 0, 1_000),
        minimum=cents(_within(prices["minimum"], 0, 100_000)),
    )
    if max(told.base, told.minimum) == 0:  # no gateway holds nothing
        raise ValueError(f"fares.{name} costs nothing; its base or its minimum must be at least 0.01")
    return told


def _rule(told: Mapping[str, Any]) -> TimeRule:
    days = told.get("days", _DAYS)
    return TimeRule(
        name=str(told["name"]),
        percent=_percent(told["percent"], 500),
        days=frozenset(map(_day, days)),
        since=time.fromisoformat(told["from"]) if "from" in told else None,
        until=time.fromisoformat(told["to"]) if "to" in told else None,
    )


def _day(name: Any) -> int:
    if name not in _DAYS:
        raise ValueError(f"{name!r} is no day; {', '.join(_DAYS)} are")
    return _DAYS.index(name)


def _within(number: Any, least: int, most: int) -> float:
    return float(_number(number, least, most))


def _percent(number: Any, most: int) -> Percent:
    return _number(number, 0, most)


def _number(told: Any, least: int, most: int) -> Percent:
    is_number = isinstance(told, int | Decimal) and not isinstance(told, bool)
    if is_number and Decimal(told).is_finite() and least <= told <= most:
        number: Percent = told
        return number
    shown = f"{told}" if isinstance(told, Decimal) else repr(told)
    raise ValueError(f"{shown} is not a number from {least} to {most}")
