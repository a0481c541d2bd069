"""What is known about the meaning of a trouble code."""

from collections.abc import Sequence

from attrs import frozen

from repaircore.kernel.wording import join_words
from repaircore.trouble_codes.model import TroubleCode
from repaircore.trouble_codes.structure import CodeStructure


@frozen(kw_only=True)
class CodeMeaning:
    """What is known about the meaning of a code.

    Args:
        structure: the meaning of its letter and digits, which is always known.
        entry: its meaning for the vehicle or for every make, or None if it is unknown.
        by_maker: its meanings for particular makes, if the vehicle's make is unknown or not one of them.
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
        """Return the title of the entry, else of the structure."""
        return self.structure.title if self.entry is None else self.entry.title

    @property
    def meaning(self) -> str:
        """Return all that is known about the meaning in plain words, including its meanings for other makes."""
        but = "But for" if self.structure.standard else "For"
        otherwise = " ".join(
            f"{but} {join_words(code.makes)} it means: {code.title}." for code in self.by_maker
        )
        known = self.structure.sentence if self.entry is None else self.entry.meaning
        if self.entry is None and not otherwise:
            otherwise = f"Nothing more is known about {self.code}."
        return f"{known} {otherwise}".strip()
