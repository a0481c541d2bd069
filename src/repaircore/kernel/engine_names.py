"""The common names of engines, and a vehicle's engine and drive in one line."""

from collections.abc import Sequence

from repaircore.kernel.facts import Aspiration, Engine, Layout, VehicleFacts
from repaircore.kernel.traits import Drive, Powertrain

_TURBO = frozenset({Aspiration.TURBO, Aspiration.TURBO_AND_SUPERCHARGED})
_LETTERS = {Layout.V: "V", Layout.INLINE: "I", Layout.FLAT: "H", Layout.W: "W"}
_KINDS = {
    Powertrain.DIESEL: "diesel",
    Powertrain.HYBRID: "hybrid",
    Powertrain.PLUG_IN_HYBRID: "plug-in hybrid",
}
_DRIVES = {Drive.FWD: "FWD", Drive.RWD: "RWD", Drive.AWD: "AWD", Drive.FOUR_WD: "4WD"}


def engine_name(engine: Engine) -> str:
    """Return the common name of an engine, such as "5.0L V8 (5.0 Coyote)", "2.5L 4-cyl hybrid" or "Electric"."""
    if engine.powertrain is Powertrain.ELECTRIC:
        return "Electric"
    parts = [
        f"{engine.displacement:.1f}L" if engine.displacement else "",
        _cylinders(engine),
        "turbo" if engine.aspiration in _TURBO else "",
        _KINDS.get(engine.powertrain, "") if engine.powertrain else "",
        f"({engine.family})" if engine.family else "",
    ]
    return " ".join(part for part in parts if part) or (engine.powertrain or "unknown").capitalize()


def only_engine_name(engines: Sequence[Engine]) -> str | None:
    """Return the common name of the only possible engine, or None if several are possible or none is known."""
    return engine_name(engines[0]) if len(engines) == 1 else None


def facts_line(facts: VehicleFacts) -> str | None:
    """Return the engine and drive in one line, such as "5.0L V8 (5.0 Coyote), 4WD", or None if both are unknown."""
    engine = only_engine_name(facts.engines)
    drive = None if facts.drive is None else _DRIVES[facts.drive]
    return ", ".join(part for part in (engine, drive) if part) or None


def _cylinders(engine: Engine) -> str:
    if not engine.cylinders:
        return ""
    letter = None if engine.layout is None else _LETTERS.get(engine.layout)
    return f"{letter}{engine.cylinders}" if letter else f"{engine.cylinders}-cyl"
