"""Read the row tables of trouble codes: the standard's and the makers'.

The TOML pages describe common codes one by one; the rows cover the many that differ only in the part and
the fault.
"""

import csv
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from importlib.resources import files
from sys import intern
from typing import Any, Final

from attrs import frozen

from repaircore.book.model import Safety, Urgency
from repaircore.trouble_codes.model import Cause, TroubleCode

_TEN, _SIXTEEN, _DIGITS = 10, 16, 4
_LEFT_OUT: Final = "-"
_NAMED_ALONE: Final = ""


@frozen(kw_only=True)
class _Kind:
    """The common fields of codes about one kind of part."""

    about: str
    system: str
    urgency: Urgency
    safe_to_drive: Safety
    causes: tuple[Cause, ...]


@frozen(slots=False)
class CodeRows:
    """The row tables, read when they are first needed.

    Every method raises KeyError or ValueError if a row is malformed (a contributor's mistake, which the tests find).
    """

    @cached_property
    def _page(self) -> Mapping[str, Any]:
        return tomllib.loads(_file("kinds.toml"))

    @cached_property
    def _kinds(self) -> Mapping[str, _Kind]:
        return {name: _kind(row) for name, row in self._page["kind"].items()}

    def standard(self) -> Iterator[TroubleCode]:
        """Yield the codes with the same meaning for every make."""
        faults = self._page["faults"]
        for row in _rows("standard.psv"):
            kind = self._kinds[row["kind"]]
            places = [place.replace("_", " ") for place in row["each"].split()] or [""]
            keys = row["faults"].split() or [_NAMED_ALONE]
            wanted = [(place, key) for place in places for key in keys]
            for code, (place, key) in zip(numbered(row["first"], len(wanted)), wanted, strict=True):
                if key == _LEFT_OUT:
                    continue
                ending, sentence = ("", "") if key == _NAMED_ALONE else faults[key]
                yield kind_code(code, _title(row["subject"], place, ending), kind, sentence)

    def by_maker(self) -> Iterator[TroubleCode]:
        """Yield the codes that have a meaning only for some makes."""
        makes = {group: tuple(names) for group, names in self._page["makes"].items()}
        for row in _rows("makes.psv"):
            yield kind_code(row["code"], row["title"], self._kinds[row["kind"]], makes=makes[row["group"]])


def numbered(first: str, count: int) -> list[str]:
    """Return ``count`` consecutive codes, in decimal if ``first`` has only digits after its letter, else hexadecimal.

    The standard first counted in decimal, and used letters once the digits ran out.
    """
    base = _TEN if first[1:].isdigit() else _SIXTEEN
    start = int(first[1:], base)
    form = "04d" if base == _TEN else "04X"
    return [f"{first[0]}{number:{form}}" for number in range(start, start + count)]


def causes_of(entry: Mapping[str, float]) -> tuple[Cause, ...]:
    """Return the causes of an entry, most likely first."""
    causes = [Cause(repair=slug, likelihood=float(share)) for slug, share in entry.items()]
    return tuple(sorted(causes, key=lambda cause: -cause.likelihood))


def kind_code(
    code: str, title: str, kind: _Kind, sentence: str = "", *, makes: tuple[str, ...] = ()
) -> TroubleCode:
    """Return a code about a kind of part; ``sentence`` describes its fault."""
    return TroubleCode(
        code=code,
        title=title,
        meaning=intern(f"{kind.about} {sentence}".strip()),  # thousands of codes share a few hundred meanings
        system=kind.system,
        urgency=kind.urgency,
        safe_to_drive=kind.safe_to_drive,
        causes=kind.causes,
        makes=makes,
    )


def _kind(row: Mapping[str, Any]) -> _Kind:
    return _Kind(
        about=row["about"],
        system=row["system"],
        urgency=Urgency(row["urgency"]),
        safe_to_drive=Safety(row["safe_to_drive"]),
        causes=causes_of(row["causes"]),
    )


def _title(subject: str, place: str, ending: str) -> str:
    named = subject.replace("{}", place)
    return f"{named}, {ending}" if ending else named


def _rows(name: str) -> Iterator[Mapping[str, str]]:
    lines: Sequence[str] = [line for line in _file(name).splitlines() if not line.startswith("#")]
    return csv.DictReader(lines, delimiter="|", strict=True)


def _file(name: str) -> str:
    return files("repaircore.data").joinpath("codes").joinpath("table").joinpath(name).read_text("utf-8")
