"""Trouble codes, read from the shipped list."""

import tomllib
from importlib.resources import files
from typing import Final

from repaircore.diagnostics.codes import Cause, System, TroubleCode
from repaircore.problems.model import Safety, Urgency

__all__ = ["trouble_codes"]

_LIST: Final = "codes.toml"


def trouble_codes() -> tuple[TroubleCode, ...]:
    """Read the codes, in the order of the list.

    Raises:
        KeyError, ValueError: an entry is not as it should be (a contributor's mistake; the tests find it).
    """
    page = tomllib.loads((files("repaircore.data") / _LIST).read_text("utf-8"))
    return tuple(
        TroubleCode(
            code=code,
            title=entry["title"],
            meaning=entry["meaning"],
            causes=tuple(Cause(repair, share) for repair, share in entry["causes"].items()),
            system=System(entry["system"]),
            urgency=Urgency(entry["urgency"]),
            safe_to_drive=Safety(entry["safe_to_drive"]),
        )
        for code, entry in page.items()
    )
