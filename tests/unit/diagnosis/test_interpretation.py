"""Which claims of a language model are accepted."""

from typing import Any

import pytest

from repaircore.diagnosis.interpretation import Claim, CodeClaim, Interpretation, with_interpretation
from repaircore.diagnosis.model import Finding
from repaircore.diagnosis.reading import ReadComplaint

TEXT = "There's a  High-Pitched noise when I stop; the dash said p zero four twenty."
SYMPTOMS = {"brake-squeal": "Squeal", "brake-grinding": "Grinding", "abs-light": "ABS light is on"}
CODES = ("P0420",)


def claim(symptom: str, quote: str, *, present: bool = True) -> Claim:
    return Claim(symptom=symptom, present=present, quote=quote)


def read(
    *claims: Claim, codes: tuple[CodeClaim, ...] = (), before: ReadComplaint | None = None, text: str = TEXT
) -> ReadComplaint:
    result = Interpretation(claims=claims, codes=codes)
    return with_interpretation(before or ReadComplaint(), result, text=text, symptoms=SYMPTOMS, codes=CODES)


def test_with_interpretation_adds_a_quoted_claim() -> None:
    found = read(claim("brake-squeal", "high pitched noise when I stop"))

    assert found.findings == (Finding("brake-squeal", present=True),)


@pytest.mark.parametrize(
    "invalid",
    [
        claim("replace-engine", "noise when I stop"),
        claim("brake-squeal; DROP TABLE", "noise"),
        claim("", "noise"),
        claim("brake-squeal", ""),
        claim("brake-squeal", "..."),
        claim("brake-squeal", "the brakes squeal"),
        claim("brake-squeal", "ois"),
    ],
)
def test_with_interpretation_drops_other_claims(invalid: Claim) -> None:
    assert read(invalid) == ReadComplaint()


def test_with_interpretation_adds_known_quoted_codes() -> None:
    quote = "p zero four twenty"

    assert read(codes=(CodeClaim(code="P0420", quote=quote),)).codes == ("P0420",)
    invalid: tuple[Any, ...] = (("P0421", quote), ("P0420", "P0420"), ("engine", quote), ("", quote))

    assert read(codes=tuple(CodeClaim(code=code, quote=words) for code, words in invalid)).codes == ()


def test_with_interpretation_keeps_earlier_findings() -> None:
    before = ReadComplaint(
        findings=(Finding("brake-squeal", present=True),), codes=("P0300",), unread=("dash",)
    )
    found = read(
        claim("brake-squeal", "noise", present=False),
        claim("brake-grinding", "noise"),
        claim("brake-grinding", "noise", present=False),
        before=before,
    )

    assert found.findings == (Finding("brake-squeal", present=True), Finding("brake-grinding", present=True))
    assert (found.codes, found.unread) == (("P0300",), ("dash",))
