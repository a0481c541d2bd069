"""Replace words by what they mean in a complaint: a gas pedal is not a brake pedal, an engine's fan not the heater's."""

import re
from typing import Final

_SENSES: Final = (
    (
        re.compile(
            r"\b(?:vacuum\w*|clean\w*|reach\w*|looked) under (?:it|the (?:\w+ )?seat)|\bseat (?:was |got |has been )?(?:moved|removed)\b|\b(?:re)?moved the (?:\w+ )?seat\b",
            re.IGNORECASE,
        ),
        "seat wiring connector, occupant sensor",
    ),
    # The warning light, which is not one of the lights at the rear.
    (
        re.compile(
            r"\bred brake light\b|\bbrake light (?:\w+ ){0,4}?(?:on (?:the |my )?)?(?=dash|cluster)",
            re.IGNORECASE,
        ),
        "brake warning light ",
    ),
    (
        re.compile(
            r"\bblew (?:out )?(?:(?:my|the|a) )?(?:\w+ )?tire\b|\btire blew(?: out)?\b|\bblown(?: out)? tire\b|\bblow ?out\b",
            re.IGNORECASE,
        ),
        "tire burst, flat tire, tire damaged",
    ),
    (
        re.compile(
            r"(?<!parking )(?<!hand )(?<!emergency )(?<!trailer )\bbrakes"
            r" (?:don'?t|do not|didn'?t|did not|won'?t|aren'?t|stopped|quit|not|do nothing)(?: work(?:ing)?)?(?= *(?:$|[.,;!?]))",
            re.IGNORECASE,
        ),
        "brake failure, no brake pressure",
    ),
    (
        re.compile(
            r"\b(?:gas|accelerator|throttle)(?: pedal)? (?:is |gets? |got |was |keeps )?(?:stuck|sticks|sticking|jammed|stays)"
            r"(?: (?:wide open|open|down|to the floor|on))?\b(?! (?:body|closed|plate))",
            re.IGNORECASE,
        ),
        "throttle body sticks",
    ),
    (
        re.compile(
            r"\bfloor(?: ?(?:board|pan))? (?:[\w']+ ){0,6}?(?:is|gets?|getting|feels?) (?:\w+ ){0,2}?(?:hot|burning)\b(?! air)",
            re.IGNORECASE,
        ),
        "exhaust overheats, clogged catalytic converter, heat shield",
    ),
    (re.compile(r"\b(?:gas|accelerator|throttle) pedal\b", re.IGNORECASE), "gas"),
    (
        re.compile(
            r"\b(?:push|press|hit|step(?:s|ped|ping)? on|push(?:ing|ed)|press(?:ing|ed)|hitting|giv(?:e|ing) it)(?: on)?(?: the| some)? gas\b",
            re.IGNORECASE,
        ),
        "accelerate",
    ),
    (
        re.compile(
            r"\bsul(?:f|ph)ur\w*(?: smell| odou?r)?(?: (?:from|out of|at|in) (?:the |my )?(?:exhaust|tailpipe|muffler))?\b",
            re.IGNORECASE,
        ),
        "rotten egg smell",
    ),
    (re.compile(r"\bover night\b", re.IGNORECASE), "overnight"),
    (re.compile(r"\bjump(?:s|ed|ing)? out\b", re.IGNORECASE), "pops out"),
    (re.compile(r"\bjump(?:s|ed|ing)? (?:forward|ahead)\b", re.IGNORECASE), "surges"),
    (re.compile(r"\bwithout (?:any )?warning\b", re.IGNORECASE), "suddenly"),
    (re.compile(r"\b(?:leaf(?! springs?\b)|model [3ysx]|chevy bolt)\b", re.IGNORECASE), "electric vehicle"),
    (re.compile(r"\b(?:dodge charger|(?:chevy|chevrolet) (?:spark|volt)|honda fit)\b", re.IGNORECASE), ""),
    (re.compile(r"\bford (?:escape|focus|fusion|edge|transit)\b", re.IGNORECASE), "ford"),
)
"""Ambiguous phrases, and their replacements."""


def with_plain_senses(text: str) -> str:
    """Return a complaint with ambiguous words replaced by ones that the word models know in the same sense."""
    for said, sense in _SENSES:
        text = said.sub(sense, text)
    return text


_E: Final = re.compile(r"\b(?:e-(?=tron\b|golf\b)|mach-(?=e\b))", re.IGNORECASE)
"""An electric car's name up to its hyphen: its "e" alone would be read as that of an e-brake."""

_A_C: Final = re.compile(r"\ba\.? c\b(?!-| class)", re.IGNORECASE)
""""AC" written with a space: its letters would be two words without meaning."""

_ACCESSORY_QUITS: Final = re.compile(
    r"\b(?P<what>radio|stereo|screen|display|a/?c|heater|blower|wipers|speedometer|gauges|cruise(?: control)?|camera|clock)"
    r" (?:(?:just|then|suddenly|also|randomly|keeps?|will|has) )*(?:(?:shuts?|cuts?|shutting|cutting|turns?) (?:off|out|down)|quits?|died|dies)\b"
    r"(?! (?:working|when i (?:turn|shut) it))",
    re.IGNORECASE,
)
"""An accessory that shuts off, which is not the engine."""

_BARE_FAN: Final = re.compile(
    r"(?<!radiator )(?<!cooling )(?<!electric )(?<!engine )(?<!blower )(?<!heater )\bfans?\b(?! (?:belt|clutch|speeds?|settings?))",
    re.IGNORECASE,
)
_BARE_FLUID: Final = re.compile(
    r"(?<!brake )(?<!steering )(?<!transmission )(?<!trans )(?<!washer )(?<!clutch )(?<!diff )(?<!differential )(?<!windshield )\bfluid\b",
    re.IGNORECASE,
)
_IN_IT: Final = re.compile(
    r"\b(?P<what>screw|nail|bolt|(?:piece of )?(?:metal|glass)|staple)(?P<stuck>(?: stuck| jammed)?) in (?:it|there)\b",
    re.IGNORECASE,
)
_TOLD_BEFORE: Final = (
    # whose text, unless it has these words: what is meant by a word that stands alone
    (
        re.compile(
            r"\boverheat\w*|\b(?:temp\w*|engine|coolant) (?:\w+ ){0,4}(?:hot|rises?|climbs?|goes up|high)\b"
            r"|\b(?:gauge|needle) (?:\w+ ){0,3}(?:climbs?|climbing|rises?|goes up|gets? hot|red)\b",
            re.IGNORECASE,
        ),
        re.compile(
            r"\b(?:vents?|blower|heater|heat|cabin|speeds?|settings?|dash|seats?|battery|laptop|hybrid)\b",
            re.IGNORECASE,
        ),
        _BARE_FAN,
        "radiator fan",
    ),
    (
        re.compile(
            r"\b(?:whin(?:e|es|ing)|groan\w*|moan\w*|hums?|stiff|hard to (?:turn|steer))\b[^.!?]{0,40}\b(?:turn(?:s|ing)?|steer\w*)\b",
            re.IGNORECASE,
        ),
        re.compile(
            r"\b(?:brak\w+|transmission|trans|gears?|clutch|coolant|differential|shift\w*|puddle|radiator|red|green)\b",
            re.IGNORECASE,
        ),
        _BARE_FLUID,
        "power steering fluid",
    ),
    (
        re.compile(r"\b(?:tires?|tpms|flat)\b", re.IGNORECASE),
        re.compile(r"\b(?:rim|caliper|rotor|drum)\b", re.IGNORECASE),
        _IN_IT,
        r"\g<what>\g<stuck> in the tire",
    ),
)
"""Words whose meaning a text tells elsewhere: the fan of an engine that overheats, the fluid of a steering that whines,
the tire that "it" is."""


def with_full_names(text: str) -> str:
    """Return a complaint in which words say which part they mean, if the rest of the complaint does."""
    text = _E.sub(lambda name: name[0][:-1], _A_C.sub("AC", text))
    text = _ACCESSORY_QUITS.sub(r"\g<what> stopped working", text)
    for told, unless, bare, meant in _TOLD_BEFORE:
        if told.search(text) and not unless.search(text):
            text = bare.sub(meant, text)
    return text


_TWELVE_VOLT: Final = re.compile(r"\b12[- ]?(?:v|volts?)\b", re.IGNORECASE)
_TRACTION_BATTERY: Final = re.compile(
    r"\b(?:range|charg(?:e|es|er|ing) (?:port|station|at home|cable)|traction|high[- ]voltage|hv|hybrid (?:battery|system)|battery pack|won'?t charge|kwh)\b",
    re.IGNORECASE,
)


def is_only_twelve_volt(text: str) -> bool:
    """Return whether a complaint is about a 12-volt battery and not about one that drives the vehicle."""
    return _TWELVE_VOLT.search(text) is not None and _TRACTION_BATTERY.search(text) is None
