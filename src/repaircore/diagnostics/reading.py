"""From free text to clues."""

from attrs import frozen

from repaircore.diagnostics.codes import codes_in
from repaircore.diagnostics.knowledge import Knowledge
from repaircore.diagnostics.model import Finding, Hint

__all__ = ["Read", "read"]


@frozen(kw_only=True)
class Read:
    """What a text says: symptoms that are there or are not, codes, repairs that it names, and what was not understood."""

    findings: tuple[Finding, ...] = ()
    codes: tuple[str, ...] = ()
    hints: tuple[Hint, ...] = ()
    unread: tuple[str, ...] = ()


def read(text: str, knowledge: Knowledge) -> Read:
    """Read what somebody wrote about their vehicle; any text can be read, and may say nothing."""
    said = knowledge.language.typed(text)
    findings = tuple(
        Finding(slug, present=True)
        for slug, name in sorted(knowledge.symptoms.items())
        if (stems := knowledge.language.stems(name)) and stems <= said
    )
    hints = tuple(Hint(one.problem.slug, 8 * one.score) for one in knowledge.index.search(text, limit=5))
    return Read(findings=findings, codes=codes_in(text), hints=hints)
