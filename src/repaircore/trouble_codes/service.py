"""Looking trouble codes up."""

from collections.abc import Sequence
from typing import Final

from attrs import frozen

from repaircore.kernel.errors import Invalid
from repaircore.kernel.types import Lazy
from repaircore.problems.ports import OpenWork
from repaircore.trouble_codes.meaning import CodeMeaning
from repaircore.trouble_codes.model import LikelyCause, TroubleCode, normalized
from repaircore.trouble_codes.structure import structure_of
from repaircore.trouble_codes.table import CodeTable
from repaircore.vehicles.service import Vehicles

_MALFORMED: Final = "The code must be a letter P, B, C or U, a digit 0 to 3, and three digits or letters A to F, such as P0420."


@frozen(kw_only=True)
class Codes:
    """The use cases of trouble codes; ``table`` is all that is known of them."""

    read: OpenWork
    table: Lazy[CodeTable]
    vehicles: Lazy[Vehicles]

    def show(self, text: str, *, make: str | None = None, vin: str | None = None) -> CodeMeaning:
        """Return what a code means, however it is written; a VIN says the make.

        Raises:
            Invalid: on ``code``: no code is written like that; on ``vin``: no VIN is.
            VehicleNotFound: nobody knows the VIN.
            Unavailable: the only decoder that could know the VIN does not answer.
        """
        code = normalized(text)
        if code is None:
            raise Invalid({"code": [_MALFORMED]})
        of = make if vin is None else self.vehicles().decode(vin).make
        entry = self.table().find(code, of)
        known = entry is not None and bool(entry.makes)
        return CodeMeaning(
            structure=structure_of(code),
            entry=entry,
            by_maker=() if known else self.table().by_maker(code),
        )

    def causes(self, meaning: CodeMeaning) -> Sequence[LikelyCause]:
        """List the repairs that a code calls for, likeliest first; none when its meaning is not known."""
        if meaning.entry is None:
            return ()
        named = meaning.entry.causes
        with self.read() as work:
            known = work.problems.map_by_slug([cause.repair for cause in named])
        return [
            LikelyCause(problem=known[cause.repair], likelihood=cause.likelihood)
            for cause in named
            if cause.repair in known
        ]

    def list(self, search: str | None = None, *, make: str | None = None) -> Sequence[TroubleCode]:
        """List the codes of the standard, or those that hold for a make, sorted.

        With ``search`` those that begin with it, or whose texts hold all its words.
        """
        words = (search or "").casefold().split()
        return [one for one in self.table().list(make) if all(_holds(one, word) for word in words)]


def _holds(code: TroubleCode, word: str) -> bool:
    told = f"{code.title} {code.meaning} {code.system}".casefold()
    return code.code.casefold().startswith(word) or word in told
