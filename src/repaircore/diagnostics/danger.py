"""What the driver must be told before any repair: dangers, and what to do at once.

It goes by what was said and found alone, never by the engine's ranking: a danger is one whether or not there is
enough information for a diagnosis.
"""

from collections.abc import Collection, Iterable, Iterator
from enum import StrEnum
from typing import Final

from attrs import Factory, frozen

from repaircore.diagnostics.model import Finding
from repaircore.problems.model import Safety

__all__ = ["LIKELY", "NO_DANGER", "Danger", "DriverSafety", "Warned", "driver_safety", "implied"]

NO_DANGER: Final = "none"
"""Under this name the lexicon has what sounds like a danger and is none: blue smoke from the exhaust."""

LIKELY: Final = 20.0
"""From so many percent on, a repair that forbids to drive stops the driver."""


class Danger(StrEnum):
    """All the dangers, the most urgent first."""

    FIRE = "fire"
    FUEL = "fuel"
    BRAKES = "brakes"
    STEERING = "steering"
    WHEEL = "wheel"
    HIGH_VOLTAGE = "high-voltage"
    EXHAUST_FUMES = "exhaust-fumes"
    OVERHEATING = "overheating"
    OIL_PRESSURE = "oil-pressure"
    CHECK_ENGINE_FLASHING = "check-engine-flashing"
    AIRBAG = "airbag"


@frozen
class Warned:
    """A danger, and what the driver is to do."""

    danger: Danger
    text: str


@frozen(kw_only=True)
class DriverSafety:
    """Whether to stop driving, and the warnings, the most urgent first.

    ``stop_driving`` without a warning: a repair that may be needed says not to drive.
    """

    stop_driving: bool = False
    warnings: tuple[Warned, ...] = ()


@frozen(kw_only=True)
class _Rule:
    """What is known of a danger: ``signs`` are symptoms that tell it, ``implies`` those that a telling of it tells."""

    text: str
    stop: bool = True
    signs: frozenset[str] = Factory(frozenset)
    implies: tuple[str, ...] = ()


_RULES: Final = {
    Danger.FIRE: _Rule(  # it says nothing of its cause, so it implies no symptom
        text="Fire or smoke: stop as soon as it is safe, turn the engine off, get everybody out and well away, and call 911. "
        "Do not open the hood.",
    ),
    Danger.FUEL: _Rule(
        text="Fuel may be leaking and can catch fire: stop as soon as it is safe, turn the engine off, get everybody out, "
        "and keep flames and sparks away. Do not start it again; have it towed.",
        signs=frozenset({"fuel-smell"}),
        implies=("fuel-smell",),
    ),
    Danger.BRAKES: _Rule(
        text="The brakes may fail: do not drive. On the road, pump the pedal, shift down, apply the parking brake gently, "
        "stop as soon as it is safe, and have it towed.",
        signs=frozenset({"brake-pedal-sinks"}),
        implies=("long-stopping-distance",),
    ),
    Danger.STEERING: _Rule(
        text="The steering may fail: slow down gently, stop as soon as it is safe, and have it towed.",
        implies=("steering-heavy",),
    ),
    Danger.WHEEL: _Rule(
        text="A wheel may come off: slow down gently, stop as soon as it is safe, and do not drive before every wheel nut "
        "is in place and tight.",
        signs=frozenset({"wheel-nut-missing"}),
        implies=("wheel-nut-missing",),
    ),
    Danger.HIGH_VOLTAGE: _Rule(
        text="A damaged high-voltage battery can catch fire, even hours later: stop as soon as it is safe, get everybody out "
        "and away, touch no orange cable, and call 911 if it smokes, hisses or smells. Have it towed and parked in the open.",
    ),
    Danger.EXHAUST_FUMES: _Rule(
        text="Exhaust fumes in the cabin can poison: open the windows, stop as soon as it is safe, turn the engine off and "
        "get out into fresh air. Who feels dizzy or sick needs a doctor at once.",
        signs=frozenset({"exhaust-smell"}),
        implies=("exhaust-smell",),
    ),
    Danger.OVERHEATING: _Rule(
        text="The engine overheats: stop as soon as it is safe and turn it off. Let it cool down; do not open the "
        "radiator cap while it is hot, and do not drive on.",
        signs=frozenset({"engine-overheats", "temperature-light", "steam-from-hood"}),
        implies=("engine-overheats",),
    ),
    Danger.OIL_PRESSURE: _Rule(
        text="The oil pressure may be too low: stop as soon as it is safe and turn the engine off. Check the oil level; "
        "do not drive while the light is on.",
        signs=frozenset({"oil-pressure-light"}),
        implies=("oil-pressure-light",),
    ),
    Danger.CHECK_ENGINE_FLASHING: _Rule(
        text="A flashing check engine light means a severe misfire: ease off the gas, stop as soon as it is safe, and have "
        "it towed. Driving on can ruin the catalytic converter and start a fire.",
        signs=frozenset({"check-engine-flashing"}),
        implies=("check-engine-flashing",),
    ),
    Danger.AIRBAG: _Rule(
        text="The airbags may not protect anybody in a crash: wear the seat belts, and have it looked at before long.",
        stop=False,
        signs=frozenset({"airbag-light"}),
        implies=("airbag-light",),
    ),
}


def implied(dangers: Iterable[str]) -> Iterator[str]:
    """Give the symptoms that dangers which were told of imply."""
    for danger in dangers:
        yield from _RULES[Danger(danger)].implies


def driver_safety(
    findings: Iterable[Finding], dangers: Collection[str] = (), repairs: Iterable[tuple[float, str]] = ()
) -> DriverSafety:
    """Say what the driver must know.

    Args:
        findings: the symptoms that were found, in whatever way.
        dangers: the dangers that were told of.
        repairs: of the repairs that may be needed, how likely each is, in percent, and whether to drive on with it.
    """
    present = {one.symptom for one in findings if one.present}
    there = {danger: rule for danger, rule in _RULES.items() if danger in dangers or rule.signs & present}
    forbidden = any(confidence >= LIKELY and safe == Safety.NO for confidence, safe in repairs)
    stop = forbidden or any(rule.stop for rule in there.values())
    return DriverSafety(
        stop_driving=stop,
        warnings=tuple(Warned(danger, rule.text) for danger, rule in there.items()),
    )
