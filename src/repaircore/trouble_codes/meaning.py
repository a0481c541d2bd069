"""The meaning of a trouble code, as far as it is known."""

from collections.abc import Sequence

from attrs import frozen

from repaircore.kernel.wording import join_words
from repaircore.trouble_codes.model import TroubleCode
from repaircore.trouble_codes.structure import CodeStructure


@frozen(kw_only=True)
class CodeMeaning:
    """The meaning of a code, as far as it is known.

    Args:
        structure: the meaning of its letter and digits, which is always known.
        entry: its meaning for the vehicle, or for every make; None when it is unknown.
        by_maker: its meanings for some makes, if the make is unknown or different.
    """

    structure: CodeStructure
    entry: TroubleCode | None
    by_maker: Sequence[TroubleCode] = ()

    @property
    def code(self) -> str:
        """Return the code."""
        return self.structure.code

    @property
    def title(self) -> str:
        """Return the title of the entry, else the one of the structure."""
        return self.structure.title if self.entry is None else self.entry.title

    @property
    def meaning(self) -> str:
        """Return the meaning in plain words, with those of other makers; without an entry, all that is known."""
        but = "But for" if self.structure.standard else "For"
        otherwise = " ".join(
            f"{but} {join_words(code.makes)} it means: {code.title}." for code in self.by_maker
        )
        known = self.structure.sentence if self.entry is None else self.entry.meaning
        if self.entry is None and not otherwise:
            otherwise = f"Nothing more is known about {self.code}."
        return f"{known} {otherwise}".strip()
