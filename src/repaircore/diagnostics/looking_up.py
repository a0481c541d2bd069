"""Looking trouble codes up."""

from collections.abc import Mapping, Sequence
from typing import Final

from attrs import frozen

from repaircore.diagnostics.codes import LikelyCause, TroubleCode, kind_of, normalized
from repaircore.diagnostics.errors import CodeNotFound
from repaircore.kernel.errors import Invalid
from repaircore.kernel.types import Later
from repaircore.problems.ports import Begin

__all__ = ["Codes"]

_MALFORMED: Final = "The code must be a letter P, B, C or U, a digit 0 to 3, and three digits or letters A to F, such as P0420."


@frozen(kw_only=True)
class Codes:
    """The use cases of trouble codes; ``table`` is all that is known of them, sorted."""

    look: Begin
    table: Later[Mapping[str, TroubleCode]]

    def show(self, text: str) -> TroubleCode:
        """Say what a code means, however it is written.

        Raises:
            Invalid: on ``code``: no code is written like that.
            CodeNotFound: it is one, but not one that is known here; the message says what kind it is.
        """
        code = normalized(text)
        if code is None:
            raise Invalid({"code": [_MALFORMED]})
        found = self.table().get(code)
        if found is None:
            raise CodeNotFound(code, kind_of(code))
        return found

    def causes(self, code: TroubleCode) -> Sequence[LikelyCause]:
        """List the repairs that a code calls for, likeliest first."""
        with self.look() as work:
            known = work.problems.by_slugs([cause.repair for cause in code.causes])
        return [
            LikelyCause(problem=known[cause.repair], likelihood=cause.likelihood)
            for cause in code.causes
            if cause.repair in known
        ]

    def list(self, search: str | None = None) -> Sequence[TroubleCode]:
        """List the codes, sorted; with ``search`` those that begin with it, or whose texts hold all its words."""
        codes = self.table().values()
        words = (search or "").casefold().split()
        return [one for one in codes if all(_holds(one, word) for word in words)]


def _holds(code: TroubleCode, word: str) -> bool:
    told = f"{code.title} {code.meaning} {code.system}".casefold()
    return code.code.casefold().startswith(word) or word in told
