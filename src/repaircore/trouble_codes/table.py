"""The table of trouble codes: standard ones, and those of makers."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType

from repaircore.kernel.spelling import make_key
from repaircore.trouble_codes.model import TroubleCode


class CodeTable:
    """The known trouble codes. It is immutable, so threads may share it.

    Args:
        standard: the codes that mean the same for every make.
        by_maker: the codes that apply only to their ``makes``; a code may occur several times.

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
        """Return the meaning of a code for a make, else for every make; None when it is unknown.

        The maker's meaning takes precedence over the standard's. Makes are compared by their letters and digits only.
        Without a make only the standard's meaning is searched.
        """
        own = None if make is None else self._of_make.get((make_key(make), code))
        return own or self.standard.get(code)

    def by_maker(self, code: str) -> Sequence[TroubleCode]:
        """Return the makers' meanings of a code, sorted by their makes."""
        return tuple(self._of_makers.get(code, ()))

    def list(self, make: str | None = None) -> Sequence[TroubleCode]:
        """Return the standard's codes, or those of a make, sorted by code."""
        if make is None:
            return tuple(self.standard.values())
        key = make_key(make)
        own = {code: entry for (of, code), entry in self._of_make.items() if of == key}
        return tuple(entry for _, entry in sorted({**self.standard, **own}.items()))

    def __iter__(self) -> Iterator[TroubleCode]:
        """Iterate over all meanings, the standard's first."""
        yield from self.standard.values()
        for meanings in self._of_makers.values():
            yield from meanings
