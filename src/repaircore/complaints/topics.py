"""Topics of short complaints that say nothing else: a noise, a shake, a car that does not start.

The first question then depends on the topic, not on what is likely: after "vibration" it is when the vibration is felt.
"""

import re
from collections.abc import Collection, Mapping
from typing import Final

from attrs import evolve, frozen

NOISE: Final = "noise"
NO_START: Final = "no-start"


@frozen(kw_only=True)
class Topic:
    """A topic: its words, its possible symptoms, and its opening question.

    ``opening`` is an open question that precedes the one about a symptom; "" where the latter is enough.
    """

    name: str
    said: re.Pattern[str]
    symptoms: frozenset[str]
    opening: str

    def asks(self, question: str) -> str:
        """Return the opening question, with a question about one of the symptoms as an example."""
        return (
            f"{self.opening} For example: {question[:1].lower()}{question[1:]}" if self.opening else question
        )


def _topic(name: str, said: str, symptoms: str, opening: str = "") -> Topic:
    return Topic(
        name=name,
        said=re.compile(rf"\b(?:{said})\b", re.IGNORECASE),
        symptoms=frozenset(symptoms.split()),
        opening=opening,
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
        "When do you feel it: at highway speed, when you brake, when you accelerate, or at idle?",
    ),
    _topic(
        "brakes",
        r"brakes?|breaks",
        "brake-squeal brake-grinding brake-vibration brake-pull brake-pedal-soft brake-pedal-hard",
        "What do the brakes do: squeal, grind, shake, pull to a side, or is the pedal soft or hard?",
    ),
    _topic(
        "squeak",
        r"squeak\w*|squeal\w*|screech\w*|chirp\w*",
        "brake-squeal engine-belt-squeal squeak-over-bumps steering-whine",
        "When does it squeak: when you brake, over bumps, when you steer, or with the engine?",
    ),
    _topic(
        "clunk",
        r"clunk\w*|knock\w*|thump\w*|bang(?:s|ing)?",
        "clunk-over-bumps clunk-on-acceleration engine-knock",
        "When do you hear it: over bumps, when you accelerate or shift, or with the engine?",
    ),
    _topic(
        NOISE,
        r"nois(?:e|es|y)|sounds?|rattl\w+|grind\w*|whin(?:e|es|ing)|hum(?:s|ming)?|click\w*|tick(?:s|ing)",
        "brake-squeal brake-grinding wheel-hum clunk-over-bumps steering-whine clicking-on-turns clunk-on-acceleration "
        "engine-knock engine-ticking engine-rattle-cold-start engine-whine engine-belt-squeal exhaust-loud exhaust-rattle "
        "differential-whine ac-noise wind-noise squeak-over-bumps",
        "What is the noise like, and when and where do you hear it?",
    ),
    _topic(
        "smoke",
        r"smok(?:e|es|ing|y)",
        "blue-smoke white-smoke black-smoke steam-from-hood",
        "What color is the smoke, and where does it come from?",
    ),
    _topic(
        "smell",
        r"smell(?:s|y|ing)?|odou?rs?|stink(?:s|y|ing)?",
        "burning-oil-smell fuel-smell coolant-smell rotten-egg-smell exhaust-smell ac-smell",
        "What does it smell like, and when?",
    ),
    _topic(
        "leak",
        r"leak(?:s|ing|age|y)?|drip(?:s|ping)?|puddles?",
        "oil-leak coolant-leak transmission-leak power-steering-leak brake-fluid-leak water-leak-rain",
        "What color is the fluid, and where under the vehicle is it?",
    ),
    _topic(
        "transmission",
        r"transmissions?|gear ?box|trans",
        "transmission-slips transmission-harsh-shift transmission-no-move transmission-shudder transmission-leak "
        "transmission-stuck-gear",
        "What does the transmission do: slip, shift hard, shudder, leak, or not move?",
    ),
    _topic(
        "air-conditioning",
        r"a[/.]?c\.?|air con(?:ditioning|ditioner)?",
        "ac-warm ac-weak-airflow ac-noise ac-smell blower-dead",
    ),
)

TOPICS: Final[Mapping[str, Topic]] = {topic.name: topic for topic in _LISTED}
"""All topics. If a text has several, their common symptoms are asked about, else the first in this order."""


def topics_in(text: str) -> tuple[str, ...]:
    """Return the topics of a text, in their order."""
    return tuple(name for name, topic in TOPICS.items() if topic.said.search(text))


def common_topic(names: Collection[str]) -> Topic | None:
    """Return the first of some topics, with the symptoms that all have in common if there are any; None without topics."""
    topics = [topic for name, topic in TOPICS.items() if name in names]
    if not topics:
        return None
    common = frozenset.intersection(*(topic.symptoms for topic in topics))
    return evolve(topics[0], symptoms=common) if common else topics[0]
