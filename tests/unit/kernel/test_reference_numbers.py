import re
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repaircore.kernel.errors import Unavailable
from repaircore.kernel.reference_numbers import REFERENCE_BYTES, claim_reference, reference_number

AT = datetime(2026, 1, 31, 23, 59, tzinfo=UTC)


@given(st.binary(min_size=REFERENCE_BYTES, max_size=REFERENCE_BYTES))
def test_reference_number_has_no_ambiguous_letters(random: bytes) -> None:
    reference = reference_number(AT, random, prefix="DR")

    assert re.fullmatch(r"DR-20260131-[34679A-HJKMNPQRT-X]{6}", reference)
    assert not set(reference[12:]) & set("0O1IL2Z5S8B")


def test_reference_number_differs_for_other_bytes() -> None:
    numbers = (number.to_bytes(REFERENCE_BYTES) for number in range(10_000))

    assert len({reference_number(AT, number, prefix="DR") for number in numbers}) == 10_000


def test_claim_reference_tries_until_one_is_free() -> None:
    random = iter(range(100))
    tried: list[str] = []

    def claim(reference: str) -> bool:
        tried.append(reference)
        return len(tried) == 3

    reference = claim_reference(AT, lambda size: next(random).to_bytes(size), claim, prefix="DG")

    assert reference == tried[-1]
    assert len(set(tried)) == 3


def test_claim_reference_gives_up_when_all_are_taken() -> None:
    with pytest.raises(Unavailable, match="No reference number is available right now"):
        claim_reference(AT, bytes, lambda _: False, prefix="DR")
