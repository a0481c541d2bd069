"""Dangers that the driver must be warned of before any diagnosis, and what to do at once.

Warnings depend only on what was said and found, never on the engine's ranking: a danger is real whether or not there is
enough information for a diagnosis.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Final

from attrs import Factory, frozen

from repaircore.book.model import Problem, Safety, Wear
from repaircore.complaints.sayings import Match, denied, used_places
from repaircore.complaints.sentences import Token
from repaircore.complaints.towing import towing
from repaircore.danger_model.model import OVERRULES
from repaircore.diagnosis.model import Finding

NO_DANGER: Final = "none"
"""The lexicon's name for what only sounds like a danger, such as blue smoke from the exhaust."""

LIKELY: Final = 65.0
"""The lowest confidence, in percent, at which the driver is told to stop because a repair forbids driving."""


class Danger(StrEnum):
    """The dangers, most urgent first."""

    FIRE = "fire"
    FUEL = "fuel"
    HOT_EXHAUST = "hot-exhaust"
    BRAKES = "brakes"
    STEERING = "steering"
    THROTTLE = "throttle"
    WHEEL = "wheel"
    TIRE = "tire"
    HIGH_VOLTAGE = "high-voltage"
    EXHAUST_FUMES = "exhaust-fumes"
    VISIBILITY = "visibility"
    BRAKE_LIGHTS = "brake-lights"
    OVERHEATING = "overheating"
    OIL_PRESSURE = "oil-pressure"
    CHECK_ENGINE_FLASHING = "check-engine-flashing"
    POWER_LOSS = "power-loss"
    BRAKE_WARNING = "brake-warning"
    AIRBAG = "airbag"


@frozen
class DangerWarning:
    """A danger, and the instruction to the driver."""

    danger: Danger
    text: str


@frozen(kw_only=True)
class DriverSafety:
    """Whether to stop driving, and the warnings, most urgent first.

    ``stop_driving`` without a warning means that a likely repair forbids driving. ``towing`` says how to
    get the vehicle to a shop if it cannot or must not be driven; it is None if it can be driven there.
    """

    stop_driving: bool = False
    warnings: tuple[DangerWarning, ...] = ()
    towing: str | None = None


@frozen(kw_only=True)
class _Rule:
    """A danger's warning. ``signs`` are symptoms that indicate it; ``implies`` are those that a mention implies.

    ``tow`` is whether the vehicle has to be towed if the driver has to stop.
    """

    text: str
    stop: bool = True
    tow: bool = True
    signs: frozenset[str] = Factory(frozenset)
    implies: tuple[str, ...] = ()


_RULES: Final = {
    Danger.FIRE: _Rule(  # its cause is unknown, so it implies no symptom
        text="Fire or smoke: stop as soon as it is safe, turn the engine off, get everybody out and well away, and call 911. "
        "Do not open the hood.",
    ),
    Danger.FUEL: _Rule(
        text="Fuel may be leaking and can catch fire: stop as soon as it is safe, turn the engine off, get everybody out, "
        "and keep flames and sparks away. Do not start it again; have it towed.",
        signs=frozenset({"fuel-smell"}),
        implies=("fuel-smell",),
    ),
    Danger.HOT_EXHAUST: _Rule(  # a misfire or a clogged converter, so it implies no symptom
        text="The exhaust is so hot that it can start a fire: stop as soon as it is safe, away from dry grass and leaves, turn the "
        "engine off, and let it cool down. If you see smoke or flames, get everybody out and call 911. Have it towed.",
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
    Danger.THROTTLE: _Rule(  # the cause may be a floor mat, so it implies no symptom
        text="The gas pedal may stick: brake firmly, shift to neutral, stop as soon as it is safe, and only then turn the engine "
        "off. Do not drive until the pedal returns on its own; have it towed.",
    ),
    Danger.WHEEL: _Rule(
        text="A wheel may come off: slow down gently, stop as soon as it is safe, and do not drive until every lug nut "
        "is in place and tight.",
        signs=frozenset({"wheel-nut-missing"}),
        implies=("wheel-nut-missing",),
    ),
    Danger.TIRE: _Rule(
        text="A tire may burst: slow down gently, stop as soon as it is safe, and do not drive on it. If you have a spare, mount it "
        "away from traffic; if not, have it towed.",
        signs=frozenset({"tire-bulge"}),
        implies=("tire-bulge",),
    ),
    Danger.HIGH_VOLTAGE: _Rule(
        text="A damaged high-voltage battery can catch fire, even hours later: stop as soon as it is safe, get everybody out "
        "and away, do not touch any orange cable, and call 911 if it smokes, hisses or smells. Have it towed and parked outdoors.",
    ),
    Danger.EXHAUST_FUMES: _Rule(
        text="Exhaust fumes in the cabin can poison you: open the windows, stop as soon as it is safe, turn the engine off and "
        "get out into fresh air. Anyone who feels dizzy or sick needs a doctor at once.",
        signs=frozenset({"exhaust-smell"}),
        implies=("exhaust-smell",),
    ),
    Danger.VISIBILITY: _Rule(
        text="You cannot see the road: slow down, switch on the lights, and stop as soon as it is safe, off the road. Wait until it "
        "is dry and light enough to see, or have it towed.",
        tow=False,
    ),
    Danger.BRAKE_LIGHTS: _Rule(
        text="Drivers behind you cannot see that you brake: do not drive until the brake lights work. Check the fuse first; a new fuse "
        "or brake light switch can be put in where the vehicle stands.",
        signs=frozenset({"brake-lights-out"}),
        implies=("brake-lights-out",),
    ),
    Danger.OVERHEATING: _Rule(
        text="The engine is overheating: stop as soon as it is safe and turn it off. Let it cool down; do not open the "
        "radiator cap while it is hot, and do not keep driving.",
        signs=frozenset(
            {"engine-overheats", "engine-overheats-idle", "temperature-light", "steam-from-hood"}
        ),
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
        "it towed. Continuing to drive can ruin the catalytic converter and start a fire.",
        signs=frozenset({"check-engine-flashing"}),
        implies=("check-engine-flashing",),
    ),
    Danger.POWER_LOSS: _Rule(  # it may stall or reduce its power, so it implies no symptom
        text="The engine may quit in traffic, and the steering and the brakes then need far more force: stay off fast roads, and "
        "have it checked before you drive anywhere else. If it quits, steer to the side, brake firmly, and switch on the hazard lights.",
        stop=False,
    ),
    Danger.BRAKE_WARNING: _Rule(
        text="The red brake light can mean that the brake fluid is low or the pads are worn out, even if the brakes feel normal: make sure "
        "that the parking brake is released, and check the fluid today. If it is low, or the pedal changes, do not drive; have it towed.",
        stop=False,
        signs=frozenset({"brake-warning-light"}),
        implies=("brake-warning-light",),
    ),
    Danger.AIRBAG: _Rule(
        text="The airbags may not protect anybody in a crash: wear your seat belts, and have the airbags checked soon.",
        stop=False,
        signs=frozenset({"airbag-light"}),
        implies=("airbag-light",),
    ),
}


def implied(dangers: Iterable[str]) -> Iterator[str]:
    """Yield the slugs of the symptoms that the mentioned dangers imply."""
    for danger in dangers:
        yield from _RULES[Danger(danger)].implies


def driver_safety(
    findings: Iterable[Finding],
    dangers: Collection[str] = (),
    repairs: Iterable[tuple[float, str]] = (),
    *,
    read: Iterable[str] = (),
) -> DriverSafety:
    """Return the safety advice for the driver.

    Args:
        findings: the symptoms known from answers or photos. Those only read from text do not indicate a danger.
        dangers: the dangers that were mentioned.
        repairs: for each likely repair, the confidence in percent and whether it is safe to drive.
        read: the present symptoms, including those read from text, and other signs that the vehicle cannot be driven.
    """
    present = {finding.symptom for finding in findings if finding.present}
    there = {danger: rule for danger, rule in _RULES.items() if danger in dangers or rule.signs & present}
    if Danger.BRAKES in there:  # "check the fluid today" would soften "do not drive"
        there.pop(Danger.BRAKE_WARNING, None)
    forbidden = any(confidence >= LIKELY and safe == Safety.NO for confidence, safe in repairs)
    stop = forbidden or any(rule.stop for rule in there.values())
    return DriverSafety(
        stop_driving=stop,
        warnings=tuple(DangerWarning(danger, rule.text) for danger, rule in there.items()),
        towing=towing(
            {*present, *read}, stop=forbidden or any(rule.stop and rule.tow for rule in there.values())
        ),
    )


SIGNS: Final = frozenset(symptom for rule in _RULES.values() for symptom in rule.signs)
"""The symptoms that indicate a danger; they do not count if they are only feared or remembered."""

_LOOKALIKES: Final = {Danger.BRAKES: (("clutch",), "brak")}
"""Maps a danger to the beginnings of words that may change its meaning, and to that of a word that then confirms it.

Next to "clutch", a pedal is the brake pedal only if a word such as "brake" says so."""


def without_lookalikes(dangers: Iterable[str], stems: Collection[str]) -> Iterator[str]:
    """Yield the dangers, except those whose words have another meaning next to the given ``stems``."""
    for danger in dangers:
        other, own = _LOOKALIKES.get(Danger(danger), ((), ""))
        speaks_of_other = any(each.startswith(other) for each in stems)
        if not speaks_of_other or any(each.startswith(own) for each in stems):
            yield danger


_BRAKE_SIGNS: Final = (
    *(
        "pedal",
        "fluid",
        "brakefluid",
        "leak",
        "wet",
        "line",
        "hose",
        "pipe",
        "rotor",
        "disc",
        "drum",
        "cylind",
    ),
    *(
        "grind",
        "soft",
        "sink",
        "floor",
        "hard",
        "long",
        "pump",
        "press",
        "fad",
        "fail",
        "burn",
        "smok",
        "hot",
        "pull",
    ),
)
"""Beginnings of words that make the red brake light more than a light that came on."""


def without_milder(
    scores: Mapping[str, float], asserted: Collection[str], stems: Iterable[str]
) -> Mapping[str, float]:
    """Return the danger model's scores, except a weak one for failing brakes where only the red brake light is on.

    ``asserted`` has the dangers that phrases mean, ``stems`` those of all words.
    """
    is_only_light = Danger.BRAKE_WARNING in asserted and Danger.BRAKES not in asserted
    if not is_only_light or any(stem.startswith(_BRAKE_SIGNS) for stem in stems):
        return scores
    return {
        danger: score for danger, score in scores.items() if danger != Danger.BRAKES or score >= OVERRULES
    }


_SEEPS: Final = ("leak", "drip", "weep", "spot", "puddle", "seep", "pool")
_LEAKS: Final = ("leak", "drip", "weep", "seep", "gush", "squirt", "spray", "pour")
_NEAR: Final = 3
"""The greatest distance in words at which a leak is a brake line's; farther away, something else leaks."""


def as_written(danger: str, words: Mapping[int, str]) -> bool:
    """Return whether the words for a danger really mean it; ``words`` maps positions in the sentence to these words.

    The reader treats "drop" and "spot" as a leak. But a pedal that something leaks on does not drop, and the level of
    brake fluid drops as pads wear. Only "drops of gas" are a fuel leak: fuel pressure can drop, a diesel can drop oil,
    and a fuel gauge can be spot on. A "cylinder" may be missing, but is never a wheel nut.
    """
    if danger == Danger.BRAKES:
        return _brakes_fail(words)
    if danger == Danger.FUEL:
        return all(
            place + 1 in words or (place - 1 in words and word.startswith("spot"))
            for place, word in words.items()
            if word.startswith(("drop", "spot"))
        )
    if danger == Danger.WHEEL:
        return not any(word.startswith("cylinder") for word in words.values())
    return True


def _brakes_fail(words: Mapping[int, str]) -> bool:
    said = tuple(words.values())
    if any("pedal" in word for word in said):
        return not any(word.startswith(_SEEPS) for word in said)
    dropped = [place for place, word in words.items() if word.startswith(("drop", "pool", "spot"))]
    if any("fluid" in word for word in said):
        return all(place + 1 in words for place in dropped)
    parts = any(word.startswith(("caliper", "line", "hose", "pipe", "drum", "cylinder")) for word in said)
    seeping = any(word.startswith((*_SEEPS, "drop")) for word in said)
    near = max(words, default=0) - min(words, default=0) <= _NEAR
    return not (parts and seeping) or (near and any(word.startswith(_LEAKS) for word in said))


def mentioned_dangers(
    threats: Sequence[Match], matches: Sequence[Match], sentence: Sequence[Token], well: frozenset[int]
) -> Iterator[str]:
    """Yield the dangers that a sentence mentions and does not deny.

    "No battery damage" would also be read as a dead battery; here the "no" belongs to the danger.
    """
    for match in threats:
        apart = (each for each in matches if not each.places & match.places)
        used = used_places((*(each for each in threats if each.symptom != NO_DANGER), *apart), sentence)
        there = not any(sentence[place].clause in well for place in match.places)
        supposed = any(sentence[place].supposed for place in match.places)
        written = {place: sentence[place].word for place in match.places}
        if (
            match.symptom != NO_DANGER
            and there
            and not supposed
            and as_written(match.symptom, written)
            and not denied(match, sentence, used)
        ):
            yield match.symptom


_CONCERNS: Final = {
    "brakes": ("brak", "handbrak", "rotor"),
    "steering": ("steer",),
    "fuel": ("fuel", "gasolin"),
    "fire": ("fire", "flame", "smok", "burn"),
    "oil-pressure": ("oilpressur", "oilcan"),
}
"""Beginnings of words by concern; once a concern is mentioned, an unrelated repair is not called safe to drive with."""


def concerns_in(stems: Iterable[str]) -> tuple[str, ...]:
    """Return the concerns that words with these stems express: brakes, steering, fuel, fire or oil pressure."""
    said = tuple(stems)
    return tuple(name for name, words in _CONCERNS.items() if any(each.startswith(words) for each in said))


def safe_to_drive(problem: Problem, concerns: Iterable[str]) -> Safety:
    """Return whether it is safe to drive until a repair is done: not at all, only to a shop, or as usual.

    The answer is never "as usual" if the repair leaves a concern unexplained.

    A scheduled service explains no concern: an overdue fluid change does not soften a pedal.
    """
    if problem.safe_to_drive is Safety.YES and not all(_explains(problem, concern) for concern in concerns):
        return Safety.SHORT
    return problem.safe_to_drive


def _explains(problem: Problem, concern: str) -> bool:
    if problem.recurrence.kind is Wear.SCHEDULE:
        return False
    shown = (part for symptom in problem.symptoms for part in symptom.slug.split("-"))
    return problem.parent.slug == concern or any(part.startswith(_CONCERNS[concern]) for part in shown)
