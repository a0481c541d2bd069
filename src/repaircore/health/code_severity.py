"""The severity of a trouble code by its area (SAE J2012). This is a judgment; a table of codes is more precise."""

from typing import Final

from repaircore.book.model import Safety, Urgency
from repaircore.health.score import Severity

_PREFIXES: Final = {
    "P0217": Severity.CRITICAL,  # the engine is too hot
    "P0218": Severity.CRITICAL,  # so is the transmission
    "P052": Severity.CRITICAL,  # oil pressure
    "P030": Severity.HIGH,  # misfires, which ruin the catalytic converter
    "P031": Severity.HIGH,
    "P044": Severity.LOW,  # fuel vapors
    "P045": Severity.LOW,
    "P06": Severity.HIGH,  # the computer and its outputs
    "P07": Severity.HIGH,  # the transmission
    "P0A": Severity.HIGH,  # the hybrid drive
    "C": Severity.HIGH,  # brakes, steering, suspension
    "B00": Severity.HIGH,  # air bags
    "B": Severity.LOW,
    "U": Severity.MEDIUM,
    "P": Severity.MEDIUM,
}


def severity_by_area(code: str) -> Severity:
    """Return the severity of a valid trouble code by its longest known prefix, or medium if no prefix is known."""
    prefixes = (code[:length].upper() for length in range(len(code), 0, -1))
    return next((_PREFIXES[prefix] for prefix in prefixes if prefix in _PREFIXES), Severity.MEDIUM)


def severity_of(urgency: Urgency, safe_to_drive: Safety) -> Severity:
    """Return the severity of a code with a known urgency and safety."""
    if safe_to_drive is Safety.NO or urgency is Urgency.STOP:
        return Severity.CRITICAL
    if safe_to_drive is Safety.SHORT or urgency is Urgency.NOW:
        return Severity.HIGH
    return Severity.MEDIUM if urgency is Urgency.SOON else Severity.LOW
