"""Everything that is known of trouble codes: what the standard says, and what makers say."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType

from repaircore.kernel.spelling import make_key
from repaircore.trouble_codes.model import TroubleCode


class CodeTable:
    """The known trouble codes. Nothing in it changes, so threads may share it.

    Args:
        standard: the codes that mean the same for every make.
        by_maker: the codes that mean something for their ``makes`` alone; a code may stand there several times.

    Raises:
        ValueError: a code has two meanings for one make.
    """

    def __init__(self, standard: Iterable[TroubleCode], by_maker: Iterable[TroubleCode] = ()) -> None:
        self.standard: Mapping[str, TroubleCode] = MappingProxyType(
            {one.code: one for one in sorted(standard, key=lambda one: one.code)}
        )
        self._of_makers: dict[str, list[TroubleCode]] = {}
        self._of_make: dict[tuple[str, str], TroubleCode] = {}
        for one in sorted(by_maker, key=lambda one: (one.code, one.makes)):
            self._of_makers.setdefault(one.code, []).append(one)
            for make in one.makes:
                if self._of_make.setdefault((make_key(make), one.code), one) is not one:
                    raise ValueError(f"{one.code} has two meanings for {make}")

    def find(self, code: str, make: str | None = None) -> TroubleCode | None:
        """Return what a code means for a make, or for every make, or None when that is not known.

        What the maker says of a code counts before what the standard says. However the make is spelled, it is
        compared by its letters and digits. Without a make only the standard's meaning counts.
        """
        own = None if make is None else self._of_make.get((make_key(make), code))
        return own or self.standard.get(code)

    def by_maker(self, code: str) -> Sequence[TroubleCode]:
        """Return the meanings that makers give to a code, by their makes."""
        return tuple(self._of_makers.get(code, ()))

    def list(self, make: str | None = None) -> Sequence[TroubleCode]:
        """Return the standard's codes, or with a make those that hold for it, sorted by code."""
        if make is None:
            return tuple(self.standard.values())
        key = make_key(make)
        own = {code: one for (of, code), one in self._of_make.items() if of == key}
        return tuple(one for _, one in sorted({**self.standard, **own}.items()))

    def __iter__(self) -> Iterator[TroubleCode]:
        """Iterate over every meaning, the standard's first."""
        yield from self.standard.values()
        for meanings in self._of_makers.values():
            yield from meanings
