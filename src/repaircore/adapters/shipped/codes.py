"""Read the table of trouble codes that the package ships."""

import tomllib
from collections.abc import Iterator, Mapping
from importlib.resources import files
from typing import Any

from repaircore.diagnostics.codes import Cause, TroubleCode
from repaircore.problems.model import Safety, Urgency

__all__ = ["trouble_codes"]


def trouble_codes() -> tuple[TroubleCode, ...]:
    """List the codes, sorted.

    Raises:
        KeyError, ValueError: an entry is not as it should be (a contributor's mistake; the tests find it).
    """
    told: dict[str, TroubleCode] = {}
    for entry in _entries():
        for code in _codes(entry):
            if told.setdefault(code.code, code) is not code:
                raise ValueError(f"{code.code} is told of twice")
    return tuple(told[code] for code in sorted(told))


def _entries() -> Iterator[Mapping[str, Any]]:
    pages = files("repaircore.data").joinpath("codes").iterdir()
    for page in pages:
        if page.name.endswith(".toml"):
            yield from tomllib.loads(page.read_text("utf-8"))["entry"]


def _codes(entry: Mapping[str, Any]) -> Iterator[TroubleCode]:
    """Give the codes of an entry: one, or several that differ in what stands for ``{}``."""
    for code, place in entry.get("codes", {entry.get("code"): ""}).items():
        yield TroubleCode(
            code=code,
            title=entry["title"].replace("{}", place),
            meaning=entry["meaning"].replace("{}", place),
            system=entry["system"],
            urgency=Urgency(entry["urgency"]),
            safe_to_drive=Safety(entry["safe_to_drive"]),
            causes=_causes(entry["causes"]),
        )


def _causes(entry: Mapping[str, float]) -> tuple[Cause, ...]:
    causes = [Cause(repair=slug, likelihood=float(share)) for slug, share in entry.items()]
    return tuple(sorted(causes, key=lambda cause: -cause.likelihood))
