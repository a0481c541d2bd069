"""The common names of engines."""

from repaircore.kernel.facts import Aspiration, Engine, Layout
from repaircore.kernel.traits import Powertrain

_TURBOS = frozenset({Aspiration.TURBO, Aspiration.TURBO_AND_SUPERCHARGED})
_LETTERS = {Layout.V: "V", Layout.INLINE: "I", Layout.FLAT: "H", Layout.W: "W"}
_KINDS = {
    Powertrain.DIESEL: "diesel",
    Powertrain.HYBRID: "hybrid",
    Powertrain.PLUG_IN_HYBRID: "plug-in hybrid",
}


def engine_name(engine: Engine) -> str:
    """Return the common name of an engine: "5.0L V8 (5.0 Coyote)", "2.5L 4-cyl hybrid", "Electric"."""
    if engine.powertrain is Powertrain.ELECTRIC:
        return "Electric"
    parts = [
        f"{engine.displacement:.1f}L" if engine.displacement else "",
        _cylinders(engine),
        "turbo" if engine.aspiration in _TURBOS else "",
        _KINDS.get(engine.powertrain, "") if engine.powertrain else "",
        f"({engine.family})" if engine.family else "",
    ]
    return " ".join(part for part in parts if part) or (engine.powertrain or "unknown").capitalize()


def _cylinders(engine: Engine) -> str:
    if not engine.cylinders:
        return ""
    letter = None if engine.layout is None else _LETTERS.get(engine.layout)
    return f"{letter}{engine.cylinders}" if letter else f"{engine.cylinders}-cyl"
