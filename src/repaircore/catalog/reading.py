"""From the EPA's rows to the catalog's entries."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import islice
from typing import Final

from attrs import define, field

from repaircore.catalog.epa import BadRow, EpaRow, Line, read_lines, read_row
from repaircore.catalog.model import CatalogEntry, Make, Refused
from repaircore.catalog.naming import closest
from repaircore.catalog.trims import single_trims

__all__ = ["Reading"]

BATCH: Final = 1000
_MAKES: Final = 512
_MODELS: Final = 8192
_LONGEST_ROW: Final = 1000

_NO_TRIM: Final = re.compile(
    r"""\b(
        [24]wd|[af4]wd|rwd|ffv|cng|hybrid|ev|phev|pickup|cab|chassis|wagon|convertible|coupe|sedan|hatchback|van|cargo|
        passenger|conversion|bi-?fuel|electric|diesel|fuel|flex|plug-?in|truck|\d-?door|door|\d+\ ?(inch|speed)
    )\b""",
    re.IGNORECASE | re.VERBOSE,
)
"""What the EPA puts behind a model's name that is no trim: drive, fuel, body."""


@define(kw_only=True)
class Reading:
    """The reading of one file, and how far it is."""

    named: Callable[[str], Make]
    listed: Callable[[str], Sequence[str]]
    refused: Callable[[Refused], None]
    read: int = field(default=0, init=False)
    refusals: int = field(default=0, init=False)

    def batches(self, lines: Iterable[str]) -> Iterator[list[CatalogEntry]]:
        """Give the sound rows as entries, some at a time.

        Raises:
            Invalid: on ``file``.
        """
        entries = self._entries(lines)
        while batch := list(islice(entries, BATCH)):
            yield batch

    def _entries(self, lines: Iterable[str]) -> Iterator[CatalogEntry]:
        make_of = lru_cache(_MAKES)(self.named)
        names_of = lru_cache(_MAKES)(self.listed)

        @lru_cache(_MODELS)
        def model_of(make: str, published: str) -> tuple[str, str | None]:
            found = closest(names_of(make), published, make=make)
            return (published, None) if found is None else (found[0], _trim(found[1]))

        for line in read_lines(lines):
            self.read += 1
            row = self._row(line)
            if row is not None:
                make = make_of(row.make).name
                model, trim = model_of(make, row.model)
                yield CatalogEntry(
                    make=make,
                    model=model,
                    published=row.model,
                    year=row.year,
                    engine=row.engine,
                    trim=trim,
                    drive=row.drive,
                    body=row.body,
                )

    def _row(self, line: Line) -> EpaRow | None:
        try:
            return read_row(line)
        except BadRow as bad:
            self.refusals += 1
            self.refused(Refused(line=line.number, row=line.text[:_LONGEST_ROW], reasons=bad.reasons))
            return None


def _trim(rest: str) -> str | None:
    found = single_trims([" ".join(_NO_TRIM.sub(" ", rest).split())])
    return found[0] if found else None
