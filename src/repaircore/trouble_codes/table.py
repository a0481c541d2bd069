"""The table of standard and manufacturer-specific trouble codes."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType

from repaircore.kernel.spelling import make_key
from repaircore.trouble_codes.model import TroubleCode


class CodeTable:
    """The known trouble codes. The table is immutable, so threads may share it.

    Args:
        standard: the codes that mean the same for every make.
        by_maker: the codes that only apply to their ``makes``; a code may occur several times.

    Raises:
        ValueError: a code has two meanings for one make.
    """

    def __init__(self, standard: Iterable[TroubleCode], by_maker: Iterable[TroubleCode] = ()) -> None:
        self.standard: Mapping[str, TroubleCode] = MappingProxyType(
            {entry.code: entry for entry in sorted(standard, key=lambda entry: entry.code)}
        )
        self._of_makers: dict[str, list[TroubleCode]] = {}
        self._of_make: dict[tuple[str, str], TroubleCode] = {}
        for entry in sorted(by_maker, key=lambda entry: (entry.code, entry.makes)):
            self._of_makers.setdefault(entry.code, []).append(entry)
            for make in entry.makes:
                if self._of_make.setdefault((make_key(make), entry.code), entry) is not entry:
                    raise ValueError(f"{entry.code} has two meanings for {make}")

    def find(self, code: str, make: str | None = None) -> TroubleCode | None:
        """Return the meaning of a code for a make, else for every make, or None if it is unknown.

        The manufacturer's meaning takes precedence over the standard one. Makes are compared by their letters and
        digits only. Without a make, only standard meanings are searched.
        """
        own = None if make is None else self._of_make.get((make_key(make), code))
        return own or self.standard.get(code)

    def by_maker(self, code: str) -> Sequence[TroubleCode]:
        """Return the manufacturers' meanings of a code, sorted by their makes."""
        return tuple(self._of_makers.get(code, ()))

    def list(self, make: str | None = None) -> Sequence[TroubleCode]:
        """Return the standard codes, replaced and extended by those of a make if given, sorted by code."""
        if make is None:
            return tuple(self.standard.values())
        key = make_key(make)
        own = {code: entry for (of, code), entry in self._of_make.items() if of == key}
        return tuple(entry for _, entry in sorted({**self.standard, **own}.items()))

    def __iter__(self) -> Iterator[TroubleCode]:
        """Iterate over all meanings, standard ones first."""
        yield from self.standard.values()
        for meanings in self._of_makers.values():
            yield from meanings
