"""Convert the EPA's rows to catalog entries."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Final

from attrs import frozen

from repaircore.catalog.epa import BadRow, read_lines, read_row
from repaircore.catalog.model import CatalogEntry, Make
from repaircore.catalog.model_names import closest_name
from repaircore.catalog.trims import single_trims
from repaircore.kernel.csv_table import rejected
from repaircore.kernel.imports import RejectedRow

_MAKES: Final = 512
_MODELS: Final = 8192

_NO_TRIM: Final = re.compile(
    r"""\b(
        [24]wd|[af4]wd|rwd|ffv|cng|hybrid|ev|phev|pickup|cab|chassis|wagon|convertible|coupe|sedan|hatchback|van|cargo|
        passenger|conversion|bi-?fuel|electric|diesel|fuel|flex|plug-?in|truck|\d-?door|door|\d+\ ?(inch|speed)
    )\b""",
    re.IGNORECASE | re.VERBOSE,
)
"""Words that follow a model's name without being its trim: drive, fuel, body."""


@frozen(kw_only=True)
class EpaReader:
    """Reads the EPA's file; each entry gets the listed names of the make and model that its row matches."""

    find_make: Callable[[str], Make]
    list_models: Callable[[str], Sequence[str]]

    def entries(self, lines: Iterable[str]) -> Iterator[CatalogEntry | RejectedRow]:
        """Yield an entry for each valid row, and a rejected row for each invalid one.

        Raises:
            Invalid: on ``file``: required columns are missing, or it is not valid CSV.
        """
        make_of = lru_cache(_MAKES)(self.find_make)
        names_of = lru_cache(_MAKES)(self.list_models)

        @lru_cache(_MODELS)
        def model_of(make: str, published: str) -> tuple[str, str | None]:
            found = closest_name(names_of(make), published, make=make)
            return (published, None) if found is None else (found[0], _trim(found[1]))

        for line in read_lines(lines):
            try:
                row = read_row(line)
            except BadRow as bad:
                yield rejected(line.number, line.row, bad.reasons)
                continue
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


def _trim(rest: str) -> str | None:
    found = single_trims([" ".join(_NO_TRIM.sub(" ", rest).split())])
    return found[0] if found else None
