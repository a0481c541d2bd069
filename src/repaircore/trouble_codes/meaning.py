"""What is said of a trouble code, whether or not its meaning is known."""

from collections.abc import Sequence

from attrs import frozen

from repaircore.kernel.wording import join_words
from repaircore.trouble_codes.model import TroubleCode
from repaircore.trouble_codes.structure import CodeStructure


@frozen(kw_only=True)
class CodeMeaning:
    """What a code means, as far as that is known.

    Args:
        structure: what its letter and digits say; always known.
        entry: what it means for the vehicle, or for every make; None when that is not known.
        by_maker: what it means for some makes, where the make is not known or another one.
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
        """Return the title of the entry, or what the form of the code says."""
        return self.structure.title if self.entry is None else self.entry.title

    @property
    def meaning(self) -> str:
        """Return the meaning in plain words, and what makers mean otherwise; without an entry what is known instead."""
        but = "But for" if self.structure.standard else "For"
        otherwise = " ".join(f"{but} {join_words(one.makes)} it means: {one.title}." for one in self.by_maker)
        known = self.structure.sentence if self.entry is None else self.entry.meaning
        if self.entry is None and not otherwise:
            otherwise = f"Nothing more is known of {self.code}."
        return f"{known} {otherwise}".strip()
