"""The meaning of the letter and the digits of a trouble code (SAE J2012)."""

from typing import Final

from attrs import frozen

_AREAS: Final = {"P": "powertrain", "C": "chassis", "B": "body", "U": "network"}
_STANDARD: Final = frozenset({"P0", "P2", "C0", "B0", "U0", "U3"})
_SPLIT: Final = "P3"
_FIRST_STANDARD: Final = "P3400"
"""Codes P3000 to P33FF are the manufacturer's; from this code on, they are standard."""

_POWERTRAIN: Final = {
    "0": "fuel and air metering and auxiliary emission controls",
    "1": "fuel and air metering",
    "2": "fuel and air metering",
    "3": "the ignition system or misfires",
    "4": "auxiliary emission controls",
    "5": "vehicle speed, idle control and auxiliary inputs",
    "6": "the computers and their outputs",
    "7": "the transmission",
    "8": "the transmission",
    "9": "the transmission",
    "A": "the hybrid drive",
    "B": "the hybrid drive",
    "C": "the hybrid drive",
    "D": "the hybrid drive",
}
# In P2, and from P3400 on, the standard assigns the letters and some digits differently.
_POWERTRAIN_LATER: Final = {**_POWERTRAIN, "A": "fuel and air metering and auxiliary emission controls"}
_CYLINDERS: Final = {"4": "cylinder deactivation"}
_NETWORK: Final = {
    "00": "the network wiring",
    "01": "communication between the computers",
    "02": "communication between the computers",
    "03": "incompatible software",
    "04": "data from a computer",
    "05": "data from a computer",
    "30": "a control module or its power",
}


@frozen(kw_only=True)
class CodeStructure:
    """The meaning of a code's letter and digits.

    Args:
        code: the code, normalized.
        area: ``powertrain``, ``chassis``, ``body`` or ``network``.
        standard: whether it means the same for every make; otherwise, the manufacturer decides.
        subsystem: the meaning of its third character, or None if the standard does not define one.
    """

    code: str
    area: str
    standard: bool
    subsystem: str | None

    @property
    def title(self) -> str:
        """Return a title based on the structure alone."""
        subject = f"{self.area} code" if self.subsystem is None else f"{self.area} code for {self.subsystem}"
        return f"{'Standard' if self.standard else 'Manufacturer'} {subject}"

    @property
    def sentence(self) -> str:
        """Return a sentence that explains the first characters."""
        meaning = (
            "with the same meaning for every make"
            if self.standard
            else "whose meaning the manufacturer decides: look it up in the service information for the vehicle"
        )
        return f"{self.code[:2]} codes are {_AREAS[self.code[0]]} codes {meaning}."


def structure_of(code: str) -> CodeStructure:
    """Return the structure of a normalized code."""
    standard = code >= _FIRST_STANDARD if code.startswith(_SPLIT) else code[:2] in _STANDARD
    return CodeStructure(
        code=code, area=_AREAS[code[0]], standard=standard, subsystem=_subsystem(code, standard=standard)
    )


def _subsystem(code: str, *, standard: bool) -> str | None:
    """Return the meaning of the third character, or None; in P1, manufacturers mostly follow P0."""
    if code[:2] in {"P0", "P1"}:
        return _POWERTRAIN.get(code[2])
    if code[:2] == "P2":
        return _POWERTRAIN_LATER.get(code[2])
    if code[0] == "P":
        return _CYLINDERS.get(code[2]) if standard else None
    return _NETWORK.get(code[1:3]) if code[0] == "U" else None
