"""Look up trouble codes."""

from collections.abc import Sequence
from typing import Final

from attrs import frozen

from repaircore.kernel.errors import Invalid
from repaircore.kernel.types import Lazy
from repaircore.problems.ports import OpenWork
from repaircore.trouble_codes.meaning import CodeMeaning
from repaircore.trouble_codes.model import LikelyCause, TroubleCode, normalize_code
from repaircore.trouble_codes.structure import structure_of
from repaircore.trouble_codes.table import CodeTable
from repaircore.vehicles.service import Vehicles

_MALFORMED: Final = "The code must be a letter P, B, C or U, a digit 0 to 3, and three digits or letters A to F, such as P0420."


@frozen(kw_only=True)
class Codes:
    """Use cases for trouble codes."""

    read: OpenWork
    table: Lazy[CodeTable]
    vehicles: Lazy[Vehicles]

    def show(self, text: str, *, make: str | None = None, vin: str | None = None) -> CodeMeaning:
        """Return the meaning of a code, however it is written; a VIN takes precedence over ``make``.

        Raises:
            Invalid: on ``code`` or ``vin``, if it is malformed.
            VehicleNotFound: the VIN is unknown.
            Unavailable: the only decoder that could know the VIN is not responding.
        """
        code = normalize_code(text)
        if code is None:
            raise Invalid({"code": [_MALFORMED]})
        car_make = make if vin is None else self.vehicles().decode(vin).make
        entry = self.table().find(code, car_make)
        is_of_maker = entry is not None and bool(entry.makes)
        return CodeMeaning(
            structure=structure_of(code),
            entry=entry,
            by_maker=() if is_of_maker else self.table().by_maker(code),
        )

    def causes(self, meaning: CodeMeaning) -> Sequence[LikelyCause]:
        """List the repairs that a code calls for, likeliest first; there are none if its meaning is unknown."""
        if meaning.entry is None:
            return ()
        causes = meaning.entry.causes
        with self.read() as work:
            problems = work.problems.map_by_slug([cause.repair for cause in causes])
        return [
            LikelyCause(problem=problems[cause.repair], likelihood=cause.likelihood)
            for cause in causes
            if cause.repair in problems
        ]

    def list(self, search: str | None = None, *, make: str | None = None) -> Sequence[TroubleCode]:
        """List the standard codes, and those of a make if given, sorted by code.

        ``search`` selects the codes that match each of its words: at the beginning of the code, or anywhere in its
        title, meaning or system.
        """
        words = (search or "").casefold().split()
        return [code for code in self.table().list(make) if all(_matches(code, word) for word in words)]


def _matches(code: TroubleCode, word: str) -> bool:
    text = f"{code.title} {code.meaning} {code.system}".casefold()
    return code.code.casefold().startswith(word) or word in text
