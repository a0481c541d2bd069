"""What a language model reads from a complaint; a claim counts only if the text itself supports it."""

from collections.abc import Iterable, Mapping

from attrs import evolve, frozen

from repaircore.diagnosis.model import Finding
from repaircore.diagnosis.reading import ReadComplaint
from repaircore.problems.words import words
from repaircore.trouble_codes.model import normalize_code


@frozen(kw_only=True)
class Claim:
    """A model's claim that a symptom is present or absent, with a quote from the complaint."""

    symptom: str
    present: bool
    quote: str


@frozen(kw_only=True)
class CodeClaim:
    """A model's claim that the complaint contains a trouble code, with a quote."""

    code: str
    quote: str


@frozen(kw_only=True)
class Interpretation:
    """The unchecked claims of a model about a complaint."""

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
    """Return a complaint with what a model additionally read from its text.

    A claim counts if its symptom or code is known and its quote is in the text. What was read without the model
    stays: whatever the text talks the model into, it cannot remove a symptom.
    """
    said = f" {' '.join(words(text))} "
    known_codes: set[str | None] = set(codes)
    found = {finding.symptom for finding in read.findings}
    added: dict[str, Finding] = {}
    for claim in interpretation.claims:
        if claim.symptom in symptoms and claim.symptom not in found and _is_quoted(claim.quote, said):
            added.setdefault(claim.symptom, Finding(claim.symptom, claim.present))
    named = [
        code
        for claimed in interpretation.codes
        if (code := normalize_code(claimed.code)) in known_codes and _is_quoted(claimed.quote, said)
    ]
    return evolve(
        read,
        findings=(*read.findings, *added.values()),
        codes=tuple(dict.fromkeys((*read.codes, *filter(None, named)))),
    )


def _is_quoted(quote: str, said: str) -> bool:
    quoted = " ".join(words(quote))
    return bool(quoted) and f" {quoted} " in said
