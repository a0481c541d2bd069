"""Rank repairs by the trouble codes in a search."""

from collections.abc import Iterable
from typing import Final

from attrs import frozen
from typing_extensions import override

from repaircore.kernel.types import Lazy
from repaircore.problems.fusion import RankedList
from repaircore.problems.ports import Ranker
from repaircore.problems.words import words
from repaircore.trouble_codes.model import TroubleCode, codes_in, normalize_code
from repaircore.trouble_codes.table import CodeTable

_WEIGHT: Final = 1.5
"""A code says more than the words around it, which mostly describe the same fault."""

_FILLER: Final = frozenset(
    words(
        "a and car check code codes codigo de do does dtc engine error fault fix for got have how i is light mean meaning"
        " my obd obd2 of on que reads repair scanner shows significa the to trouble what"
    )
)


@frozen(kw_only=True)
class CodeRanker(Ranker):
    """Ranks repairs by the causes of trouble codes, as the pages about codes do."""

    table: Lazy[CodeTable]

    @override
    def rank(self, text: str, *, best: float = 0.0) -> RankedList | None:
        """Return the causes of the codes in ``text``, likeliest first, or None if no code in it has known causes.

        For a code that only manufacturers define, the causes for all of them are listed.
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
    """Return each cause once, with the probability that at least one of the codes is due to it, likeliest first."""
    missing: dict[str, float] = {}
    for entry in entries:
        for cause in entry.causes:
            missing[cause.repair] = missing.get(cause.repair, 1.0) * (1.0 - cause.likelihood)
    # Ties stay in the code's own order, as on its page.
    return tuple(sorted(((slug, 1.0 - left) for slug, left in missing.items()), key=lambda item: -item[1]))


def _only_codes(text: str, codes: Iterable[str]) -> bool:
    if normalize_code(text) is not None:
        return True
    read = words(text.replace("-", ""))
    known = {code.casefold() for code in codes}
    return all(word in known or word in _FILLER for word in read)
