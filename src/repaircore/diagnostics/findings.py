"""What a conversation has brought to light so far."""

from collections.abc import Iterable
from itertools import chain

from attrs import evolve, frozen

from repaircore.diagnostics.model import Clues, Finding, Hint
from repaircore.kernel.traits import Traits

__all__ = ["Evidence"]


@frozen(kw_only=True)
class Evidence:
    """Symptoms that are there or are not, codes, repairs that were named, and symptoms that were asked about."""

    findings: tuple[Finding, ...] = ()
    codes: tuple[str, ...] = ()
    hints: tuple[Hint, ...] = ()
    asked: tuple[str, ...] = ()

    def clues(self, traits: Traits) -> Clues:
        """Give what a diagnosis of a vehicle goes by."""
        return Clues(findings=self.findings, codes=self.codes, hints=self.hints, traits=traits)

    def having(
        self, findings: Iterable[Finding] = (), codes: Iterable[str] = (), hints: Iterable[Hint] = ()
    ) -> "Evidence":
        """Add what came to light; of two findings on a symptom the later one counts, of two hints the stronger."""
        found = {one.symptom: one for one in chain(self.findings, findings)}
        hinted: dict[str, Hint] = {}
        for hint in chain(self.hints, hints):
            known = hinted.get(hint.repair)
            if known is None or hint.bits > known.bits:
                hinted[hint.repair] = hint
        return evolve(
            self,
            findings=tuple(found.values()),
            codes=tuple(dict.fromkeys(chain(self.codes, codes))),
            hints=tuple(hinted.values()),
        )

    def having_asked(self, symptom: str) -> "Evidence":
        """Add a symptom that need not be asked about again."""
        return self if symptom in self.asked else evolve(self, asked=(*self.asked, symptom))
