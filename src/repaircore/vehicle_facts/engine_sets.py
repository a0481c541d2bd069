"""Compare and merge the engines that a vehicle may have, and select them by a description."""

import re
from collections.abc import Callable, Iterable, Sequence
from collections.abc import Set as AbstractSet
from typing import Final, TypeVar

from attrs import evolve, fields, frozen

from repaircore.kernel.engine_names import engine_name
from repaircore.kernel.facts import Aspiration, Engine, Fuel
from repaircore.kernel.spelling import words_key
from repaircore.kernel.traits import Powertrain

T = TypeVar("T")

_NEAR: Final = 0.051
_PLAINLY_WEAKER: Final = 0.9
_NATURAL_POWER: Final = 105
"""Horsepower per liter; hardly any production engine has more without a turbo."""
_MOST_LITERS: Final = 20.0
_CUBIC_CENTIMETERS: Final = 1000
_CYLINDERS: Final = range(1, 17)

_LITERS: Final = re.compile(
    r"(?<![\w.])(\d{1,2}[.,]\d{1,3}|\d{1,2})\s*-?\s*(l|liters?|litres?)?(t|td|d|h)?(?![\w.])", re.IGNORECASE
)
_NEGATIVE: Final = re.compile(r"\s*[-\u2212]\s*[\d.,]")
_CC: Final = re.compile(r"(?<!\w)(\d{3,5})\s*cc\b", re.IGNORECASE)
_LAID_OUT: Final = re.compile(
    r"\b(?:v|i|l|h|w|f|inline|straight|flat|boxer|vr)[ -]?(\d{1,3}|four|five|six|eight|ten|twelve)\b",
    re.IGNORECASE,
)
_COUNTED: Final = re.compile(
    r"\b(\d{1,3}|two|three|four|five|six|eight|ten|twelve)[ -]?cyl(?:inders?|\.)?(?!\w)", re.IGNORECASE
)
_WORDS: Final = {"two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "eight": 8, "ten": 10, "twelve": 12}
_TURBO: Final = re.compile(
    r"\b(twin[ -]?turbo|bi[ -]?turbo|turbo(charged)?|ecoboost|[bt][4-6]|t8)\b", re.IGNORECASE
)
"""T4 to T8 and B4 to B6 are Volvo's names for engines."""
_CHARGED: Final = re.compile(r"\bsuper-?charged\b", re.IGNORECASE)
_POWERTRAINS: Final = (
    (
        re.compile(r"\b(plug-?in( hybrid)?|phev|4xe|prime|energi|t8)\b", re.IGNORECASE),
        Powertrain.PLUG_IN_HYBRID,
    ),
    (re.compile(r"\b(hybrid|hev|powerboost)\b", re.IGNORECASE), Powertrain.HYBRID),
    (re.compile(r"\b(ev|bev|electric)\b", re.IGNORECASE), Powertrain.ELECTRIC),
    (re.compile(r"\b(diesel|turbo-?diesel|tdi|crd|cdi|blue ?tec)\b", re.IGNORECASE), Powertrain.DIESEL),
    (re.compile(r"\b(gas|gasoline|petrol|[bt][4-6])\b", re.IGNORECASE), Powertrain.GAS),
)
_SPELLED: Final = (
    (re.compile(r"\beco[ -]boost\b", re.IGNORECASE), "EcoBoost"),
    (re.compile(r"\beco[ -]diesel\b", re.IGNORECASE), "EcoDiesel"),
    (re.compile(r"\bpowerstroke\b", re.IGNORECASE), "Power Stroke"),
    (re.compile(r"\bdura[ -]max\b", re.IGNORECASE), "Duramax"),
    (re.compile(r"(?:\b|(?<=\d))xt\b", re.IGNORECASE), " turbo"),
)
"""Makers' names for engines, which owners split or join; a Subaru XT has a turbo."""
_SAME_NAMES: Final = frozenset({"tfsi", "tsi"})
"""Audi's and Volkswagen's names for the same kind of engine."""
_FAMILY_LITERS: Final = re.compile(r"\b\d\.\d\b")
_FLEX: Final = re.compile(r"\b(flex([ -]?fuel)?|ffv|e85)\b", re.IGNORECASE)
_HYBRIDS: Final = frozenset({Powertrain.HYBRID, Powertrain.PLUG_IN_HYBRID})
_GENERIC: Final = frozenset(
    [
        "l",
        "liter",
        "liters",
        "litre",
        "litres",
        "engine",
        "motor",
        "dohc",
        "sohc",
        "ohv",
        "ohc",
        "vvt",
        "ivtec",
        "vtec",
        "efi",
        "mpi",
        "mpfi",
        "gdi",
        "di",
        "sfi",
        "fi",
        "8v",
        "12v",
        "16v",
        "20v",
        "24v",
        "32v",
        "cyl",
        "cylinder",
        "cylinders",
        "twin",
        "turbo",
        "turbocharged",
        "biturbo",
        "supercharged",
        "inline",
        "straight",
        "flat",
        "boxer",
        "v",
        "i",
        "and",
        "with",
        "fwd",
        "rwd",
        "awd",
        "4wd",
        "2wd",
        "4x4",
        "4x2",
        "auto",
        "automatic",
        "manual",
        "cvt",
        "hp",
        "fuel",
        "in",
        "plug",
        "t",
        "td",
        "d",
        "h",
        "tc",
        "standard",
        "base",
        "single",
        "dual",
    ]
)
_TURBOS: Final = frozenset({Aspiration.TURBO, Aspiration.TURBO_AND_SUPERCHARGED})
_CHARGERS: Final = frozenset({Aspiration.SUPERCHARGED, Aspiration.TURBO_AND_SUPERCHARGED})


def merge_engines(engines: Iterable[Engine]) -> tuple[Engine, ...]:
    """Return the engines that a mechanic would distinguish, smallest first.

    Sources differ in their details about the same engine. Only facts on which they agree count as known. An engine of
    unknown size is left out if another's size is known.
    """
    found = list(dict.fromkeys(engines))
    sized = [
        engine
        for engine in found
        if engine.displacement is not None or engine.powertrain is Powertrain.ELECTRIC
    ]
    kinds = {engine.powertrain for engine in sized}
    vague = [
        engine for engine in found if engine not in sized and engine.powertrain not in kinds and not sized
    ]
    groups: dict[tuple[object, ...], list[Engine]] = {}
    for engine in sized:
        groups.setdefault((engine.powertrain, engine.displacement, _cylinders(engine, sized)), []).append(
            engine
        )
    for engine in vague:
        groups.setdefault((engine.powertrain, engine.cylinders), []).append(engine)
    together = [_merged(part) for group in groups.values() for part in _split_by_aspiration(group)]
    return tuple(sorted(together, key=_size))


def is_same_engine(engine: Engine, other: Engine) -> bool:
    """Return whether two sources may describe the same engine: whether they agree on everything that both know.

    The family counts only if exactly one source knows the aspiration, because sources name the same engine differently.
    """
    pairs: list[tuple[object, object]] = [
        (engine.powertrain, other.powertrain),
        (engine.displacement, other.displacement),
        (engine.cylinders, other.cylinders),
        (engine.aspiration, other.aspiration),
    ]
    if None in pairs[-1] and engine.aspiration is not other.aspiration:
        pairs.append((engine.family, other.family))
    return all(None in pair or pair[0] == pair[1] for pair in pairs)


def _size(engine: Engine) -> tuple[float, int, str, bool]:
    is_turbo = engine.aspiration in _TURBOS
    return engine.displacement or 0.0, engine.cylinders or 0, engine.powertrain or "", is_turbo


def _cylinders(engine: Engine, others: Iterable[Engine]) -> int | None:
    """Return an engine's number of cylinders; if unknown, that of the other engines of its powertrain and size.

    Return None if the others disagree, or if none of theirs is known.
    """
    if engine.cylinders is not None:
        return engine.cylinders
    same = {
        other.cylinders
        for other in others
        if (other.powertrain, other.displacement) == (engine.powertrain, engine.displacement)
        and other.cylinders
    }
    return same.pop() if len(same) == 1 else None


def _split_by_aspiration(group: Sequence[Engine]) -> list[list[Engine]]:
    """Split engines of one size into those without a turbo and the rest, which a mechanic would distinguish.

    An engine of unknown aspiration counts as having no turbo if it is clearly weaker or of another family.
    """
    turbos = [engine for engine in group if engine.aspiration in _TURBOS]
    others = (
        [engine for engine in group if engine not in turbos and _differs(engine, turbos)] if turbos else []
    )
    rest = [engine for engine in group if engine not in others]
    return [part for part in (others, rest) if part]


def _differs(engine: Engine, turbos: Sequence[Engine]) -> bool:
    if engine.aspiration is not None:
        return True
    families = {engine.family for engine in turbos} - {None}
    if engine.family and families:
        return engine.family not in families
    powers = [engine.horsepower for engine in turbos if engine.horsepower is not None]
    if engine.horsepower is None or not powers:
        return False
    # The power of one engine differs by a few percent between sources and model years.
    is_weaker = engine.horsepower < _PLAINLY_WEAKER * min(powers)
    return is_weaker and engine.horsepower <= _NATURAL_POWER * (engine.displacement or 0.0)


def _merged(group: Sequence[Engine]) -> Engine:
    def agreed(read: Callable[[Engine], T | None]) -> T | None:
        values = {read(engine) for engine in group} - {None}
        return values.pop() if len(values) == 1 else None

    first = group[0]
    names = [attribute.name for attribute in fields(Engine)]
    known = {name: agreed(lambda engine, name=name: getattr(engine, name)) for name in names}  # type: ignore[misc] # bound in the loop
    return evolve(first, **known)


@frozen(kw_only=True)
class EngineQuery:
    """A parsed description of an engine, such as "5.0", "5.0L V8", "EcoBoost 3.5", "2.0T" or "hybrid"."""

    text: str
    liters: float | None = None
    cylinders: int | None = None
    turbo: bool = False
    supercharged: bool = False
    flex: bool = False
    powertrain: Powertrain | None = None
    names: frozenset[str] = frozenset()
    is_impossible: bool = False

    @classmethod
    def parse(cls, text: str) -> "EngineQuery":
        """Parse a description; ``is_impossible`` marks one that fits no engine ("V99", "9.9e9", "-5", "???")."""
        for pattern, spelled in _SPELLED:
            text = pattern.sub(spelled, text)
        has_no_words = bool(text.strip()) and not words_key(text)
        counted = _LAID_OUT.search(text) or _COUNTED.search(text)
        cylinders = _number(counted[1]) if counted else None
        rest = _COUNTED.sub(" ", _LAID_OUT.sub(" ", text))
        cc = _CC.search(rest)
        sized = _LITERS.search(_CC.sub(" ", rest))
        liters = int(cc[1]) / _CUBIC_CENTIMETERS if cc else _liters(sized[1]) if sized else None
        suffix = (sized[3] or "").casefold() if sized and not cc else ""
        left = _CC.sub(" ", rest)
        if sized:
            left = left.replace(sized[0], " ", 1)
        powertrain = next((kind for pattern, kind in _POWERTRAINS if pattern.search(text)), None)
        for pattern, _ in _POWERTRAINS:
            left = pattern.sub(" ", left) if not re.search(r"\btdi\b", left, re.IGNORECASE) else left
        return cls(
            text=text,
            liters=liters,
            cylinders=cylinders,
            turbo=bool(_TURBO.search(text)) or suffix.startswith("t"),
            supercharged=bool(_CHARGED.search(text)),
            flex=bool(_FLEX.search(text)),
            powertrain=powertrain or (Powertrain.DIESEL if suffix.endswith("d") else None),
            names=frozenset(words_key(_FLEX.sub(" ", left))) - _GENERIC,
            is_impossible=has_no_words
            or _NEGATIVE.match(text) is not None
            or (cylinders is not None and cylinders not in _CYLINDERS)
            or (liters is not None and not 0 < liters <= _MOST_LITERS),
        )

    def select(
        self, engines: Sequence[Engine], *, families: AbstractSet[str] = frozenset()
    ) -> tuple[Engine, ...]:
        """Return the engines that match; there are none if the vehicle was never sold with such an engine.

        ``families`` are the words that name engines of any make: a family that none of the engines has is a
        contradiction, and any other word is ignored.
        """
        whole = self.text.strip().casefold()
        exact = [engine for engine in engines if engine_name(engine).casefold() == whole]
        if exact or self.is_impossible:
            return tuple(exact)
        found = [engine for engine in engines if self._fits(engine)]
        found = _preferring(found, self.turbo, lambda engine: engine.aspiration in _TURBOS)
        found = _preferring(found, self.supercharged, lambda engine: engine.aspiration in _CHARGERS)
        if self.turbo and all(engine.aspiration is Aspiration.NATURAL for engine in found):
            return ()
        known = frozenset(word for engine in engines for word in _names(engine))
        wanted_names = self.names & known
        if wanted_names:
            return tuple(engine for engine in found if wanted_names <= _names(engine))
        if self.names & families or (self.is_empty and self.names):
            return ()
        return tuple(found)

    def engines_with(self, known: Sequence[Engine]) -> Sequence[Engine]:
        """Return the engines that match, for a model whose engines are not all known.

        If none matches, an engine with no facts but the described ones is returned; there are none if nothing is
        described.
        """
        if self.is_empty or self.is_impossible:
            return ()
        aspirations = ((self.turbo, Aspiration.TURBO), (self.supercharged, Aspiration.SUPERCHARGED))
        aspiration = next((kind for is_stated, kind in aspirations if is_stated), None)
        described = Engine(
            powertrain=self.powertrain,
            displacement=self.liters,
            cylinders=self.cylinders,
            fuel=Fuel.FLEX if self.flex else None,
        )
        found = self.select(known) or (described,)
        return tuple(evolve(engine, aspiration=engine.aspiration or aspiration) for engine in found)

    @property
    def is_empty(self) -> bool:
        """Return whether the description contains nothing that is understood, except perhaps a name."""
        known = (self.liters, self.cylinders, self.powertrain)
        return known == (None, None, None) and not (self.turbo or self.supercharged or self.flex)

    def _fits(self, engine: Engine) -> bool:
        if self.liters is not None:
            if engine.powertrain is Powertrain.ELECTRIC:
                return False
            named = map(float, _FAMILY_LITERS.findall(engine.family or ""))
            sizes = [*named, *([] if engine.displacement is None else [engine.displacement])]
            if sizes and all(abs(size - self.liters) > _NEAR for size in sizes):
                return False
        if self.cylinders is not None and (
            engine.powertrain is Powertrain.ELECTRIC or engine.cylinders not in {None, self.cylinders}
        ):
            return False
        if self.flex and engine.fuel not in {None, Fuel.FLEX, Fuel.GASOLINE}:
            return False
        return self.powertrain is None or _agrees(engine.powertrain, self.powertrain)


def _agrees(known: Powertrain | None, wanted: Powertrain) -> bool:
    if wanted is Powertrain.HYBRID:
        return known is None or known in _HYBRIDS
    return known in {None, wanted}


def _preferring(engines: list[Engine], wanted: object, has: Callable[[Engine], bool]) -> list[Engine]:
    """Return the engines known to have a feature if it is wanted and any of them has it, else all engines."""
    known = [engine for engine in engines if has(engine)] if wanted else []
    return known or engines


def _names(engine: Engine) -> frozenset[str]:
    names = frozenset(words_key(f"{engine.family or ''} {engine.code or ''}")) - _GENERIC
    return names | _SAME_NAMES if names & _SAME_NAMES else names


def _number(text: str) -> int:
    return _WORDS.get(text.casefold()) or int(text)


def _liters(text: str) -> float:
    return round(float(text.replace(",", ".")), 1)
