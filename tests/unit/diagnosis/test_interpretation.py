"""What of a model's reading counts."""

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
    told = Interpretation(claims=claims, codes=codes)
    return with_interpretation(before or ReadComplaint(), told, text=text, symptoms=SYMPTOMS, codes=CODES)


def test_a_claim_that_the_text_bears_out_counts() -> None:
    found = read(claim("brake-squeal", "high pitched noise when I stop"))
    assert found.findings == (Finding("brake-squeal", present=True),)


@pytest.mark.parametrize(
    "odd",
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
def test_anything_else_is_dropped(odd: Claim) -> None:
    assert read(odd) == ReadComplaint()


def test_codes_must_be_known_and_borne_out_too() -> None:
    quote = "p zero four twenty"
    assert read(codes=(CodeClaim(code="P0420", quote=quote),)).codes == ("P0420",)
    odd: tuple[Any, ...] = (("P0421", quote), ("P0420", "P0420"), ("engine", quote), ("", quote))
    assert read(codes=tuple(CodeClaim(code=code, quote=said) for code, said in odd)).codes == ()


def test_what_was_read_without_a_model_stands() -> None:
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
