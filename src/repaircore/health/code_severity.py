"""How much a trouble code matters, by what SAE J2012 says of its area. It is judgement: who knows the code knows better."""

from typing import Final

from repaircore.book.model import Safety, Urgency
from repaircore.health.score import Severity

_BEGINNINGS: Final = {
    "P0217": Severity.CRITICAL,  # the engine is too hot
    "P0218": Severity.CRITICAL,  # so is the transmission
    "P052": Severity.CRITICAL,  # oil pressure
    "P030": Severity.HIGH,  # misfires, which ruin the catalyst
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
    """Judge a sound trouble code by its first characters; the longest beginning that is known decides."""
    starts = (code[:length].upper() for length in range(len(code), 0, -1))
    return next((_BEGINNINGS[start] for start in starts if start in _BEGINNINGS), Severity.MEDIUM)


def severity_of(urgency: Urgency, safe_to_drive: Safety) -> Severity:
    """Judge a code whose urgency and safety are known."""
    if safe_to_drive is Safety.NO or urgency is Urgency.STOP:
        return Severity.CRITICAL
    if safe_to_drive is Safety.SHORT or urgency is Urgency.NOW:
        return Severity.HIGH
    return Severity.MEDIUM if urgency is Urgency.SOON else Severity.LOW
