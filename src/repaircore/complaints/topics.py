"""Topics of short complaints without details: a noise, a shake, a car that does not start.

The topic, not the most likely cause, then determines the first question: "vibration" leads to "When do you feel it?".
"""

import re
from collections.abc import Collection, Container, Iterable, Mapping
from typing import Final

from attrs import evolve, frozen

from repaircore.problems.words import words

NOISE: Final = "noise"
NO_START: Final = "no-start"


@frozen(kw_only=True)
class Topic:
    """A topic: its words, its possible symptoms, and its opening question.

    ``opening`` is asked before any question about a single symptom, or is empty if it is not needed. ``choices`` maps
    its answers to the symptoms that they mean.
    """

    name: str
    said: re.Pattern[str]
    symptoms: frozenset[str]
    opening: str
    choices: Mapping[str, str]

    def options(self, symptoms: Container[str]) -> tuple[str, ...]:
        """Return the answers that mean one of the given symptoms, in order."""
        return tuple(choice for choice, symptom in self.choices.items() if symptom in symptoms)


def _topic(
    name: str, said: str, symptoms: str, opening: str = "", choices: Mapping[str, str] | None = None
) -> Topic:
    return Topic(
        name=name,
        said=re.compile(rf"\b(?:{said})\b", re.IGNORECASE),
        symptoms=frozenset(symptoms.split()),
        opening=opening,
        choices=choices or {},
    )


_LISTED: Final = (
    _topic(
        NO_START,
        r"(?:won'?t|will not|doesn'?t|does not|didn'?t|did not|wouldn'?t|not|can'?t|cannot|refuses to|fails to)"
        r"(?: even| always| get it to)? start(?:ing)?(?! to\b)|no[- ]start",
        "engine-no-crank engine-cranks-no-start clicking-no-start",
    ),
    _topic(
        "shake",
        r"vibrat\w+|shak(?:e|es|ing|y)|shudder\w*|shimm(?:y|ies|ying)|wobbl\w+|judder\w*|trembl\w+",
        "vibration-at-speed brake-vibration engine-vibration driveline-vibration transmission-shudder",
        "When do you feel it?",
        {
            "at highway speed": "vibration-at-speed",
            "when I brake": "brake-vibration",
            "when I accelerate": "driveline-vibration",
            "at idle": "engine-vibration",
            "when it shifts or at a steady 40 mph": "transmission-shudder",
        },
    ),
    _topic(
        "brakes",
        r"brakes?|breaks",
        "brake-squeal brake-grinding brake-vibration brake-pull brake-pedal-soft brake-pedal-hard",
        "What do the brakes do?",
        {
            "squeal": "brake-squeal",
            "grind": "brake-grinding",
            "shake": "brake-vibration",
            "pull to a side": "brake-pull",
            "soft pedal": "brake-pedal-soft",
            "hard pedal": "brake-pedal-hard",
        },
    ),
    _topic(
        "squeak",
        r"squeak\w*|squeal\w*|screech\w*|chirp\w*",
        "brake-squeal engine-belt-squeal squeak-over-bumps steering-whine",
        "When does it squeak?",
        {
            "squeaks when I brake": "brake-squeal",
            "squeaks over bumps": "squeak-over-bumps",
            "when I steer": "steering-whine",
            "all the time with the engine": "engine-belt-squeal",
        },
    ),
    _topic(
        "clunk",
        r"clunk\w*|knock\w*|thump\w*|bang(?:s|ing)?",
        "clunk-over-bumps clunk-on-acceleration engine-knock",
        "When do you hear it?",
        {
            "over bumps": "clunk-over-bumps",
            "when I accelerate or shift": "clunk-on-acceleration",
            "with the engine": "engine-knock",
        },
    ),
    _topic(
        NOISE,
        r"nois(?:e|es|y)|sounds?|rattl\w+|grind\w*|whin(?:e|es|ing)|hum(?:s|ming)?|click\w*|tick(?:s|ing)",
        "brake-squeal brake-grinding wheel-hum clunk-over-bumps steering-whine clicking-on-turns clunk-on-acceleration "
        "engine-knock engine-ticking engine-rattle-cold-start engine-whine engine-belt-squeal exhaust-loud exhaust-rattle "
        "differential-whine ac-noise wind-noise squeak-over-bumps",
        "What is the noise like?",
        {
            "a squeal when I brake": "brake-squeal",
            "a grind when I brake": "brake-grinding",
            "a hum that rises with speed": "wheel-hum",
            "a clunk over bumps": "clunk-over-bumps",
            "a click in turns": "clicking-on-turns",
            "a tick or tap in the engine": "engine-ticking",
            "a knock in the engine": "engine-knock",
            "a loud exhaust": "exhaust-loud",
            "a squeal of the engine's belt": "engine-belt-squeal",
            "a whine when I steer": "steering-whine",
        },
    ),
    _topic(
        "smoke",
        r"smok(?:e|es|ing|y)",
        "blue-smoke white-smoke black-smoke steam-from-hood",
        "What does the smoke look like?",
        {
            "blue, from the exhaust": "blue-smoke",
            "white, from the exhaust": "white-smoke",
            "black, from the exhaust": "black-smoke",
            "steam from under the hood": "steam-from-hood",
        },
    ),
    _topic(
        "smell",
        r"smell(?:s|y|ing)?|odou?rs?|stink(?:s|y|ing)?",
        "burning-oil-smell fuel-smell coolant-smell rotten-egg-smell exhaust-smell ac-smell",
        "What does it smell like?",
        {
            "burning oil": "burning-oil-smell",
            "gasoline": "fuel-smell",
            "sweet, like syrup": "coolant-smell",
            "rotten eggs": "rotten-egg-smell",
            "exhaust": "exhaust-smell",
            "musty, with the air conditioning": "ac-smell",
        },
    ),
    _topic(
        "leak",
        r"(?<!roof )(?<!window )(?<!windshield )(?<!tire )(?<!trunk )(?<!door )(?:leak(?:s|ing|age|y)?|drip(?:s|ping)?|puddles?)",
        "oil-leak coolant-leak transmission-leak power-steering-leak brake-fluid-leak water-leak-rain",
        "What does the fluid look like?",
        {
            "brown or black oil": "oil-leak",
            "green, orange or pink water": "coolant-leak",
            "red oil under the middle": "transmission-leak",
            "red or brown near the front wheels": "power-steering-leak",
            "clear or yellow near a wheel": "brake-fluid-leak",
            "clear water after rain": "water-leak-rain",
        },
    ),
    _topic(
        "transmission",
        r"transmissions?|gear ?box|trans",
        "transmission-slips transmission-harsh-shift transmission-no-move transmission-shudder transmission-leak "
        "transmission-stuck-gear",
        "What does the transmission do?",
        {
            "slips": "transmission-slips",
            "shifts hard": "transmission-harsh-shift",
            "shudders": "transmission-shudder",
            "does not move the car": "transmission-no-move",
            "leaks": "transmission-leak",
            "stays in one gear": "transmission-stuck-gear",
        },
    ),
    _topic(
        "air-conditioning",
        r"a[/.]?c\.?|air con(?:ditioning|ditioner)?",
        "ac-warm ac-weak-airflow ac-noise ac-smell blower-dead",
    ),
)

TOPICS: Final[Mapping[str, Topic]] = {topic.name: topic for topic in _LISTED}
"""All topics. If a complaint has several, their common symptoms are asked about, or else those of the first one."""

NONE_OF_THESE: Final = "none of these"
_SYMPTOM_OF: Final[Mapping[str, str]] = {
    " ".join(words(choice)): symptom for topic in _LISTED for choice, symptom in topic.choices.items()
}


def chosen(answer: str, options: Iterable[str]) -> Mapping[str, bool]:
    """Return the symptoms that an answer to an opening question confirms or denies, or none if it is not an option."""
    offered = {" ".join(words(option)) for option in options}
    said = " ".join(words(answer))
    if said not in offered:
        return {}
    if said == NONE_OF_THESE:
        return {_SYMPTOM_OF[option]: False for option in offered if option in _SYMPTOM_OF}
    return {_SYMPTOM_OF[said]: True} if said in _SYMPTOM_OF else {}


def topics_in(text: str) -> tuple[str, ...]:
    """Return the names of the topics of ``text``, in the order of ``TOPICS``."""
    return tuple(name for name, topic in TOPICS.items() if topic.said.search(text))


def common_topic(names: Collection[str]) -> Topic | None:
    """Return the first of the named topics, limited to the symptoms that all of them share, if they share any.

    Return None if there are no names.
    """
    topics = [topic for name, topic in TOPICS.items() if name in names]
    if not topics:
        return None
    common = frozenset.intersection(*(topic.symptoms for topic in topics))
    return evolve(topics[0], symptoms=common) if common else topics[0]
