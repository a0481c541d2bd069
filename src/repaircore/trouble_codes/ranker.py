"""The repairs that the trouble codes in a search call for."""

from collections.abc import Iterable
from typing import Final

from attrs import frozen
from typing_extensions import override

from repaircore.kernel.types import Lazy
from repaircore.problems.fusion import RankedList
from repaircore.problems.ports import Ranker
from repaircore.problems.words import words
from repaircore.trouble_codes.model import TroubleCode, codes_in, normalized
from repaircore.trouble_codes.table import CodeTable

_WEIGHT: Final = 1.5
"""A code says more than the words beside it, which mostly tell of the same fault."""

_SAYS_NOTHING: Final = frozenset(
    words(
        "a and car check code codes codigo de do does dtc engine error fault fix for got have how i is light mean meaning"
        " my obd obd2 of on que reads repair scanner shows significa the to trouble what"
    )
)


@frozen(kw_only=True)
class CodeRanker(Ranker):
    """Ranks repairs by the causes of trouble codes, as the pages of the codes do."""

    table: Lazy[CodeTable]

    @override
    def rank(self, text: str) -> RankedList | None:
        """Return the causes of the codes in a text, likeliest first; None without a code whose causes are known.

        Of a code that only makers give a meaning to, the causes of all of these are listed.
        """
        codes = codes_in(text)
        entries = [entry for code in codes for entry in self._meanings(code)]
        if not any(entry.causes for entry in entries):
            return None
        return RankedList(repairs=_merged(entries), weight=_WEIGHT, alone=_only_codes(text, codes))

    def _meanings(self, code: str) -> Iterable[TroubleCode]:
        standard = self.table().find(code)
        return self.table().by_maker(code) if standard is None else (standard,)


def _merged(entries: Iterable[TroubleCode]) -> tuple[tuple[str, float], ...]:
    """Give each cause once with the chance that one of the codes means it, likeliest first."""
    missing: dict[str, float] = {}
    for entry in entries:
        for cause in entry.causes:
            missing[cause.repair] = missing.get(cause.repair, 1.0) * (1.0 - cause.likelihood)
    # Of equals the one that the code names first stays first, as on the page of the code.
    return tuple(sorted(((slug, 1.0 - left) for slug, left in missing.items()), key=lambda one: -one[1]))


def _only_codes(text: str, codes: Iterable[str]) -> bool:
    if normalized(text) is not None:
        return True
    read = words(text.replace("-", ""))
    known = {code.casefold() for code in codes}
    return all(word in known or word in _SAYS_NOTHING for word in read)
