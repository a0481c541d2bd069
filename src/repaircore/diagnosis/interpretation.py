"""What of a language model's reading counts: what the vocabulary knows, and the text itself bears out."""

from collections.abc import Iterable, Mapping

from attrs import evolve, frozen

from repaircore.diagnosis.model import Finding
from repaircore.diagnosis.reading import ReadComplaint
from repaircore.problems.words import words
from repaircore.trouble_codes.model import normalized


@frozen(kw_only=True)
class Claim:
    """A model says that a symptom is there, or is not, and which words of the text say so."""

    symptom: str
    present: bool
    quote: str


@frozen(kw_only=True)
class CodeClaim:
    """A model says that the text names a trouble code, and with which words."""

    code: str
    quote: str


@frozen(kw_only=True)
class Interpretation:
    """Everything that a model claims about a text; nobody has checked it yet."""

    claims: tuple[Claim, ...] = ()
    codes: tuple[CodeClaim, ...] = ()


def with_interpretation(
    read: ReadComplaint,
    interpretation: Interpretation,
    *,
    text: str,
    symptoms: Mapping[str, str],
    codes: Iterable[str],
) -> ReadComplaint:
    """Add to what was read without a model what a model read besides.

    A claim counts when its symptom or code is known and its quote stands in the text. What was read without
    the model stands: whatever a text talks a model into, it cannot take a symptom away that it names.
    """
    said = f" {' '.join(words(text))} "
    known_codes: set[str | None] = set(codes)
    taken = {finding.symptom for finding in read.findings}
    added: dict[str, Finding] = {}
    for claim in interpretation.claims:
        if claim.symptom in symptoms and claim.symptom not in taken and _stands(claim.quote, said):
            added.setdefault(claim.symptom, Finding(claim.symptom, claim.present))
    named = [
        code
        for one in interpretation.codes
        if (code := normalized(one.code)) in known_codes and _stands(one.quote, said)
    ]
    return evolve(
        read,
        findings=(*read.findings, *added.values()),
        codes=tuple(dict.fromkeys((*read.codes, *filter(None, named)))),
    )


def _stands(quote: str, said: str) -> bool:
    quoted = " ".join(words(quote))
    return bool(quoted) and f" {quoted} " in said
